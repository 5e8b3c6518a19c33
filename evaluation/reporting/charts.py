"""Small charts as inline SVG: no script, no fonts, nothing from outside; colours come from the page's style sheet.

Runs differ by colour, by the shape of their marks and by dashes, so that no chart is read by colour alone. Charts that
have to fit a phone use percentages for x, so that their text keeps its size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .markup import Html, tag

SERIES = 6
"""Colours; the seventh run has the first one's colour with other dashes and marks."""

DASHES = (None, "7 3", "2 3")

_SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.8L4.6 3.4h-9.2z",
    "M0-5.2L5.2 0 0 5.2-5.2 0z",
    "M-4.4-2.4L-2.4-4.4 0-2 2.4-4.4 4.4-2.4 2 0 4.4 2.4 2.4 4.4 0 2-2.4 4.4-4.4 2.4-2 0z",
    "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
)


def series_class(index: int) -> str:
    return f"series-{index % SERIES}"


def dash(index: int) -> str | None:
    return DASHES[index // SERIES % len(DASHES)]


def mark(index: int, *, hollow: bool = False) -> Html:
    """The mark of a run, centred on 0, 0."""
    shape = _SHAPES[(index + index // SERIES) % len(_SHAPES)]
    return tag("path", d=shape, class_=f"mark {series_class(index)}{' hollow' if hollow else ''}")


def swatch(index: int) -> Html:
    """The mark of a run with a piece of its line, for legends."""
    line = tag("line", x1=0, y1=8, x2=28, y2=8, class_=f"line {series_class(index)}", stroke_dasharray=dash(index))
    return tag(
        "svg",
        line,
        tag("g", mark(index), transform="translate(14 8)"),
        width=28,
        height=16,
        class_="swatch",
        aria_hidden="true",
    )


def key(index: int) -> Html:
    """The mark of a run by itself, to stand beside a number."""
    shape = tag("g", mark(index), transform="translate(6 6)")
    return tag("svg", shape, width=12, height=12, class_="key", aria_hidden="true")


@dataclass(frozen=True)
class Curve:
    """R@1 of one run over clean, s1, s2, s3.

    Attributes:
        index: of the run: its colour, mark and dashes.
        name: of the run.
        values: percent, None where not measured.
        intervals: of each value, or None.
        cliff: the step that is a cliff (1 to 3) and its fall in points, or None.
    """

    index: int
    name: str
    values: Sequence[float | None]
    intervals: Sequence[Sequence[float] | None]
    cliff: tuple[int, float] | None = None


_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 260, 168, 30, 18, 18, 24
STEPS = ("clean", "s1", "s2", "s3")


def dose_panel(curves: Sequence[Curve], top: float, description: str) -> Html:
    """Dose and response: R@1 from clean to severity 3, with intervals where there is one run, and cliffs marked."""

    def x(step: int) -> float:
        return _LEFT + step * (_WIDTH - _LEFT - _RIGHT) / 3

    def y(value: float) -> float:
        return _TOP + (1 - value / top) * (_HEIGHT - _TOP - _BOTTOM)

    parts: list[Html] = []
    for value in ticks(top):
        parts.append(tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT + 6, y1=y(value), y2=y(value), class_="grid"))
        parts.append(tag("text", f"{value:g}", x=_LEFT - 6, y=y(value) + 4, class_="axis end"))
    for step, name in enumerate(STEPS):
        parts.append(tag("text", name, x=x(step), y=_HEIGHT - 6, class_="axis middle"))
    if len(curves) == 1:
        known = [(x(i), interval) for i, interval in enumerate(curves[0].intervals) if interval is not None]
        points = [f"{at:.1f},{y(v[1]):.1f}" for at, v in known] + [f"{at:.1f},{y(v[0]):.1f}" for at, v in known[::-1]]
        parts.append(tag("polygon", points=" ".join(points), class_=f"band {series_class(curves[0].index)}"))
    for curve in curves:
        parts += _curve(curve, x, y, alone=len(curves) == 1)
    return tag("svg", parts, viewBox=f"0 0 {_WIDTH} {_HEIGHT}", class_="panel", role="img", aria_label=description)


def _curve(curve: Curve, x: Callable[[int], float], y: Callable[[float], float], *, alone: bool) -> list[Html]:
    colour = series_class(curve.index)
    known = [(i, value) for i, value in enumerate(curve.values) if value is not None]
    points = " ".join(f"{x(i):.1f},{y(value):.1f}" for i, value in known)
    parts = [tag("polyline", points=points, class_=f"line {colour}", stroke_dasharray=dash(curve.index))]
    for i, value in known:
        label = tag("title", f"{curve.name}, {STEPS[i]}: {value:.1f} %")
        parts.append(tag("g", label, mark(curve.index), transform=f"translate({x(i):.1f} {y(value):.1f})"))
    if curve.cliff is not None:
        step, fall = curve.cliff
        before, after = curve.values[step - 1], curve.values[step]
        if before is not None and after is not None:
            middle, drop = (x(step - 1) + x(step)) / 2, (y(before) + y(after)) / 2
            title = tag("title", f"{curve.name}: cliff of {fall:.1f} points from {STEPS[step - 1]} to {STEPS[step]}")
            sign = tag("path", d="M-5-4h10L0 5z", class_="cliff")
            parts.append(tag("g", title, sign, transform=f"translate({middle:.1f} {drop:.1f})"))
            if alone:
                # Below the falling line there is room on its left, but for the first step, whose left is the axis.
                fell, side = f"\N{MINUS SIGN}{fall:.0f} cliff", -1 if step > 1 else 1
                place = {"x": middle + 10 * side, "y": drop - 10 * side}
                parts.append(tag("text", fell, **place, class_=f"cliff-text {'start' if side > 0 else 'end'}"))
    return parts


def ticks(top: float) -> list[float]:
    """A few round values from 0 to ``top``."""
    step = next((s for s in (5.0, 10.0, 20.0, 25.0, 50.0) if top / s <= 5), 50.0)
    return [i * step for i in range(int(top / step + 1e-9) + 1)]


def round_up(value: float, step: float) -> float:
    return max(step, math.ceil(value / step - 1e-9) * step)


@dataclass(frozen=True)
class Point:
    """A mark on a track.

    Attributes:
        value: where; None draws nothing.
        interval: drawn as a bar behind the mark.
        index: colour and shape.
        hollow: an expectation rather than a measurement.
        words: shown when pointed at.
    """

    value: float | None
    interval: Sequence[float] | None = None
    index: int = 0
    hollow: bool = False
    words: str = ""


TRACK_GAP = 22
"""Pixels between the marks of two runs; the style sheet gives their numbers lines of this height."""


def track(points: Sequence[Point], low: float, high: float, *, zero: float | None = 0.0, bridge: bool = False) -> Html:
    """One row of a chart: marks on a line from ``low`` to ``high``; several points lie below each other.

    Args:
        points: to draw.
        low, high: the ends of the scale.
        zero: where a reference line stands; None for none.
        bridge: draw the points on one line and a bar between the first two.
    """

    def at(value: float) -> str:
        return f"{100 * (min(max(value, low), high) - low) / (high - low):.2f}%"

    gap = 0 if bridge else TRACK_GAP
    height = 20 + gap * max(len(points) - 1, 0)
    parts = [tag("line", x1=at(v), x2=at(v), y1=0, y2=height, class_="grid") for v in _marks(low, high)]
    if zero is not None and low <= zero <= high:
        parts.append(tag("line", x1=at(zero), x2=at(zero), y1=0, y2=height, class_="zero"))
    if bridge and len(points) > 1 and points[0].value is not None and points[1].value is not None:
        parts.append(tag("line", x1=at(points[0].value), x2=at(points[1].value), y1=10, y2=10, class_="bridge"))
    for row, point in enumerate(points):
        middle = 10 + gap * row
        if point.interval is not None:
            ends = {"x1": at(point.interval[0]), "x2": at(point.interval[1])}
            parts.append(tag("line", **ends, y1=middle, y2=middle, class_=f"bar {series_class(point.index)}"))
        if point.value is not None:
            parts.append(
                tag(
                    "svg",
                    tag("title", point.words) if point.words else None,
                    mark(point.index, hollow=point.hollow),
                    x=at(point.value),
                    y=middle,
                    overflow="visible",
                )
            )
    return tag("svg", parts, width="100%", height=height, class_="track", aria_hidden="true")


def scale(low: float, high: float, *, signed: bool = True) -> Html:
    """The numbers under a column of tracks."""
    marks = _marks(low, high)
    step = marks[1] - marks[0] if len(marks) > 1 else 1.0
    labels = [
        tag(
            "text",
            signed_number(v) if signed else f"{v:g}",
            x=f"{100 * (v - low) / (high - low):.2f}%",
            y=12,
            # Every other one goes where there is no room for all; zero stays.
            class_="axis middle" if round(v / step) % 2 == 0 else "axis middle minor",
        )
        for v in marks
    ]
    return tag("svg", labels, width="100%", height=16, class_="track", aria_hidden="true")


def signed_number(value: float) -> str:
    return "0" if value == 0 else f"{value:+g}".replace("-", "\N{MINUS SIGN}")


def _marks(low: float, high: float) -> list[float]:
    step = next((s for s in (1.0, 2.0, 5.0, 10.0, 20.0, 25.0, 50.0) if (high - low) / s <= 5), 50.0)
    return [i * step for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


FLOW_WIDTH, FLOW_HEIGHT = 300, 210


def flow_panel(shares: dict[str, float], description: str) -> Html:
    """Ribbons from right and wrong on clean (left) to right and wrong under corruption (right).

    Args:
        shares: percent of kept, lost, gained and missed; they add up to 100.
        description: for those who don't see it.
    """
    top, room, space, left, right = 20.0, FLOW_HEIGHT - 20.0 - 8.0 - 10.0, 10.0, 58.0, FLOW_WIDTH - 58.0

    def height(share: float) -> float:
        return room * share / 100

    kept, lost, gained = (shares[name] for name in ("kept", "lost", "gained"))
    was_right, is_right = kept + lost, kept + gained
    starts = {
        "kept": top,
        "lost": top + height(kept),
        "gained": top + height(was_right) + space,
        "missed": top + height(was_right + gained) + space,
    }
    ends = {
        "kept": top,
        "gained": top + height(kept),
        "lost": top + height(is_right) + space,
        "missed": top + height(is_right + lost) + space,
    }
    parts = []
    middle = (left + right) / 2
    for name in ("missed", "kept", "gained", "lost"):
        h, a, b = height(shares[name]), starts[name], ends[name]
        path = (
            f"M{left:.1f} {a:.1f}C{middle:.1f} {a:.1f} {middle:.1f} {b:.1f} {right:.1f} {b:.1f}V{b + h:.1f}"
            f"C{middle:.1f} {b + h:.1f} {middle:.1f} {a + h:.1f} {left:.1f} {a + h:.1f}z"
        )
        if shares[name] > 0:
            parts.append(tag("path", tag("title", f"{name}: {shares[name]:.1f} %"), d=path, class_=f"flow {name}"))
    for name in ("kept", "lost", "gained", "missed"):
        h, a, b = height(shares[name]), starts[name], ends[name]
        if h >= 11:
            # Lost and gained cross in the middle, so their names stand where each is still by itself.
            side, place = {"lost": (0.24, a * 0.86 + b * 0.14), "gained": (0.76, a * 0.14 + b * 0.86)}.get(
                name, (0.5, (a + b) / 2)
            )
            words = f"{name} {shares[name]:.0f} %"
            parts.append(
                tag("text", words, x=left + side * (right - left), y=place + h / 2 + 4, class_="flow-text middle")
            )
    for x, share, words in ((0, was_right, "clean"), (FLOW_WIDTH, is_right, "corrupted")):
        anchor = "start" if x == 0 else "end"
        parts.append(tag("text", words, x=x, y=11, class_=f"axis {anchor}"))
        wrong = top + height(share) + space
        for label, place, value in (("right", top, share), ("wrong", wrong, 100 - share)):
            if value > 0:
                at = min(max(place + height(value) / 2, top + 10), FLOW_HEIGHT - 14)
                parts.append(tag("text", label, x=x, y=at - 1, class_=f"axis {anchor}"))
                parts.append(tag("text", f"{value:.0f} %", x=x, y=at + 13, class_=f"axis strong {anchor}"))
    for edge, share in ((left - 4, was_right), (right, is_right)):
        for place, value in ((top, share), (top + height(share) + space, 100 - share)):
            parts.append(tag("rect", x=edge, y=place, width=4, height=height(value), class_="node"))
    box = f"0 0 {FLOW_WIDTH} {FLOW_HEIGHT}"
    return tag("svg", parts, viewBox=box, class_="panel flow-panel", role="img", aria_label=description)


@dataclass(frozen=True)
class Spot:
    """A run in the plane of cost and robustness."""

    index: int
    name: str
    x: float
    y: float
    interval: Sequence[float] | None = None


def plane(spots: Sequence[Spot], x_title: str, y_title: str, description: str) -> Html:
    """Cost on a logarithmic scale against the change under corruption, in points."""
    height, bottom, top = 300, 44, 26
    costs = [mantissa * 10.0**power for power in range(-4, 8) for mantissa in (1, 3)]
    first = max(i for i, cost in enumerate(costs) if cost <= min(s.x for s in spots) / 1.2 or i == 0)
    last = min(i for i, cost in enumerate(costs) if cost >= max(s.x for s in spots) * 1.2 or i == len(costs) - 1)
    costs = costs[first : last + 1]
    low_x, high_x = math.log10(costs[0]), math.log10(costs[-1])
    values = [v for s in spots for v in (s.y, *(s.interval or ()))]
    low, high = -round_up(-min(values), 5.0), max(0.0, round_up(max(values), 5.0) if max(values) > 0 else 0.0)

    def x(value: float) -> str:
        return f"{10 + 80 * (math.log10(value) - low_x) / (high_x - low_x):.2f}%"

    def y(value: float) -> float:
        return top + (high - value) / (high - low) * (height - top - bottom)

    parts = []
    for change in _marks(low, high):
        at = y(change)
        parts.append(tag("line", x1="10%", x2="98%", y1=at, y2=at, class_="grid" if change else "zero"))
        parts.append(tag("text", signed_number(change), x="9%", y=at + 4, class_="axis end"))
    for cost in costs:
        parts.append(tag("line", x1=x(cost), x2=x(cost), y1=top, y2=height - bottom, class_="grid"))
        parts.append(tag("text", f"{cost:,.6g}", x=x(cost), y=height - bottom + 18, class_="axis middle"))
    parts.append(tag("text", x_title, x="54%", y=height - 6, class_="axis middle"))
    parts.append(tag("text", y_title, x=0, y=12, class_="axis start"))
    for spot in spots:
        if spot.interval is not None:
            ends = {"y1": y(spot.interval[0]), "y2": y(spot.interval[1])}
            parts.append(tag("line", x1=x(spot.x), x2=x(spot.x), **ends, class_=f"bar {series_class(spot.index)}"))
        words = tag("title", f"{spot.name}: {spot.x:,.2f}, {signed_number(round(spot.y, 1))}")
        parts.append(tag("svg", words, mark(spot.index), x=x(spot.x), y=y(spot.y), overflow="visible"))
    return tag("svg", parts, width="100%", height=height, class_="plane", role="img", aria_label=description)
