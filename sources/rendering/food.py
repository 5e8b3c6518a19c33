"""Fruit, vegetables and dishes, one function each; ``tone`` is the main colour."""

from __future__ import annotations

import numpy as np

from .canvas import Canvas, Color, mirror, mix, oval, smooth, tint, xy

GREEN = "#4f8f3a"
BROWN = "#6b4423"


def _leaf(c: Canvas, x: float, y: float, dx: float, dy: float, width: float = 0.35, color: str | Color = GREEN) -> None:
    """A pointed leaf from (x, y) to (x + dx, y + dy), with its midrib."""
    side = np.array([-dy, dx]) * width
    tip, half = np.array([x + dx, y + dy]), np.array([x + dx / 2, y + dy / 2])
    c.polygon(smooth([(x, y), tuple(half + side), tuple(tip), tuple(half - side)]), color)
    c.stroke([(x, y), (x + dx * 0.85, y + dy * 0.85)], tint(color, -0.25), 0.02)


def apple(c: Canvas, tone: Color) -> None:
    c.blob(
        mirror(xy("0,-0.55 0.35,-0.72 0.75,-0.6 0.95,-0.1 0.78,0.6 0.42,0.95 0.1,0.88")), tone, shade=0.42, ball=True
    )
    c.ellipse(0, -0.58, 0.22, 0.08, color=tint(tone, -0.4), line=0)
    c.outlined([(0, -0.55), (0.03, -0.75), (0.12, -0.98)], BROWN, 0.06)
    _leaf(c, 0.06, -0.78, 0.5, -0.16)
    c.ellipse(-0.42, -0.3, 0.1, 0.2, color="#ffffff", angle=25, line=0, shade=0, opacity=0.45)


def banana(c: Canvas, tone: Color) -> None:
    for k in range(int(c.rng.integers(1, 4))):
        s = 0.22 * k
        outer = [(-0.95, -0.52 + s), (-0.72, 0.1 + s), (-0.2, 0.5 + s * 0.6), (0.45, 0.42 + s * 0.6), (0.86, -0.05 + s)]
        inner = [
            (0.92, -0.3 + s),
            (0.8, -0.26 + s),
            (0.4, 0.02 + s),
            (-0.1, 0.06 + s),
            (-0.55, -0.2 + s),
            (-0.82, -0.6 + s),
        ]
        c.polygon(np.concatenate([smooth(outer, False), smooth(inner, False)]), tone, shade=0.3)
        c.stroke(
            [(-0.85, -0.5 + s), (-0.5, 0.05 + s), (0, 0.3 + s * 0.8), (0.5, 0.2 + s * 0.8)], tint(tone, -0.18), 0.03
        )
        c.stroke([(0.87, -0.18 + s), (0.94, -0.36 + s)], BROWN, 0.13)
        c.stroke([(-0.9, -0.57 + s), (-0.86, -0.58 + s)], "#4a3a20", 0.1)
        c.dots(c.scatter(5, -0.1, 0.28 + s * 0.8, 0.5, 0.1), 0.025, "#8a6a28")


def pear(c: Canvas, tone: Color) -> None:
    c.blob(mirror(xy("0,-0.75 0.22,-0.68 0.3,-0.3 0.5,0.05 0.72,0.5 0.55,0.9 0.15,0.98")), tone, shade=0.4, ball=True)
    c.dots(c.scatter(14, 0, 0.4, 0.5, 0.45), 0.018, tint(tone, -0.3))
    c.outlined([(0, -0.72), (0.03, -0.85), (0.12, -1.0)], BROWN, 0.06)
    _leaf(c, 0.05, -0.85, 0.42, -0.05)


