"""The picture on a model's card: R@1 from clean to severity 3, one line a primitive."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

_LINES = (
    ("degrade", "Degrade", "#1f6feb", "o"),
    ("transform", "Transform", "#2da44e", "s"),
    ("remove", "Remove", "#cf222e", "^"),
    ("add", "Add", "#9a6700", "D"),
)


def draw_severities(results: Mapping[str, Any], title: str) -> bytes:
    """A PNG of 1200 x 750 pixels, bars are 95 % intervals; primitives that the results don't define are left out."""
    clean = results["conditions"]["it2it"]["clean"]["recall_at_1"]
    primitives = results.get("averages", {}).get("it2it", {}).get("primitives", {})
    figure = Figure(figsize=(8, 5), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    highest = clean
    for place, (key, label, color, marker) in enumerate(_LINES):
        blocks = [primitives.get(key, {}).get(f"s{s}", {}) for s in (1, 2, 3)]
        if any(block.get("recall_at_1") is None for block in blocks):
            continue
        x = [0.0, *(s + 0.07 * (place - 1.5) for s in (1, 2, 3))]  # Beside one another: intervals overlap.
        axes.plot(
            x,
            [clean, *(block["recall_at_1"] for block in blocks)],
            color=color,
            marker=marker,
            linewidth=2,
            label=label,
        )
        for position, block in zip(x[1:], blocks, strict=True):
            low, high = block.get("interval") or (block["recall_at_1"],) * 2
            axes.vlines(position, low, high, color=color, alpha=0.35, linewidth=3)
            highest = max(highest, high)
    axes.plot([0], [clean], color="#24292f", marker="o", markersize=9, zorder=5)
    axes.annotate(f"{clean:.1f}", (0, clean), xytext=(0, 10), textcoords="offset points", ha="center")
    axes.set_xticks(range(4), ["clean", "s1", "s2", "s3"])
    axes.set_xlim(-0.25, 3.25)
    axes.set_ylim(0, min(100, 10 * math.ceil(highest / 10 + 0.5)))
    axes.set_xlabel("severity of the photo's corruption")
    axes.set_ylabel("R@1 in percent")
    # Names are data: a "$" in one starts no formula.
    figure.suptitle(title, parse_math=False)
    axes.grid(axis="y", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    if len(axes.lines) > 1:
        axes.legend(frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None})
    return picture.getvalue()
