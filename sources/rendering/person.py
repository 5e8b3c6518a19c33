"""People drawn as cartoon figures that their dress and tools give away; ``tone`` colours their main garment."""

from __future__ import annotations

import numpy as np

from .canvas import Canvas, Color, mirror, oval, smooth, tint, xy

DARK = "#2a2624"
WHITE = "#f7f6f2"
GOLD = "#dcb33c"
STEEL = "#a9b0b8"
SKINS = ("#f3cfae", "#e6b48a", "#c98f62", "#9a653f", "#6f4529")
HAIRS = ("#2a1d16", "#5a3820", "#a8703a", "#d9b25c", "#8a3b1e", "#8d8d8d")


def _pick(c: Canvas, options: tuple[str, ...]) -> str:
    return options[int(c.rng.integers(len(options)))]


def _figure(
    c: Canvas,
    top: str | Color,
    trousers: str | Color,
    *,
    gloves: str | None = None,
    hair: bool = True,
    robe: bool = False,
) -> str:
    """Body, arms, legs and head; returns the skin colour. The head's centre is (0, -0.5), its radius 0.3."""
    skin = _pick(c, SKINS)
    mane = _pick(c, HAIRS[:2] if skin in SKINS[3:] else HAIRS)
    long_hair = hair and c.rng.random() < 0.4
    if long_hair:
        c.blob(mirror(xy("0,-0.86 0.34,-0.72 0.4,-0.3 0.36,0.02 0.1,0")), mane)
    for side in (-1, 1):
        if not robe:
            c.rect(side * 0.17 - 0.14, 0.5, side * 0.17 + 0.14, 0.94, trousers, shade=0.25)
        c.ellipse(side * 0.2, 0.95, 0.2, 0.07, color=DARK)
        c.outlined([(side * 0.32, -0.1), (side * 0.52, 0.16), (side * 0.56, 0.4)], tint(top, -0.06), 0.19)
        c.ellipse(side * 0.56, 0.46, 0.1, color=gloves or skin)
    hem = 0.92 if robe else 0.58
    c.blob(
        mirror([(0, -0.24), (0.28, -0.2), (0.4, -0.02), (0.36, 0.3), (0.44 if robe else 0.36, hem), (0.1, hem)]),
        top,
        shade=0.28,
    )
    c.rect(-0.09, -0.3, 0.09, -0.16, skin, line=0)
    for side in (-1, 1):
        c.ellipse(side * 0.3, -0.48, 0.07, 0.09, color=skin)
    c.ellipse(0, -0.5, 0.3, 0.32, color=skin, shade=0.2)
    if hair:
        c.polygon(
            np.concatenate(
                [
                    oval(0, -0.54, 0.32, 0.32, start=180, stop=360),
                    smooth([(0.32, -0.5), (0.15, -0.68), (-0.1, -0.7), (-0.32, -0.5)], False),
                ]
            ),
            mane,
        )
    for side in (-1, 1):
        c.ellipse(side * 0.11, -0.48, 0.032, 0.042, color=DARK, line=0)
        c.stroke([(side * 0.06, -0.57), (side * 0.16, -0.57)], tint(mane, -0.2), 0.02, curve=False)
        c.ellipse(side * 0.18, -0.38, 0.05, 0.035, color="#e07a6a", line=0, shade=0, opacity=0.45)
    c.stroke([(-0.1, -0.34), (0, -0.29), (0.1, -0.34)], "#8c3a32", 0.025)
    c.stroke([(0, -0.46), (0.03, -0.41), (-0.01, -0.4)], tint(skin, -0.3), 0.018)
    return skin


