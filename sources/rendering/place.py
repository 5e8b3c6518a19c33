"""Buildings and landscapes, one function each; ``tone`` is the main colour."""

from __future__ import annotations

import numpy as np

from .canvas import Canvas, Color, mirror, oval, smooth, tint, xy

STONE = "#a9a49a"
DARK = "#3a2f2a"
ROOF = "#a8482f"
PANE = "#f5d77c"


def _door(c: Canvas, x: float, bottom: float, w: float, h: float, color: str = "#6f4426") -> None:
    c.polygon(
        np.concatenate([[(x + w, bottom), (x - w, bottom)], oval(x, bottom - h + w, w, start=180, stop=360)]), color
    )


def _window(c: Canvas, x: float, y: float, w: float, h: float) -> None:
    c.rect(x - w, y - h, x + w, y + h, PANE, line=0.02)
    c.stroke([(x, y - h), (x, y + h)], DARK, 0.014, curve=False)
    c.stroke([(x - w, y), (x + w, y)], DARK, 0.014, curve=False)


def lighthouse(c: Canvas, tone: Color) -> None:
    c.blob(xy("-0.75,1 -0.5,0.75 0.1,0.7 0.6,0.8 0.8,1"), "#7d766d")
    c.polygon([(-0.3, 0.82), (-0.2, -0.52), (0.2, -0.52), (0.3, 0.82)], "#f6f4ee", shade=0.3)
    for k in range(3):
        y0, y1 = -0.4 + 0.42 * k, -0.19 + 0.42 * k
        h0, h1 = 0.2 + 0.1 * (y0 + 0.52) / 1.34, 0.2 + 0.1 * (y1 + 0.52) / 1.34
        c.polygon([(-h0, y0), (h0, y0), (h1, y1), (-h1, y1)], tone, shade=0.3, line=0)
    _door(c, 0, 0.82, 0.08, 0.24)
    c.rect(-0.28, -0.58, 0.28, -0.5, DARK)
    c.rect(-0.15, -0.8, 0.15, -0.58, "#fbe58c")
    for x in (-0.05, 0.05):
        c.stroke([(x, -0.8), (x, -0.58)], DARK, 0.018, curve=False)
    c.polygon(oval(0, -0.8, 0.2, 0.17, start=180, stop=360), tone)
    c.stroke([(0, -0.97), (0, -1.0)], DARK, 0.03, curve=False)
    for side in (-1, 1):
        c.polygon(
            [(side * 0.16, -0.7), (side * 0.95, -0.88), (side * 0.95, -0.52)], "#fff3b0", line=0, shade=0, opacity=0.4
        )


def castle(c: Canvas, tone: Color) -> None:
    for x, top, w in ((-0.72, -0.45, 0.22), (0.72, -0.45, 0.22), (0, -0.75, 0.24)):
        c.rect(x - w, top, x + w, 0.98, tone, shade=0.3)
        for k in (-1, 0, 1):
            c.rect(x + k * w * 0.72 - 0.06, top - 0.12, x + k * w * 0.72 + 0.06, top + 0.02, tone, line=0.018)
        c.rect(x - 0.04, top + 0.22, x + 0.04, top + 0.46, DARK, radius=0.03)
        c.stroke([(x, top - 0.1), (x, top - 0.26)], DARK, 0.02, curve=False)
        c.polygon([(x, top - 0.26), (x + 0.16, top - 0.2), (x, top - 0.14)], "#c8322c")
    c.rect(-0.6, 0.1, 0.6, 0.98, tint(tone, 0.1), shade=0.2)
    for x in np.arange(-0.54, 0.6, 0.2):
        c.rect(x - 0.05, 0.0, x + 0.05, 0.12, tint(tone, 0.1), line=0.018)
    _door(c, 0, 0.98, 0.2, 0.55)
    for x in (-0.1, 0, 0.1):
        c.stroke([(x, 0.5), (x, 0.98)], DARK, 0.018, curve=False)
    for x, y in ((-0.42, 0.4), (0.4, 0.55), (-0.4, 0.75), (0.44, 0.3), (-0.75, 0.6), (0.76, 0.7)):
        c.rect(x - 0.07, y, x + 0.07, y + 0.06, tint(tone, -0.15), line=0)


