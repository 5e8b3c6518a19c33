"""Rankings and ranks from scores against a full stable sort, and against every order of the ties."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from snapbench.snapbench_metric import scores as scores_module
from snapbench.snapbench_metric.arithmetic import first_positive_ranks
from snapbench.snapbench_metric.scores import first_positive_ranks_from_scores, rankings_from_scores

DTYPES = (np.float32, np.float64, np.int64, np.int8, np.uint8)


def names(n: int) -> list[str]:
    return [f"g{i}" for i in range(n)]


def full_sort(row: np.ndarray) -> list[int]:
    """Every position that is not NaN, by (score descending, position ascending)."""
    return sorted((i for i in range(len(row)) if row[i] == row[i]), key=lambda i: (-float(row[i]), i))


@st.composite
def matrices(draw: st.DrawFn, nan: bool = False) -> np.ndarray:
    shape = (draw(st.integers(1, 5)), draw(st.integers(1, 9)))
    values = [-np.inf, -1.5, -0.0, 0.0, 0.25, 1.0, np.inf] + ([np.nan] if nan else [])
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    return draw(arrays(dtype, shape, elements=st.sampled_from([dtype(v) for v in values])))


@settings(deadline=None, derandomize=True, max_examples=150)
@given(matrices(nan=True), st.data())
def test_rankings_equal_a_full_stable_sort(scores: np.ndarray, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, scores.shape[1]))
    result = rankings_from_scores(scores, names(scores.shape[1]), k=k, nan="record")
    for i, row in enumerate(scores):
        order = full_sort(row)
        assert result.ids[i] == [f"g{j}" for j in order[:k]]
        assert result.indices[i].tolist() == (order[:k] + [-1] * k)[:k]
        assert result.tied[i] == (len(order) > k and row[order[k - 1]] == row[order[k]])
        assert result.nan[i] == np.isnan(row).sum()


@settings(deadline=None, derandomize=True, max_examples=150)
@given(matrices(nan=True), st.data())
def test_first_positives_equal_a_full_stable_sort(scores: np.ndarray, data: st.DataObject) -> None:
    n, g = scores.shape
    positives = [data.draw(st.sets(st.integers(0, g - 1), min_size=1)) for _ in range(n)]
    result = first_positive_ranks_from_scores(scores, [sorted(p) for p in positives], ks=(1,), nan="record")
    expected = first_positive_ranks([full_sort(row) for row in scores], positives)  # type: ignore[arg-type]
    assert result.ranks.tolist() == expected.tolist()
    mask = np.array([[i in p for i in range(g)] for p in positives])
    for ours, theirs in zip(first_positive_ranks_from_scores(scores, mask, ks=(1,), nan="record"), result, strict=True):
        assert np.array_equal(ours, theirs)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.lists(st.integers(0, 2), min_size=2, max_size=6), st.data())
def test_expected_hits_average_over_every_order_of_the_ties(values: list[int], data: st.DataObject) -> None:
    g = len(values)
    positives = data.draw(st.sets(st.integers(0, g - 1), min_size=1, max_size=g))
    ks = tuple(range(1, g + 1))
    hits = np.zeros(g)
    orders = list(permutations(range(g)))
    for order in orders:  # every order of the gallery is every order of each tie, equally often
        ranked = sorted(order, key=lambda i: -values[i])
        first = next(place for place, i in enumerate(ranked) if i in positives)
        hits[first:] += 1
    result = first_positive_ranks_from_scores(np.array([values]), [sorted(positives)], ks=ks)
    assert result.expected_hits[0] == pytest.approx(hits / len(orders), abs=1e-12)
    best = max(values[i] for i in positives)
    assert result.ties[0] == values.count(best)
    assert result.tied[0].tolist() == [0 < h < len(orders) for h in hits]
    for k in ks:
        ranking = rankings_from_scores(
            np.array([values]), names(g), k=k, ties="expected", positives=[sorted(positives)]
        )
        assert ranking.expected_hits is not None
        assert ranking.expected_hits[0] == result.expected_hits[0, k - 1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [1, 7, 500])
def test_blocks_and_types_change_nothing(dtype: Any, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 100, (60, 500)).astype(dtype)
    expected = np.stack([full_sort(row) for row in scores])[:, :k]
    positives = [rng.choice(500, 3, replace=False).tolist() for _ in range(60)]
    whole = first_positive_ranks_from_scores(scores, positives)
    for block in (1 << 20, 1300, 1):
        monkeypatch.setattr(scores_module, "_BLOCK", block)
        assert (rankings_from_scores(scores, names(500), k=k).indices == expected).all()
        for ours, theirs in zip(first_positive_ranks_from_scores(scores, positives), whole, strict=True):
            assert np.array_equal(ours, theirs)


def test_order_of_queries_and_gallery_changes_nothing_without_ties() -> None:
    rng = np.random.default_rng(1)
    scores = rng.standard_normal((40, 300))
    ids = np.array(names(300))
    result = rankings_from_scores(scores, ids.tolist())
    rows, columns = rng.permutation(40), rng.permutation(300)
    moved = rankings_from_scores(scores[rows][:, columns], ids[columns].tolist())
    assert moved.ids == [result.ids[row] for row in rows]
    assert not result.tied.any()


def test_inputs_are_not_changed() -> None:
    scores = np.array([[0.1, np.nan, 0.3]])
    scores.flags.writeable = False
    rankings_from_scores(scores, names(3), k=2, nan="record")
    first_positive_ranks_from_scores(scores, [[0]], ks=(1,), nan="record")
    fortran = np.asfortranarray(np.random.default_rng(2).random((30, 40)))
    assert rankings_from_scores(fortran, names(40)).ids == rankings_from_scores(fortran.copy("C"), names(40)).ids


def test_constant_scores() -> None:
    """P29, P40: gallery order decides, which is said, and the expected value doesn't know where the positive stands."""
    scores = np.full((2, 10), 0.5, dtype=np.float32)
    found = first_positive_ranks_from_scores(scores, [[0], [9]], ks=(1, 5, 10))
    assert found.ranks.tolist() == [1, 10]
    assert found.ties.tolist() == [10, 10]
    assert found.expected_hits == pytest.approx(np.array([[0.1, 0.5, 1.0]] * 2))
    assert found.tied.tolist() == [[True, True, False]] * 2
    assert rankings_from_scores(scores, names(10), k=5).tied.all()


