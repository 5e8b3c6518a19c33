"""Flowers, birds, insects and sea animals, one function each; ``tone`` is the main colour."""

from __future__ import annotations

import numpy as np

from .canvas import Canvas, Color, mirror, mix, oval, rgb, smooth, tint, xy

GREEN = "#4f9a44"
DARK = "#22201f"


def _stem(c: Canvas, top: float, leaves: int = 2, width: float = 0.07) -> None:
    """A stem from the ground up to the height ``top``, with leaves to both sides."""
    c.outlined([(0.02, 1.0), (0.05, 0.6), (0, top)], GREEN, width)
    for k in range(leaves):
        side, y = (1 if k % 2 else -1), 0.62 + 0.12 * k
        c.blob([(0.03, y), (side * 0.3, y - 0.22), (side * 0.62, y - 0.26), (side * 0.36, y + 0.02)], GREEN)


def _eye(c: Canvas, x: float, y: float, r: float = 0.06) -> None:
    c.ellipse(x, y, r, color="#ffffff", line=0.012, shade=0)
    c.ellipse(x, y, r * 0.6, color=DARK, line=0, shade=0)
    c.ellipse(x - r * 0.2, y - r * 0.25, r * 0.22, color="#ffffff", line=0, shade=0)


def rose(c: Canvas, tone: Color) -> None:
    _stem(c, 0.0)
    for y in (0.25, 0.5):
        c.polygon([(0.03, y), (0.16, y - 0.08), (0.04, y + 0.08)], GREEN, line=0.01)
    for angle, r in ((200, 0.36), (340, 0.36), (90, 0.34), (150, 0.38), (30, 0.38), (270, 0.34)):
        a = np.radians(angle)
        c.ellipse(0.28 * np.cos(a), -0.4 + 0.25 * np.sin(a), r, r * 0.9, color=tint(tone, -0.05), shade=0.3)
    c.ellipse(0, -0.42, 0.42, 0.38, color=tone, shade=0.3)
    for k, r in enumerate((0.34, 0.25, 0.16)):
        spiral = [
            (r * np.cos(t) * (1 - 0.06 * t), -0.44 + 0.85 * r * np.sin(t) * (1 - 0.06 * t))
            for t in np.linspace(k * 2, k * 2 + 5, 14)
        ]
        c.stroke(spiral, tint(tone, -0.42), 0.035)


def tulip(c: Canvas, tone: Color) -> None:
    for side in (-1, 1):
        c.blob([(0, 1), (side * 0.22, 0.4), (side * 0.55, -0.05), (side * 0.4, 0.5), (side * 0.1, 1)], GREEN)
    c.outlined([(0, 1.0), (0, 0)], GREEN, 0.08)
    cup = xy("0,0.1 0.36,0 0.46,-0.4 0.4,-0.92 0.2,-0.6 0,-0.95 -0.2,-0.6 -0.4,-0.92 -0.46,-0.4 -0.36,0")
    c.polygon(smooth(cup), tint(tone, -0.12), shade=0.25)
    for side in (-1, 1):
        c.blob(
            [(side * 0.05, 0.1), (side * 0.42, -0.02), (side * 0.52, -0.45), (side * 0.42, -0.9), (side * 0.12, -0.45)],
            tone,
            shade=0.3,
        )
    c.blob(xy("0,0.12 0.24,-0.05 0.27,-0.4 0,-0.8 -0.27,-0.4 -0.24,-0.05"), tint(tone, 0.14), shade=0.3)


def sunflower(c: Canvas, tone: Color) -> None:
    _stem(c, 0.1, width=0.1)
    c.petals(0, -0.3, 18, 0.3, 0.42, 0.2, tint(tone, -0.12), turn=10)
    c.petals(0, -0.3, 18, 0.28, 0.36, 0.18, tone)
    c.ellipse(0, -0.3, 0.36, color="#5d3a1c", shade=0.3, ball=True)
    angle = np.arange(60) * 2.4
    c.dots(
        [
            (0.036 * np.sqrt(k) * np.cos(a) * 1.15, -0.3 + 0.036 * np.sqrt(k) * np.sin(a) * 1.15)
            for k, a in enumerate(angle)
        ],
        0.022,
        "#2f1b0d",
    )


