"""The arithmetic of the benchmark: pure functions over arrays, numpy only.

Recalls are in percent, differences in percentage points, p-values in [0, 1]. ``R@k`` is the paper's: the share of
queries with at least one positive in the top k, that is the hit rate (TREC's recall, the share of a query's
positives that were found, is another measure and not computed here).

A rank is the 1-based place of the first positive; :data:`NOT_FOUND` (0) says that the ranking holds none and
:data:`NO_RANKING` (-1) that the query has no ranking at all. Both are misses.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

NOT_FOUND = 0
NO_RANKING = -1

# Resampling works on blocks of this many weights (8 MiB), whatever the number of queries.
_BLOCK = 1 << 20

# Above _LARGE queries, those with equal outcomes are drawn as one group if there are _GROUPED times fewer groups: the
# same distribution at a fraction of the cost. Below, a state's interval doesn't depend on which others are there.
_LARGE, _GROUPED = 4096, 16


def listed(offenders: Sequence[object]) -> str:
    """Up to five offenders and the total, for error messages."""
    shown = ", ".join(map(repr, offenders[:5]))
    return f"{shown}{', ...' if len(offenders) > 5 else ''} ({len(offenders)} in total)"


def check_count(argument: str, value: object, least: int = 1) -> int:
    """Returns ``value`` as an int if it is an integer of at least ``least``.

    Raises:
        TypeError: not an integer (``True``, ``1.0`` and ``"1"`` are refused).
        ValueError: too small.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{argument} must be an int, got {type(value).__name__}: {value!r}")
    if value < least:
        raise ValueError(f"{argument} must be at least {least}, got {value}")
    return int(value)


def check_ks(ks: object, primary_k: object) -> tuple[tuple[int, ...], int]:
    """Returns the cut-offs and the primary one as ints.

    Raises:
        TypeError: ``ks`` is not a sequence of ints, or ``primary_k`` is not an int.
        ValueError: empty, repeated or below 1, or ``primary_k`` is not one of ``ks``.
    """
    if isinstance(ks, str | bytes) or not isinstance(ks, Sequence | np.ndarray):
        raise TypeError(f"ks must be a sequence of ints such as (1, 5, 10), got {type(ks).__name__}: {ks!r}")
    checked = tuple(check_count("ks", k) for k in ks)
    if not checked or len(set(checked)) != len(checked):
        raise ValueError(f"ks must be distinct and not empty, got {ks!r}")
    primary = check_count("primary_k", primary_k)
    if primary not in checked:
        raise ValueError(f"primary_k must be one of ks {checked}, got {primary}; add it to ks")
    return checked, primary


def first_positive_ranks(rankings: Sequence[Sequence[str]], positives: Sequence[Collection[str]]) -> np.ndarray:
    """The rank of the first positive in each ranking of ids.

    Args:
        rankings: ``n`` lists of gallery ids, best first; their lengths may differ.
        positives: ``n`` collections of gallery ids.

    Returns:
        int64 ``[n]``: 1-based ranks, :data:`NOT_FOUND` where no positive is in the ranking, :data:`NO_RANKING` where
        the ranking is empty.

    Raises:
        ValueError: the two lengths differ.

    >>> first_positive_ranks([["g1", "g2"], ["g1", "g2"], []], [{"g2"}, {"g9"}, {"g1"}]).tolist()
    [2, 0, -1]
    """
    if len(rankings) != len(positives):
        raise ValueError(f"rankings and positives must be as long, got {len(rankings)} and {len(positives)}")
    ranks = np.full(len(rankings), NO_RANKING, dtype=np.int64)
    for row, (ranking, wanted) in enumerate(zip(rankings, positives, strict=True)):
        if len(ranking):
            own = wanted if isinstance(wanted, set | frozenset) else set(wanted)
            # The test of a whole ranking runs in C; only the rows with a hit are walked through.
            missed = own.isdisjoint(ranking)
            ranks[row] = NOT_FOUND if missed else next(r for r, g in enumerate(ranking, 1) if g in own)
    return ranks


def first_positive_ranks_of_indices(rankings: np.ndarray, positives: np.ndarray) -> np.ndarray:
    """As :func:`first_positive_ranks`, for gallery positions instead of ids.

    Args:
        rankings: int ``[n, depth]`` gallery positions, best first; negative entries are padding.
        positives: bool ``[n, n_gallery]``.

    Returns:
        int64 ``[n]`` as in :func:`first_positive_ranks`.
    """
    found = np.take_along_axis(positives, np.maximum(rankings, 0), axis=1) & (rankings >= 0)
    first = found.argmax(axis=1)
    ranks = np.where(found[np.arange(len(found)), first], first + 1, NOT_FOUND)
    return np.where((rankings >= 0).any(axis=1), ranks, NO_RANKING)


def hits_at_k(ranks: np.ndarray, k: int) -> np.ndarray:
    """bool ``[n]``: the first positive (``ranks``: int ``[n]``) is within the top ``k``."""
    return (ranks >= 1) & (ranks <= k)