def orange(c: Canvas, tone: Color) -> None:
    c.ellipse(0, 0.1, 0.82, 0.8, color=tone, shade=0.42, ball=True)
    c.dots(c.scatter(40, 0, 0.1, 0.7, 0.68), 0.016, tint(tone, -0.16))
    _leaf(c, 0.02, -0.62, 0.5, -0.2)
    c.ellipse(0, -0.62, 0.07, 0.05, color=GREEN)
    x, y = 0.62, 0.58
    c.ellipse(x, y, 0.42, color=tone)
    c.ellipse(x, y, 0.36, color="#fff1d6", line=0, shade=0)
    for a in np.arange(0, 360, 45) + 10:
        wedge = np.concatenate([[(x, y)], oval(x, y, 0.33, start=a + 4, stop=a + 41)])
        c.polygon(wedge, tint(tone, 0.15), line=0)


def lemon(c: Canvas, tone: Color) -> None:
    c.blob(
        xy(
            "-1,0.05 -0.8,-0.1 -0.45,-0.5 0.1,-0.58 0.55,-0.4 0.8,-0.08 "
            "0.98,0.02 0.82,0.16 0.5,0.5 0,0.6 -0.5,0.48 -0.8,0.18"
        ),
        tone,
        shade=0.4,
        ball=True,
    )
    c.dots(c.scatter(30, 0, 0, 0.65, 0.42), 0.016, tint(tone, -0.15))
    _leaf(c, -0.9, 0, -0.02, -0.5)


def strawberry(c: Canvas, tone: Color) -> None:
    c.blob(mirror(xy("0,-0.5 0.4,-0.62 0.8,-0.35 0.72,0.15 0.4,0.68 0.06,0.98")), tone, shade=0.38, ball=True)
    for row in range(6):
        y = -0.25 + row * 0.2
        half = 0.62 - row * 0.11
        for x in np.linspace(-half, half, max(2, 6 - row)):
            c.ellipse(x + 0.05 * (row % 2), y, 0.028, 0.045, color="#f7d774", line=0.008)
    for angle in (-160, -125, -90, -55, -20):
        a = np.radians(angle)
        _leaf(
            c, 0, -0.55, 0.52 * np.cos(a), 0.2 - 0.28 * abs(np.sin(a)) if abs(angle + 90) > 40 else 0.3 * np.sin(a), 0.3
        )
    c.outlined([(0, -0.58), (0.05, -0.95)], GREEN, 0.06)


def grapes(c: Canvas, tone: Color) -> None:
    c.outlined([(0, -0.6), (0.04, -0.8), (-0.02, -1.0)], BROWN, 0.07)
    for row, count in enumerate((5, 5, 4, 4, 3, 2, 1)):
        for k in range(count):
            x = (k - (count - 1) / 2) * 0.32 + c.rng.uniform(-0.03, 0.03)
            c.ellipse(
                x, -0.52 + row * 0.24, 0.19, 0.2, color=tint(tone, c.rng.uniform(-0.12, 0.12)), shade=0.5, ball=True
            )
    c.blob(xy("0.02,-0.75 0.3,-0.98 0.5,-0.86 0.78,-0.8 0.62,-0.6 0.6,-0.4 0.36,-0.5"), GREEN)


def watermelon(c: Canvas, tone: Color) -> None:
    c.polygon(oval(0, -0.45, 0.98, 1.3, start=0, stop=180), "#2f7a38", shade=0.3)
    c.polygon(oval(0, -0.45, 0.9, 1.18, start=0, stop=180), "#dff0b8", line=0)
    c.polygon(oval(0, -0.45, 0.82, 1.07, start=0, stop=180), tone, shade=0.2, line=0)
    for x, y in (
        (-0.5, -0.25),
        (-0.2, -0.28),
        (0.15, -0.24),
        (0.48, -0.26),
        (-0.35, 0.02),
        (0, 0.05),
        (0.33, 0.03),
        (-0.12, 0.32),
        (0.18, 0.3),
    ):
        c.ellipse(x, y, 0.04, 0.075, color="#2a1c18", line=0)