def daisy(c: Canvas, tone: Color) -> None:
    _stem(c, 0.0)
    c.petals(0, -0.35, 14, 0.14, 0.44, 0.17, tone, turn=float(c.rng.uniform(0, 30)), squeeze=0.9)
    c.ellipse(0, -0.35, 0.2, 0.18, color="#f3bd2c", shade=0.4, ball=True)
    c.dots(c.scatter(16, 0, -0.35, 0.15, 0.13), 0.016, "#b9801c")


def lavender(c: Canvas, tone: Color) -> None:
    for x, top in ((-0.55, -0.55), (0.5, -0.6), (-0.25, -0.8), (0.25, -0.9), (0, -0.98)):
        c.outlined([(x * 0.15, 1.0), (x * 0.5, 0.3), (x, top)], "#6f9a5c", 0.035)
        for k in range(9):
            t = k / 9
            px, py = x * (1 - 0.45 * t), top + 0.85 * t * 0.9
            for side in (-1, 1):
                shade = float(c.rng.uniform(-0.15, 0.25))
                c.ellipse(
                    px + side * (0.045 + 0.02 * t), py, 0.07, 0.05, color=tint(tone, shade), line=0.012, angle=side * 30
                )
    for side in (-1, 1):
        c.stroke([(0, 0.95), (side * 0.2, 0.5)], "#7fae68", 0.04)


def poppy(c: Canvas, tone: Color) -> None:
    c.outlined([(0.1, 1.0), (-0.05, 0.4), (0, -0.1)], "#6a9a4c", 0.05)
    c.outlined([(0.1, 0.95), (0.4, 0.4), (0.5, 0.0)], "#6a9a4c", 0.04)
    c.ellipse(0.51, -0.1, 0.09, 0.14, color="#6f9a4c")
    for x, y in ((0, -0.72), (-0.42, -0.35), (0.42, -0.38), (0, -0.15)):
        wavy = [
            (x + c.rng.uniform(0.36, 0.48) * np.cos(t), y + c.rng.uniform(0.28, 0.38) * np.sin(t))
            for t in np.linspace(0, 2 * np.pi, 10)[:-1]
        ]
        c.blob(wavy, tint(tone, float(c.rng.uniform(-0.08, 0.08))), shade=0.32)
    c.ellipse(0, -0.42, 0.22, 0.18, color="#2a1a1c", line=0)
    c.dots([(0.24 * np.cos(a), -0.42 + 0.2 * np.sin(a)) for a in np.linspace(0, 6.1, 16)], 0.025, "#120b0d")
    c.ellipse(0, -0.43, 0.1, 0.08, color="#a9b86a")


def lotus(c: Canvas, tone: Color) -> None:
    c.ellipse(0, 0.72, 1.0, 0.26, color="#3f8a52", shade=0.25)
    for x in (-0.7, -0.3, 0.3, 0.7):
        c.stroke([(0, 0.72), (x, 0.72 + 0.12 * np.sign(0.5 - abs(x)))], "#2f6a40", 0.02, curve=False)
    for row, (reach, lift) in enumerate(((0.9, 0.1), (0.66, -0.3), (0.36, -0.6))):
        for side in (-1, 1):
            tip = (side * reach, lift)
            c.blob(
                [(0, 0.68), (side * (reach * 0.35), lift + 0.05), tip, (side * (reach * 0.75), 0.5)],
                tint(tone, 0.12 * row),
                shade=0.25,
            )
    c.blob([(0, 0.7), (-0.26, 0.1), (0, -0.72), (0.26, 0.1)], tint(tone, 0.3), shade=0.25)
    for side in (-1, 1):
        c.blob([(0, 0.72), (side * 0.42, 0.1), (side * 0.42, -0.12), (side * 0.3, 0.6)], tint(tone, 0.18), shade=0.25)