def test_nan_never_wins() -> None:
    """P30, P38: NaN is refused by name, or recorded as not retrieved."""
    scores = np.array([[0.1, 0.2, 0.3], [np.nan] * 3, [np.nan, -np.inf, 0.0]], dtype=np.float32)
    for call in (
        lambda **o: rankings_from_scores(scores, names(3), k=2, **o),
        lambda **o: first_positive_ranks_from_scores(scores, [[0], [0], [0]], ks=(1,), **o),
    ):
        with pytest.raises(ValueError, match=r"NaN for queries 'b', 'c' \(2 in total\).*nan='record'"):
            call(query_ids=["a", "b", "c"])
    result = rankings_from_scores(scores, names(3), k=3, nan="record")
    assert result.ids == [["g2", "g1", "g0"], [], ["g2", "g1"]]
    assert result.nan.tolist() == [0, 3, 1]
    found = first_positive_ranks_from_scores(scores, [[0], [0], [0]], ks=(3,), nan="record")
    assert found.ranks.tolist() == [3, -1, 0]
    assert found.expected_hits[:, 0].tolist() == [1.0, 0.0, 0.0]
    zero = np.zeros((1, 4), dtype=np.float32)
    with np.errstate(invalid="ignore"):
        broken = zero / np.linalg.norm(zero, axis=1, keepdims=True) @ np.ones((4, 3), dtype=np.float32)
    with pytest.raises(ValueError, match="all-zero"):
        rankings_from_scores(broken, names(3), k=1)


