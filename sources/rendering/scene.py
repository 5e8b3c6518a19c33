"""Sets an entity into a scene: setting, pose, clutter, light, camera."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from ...corruptions.seeding import generator
from .canvas import Canvas, Color, mix, oval, rgb, smooth, tint
from .catalogue import Entity

Style = Literal["gallery", "query"]
"""``gallery`` is tidy; ``query`` is snapped: off-centre, tilted, cluttered, partly hidden, in harder light."""

OVERSAMPLING = 2
WALLS = ("#e8dcc8", "#cfe0e6", "#d9e4cd", "#f0d9cf", "#c9cede", "#e9e4da", "#b9cfc4", "#e6cfa6")
WOODS = ("#b07a48", "#8d5a34", "#c79a66", "#6f4a30", "#d3ac7c")
CLOTHS = ("#c8443c", "#3f74b5", "#3f8f6b", "#d9a336", "#7d5aa0", "#e08aa0", "#4a4f63")


@dataclass(frozen=True)
class Setting:
    """Where an entity is.

    ``view`` is ``side`` (things stand on a ground), ``top`` (seen from above) or ``float`` (no ground); ``phrases``
    say the place in a caption; ``props`` is the clutter that may lie around.
    """

    paint: Callable[[Canvas], None]
    view: Literal["side", "top", "float"]
    phrases: tuple[str, ...]
    props: tuple[str, ...]


@dataclass(frozen=True)
class Scene:
    """A rendering with the words a truthful caption needs: ``image`` uint8 [h, w, 3], colour name, place phrase."""

    image: np.ndarray
    tone: str
    place: str


def _pick(c: Canvas, options: tuple[str, ...]) -> Color:
    base = rgb(options[int(c.rng.integers(len(options)))])
    return tint(base, float(c.rng.uniform(-0.12, 0.12)))


def _ramp(c: Canvas, top: str | Color, bottom: str | Color, y0: float = -1.0, y1: float = 1.0) -> None:
    """Fills the rows between the heights ``y0`` and ``y1`` (-1 top, 1 bottom) with a vertical colour gradient."""
    height = c.alpha.shape[0]
    low, high = round((y0 + 1) / 2 * height), round((y1 + 1) / 2 * height)
    share = np.linspace(0, 1, max(1, high - low), dtype=np.float32)[:, None, None]
    a, b = np.asarray(rgb(top), np.float32), np.asarray(rgb(bottom), np.float32)
    c.color[low:high] = a + (b - a) * share
    c.alpha[low:high] = 1


def _flat(c: Canvas, points: np.ndarray | list[tuple[float, float]], color: str | Color, opacity: float = 1.0) -> None:
    c.polygon(points, color, shade=0, line=0, opacity=opacity)


def _clouds(c: Canvas, count: int, low: float = -0.9, high: float = -0.3) -> None:
    for _ in range(count):
        x, y, s = c.rng.uniform(-1.2, 1.2), c.rng.uniform(low, high), c.rng.uniform(0.1, 0.22)
        for dx, dy, r in ((-1, 0, 0.8), (0, -0.35, 1.0), (1, 0, 0.75), (0, 0.15, 0.9)):
            _flat(c, oval(x + dx * s, y + dy * s, r * s, r * s * 0.6), "#ffffff", 0.8)


def _hills(c: Canvas, y: float, color: str | Color, height: float = 0.2) -> None:
    knots = [(x, y - c.rng.uniform(0, height)) for x in np.linspace(-1.6, 1.6, 7)]
    _flat(c, np.concatenate([smooth(knots, False), [(1.6, 1.0), (-1.6, 1.0)]]), color)


def _boards(c: Canvas, color: Color, top: float, step: float) -> None:
    """Horizontal wooden boards with a little grain, from the height ``top`` down."""
    y = top
    while y < 1:
        shade = tint(color, float(c.rng.uniform(-0.1, 0.1)))
        c.rect(-1.6, y, 1.6, y + step, shade, shade=0, line=0)
        for _ in range(3):
            gy, gx = c.rng.uniform(y, y + step), c.rng.uniform(-1.5, 1.2)
            c.stroke([(gx, gy), (gx + c.rng.uniform(0.2, 0.7), gy)], tint(shade, -0.12), 0.008, curve=False)
        c.stroke([(-1.6, y), (1.6, y)], tint(color, -0.35), 0.012, curve=False)
        y += step


def _wall(c: Canvas, bottom: float) -> None:
    """A plain, striped or dotted wall, perhaps with a window or a picture."""
    color = _pick(c, WALLS)
    _ramp(c, tint(color, 0.1), tint(color, -0.08), -1, bottom)
    kind = c.rng.integers(4)
    if kind == 1:
        for x in np.arange(-1.5, 1.5, 0.24):
            c.rect(x, -1, x + 0.12, bottom, tint(color, -0.08), shade=0, line=0)
    elif kind == 2:
        c.dots(
            [
                (x + 0.1 * (k % 2), y)
                for k, y in enumerate(np.arange(-0.95, bottom, 0.16))
                for x in np.arange(-1.4, 1.4, 0.2)
            ],
            0.03,
            tint(color, -0.12),
        )
    if c.rng.random() < 0.5:
        x = c.rng.choice([-1, 1]) * c.rng.uniform(0.5, 0.9)
        if c.rng.random() < 0.5:
            c.rect(x - 0.28, -0.9, x + 0.28, -0.25, "#f4f1ea")
            c.rect(x - 0.23, -0.85, x + 0.23, -0.3, "#a9d3ea", shade=0.3)
            c.rect(x - 0.02, -0.85, x + 0.02, -0.3, "#f4f1ea", line=0)
        else:
            c.rect(x - 0.22, -0.8, x + 0.22, -0.4, _pick(c, WOODS))
            c.rect(x - 0.17, -0.75, x + 0.17, -0.45, _pick(c, CLOTHS), shade=0.4)


def _table(c: Canvas) -> None:
    _wall(c, 0.45)
    _boards(c, _pick(c, WOODS), float(c.rng.uniform(0.2, 0.4)), 0.2)


def _kitchen(c: Canvas) -> None:
    tile = _pick(c, ("#f2f1ec", "#dfeaea", "#cfe0d6"))
    _ramp(c, tile, tint(tile, -0.08))
    for x in np.arange(-1.5, 1.5, 0.27):
        c.stroke([(x, -1), (x, 0.4)], tint(tile, -0.22), 0.012, curve=False)
    for y in np.arange(-1, 0.4, 0.27):
        c.stroke([(-1.5, y), (1.5, y)], tint(tile, -0.22), 0.012, curve=False)
    counter = _pick(c, ("#8e9196", "#5f646b", "#c8bfb0", "#a5764b"))
    c.rect(-1.6, 0.32, 1.6, 1.1, counter, shade=0.1, line=0)
    c.rect(-1.6, 0.32, 1.6, 0.37, tint(counter, 0.25), shade=0, line=0)
    c.dots(c.scatter(60, 0, 0.7, 1.3, 0.3), 0.01, tint(counter, 0.2))


def _room(c: Canvas) -> None:
    _wall(c, 0.45)
    _boards(c, _pick(c, WOODS), 0.35, 0.16)
    c.rect(-1.6, 0.3, 1.6, 0.36, "#f3efe6", shade=0, line=0)


def _studio(c: Canvas) -> None:
    color = _pick(c, (*WALLS, "#8fa7bd", "#9a8fa8", "#7f8c83"))
    _ramp(c, tint(color, 0.15), tint(color, -0.15), -1, 0.4)
    _ramp(c, tint(color, -0.05), tint(color, 0.2), 0.4, 1)


def _stage(c: Canvas) -> None:
    color = _pick(c, ("#8d1f2a", "#27406e", "#3c2a55"))
    for x in np.arange(-1.6, 1.6, 0.2):
        c.rect(x, -1, x + 0.2, 0.5, color, shade=0.5, line=0)
    _boards(c, _pick(c, WOODS), 0.4, 0.14)
    for x in (-0.7, 0.7):
        _flat(
            c, [(x * 0.9 - 0.08, -1), (x * 0.9 + 0.08, -1), (x * 0.2 + 0.5, 0.9), (x * 0.2 - 0.5, 0.9)], "#fff3c4", 0.16
        )


def _meadow(c: Canvas) -> None:
    _ramp(c, _pick(c, ("#7fb9e6", "#9cc8e8", "#f2c79a")), "#e6f2f6")
    _clouds(c, int(c.rng.integers(0, 4)))
    green = _pick(c, ("#6fae4a", "#86b84f", "#5c9a48"))
    _hills(c, 0.15, tint(green, 0.25))
    _hills(c, 0.32, green, 0.08)
    for x, y in c.scatter(60, 0, 0.75, 1.5, 0.4):
        c.stroke([(x, y), (x + 0.02, y - 0.09)], tint(green, float(c.rng.uniform(-0.3, 0.25))), 0.015, curve=False)
    c.dots(c.scatter(14, 0, 0.75, 1.4, 0.3), 0.02, _pick(c, ("#ffffff", "#f7d94c", "#e58ab0")))


def _garden(c: Canvas) -> None:
    _ramp(c, "#a9d2ec", "#eaf4f6")
    hedge = _pick(c, ("#3f7a3c", "#4d8a45"))
    for x in np.arange(-1.5, 1.6, 0.2):
        c.ellipse(
            x, c.rng.uniform(-0.2, 0), 0.3, 0.4, color=tint(hedge, float(c.rng.uniform(-0.12, 0.12))), line=0, shade=0.3
        )
    if c.rng.random() < 0.6:
        fence = _pick(c, ("#f2efe6", "#a9794c"))
        for x in np.arange(-1.5, 1.5, 0.22):
            c.polygon([(x, -0.2), (x + 0.07, -0.3), (x + 0.14, -0.2), (x + 0.14, 0.4), (x, 0.4)], fence, line=0.012)
        c.rect(-1.6, 0, 1.6, 0.08, fence, line=0.012)
    grass = _pick(c, ("#79b457", "#6aa34c"))
    c.rect(-1.6, 0.3, 1.6, 1.1, grass, shade=0.1, line=0)
    for x, y in c.scatter(70, 0, 0.7, 1.5, 0.35):
        c.stroke([(x, y), (x + 0.02, y - 0.08)], tint(grass, float(c.rng.uniform(-0.3, 0.2))), 0.014, curve=False)


def _beach(c: Canvas) -> None:
    _ramp(c, _pick(c, ("#79bdea", "#f0b48a", "#a8d4ea")), "#eaf3f2", -1, 0)
    _clouds(c, int(c.rng.integers(0, 3)))
    _ramp(c, "#2f86b5", "#7cc6cf", -0.1, 0.32)
    for x, y in c.scatter(16, 0, 0.1, 1.4, 0.16):
        c.stroke([(x, y), (x + 0.1, y - 0.015), (x + 0.2, y)], "#ffffff", 0.012, opacity=0.6)
    sand = _pick(c, ("#ecd6a2", "#e2c58c"))
    knots = [(x, 0.32 + c.rng.uniform(-0.04, 0.04)) for x in np.linspace(-1.6, 1.6, 8)]
    _flat(c, np.concatenate([smooth(knots, False), [(1.6, 1.1), (-1.6, 1.1)]]), sand)
    c.dots(c.scatter(70, 0, 0.7, 1.5, 0.32), 0.01, tint(sand, -0.2))


def _street(c: Canvas) -> None:
    _ramp(c, _pick(c, ("#9cc4e0", "#c3ccd4", "#f0c9a0")), "#eef2f3")
    x = -1.6
    while x < 1.5:
        width, top = c.rng.uniform(0.25, 0.5), c.rng.uniform(-0.85, -0.2)
        color = _pick(c, ("#b08c78", "#8d97a5", "#c9b79c", "#a3a9a0", "#b56f5a"))
        c.rect(x, top, x + width, 0.4, color, line=0.01, shade=0.1)
        for wy in np.arange(top + 0.08, 0.15, 0.16):
            for wx in np.arange(x + 0.06, x + width - 0.1, 0.13):
                c.rect(wx, wy, wx + 0.07, wy + 0.09, mix("#f7e3a0", "#55708c", float(c.rng.random())), shade=0, line=0)
        x += width
    c.rect(-1.6, 0.3, 1.6, 0.4, "#b9b6af", shade=0, line=0)
    _ramp(c, "#6b6e73", "#55585d", 0.4, 1)
    for x in np.arange(-1.5, 1.5, 0.5):
        c.rect(x, 0.66, x + 0.25, 0.7, "#e9e4cf", shade=0, line=0)


def _brick(c: Canvas) -> None:
    color = _pick(c, ("#a8543c", "#8f4a3c", "#b9a08c", "#7c7f86"))
    _ramp(c, tint(color, 0.25), tint(color, 0.15))
    for row, y in enumerate(np.arange(-1, 0.4, 0.14)):
        for x in np.arange(-1.6 + 0.16 * (row % 2), 1.6, 0.32):
            c.rect(x, y, x + 0.3, y + 0.12, tint(color, float(c.rng.uniform(-0.15, 0.1))), shade=0, line=0)
    _ramp(c, "#b5b2aa", "#8f8d88", 0.38, 1)
    for x in np.arange(-1.5, 1.6, 0.5):
        c.stroke([(x, 0.4), (x * 1.6, 1)], "#807e79", 0.012, curve=False)


def _snow(c: Canvas) -> None:
    _ramp(c, _pick(c, ("#b9cfe2", "#9fb6d0", "#d3dbe4")), "#f2f6f9")
    _hills(c, 0.05, "#dfe9f1", 0.3)
    for x in np.arange(-1.4, 1.5, 0.3) + c.rng.uniform(-0.1, 0.1):
        s = c.rng.uniform(0.12, 0.24)
        for k in range(3):
            _flat(
                c,
                [
                    (x, 0.1 - s * (2 - k * 0.4)),
                    (x + s * (0.4 + k * 0.2), 0.1 - s * (1.1 - k * 0.5)),
                    (x - s * (0.4 + k * 0.2), 0.1 - s * (1.1 - k * 0.5)),
                ],
                "#6c8a84",
            )
    _hills(c, 0.36, "#f7fafc", 0.1)
    c.dots(c.scatter(50, 0, 0, 1.4, 1), 0.014, "#ffffff")


def _desert(c: Canvas) -> None:
    _ramp(c, _pick(c, ("#8cc3e6", "#f2b17c", "#bfd8e8")), "#fbe8c8")
    c.ellipse(float(c.rng.uniform(-0.9, 0.9)), -0.7, 0.14, color="#fff3c0", line=0, shade=0)
    _hills(c, 0.2, "#e3b877", 0.25)
    _hills(c, 0.42, "#d9a661", 0.12)
    for y in np.arange(0.5, 1, 0.12):
        c.stroke([(x, y + c.rng.uniform(-0.03, 0.03)) for x in np.linspace(-1.4, 1.4, 8)], "#c7934f", 0.012)


def _night(c: Canvas) -> None:
    _ramp(c, "#101a3a", "#3b4a7a")
    c.dots(c.scatter(50, 0, -0.4, 1.5, 0.6), 0.01, "#f7f3d8")
    x = float(c.rng.uniform(-0.9, 0.9))
    c.ellipse(x, -0.7, 0.15, color="#f5efcf", line=0, shade=0.1)
    _hills(c, 0.25, "#22304f", 0.25)
    _hills(c, 0.42, "#2c3f4c", 0.08)


def _water(c: Canvas) -> None:
    _ramp(c, _pick(c, ("#5cc0dc", "#3fa5cf", "#63c4b8")), _pick(c, ("#0f4f86", "#14607a")))
    for x in c.rng.uniform(-1.2, 1.2, 4):
        _flat(c, [(x, -1), (x + 0.15, -1), (x + 0.5, 1), (x + 0.1, 1)], "#ffffff", 0.1)
    _hills(c, 0.95, "#c9b98a", 0.15)


def _sea(c: Canvas) -> None:
    _ramp(c, _pick(c, ("#86c0e8", "#f3b98c", "#b7cfe0")), "#edf4f4", -1, 0.3)
    _clouds(c, int(c.rng.integers(1, 4)))
    _ramp(c, "#2c7fae", "#1b5b86", 0.25, 1)
    for x, y in c.scatter(36, 0, 0.65, 1.5, 0.38):
        c.stroke([(x - 0.1, y), (x, y - 0.03), (x + 0.1, y)], "#bfe0ea", 0.014, opacity=0.7)


def _sky(c: Canvas) -> None:
    _ramp(c, _pick(c, ("#4f9fde", "#7fb6e6", "#f0a878", "#6a86c4")), "#e4f1f8")
    _clouds(c, int(c.rng.integers(2, 6)), -0.9, 0.9)


def _planks(c: Canvas) -> None:
    _boards(c, _pick(c, WOODS), -1, float(c.rng.uniform(0.22, 0.4)))


def _checked(c: Canvas) -> None:
    color, step = _pick(c, CLOTHS), float(c.rng.uniform(0.2, 0.34))
    _ramp(c, "#f7f4ec", "#efeae0")
    for x in np.arange(-1.6, 1.6, 2 * step):
        c.rect(x, -1.1, x + step, 1.1, color, shade=0, line=0, opacity=0.5)
    for y in np.arange(-1.1, 1.1, 2 * step):
        c.rect(-1.6, y, 1.6, y + step, color, shade=0, line=0, opacity=0.5)


def _dotted(c: Canvas) -> None:
    color, step = _pick(c, CLOTHS), float(c.rng.uniform(0.2, 0.34))
    _ramp(c, color, tint(color, -0.1))
    places = [
        (x + step / 2 * (k % 2), y) for k, y in enumerate(np.arange(-1, 1.1, step)) for x in np.arange(-1.5, 1.6, step)
    ]
    c.dots(places, step * 0.2, "#f8f4ea")


def _striped(c: Canvas) -> None:
    first, second = _pick(c, CLOTHS), _pick(c, WALLS)
    _ramp(c, second, second)
    step, lean = float(c.rng.uniform(0.12, 0.28)), float(c.rng.uniform(-0.6, 0.6))
    for x in np.arange(-2.4, 2.4, 2 * step):
        _flat(c, [(x - lean, -1.1), (x + step - lean, -1.1), (x + step + lean, 1.1), (x + lean, 1.1)], first)


def _marble(c: Canvas) -> None:
    color = _pick(c, ("#eeedea", "#dfe3e6", "#4b4f55"))
    _ramp(c, tint(color, 0.05), tint(color, -0.06))
    for _ in range(7):
        x, y = c.rng.uniform(-1.5, 1), c.rng.uniform(-1, 1)
        path = [(x + 0.25 * k, y + c.rng.uniform(-0.15, 0.15) + 0.08 * k) for k in range(5)]
        c.stroke(path, tint(color, -0.2), float(c.rng.uniform(0.008, 0.025)), opacity=0.6)


def _lawn(c: Canvas) -> None:
    green = _pick(c, ("#6fae4a", "#5c9a48", "#86a84f"))
    _ramp(c, green, tint(green, -0.12))
    for x, y in c.scatter(170, 0, 0, 1.6, 1.3):
        dx, color = c.rng.uniform(-0.05, 0.05), tint(green, float(c.rng.uniform(-0.3, 0.25)))
        c.stroke([(x, y), (x + dx, y - 0.11)], color, 0.016, curve=False)


def _foliage(c: Canvas) -> None:
    green = _pick(c, ("#4f8a45", "#3f7a4a", "#6a9a4a"))
    _ramp(c, tint(green, -0.35), tint(green, -0.45))
    for x, y in c.scatter(70, 0, 0, 1.6, 1.3):
        c.ellipse(
            x,
            y,
            0.2,
            0.09,
            color=tint(green, float(c.rng.uniform(-0.3, 0.25))),
            angle=float(c.rng.uniform(0, 180)),
            line=0.01,
        )


INDOOR = ("book", "box", "bottle", "pencil", "ball", "pot")
OUTDOOR = ("stone", "leaf", "bush", "tuft", "ball")
FLAT = ("leaf", "pencil", "book", "coin", "stone")
SETTINGS: dict[str, Setting] = {
    "table": Setting(
        _table, "side", ("on a wooden table", "on a table in front of a wall", "on a table at home"), INDOOR
    ),
    "kitchen": Setting(_kitchen, "side", ("on a kitchen counter", "in a tiled kitchen", "in the kitchen"), INDOOR),
    "room": Setting(_room, "side", ("in a living room", "on a wooden floor", "indoors"), INDOOR),
    "studio": Setting(
        _studio, "side", ("in front of a plain backdrop", "in a studio", "against a plain wall"), ("box", "ball")
    ),
    "stage": Setting(_stage, "side", ("on a stage", "in front of a stage curtain"), ("box",)),
    "meadow": Setting(
        _meadow, "side", ("in a green meadow", "in front of green hills", "out in the countryside"), OUTDOOR
    ),
    "garden": Setting(_garden, "side", ("in a garden", "in front of a hedge", "in a back garden"), OUTDOOR),
    "beach": Setting(_beach, "side", ("on a sandy beach", "by the sea", "at the seaside"), ("stone", "ball", "leaf")),
    "street": Setting(
        _street, "side", ("in a city street", "on the road", "in town"), ("box", "bottle", "leaf", "ball")
    ),
    "brick": Setting(_brick, "side", ("in front of a brick wall", "on the pavement"), ("box", "bottle", "pot", "ball")),
    "snow": Setting(_snow, "side", ("in the snow", "on a winter day"), ("stone", "ball")),
    "desert": Setting(_desert, "side", ("in the desert", "among sand dunes"), ("stone", "tuft")),
    "night": Setting(_night, "side", ("at night", "under a starry sky"), ("stone", "bush")),
    "water": Setting(_water, "float", ("under water", "in clear blue water", "near the sea floor"), ("bubble", "weed")),
    "sea": Setting(_sea, "side", ("on the open sea", "on the water"), ("bubble",)),
    "sky": Setting(_sky, "float", ("in the sky", "high above the clouds", "up in the air"), ("leaf",)),
    "planks": Setting(_planks, "top", ("on wooden planks", "on wooden boards"), FLAT),
    "checked": Setting(_checked, "top", ("on a checked tablecloth", "on a checked cloth"), FLAT),
    "dotted": Setting(_dotted, "top", ("on a dotted cloth", "on polka-dot fabric"), FLAT),
    "striped": Setting(_striped, "top", ("on a striped blanket", "on striped fabric"), FLAT),
    "marble": Setting(_marble, "top", ("on a marble slab", "on a stone worktop"), FLAT),
    "lawn": Setting(_lawn, "top", ("on the grass", "lying on a lawn"), ("leaf", "stone", "tuft")),
    "foliage": Setting(_foliage, "float", ("among green leaves", "in front of dense foliage"), ("leaf", "tuft")),
}


def _prop(c: Canvas, kind: str) -> None:
    """One piece of clutter, in the box from -1 to 1."""
    color = _pick(c, CLOTHS)
    if kind == "book":
        c.rect(-0.7, -0.3, 0.7, 0.3, color)
        c.rect(-0.66, 0.3, 0.66, 0.44, "#f1ead8")
        c.rect(-0.4, -0.12, 0.4, 0.0, tint(color, 0.5), line=0)
    elif kind == "box":
        c.polygon([(-0.6, -0.4), (0.5, -0.4), (0.5, 1), (-0.6, 1)], "#b98d5a")
        c.polygon([(0.5, -0.4), (0.85, -0.6), (0.85, 0.7), (0.5, 1)], "#94693e")
        c.polygon([(-0.6, -0.4), (-0.25, -0.6), (0.85, -0.6), (0.5, -0.4)], "#d3ad7c")
    elif kind == "bottle":
        c.blob(
            [(-0.1, -1), (0.1, -1), (0.13, -0.4), (0.34, 0), (0.36, 0.95), (-0.36, 0.95), (-0.34, 0), (-0.13, -0.4)],
            color,
            shade=0.5,
        )
        c.rect(-0.34, 0.2, 0.34, 0.65, "#f2ecdc", line=0)
    elif kind == "pencil":
        c.polygon([(-0.8, -0.09), (0.65, -0.09), (0.65, 0.09), (-0.8, 0.09)], color)
        c.polygon([(0.65, -0.09), (1, 0), (0.65, 0.09)], "#ecd2a2")
        c.rect(-0.98, -0.09, -0.8, 0.09, "#e29aa2")
    elif kind == "ball":
        c.ellipse(0, 0.3, 0.7, color=color, shade=0.45, ball=True)
    elif kind == "pot":
        for angle in (-150, -120, -90, -60, -30):
            x, y = 0.8 * np.cos(np.radians(angle)), 0.95 * np.sin(np.radians(angle))
            c.outlined([(0, 0.2), (x * 0.4, y * 0.7), (x, y)], "#5a9a4e", 0.14)
        c.polygon([(-0.5, 0.15), (0.5, 0.15), (0.36, 1), (-0.36, 1)], "#b9653c")
    elif kind == "stone":
        c.blob(
            [(-0.9, 0.8), (-0.6, 0.1), (0, -0.1), (0.6, 0.2), (0.9, 0.8), (0, 0.95)],
            _pick(c, ("#8d8c88", "#77716a", "#a59c8e")),
            shade=0.4,
        )
    elif kind == "leaf":
        c.blob([(-0.9, 0.3), (-0.2, -0.4), (0.9, -0.3), (0.2, 0.4)], _pick(c, ("#5d9a48", "#c7873a", "#a8462c")))
        c.stroke([(-0.9, 0.3), (0.7, -0.25)], "#4a3a20", 0.04, curve=False)
    elif kind == "bush":
        for x, y in ((-0.5, 0.5), (0.5, 0.5), (0, 0.1)):
            c.ellipse(x, y, 0.5, color=_pick(c, ("#4a8a42", "#5f9a4c")), shade=0.35, ball=True)
    elif kind == "tuft":
        for x in np.linspace(-0.5, 0.5, 7):
            c.outlined([(x * 0.5, 1), (x, 0), (x * 1.6, -0.8 + abs(x))], _pick(c, ("#5c9a48", "#7aae4c")), 0.1)
    elif kind == "coin":
        c.ellipse(0, 0, 0.5, color=_pick(c, ("#d9b23c", "#b9bcc2", "#b5723c")), shade=0.4)
        c.ellipse(0, 0, 0.38, color="#d9b23c", line=0.02, opacity=0.3)
    elif kind == "bubble":
        for x, y in c.scatter(5, 0, 0, 0.8, 0.8):
            c.ellipse(x, y, 0.18, color="#d9f2fa", shade=0.3, ball=True, opacity=0.6)
    elif kind == "weed":
        for x in (-0.4, 0, 0.4):
            c.outlined(
                [(x, 1), (x + 0.15, 0.4), (x - 0.15, -0.2), (x + 0.1, -0.9)], _pick(c, ("#2f7a4c", "#58863c")), 0.14
            )


def _affine(
    scale: float, angle: float, x: float, y: float, *, stretch: float = 1.0, shear: float = 0.0, flip: bool = False
) -> np.ndarray:
    """The matrix [2, 3] that scales, shears, turns by ``angle`` degrees and moves to (x, y)."""
    a = np.radians(angle)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    form = np.array([[stretch * (-1 if flip else 1), shear], [0, 1 / stretch]])
    return np.column_stack([turn @ form * scale, (x, y)])


def _seat(layer: Canvas, ground: int) -> None:
    """Moves a layer up or down until its lowest part touches the row ``ground``."""
    rows = np.flatnonzero(layer.alpha.max(1) > 0.5)
    down = ground - int(rows[-1])
    move = np.array([[1.0, 0, 0], [0, 1, down]])
    size = layer.alpha.shape[::-1]
    layer.color, layer.alpha = cv2.warpAffine(layer.color, move, size), cv2.warpAffine(layer.alpha, move, size)


def _cast_shadow(scene: np.ndarray, layer: Canvas, setting: Setting, base: float, strength: float) -> None:
    """Darkens ``scene`` in place where the layer throws its shadow."""
    height, width = layer.alpha.shape
    unit = min(height, width)
    if setting.view == "side":
        slant = 0.9 * layer.light[0]
        shadow = np.array([[1, -slant, slant * base], [0, 0.22, 0.78 * base]])
    else:
        shadow = np.array([[1, 0, -0.05 * unit * layer.light[0]], [0, 1, -0.05 * unit * layer.light[1]]])
    small = cv2.warpAffine(layer.alpha, shadow, (width, height))
    small = cv2.blur(cv2.blur(small, (unit // 24 | 1, unit // 24 | 1)), (unit // 32 | 1, unit // 32 | 1))
    scene *= 1 - strength * small[..., None]


def _relight(image: np.ndarray, style: Style, rng: np.random.Generator) -> np.ndarray:
    """Exposure, colour cast, uneven light, vignette and sensor noise; float32 in and out."""
    height, width = image.shape[:2]
    hard = style == "query"
    x = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    direction, depth = rng.uniform(0, 2 * np.pi), rng.uniform(0.05, 0.38 if hard else 0.12)
    field = 1 - depth * (x * np.cos(direction) + y * np.sin(direction))
    field *= 1 - rng.uniform(0.05, 0.3 if hard else 0.12) * (x * x + y * y) / 2
    gain = rng.uniform(0.68, 1.18) if hard else rng.uniform(0.92, 1.08)
    cast = 1 + rng.uniform(-1, 1) * np.array([0.1, 0.01, -0.12] if hard else [0.03, 0, -0.03], np.float32)
    image = image * (field[..., None] * gain * cast)
    if hard:
        image = image + rng.normal(0, rng.uniform(0.5, 3.5), image.shape).astype(np.float32)
    return image


def _camera(image: np.ndarray, style: Style, rng: np.random.Generator) -> np.ndarray:
    """A tilted, slightly slanted view; the border is mirrored."""
    height, width = image.shape[:2]
    reach = 0.07 if style == "query" else 0.015
    angle = rng.uniform(-11, 11) if style == "query" else rng.uniform(-2, 2)
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    centre = np.array([width / 2, height / 2])
    turned = (corners - centre) @ _affine(1.04, angle, 0, 0)[:, :2].T + centre
    moved = turned + rng.uniform(-reach, reach, (4, 2)) * (width, height)
    matrix = cv2.getPerspectiveTransform(corners, moved.astype(np.float32))
    return cv2.warpPerspective(image, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)


def _place_props(layer: Canvas, setting: Setting, count: int, ground: float, spread: float) -> None:
    """Draws ``count`` pieces of clutter around the middle of the picture."""
    height, width = layer.alpha.shape
    unit, rng, keep = min(height, width) / 2, layer.rng, layer.matrix
    for _ in range(count):
        size = rng.uniform(0.16, 0.3)
        side = rng.choice([-1, 1]) * rng.uniform(0.5, 1.0) * spread
        if setting.view == "side":
            x, y, angle = width / 2 + side * width / 2, ground - size * unit * rng.uniform(0.5, 1.2), rng.uniform(-8, 8)
        else:
            x, y, angle = width / 2 + side * width / 2, rng.uniform(0.1, 0.95) * height, rng.uniform(0, 360)
        layer.matrix = _affine(size * unit, angle, x, y)
        layer.scale = size * unit
        _prop(layer, setting.props[int(rng.integers(len(setting.props)))])
    layer.matrix, layer.scale = keep, float(np.sqrt(abs(np.linalg.det(keep[:, :2]))))


def render(entity: Entity, key: str, *, style: Style = "gallery", side: int = 288, seed: int = 0) -> Scene:
    """Draws one picture of an entity.

    Args:
        entity: what to draw.
        key: names the picture; (seed, entity, key, style) decides every draw.
        style: tidy ``gallery`` or snapped ``query``.
        side: mean side in pixels; the aspect ratio varies between 4:5 and 5:4.
    """
    rng = generator(seed, f"{entity.name}/{key}", f"render-{style}")
    snapped = style == "query"
    aspect = float(np.exp(rng.uniform(-0.22, 0.22)))
    width, height = round(side * aspect**0.5), round(side / aspect**0.5)
    big_width, big_height = width * OVERSAMPLING, height * OVERSAMPLING
    setting = SETTINGS[entity.category.scenes[int(rng.integers(len(entity.category.scenes)))]]
    tones = (*entity.tones.items(), *(("", color) for color in entity.plain))
    tone, color = tones[int(rng.integers(len(tones)))]
    place = setting.phrases[int(rng.integers(len(setting.phrases)))]
    light = (rng.choice([-1, 1]) * rng.uniform(0.35, 0.9), -rng.uniform(0.5, 1.0))

    backdrop = Canvas(big_width, big_height, _affine(big_height / 2, 0, big_width / 2, big_height / 2), rng, light)
    setting.paint(backdrop)
    scene: np.ndarray = backdrop.color

    unit = min(big_width, big_height) / 2
    size = unit * (rng.uniform(0.46, 0.72) if snapped else rng.uniform(0.62, 0.84))
    x = big_width / 2 + unit * (rng.uniform(-0.36, 0.36) if snapped else rng.uniform(-0.12, 0.12))
    ground = big_height * rng.uniform(0.8, 0.93)
    if setting.view == "side":
        y, angle = ground - size, rng.uniform(-7, 7) if snapped else rng.uniform(-3, 3)
    else:
        y = big_height / 2 + unit * (rng.uniform(-0.3, 0.3) if snapped else rng.uniform(-0.1, 0.1))
        reach = {"top": 45, "float": 14}[setting.view]
        angle = rng.uniform(-reach, reach)
    matrix = _affine(
        size, angle, x, y, stretch=rng.uniform(0.92, 1.08), shear=rng.uniform(-0.08, 0.08), flip=rng.random() < 0.5
    )

    behind = Canvas(big_width, big_height, matrix, rng, light)
    _place_props(behind, setting, int(rng.integers(1, 5) if snapped else rng.integers(0, 2)), ground, 1.0)
    layer = Canvas(big_width, big_height, matrix, rng, light)
    entity.draw(layer, tint(color, float(rng.uniform(-0.12, 0.12))))
    if setting.view == "side":
        _seat(layer, round(ground))
    front = Canvas(big_width, big_height, matrix, rng, light)
    if snapped and rng.random() < 0.45:
        _place_props(front, setting, 1, ground + 0.12 * unit, 0.55)
    strength = rng.uniform(0.3, 0.55) if snapped else rng.uniform(0.15, 0.35)
    for part, base in ((behind, ground), (layer, ground), (front, ground + 0.12 * unit)):
        if setting.view != "float":
            _cast_shadow(scene, part, setting, base, strength)
        scene = scene * (1 - part.alpha[..., None]) + part.color

    scene = _camera(scene, style, rng)
    if snapped and rng.random() < 0.3:
        scene = cv2.GaussianBlur(scene, (0, 0), float(rng.uniform(0.002, 0.006)) * big_width)
    scene = cv2.resize(scene, (width, height), interpolation=cv2.INTER_AREA)
    return Scene(np.clip(np.rint(_relight(scene, style, rng)), 0, 255).astype(np.uint8), tone, place)
