"""Rankings and ranks straight from a score matrix, exact and with a stated rule for ties, NaN and infinities.

* Ties are broken by gallery order (the row order of the gallery), as the paper's release does: the result equals a
  full stable sort of the descending scores. Because that can favour a positive by its place alone, the number of
  queries that a tie decides and the expected hit over all orders of the tied items are there too.
* NaN is refused, naming the queries. With ``nan="record"`` a NaN item is not retrieved: it appears in no ranking and
  is never a hit.
* Infinities are ordinary values: +inf stands before and -inf after every finite score; equal ones tie.

Scores must be float32, float64 or integers. Half precision is refused, because it makes ties that the embeddings do
not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from .arithmetic import NO_RANKING, NOT_FOUND, check_count, check_ks, listed
from .summary import check_option

# Scores looked at at once: temporaries stay at a few times 8 MiB, whatever the size of the matrix.
_BLOCK = 1 << 20


class FirstPositives(NamedTuple):
    """Ranks of the first positives, and what ties did to them.

    Attributes:
        ranks: int64 ``[n]``, 1-based under gallery order; 0 where all positives are NaN, -1 where all scores are.
        ties: int64 ``[n]``, gallery items with exactly the first positive's score (1: no tie; 0: no rank).
        tied: bool ``[n, len(ks)]``, whether the order of equal scores decides the hit at that cut.
        expected_hits: float64 ``[n, len(ks)]`` in [0, 1], the hit averaged over all orders of equal scores.
        nan: int64 ``[n]``, NaN scores of the query.
    """

    ranks: np.ndarray
    ties: np.ndarray
    tied: np.ndarray
    expected_hits: np.ndarray
    nan: np.ndarray


class Rankings(NamedTuple):
    """The best ``k`` gallery items of every query.

    Attributes:
        ids: ``n`` lists of at most ``k`` gallery ids, best first; shorter only where NaN items were left out.
        indices: int64 ``[n, k]`` gallery positions; -1 pads the shorter ones.
        tied: bool ``[n]``, whether equal scores stand on both sides of the cut, so that gallery order decided.
        nan: int64 ``[n]``, NaN scores of the query.
        expected_hits: float64 ``[n]``, the expected hit at ``k`` over the orders of equal scores; None unless asked.
    """

    ids: list[list[str]]
    indices: np.ndarray
    tied: np.ndarray
    nan: np.ndarray
    expected_hits: np.ndarray | None


def rankings_from_scores(
    scores: np.ndarray,
    gallery_ids: Sequence[str],
    *,
    k: int = 10,
    ties: Literal["gallery_order", "expected"] = "gallery_order",
    positives: Sequence[Sequence[int]] | np.ndarray | None = None,
    nan: Literal["raise", "record"] = "raise",
    query_ids: Sequence[str] | None = None,
) -> Rankings:
    """The exact top ``k`` of every query, equal to a full stable sort.

    Args:
        scores: ``[n, n_gallery]`` float32, float64 or integers; higher is better.
        gallery_ids: ``n_gallery`` distinct ids, in gallery order.
        k: length of the rankings, at most ``n_gallery`` (which gives full rankings).
        ties: ``gallery_order``, or ``expected`` to get the expected hit at ``k`` beside the same rankings.
        positives: needed for ``expected``; as in :func:`first_positive_ranks_from_scores`.
        nan: ``raise``, or ``record`` (NaN items are left out and counted).
        query_ids: ``n`` names for error messages.

    Raises:
        TypeError: scores of another type, ids that are not strings.
        ValueError: shapes that don't fit, repeated gallery ids, ``k`` out of range, NaN.

    >>> rankings_from_scores(np.array([[0.2, 0.9, 0.2]]), ["a", "b", "c"], k=2).ids
    [['b', 'a']]
    """
    scores = _checked(scores, query_ids)
    n, n_gallery = scores.shape
    check_option("ties", ties, ("gallery_order", "expected"))
    check_option("nan", nan, ("raise", "record"))
    if check_count("k", k) > n_gallery:
        raise ValueError(f"k must be at most the size of the gallery, {n_gallery}, got {k}")
    names = _checked_gallery(gallery_ids, n_gallery)
    missing = _count_nan(scores, nan, query_ids)
    indices = np.empty((n, k), dtype=np.int64)
    tied = np.zeros(n, dtype=bool)
    for rows, block in _blocks(scores):
        whole = missing[rows] == 0
        places = np.flatnonzero(whole) + rows.start
        indices[places], tied[places] = _top(block if whole.all() else block[whole], k)
    for row in np.flatnonzero(missing):
        indices[row], tied[row] = _top_with_nan(scores[row], k)
    ids = [names[row].tolist() for row in indices]
    for row in np.flatnonzero((indices < 0).any(axis=1)):
        ids[row] = names[indices[row][indices[row] >= 0]].tolist()
    expected = None
    if ties == "expected":
        if positives is None:
            raise ValueError("ties='expected' needs positives, the gallery positions that count as a hit, got None")
        found = first_positive_ranks_from_scores(scores, positives, ks=(k,), nan=nan, query_ids=query_ids)
        expected = found.expected_hits[:, 0]
    return Rankings(ids, indices, tied, missing, expected)


def first_positive_ranks_from_scores(
    scores: np.ndarray,
    positives: Sequence[Sequence[int]] | np.ndarray,
    *,
    ks: Sequence[int] = (1, 5, 10),
    nan: Literal["raise", "record"] = "raise",
    query_ids: Sequence[str] | None = None,
) -> FirstPositives:
    """The rank of each query's first positive, without sorting anything.

    With G items above the best positive's score and T items at it, P of them positive, the hit at k is certain for
    k >= G + T, impossible for k <= G, and between them 1 - C(T - P, k - G) / C(T, k - G) over the orders of the ties.

    Args:
        scores: ``[n, n_gallery]`` float32, float64 or integers; higher is better.
        positives: bool ``[n, n_gallery]``, or for each query the gallery positions of its positives.
        ks: cut-offs for the expected hits, at most ``n_gallery`` each.
        nan: ``raise``, or ``record`` (a NaN item is not retrieved; counted in ``nan``).
        query_ids: ``n`` names for error messages.

    Raises:
        TypeError: scores of another type, positions that are not integers.
        ValueError: shapes that don't fit, positions outside the gallery, a query without positives, a cut-off out of
            range, NaN.

    >>> found = first_positive_ranks_from_scores(np.array([[0.5, 0.5, 0.1]]), [[1]], ks=(1, 2))
    >>> found.ranks.tolist(), found.ties.tolist(), found.expected_hits.tolist()
    ([2], [2], [[0.5, 1.0]])
    """
    scores = _checked(scores, query_ids)
    n, n_gallery = scores.shape
    ks, _ = check_ks(ks, ks[0] if len(ks) else 1)
    check_option("nan", nan, ("raise", "record"))
    if max(ks) > n_gallery:
        raise ValueError(f"ks must be at most the size of the gallery, {n_gallery}, got {max(ks)}")
    columns, counts = _positions(positives, n, n_gallery, query_ids)
    starts = np.concatenate([[0], np.cumsum(counts)])
    found = FirstPositives(
        ranks=np.empty(n, dtype=np.int64),
        ties=np.empty(n, dtype=np.int64),
        tied=np.zeros((n, len(ks)), dtype=bool),
        expected_hits=np.zeros((n, len(ks))),
        nan=_count_nan(scores, nan, query_ids),
    )
    positive_ties = np.empty(n, dtype=np.int64)
    above = np.empty(n, dtype=np.int64)
    for rows, block in _blocks(scores):
        inside = slice(starts[rows.start], starts[rows.stop])
        of = np.repeat(np.arange(rows.stop - rows.start), counts[rows])
        values = block[of, columns[inside]]
        begins = starts[rows] - starts[rows.start]
        # fmax ignores NaN unless all positives of the query are NaN; then no comparison below holds.
        best = np.fmax.reduceat(values, begins)
        above[rows] = np.count_nonzero(block > best[:, None], axis=1)
        equal = block == best[:, None]
        found.ties[rows] = np.count_nonzero(equal, axis=1)
        at_best = values == best[of]
        positive_ties[rows] = np.add.reduceat(at_best, begins, dtype=np.int64)
        found.ranks[rows] = above[rows] + 1
        for row in np.flatnonzero(found.ties[rows] > positive_ties[rows]):
            # Only here can an item that is no positive stand before the first one at the same score.
            own = slice(begins[row], begins[row] + counts[rows.start + row])
            first = columns[inside][own][at_best[own]].min()
            found.ranks[rows.start + row] += np.count_nonzero(equal[row, :first])
    lost = found.ties == 0
    found.ranks[lost] = np.where(found.nan[lost] == n_gallery, NO_RANKING, NOT_FOUND)
    for column, k in enumerate(ks):
        chance = _expected_hit(above, found.ties, positive_ties, k)
        found.expected_hits[:, column] = chance
        found.tied[:, column] = (chance > 0) & (chance < 1)
    return found


def _expected_hit(above: np.ndarray, ties: np.ndarray, positive_ties: np.ndarray, k: int) -> np.ndarray:
    """float ``[n]``: chance that one of the ties that are positive gets into the top ``k``."""
    slots = np.clip(k - above, 0, ties)
    chance = ((slots > 0) & (ties > 0)).astype(np.float64)
    for row in np.flatnonzero((slots > 0) & (slots < ties) & (positive_ties < ties)):
        # The hypergeometric chance of none, factor by factor over the positives.
        others, free = int(ties[row]), int(ties[row] - slots[row])
        none = 1.0
        for i in range(int(positive_ties[row])):
            none *= max(free - i, 0) / (others - i)
        chance[row] = 1.0 - none
    return chance


def _top(block: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Top ``k`` positions ``[rows, k]`` by (score descending, position ascending), and whether the cut was tied."""
    n_gallery = block.shape[1]
    cut = np.partition(block, n_gallery - k, axis=1)[:, n_gallery - k, None]
    chosen = block >= cut
    surplus = np.count_nonzero(chosen, axis=1) - k
    for row in np.flatnonzero(surplus):
        at_cut = np.flatnonzero(block[row] == cut[row])
        chosen[row, at_cut[len(at_cut) - surplus[row] :]] = False
    # Positions come out ascending, so a stable sort of the few leaves equal scores in gallery order.
    positions = np.nonzero(chosen)[1].reshape(len(block), k)
    values = np.take_along_axis(block, positions, axis=1)
    return np.take_along_axis(positions, _descending(values), axis=1), surplus > 0


