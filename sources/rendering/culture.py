"""Musical instruments, hats and masks, one function each; ``tone`` is the main colour."""

from __future__ import annotations

import numpy as np

from .canvas import Canvas, Color, mirror, oval, smooth, tint, xy

DARK = "#2a2422"
GOLD = "#d9b03a"
IVORY = "#f6f1e2"


def guitar(c: Canvas, tone: Color) -> None:
    body = mirror(xy("0,0.02 0.24,0 0.38,0.14 0.33,0.34 0.4,0.48 0.54,0.68 0.44,0.93 0.15,1"))
    c.blob(body, tone, shade=0.32)
    c.rect(-0.075, -0.72, 0.075, 0.3, "#5a3a24")
    for y in np.arange(-0.66, 0.1, 0.11):
        c.stroke([(-0.07, y), (0.07, y)], "#c9b98a", 0.014, curve=False)
    c.ellipse(0, 0.38, 0.15, color=DARK, line=0.03)
    c.polygon([(-0.12, -0.72), (-0.15, -0.98), (0.15, -0.98), (0.12, -0.72)], tint(tone, -0.35))
    c.dots([(s * 0.19, y) for s in (-1, 1) for y in (-0.93, -0.85, -0.77)], 0.035, "#d8d8d8")
    c.rect(-0.17, 0.7, 0.17, 0.77, "#4a2f1e")
    for x in (-0.045, -0.015, 0.015, 0.045):
        c.stroke([(x, -0.9), (x, 0.72)], "#f0ead8", 0.008, curve=False)


def violin(c: Canvas, tone: Color) -> None:
    c.outlined([(0.5, -0.9), (0.8, 0.95)], "#6b4226", 0.04, curve=False)
    c.stroke([(0.45, -0.88), (0.74, 0.95)], IVORY, 0.016, curve=False)
    right = xy("0,-0.24 0.26,-0.22 0.37,-0.04 0.31,0.12 0.2,0.24 0.21,0.38 0.36,0.52 0.46,0.72 0.36,0.94 0.1,1")
    c.blob(mirror(right) - (0.18, 0), tone, shade=0.4)
    c.polygon([(-0.23, -0.72), (-0.13, -0.72), (-0.11, 0.42), (-0.25, 0.42)], DARK)
    c.stroke(xy("-0.18,-0.7 -0.18,-0.9 -0.08,-0.97 -0.03,-0.88 -0.1,-0.86"), tint(tone, -0.3), 0.07)
    for side in (-1, 1):
        c.stroke(
            [
                (-0.18 + side * 0.2, 0.32),
                (-0.18 + side * 0.15, 0.42),
                (-0.18 + side * 0.2, 0.54),
                (-0.18 + side * 0.15, 0.62),
            ],
            DARK,
            0.03,
        )
        c.stroke([(-0.18, -0.8), (-0.18 + side * 0.13, -0.78 + 0.05 * side)], DARK, 0.035, curve=False)
    c.rect(-0.28, 0.55, -0.08, 0.59, "#e8d8a8")
    c.polygon([(-0.25, 0.7), (-0.11, 0.7), (-0.14, 0.96), (-0.22, 0.96)], DARK)
    for x in (-0.21, -0.18, -0.15):
        c.stroke([(x, -0.68), (x, 0.72)], "#e9e4d2", 0.008, curve=False)


