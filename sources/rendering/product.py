"""Vehicles, kitchen tools, clothes and shoes, one function each; ``tone`` is the main colour."""

from __future__ import annotations

import numpy as np

from .canvas import Canvas, Color, mirror, oval, rgb, smooth, tint, xy

GLASS = "#bfe0ee"
STEEL = "#a9b0b8"
DARK = "#2b2d31"
WOOD = "#a8713f"


def _wheel(c: Canvas, x: float, y: float, r: float) -> None:
    c.ellipse(x, y, r, color=DARK, shade=0.3)
    c.ellipse(x, y, r * 0.55, color="#c9ced4", shade=0.4)
    c.ellipse(x, y, r * 0.18, color="#6c7279", line=0)


def car(c: Canvas, tone: Color) -> None:
    c.blob(xy("-0.62,0.1 -0.4,-0.38 -0.05,-0.48 0.35,-0.42 0.62,0.1"), tone)
    c.polygon([(-0.5, 0.06), (-0.34, -0.3), (-0.04, -0.36), (-0.04, 0.06)], GLASS)
    c.polygon([(0.04, 0.06), (0.04, -0.36), (0.3, -0.3), (0.5, 0.06)], GLASS)
    c.rect(-0.98, 0.04, 0.98, 0.6, tone, radius=0.2, shade=0.3)
    c.stroke([(0, 0.08), (0, 0.52)], tint(tone, -0.35), 0.02, curve=False)
    c.rect(-0.14, 0.2, -0.04, 0.24, "#e7e9eb", line=0)
    c.ellipse(-0.9, 0.24, 0.07, 0.09, color="#fff2b8")
    c.ellipse(0.92, 0.24, 0.05, 0.09, color="#b3231d")
    for x in (-0.55, 0.55):
        _wheel(c, x, 0.62, 0.25)


def bus(c: Canvas, tone: Color) -> None:
    c.rect(-0.98, -0.62, 0.98, 0.6, tone, radius=0.1, shade=0.28)
    c.rect(-0.98, 0.12, 0.98, 0.2, "#f6f3ea", line=0)
    for k in range(5):
        c.rect(-0.66 + 0.32 * k, -0.46, -0.4 + 0.32 * k, 0.02, GLASS, radius=0.03)
    c.rect(-0.94, -0.46, -0.74, 0.56, "#8fb3c4")
    c.stroke([(-0.84, -0.46), (-0.84, 0.56)], DARK, 0.02, curve=False)
    c.ellipse(0.92, 0.38, 0.05, 0.07, color="#b3231d")
    for x in (-0.5, 0.55):
        _wheel(c, x, 0.62, 0.23)


def lorry(c: Canvas, tone: Color) -> None:
    c.rect(-0.3, -0.72, 0.98, 0.48, "#ece8de", shade=0.25)
    for x in (0.0, 0.33, 0.66):
        c.stroke([(x, -0.7), (x, 0.46)], "#c5c0b4", 0.02, curve=False)
    c.rect(-0.96, 0.4, 0.98, 0.56, DARK)
    c.polygon(xy("-0.98,0.5 -0.96,0 -0.74,-0.42 -0.36,-0.42 -0.36,0.5"), tone, shade=0.3)
    c.polygon([(-0.86, 0.0), (-0.7, -0.32), (-0.46, -0.32), (-0.46, 0.0)], GLASS)
    c.ellipse(-0.92, 0.24, 0.05, 0.07, color="#fff2b8")
    for x in (-0.62, 0.3, 0.75):
        _wheel(c, x, 0.62, 0.23)


def bicycle(c: Canvas, tone: Color) -> None:
    for x in (-0.58, 0.58):
        c.stroke(oval(x, 0.48, 0.4), DARK, 0.055, curve=False)
        c.stroke(oval(x, 0.48, 0.36), "#c9ced4", 0.02, curve=False)
        for a in np.arange(0, np.pi, np.pi / 5):
            c.stroke(
                [(x - 0.36 * np.cos(a), 0.48 - 0.36 * np.sin(a)), (x + 0.36 * np.cos(a), 0.48 + 0.36 * np.sin(a))],
                "#aab0b6",
                0.01,
                curve=False,
            )
    for path in (
        [(0.58, 0.48), (0.0, 0.5), (0.22, -0.2), (0.58, 0.48)],
        [(0.0, 0.5), (-0.42, -0.2), (0.22, -0.2)],
        [(-0.58, 0.48), (-0.42, -0.42)],
    ):
        c.outlined(path, tone, 0.07, curve=False)
    c.outlined([(0.22, -0.2), (0.27, -0.4)], STEEL, 0.04, curve=False)
    c.blob([(0.05, -0.44), (0.45, -0.5), (0.48, -0.4), (0.2, -0.36)], DARK)
    c.outlined([(-0.42, -0.42), (-0.62, -0.5), (-0.66, -0.32)], DARK, 0.05)
    c.ellipse(0.0, 0.5, 0.1, color=STEEL)
    c.outlined([(0, 0.5), (0.1, 0.72), (0.2, 0.72)], DARK, 0.04, curve=False)