def _descending(values: np.ndarray) -> np.ndarray:
    """Stable argsort from high to low. Sorts the reversed rows upwards: negating would overflow for integers."""
    last = values.shape[-1] - 1
    return last - np.argsort(values[..., ::-1], axis=-1, kind="stable")[..., ::-1]


def _top_with_nan(row: np.ndarray, k: int) -> tuple[np.ndarray, bool]:
    real = np.flatnonzero(~np.isnan(row))
    order = real[_descending(row[real])]
    padded = np.full(k, -1, dtype=np.int64)
    padded[: len(order[:k])] = order[:k]
    return padded, len(order) > k and bool(row[order[k - 1]] == row[order[k]])


def _blocks(scores: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    step = max(1, _BLOCK // scores.shape[1])
    for start in range(0, len(scores), step):
        stop = min(start + step, len(scores))
        yield slice(start, stop), scores[start:stop]


def _count_nan(scores: np.ndarray, nan: str, query_ids: Sequence[str] | None) -> np.ndarray:
    """int64 ``[n]``: NaN scores of each query; refuses them unless they are to be recorded."""
    counts = np.zeros(len(scores), dtype=np.int64)
    if not np.issubdtype(scores.dtype, np.floating):
        return counts
    # A sum is NaN if any score is, in one pass without a temporary; inf - inf only costs the closer look.
    with np.errstate(invalid="ignore", over="ignore"):
        suspicious = np.flatnonzero(np.isnan(scores.sum(axis=1)))
    for row in suspicious:
        counts[row] = np.count_nonzero(np.isnan(scores[row]))
    bad = [_name(row, query_ids) for row in np.flatnonzero(counts)]
    if bad and nan == "raise":
        raise ValueError(
            f"scores hold NaN for queries {listed(bad)}. Look for all-zero or broken embeddings, or pass nan='record' "
            "to count NaN items as not retrieved"
        )
    return counts


def _name(row: int | np.integer, query_ids: Sequence[str] | None) -> str:
    return f"row {row}" if query_ids is None else str(query_ids[int(row)])


def _checked(scores: np.ndarray, query_ids: Sequence[str] | None) -> np.ndarray:
    scores = np.asarray(scores)
    exact = np.issubdtype(scores.dtype, np.integer)
    if not exact and not (np.issubdtype(scores.dtype, np.floating) and scores.dtype.itemsize >= 4):
        raise TypeError(
            f"scores must be float32, float64 or integers, got {scores.dtype}; compute them in float32 or better "
            "(rounding to half precision makes ties that are not there)"
        )
    if scores.ndim != 2 or not scores.shape[1]:
        raise ValueError(f"scores must have shape [n, n_gallery] with a gallery that is not empty, got {scores.shape}")
    if query_ids is not None and len(query_ids) != len(scores):
        raise ValueError(f"query_ids must name the {len(scores)} rows of scores, got {len(query_ids)}")
    return scores


def _checked_gallery(gallery_ids: Sequence[str], n_gallery: int) -> np.ndarray:
    ids = list(gallery_ids)
    wrong = [gallery_id for gallery_id in ids if not isinstance(gallery_id, str)]
    if wrong:
        raise TypeError(f"gallery_ids must be str, got {listed(wrong)}")
    if len(ids) != n_gallery:
        raise ValueError(f"gallery_ids must name the {n_gallery} columns of scores, got {len(ids)}")
    if len(set(ids)) != len(ids):
        seen: set[str] = set()
        repeated = [g for g in ids if g in seen or seen.add(g)]  # type: ignore[func-returns-value]
        raise ValueError(f"gallery_ids must be distinct, repeated: {listed(repeated)}")
    return np.array(ids, dtype=object)


def _positions(
    positives: Any, n: int, n_gallery: int, query_ids: Sequence[str] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Gallery positions of all positives, query after query, and how many each query has."""
    if isinstance(positives, np.ndarray) and positives.dtype == bool:
        if positives.shape != (n, n_gallery):
            raise ValueError(f"positives must have the shape of scores {(n, n_gallery)}, got {positives.shape}")
        counts, columns = np.count_nonzero(positives, axis=1), np.nonzero(positives)[1]
    else:
        if len(positives) != n:
            raise ValueError(f"positives must have one entry for each of the {n} rows of scores, got {len(positives)}")
        distinct = [sorted(set(row)) for row in positives]
        counts = np.array([len(row) for row in distinct], dtype=np.int64)
        columns = np.array([p for row in distinct for p in row])
        if columns.size and not np.issubdtype(columns.dtype, np.integer):
            raise TypeError(f"positives must be gallery positions (int) or a bool mask, got {columns.dtype}")
        outside = columns[(columns < 0) | (columns >= n_gallery)] if columns.size else columns
        if outside.size:
            raise ValueError(f"positives must be positions below {n_gallery}, got {listed(outside.tolist())}")
    barren = [_name(row, query_ids) for row in np.flatnonzero(counts == 0)]
    if barren:
        raise ValueError(f"queries without a positive: {listed(barren)}; leave them out and count them")
    return columns.astype(np.int64), counts