def owl(c: Canvas, tone: Color) -> None:
    for side in (-1, 1):
        c.polygon([(side * 0.2, -0.7), (side * 0.52, -1.0), (side * 0.58, -0.5)], tone)
    c.blob(mirror(xy("0,-0.85 0.42,-0.78 0.62,-0.35 0.68,0.3 0.45,0.85 0.1,0.96")), tone, shade=0.35)
    c.blob(mirror([(0, -0.1), (0.34, 0), (0.42, 0.4), (0.24, 0.8)]), tint(tone, 0.5))
    for y in (0.15, 0.35, 0.55):
        for x in (-0.22, 0, 0.22):
            c.stroke([(x - 0.07, y), (x, y + 0.07), (x + 0.07, y)], tint(tone, -0.2), 0.03)
    for side in (-1, 1):
        c.blob(
            [(side * 0.62, -0.25), (side * 0.8, 0.3), (side * 0.5, 0.75), (side * 0.45, 0.2)],
            tint(tone, -0.2),
            shade=0.3,
        )
        c.ellipse(side * 0.27, -0.42, 0.27, color=tint(tone, 0.6))
        c.ellipse(side * 0.26, -0.42, 0.19, color="#f2b92c")
        c.ellipse(side * 0.25, -0.42, 0.11, color=DARK, line=0)
        c.ellipse(side * 0.25 - 0.04, -0.47, 0.03, color="#ffffff", line=0, shade=0)
        for dx in (-0.08, 0, 0.08):
            c.ellipse(side * 0.22 + dx, 0.95, 0.045, 0.07, color="#e3a12c")
    c.polygon([(-0.09, -0.3), (0.09, -0.3), (0, -0.08)], "#e3a12c")


def flamingo(c: Canvas, tone: Color) -> None:
    c.outlined([(0.12, 0.1), (0.1, 0.98)], "#e2788a", 0.045, curve=False)
    c.outlined([(0.25, 0.15), (0.38, 0.5), (0.14, 0.62)], "#e2788a", 0.045, curve=False)
    c.outlined(xy("-0.25,0 -0.55,-0.3 -0.15,-0.6 -0.3,-0.9 -0.5,-0.84"), tone, 0.13)
    c.blob(xy("-0.4,0 -0.1,-0.22 0.45,-0.2 0.95,0.1 0.5,0.22 0.05,0.28 -0.3,0.2"), tone, shade=0.32)
    c.blob([(0.0, -0.1), (0.5, -0.1), (0.98, 0.16), (0.45, 0.16)], tint(tone, -0.2))
    c.ellipse(-0.46, -0.86, 0.16, 0.13, color=tone)
    c.polygon(smooth(xy("-0.56,-0.92 -0.8,-0.82 -0.8,-0.6 -0.68,-0.72 -0.56,-0.78")), "#f3e3d8")
    c.polygon(smooth([(-0.8, -0.82), (-0.82, -0.58), (-0.71, -0.7)]), DARK, line=0)
    _eye(c, -0.45, -0.89, 0.045)


def penguin(c: Canvas, tone: Color) -> None:
    for side in (-1, 1):
        c.ellipse(side * 0.24, 0.94, 0.2, 0.08, color="#efa52c")
        c.blob([(side * 0.48, -0.3), (side * 0.85, 0.25), (side * 0.72, 0.4), (side * 0.45, 0.2)], tone)
    c.blob(mirror(xy("0,-0.98 0.3,-0.88 0.38,-0.5 0.56,0 0.58,0.55 0.32,0.9")), tone, shade=0.3)
    c.blob(mirror(xy("0,-0.4 0.3,-0.25 0.42,0.2 0.4,0.6 0.2,0.84")), "#f7f6f0", shade=0.12)
    for side in (-1, 1):
        c.ellipse(side * 0.15, -0.62, 0.17, 0.19, color="#f7f6f0", line=0, shade=0)
        _eye(c, side * 0.14, -0.66, 0.065)
        c.ellipse(side * 0.36, -0.32, 0.08, 0.14, color="#f2c03a", line=0, shade=0)
    c.polygon([(-0.13, -0.52), (0.13, -0.52), (0, -0.34)], "#efa52c")