def windmill(c: Canvas, tone: Color) -> None:
    c.polygon([(-0.42, 0.98), (-0.26, -0.3), (0.26, -0.3), (0.42, 0.98)], tone, shade=0.3)
    c.polygon(oval(0, -0.28, 0.3, 0.3, start=180, stop=360), ROOF)
    _door(c, 0, 0.98, 0.1, 0.34)
    _window(c, 0, 0.25, 0.08, 0.1)
    turn = c.rng.uniform(0, 90)
    for a in np.radians(np.arange(4) * 90 + turn):
        along, across = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
        hub = np.array([0, -0.25])
        c.polygon(
            [
                hub + along * 0.14,
                hub + along * 0.74,
                hub + along * 0.74 + across * 0.2,
                hub + along * 0.14 + across * 0.2,
            ],
            "#f4ecd8",
            line=0.016,
        )
        for t in (0.3, 0.45, 0.6):
            c.stroke([hub + along * t, hub + along * t + across * 0.2], "#8a6238", 0.014, curve=False)
        c.stroke([hub, hub + along * 0.76], "#6b4828", 0.04, curve=False)
    c.ellipse(0, -0.25, 0.07, color=DARK)


def igloo(c: Canvas, tone: Color) -> None:
    c.polygon(oval(0, 0.7, 0.95, 1.15, start=180, stop=360), tone, shade=0.3, ball=True)
    for k, y in enumerate((0.42, 0.12, -0.16)):
        half = 0.95 * np.sqrt(1 - ((0.7 - y) / 1.15) ** 2)
        c.stroke([(-half, y), (0, y + 0.05), (half, y)], tint(tone, -0.3), 0.022)
        for x in np.arange(-0.8 + 0.14 * (k % 2), 0.85, 0.3):
            if abs(x) < half - 0.08:
                c.stroke([(x, y + 0.03), (x * 1.04, y + 0.28)], tint(tone, -0.3), 0.02, curve=False)
    _door(c, 0.28, 0.72, 0.34, 0.62, "#c4d6e2")
    _door(c, 0.3, 0.72, 0.22, 0.46, "#2f4257")


def church(c: Canvas, tone: Color) -> None:
    c.polygon(xy("-0.2,0.98 -0.2,0.1 0.3,-0.25 0.85,0.1 0.85,0.98"), tone, shade=0.2)
    c.polygon(xy("-0.25,0.14 0.3,-0.3 0.92,0.14 0.85,0.2 0.3,-0.16 -0.2,0.2"), ROOF)
    c.rect(-0.72, -0.3, -0.2, 0.98, tint(tone, 0.08), shade=0.3)
    c.polygon([(-0.78, -0.3), (-0.46, -0.82), (-0.14, -0.3)], ROOF, shade=0.3)
    c.stroke([(-0.46, -1.0), (-0.46, -0.8)], DARK, 0.035, curve=False)
    c.stroke([(-0.53, -0.94), (-0.39, -0.94)], DARK, 0.035, curve=False)
    c.ellipse(-0.46, 0.0, 0.13, color="#f6f2e6")
    c.stroke([(-0.46, -0.08), (-0.46, 0), (-0.4, 0.04)], DARK, 0.02, curve=False)
    _door(c, -0.46, 0.98, 0.12, 0.42)
    for x in (0.05, 0.35, 0.65):
        _door(c, x, 0.75, 0.08, 0.36, "#7fa9cf")