def recall_at_k(ranks: np.ndarray, k: int) -> float | None:
    """R@k in percent, the hit rate over all queries (paper, Section 4); ``None`` for no queries.

    Args:
        ranks: int ``[n]`` ranks of the first positive; 0 and -1 are misses.
        k: at least 1.

    >>> recall_at_k(np.array([1, 3, 0, 2]), 2)
    50.0
    """
    check_count("k", k)
    return 100.0 * int(hits_at_k(ranks, k).sum()) / len(ranks) if len(ranks) else None


def mean_reciprocal_rank(ranks: np.ndarray) -> float | None:
    """Mean of 1/rank of the first positive in percent, misses counting 0; ``None`` for no queries.

    >>> mean_reciprocal_rank(np.array([1, 2, 0, 4]))
    43.75
    """
    if not len(ranks):
        return None
    # Sorted, so that the order of the queries can't reach the last digit.
    found = np.sort(ranks[ranks >= 1])
    return 100.0 * float(np.sum(1.0 / found)) / len(ranks)


@functools.lru_cache(maxsize=4096)
def mcnemar_p(lost: int, gained: int) -> float:
    """The exact two-sided McNemar p-value: under the null each discordant query is a fair coin.

    Computed in whole numbers and rounded once. No discordant query gives 1.

    >>> mcnemar_p(0, 5), mcnemar_p(0, 0)
    (0.0625, 1.0)
    """
    discordant, fewer = lost + gained, min(lost, gained)
    term = tail = 1
    for i in range(fewer):
        term = term * (discordant - i) // (i + 1)
        tail += term
    return min(1.0, 2 * tail / (1 << discordant))


class PairedDifference(NamedTuple):
    """Two states compared on the same queries: ``value`` in points (other - base), counts of queries, exact p."""

    value: float
    p_value: float
    kept: int
    lost: int
    gained: int
    missed: int
    n: int


def paired_difference(base: np.ndarray, other: np.ndarray) -> PairedDifference | None:
    """R@k of ``other`` minus R@k of ``base`` over the same queries (paper, Section 4); ``None`` for none.

    Args:
        base: bool ``[n]`` hits, e.g. on clean queries.
        other: bool ``[n]`` hits of the same queries in the same order, e.g. corrupted.

    >>> paired_difference(np.array([True, True, False]), np.array([False, True, False]))
    PairedDifference(value=-33.333333333333336, p_value=1.0, kept=1, lost=1, gained=0, missed=1, n=3)
    """
    if base.shape != other.shape:
        raise ValueError(f"base and other must hold the same queries, got shapes {base.shape} and {other.shape}")
    n = len(base)
    if not n:
        return None
    kept = int((base & other).sum())
    lost, gained = int(base.sum()) - kept, int(other.sum()) - kept
    return PairedDifference(
        100.0 * (gained - lost) / n, mcnemar_p(lost, gained), kept, lost, gained, n - kept - lost - gained, n
    )


def interaction_gap(clean: np.ndarray, image: np.ndarray, text: np.ndarray, joint: np.ndarray) -> np.ndarray:
    """gamma_int = d_IT - (d_I + d_T) with drops d = clean - corrupted (paper, Table 3).

    Args:
        clean, image, text, joint: recalls (or hits) of any equal shape.

    Returns:
        The same shape; positive means that corrupting both hurts more than the sum of the two single drops.
    """
    return (clean - joint) - ((clean - image) + (clean - text))


def resampled_sums(columns: np.ndarray, n_resamples: int, seed: int | Sequence[int]) -> np.ndarray:
    """Sums of every column over the queries, and over bootstrap resamples of the queries.

    All columns of a query move together (the bootstrap is clustered by query), so any function of the sums is
    resampled jointly and every difference stays paired.

    Args:
        columns: ``[n, m]`` integers; one row a query.
        n_resamples: how many resamples of ``n`` queries, drawn with replacement.
        seed: of a Generator of our own; global random state is neither read nor changed.

    Returns:
        float64 ``[1 + n_resamples, m]``: the sums themselves in row 0, then the resamples. Whole numbers, so exact.
    """
    n = len(columns)
    rng = np.random.Generator(np.random.PCG64(seed))
    sums = np.zeros((1 + n_resamples, columns.shape[1]))
    sums[0] = columns.sum(axis=0)
    if n > _LARGE:
        kinds, counts = np.unique(columns, axis=0, return_counts=True)
        if _GROUPED * len(kinds) < n:
            sums[1:] = rng.multinomial(n, counts / n, size=n_resamples).astype(np.float64) @ kinds.astype(np.float64)
            return sums
    values = columns.astype(np.float64)
    step = max(1, _BLOCK // max(n, 1))
    for start in range(0, n_resamples if n else 0, step):
        rows = min(step, n_resamples - start)
        drawn = rng.integers(0, n, size=(rows, n)) + n * np.arange(rows)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        sums[1 + start : 1 + start + rows] = weights.astype(np.float64) @ values
    return sums


def percentile_interval(resampled: np.ndarray) -> list[float]:
    """The 95 % percentile interval of bootstrap replicates (float ``[n_resamples]``).

    A bound within 1e-9 of 0 is 0: means of hits don't add up exactly, and whether an interval holds 0 is what readers
    look at.
    """
    bounds = np.quantile(resampled, (0.025, 0.975))
    return [0.0 if abs(bound) < 1e-9 else float(bound) for bound in bounds]
