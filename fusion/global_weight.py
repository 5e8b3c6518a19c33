"""One weight for all queries: wh-Uniform, wh-Img and MOOR without per-query adaptation (Appendix C, Table 13)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from .base import FittedRule, LabelledState, Rule
from .embeddings import Embeddings
from .hits import hits
from .paths import FloatArray, Path, Paths, pick_paths

GRID = tuple(step / 20 for step in range(21))
"""Weights tried: 0, 0.05, ... 1. ASSUMED: the paper gives no grid."""

Arms = tuple[FloatArray, FloatArray]


def standardize(scores: FloatArray) -> FloatArray:
    """Scores of zero mean and unit variance over the gallery, per query; a constant row becomes zeros.

    Returns:
        Same shape and dtype, population standard deviation.
    """
    mean = scores.mean(axis=1, dtype=np.float64, keepdims=True)
    centred = scores - mean.astype(scores.dtype)
    deviation = np.sqrt(np.mean(np.square(centred), axis=1, dtype=np.float64, keepdims=True))
    # Rounding leaves a constant row a deviation of some 1e-8 of its values: blown up to 1 it would be noise.
    flat = deviation <= 1e-6 * np.abs(mean)
    centred /= np.where(flat, 1, deviation).astype(scores.dtype)
    centred[flat[:, 0]] = 0
    return centred


def standardized_pair(inputs: Paths, names: tuple[Path, Path] = ("ii", "tt")) -> Arms:
    """The photo-only and the question-only scores, standardised per query."""
    image, text = pick_paths(inputs, names, "standardised fusion")
    return standardize(image), standardize(text)


def whitened_pair(inputs: Paths) -> Arms:
    """The whitened anchor, and the mean of the other whitened paths.

    Raises:
        TypeError: ``inputs`` are score matrices; whitening needs embeddings.
        ValueError: there is no anchor or no other path.
    """
    if not isinstance(inputs, Embeddings):
        raise TypeError(f"moor-global whitens embeddings: pass fusion.Embeddings, got {type(inputs).__name__}")
    others: list[Path] = [name for name in inputs if name != "ii"]
    if "ii" not in inputs or not others:
        raise ValueError(f"moor-global needs the path ii and at least one other, got: {', '.join(inputs) or 'none'}")
    total = inputs.path(others[0], whiten=True).copy()
    for name in others[1:]:
        total += inputs.path(name, whiten=True)
    total /= len(others)
    return inputs.path("ii", whiten=True), total


def mix(arms: Arms, alpha: float | FloatArray) -> FloatArray:
    """``alpha * image + (1 - alpha) * text``; ``alpha`` is one number or one a query."""
    image, text = arms
    weight = np.asarray(alpha, dtype=image.dtype).reshape(-1, 1)
    fused = image - text
    fused *= weight
    fused += text
    return fused


@dataclass
class Uniform(Rule):
    """wh-Uniform: the mean of both standardised scores."""

    def scores(self, inputs: Paths, query_ids: Sequence[str] | None = None) -> FloatArray:
        return mix(standardized_pair(inputs), 0.5)


@dataclass
class GlobalWeight(FittedRule):
    """The one weight of a grid with the highest R@1 on the states it is fitted on (normally clean alone).

    Of equally good weights the one nearest 1/2 is taken, then the smaller. Fitted on one corrupted state, it is the
    best global weight of that state: an upper bound, not a baseline. :meth:`record` holds the weight, the R@1 of every
    weight tried (percent) and the conditions it was chosen on.
    """

    arms: Callable[[Paths], Arms] = standardized_pair
    grid: tuple[float, ...] = GRID
    alpha: float = field(default=0.5, init=False)

    def __post_init__(self) -> None:
        if not self.grid or not all(0 <= alpha <= 1 for alpha in self.grid):
            raise ValueError(f"grid must hold weights in 0..1, at least one, got {self.grid!r}")

    def fit(self, states: Iterable[LabelledState]) -> None:
        solved = np.zeros(len(self.grid))
        queries, conditions = 0, []
        for state in states:
            arms = self.arms(state.inputs)
            for index, alpha in enumerate(self.grid):
                solved[index] += hits(mix(arms, alpha), state.positives).sum()
            queries += len(arms[0])
            conditions.append(state.condition)
        if not queries:
            raise ValueError(f"rule {self.spec.name!r} needs at least one query to be fitted on, got none")
        best = min(range(len(self.grid)), key=lambda i: (-solved[i], abs(self.grid[i] - 0.5), self.grid[i]))
        self.alpha = self.grid[best]
        self._record = {
            "alpha": self.alpha,
            "chosen_on": list(dict.fromkeys(conditions)),
            "rows": queries,
            "grid": [
                {"alpha": alpha, "recall_at_1": float(100 * count / queries)}
                for alpha, count in zip(self.grid, solved, strict=True)
            ],
        }

    def scores(self, inputs: Paths, query_ids: Sequence[str] | None = None) -> FloatArray:
        self.check_fitted()
        return mix(self.arms(inputs), self.alpha)
