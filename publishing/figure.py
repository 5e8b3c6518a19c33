"""The picture on a model's card: R@1 from clean to severity 3, one line a primitive."""

from __future__ import annotations

import io
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


def draw_severities(results: Mapping[str, Any], model: str) -> bytes:
    """A PNG of 1200 x 750 pixels; primitives that the results don't define are left out."""
    clean = results["conditions"]["it2it"]["clean"]["recall_at_1"]
    primitives = results.get("averages", {}).get("it2it", {}).get("primitives", {})
    figure = Figure(figsize=(8, 5), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for key, label, color, marker in _LINES:
        blocks = [primitives.get(key, {}).get(f"s{s}", {}) for s in (1, 2, 3)]
        if any(block.get("recall_at_1") is None for block in blocks):
            continue
        values = [clean, *(block["recall_at_1"] for block in blocks)]
        axes.plot(range(4), values, color=color, marker=marker, linewidth=2, label=label)
        for s, block in enumerate(blocks, start=1):
            if block.get("interval"):
                axes.vlines(s, *block["interval"], color=color, alpha=0.35, linewidth=3)
    axes.plot([0], [clean], color="#24292f", marker="o", markersize=9, zorder=5)
    axes.annotate(f"{clean:.1f}", (0, clean), xytext=(10, 6), textcoords="offset points")
    axes.set_xticks(range(4), ["clean", "s1", "s2", "s3"])
    axes.set_xlim(-0.15, 3.15)
    axes.set_ylim(0, 100)
    axes.set_xlabel("severity of the photo's corruption")
    axes.set_ylabel("R@1 in percent")
    # A name is data: a "$" in it starts no formula.
    axes.set_title(f"SnapBench, photo and question: {model}", parse_math=False)
    axes.grid(axis="y", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    if len(axes.lines) > 1:
        axes.legend(frameon=False, loc="lower left")
    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None})
    return picture.getvalue()