def motorbike(c: Canvas, tone: Color) -> None:
    for x in (-0.62, 0.62):
        c.ellipse(x, 0.52, 0.38, color=DARK)
        c.ellipse(x, 0.52, 0.24, color="#c9ced4")
        c.ellipse(x, 0.52, 0.08, color="#6c7279")
    c.outlined([(-0.62, 0.52), (-0.36, -0.3)], STEEL, 0.07, curve=False)
    c.outlined([(0.62, 0.52), (0.05, 0.45)], STEEL, 0.08, curve=False)
    c.blob(xy("-0.22,0.15 0.2,0.12 0.26,0.5 0,0.62 -0.24,0.5"), "#70767d", shade=0.4)
    c.outlined([(0.05, 0.55), (0.5, 0.66), (0.95, 0.6)], "#d5d9dd", 0.08)
    c.blob(xy("-0.42,-0.12 -0.15,-0.32 0.18,-0.22 0.18,0.02 -0.3,0.1"), tone, shade=0.4)
    c.blob(xy("0.12,-0.14 0.5,-0.16 0.86,-0.2 0.7,0.06 0.2,0.06"), DARK, shade=0.35)
    c.blob([(0.4, 0.06), (0.95, -0.08), (0.98, 0.14), (0.6, 0.18)], tone)
    c.outlined([(-0.36, -0.3), (-0.18, -0.46), (-0.02, -0.42)], DARK, 0.06)
    c.ellipse(-0.48, -0.26, 0.13, color="#fff2b8")


def aeroplane(c: Canvas, tone: Color) -> None:
    c.polygon([(-0.05, -0.05), (0.4, -0.75), (0.58, -0.75), (0.3, 0.0)], "#c3c9d0", shade=0.3)
    c.polygon([(0.68, -0.08), (0.85, -0.52), (1.0, -0.52), (0.94, -0.02)], tone, shade=0.3)
    c.blob(
        xy("-0.98,0.08 -0.8,-0.12 -0.4,-0.2 0.5,-0.16 0.98,-0.08 0.6,0.12 0.1,0.24 -0.6,0.24 -0.92,0.18"),
        "#f1f3f5",
        shade=0.28,
    )
    c.stroke([(-0.9, 0.12), (0, 0.1), (0.85, -0.02)], tone, 0.07)
    c.polygon([(-0.88, -0.02), (-0.72, -0.12), (-0.66, -0.02)], GLASS)
    c.dots([(x, -0.05) for x in np.arange(-0.5, 0.6, 0.13)], 0.03, "#5d7f99")
    c.polygon([(-0.2, 0.12), (0.12, 0.1), (0.62, 0.72), (0.42, 0.74)], "#d5dae0", shade=0.3)
    c.rect(0.0, 0.36, 0.32, 0.5, tone, radius=0.06)


def sailing_boat(c: Canvas, tone: Color) -> None:
    c.rect(-0.03, -0.98, 0.03, 0.5, WOOD)
    c.blob(xy("0.06,-0.9 0.5,-0.2 0.78,0.38 0.4,0.42 0.06,0.42"), "#f6f3ea", shade=0.2)
    c.polygon([(-0.07, -0.8), (-0.07, 0.4), (-0.66, 0.4)], tint(tone, 0.25), shade=0.25)
    c.polygon([(0.03, -1.0), (0.28, -0.92), (0.03, -0.84)], tone)
    c.polygon([(-0.92, 0.5), (0.95, 0.5), (0.66, 0.95), (-0.6, 0.95)], tone, shade=0.3)
    c.stroke([(-0.86, 0.6), (0.88, 0.6)], "#f6f3ea", 0.05, curve=False)


