"""Classical rank fusion: RRF, Borda and CombMNZ (Appendix C, Table 13). Nothing here depends on a path's scale.

ASSUMED throughout: the lists fused are ``ii`` and ``tt``; ``paths`` names others. Ties within a list are broken by
gallery order. Every list ranks the whole gallery, so that no item is ever missing from one (lists over different
items are refused; see :func:`~.paths.pick_paths`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .paths import FloatArray, Path, Paths, pick_paths

PAIR: tuple[Path, ...] = ("ii", "tt")
ROWS = 64
"""Queries ranked at once; bounds the temporaries."""


def rrf(paths: Paths, *, k: float = 60, names: tuple[Path, ...] = PAIR) -> FloatArray:
    """Reciprocal rank fusion: sum over lists of 1 / (k + rank).

    Args:
        paths: score matrices.
        k: the constant; ASSUMED 60, the value of the method's own paper.
        names: the lists to fuse.

    Returns:
        float64 ``[n_queries, n_gallery]``: float32 would tie distant ranks that differ.

    Raises:
        ValueError: ``k`` is negative, or see :func:`~.paths.pick_paths`.
    """
    if not k >= 0:
        raise ValueError(f"k must be >= 0, got {k!r}")
    matrices = pick_paths(paths, names, "RRF")
    gain = 1 / (k + np.arange(1, matrices[0].shape[1] + 1))
    return _sum_of_gains(matrices, gain)


def borda(paths: Paths, *, names: tuple[Path, ...] = PAIR) -> FloatArray:
    """Borda count: sum over lists of (gallery size - rank); float64 ``[n_queries, n_gallery]``.

    Args:
        paths: score matrices.
        names: the lists to fuse.

    Raises:
        ValueError: see :func:`~.paths.pick_paths`.
    """
    matrices = pick_paths(paths, names, "Borda")
    return _sum_of_gains(matrices, np.arange(matrices[0].shape[1] - 1.0, -1.0, -1.0))


def combmnz(paths: Paths, *, depth: int = 100, names: tuple[Path, ...] = PAIR) -> FloatArray:
    """CombMNZ: the sum of min-max scores, times the number of lists that hold the item among their first ``depth``.

    Min-max runs per query over the whole gallery; a constant list contributes 0. An item that no list holds scores 0.

    Args:
        paths: score matrices.
        depth: list length for the count. ASSUMED 100: with whole lists the count would be the same for every item.
        names: the lists to fuse.

    Returns:
        float64 ``[n_queries, n_gallery]``.

    Raises:
        ValueError: ``depth`` below 1, or see :func:`~.paths.pick_paths`.
    """
    if depth < 1:
        raise ValueError(f"depth must be at least 1, got {depth!r}")
    matrices = pick_paths(paths, names, "CombMNZ")
    fused = np.empty(matrices[0].shape)
    for start in range(0, len(fused), ROWS):
        block = fused[start : start + ROWS]
        block[...] = 0
        lists = np.zeros(block.shape, dtype=np.int64)
        for matrix in matrices:
            scores = matrix[start : start + ROWS].astype(np.float64)
            low = scores.min(axis=1, keepdims=True)
            span = scores.max(axis=1, keepdims=True) - low
            block += (scores - low) / np.where(span > 0, span, 1)
            lists += _first(matrix[start : start + ROWS], depth)
        block *= lists
    return fused


def _sum_of_gains(matrices: tuple[FloatArray, ...], gain: npt.NDArray[np.float64]) -> FloatArray:
    """Sum over lists of ``gain[rank - 1]``."""
    fused = np.zeros(matrices[0].shape)
    for matrix in matrices:
        for start in range(0, len(fused), ROWS):
            order = _ranking(matrix[start : start + ROWS])
            block = fused[start : start + ROWS]
            np.put_along_axis(block, order, np.take_along_axis(block, order, axis=1) + gain, axis=1)
    return fused


def _ranking(scores: FloatArray) -> npt.NDArray[np.int64]:
    """Columns from the highest score to the lowest, ties by column; ``[rows, columns]``."""
    if scores.dtype != np.float32:
        return np.argsort(-scores, axis=1, kind="stable")
    # Score and column packed into one integer: numpy sorts integers several times faster than it argsorts floats.
    bits = (0.0 - scores).view(np.int32)  # 0 - x, because -x would set -0.0 apart from 0.0
    bits ^= (bits >> 31) & 0x7FFFFFFF  # now ordered as the floats are
    keys = bits.astype(np.int64) << 32
    keys |= np.arange(scores.shape[1])
    keys.sort(axis=1)
    keys &= 0xFFFFFFFF
    return keys


def _first(scores: FloatArray, depth: int) -> npt.NDArray[np.bool_]:
    """Which items are among the first ``depth`` of each query, ties at the cut by gallery order."""
    if depth >= scores.shape[1]:
        return np.ones(scores.shape, dtype=bool)
    cut = -np.partition(-scores, depth - 1, axis=1)[:, depth - 1 : depth]
    above = scores > cut
    tied = scores == cut
    room = depth - above.sum(axis=1, keepdims=True)
    return above | (tied & (np.cumsum(tied, axis=1) <= room))