def pineapple(c: Canvas, tone: Color) -> None:
    for x, y, w in ((-0.5, -0.8, 0.13), (0.5, -0.8, 0.13), (-0.28, -0.95, 0.15), (0.28, -0.95, 0.15), (0, -1.0, 0.17)):
        _leaf(c, x * 0.2, -0.3, x, y + 0.3, w)
    body = mirror(xy("0,-0.42 0.32,-0.38 0.54,0 0.56,0.5 0.36,0.92 0.12,0.98"))
    c.blob(body, tone, shade=0.4, ball=True)
    for k in np.arange(-0.9, 1.5, 0.24):
        for sign in (-1, 1):
            line = np.array([(sign * t, k + 0.55 * t) for t in np.linspace(-0.55, 0.55, 23)])
            inside = (line[:, 0] / 0.54) ** 2 + ((line[:, 1] - 0.28) / 0.68) ** 2 < 0.96
            if inside.sum() > 1:
                c.stroke(line[inside], tint(tone, -0.4), 0.025, curve=False)
    c.dots(
        [(x * 0.23 + 0.115 * (r % 2), -0.18 + r * 0.132) for r in range(8) for x in (-1, 0, 1)], 0.025, tint(tone, -0.5)
    )


def cherry(c: Canvas, tone: Color) -> None:
    c.outlined([(-0.45, 0.3), (-0.2, -0.4), (0.2, -0.92)], "#5b7a34", 0.05)
    c.outlined([(0.5, 0.4), (0.42, -0.3), (0.2, -0.92)], "#5b7a34", 0.05)
    _leaf(c, 0.2, -0.9, 0.7, 0.22)
    for x, y in ((-0.45, 0.5), (0.5, 0.6)):
        c.ellipse(x, y, 0.4, color=tone, shade=0.55, ball=True)
        c.ellipse(x - 0.12, y - 0.17, 0.06, 0.1, color="#ffffff", angle=35, line=0, shade=0, opacity=0.7)


def kiwi(c: Canvas, tone: Color) -> None:
    c.ellipse(-0.25, -0.25, 0.75, 0.58, color="#8a6a3c", shade=0.4, ball=True, angle=-15)
    x, y = 0.22, 0.32
    c.ellipse(x, y, 0.72, 0.62, color="#7a5a30")
    c.ellipse(x, y, 0.66, 0.56, color=tone, line=0, shade=0.15)
    c.ellipse(x, y, 0.42, 0.35, color=tint(tone, 0.25), line=0, shade=0)
    for a in range(0, 360, 18):
        ux, uy = np.cos(np.radians(a)), np.sin(np.radians(a))
        c.ellipse(x + 0.35 * ux, y + 0.29 * uy, 0.045, 0.02, color="#231a14", angle=a, line=0)
    c.ellipse(x, y, 0.17, 0.13, color="#f3f0c8", line=0)


def carrot(c: Canvas, tone: Color) -> None:
    for dx, dy in ((-0.32, -0.38), (0.3, -0.4), (0, -0.5), (-0.15, -0.48), (0.16, -0.46)):
        _leaf(c, 0, -0.5, dx, dy, 0.22, mix(GREEN, "#8cc152", c.rng.uniform(0, 0.5)))
    c.blob(mirror(xy("0,-0.56 0.26,-0.52 0.3,-0.3 0.2,0.3 0.09,0.8 0.02,1")), tone, shade=0.35)
    for y, side in ((-0.3, 1), (-0.05, -1), (0.15, 1), (0.35, -1), (0.55, 1)):
        half = 0.26 - 0.2 * (y + 0.3)
        c.stroke([(side * half, y), (side * half * 0.2, y + 0.02)], tint(tone, -0.3), 0.025, curve=False)


def tomato(c: Canvas, tone: Color) -> None:
    c.blob(mirror(xy("0,-0.5 0.5,-0.62 0.92,-0.25 0.92,0.3 0.6,0.78 0.15,0.86")), tone, shade=0.45, ball=True)
    for a in np.arange(5) * 72 - 90:
        ux, uy = np.cos(np.radians(a)), np.sin(np.radians(a))
        _leaf(c, 0, -0.48, 0.45 * ux, 0.2 * uy + 0.03, 0.22)
    c.outlined([(0, -0.48), (0.06, -0.75)], GREEN, 0.07)
    c.ellipse(-0.5, -0.18, 0.1, 0.18, color="#ffffff", angle=30, line=0, shade=0, opacity=0.5)