def train(c: Canvas, tone: Color) -> None:
    c.rect(0.2, -0.62, 0.92, 0.4, tone, shade=0.3)
    c.rect(0.32, -0.46, 0.8, -0.06, GLASS)
    c.rect(0.12, -0.74, 0.98, -0.6, DARK, radius=0.04)
    c.rect(-0.85, -0.22, 0.25, 0.4, tint(tone, -0.25), radius=0.12, shade=0.4)
    for x in (-0.5, -0.1):
        c.stroke([(x, -0.2), (x, 0.38)], "#d9b23c", 0.05, curve=False)
    c.polygon([(-0.72, -0.22), (-0.8, -0.66), (-0.46, -0.66), (-0.54, -0.22)], DARK, shade=0.4)
    c.ellipse(-0.1, -0.24, 0.14, 0.12, color="#d9b23c")
    c.rect(-0.95, 0.36, 0.95, 0.5, DARK)
    c.polygon([(-0.9, 0.5), (-1.0, 0.85), (-0.7, 0.85), (-0.72, 0.5)], "#8c2a24")
    for x, r in ((-0.5, 0.2), (-0.05, 0.2), (0.58, 0.28)):
        c.ellipse(x, 0.9 - r, r, color="#a8322a")
        c.ellipse(x, 0.9 - r, r * 0.7, color=DARK, line=0)
        c.ellipse(x, 0.9 - r, r * 0.25, color="#d9b23c")
    for x, y, r in ((-0.6, -0.8, 0.13), (-0.4, -0.9, 0.16)):
        c.ellipse(x, y, r, color="#e9eaec", line=0, opacity=0.85)


def balloon(c: Canvas, tone: Color) -> None:
    for x in (-0.16, 0.16):
        c.stroke([(x * 1.6, 0.32), (x, 0.72)], WOOD, 0.02, curve=False)
    for k, (rx, color) in enumerate(((0.78, tone), (0.52, rgb("#f7e6b0")), (0.26, tone))):
        panel = np.concatenate(
            [oval(0, -0.3, rx, 0.7, start=150, stop=390), [(0.16 - 0.05 * k, 0.42), (-0.16 + 0.05 * k, 0.42)]]
        )
        c.polygon(panel, color, shade=0.3, ball=True)
    c.rect(-0.2, 0.7, 0.2, 0.98, WOOD, radius=0.04)
    for y in (0.78, 0.88):
        c.stroke([(-0.2, y), (0.2, y)], tint(WOOD, -0.3), 0.02, curve=False)


def helicopter(c: Canvas, tone: Color) -> None:
    c.polygon([(0.2, -0.1), (0.95, -0.22), (0.98, -0.1), (0.3, 0.25)], tone, shade=0.25)
    c.polygon([(0.82, -0.2), (0.9, -0.55), (1.0, -0.55), (0.98, -0.15)], tint(tone, -0.2))
    c.blob(xy("-0.92,0.2 -0.7,-0.2 -0.2,-0.34 0.3,-0.22 0.42,0.15 0.1,0.48 -0.6,0.5"), tone, shade=0.35)
    c.blob([(-0.86, 0.16), (-0.66, -0.14), (-0.3, -0.2), (-0.3, 0.16)], GLASS)
    c.rect(-0.2, -0.16, 0.08, 0.14, GLASS, radius=0.04)
    c.rect(-0.14, -0.55, -0.04, -0.3, DARK)
    c.ellipse(-0.09, -0.58, 0.9, 0.035, color="#5a6068")
    for x in (-0.5, 0.1):
        c.stroke([(x, 0.46), (x, 0.72)], DARK, 0.035, curve=False)
    c.stroke([(-0.85, 0.66), (-0.78, 0.74), (0.4, 0.74)], DARK, 0.045, curve=False)