def drum(c: Canvas, tone: Color) -> None:
    body = np.concatenate([oval(0, 0.68, 0.82, 0.24, start=0, stop=180), [(-0.82, -0.25), (0.82, -0.25)]])
    c.polygon(body, tone, shade=0.35)
    for k in range(8):
        x0, x1 = -0.8 + 0.2 * k, -0.7 + 0.2 * k
        dip = 0.22
        c.stroke(
            [(x0, -0.2 + dip * np.sqrt(max(0, 1 - x0 * x0))), (x1, 0.66 + dip * np.sqrt(max(0, 1 - x1 * x1)))],
            IVORY,
            0.03,
            curve=False,
        )
        c.stroke(
            [
                (x1, 0.66 + dip * np.sqrt(max(0, 1 - x1 * x1))),
                (x0 + 0.2, -0.2 + dip * np.sqrt(max(0, 1 - (x0 + 0.2) ** 2))),
            ],
            IVORY,
            0.03,
            curve=False,
        )
    c.stroke(oval(0, 0.68, 0.82, 0.24, start=0, stop=180), GOLD, 0.09, curve=False)
    c.ellipse(0, -0.25, 0.84, 0.26, color=GOLD)
    c.ellipse(0, -0.27, 0.75, 0.2, color=IVORY)
    for a, b in (((-0.75, -0.98), (0.1, -0.28)), ((0.8, -0.95), (0.0, -0.3))):
        c.outlined([a, b], "#b07d48", 0.045, curve=False)
        c.ellipse(*b, 0.06, color="#8a5a30")


def trumpet(c: Canvas, tone: Color) -> None:
    c.stroke([(-0.92, -0.1), (0.6, -0.1)], tint(tone, -0.45), 0.11, curve=False)
    c.stroke([(-0.92, -0.1), (0.6, -0.1)], tone, 0.075, curve=False)
    loop = oval(0.02, 0.14, 0.42, 0.24)
    c.stroke(loop, tint(tone, -0.45), 0.11, curve=False)
    c.stroke(loop, tone, 0.07, curve=False)
    c.polygon(
        smooth(xy("0.3,-0.16 0.62,-0.2 0.88,-0.44 0.96,-0.5 0.96,0.3 0.88,0.24 0.62,0 0.3,-0.04")), tone, shade=0.4
    )
    c.ellipse(0.96, -0.1, 0.08, 0.4, color=tint(tone, -0.35))
    for x in (-0.16, 0.0, 0.16):
        c.rect(x - 0.06, -0.22, x + 0.06, 0.46, tint(tone, 0.15), radius=0.03, shade=0.35)
        c.rect(x - 0.02, -0.38, x + 0.02, -0.22, "#cfcfcf", line=0.012)
        c.ellipse(x, -0.39, 0.055, 0.025, color=IVORY)
    c.polygon([(-1, -0.2), (-0.88, -0.13), (-0.88, -0.07), (-1, 0.0)], "#cfcfcf")


def piano(c: Canvas, tone: Color) -> None:
    c.rect(-0.9, -0.75, 0.9, 0.1, tone, shade=0.3)
    c.rect(-0.96, -0.82, 0.96, -0.7, tint(tone, 0.12))
    c.rect(-0.3, -0.6, 0.3, -0.18, tint(tone, 0.18))
    c.polygon(xy("-0.24,-0.55 0,-0.5 0.24,-0.55 0.24,-0.22 0,-0.18 -0.24,-0.22"), IVORY)
    for y in (-0.44, -0.36, -0.28):
        c.stroke([(-0.18, y), (-0.04, y + 0.02)], DARK, 0.012, curve=False)
        c.stroke([(0.04, y + 0.02), (0.18, y)], DARK, 0.012, curve=False)
    c.rect(-0.85, 0.3, 0.85, 0.9, tint(tone, -0.25))
    c.rect(-0.96, 0.08, 0.96, 0.34, tone)
    c.rect(-0.86, 0.08, 0.86, 0.26, "#fbfaf4", line=0.01)
    for k in range(1, 15):
        x = -0.86 + 1.72 * k / 15
        c.stroke([(x, 0.09), (x, 0.26)], "#8f8b82", 0.01, curve=False)
        if k % 7 not in (3, 0):
            c.rect(x - 0.028, 0.08, x + 0.028, 0.19, DARK, line=0)
    for x in (-0.86, 0.86):
        c.rect(x - 0.07, 0.34, x + 0.07, 0.98, tone)
    for x in (-0.08, 0.08):
        c.ellipse(x, 0.94, 0.05, 0.035, color=GOLD)