def aubergine(c: Canvas, tone: Color) -> None:
    c.blob(
        xy("-0.28,-0.5 0.05,-0.62 0.32,-0.4 0.52,0.1 0.6,0.6 0.32,0.95 -0.15,0.96 -0.48,0.6 -0.4,0.1"),
        tone,
        shade=0.5,
        ball=True,
    )
    c.blob(xy("-0.36,-0.34 -0.24,-0.6 0.05,-0.74 0.34,-0.56 0.36,-0.28 0.16,-0.42 0.02,-0.22 -0.16,-0.44"), GREEN)
    c.outlined([(0.04, -0.68), (0.02, -0.85), (0.12, -1.0)], GREEN, 0.12)
    c.stroke([(-0.18, 0.0), (-0.25, 0.35), (-0.18, 0.62)], "#ffffff", 0.06, opacity=0.4)


def broccoli(c: Canvas, tone: Color) -> None:
    stem = "#9dbb62"
    c.polygon(xy("-0.2,0.98 -0.16,0.2 -0.55,-0.2 0.55,-0.2 0.16,0.2 0.2,0.98"), stem)
    c.stroke([(0.0, 0.5), (0.1, 0.0)], tint(stem, -0.25), 0.03)
    heads = [
        (-0.6, -0.15, 0.32),
        (0.6, -0.15, 0.32),
        (-0.35, -0.5, 0.36),
        (0.36, -0.5, 0.36),
        (0, -0.68, 0.33),
        (0, -0.2, 0.4),
    ]
    for x, y, r in heads:
        c.ellipse(x, y, r, color=tone, shade=0.4, ball=True)
        c.dots(c.scatter(24, x, y, r * 0.85, r * 0.85), 0.035, tint(tone, c.rng.uniform(-0.3, -0.1)))
        c.dots(c.scatter(12, x - 0.06, y - 0.08, r * 0.7, r * 0.6), 0.03, tint(tone, 0.25))


def corn(c: Canvas, tone: Color) -> None:
    c.blob(mirror(xy("0,-0.98 0.2,-0.85 0.34,-0.3 0.36,0.4 0.2,0.8")), tone, shade=0.3)
    for row in range(13):
        y = -0.8 + row * 0.12
        half = 0.32 * min(1, 0.45 + (row + 1) * 0.12)
        for x in np.linspace(-half, half, 6):
            c.ellipse(x, y, 0.06, 0.055, color=tint(tone, c.rng.uniform(-0.1, 0.2)), line=0.012, shade=0.3, ball=True)
    for side in (-1, 1):
        husk = [
            (0, 0.98),
            (side * 0.3, 0.85),
            (side * 0.62, 0.1),
            (side * 0.72, -0.35),
            (side * 0.3, 0.15),
            (side * 0.08, 0.6),
        ]
        c.blob(husk, "#7fae45", shade=0.3)
    c.rect(-0.08, 0.85, 0.08, 1.0, "#8aa850")


def mushroom(c: Canvas, tone: Color) -> None:
    c.blob(mirror(xy("0,-0.1 0.22,-0.05 0.2,0.4 0.32,0.85 0.12,0.98")), "#f3e8d2", shade=0.3)
    c.polygon(
        np.concatenate(
            [
                oval(0, 0.05, 0.95, 0.95, start=180, stop=360),
                smooth(xy("0.95,0.05 0.5,0.22 0,0.26 -0.5,0.22 -0.95,0.05"), False),
            ]
        ),
        tone,
        shade=0.38,
        ball=True,
    )
    for x, y, r in (
        (-0.5, -0.3, 0.13),
        (0.05, -0.55, 0.16),
        (0.52, -0.25, 0.12),
        (-0.12, -0.12, 0.1),
        (0.35, -0.62, 0.08),
    ):
        c.ellipse(x, y, r, r * 0.8, color="#fbf6ea", line=0.01)