def tractor(c: Canvas, tone: Color) -> None:
    c.rect(-0.05, -0.8, 0.72, -0.7, DARK, radius=0.04)
    for x in (0.0, 0.62):
        c.rect(x, -0.7, x + 0.07, 0.2, tone, line=0.012)
    c.rect(0.07, -0.68, 0.62, -0.1, GLASS, opacity=0.7)
    c.rect(-0.9, -0.12, 0.5, 0.42, tone, radius=0.08, shade=0.3)
    c.rect(-0.45, -0.6, -0.37, -0.1, DARK)
    for x in (-0.75, -0.62, -0.49):
        c.stroke([(x, 0), (x, 0.25)], tint(tone, -0.5), 0.03, curve=False)
    for x, r in ((0.42, 0.5), (-0.62, 0.3)):
        c.ellipse(x, 0.98 - r, r, color=DARK, shade=0.3)
        c.dots(
            [(x + r * 0.88 * np.cos(a), 0.98 - r + r * 0.88 * np.sin(a)) for a in np.linspace(0, 6.2, 14)],
            r * 0.1,
            "#53565b",
        )
        c.ellipse(x, 0.98 - r, r * 0.55, color="#f0c02c", shade=0.3)
        c.ellipse(x, 0.98 - r, r * 0.18, color=DARK)


def teapot(c: Canvas, tone: Color) -> None:
    c.outlined([(0.55, -0.15), (0.98, -0.2), (0.95, 0.4), (0.5, 0.55)], tone, 0.11)
    c.blob(xy("-0.4,0.5 -0.75,0.25 -0.85,-0.35 -1,-0.5 -0.8,-0.55 -0.62,-0.2 -0.5,0"), tone)
    c.blob(mirror(xy("0,-0.42 0.4,-0.38 0.68,0.1 0.62,0.6 0.35,0.9 0.1,0.92")), tone, shade=0.42, ball=True)
    c.ellipse(0, -0.4, 0.42, 0.12, color=tint(tone, -0.1))
    c.polygon(oval(0, -0.42, 0.36, 0.24, start=180, stop=360), tone)
    c.ellipse(0, -0.72, 0.1, color=tint(tone, -0.2), shade=0.4, ball=True)
    for a in np.arange(5) * 72:
        c.ellipse(
            0.12 * np.cos(np.radians(a)), 0.25 + 0.12 * np.sin(np.radians(a)), 0.09, color="#ffffff", line=0, shade=0
        )
    c.ellipse(0, 0.25, 0.07, color="#f2c03a", line=0)


def frying_pan(c: Canvas, tone: Color) -> None:
    c.outlined([(0.15, -0.15), (0.94, -0.94)], WOOD, 0.13, curve=False)
    c.ellipse(0.9, -0.9, 0.03, color="#3a2a1c", line=0)
    c.ellipse(-0.25, 0.25, 0.74, color=tone, shade=0.3)
    c.ellipse(-0.25, 0.25, 0.6, color=tint(tone, -0.35), shade=0.25)
    c.stroke(oval(-0.25, 0.25, 0.48, start=190, stop=260), "#ffffff", 0.04, opacity=0.35)


def mug(c: Canvas, tone: Color) -> None:
    c.stroke(oval(0.62, 0.1, 0.32, 0.4, start=-100, stop=100), tint(tone, -0.45), 0.2)
    c.stroke(oval(0.62, 0.1, 0.32, 0.4, start=-100, stop=100), tone, 0.15)
    body = np.concatenate([oval(-0.1, 0.78, 0.66, 0.18, start=0, stop=180), [(-0.76, -0.6), (0.56, -0.6)]])
    c.polygon(body, tone, shade=0.35)
    c.ellipse(-0.1, -0.6, 0.66, 0.2, color=tint(tone, 0.2))
    c.ellipse(-0.1, -0.57, 0.57, 0.15, color="#5a3520", line=0)
    c.blob(xy("-0.1,0.5 -0.42,0.12 -0.3,-0.08 -0.1,0.06 0.1,-0.08 0.22,0.12"), "#ffffff", line=0, opacity=0.85)


def wine_glass(c: Canvas, tone: Color) -> None:
    c.ellipse(0, 0.92, 0.42, 0.09, color="#dfe9ee")
    c.rect(-0.045, 0.1, 0.045, 0.9, "#dfe9ee", line=0.015)
    c.blob(mirror(xy("0,-0.95 0.42,-0.95 0.52,-0.4 0.36,0.05 0.08,0.2")), "#e6f0f4", opacity=0.75)
    c.blob(mirror(xy("0,-0.42 0.49,-0.42 0.46,-0.2 0.3,0.05 0.08,0.16")), tone, line=0.01, shade=0.35)
    c.ellipse(0, -0.44, 0.47, 0.09, color=tint(tone, 0.2), line=0)
    c.ellipse(0, -0.93, 0.4, 0.07, color="#ffffff", opacity=0.5)
    c.stroke([(-0.36, -0.75), (-0.38, -0.3)], "#ffffff", 0.05, opacity=0.7)