def parrot(c: Canvas, tone: Color) -> None:
    c.outlined([(-0.8, 0.62), (0.8, 0.55)], "#8a5d38", 0.1, curve=False)
    for k, color in enumerate((rgb("#2f6ab5"), rgb("#efc12c"), tone)):
        c.blob([(0.1 + 0.06 * k, 0.3), (0.3 + 0.08 * k, 0.6), (0.32 + 0.12 * k, 1.0), (0.08 + 0.06 * k, 0.7)], color)
    c.blob(xy("-0.35,-0.5 0,-0.62 0.3,-0.2 0.4,0.35 0.15,0.6 -0.2,0.5 -0.42,0"), tone, shade=0.32)
    c.blob(xy("0,-0.25 0.35,-0.05 0.48,0.6 0.2,0.5 -0.02,0.15"), "#2f6ab5", shade=0.25)
    c.blob([(0.05, -0.2), (0.3, -0.02), (0.32, 0.18), (0.06, 0.1)], "#efc12c")
    c.ellipse(-0.18, -0.62, 0.32, 0.3, color=tone, shade=0.35, ball=True)
    c.ellipse(-0.3, -0.6, 0.16, 0.14, color="#f8f3e6", line=0.01)
    _eye(c, -0.27, -0.63, 0.065)
    c.blob(xy("-0.42,-0.74 -0.62,-0.7 -0.68,-0.42 -0.54,-0.5 -0.42,-0.5"), "#3a3532", shade=0.3)
    for x in (-0.12, 0.06):
        c.ellipse(x, 0.6, 0.07, 0.05, color="#5a544e")


def duck(c: Canvas, tone: Color) -> None:
    for x in (-0.05, 0.25):
        c.outlined([(x, 0.7), (x, 0.9)], "#ee8a24", 0.06, curve=False)
        c.ellipse(x - 0.07, 0.95, 0.15, 0.06, color="#ee8a24")
    c.blob(xy("-0.45,0.1 -0.1,0.1 0.35,0.05 0.98,-0.25 0.85,0.45 0.35,0.78 -0.2,0.76 -0.55,0.45"), tone, shade=0.32)
    c.outlined([(-0.35, 0.25), (-0.36, -0.3)], tone, 0.3, curve=False)
    c.blob(xy("0,0.25 0.5,0.12 0.82,0.28 0.45,0.55 0.1,0.52"), tint(tone, -0.14))
    c.ellipse(-0.4, -0.5, 0.34, 0.32, color=tone, shade=0.3, ball=True)
    c.blob([(-0.68, -0.55), (-0.98, -0.44), (-0.98, -0.34), (-0.68, -0.33)], "#ee8a24", shade=0.3)
    _eye(c, -0.5, -0.58, 0.065)


def toucan(c: Canvas, tone: Color) -> None:
    c.outlined([(-0.7, 0.75), (0.9, 0.68)], "#8a5d38", 0.1, curve=False)
    c.blob([(0.2, 0.4), (0.45, 0.6), (0.4, 1.0), (0.2, 0.98)], tone)
    c.blob(xy("-0.25,-0.6 0.15,-0.6 0.5,-0.1 0.5,0.5 0.2,0.72 -0.15,0.5 -0.3,0"), tone, shade=0.35)
    c.blob(xy("-0.32,-0.35 -0.05,-0.4 0.05,0 -0.12,0.25 -0.3,0"), "#fbf4df")
    c.ellipse(-0.08, -0.58, 0.32, 0.3, color=tone)
    c.ellipse(-0.14, -0.6, 0.15, color="#48a7d8", line=0.01)
    _eye(c, -0.14, -0.6, 0.07)
    c.blob(xy("-0.34,-0.75 -0.75,-0.78 -1,-0.45 -0.96,-0.2 -0.75,-0.36 -0.34,-0.4"), "#f29a24", shade=0.35)
    c.blob([(-0.92, -0.58), (-1.0, -0.42), (-0.96, -0.2), (-0.84, -0.34)], DARK, line=0)
    c.stroke([(-0.34, -0.56), (-0.88, -0.44)], "#b05a14", 0.025)
    for x in (0.05, 0.22):
        c.ellipse(x, 0.72, 0.08, 0.06, color="#4a7fb5")