def pepper(c: Canvas, tone: Color) -> None:
    c.blob(
        xy(
            "0,-0.55 0.5,-0.66 0.8,-0.3 0.72,0.35 0.45,0.92 0.12,0.84 "
            "-0.12,0.92 -0.5,0.88 -0.76,0.3 -0.82,-0.3 -0.5,-0.66"
        ),
        tone,
        shade=0.42,
        ball=True,
    )
    for side in (-1, 1):
        c.stroke([(side * 0.2, -0.5), (side * 0.36, 0), (side * 0.16, 0.75)], tint(tone, -0.3), 0.035)
    c.stroke([(-0.52, -0.25), (-0.55, 0.2)], "#ffffff", 0.07, opacity=0.5)
    c.outlined([(0, -0.52), (0.0, -0.8), (0.16, -1.0)], GREEN, 0.14)


def onion(c: Canvas, tone: Color) -> None:
    c.blob(
        mirror(xy("0,-0.98 0.07,-0.8 0.2,-0.55 0.65,-0.25 0.86,0.2 0.6,0.68 0.18,0.84")), tone, shade=0.42, ball=True
    )
    for k in (-0.65, -0.35, 0, 0.35, 0.65):
        c.stroke([(k * 0.12, -0.7), (k * 0.85, -0.1), (k * 0.95, 0.3), (k * 0.35, 0.8)], tint(tone, -0.25), 0.022)
    for k in (-0.14, -0.05, 0.05, 0.13):
        c.stroke([(k * 0.6, 0.82), (k * 1.6, 1.0)], "#c9b48a", 0.025, curve=False)


def pumpkin(c: Canvas, tone: Color) -> None:
    c.outlined([(0, -0.5), (0.02, -0.75), (0.18, -0.92)], "#6f7f3a", 0.16)
    for x, w in ((-0.62, 0.36), (0.62, 0.36), (-0.36, 0.4), (0.36, 0.4), (0, 0.38)):
        c.ellipse(x, 0.18, w, 0.72 - abs(x) * 0.15, color=tone, shade=0.35, ball=True)


def cabbage(c: Canvas, tone: Color) -> None:
    c.ellipse(0, 0.1, 0.88, 0.82, color=tone, shade=0.3, ball=True)
    for x, y, rx, ry in ((-0.5, 0.2, 0.5, 0.72), (0.5, 0.2, 0.5, 0.72), (0, 0.3, 0.55, 0.66)):
        wavy = [
            (x + (rx + c.rng.uniform(-0.03, 0.05)) * np.cos(t), y + ry * np.sin(t))
            for t in np.linspace(0, 2 * np.pi, 16)[:-1]
        ]
        c.blob(wavy, tint(tone, c.rng.uniform(0, 0.2)), shade=0.28)
        for side in (-0.6, 0, 0.6):
            c.stroke(
                [(x, y + ry * 0.9), (x + side * rx * 0.5, y), (x + side * rx, y - ry * 0.5)], tint(tone, 0.55), 0.028
            )


def peas(c: Canvas, tone: Color) -> None:
    c.blob(xy("-1,-0.25 -0.6,0.22 0,0.42 0.6,0.25 0.98,-0.22 0.55,-0.28 0,-0.2 -0.55,-0.28"), tint(tone, -0.15))
    for k in range(6):
        x = -0.62 + 0.25 * k
        c.ellipse(x, 0.1 - 0.3 * x * x, 0.16, color=tint(tone, 0.12), shade=0.5, ball=True)
    c.blob(xy("-1,-0.25 -0.6,0.32 0,0.54 0.6,0.34 0.98,-0.22 0.6,0.2 0,0.36 -0.6,0.18"), tone)
    c.outlined([(-1, -0.25), (-1.0, -0.45)], GREEN, 0.06)


