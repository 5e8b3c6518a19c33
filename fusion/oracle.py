"""The oracle: the image weight that serves each query best (Section 5, Appendix C.1.1), computed exactly.

The fused score of an item is a line in the weight alpha: ``alpha * image + (1 - alpha) * text``. A positive is
among the first k where fewer than k other lines run above its own, and that changes only where two lines cross. So
the weights at which a query is solved are a few intervals with crossings as ends; no grid is involved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .hits import Positives, check_positives
from .paths import Path, Paths, pick_paths

Interval = tuple[float, float]


@dataclass(frozen=True)
class Oracle:
    """What the best weight per query could reach.

    Attributes:
        k: the cut-off.
        intervals: for each query the intervals of alpha in [0, 1] in which a positive is among the first k,
            ascending and disjoint; empty where no weight solves it. The ends are crossings, where the order of the
            gallery decides the tie; an interval of length 0 is a weight that solves the query through that alone.
            Intervals are closed and joined where they touch, so a single weight at which nothing but a tie hides the
            positive doesn't cut one in two.
        alpha: float64 ``[n_queries]``, the solving weight nearest 1/2; 1/2 where none solves it. ASSUMED: the paper
            names no tie rule; one that pulls towards 1/2 gives spreads of the size it prints.
    """

    k: int
    intervals: tuple[tuple[Interval, ...], ...]
    alpha: npt.NDArray[np.float64]

    @property
    def solved(self) -> npt.NDArray[np.bool_]:
        """Which queries some weight solves, ``[n_queries]``."""
        return np.array([bool(intervals) for intervals in self.intervals])

    @property
    def recall(self) -> float:
        """R@k of the oracle in percent."""
        return float(100 * self.solved.mean())

    @property
    def mean(self) -> float:
        """Mean of ``alpha`` over all queries."""
        return float(self.alpha.mean())

    @property
    def spread(self) -> float:
        """Population standard deviation of ``alpha`` over all queries."""
        return float(self.alpha.std())


def oracle(paths: Paths, positives: Positives, *, k: int = 1, image: Path = "ii", text: Path = "tt") -> Oracle:
    """The weights that solve each query, and the one nearest 1/2.

    Which queries are solved does not depend on the scale of a query's paths; ``alpha`` does. The paper works on
    standardised scores (:func:`~.global_weight.standardize`).

    Args:
        paths: score matrices ``[n_queries, n_gallery]``.
        positives: for each query the gallery columns of its positives.
        k: cut-off; 1 is the paper's.
        image: the path weighted by alpha.
        text: the path weighted by 1 - alpha.

    Raises:
        ValueError: ``k`` below 1; see also :func:`~.paths.pick_paths` and :func:`~.hits.check_positives`.

    >>> found = oracle({"ii": np.array([[0.0, 1.0]]), "tt": np.array([[3.0, 0.0]])}, [[1]])
    >>> found.intervals, found.alpha.tolist(), found.recall
    ((((0.75, 1.0),),), [0.75], 100.0)
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k!r}")
    image_scores, text_scores = pick_paths(paths, (image, text), "the oracle")
    intervals = []
    for row, columns in enumerate(check_positives(positives, image_scores.shape)):
        at_one, at_zero = image_scores[row].astype(np.float64), text_scores[row].astype(np.float64)
        others = np.setdiff1d(np.arange(len(at_one)), columns, assume_unique=True)
        found: list[Interval] = []
        for column in columns:
            found += _solved_by(at_zero[column] - at_zero[others], at_one[column] - at_one[others], others < column, k)
        intervals.append(_union(found))
    return Oracle(k, tuple(intervals), np.array([_nearest_half(solved) for solved in intervals]))


def gap_closed(rule: float, fixed: float, best: float) -> float | None:
    """Share of the way from fixed fusion to the oracle that a rule goes: 1 at the oracle, negative below fixed.

    ``None`` where the two ends coincide. Can exceed 1: a rule may use paths that the oracle does not mix.
    """
    return None if best == fixed else (rule - fixed) / (best - fixed)


def _solved_by(
    zero: npt.NDArray[np.float64], one: npt.NDArray[np.float64], before: npt.NDArray[np.bool_], k: int
) -> list[Interval]:
    """Where one positive is among the first k of the items that are not positives.

    Args:
        zero: its lead over every other item at alpha = 0.
        one: its lead at alpha = 1.
        before: whether the other item comes first in the gallery, and so wins a tie.
        k: cut-off.
    """
    slope = one - zero
    falls = (zero >= 0) & (one <= 0) & (slope < 0)
    rises = (zero <= 0) & (one >= 0) & (slope > 0)
    crosses = falls | rises
    always = ~crosses & ((zero < 0) | ((zero == 0) & (slope == 0) & before))
    above = np.count_nonzero(always)
    if above >= k:
        return []
    at = zero[crosses] / -slope[crosses]
    falling, first = falls[crosses], before[crosses]
    # At the crossing itself the tie rule decides: phase 0 changes take effect at that weight, phase 1 just after it.
    phase = np.where(falling == first, 0, 1)
    step = np.where(falling, 1, -1)
    order = np.lexsort((phase, at))
    edges, phases = at[order], phase[order]
    counts = above + np.count_nonzero(~falling) + np.concatenate([[0], np.cumsum(step[order])])
    # counts[j] holds from event j - 1 to event j; the first state starts at weight 0, the last one ends at weight 1.
    lows, low_phases = np.concatenate([[0.0], edges]), np.concatenate([[0], phases])
    highs, high_phases = np.concatenate([edges, [1.0]]), np.concatenate([phases, [1]])
    # A state of length 0 is real only if it is what holds AT the weight: after its phase 0, before its phase 1.
    real = (lows < highs) | (low_phases < high_phases)
    return [(float(lows[index]), float(highs[index])) for index in np.flatnonzero((counts < k) & real)]


def _union(intervals: list[Interval]) -> tuple[Interval, ...]:
    merged: list[Interval] = []
    for low, high in sorted(intervals):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def _nearest_half(intervals: Sequence[Interval]) -> float:
    points = [min(max(0.5, low), high) for low, high in intervals]
    return min(points, key=lambda point: (abs(point - 0.5), point), default=0.5)