def firefighter(c: Canvas, tone: Color) -> None:
    _figure(c, tone, tint(tone, -0.2), gloves="#4a4038", hair=False)
    for y in (0.1, 0.42):
        c.rect(-0.38, y, 0.38, y + 0.08, "#e8e34a", line=0.01)
    c.rect(-0.02, -0.15, 0.02, 0.58, DARK, line=0)
    for side in (-1, 1):
        c.rect(side * 0.17 - 0.14, 0.74, side * 0.17 + 0.14, 0.81, "#e8e34a", line=0.01)
    c.polygon(oval(0, -0.62, 0.36, 0.34, start=180, stop=360), "#c8202c", shade=0.35)
    c.ellipse(0, -0.62, 0.44, 0.08, color="#a81a24")
    c.polygon(xy("-0.09,-0.88 0.09,-0.88 0.08,-0.7 0,-0.64 -0.08,-0.7"), GOLD)
    c.outlined([(0.6, 0.9), (0.62, -0.2)], "#a8713f", 0.06, curve=False)
    c.polygon([(0.55, -0.3), (0.86, -0.36), (0.84, -0.06), (0.55, -0.12)], STEEL)


def doctor(c: Canvas, tone: Color) -> None:
    _figure(c, WHITE, tone, robe=False)
    c.polygon([(-0.12, -0.22), (0.12, -0.22), (0, 0.12)], tone)
    for side in (-1, 1):
        c.polygon([(side * 0.1, -0.24), (side * 0.3, -0.16), (side * 0.04, 0.18)], "#e4e8ea")
    c.rect(-0.36, 0.5, 0.36, 0.72, WHITE, shade=0.15)
    c.stroke([(0, 0.15), (0, 0.7)], "#b9c0c4", 0.02, curve=False)
    c.stroke(xy("-0.16,-0.22 -0.18,0.1 -0.02,0.24 0.14,0.1 0.14,-0.22"), "#3a4a55", 0.04)
    c.ellipse(0.0, 0.28, 0.07, color=STEEL)
    c.rect(0.14, 0.26, 0.3, 0.42, "#e8ecee", line=0.014)
    c.stroke([(0.22, 0.29), (0.22, 0.39)], "#c8202c", 0.035, curve=False)
    c.stroke([(0.17, 0.34), (0.27, 0.34)], "#c8202c", 0.035, curve=False)
    c.stroke(oval(0, -0.66, 0.32, 0.1, start=180, stop=360), "#3a3f44", 0.04, curve=False)
    c.ellipse(0.06, -0.76, 0.09, color="#dfe6ea")


def chef(c: Canvas, tone: Color) -> None:
    _figure(c, WHITE, tone)
    c.polygon([(-0.14, -0.24), (0.14, -0.24), (0.05, -0.1), (-0.05, -0.1)], "#c8322c")
    c.dots([(x, y) for x in (-0.11, 0.11) for y in (0.02, 0.18, 0.34)], 0.035, DARK)
    c.polygon([(-0.3, 0.34), (0.3, 0.34), (0.36, 0.8), (-0.36, 0.8)], "#e9e6dc")
    for x, y, r in ((-0.24, -0.95, 0.19), (0.24, -0.95, 0.19), (0, -1.02, 0.23)):
        c.ellipse(x, y, r, color=WHITE, shade=0.2)
    c.rect(-0.3, -0.94, 0.3, -0.66, WHITE, shade=0.15)
    c.outlined([(0.56, 0.5), (0.66, 0.05)], "#a8713f", 0.05, curve=False)
    c.ellipse(0.69, -0.08, 0.1, 0.14, color="#c89a62")


def police_officer(c: Canvas, tone: Color) -> None:
    _figure(c, tone, tint(tone, -0.25))
    c.polygon([(-0.1, -0.24), (0.1, -0.24), (0, -0.12)], "#dfe6ea")
    c.polygon([(0, -0.14), (0.05, 0.2), (0, 0.28), (-0.05, 0.2)], DARK)
    c.rect(-0.37, 0.42, 0.37, 0.53, DARK)
    c.rect(-0.07, 0.41, 0.07, 0.54, GOLD)
    star = [
        (0.2 + (0.1 if k % 2 == 0 else 0.045) * np.cos(a), 0.05 + (0.1 if k % 2 == 0 else 0.045) * np.sin(a))
        for k, a in enumerate(np.arange(10) * np.pi / 5)
    ]
    c.polygon(star, GOLD, line=0.012)
    c.blob(xy("-0.42,-0.88 0,-1 0.42,-0.88 0.33,-0.7 -0.33,-0.7"), tone, shade=0.3)
    c.rect(-0.32, -0.74, 0.32, -0.66, DARK)
    c.polygon(oval(0, -0.66, 0.32, 0.09, start=0, stop=180), "#15171b")
    c.ellipse(0, -0.82, 0.08, color=GOLD)