def burger(c: Canvas, tone: Color) -> None:
    bun = "#d9963f"
    c.rect(-0.85, 0.5, 0.85, 0.88, bun, radius=0.18, shade=0.25)
    c.rect(-0.92, 0.22, 0.92, 0.54, "#6a3b22", radius=0.14)
    c.polygon(xy("-0.9,0.2 0.9,0.2 0.55,0.42 0.2,0.24 -0.3,0.44 -0.6,0.26"), "#f6c445")
    c.rect(-0.82, 0.02, 0.82, 0.2, tone, radius=0.08)
    wavy = [(x, 0.06 + (0.07 if k % 2 else -0.03)) for k, x in enumerate(np.linspace(0.96, -0.96, 13))]
    c.blob([(-0.92, -0.08), (0.92, -0.08), *wavy], "#6fb43f")
    c.polygon(np.concatenate([oval(0, -0.06, 0.92, 0.78, start=180, stop=360)]), bun, shade=0.38, ball=True)
    for x, y in c.scatter(16, 0, -0.45, 0.62, 0.26):
        c.ellipse(x, y, 0.045, 0.028, color="#fdf0c4", line=0.008, angle=float(c.rng.uniform(0, 90)))


def pizza(c: Canvas, tone: Color) -> None:
    c.ellipse(0, 0, 0.98, color="#c98a3e", shade=0.25)
    c.ellipse(0, 0, 0.84, color="#c8442b", line=0)
    c.ellipse(0, 0, 0.8, color="#f4cf66", line=0, shade=0.15)
    c.dots(c.scatter(22, 0, 0, 0.74, 0.74), 0.06, "#f9e3a0")
    for a in np.arange(0, 360, 60) + c.rng.uniform(0, 60):
        r = 0.52
        c.ellipse(r * np.cos(np.radians(a)), r * np.sin(np.radians(a)), 0.15, color=tone)
    c.ellipse(0.03, 0.02, 0.15, color=tone)
    for x, y in c.scatter(9, 0, 0, 0.68, 0.68):
        c.ellipse(x, y, 0.08, 0.04, color="#3f8a3a", angle=float(c.rng.uniform(0, 180)), line=0.01)
    for a in (10, 70, 130):
        ux, uy = np.cos(np.radians(a)), np.sin(np.radians(a))
        c.stroke([(-ux, -uy), (ux, uy)], "#a8692c", 0.025, curve=False)


def sushi(c: Canvas, tone: Color) -> None:
    for x, y in ((-0.5, 0.25), (0.5, 0.3), (0.02, -0.3)):
        c.polygon(
            np.concatenate(
                [oval(x, y + 0.32, 0.42, 0.24, start=0, stop=180), oval(x, y, 0.42, 0.24, start=180, stop=360)]
            ),
            "#1f2b26",
        )
        c.ellipse(x, y, 0.42, 0.24, color="#1f2b26")
        c.ellipse(x, y, 0.37, 0.2, color="#f7f5ee", line=0, shade=0)
        c.ellipse(x, y, 0.18, 0.1, color=tone, line=0.01)
        c.dots(c.scatter(10, x, y, 0.33, 0.17), 0.014, "#d8d3c4")


def fried_egg(c: Canvas, tone: Color) -> None:
    radii = c.rng.uniform(0.72, 0.98, 11)
    c.blob(
        [(r * np.cos(t), 0.85 * r * np.sin(t)) for r, t in zip(radii, np.linspace(0, 2 * np.pi, 12)[:-1], strict=True)],
        "#fbfaf4",
        shade=0.12,
    )
    c.ellipse(0.05, -0.02, 0.36, 0.34, color=tone, shade=0.45, ball=True)
    c.ellipse(-0.08, -0.14, 0.08, 0.05, color="#ffffff", line=0, shade=0, opacity=0.7)