def harp(c: Canvas, tone: Color) -> None:
    for k in range(11):
        t = k / 10
        top = (-0.5 + 1.0 * t, -0.72 + 0.3 * np.sin(t * 3.0) - 0.16 * t)
        c.stroke([top, (-0.44 + 0.9 * t, 0.82 - 1.05 * t)], "#f3ead0", 0.014, curve=False)
    c.outlined([(0.58, -0.75), (0.52, -0.1), (0.0, 0.55), (-0.45, 0.9)], tone, 0.16)
    c.outlined([(-0.56, -0.95), (-0.56, 0.88)], tone, 0.13, curve=False)
    c.outlined(xy("-0.56,-0.9 -0.25,-0.5 0.1,-0.55 0.35,-0.88 0.58,-0.78"), tone, 0.13)
    c.rect(-0.76, 0.85, -0.05, 0.99, tint(tone, -0.2), radius=0.05)
    c.ellipse(-0.56, -0.95, 0.12, color=tint(tone, 0.2), shade=0.4, ball=True)


def accordion(c: Canvas, tone: Color) -> None:
    for k in range(7):
        x0, x1 = -0.42 + 0.12 * k, -0.3 + 0.12 * k
        top = -0.62 - 0.14 * np.sin((k + 0.5) / 7 * np.pi)
        c.polygon(
            [(x0, top), ((x0 + x1) / 2, top - 0.06), (x1, top), (x1, 0.66), ((x0 + x1) / 2, 0.72), (x0, 0.66)],
            tint(tone, -0.3 if k % 2 else 0.25),
        )
    c.polygon([(-0.98, -0.62), (-0.42, -0.7), (-0.42, 0.76), (-0.98, 0.68)], tone, shade=0.3)
    c.polygon([(0.42, -0.7), (0.98, -0.62), (0.98, 0.68), (0.42, 0.76)], tone, shade=0.3)
    for k in range(9):
        y = -0.52 + 0.125 * k
        c.rect(-0.94, y, -0.66, y + 0.11, IVORY, line=0.012)
        if k % 3:
            c.rect(-0.8, y - 0.03, -0.66, y + 0.03, DARK, line=0)
    c.dots([(x, y) for x in (0.56, 0.7, 0.84) for y in np.arange(-0.5, 0.6, 0.14)], 0.045, IVORY)


def maracas(c: Canvas, tone: Color) -> None:
    for angle, color, side in ((-28, tone, -1), (28, tint(tone, 0.0), 1)):
        a = np.radians(angle)
        x, y = np.sin(a) * 0.85 * 1.0, -0.45
        c.outlined([(x * 0.8, y + 0.3), (x * 0.1 - side * 0.12, 0.95)], "#b9814a", 0.12, curve=False)
        c.ellipse(x * 1.1, y, 0.36, 0.46, color=color, shade=0.42, ball=True, angle=angle)
        for dy in (-0.12, 0.08):
            c.stroke(
                [
                    (x * 1.1 - 0.32, y + dy + 0.05),
                    (x * 1.1 - 0.1, y + dy - 0.06),
                    (x * 1.1 + 0.1, y + dy + 0.05),
                    (x * 1.1 + 0.32, y + dy - 0.05),
                ],
                "#f6d84a",
                0.06,
            )


def top_hat(c: Canvas, tone: Color) -> None:
    c.ellipse(0, 0.62, 0.98, 0.24, color=tone, shade=0.3)
    c.polygon(
        np.concatenate([[(-0.62, -0.85), (0.62, -0.85), (0.56, 0.52)], oval(0, 0.52, 0.56, 0.16, start=0, stop=180)]),
        tone,
        shade=0.4,
    )
    c.ellipse(0, -0.85, 0.62, 0.15, color=tint(tone, 0.12))
    c.polygon(
        np.concatenate([[(-0.58, 0.24), (0.58, 0.24), (0.56, 0.52)], oval(0, 0.52, 0.56, 0.16, start=0, stop=180)]),
        "#a82c34",
        shade=0.3,
    )