def astronaut(c: Canvas, tone: Color) -> None:
    c.rect(-0.46, -0.25, 0.46, 0.45, "#b9bec4", radius=0.1)
    _figure(c, "#eef0f2", "#e2e5e8", gloves="#8d959c", hair=False)
    c.ellipse(0, -0.5, 0.46, 0.46, color="#eef0f2", shade=0.3)
    c.ellipse(0, -0.48, 0.35, 0.32, color="#24384f", shade=0.45, ball=True)
    c.stroke(oval(-0.02, -0.5, 0.26, 0.22, start=190, stop=260), "#ffffff", 0.05, opacity=0.7)
    c.rect(-0.2, 0.05, 0.2, 0.34, "#c9ced3", radius=0.04)
    c.dots([(-0.1, 0.14), (0, 0.14)], 0.035, "#c8322c")
    c.dots([(0.1, 0.14), (-0.05, 0.25), (0.08, 0.25)], 0.035, "#2f8ac8")
    for side in (-1, 1):
        c.stroke([(side * 0.4, 0.1), (side * 0.56, 0.05)], tone, 0.06, curve=False)
        c.rect(side * 0.17 - 0.15, 0.66, side * 0.17 + 0.15, 0.72, tone, line=0)


def farmer(c: Canvas, tone: Color) -> None:
    _figure(c, "#c8443c", tone)
    c.stroke([(-0.38, 0.2), (0.38, 0.2)], "#f0e2c8", 0.02, curve=False)
    c.polygon(xy("-0.24,0.02 0.24,0.02 0.37,0.35 0.36,0.64 -0.36,0.64 -0.37,0.35"), tone)
    for side in (-1, 1):
        c.stroke([(side * 0.2, 0.05), (side * 0.26, -0.2)], tone, 0.08, curve=False)
        c.ellipse(side * 0.2, 0.07, 0.04, color=GOLD)
    c.rect(-0.12, 0.14, 0.12, 0.3, tint(tone, -0.2))
    c.ellipse(0, -0.68, 0.56, 0.11, color="#e3bd62")
    c.blob(mirror([(0, -1.0), (0.22, -0.96), (0.3, -0.7), (0.1, -0.66)]), "#e3bd62", shade=0.3)
    c.stroke([(-0.29, -0.74), (0, -0.7), (0.29, -0.74)], "#8c5a2c", 0.06)
    c.outlined([(-0.62, 0.95), (-0.62, -0.3)], "#a8713f", 0.05, curve=False)
    for x in (-0.76, -0.62, -0.48):
        c.stroke([(-0.62, -0.2), (x, -0.32), (x, -0.62)], "#6c737a", 0.04, curve=False)


def painter(c: Canvas, tone: Color) -> None:
    _figure(c, "#e6e9ee", "#4a5a78")
    for y in (-0.08, 0.08, 0.24, 0.4):
        c.stroke([(-0.37, y), (0.37, y)], "#3a5a8c", 0.05, curve=False)
    c.polygon([(-0.26, 0.12), (0.26, 0.12), (0.36, 0.74), (-0.36, 0.74)], "#d9cfb8")
    c.dots([(-0.15, 0.3), (0.1, 0.42), (-0.05, 0.6)], 0.05, tone)
    c.blob(xy("-0.36,-0.78 -0.1,-1 0.34,-0.96 0.42,-0.76 0.1,-0.7 -0.28,-0.66"), tone, shade=0.35)
    c.stroke([(0.12, -0.97), (0.15, -1.06)], tone, 0.05, curve=False)
    c.blob(xy("-0.95,0.3 -0.7,0.1 -0.4,0.25 -0.42,0.52 -0.7,0.62 -0.92,0.5"), "#b98550", shade=0.25)
    for x, y, color in (
        (-0.82, 0.32, "#c8202c"),
        (-0.68, 0.22, "#f0c02c"),
        (-0.54, 0.3, "#2f8a4c"),
        (-0.8, 0.48, "#2f6ab5"),
        (-0.64, 0.5, "#ffffff"),
    ):
        c.ellipse(x, y, 0.06, color=color)
    c.outlined([(0.52, 0.52), (0.76, -0.05)], "#8c5a2c", 0.035, curve=False)
    c.ellipse(0.78, -0.1, 0.05, 0.09, color=tone, angle=20)