def pagoda(c: Canvas, tone: Color) -> None:
    c.rect(-0.7, 0.88, 0.7, 0.99, STONE)
    for k in range(4):
        y, w = 0.88 - 0.4 * k, 0.5 - 0.09 * k
        c.rect(-w, y - 0.28, w, y, "#efe2c4", shade=0.2)
        for x in np.linspace(-w, w, 5):
            c.rect(x - 0.025, y - 0.28, x + 0.025, y, tone, line=0.01)
        roof = [
            (-w - 0.36, y - 0.3),
            (-w - 0.12, y - 0.3),
            (-w * 0.75, y - 0.42),
            (w * 0.75, y - 0.42),
            (w + 0.12, y - 0.3),
            (w + 0.36, y - 0.3),
            (w, y - 0.22),
            (-w, y - 0.22),
        ]
        c.polygon(smooth(roof), tint(tone, -0.15), shade=0.3)
    c.stroke([(0, -0.72), (0, -1.0)], "#d9b23c", 0.05, curve=False)
    _door(c, 0, 0.88, 0.1, 0.24, DARK)


def skyscraper(c: Canvas, tone: Color) -> None:
    c.stroke([(0, -0.98), (0, -0.7)], DARK, 0.03, curve=False)
    c.rect(-0.18, -0.82, 0.18, 0.98, tone, shade=0.3)
    c.rect(-0.3, -0.55, 0.3, 0.98, tone, shade=0.3)
    c.rect(-0.44, -0.15, 0.44, 0.98, tone, shade=0.3)
    for y in np.arange(-0.76, 0.8, 0.115):
        half = 0.14 if y < -0.55 else 0.26 if y < -0.15 else 0.4
        for x in np.linspace(-half, half, 3 if half < 0.2 else 5 if half < 0.3 else 7):
            c.rect(x - 0.035, y, x + 0.035, y + 0.07, PANE if c.rng.random() < 0.35 else "#5a7a96", line=0, shade=0)
    c.rect(-0.12, 0.82, 0.12, 0.98, DARK)


def barn(c: Canvas, tone: Color) -> None:
    c.polygon(xy("-0.8,0.98 -0.8,0 -0.5,-0.45 0,-0.7 0.5,-0.45 0.8,0 0.8,0.98"), tone, shade=0.28)
    for x in np.arange(-0.7, 0.75, 0.14):
        c.stroke([(x, 0.05), (x, 0.96)], tint(tone, -0.2), 0.014, curve=False)
    c.stroke(xy("-0.92,0.08 -0.56,-0.48 0,-0.76 0.56,-0.48 0.92,0.08"), "#5f5a56", 0.1, curve=False)
    c.rect(-0.36, 0.28, 0.36, 0.98, tint(tone, -0.12), line=0)
    for a, b in (((-0.36, 0.28), (0.36, 0.98)), ((0.36, 0.28), (-0.36, 0.98)), ((0, 0.28), (0, 0.98))):
        c.stroke([a, b], "#f4efe4", 0.05, curve=False)
    c.stroke([(-0.36, 0.98), (-0.36, 0.28), (0.36, 0.28), (0.36, 0.98)], "#f4efe4", 0.06, curve=False)
    c.rect(-0.16, -0.36, 0.16, -0.06, DARK)
    c.stroke(xy("-0.16,-0.36 0.16,-0.36 0.16,-0.06 -0.16,-0.06 -0.16,-0.36"), "#f4efe4", 0.05, curve=False)


def pyramid(c: Canvas, tone: Color) -> None:
    c.polygon([(0.1, -0.75), (1.0, 0.9), (0.35, 0.98)], tint(tone, -0.3), shade=0.1)
    c.polygon([(0.1, -0.75), (0.35, 0.98), (-1.0, 0.9)], tone, shade=0.2)
    for k in range(1, 10):
        t = k / 10
        left, corner, right = (
            np.array([0.1, -0.75]) * (1 - t) + np.array(p) * t for p in ((-1.0, 0.9), (0.35, 0.98), (1.0, 0.9))
        )
        c.stroke([left, corner, right], tint(tone, -0.42), 0.016, curve=False)
    c.polygon([(-0.34, 0.95), (-0.3, 0.72), (-0.14, 0.74), (-0.12, 0.97)], DARK)