def butterfly(c: Canvas, tone: Color) -> None:
    for side in (-1, 1):
        c.blob(
            [(side * 0.05, -0.05), (side * 0.4, -0.75), (side * 0.95, -0.85), (side * 0.95, -0.3), (side * 0.6, 0.05)],
            tone,
            shade=0.2,
            line=0.06,
        )
        c.blob(
            [(side * 0.05, 0.02), (side * 0.55, 0.05), (side * 0.78, 0.45), (side * 0.5, 0.85), (side * 0.18, 0.6)],
            tint(tone, 0.2),
            line=0.05,
        )
        c.ellipse(side * 0.62, -0.5, 0.15, 0.18, color=tint(tone, 0.6))
        c.ellipse(side * 0.45, 0.42, 0.13, color=tint(tone, -0.4))
        c.dots([(side * 0.86, -0.7), (side * 0.88, -0.48), (side * 0.8, -0.3), (side * 0.62, 0.62)], 0.045, "#ffffff")
        c.stroke([(side * 0.03, -0.4), (side * 0.12, -0.7), (side * 0.25, -0.85)], DARK, 0.025)
        c.ellipse(side * 0.26, -0.87, 0.04, color=DARK, line=0)
    c.blob(mirror(xy("0,-0.45 0.07,-0.35 0.06,0 0.06,0.45 0.02,0.6")), "#3a2a22", shade=0.4)


def bee(c: Canvas, tone: Color) -> None:
    for x, angle in ((-0.1, -20), (0.18, 25)):
        c.ellipse(x, -0.52, 0.2, 0.42, color="#dcebf5", angle=angle, opacity=0.85)
    c.polygon([(0.78, 0.1), (1.0, 0.18), (0.78, 0.24)], DARK, line=0)
    c.ellipse(0.1, 0.15, 0.75, 0.48, color=tone, shade=0.38, ball=True)
    for x in (-0.2, 0.12, 0.44):
        half = 0.48 * np.sqrt(max(0, 1 - ((x - 0.1) / 0.75) ** 2))
        c.stroke([(x - 0.04, 0.15 - half), (x + 0.05, 0.15), (x - 0.04, 0.15 + half)], DARK, 0.13)
    c.ellipse(-0.62, 0.08, 0.3, 0.29, color="#3a2c20", shade=0.35, ball=True)
    _eye(c, -0.72, 0.03, 0.09)
    for dx in (-0.14, 0.06):
        c.stroke([(-0.62 + dx * 0.5, -0.18), (-0.68 + dx, -0.45)], DARK, 0.03)
        c.ellipse(-0.68 + dx, -0.46, 0.05, color=DARK, line=0)
    for x in (-0.2, 0.05, 0.3):
        c.stroke([(x, 0.58), (x - 0.06, 0.8)], DARK, 0.035)


def ladybird(c: Canvas, tone: Color) -> None:
    for side in (-1, 1):
        for y in (-0.15, 0.2, 0.5):
            c.stroke([(side * 0.5, y), (side * 0.82, y - 0.1), (side * 0.92, y + 0.08)], DARK, 0.05)
        c.stroke([(side * 0.12, -0.75), (side * 0.28, -0.98)], DARK, 0.035)
    c.ellipse(0, -0.58, 0.36, 0.28, color=DARK, shade=0.4)
    for side in (-1, 1):
        c.ellipse(side * 0.2, -0.64, 0.08, color="#f5f3ec", line=0)
    c.ellipse(0, 0.15, 0.72, 0.74, color=tone, shade=0.45, ball=True)
    c.stroke([(0, -0.58), (0, 0.88)], DARK, 0.04, curve=False)
    for x, y, r in ((0.3, -0.2, 0.13), (0.42, 0.25, 0.14), (0.22, 0.6, 0.11)):
        for side in (-1, 1):
            c.ellipse(side * x, y, r, color=DARK, line=0, shade=0)