def test_infinities_are_ordinary() -> None:
    scores = np.array([[np.inf, 0.0, -np.inf, np.inf]])
    assert rankings_from_scores(scores, names(4), k=4).ids == [["g0", "g3", "g1", "g2"]]
    assert first_positive_ranks_from_scores(scores, [[2]], ks=(1,)).ranks.tolist() == [4]


def test_negative_cosines() -> None:
    """P31: a best score below zero is a hit like any other."""
    assert first_positive_ranks_from_scores(np.array([[-0.9, -0.1, -0.5]]), [[1]], ks=(1,)).ranks.tolist() == [1]


def test_half_precision_is_refused_and_single_precision_ranks_like_double() -> None:
    """P37: 2,000 cosines that half precision can't tell apart."""
    rng = np.random.default_rng(3)
    exact = (0.75 + 1e-5 * rng.permutation(2000))[None]
    for scores in (exact.astype(np.float16), exact > 0.76, exact.astype(complex)):
        with pytest.raises(TypeError, match="float32, float64 or integers"):
            rankings_from_scores(scores, names(2000))
    assert len(np.unique(exact.astype(np.float16))) < 100
    single = rankings_from_scores(exact.astype(np.float32), names(2000), k=2000)
    assert single.ids == rankings_from_scores(exact, names(2000), k=2000).ids


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"gallery_ids": ["a", "b", "a"]}, ValueError, r"distinct, repeated: 'a'"),  # P34
        ({"gallery_ids": ["7", "007", 7]}, TypeError, r"must be str, got 7"),  # P35
        ({"gallery_ids": ["a", "b"]}, ValueError, "3 columns of scores, got 2"),
        ({"k": 4}, ValueError, "size of the gallery, 3, got 4"),  # P55
        ({"k": 0}, ValueError, "at least 1"),
        ({"k": True}, TypeError, "bool"),
        ({"k": "1"}, TypeError, "str"),
        ({"ties": "random"}, ValueError, "'gallery_order', 'expected', got 'random'"),
        ({"ties": "expected"}, ValueError, "needs positives"),
        ({"nan": "ignore"}, ValueError, "'raise', 'record'"),
        ({"query_ids": ["a"]}, ValueError, "2 rows of scores, got 1"),
        ({"scores": np.zeros(3)}, ValueError, r"shape \[n, n_gallery\]"),
        ({"scores": np.zeros((2, 0))}, ValueError, "not empty"),
    ],
)
def test_bad_input_for_rankings(options: dict[str, Any], error: type[Exception], message: str) -> None:
    given = {"scores": np.zeros((2, 3)), "gallery_ids": ["a", "b", "c"], "k": 2} | options
    with pytest.raises(error, match=message):
        rankings_from_scores(given.pop("scores"), given.pop("gallery_ids"), **given)


@pytest.mark.parametrize(
    ("positives", "error", "message"),
    [
        ([[0], []], ValueError, "without a positive: 'q1'"),
        ([[0], [3]], ValueError, "below 3, got 3"),
        ([[0], [-1]], ValueError, "below 3, got -1"),
        ([[0], ["g1"]], TypeError, "gallery positions"),
        ([[0], [0.0]], TypeError, "gallery positions"),
        ([[0]], ValueError, "each of the 2 rows of scores, got 1"),
        (np.ones((2, 2), dtype=bool), ValueError, "shape of scores"),
        (np.zeros((2, 3), dtype=bool), ValueError, "'q0', 'q1'"),
    ],
)
def test_bad_positives(positives: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        first_positive_ranks_from_scores(np.zeros((2, 3)), positives, ks=(1,), query_ids=["q0", "q1"])
    with pytest.raises(ValueError, match="size of the gallery, 3, got 5"):
        first_positive_ranks_from_scores(np.zeros((2, 3)), [[0], [1]], ks=(1, 5))


def test_no_queries() -> None:
    assert rankings_from_scores(np.zeros((0, 3)), names(3), k=2).ids == []
    assert first_positive_ranks_from_scores(np.zeros((0, 3)), [], ks=(1,)).ranks.tolist() == []