def whisk(c: Canvas, tone: Color) -> None:
    for x in (0.42, 0.26, 0.1):
        loop = [(-0.03, 0.15), (-x, -0.4), (-x * 0.7, -0.85), (0, -0.97), (x * 0.7, -0.85), (x, -0.4), (0.03, 0.15)]
        c.stroke(loop, "#6f767e", 0.05)
        c.stroke(loop, "#d5dade", 0.025)
    c.rect(-0.09, 0.1, 0.09, 0.98, tone, radius=0.08, shade=0.4)
    c.rect(-0.1, 0.08, 0.1, 0.2, STEEL)
    c.ellipse(0, 0.9, 0.03, color=DARK, line=0)


def grater(c: Canvas, tone: Color) -> None:
    c.stroke(oval(0, -0.6, 0.3, 0.34, start=180, stop=360), tint(tone, -0.4), 0.15)
    c.stroke(oval(0, -0.6, 0.3, 0.34, start=180, stop=360), tone, 0.1)
    c.polygon([(0.36, -0.6), (0.56, -0.5), (0.82, 0.86), (0.58, 0.98)], tint(STEEL, -0.25))
    c.polygon([(-0.42, -0.6), (0.36, -0.6), (0.58, 0.98), (-0.64, 0.98)], "#c9ced4", shade=0.35)
    for row in range(8):
        y = -0.42 + 0.16 * row
        for k in range(5):
            x = -0.02 + (k - 2) * (0.14 + 0.006 * row) + 0.05 * (row % 2)
            c.ellipse(x, y, 0.04, 0.025, color="#59616a", line=0.01, angle=-20)
    c.rect(-0.46, -0.66, 0.4, -0.54, tone)


def cooking_pot(c: Canvas, tone: Color) -> None:
    for side in (-1, 1):
        c.outlined(
            [(side * 0.7, 0.05), (side * 0.98, 0.05), (side * 0.98, 0.28), (side * 0.7, 0.28)], DARK, 0.08, curve=False
        )
    body = np.concatenate([oval(0, 0.78, 0.76, 0.16, start=0, stop=180), [(-0.76, -0.2), (0.76, -0.2)]])
    c.polygon(body, tone, shade=0.4)
    c.polygon(oval(0, -0.2, 0.82, 0.42, start=180, stop=360), tint(tone, 0.15), shade=0.3)
    c.rect(-0.84, -0.24, 0.84, -0.14, STEEL, radius=0.04)
    c.ellipse(0, -0.68, 0.12, 0.09, color=DARK, shade=0.4)


def kettle(c: Canvas, tone: Color) -> None:
    c.outlined(xy("-0.45,-0.3 -0.5,-0.85 0,-1 0.5,-0.85 0.45,-0.3"), DARK, 0.1)
    c.blob(xy("-0.55,0.35 -0.9,0 -1,-0.2 -0.82,-0.28 -0.6,-0.05"), tone)
    c.polygon(
        np.concatenate([oval(0, 0.8, 0.8, 0.14, start=0, stop=180), oval(0, 0.5, 0.78, 0.85, start=180, stop=360)]),
        tone,
        shade=0.42,
        ball=True,
    )
    c.ellipse(0, -0.32, 0.28, 0.09, color=tint(tone, -0.15))
    c.ellipse(0, -0.42, 0.09, color=DARK, shade=0.4)
    c.stroke([(-0.55, 0.2), (-0.5, 0.55)], "#ffffff", 0.07, opacity=0.45)


def trainer(c: Canvas, tone: Color) -> None:
    c.blob(xy("-0.95,0.45 -0.85,0.1 -0.4,-0.05 0.1,-0.5 0.35,-0.45 0.8,-0.55 0.92,-0.1 0.95,0.5"), tone, shade=0.32)
    c.blob([(-0.95, 0.45), (-0.85, 0.12), (-0.55, 0.06), (-0.5, 0.45)], "#f4f2ea")
    c.rect(-0.98, 0.4, 0.98, 0.64, "#f7f6f2", radius=0.1)
    c.stroke([(-0.9, 0.53), (0.9, 0.53)], tone, 0.04, curve=False)
    for k in range(4):
        x, y = -0.32 + 0.13 * k, -0.02 - 0.11 * k
        c.stroke([(x - 0.05, y - 0.05), (x + 0.16, y + 0.16)], "#ffffff", 0.05, curve=False)
    c.blob([(0.15, 0.3), (0.4, 0.02), (0.75, -0.1), (0.5, 0.2)], "#ffffff", line=0.01)
    c.ellipse(0.56, -0.48, 0.27, 0.08, color=tint(tone, -0.4))