def dragonfly(c: Canvas, tone: Color) -> None:
    for side in (-1, 1):
        for y, angle in ((-0.42, -8), (-0.18, 14)):
            c.ellipse(side * 0.52, y, 0.48, 0.13, color="#d5ebf4", angle=side * angle, opacity=0.85)
            c.stroke([(0, y), (side * 0.9, y + np.sin(np.radians(angle)) * 0.4)], "#8fb3c4", 0.015, curve=False)
    c.blob(mirror([(0, -0.6), (0.13, -0.5), (0.12, -0.1), (0.05, 0)]), tone, shade=0.4)
    for k in range(8):
        c.ellipse(0, 0.06 + 0.125 * k, 0.065 - 0.003 * k, 0.075, color=tint(tone, -0.15 if k % 2 else 0.1), line=0.014)
    c.ellipse(0, -0.68, 0.16, 0.13, color=tint(tone, -0.3))
    for side in (-1, 1):
        c.ellipse(side * 0.13, -0.74, 0.12, color="#7a2b2b", shade=0.5, ball=True)


def grasshopper(c: Canvas, tone: Color) -> None:
    c.outlined([(0.0, 0.1), (0.45, -0.62), (0.78, 0.7), (0.95, 0.72)], tint(tone, -0.12), 0.11, curve=False)
    for x in (-0.45, -0.2):
        c.outlined([(x, 0.25), (x - 0.14, 0.5), (x - 0.04, 0.74)], tint(tone, -0.1), 0.05, curve=False)
    c.blob(xy("-0.62,-0.15 -0.3,-0.28 0.4,-0.12 0.95,0.12 0.5,0.28 -0.3,0.34 -0.6,0.2"), tone, shade=0.3)
    c.blob([(-0.4, -0.22), (0.3, -0.22), (0.98, 0.04), (0.2, 0.08)], tint(tone, -0.2))
    c.ellipse(-0.68, -0.05, 0.22, 0.27, color=tone, shade=0.3, ball=True)
    _eye(c, -0.74, -0.14, 0.07)
    for dx in (-0.2, 0.1):
        c.stroke([(-0.72, -0.3), (-0.8 + dx, -0.65), (-0.7 + 2 * dx, -0.92)], tint(tone, -0.5), 0.025)


def clownfish(c: Canvas, tone: Color) -> None:
    c.blob([(0.55, 0), (0.98, -0.42), (0.9, 0), (0.98, 0.42)], tone)
    c.blob([(-0.35, -0.4), (0.0, -0.72), (0.4, -0.5), (0.4, -0.2)], tint(tone, -0.1))
    c.blob([(-0.1, 0.4), (0.1, 0.7), (0.32, 0.3)], tint(tone, -0.1))
    body = smooth(xy("-0.95,0.02 -0.6,-0.36 -0.1,-0.5 0.4,-0.3 0.68,-0.1 0.68,0.12 0.4,0.32 -0.1,0.48 -0.6,0.36"))
    c.polygon(body, tone, shade=0.35)
    for x, half in ((-0.5, 0.4), (0.05, 0.46), (0.52, 0.19)):
        c.stroke([(x, -half), (x - 0.08, 0), (x, half)], DARK, 0.21)
        c.stroke([(x, -half), (x - 0.08, 0), (x, half)], "#fbfaf5", 0.15)
    c.ellipse(-0.12, 0.14, 0.16, 0.1, color=tint(tone, -0.12), angle=20)
    _eye(c, -0.76, -0.08, 0.075)