def hot_dog(c: Canvas, tone: Color) -> None:
    c.rect(-0.85, -0.38, 0.85, 0.2, "#d9a050", radius=0.26)
    c.rect(-1, -0.18, 1, 0.16, tone, radius=0.16, shade=0.35)
    c.rect(-0.88, 0.02, 0.88, 0.44, "#e2ac5c", radius=0.2)
    c.stroke([(-0.8 + 0.16 * k, -0.06 + (0.08 if k % 2 else -0.08)) for k in range(11)], "#f5c518", 0.07)


def ice_cream(c: Canvas, tone: Color) -> None:
    c.polygon([(-0.42, 0.05), (0.42, 0.05), (0, 1.0)], "#d99a4a", shade=0.25)
    for k in (-0.3, -0.1, 0.1, 0.3):
        c.stroke([(k, 0.08), (k * 0.35 + 0.12, 0.62)], "#a86f2c", 0.02, curve=False)
        c.stroke([(k, 0.08), (k * 0.35 - 0.12, 0.62)], "#a86f2c", 0.02, curve=False)
    for x, y, color in ((-0.26, -0.15, tone), (0.26, -0.15, tint(tone, 0.45)), (0, -0.52, tone)):
        c.ellipse(x, y, 0.37, color=color, shade=0.38, ball=True)
    c.blob(xy("-0.5,0 0.5,0 0.42,0.14 0.25,0.08 0.1,0.2 -0.15,0.08 -0.35,0.16"), tone)
    c.ellipse(0.02, -0.9, 0.1, color="#c9202f", shade=0.5, ball=True)


def doughnut(c: Canvas, tone: Color) -> None:
    c.ellipse(0, 0.06, 0.95, 0.85, color="#c98a45", shade=0.3)
    wavy = [
        ((0.86 + 0.05 * (k % 2)) * np.cos(t), (0.74 + 0.05 * (k % 2)) * np.sin(t))
        for k, t in enumerate(np.linspace(0, 2 * np.pi, 19)[:-1])
    ]
    c.blob(wavy, tone, shade=0.25)
    for x, y in c.scatter(34, 0, 0, 0.74, 0.62):
        angle = float(c.rng.uniform(0, 180))
        c.ellipse(
            x,
            y,
            0.06,
            0.02,
            color=("#fff4d0", "#57b5e0", "#ffd23f", "#7bc950")[int(c.rng.integers(4))],
            angle=angle,
            line=0,
        )
    c.ellipse(0, 0.03, 0.3, 0.25, color="#a86f34")
    c.ellipse(0, 0.07, 0.25, 0.18, color="#3a2a1c", line=0, shade=0, opacity=0.6)


def ramen(c: Canvas, tone: Color) -> None:
    c.polygon(oval(0, -0.1, 0.98, 0.95, start=0, stop=180), tone, shade=0.35)
    c.rect(-0.4, 0.78, 0.4, 0.92, tint(tone, -0.2))
    c.ellipse(0, -0.1, 0.98, 0.34, color=tint(tone, -0.1))
    c.ellipse(0, -0.08, 0.88, 0.27, color="#c98b3a", line=0)
    for k in range(9):
        x = -0.62 + 0.13 * k
        c.stroke([(x, -0.15), (x + 0.12, -0.02), (x - 0.02, 0.1), (x + 0.14, 0.12)], "#f5dc93", 0.05)
    c.ellipse(0.42, -0.16, 0.24, 0.13, color="#fbfaf2")
    c.ellipse(0.42, -0.16, 0.12, 0.065, color="#f0a020", line=0)
    c.polygon([(-0.7, -0.12), (-0.5, -0.52), (-0.2, -0.42), (-0.4, -0.06)], "#22402f")
    for dx in (0, 0.12):
        c.stroke([(0.05 + dx, -0.05), (0.75 + dx, -0.98)], "#8a3b1e", 0.05, curve=False)
    c.dots(c.scatter(12, -0.05, -0.05, 0.5, 0.14), 0.028, "#57a03c")