def pirate(c: Canvas, tone: Color) -> None:
    _figure(c, WHITE, "#4a3a30")
    for y in (0.0, 0.16, 0.32):
        c.stroke([(-0.36, y), (0.36, y)], "#c8322c", 0.06, curve=False)
    for side in (-1, 1):
        c.polygon([(side * 0.12, -0.22), (side * 0.36, -0.16), (side * 0.42, 0.62), (side * 0.22, 0.62)], tone)
    c.rect(-0.38, 0.42, 0.38, 0.53, "#5a3a20")
    c.rect(-0.08, 0.4, 0.08, 0.55, GOLD)
    c.blob(xy("-0.62,-0.66 -0.4,-0.95 0,-1.03 0.4,-0.95 0.62,-0.66 0.2,-0.72 -0.2,-0.72"), DARK, shade=0.3)
    c.ellipse(0, -0.86, 0.08, color=WHITE, line=0)
    for a, b in (((-0.12, -0.92), (0.12, -0.74)), ((0.12, -0.92), (-0.12, -0.74))):
        c.stroke([a, b], WHITE, 0.03, curve=False)
    c.ellipse(0.11, -0.48, 0.09, color=DARK, line=0)
    c.stroke([(-0.3, -0.64), (0.3, -0.4)], DARK, 0.025, curve=False)
    c.blob(xy("-0.28,-0.36 0,-0.38 0.28,-0.36 0.16,-0.1 0,-0.04 -0.16,-0.1"), "#4a2c1c")
    c.stroke([(-0.08, -0.3), (0.08, -0.3)], "#d99a8a", 0.03, curve=False)
    c.stroke([(0.56, 0.42), (0.78, 0.0), (0.84, -0.35)], "#dfe4e8", 0.08)
    c.stroke([(0.46, 0.32), (0.68, 0.42)], GOLD, 0.06, curve=False)


def builder(c: Canvas, tone: Color) -> None:
    _figure(c, "#5a86b8", "#4a5a78")
    for side in (-1, 1):
        c.polygon(
            [(side * 0.03, -0.2), (side * 0.3, -0.18), (side * 0.38, 0.1), (side * 0.36, 0.5), (side * 0.03, 0.5)], tone
        )
        c.stroke([(side * 0.2, -0.18), (side * 0.2, 0.5)], "#e9ecee", 0.06, curve=False)
    c.stroke([(-0.36, 0.3), (0.36, 0.3)], "#e9ecee", 0.06, curve=False)
    c.rect(-0.37, 0.5, 0.37, 0.6, "#6f4426")
    c.polygon(oval(0, -0.64, 0.34, 0.34, start=180, stop=360), "#f2c12c", shade=0.35)
    c.rect(-0.06, -1.0, 0.06, -0.66, tint("#f2c12c", 0.2), radius=0.03)
    c.ellipse(0.04, -0.64, 0.42, 0.06, color="#d9a51c")
    c.outlined([(0.56, 0.62), (0.66, 0.0)], "#a8713f", 0.06, curve=False)
    c.rect(0.48, -0.14, 0.86, 0.03, "#6c737a", radius=0.03)