def sombrero(c: Canvas, tone: Color) -> None:
    c.ellipse(0, 0.45, 1.0, 0.42, color=tone, shade=0.3)
    c.ellipse(0, 0.38, 0.86, 0.3, color=tint(tone, -0.12), line=0.015)
    c.dots([(0.93 * np.cos(a), 0.44 + 0.37 * np.sin(a)) for a in np.linspace(0, 6.283, 28)], 0.045, "#c8322c")
    c.blob(mirror(xy("0,-0.82 0.2,-0.75 0.32,-0.2 0.48,0.38 0.2,0.5")), tone, shade=0.35)
    for y, color in ((0.2, "#c8322c"), (0.06, "#2f8a4c"), (-0.08, "#2f6ab5")):
        half = 0.38 + 0.3 * (y - 0.06)
        c.stroke([(-half, y), (0, y + 0.1), (half, y)], color, 0.08)


def crown(c: Canvas, tone: Color) -> None:
    c.ellipse(0, -0.1, 0.7, 0.16, color="#8c2036")
    points = xy("-0.8,0.72 -0.95,-0.45 -0.5,0.08 -0.42,-0.7 0,0 0.42,-0.7 0.5,0.08 0.95,-0.45 0.8,0.72")
    c.polygon(np.concatenate([points, oval(0, 0.72, 0.8, 0.16, start=0, stop=180)]), tone, shade=0.4)
    c.stroke(oval(0, 0.42, 0.82, 0.14, start=0, stop=180), tint(tone, -0.3), 0.03, curve=False)
    for x, y in ((-0.95, -0.5), (-0.42, -0.76), (0.42, -0.76), (0.95, -0.5)):
        c.ellipse(x, y, 0.09, color="#f4f0e4", shade=0.4, ball=True)
    for x, y, color in ((-0.5, 0.66, "#2f6ab5"), (0, 0.72, "#c8202c"), (0.5, 0.66, "#2f8a4c")):
        c.ellipse(x, y, 0.12, 0.1, color=color, shade=0.5, ball=True)


def cowboy_hat(c: Canvas, tone: Color) -> None:
    c.blob(xy("-0.5,0.4 -0.48,-0.4 -0.3,-0.72 0,-0.55 0.3,-0.72 0.48,-0.4 0.5,0.4"), tone, shade=0.35)
    c.stroke([(0, -0.52), (-0.04, -0.2)], tint(tone, -0.3), 0.05)
    c.polygon([(-0.52, 0.08), (0.52, 0.08), (0.53, 0.3), (-0.53, 0.3)], tint(tone, -0.55))
    c.ellipse(0.34, 0.19, 0.07, color=GOLD)
    c.blob(
        xy("-1,-0.15 -0.85,0.3 -0.4,0.62 0.4,0.62 0.85,0.3 1,-0.15 0.75,0.12 0.4,0.32 -0.4,0.32 -0.75,0.12"),
        tone,
        shade=0.3,
    )


def wizard_hat(c: Canvas, tone: Color) -> None:
    c.ellipse(0, 0.72, 0.98, 0.24, color=tone, shade=0.3)
    c.polygon(
        np.concatenate(
            [
                smooth([(-0.52, 0.68), (-0.26, -0.1), (-0.05, -0.6), (0.42, -0.95)], False),
                smooth([(0.42, -0.95), (0.22, -0.5), (0.36, 0.1), (0.52, 0.68)], False),
                oval(0, 0.68, 0.52, 0.14, start=0, stop=180),
            ]
        ),
        tone,
        shade=0.35,
    )
    c.polygon(
        np.concatenate([[(-0.47, 0.46), (0.46, 0.46), (0.52, 0.68)], oval(0, 0.68, 0.52, 0.14, start=0, stop=180)]),
        GOLD,
    )
    for x, y, r in ((-0.12, 0.2, 0.13), (0.14, -0.12, 0.11), (0.08, -0.55, 0.08), (0.28, 0.28, 0.07)):
        star = [
            ((r if k % 2 == 0 else r * 0.42) * np.cos(a) + x, (r if k % 2 == 0 else r * 0.42) * np.sin(a) + y)
            for k, a in enumerate(np.arange(10) * np.pi / 5)
        ]
        c.polygon(star, "#f9e27a", line=0.01)


