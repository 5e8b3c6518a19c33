"""A small vector canvas: shaded polygons and strokes in unit coordinates.

An entity is drawn into the box from -1 to 1 on both axes (y points down); ``matrix`` carries it to pixels, so pose,
scale, flip and shear are the scene's business and never the drawing's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import cv2
import numpy as np

Color = tuple[float, float, float]
"""Red, green, blue, 0 to 255."""
Points = Sequence[tuple[float, float] | np.ndarray] | np.ndarray


def rgb(color: str | Color) -> Color:
    """``"#c03020"`` -> ``(192.0, 48.0, 32.0)``; a tuple is returned as it is."""
    if isinstance(color, str):
        return float(int(color[1:3], 16)), float(int(color[3:5], 16)), float(int(color[5:7], 16))
    return color


def tint(color: str | Color, amount: float) -> Color:
    """Moves a colour towards white (``amount`` > 0) or black (< 0); ``amount`` from -1 to 1."""
    target = 255.0 if amount > 0 else 0.0
    red, green, blue = (value + (target - value) * abs(amount) for value in rgb(color))
    return red, green, blue


def mix(first: str | Color, second: str | Color, share: float) -> Color:
    """``first`` with ``share`` (0 to 1) of ``second`` mixed in."""
    red, green, blue = (a + (b - a) * share for a, b in zip(rgb(first), rgb(second), strict=True))
    return red, green, blue


def xy(text: str) -> np.ndarray:
    """``"0,-0.5 1,0.2"`` -> [[0, -0.5], [1, 0.2]]: points as vector formats write them; float [n, 2]."""
    return np.array([pair.split(",") for pair in text.split()], float)


def smooth(points: Points, closed: bool = True, steps: int = 8) -> np.ndarray:
    """A Catmull-Rom curve through ``points``, sampled ``steps`` times a segment; float [n, 2]."""
    knots = np.asarray(points, float)
    ends = (knots[-1:], knots[:2]) if closed else (knots[:1], knots[-1:])
    padded = np.concatenate([ends[0], knots, ends[1]])
    t = np.linspace(0, 1, steps, endpoint=False)[:, None]
    segments = []
    for i in range(len(padded) - 3):
        p0, p1, p2, p3 = padded[i : i + 4]
        cubic = (3 * p1 - p0 - 3 * p2 + p3) * t**3
        segments.append(0.5 * (2 * p1 + (p2 - p0) * t + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t**2 + cubic))
    if not closed:
        segments.append(knots[-1:])
    return np.concatenate(segments)


def oval(
    x: float, y: float, rx: float, ry: float | None = None, angle: float = 0, start: float = 0, stop: float = 360
) -> np.ndarray:
    """Points on an ellipse (or on its arc from ``start`` to ``stop``), turned by ``angle``; all angles in degrees."""
    ry = rx if ry is None else ry
    t = np.radians(np.linspace(start, stop, 40))
    turn = np.radians(angle)
    u, v = rx * np.cos(t), ry * np.sin(t)
    return np.stack([x + u * np.cos(turn) - v * np.sin(turn), y + u * np.sin(turn) + v * np.cos(turn)], 1)


def mirror(points: Points) -> np.ndarray:
    """Closes a right-hand profile, listed from top to bottom, with its mirror image."""
    right = np.asarray(points, float)
    left = right[right[:, 0] != 0][::-1] * (-1, 1)
    return np.concatenate([right, left])


class Canvas:
    """A transparent layer of ``height`` x ``width`` pixels.

    Attributes:
        color: float32 [height, width, 3], 0 to 255, premultiplied by alpha.
        alpha: float32 [height, width], 0 to 1.
        rng: draws the variations of the entity that is painted.
    """

    def __init__(
        self, width: int, height: int, matrix: np.ndarray, rng: np.random.Generator, light: tuple[float, float]
    ) -> None:
        """``matrix`` [2, 3] carries unit coordinates to pixels; ``light`` points towards the light, in pixels' axes."""
        self.color: np.ndarray = np.zeros((height, width, 3), np.float32)
        self.alpha: np.ndarray = np.zeros((height, width), np.float32)
        self.matrix = np.asarray(matrix, float)
        self.rng = rng
        self.light = np.asarray(light, float) / np.hypot(*light)
        self.scale = float(np.sqrt(abs(np.linalg.det(self.matrix[:, :2]))))

    def polygon(
        self,
        points: Points,
        color: str | Color,
        *,
        shade: float = 0.22,
        ball: bool = False,
        line: float = 0.022,
        opacity: float = 1.0,
    ) -> None:
        """Fills a polygon, lit from one side (``ball``: with a round highlight), with a darker contour.

        ``shade`` is the strength of the light, ``line`` the contour's width in units (0: none).
        """
        pixels = self._pixels(points)
        self._paint(
            pixels, 0, lambda mask, p: cv2.fillPoly(mask, [p], 255, cv2.LINE_AA, 4), color, shade, ball, opacity
        )
        if line:
            self._stroke(pixels, tint(color, -0.45), line, closed=True, shade=0, opacity=opacity)

    def blob(self, points: Points, color: str | Color, **style: float) -> None:
        """Like :meth:`polygon`, through a smooth closed curve."""
        self.polygon(smooth(points), color, **style)  # type: ignore[arg-type]

    def ellipse(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float | None = None,
        *,
        color: str | Color,
        angle: float = 0,
        **style: float,
    ) -> None:
        """A filled ellipse around (x, y), turned by ``angle`` degrees; see :meth:`polygon`."""
        self.polygon(oval(x, y, rx, ry, angle), color, **style)  # type: ignore[arg-type]

    def rect(
        self, x0: float, y0: float, x1: float, y1: float, color: str | Color, *, radius: float = 0.0, **style: float
    ) -> None:
        """A filled rectangle with corners rounded by ``radius``."""
        if radius:
            corners = (
                (x1 - radius, y1 - radius, 0),
                (x0 + radius, y1 - radius, 90),
                (x0 + radius, y0 + radius, 180),
                (x1 - radius, y0 + radius, 270),
            )
            arcs = [oval(x, y, radius, start=a, stop=a + 90)[::6] for x, y, a in corners]
            self.polygon(np.concatenate(arcs), color, **style)  # type: ignore[arg-type]
        else:
            self.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], color, **style)  # type: ignore[arg-type]

    def stroke(
        self,
        points: Points,
        color: str | Color,
        width: float,
        *,
        curve: bool = True,
        closed: bool = False,
        shade: float = 0.1,
        opacity: float = 1.0,
    ) -> None:
        """A line of ``width`` units with round ends, smooth where ``curve``."""
        path = smooth(points, closed) if curve and len(points) > 2 else np.asarray(points, float)
        self._stroke(self._pixels(path), color, width, closed, shade, opacity)

    def outlined(self, points: Points, color: str | Color, width: float, *, curve: bool = True) -> None:
        """A stroke with a darker contour: arms, stems, cables."""
        self.stroke(points, tint(color, -0.45), width + 0.035, curve=curve)
        self.stroke(points, color, width, curve=curve)

    def dots(self, places: Iterable[tuple[float, float]], radius: float, color: str | Color) -> None:
        """Small flat discs."""
        for x, y in places:
            self.polygon(oval(x, y, radius)[::3], color, line=0, shade=0)

    def scatter(self, count: int, x: float, y: float, rx: float, ry: float) -> np.ndarray:
        """``count`` random places inside an ellipse; float [count, 2]."""
        angle, radius = self.rng.uniform(0, 2 * np.pi, count), np.sqrt(self.rng.uniform(0, 1, count))
        return np.stack([x + rx * radius * np.cos(angle), y + ry * radius * np.sin(angle)], 1)

    def petals(
        self,
        x: float,
        y: float,
        count: int,
        inner: float,
        length: float,
        width: float,
        color: str | Color,
        turn: float = 0.0,
        squeeze: float = 1.0,
    ) -> None:
        """``count`` petals around (x, y), from radius ``inner`` on; ``squeeze`` < 1 tips the flower away."""
        for angle in np.arange(count) * 360 / count + turn:
            a = np.radians(angle)
            reach = inner + length / 2
            petal = oval(reach, 0, length / 2, width / 2)
            turned = petal @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) * (1, squeeze)
            self.polygon(turned + np.array((x, y)), color, shade=0.18)

    def _pixels(self, points: Points) -> np.ndarray:
        return np.asarray(points, float) @ self.matrix[:, :2].T + self.matrix[:, 2]

    def _stroke(
        self, pixels: np.ndarray, color: str | Color, width: float, closed: bool, shade: float, opacity: float
    ) -> None:
        thickness = max(1, round(width * self.scale))
        self._paint(
            pixels,
            thickness,
            lambda mask, p: cv2.polylines(mask, [p], closed, 255, thickness, cv2.LINE_AA, 4),
            color,
            shade,
            False,
            opacity,
        )

    def _paint(
        self,
        pixels: np.ndarray,
        margin: int,
        draw: Callable[[np.ndarray, np.ndarray], object],
        color: str | Color,
        shade: float,
        ball: bool,
        opacity: float,
    ) -> None:
        """Blends ``color`` where ``draw`` marks the mask, inside the bounding box of ``pixels`` only."""
        height, width = self.alpha.shape
        low = np.clip(np.floor(pixels.min(0)) - margin - 2, 0, (width, height)).astype(int)
        high = np.clip(np.ceil(pixels.max(0)) + margin + 2, 0, (width, height)).astype(int)
        if (high <= low).any():
            return
        mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        draw(mask, np.round((pixels - low) * 16).astype(np.int32))
        cover = mask.astype(np.float32)[..., None] * (opacity / 255)
        paint = np.asarray(rgb(color), np.float32)
        if shade:
            centre, half = (pixels.min(0) + pixels.max(0)) / 2, np.maximum(np.ptp(pixels, axis=0) / 2, 1)
            x = ((np.arange(low[0], high[0]) - centre[0]) / half[0]).astype(np.float32)[None, :]
            y = ((np.arange(low[1], high[1]) - centre[1]) / half[1]).astype(np.float32)[:, None]
            if ball:
                lit = 0.8 - ((x - 0.45 * self.light[0]) ** 2 + (y - 0.45 * self.light[1]) ** 2)
            else:
                lit = x * self.light[0] + y * self.light[1]
            lit = np.clip(lit, -1.2, 1)[..., None] * np.float32(shade)
            paint = paint + np.where(lit > 0, (255 - paint) * lit, paint * lit)
        box = np.s_[low[1] : high[1], low[0] : high[0]]
        self.color[box] += (paint - self.color[box]) * cover
        self.alpha[box] += (1 - self.alpha[box]) * cover[..., 0]