def knight(c: Canvas, tone: Color) -> None:
    _figure(c, STEEL, "#8d959c", gloves="#7d858c", hair=False)
    c.polygon([(-0.28, -0.18), (0.28, -0.18), (0.34, 0.72), (-0.34, 0.72)], tone)
    c.stroke([(0, -0.05), (0, 0.55)], WHITE, 0.09, curve=False)
    c.stroke([(-0.22, 0.14), (0.22, 0.14)], WHITE, 0.09, curve=False)
    c.blob(mirror(xy("0,-0.9 0.3,-0.82 0.36,-0.5 0.32,-0.22 0.1,-0.14")), STEEL, shade=0.4)
    c.rect(-0.28, -0.58, 0.28, -0.48, DARK)
    c.stroke([(0, -0.88), (0, -0.2)], tint(STEEL, -0.35), 0.03, curve=False)
    c.dots([(s * x, y) for s in (-1, 1) for x in (0.09, 0.18) for y in (-0.38, -0.3)], 0.022, DARK)
    c.blob([(0, -0.88), (-0.1, -1.05), (-0.42, -0.95), (-0.3, -0.8)], "#c8202c", shade=0.3)
    c.polygon(xy("0.52,0.4 0.52,-0.6 0.58,-0.72 0.64,-0.6 0.64,0.4"), "#dfe4e8")
    c.stroke([(0.42, 0.38), (0.74, 0.38)], GOLD, 0.06, curve=False)
    c.polygon(smooth(xy("-0.9,0.05 -0.38,0.05 -0.4,0.5 -0.64,0.8 -0.88,0.5")), tone, shade=0.3, line=0.04)


def king(c: Canvas, tone: Color) -> None:
    c.blob(mirror(xy("0,-0.25 0.42,-0.15 0.6,0.5 0.72,0.95 0.2,0.98")), tone, shade=0.3)
    _figure(c, "#e8e0d0", "#6a4a8c", robe=True)
    for side in (-1, 1):
        c.polygon(smooth([(side * 0.14, -0.22), (side * 0.4, -0.1), (side * 0.44, 0.9), (side * 0.26, 0.92)]), tone)
        c.stroke([(side * 0.14, -0.18), (side * 0.24, 0.4), (side * 0.24, 0.9)], WHITE, 0.1)
        c.dots([(side * 0.2, 0.1), (side * 0.24, 0.36), (side * 0.24, 0.62)], 0.025, DARK)
    c.blob(xy("-0.3,-0.4 0,-0.36 0.3,-0.4 0.2,-0.05 0,0.06 -0.2,-0.05"), "#e6e2da")
    c.stroke([(-0.08, -0.3), (0.08, -0.3)], "#c97a6a", 0.03, curve=False)
    c.polygon(xy("-0.32,-0.66 -0.38,-1 -0.17,-0.82 0,-1.06 0.17,-0.82 0.38,-1 0.32,-0.66"), GOLD, shade=0.4)
    c.dots([(-0.18, -0.73), (0.18, -0.73)], 0.04, "#2f6ab5")
    c.ellipse(0, -0.74, 0.05, color="#c8202c")
    c.outlined([(0.58, 0.9), (0.58, -0.1)], GOLD, 0.045, curve=False)
    c.ellipse(0.58, -0.16, 0.09, color="#c8202c", shade=0.5, ball=True)


def diver(c: Canvas, tone: Color) -> None:
    for side in (-1, 1):
        c.rect(side * 0.3 - 0.13, -0.28, side * 0.3 + 0.13, 0.45, "#f0c02c", radius=0.1)
        c.blob([(side * 0.1, 0.88), (side * 0.35, 0.86), (side * 0.68, 1.0), (side * 0.1, 1.0)], "#f0c02c")
    _figure(c, tone, tone, gloves=DARK, hair=False)
    c.polygon(
        np.concatenate(
            [
                oval(0, -0.5, 0.32, 0.34, start=150, stop=390),
                smooth([(0.28, -0.32), (0.24, -0.62), (-0.24, -0.62), (-0.28, -0.32)], False),
            ]
        ),
        tone,
    )
    c.rect(-0.25, -0.62, 0.25, -0.4, "#f0c02c", radius=0.09)
    c.rect(-0.2, -0.58, 0.2, -0.44, "#a9dbee", radius=0.06)
    c.stroke([(0.1, -0.3), (0.36, -0.3), (0.4, -0.9)], "#e8541e", 0.07)
    c.ellipse(0, -0.29, 0.09, 0.06, color=DARK)
    c.stroke([(-0.34, 0.0), (0.34, 0.0)], DARK, 0.05, curve=False)
    c.rect(-0.37, 0.4, 0.37, 0.5, DARK)
    c.dots([(-0.4, -0.85), (-0.5, -0.98), (-0.33, -1.0)], 0.05, "#dff3fa")