def fez(c: Canvas, tone: Color) -> None:
    c.polygon(
        np.concatenate([[(-0.5, -0.55), (0.5, -0.55), (0.72, 0.7)], oval(0, 0.7, 0.72, 0.2, start=0, stop=180)]),
        tone,
        shade=0.38,
    )
    c.ellipse(0, -0.55, 0.5, 0.15, color=tint(tone, 0.12))
    c.stroke([(0, -0.56), (0.4, -0.6), (0.6, -0.4), (0.66, 0.1)], DARK, 0.04)
    for x in (0.58, 0.63, 0.68, 0.73):
        c.stroke([(0.66, 0.1), (x, 0.5)], DARK, 0.03, curve=False)
    c.ellipse(0.66, 0.12, 0.06, color=GOLD)


def carnival_mask(c: Canvas, tone: Color) -> None:
    for angle, color in ((-120, "#2f8a9a"), (-105, "#7d3fa0"), (-90, "#e0447a"), (-75, "#7d3fa0"), (-60, "#2f8a9a")):
        a = np.radians(angle)
        tip = np.array([0.95 * np.cos(a), -0.05 + 0.9 * np.sin(a)])
        across = np.array([-np.sin(a), np.cos(a)]) * 0.16
        c.blob([(0, -0.1), tuple(tip * 0.6 + across), tuple(tip), tuple(tip * 0.6 - across)], color, shade=0.3)
    c.blob(
        xy(
            "-1,-0.25 -0.5,-0.3 0,-0.16 0.5,-0.3 1,-0.25 0.85,0.25 0.5,0.52 "
            "0.18,0.36 0,0.2 -0.18,0.36 -0.5,0.52 -0.85,0.25"
        ),
        tone,
        shade=0.35,
    )
    for side in (-1, 1):
        c.blob([(side * 0.22, 0.12), (side * 0.42, -0.06), (side * 0.72, 0.0), (side * 0.5, 0.24)], DARK, line=0.035)
        c.stroke([(side * 0.15, -0.08), (side * 0.45, -0.2), (side * 0.85, -0.14)], GOLD, 0.04)
        c.dots([(side * 0.5, 0.38), (side * 0.66, 0.3), (side * 0.8, 0.14)], 0.04, GOLD)
    c.polygon([(0, -0.28), (0.1, -0.12), (0, 0.04), (-0.1, -0.12)], "#c8202c")


def oni_mask(c: Canvas, tone: Color) -> None:
    for side in (-1, 1):
        c.blob(
            [(side * 0.28, -0.6), (side * 0.42, -0.98), (side * 0.72, -0.98), (side * 0.56, -0.8), (side * 0.55, -0.5)],
            GOLD,
            shade=0.3,
        )
    c.blob(mirror(xy("0,-0.72 0.5,-0.66 0.78,-0.2 0.72,0.4 0.4,0.9 0.1,0.98")), tone, shade=0.38)
    for side in (-1, 1):
        c.ellipse(side * 0.34, -0.12, 0.2, 0.14, color="#f8e27a", angle=side * 12)
        c.ellipse(side * 0.32, -0.11, 0.075, color=DARK, line=0)
        c.stroke([(side * 0.1, -0.26), (side * 0.36, -0.42), (side * 0.66, -0.5)], DARK, 0.13)
        c.stroke([(side * 0.3, 0.22), (side * 0.56, 0.2), (side * 0.62, 0.36)], tint(tone, -0.4), 0.04)
    c.blob([(0, -0.1), (0.2, 0.24), (0, 0.3), (-0.2, 0.24)], tint(tone, -0.12))
    c.blob(xy("-0.5,0.42 0,0.4 0.5,0.42 0.36,0.78 0,0.84 -0.36,0.78"), "#3a0d10")
    for x in (-0.22, -0.07, 0.07, 0.22):
        c.rect(x - 0.065, 0.42, x + 0.065, 0.53, IVORY, line=0.012)
    for side in (-1, 1):
        c.polygon([(side * 0.28, 0.8), (side * 0.36, 0.48), (side * 0.44, 0.72)], IVORY)


