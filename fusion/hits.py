"""Hits of a score matrix, as the benchmark counts them: ties broken by gallery order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .paths import FloatArray

Positives = Sequence[npt.ArrayLike]
"""For each query the gallery columns of its positives."""


def hits(scores: FloatArray, positives: Positives, k: int = 1) -> npt.NDArray[np.bool_]:
    """Is a positive among the first ``k``? bool ``[n_queries]``; its mean is R@k (as a fraction).

    Raises:
        ValueError: ``k`` below 1, or see :func:`check_positives`.

    >>> hits(np.array([[0.2, 0.9, 0.9]]), [[2]], k=1), hits(np.array([[0.2, 0.9, 0.9]]), [[2]], k=2)
    (array([False]), array([ True]))
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k!r}")
    found = np.empty(len(scores), dtype=bool)
    for row, columns in enumerate(check_positives(positives, scores.shape)):
        values = scores[row]
        best = columns[np.argmax(values[columns])]  # columns ascend: the first of equals
        found[row] = np.count_nonzero(values > values[best]) + np.count_nonzero(values[:best] == values[best]) < k
    return found


def check_positives(positives: Positives, shape: tuple[int, ...]) -> list[npt.NDArray[np.int64]]:
    """Sorted columns per query.

    Raises:
        ValueError: not one entry a query, a query without positives, or a column outside the gallery.
    """
    if len(positives) != shape[0]:
        raise ValueError(f"positives must have one entry a query: {shape[0]} queries, got {len(positives)} entries")
    checked = []
    for row, columns in enumerate(positives):
        array = np.unique(np.asarray(columns))
        if array.size == 0 or array.dtype.kind not in "iu" or array[0] < 0 or array[-1] >= shape[1]:
            raise ValueError(
                f"positives of query {row} must be gallery columns, at least one, each in 0..{shape[1] - 1}, "
                f"got {columns!r}"
            )
        checked.append(array.astype(np.int64))
    return checked