def high_heel(c: Canvas, tone: Color) -> None:
    c.polygon(xy("0.66,-0.2 0.95,-0.35 0.86,0.3 0.84,0.95 0.76,0.95 0.74,0.2"), tint(tone, -0.2))
    c.blob(
        xy(
            "-1,0.92 -0.9,0.72 -0.55,0.6 -0.25,0.45 0.2,-0.05 0.62,-0.6 "
            "0.95,-0.58 0.96,-0.25 0.6,0.1 0.15,0.65 -0.3,0.92"
        ),
        tone,
        shade=0.4,
    )
    c.blob(xy("-0.5,0.6 -0.2,0.42 0.25,-0.05 0.64,-0.55 0.5,-0.1 0.1,0.42 -0.25,0.66"), tint(tone, -0.5), line=0)
    c.stroke([(-0.95, 0.95), (-0.3, 0.95)], DARK, 0.04, curve=False)


def boot(c: Canvas, tone: Color) -> None:
    c.rect(0.4, 0.7, 0.8, 0.98, DARK)
    c.polygon(
        smooth(xy("-0.95,0.78 -0.85,0.4 -0.4,0.25 -0.08,0.05 -0.08,-0.85 0.72,-0.88 0.78,0 0.8,0.78")), tone, shade=0.35
    )
    c.rect(-0.98, 0.72, 0.5, 0.88, DARK, radius=0.06)
    c.rect(-0.14, -0.98, 0.78, -0.78, tint(tone, 0.3), radius=0.06)
    for y in (-0.55, -0.3, -0.05):
        c.stroke([(-0.06, y), (0.18, y + 0.08)], "#f0e2c0", 0.05, curve=False)
    c.stroke([(-0.3, 0.2), (-0.15, 0.4), (0.2, 0.5)], tint(tone, -0.35), 0.03)


def sandal(c: Canvas, tone: Color) -> None:
    sole = xy("-0.3,-0.75 0.05,-0.98 0.4,-0.75 0.42,-0.3 0.28,0.2 0.34,0.7 0.08,0.98 -0.22,0.75 -0.2,0.2 -0.36,-0.3")
    c.blob([(x * 1.08 + 0.03, y + 0.03) for x, y in sole], "#7a4d2b")
    c.blob(sole, "#d9b27c", shade=0.2)
    c.stroke([(-0.2, -0.55), (0.05, -0.75), (0.28, -0.55)], "#c39a62", 0.03)
    c.outlined([(-0.4, -0.15), (-0.1, -0.42), (0.2, -0.42), (0.46, -0.2)], tone, 0.2)
    c.outlined([(-0.4, -0.35), (0.0, -0.12), (0.42, 0.0)], tone, 0.17)
    c.outlined([(-0.26, 0.55), (0.05, 0.4), (0.38, 0.5)], tone, 0.15)
    c.rect(0.2, 0.36, 0.38, 0.56, "#e0b840", radius=0.03)
    c.rect(0.25, 0.41, 0.33, 0.51, tone, line=0)


def t_shirt(c: Canvas, tone: Color) -> None:
    c.polygon(
        xy(
            "-0.3,-0.85 -0.62,-0.72 -1,-0.2 -0.7,0 -0.52,-0.2 -0.52,0.92 "
            "0.52,0.92 0.52,-0.2 0.7,0 1,-0.2 0.62,-0.72 0.3,-0.85"
        ),
        tone,
        shade=0.28,
    )
    c.polygon(oval(0, -0.86, 0.3, 0.24, start=0, stop=180), tint(tone, -0.35))
    for side in (-1, 1):
        c.stroke([(side * 0.52, -0.2), (side * 0.5, -0.45)], tint(tone, -0.3), 0.025)
        c.stroke([(side * 0.3, 0.4), (side * 0.36, 0.8)], tint(tone, -0.15), 0.025)
    star = [(r * np.sin(k * np.pi / 5), 0.0 - r * np.cos(k * np.pi / 5)) for k, r in enumerate((0.26, 0.11) * 5)]
    c.polygon(star, "#ffffff", line=0)