def theatre_mask(c: Canvas, tone: Color) -> None:
    c.blob(mirror(xy("0,-0.92 0.5,-0.88 0.82,-0.7 0.78,0.1 0.45,0.78 0.1,0.97")), tone, shade=0.35)
    for side in (-1, 1):
        c.blob([(side * 0.16, -0.28), (side * 0.36, -0.48), (side * 0.58, -0.28), (side * 0.36, -0.34)], DARK)
        c.stroke([(side * 0.14, -0.55), (side * 0.36, -0.7), (side * 0.6, -0.56)], tint(tone, -0.4), 0.05)
        c.ellipse(side * 0.48, 0.05, 0.13, color="#e58a7a", line=0, shade=0, opacity=0.5)
    c.stroke([(0, -0.25), (-0.09, 0.05), (0.06, 0.08)], tint(tone, -0.35), 0.05)
    c.blob(xy("-0.48,0.2 0,0.36 0.48,0.2 0.3,0.62 0,0.72 -0.3,0.62"), DARK)


def plague_mask(c: Canvas, tone: Color) -> None:
    c.blob(xy("-0.1,-0.85 0.4,-0.85 0.8,-0.45 0.85,0.15 0.6,0.65 0.15,0.7 -0.15,0.35 -0.3,-0.35"), tone, shade=0.35)
    c.blob(
        xy("-0.2,-0.35 0.15,-0.2 0.2,0.25 -0.1,0.42 -0.6,0.62 -1,0.95 -0.8,0.35 -0.5,-0.1"),
        tint(tone, -0.12),
        shade=0.4,
    )
    c.dots([(-0.75, 0.48), (-0.55, 0.3), (-0.35, 0.18)], 0.035, DARK)
    c.stroke([(-0.2, 0.38), (-0.55, 0.55), (-0.9, 0.85)], tint(tone, -0.5), 0.025)
    c.ellipse(0.2, -0.32, 0.25, color=GOLD)
    c.ellipse(0.2, -0.32, 0.17, color="#2b4a55", shade=0.5, ball=True)
    c.outlined([(0.42, -0.25), (0.85, -0.15)], tint(tone, -0.5), 0.06, curve=False)
    c.outlined([(0.2, 0.5), (0.7, 0.45)], tint(tone, -0.5), 0.05, curve=False)


def lion_mask(c: Canvas, tone: Color) -> None:
    for a in range(0, 360, 20):
        x, y = 0.72 * np.cos(np.radians(a)), 0.72 * np.sin(np.radians(a))
        c.ellipse(x, y, 0.3, 0.2, color=tint(tone, -0.35 if a % 40 else -0.2), angle=a)
    c.ellipse(0, 0, 0.68, 0.7, color=tone, shade=0.35, ball=True)
    for side in (-1, 1):
        c.ellipse(side * 0.52, -0.55, 0.18, color=tone)
        c.ellipse(side * 0.27, -0.18, 0.15, 0.11, color="#2f8a5a")
        c.ellipse(side * 0.27, -0.18, 0.06, 0.09, color=DARK, line=0)
        c.stroke([(side * 0.1, -0.36), (side * 0.3, -0.42), (side * 0.48, -0.32)], tint(tone, -0.6), 0.07)
        c.ellipse(side * 0.17, 0.32, 0.22, 0.18, color=IVORY)
        for dy in (-0.03, 0.06):
            c.stroke([(side * 0.25, 0.32 + dy), (side * 0.7, 0.28 + 2.5 * dy)], DARK, 0.018, curve=False)
    c.polygon([(-0.16, 0.06), (0.16, 0.06), (0, 0.24)], "#5a2a22")
    c.polygon(oval(0, 0.48, 0.2, 0.2, start=0, stop=180), "#8c2a2a")