def tent(c: Canvas, tone: Color) -> None:
    c.polygon([(0.25, -0.55), (1.0, 0.75), (0.45, 0.95)], tint(tone, -0.25), shade=0.2)
    c.polygon([(0.25, -0.55), (0.45, 0.95), (-0.95, 0.95)], tone, shade=0.25)
    c.polygon([(0.22, -0.4), (0.0, 0.95), (-0.5, 0.95)], DARK)
    c.polygon([(0.22, -0.4), (-0.5, 0.95), (-0.66, 0.88)], tint(tone, 0.35))
    for a, b in (((0.25, -0.55), (0.15, -0.72)), ((1.0, 0.75), (1.05, 0.95)), ((-0.95, 0.95), (-1.02, 0.98))):
        c.stroke([a, b], "#7a5c3a", 0.035, curve=False)


def volcano(c: Canvas, tone: Color) -> None:
    for x, y, r in ((0.0, -0.72, 0.2), (-0.22, -0.85, 0.18), (0.22, -0.88, 0.2), (0.02, -0.95, 0.16)):
        c.ellipse(x, y, r, r * 0.8, color="#6d6a6a", line=0, shade=0.4, ball=True, opacity=0.9)
    c.polygon(smooth(xy("-1,0.98 -0.55,0.4 -0.22,-0.4 0.22,-0.4 0.55,0.4 1,0.98"), False), tone, shade=0.35)
    c.ellipse(0, -0.4, 0.23, 0.07, color="#e8541e")
    for path in (
        [(-0.08, -0.38), (-0.16, 0.0), (-0.08, 0.3), (-0.28, 0.7)],
        [(0.1, -0.38), (0.12, 0.1), (0.3, 0.5)],
        [(0.0, -0.38), (0.03, 0.0), (0.08, 0.25)],
    ):
        c.stroke(path, "#c93a12", 0.13)
        c.stroke(path, "#ffae34", 0.06)
    for x in (-0.5, 0.6):
        c.stroke([(x * 0.6, 0.1), (x, 0.8)], tint(tone, -0.3), 0.03)


def waterfall(c: Canvas, tone: Color) -> None:
    c.blob(xy("-1,0.95 -0.98,-0.4 -0.7,-0.8 -0.3,-0.7 -0.26,0.2 -0.3,0.95"), tone, shade=0.35)
    c.blob(xy("1,0.95 0.98,-0.5 0.7,-0.85 0.3,-0.7 0.26,0.2 0.3,0.95"), tint(tone, -0.1), shade=0.35)
    for side in (-1, 1):
        for x, y in ((0.5, -0.3), (0.8, 0.1), (0.55, 0.4)):
            c.stroke([(side * x, y), (side * (x + 0.1), y + 0.2), (side * x, y + 0.4)], tint(tone, -0.3), 0.03)
        c.blob(
            [(side * 0.3, -0.75), (side * 0.6, -0.98), (side * 0.95, -0.7), (side * 0.98, -0.45), (side * 0.6, -0.62)],
            "#4f9a4a",
            shade=0.3,
        )
    c.polygon([(-0.32, -0.68), (0.32, -0.68), (0.36, 0.8), (-0.36, 0.8)], "#8fd0ec", shade=0.15)
    for x in np.linspace(-0.26, 0.26, 7):
        c.stroke([(x, -0.65 + c.rng.uniform(0, 0.3)), (x * 1.1, 0.7)], "#ffffff", 0.03, opacity=0.85)
    c.ellipse(0, 0.85, 0.72, 0.14, color="#5db4dc", line=0.015)
    for x in np.linspace(-0.36, 0.36, 6):
        c.ellipse(x, 0.76, 0.13, 0.09, color="#ffffff", line=0, shade=0)