def dress(c: Canvas, tone: Color) -> None:
    for side in (-1, 1):
        c.outlined([(side * 0.22, -0.6), (side * 0.18, -0.95)], tone, 0.07, curve=False)
    c.blob(mirror(xy("0,-0.05 0.3,-0.05 0.55,0.4 0.85,0.92 0.4,0.98")), tone, shade=0.3)
    c.polygon(mirror([(0.1, -0.58), (0.34, -0.68), (0.34, -0.3), (0.27, 0.02)]), tone, shade=0.3)
    for x in (-0.5, -0.2, 0.15, 0.48):
        c.stroke([(x * 0.4, 0.1), (x, 0.9)], tint(tone, -0.25), 0.03)
    c.rect(-0.29, -0.06, 0.29, 0.06, tint(tone, -0.4))
    c.ellipse(0.2, 0, 0.09, color="#f2d04a")


def trousers(c: Canvas, tone: Color) -> None:
    c.polygon(xy("-0.45,-0.95 0.45,-0.95 0.6,0.98 0.16,0.98 0,-0.2 -0.16,0.98 -0.6,0.98"), tone, shade=0.3)
    c.rect(-0.46, -0.98, 0.46, -0.82, tint(tone, -0.25))
    for x in (-0.3, 0, 0.3):
        c.rect(x - 0.03, -1.0, x + 0.03, -0.8, tint(tone, 0.15), line=0.01)
    c.stroke([(0, -0.82), (0, -0.25)], tint(tone, -0.4), 0.03, curve=False)
    for side in (-1, 1):
        c.stroke([(side * 0.28, -0.8), (side * 0.44, -0.55)], tint(tone, -0.4), 0.03)
        c.stroke([(side * 0.36, -0.2), (side * 0.38, 0.9)], tint(tone, 0.2), 0.02)
        c.rect(side * 0.38 - 0.22, 0.88, side * 0.38 + 0.22, 0.99, tint(tone, 0.3))


def sock(c: Canvas, tone: Color) -> None:
    shape = smooth(xy("-0.15,-0.9 0.45,-0.9 0.45,0.1 0.42,0.6 0.1,0.85 -0.6,0.95 -0.85,0.7 -0.6,0.45 -0.15,0.2"))
    c.polygon(shape, tone, shade=0.3)
    for y in (-0.5, -0.25, 0.0):
        c.rect(-0.13, y, 0.46, y + 0.11, "#f7f3ea", line=0)
    c.rect(-0.2, -0.98, 0.5, -0.7, tint(tone, -0.25), radius=0.05)
    c.blob(xy("-0.86,0.72 -0.62,0.46 -0.4,0.6 -0.45,0.92 -0.7,0.94"), tint(tone, -0.25))
    c.blob([(0.44, 0.3), (0.43, 0.6), (0.2, 0.78), (0.15, 0.5)], tint(tone, -0.25))


def coat(c: Canvas, tone: Color) -> None:
    for side in (-1, 1):
        c.polygon(
            [(side * 0.3, -0.75), (side * 0.6, -0.6), (side * 0.9, 0.5), (side * 0.66, 0.58), (side * 0.42, -0.1)],
            tint(tone, -0.1),
            shade=0.25,
        )
    c.polygon(xy("-0.36,-0.8 0.36,-0.8 0.5,-0.1 0.58,0.96 -0.58,0.96 -0.5,-0.1"), tone, shade=0.28)
    c.stroke([(0.03, -0.4), (0.05, 0.94)], tint(tone, -0.4), 0.03, curve=False)
    for side in (-1, 1):
        c.polygon([(0, -0.3), (side * 0.36, -0.85), (side * 0.42, -0.5), (side * 0.2, -0.4)], tint(tone, -0.2))
        c.rect(side * 0.34 - 0.13, 0.36, side * 0.34 + 0.13, 0.44, tint(tone, -0.25))
    c.rect(-0.52, 0.02, 0.52, 0.14, tint(tone, -0.35))
    c.dots([(x, y) for y in (-0.15, 0.26, 0.52) for x in (-0.1, 0.18)], 0.045, "#3a2a20")