def shark(c: Canvas, tone: Color) -> None:
    c.blob(xy("0.65,0 1,-0.52 0.88,-0.05 0.98,0.3 0.7,0.14"), tone)
    c.polygon(smooth([(-0.1, -0.25), (0.18, -0.72), (0.3, -0.2)]), tint(tone, -0.1))
    c.blob(xy("-1,0 -0.6,-0.28 0,-0.34 0.5,-0.14 0.8,-0.02 0.8,0.08 0.4,0.2 -0.2,0.3 -0.7,0.22"), tone, shade=0.3)
    c.blob(xy("-0.85,0.12 -0.5,0.1 0.2,0.14 0.5,0.14 -0.2,0.29 -0.65,0.22"), "#eef2f4", line=0)
    c.polygon(smooth([(-0.25, 0.15), (0.0, 0.6), (0.1, 0.18)]), tint(tone, -0.12))
    for x in (-0.38, -0.32, -0.26):
        c.stroke([(x, -0.12), (x - 0.03, 0.06)], tint(tone, -0.4), 0.02)
    c.polygon([(-0.86, 0.1), (-0.6, 0.12), (-0.66, 0.2)], "#6a2024", line=0.01)
    c.polygon(xy("-0.82,0.1 -0.77,0.16 -0.73,0.11 -0.69,0.16 -0.65,0.11"), "#ffffff", line=0)
    _eye(c, -0.7, -0.06, 0.05)


def octopus(c: Canvas, tone: Color) -> None:
    for x, sway in ((-0.85, -0.2), (-0.5, 0.15), (-0.18, -0.1), (0.18, 0.1), (0.5, -0.15), (0.85, 0.2)):
        path = [(x * 0.35, 0.1), (x * 0.75, 0.45), (x, 0.75), (x + sway, 0.95)]
        c.outlined(path, tint(tone, -0.06), 0.17)
        c.dots(smooth(path, False)[8:-2:3], 0.03, tint(tone, 0.5))
    c.blob(mirror(xy("0,-0.98 0.45,-0.88 0.66,-0.45 0.5,0.05 0.4,0.3")), tone, shade=0.4, ball=True)
    for side in (-1, 1):
        _eye(c, side * 0.2, -0.15, 0.13)
    c.stroke([(-0.12, 0.1), (0, 0.16), (0.12, 0.1)], tint(tone, -0.5), 0.035)
    c.dots([(-0.3, -0.6), (0.1, -0.75), (0.32, -0.5)], 0.06, tint(tone, 0.3))


def crab(c: Canvas, tone: Color) -> None:
    for side in (-1, 1):
        for k in range(3):
            y = 0.2 + 0.16 * k
            c.outlined(
                [(side * 0.45, y), (side * 0.85, y - 0.02), (side * (0.95 - 0.1 * k), y + 0.32)],
                tint(tone, -0.08),
                0.08,
            )
        c.outlined([(side * 0.45, 0.05), (side * 0.75, -0.15), (side * 0.68, -0.42)], tone, 0.13)
        claw = np.concatenate([oval(side * 0.62, -0.62, 0.3, start=-60, stop=240), [(side * 0.62, -0.55)]])
        c.polygon(claw, tone, shade=0.35)
        c.outlined([(side * 0.2, -0.1), (side * 0.2, -0.38)], tint(tone, -0.1), 0.05, curve=False)
        _eye(c, side * 0.2, -0.42, 0.1)
    c.blob(mirror(xy("0,-0.2 0.45,-0.16 0.72,0.12 0.5,0.5 0.15,0.6")), tone, shade=0.4, ball=True)
    c.stroke([(-0.2, 0.28), (0, 0.38), (0.2, 0.28)], tint(tone, -0.5), 0.04)
    c.dots([(-0.35, 0.05), (0.35, 0.05), (0, -0.05)], 0.045, tint(tone, 0.4))


def starfish(c: Canvas, tone: Color) -> None:
    radii = (1.0, 0.42)
    angle = np.arange(10) * np.pi / 5 - np.pi / 2
    points = [(radii[k % 2] * np.cos(a), radii[k % 2] * np.sin(a)) for k, a in enumerate(angle)]
    c.blob(points, tone, shade=0.35, line=0.03)
    for a in angle[::2]:
        c.dots([(r * np.cos(a), r * np.sin(a)) for r in np.linspace(0.1, 0.85, 7)], 0.05, tint(tone, 0.45))
        for turn in (-0.2, 0.2):
            c.dots([(r * np.cos(a + turn), r * np.sin(a + turn)) for r in (0.3, 0.45)], 0.03, tint(tone, 0.3))