def island(c: Canvas, tone: Color) -> None:
    c.ellipse(0, 0.82, 1.0, 0.16, color="#57b6d8", line=0)
    c.blob(xy("-0.85,0.8 -0.5,0.5 0,0.42 0.5,0.52 0.85,0.8 0,0.9"), "#ecd394", shade=0.3)
    c.outlined([(-0.1, 0.5), (0.0, 0.0), (0.2, -0.45)], "#9a6b3f", 0.12)
    for y in (0.3, 0.1, -0.1, -0.28):
        c.stroke([(-0.1 + 0.12 * (0.3 - y), y), (0.06 + 0.16 * (0.3 - y), y - 0.03)], "#6f4a28", 0.025, curve=False)
    for dx, dy in ((-0.7, -0.1), (-0.55, 0.3), (0.65, -0.05), (0.55, 0.32), (-0.3, -0.42), (0.35, -0.42)):
        tip = (0.2 + dx, -0.45 + dy)
        bend = (0.2 + dx * 0.5, -0.62 + dy * 0.25)
        c.blob([(0.2, -0.45), (bend[0], bend[1] - 0.06), tip, (bend[0], bend[1] + 0.12)], tone, shade=0.3)
    for x in (0.14, 0.28):
        c.ellipse(x, -0.38, 0.08, color="#7a4f2c", shade=0.4, ball=True)


def bridge(c: Canvas, tone: Color) -> None:
    c.ellipse(0, 0.84, 1.0, 0.14, color="#5aaed4", line=0)
    arch = np.concatenate(
        [
            [(-1, -0.1), (1, -0.1), (1, 0.85), (0.72, 0.85)],
            oval(0.38, 0.75, 0.3, 0.5, start=0, stop=-180),
            [(0.05, 0.85), (-0.05, 0.85)],
            oval(-0.38, 0.75, 0.3, 0.5, start=0, stop=-180),
            [(-0.72, 0.85), (-1, 0.85)],
        ]
    )
    c.polygon(arch, tone, shade=0.25)
    for x, y in (
        (-0.85, 0.3),
        (0.85, 0.3),
        (0, 0.3),
        (-0.6, 0.08),
        (0.62, 0.08),
        (-0.2, 0.06),
        (0.22, 0.08),
        (0.0, 0.55),
        (-0.88, 0.6),
        (0.88, 0.6),
    ):
        c.rect(x - 0.09, y - 0.05, x + 0.09, y + 0.05, tint(tone, -0.14), line=0)
    c.rect(-1, -0.2, 1, -0.08, tint(tone, -0.2))
    for x in np.arange(-0.95, 1, 0.19):
        c.rect(x - 0.025, -0.42, x + 0.025, -0.2, tone, line=0.012)
    c.rect(-1, -0.48, 1, -0.4, tint(tone, -0.1))


def mountain(c: Canvas, tone: Color) -> None:
    for x, top, w in ((-0.5, -0.3, 0.55), (0.55, -0.15, 0.5), (0, -0.8, 0.75)):
        left, right = x - w, x + w
        c.polygon([(left, 0.95), (x, top), (right, 0.95)], tone, shade=0.3)
        c.polygon([(x, top), (right, 0.95), (x + 0.12, 0.95), (x + 0.06, top + 0.5)], tint(tone, -0.25), line=0)
        h = 0.42
        snow = [
            (x, top),
            (x + w * h * 0.75, top + 0.55),
            (x + 0.1, top + 0.4),
            (x, top + 0.55),
            (x - 0.1, top + 0.4),
            (x - w * h * 0.75, top + 0.55),
        ]
        c.polygon(snow, "#f7fafc", shade=0.15)
    for x in (-0.8, -0.6, 0.7, 0.88):
        c.polygon(mirror([(0, 0.55), (0.11, 0.97)]) + np.array((x, 0)), "#3f7a4a")