def jellyfish(c: Canvas, tone: Color) -> None:
    for x in np.linspace(-0.5, 0.5, 7):
        y = c.rng.uniform(0.65, 1.0)
        c.stroke(
            [(x, -0.1), (x * 1.1 + 0.1, 0.25), (x * 1.1 - 0.08, 0.55), (x * 1.2 + 0.05, y)],
            tint(tone, 0.2),
            0.06,
            opacity=0.9,
        )
    for x in (-0.2, 0.1):
        c.stroke([(x, -0.1), (x + 0.12, 0.2), (x - 0.06, 0.45), (x + 0.1, 0.75)], tint(tone, 0.55), 0.12)
    c.polygon(
        np.concatenate(
            [
                oval(0, -0.1, 0.78, 0.82, start=180, stop=360),
                smooth(xy("0.78,-0.1 0.5,0.06 0.25,-0.06 0,0.08 -0.25,-0.06 -0.5,0.06 -0.78,-0.1"), False),
            ]
        ),
        tone,
        shade=0.4,
        ball=True,
    )
    c.dots([(-0.3, -0.45), (0, -0.6), (0.3, -0.45), (0, -0.3)], 0.08, tint(tone, 0.4))


def whale(c: Canvas, tone: Color) -> None:
    c.blob(xy("0.6,0.2 0.8,-0.1 0.62,-0.45 0.86,-0.36 0.95,-0.3 1,-0.55 1,-0.1 0.88,0.2"), tone)
    c.blob(
        xy("-0.95,0.1 -0.75,-0.3 -0.3,-0.42 0.3,-0.25 0.75,0.05 0.9,0.1 0.7,0.4 0.1,0.66 -0.6,0.6 -0.92,0.4"),
        tone,
        shade=0.35,
    )
    c.blob(xy("-0.94,0.3 -0.5,0.36 0,0.34 0.5,0.42 0.1,0.64 -0.6,0.59"), "#eef3f5", line=0.01)
    for y in (0.42, 0.5, 0.57):
        c.stroke([(-0.82, y), (-0.1, y + 0.02)], "#b9c8d0", 0.015)
    c.blob([(-0.25, 0.35), (0.05, 0.72), (-0.1, 0.8), (-0.35, 0.5)], tint(tone, -0.15))
    _eye(c, -0.62, 0.16, 0.06)
    for x, sign in ((-0.5, -1), (-0.42, 1)):
        c.stroke([(-0.46, -0.42), (x, -0.75), (x + 0.2 * sign, -0.85), (x + 0.3 * sign, -0.7)], "#bfe6f4", 0.06)


def turtle(c: Canvas, tone: Color) -> None:
    skin = mix(tone, "#b9c47a", 0.5)
    c.ellipse(-0.82, 0.2, 0.22, 0.18, color=skin, shade=0.3, ball=True)
    _eye(c, -0.88, 0.15, 0.055)
    c.blob([(-0.5, 0.3), (-0.75, 0.75), (-0.6, 0.85), (-0.25, 0.5)], skin)
    c.blob([(0.4, 0.4), (0.55, 0.8), (0.72, 0.75), (0.65, 0.35)], skin)
    c.polygon([(0.75, 0.3), (1.0, 0.45), (0.75, 0.45)], skin)
    c.rect(-0.72, 0.28, 0.82, 0.48, tint(skin, 0.15), radius=0.1)
    c.polygon(oval(0.05, 0.36, 0.78, 0.85, start=180, stop=360), tone, shade=0.4, ball=True)
    for x, y, r in ((0.05, -0.15, 0.22), (-0.38, 0.08, 0.17), (0.48, 0.08, 0.17), (-0.02, 0.2, 0.13), (0.25, 0.2, 0.1)):
        c.polygon(oval(x, y, r)[::7], tint(tone, -0.25), line=0.02)
