"""The oracle's exact intervals against a fine grid, and its tie rule by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import reference_fusion as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from snapbench import fusion


def inside(intervals, alpha, slack=0.0):
    return any(low - slack <= alpha <= high + slack for low, high in intervals)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_the_intervals_are_where_a_grid_finds_the_query_solved(k):
    rng = np.random.default_rng(k)
    image, text = rng.standard_normal((2, 25, 30)).astype(np.float32)
    positives = [rng.choice(30, size=int(rng.integers(1, 4)), replace=False) for _ in range(25)]
    result = fusion.oracle({"ii": image, "tt": text}, positives, k=k)
    grid = np.linspace(0, 1, 2001)
    seen = 0
    for row, intervals in enumerate(result.intervals):
        solved = set(reference.solved_weights(image[row].astype(float), text[row].astype(float), positives[row], k))
        for alpha in grid:
            edge = any(abs(alpha - end) < 1e-9 for interval in intervals for end in interval)
            assert edge or (alpha in solved) == inside(intervals, alpha), (row, alpha, intervals)
        seen += bool(solved)
        if solved:
            nearest = min(solved, key=lambda alpha: abs(alpha - 0.5))
            assert abs(result.alpha[row] - 0.5) <= abs(nearest - 0.5) + 1e-12
            assert abs(result.alpha[row] - nearest) <= 1 / 2000 or abs(nearest - 0.5) > 0.4
    assert 0 < seen <= result.solved.sum() < 26
    assert result.recall == 100 * result.solved.mean()


def test_a_tie_at_a_single_weight_does_not_cut_an_interval():
    image, text = np.array([(0, 0), (1, 1), (-1, 3), (0, 2)], dtype=np.float64).T[:, None, :]
    # At 1/2 three lines meet and gallery order puts the positive, the last one, third; it is second on both sides.
    assert fusion.oracle({"ii": image, "tt": text}, [[3]], k=2).intervals == (((0.0, 1.0),),)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=6),
    st.integers(1, 3),
    st.data(),
)
def test_small_integers_make_every_tie(lines, k, data):
    """At rational weights in exact arithmetic, ties included, the intervals agree with a sort by (score, column)."""
    positives = data.draw(st.lists(st.integers(0, len(lines) - 1), min_size=1, max_size=2, unique=True))
    image, text = np.array(lines, dtype=np.float64).T[:, None, :]
    found = fusion.oracle({"ii": image, "tt": text}, [positives], k=k).intervals[0]
    assert all(0 <= low <= high <= 1 for low, high in found)
    assert all(a[1] < b[0] for a, b in pairwise(found))
    ends = {end for interval in found for end in interval}
    # All crossings of lines with slopes up to 6 are multiples of 1/d with d <= 12.
    for d in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13):
        for n in range(d + 1):
            scores = [n * i + (d - n) * t for i, t in lines]
            solved = reference.hit(scores, positives, k)
            alpha = n / d
            if any(abs(alpha - end) < 1e-9 for end in ends):
                continue  # an end may be open: the tie rule decides it
            if not solved and inside(found, alpha):
                # Nothing but a tie may hide the positive: it is there at weights as near as one likes on both sides.
                for near in (Fraction(n, d) - Fraction(1, 10**6), Fraction(n, d) + Fraction(1, 10**6)):
                    assert reference.hit([near * i + (1 - near) * t for i, t in lines], positives, k)
                continue
            assert solved == inside(found, alpha), (alpha, found)
    for low, high in found:
        if low == high:  # solved through the tie rule alone: it must be solved there
            alpha = Fraction(low).limit_denominator(12)
            scores = [alpha * i + (1 - alpha) * t for i, t in lines]
            assert reference.hit(scores, positives, k)


def test_ties_follow_the_gallery():
    same = {"ii": np.array([[1.0, 1.0]]), "tt": np.array([[2.0, 2.0]])}
    assert fusion.oracle(same, [[0]]).intervals == (((0.0, 1.0),),)
    assert fusion.oracle(same, [[1]]).intervals == ((),)
    # Item 1 leads below 1/2, item 0 above; the third, best of all but at 1/2, loses only to a tie there.
    crossing = {"ii": np.array([[1.0, 0.0]]), "tt": np.array([[0.0, 1.0]])}
    assert fusion.oracle(crossing, [[0]]).intervals == (((0.5, 1.0),),)
    assert fusion.oracle(crossing, [[1]]).intervals == (((0.0, 0.5),),)
    point = {"ii": np.array([[0.5, 1.0, 0.0]]), "tt": np.array([[0.5, 0.0, 1.0]])}
    assert fusion.oracle(point, [[0]]).intervals == (((0.5, 0.5),),)
    late = {"ii": np.array([[1.0, 0.0, 0.5]]), "tt": np.array([[0.0, 1.0, 0.5]])}
    assert fusion.oracle(late, [[2]]).intervals == ((),)


def test_unsolvable_and_always_solved_queries_have_weight_one_half():
    paths = {"ii": np.array([[3.0, 1], [1, 3], [0, 1]]), "tt": np.array([[3.0, 1], [1, 3], [3, 0]])}
    result = fusion.oracle(paths, [[0], [0], [0]])
    assert result.solved.tolist() == [True, False, True]
    assert result.alpha.tolist() == [0.5, 0.5, 0.5]
    one_sided = fusion.oracle({"ii": np.array([[0.0, 1.0]]), "tt": np.array([[1.0, 0.75]])}, [[0]])
    assert one_sided.alpha[0] == pytest.approx(0.2)
    assert one_sided.mean == pytest.approx(0.2)
    assert one_sided.spread == 0


def test_scaling_a_path_changes_the_weight_but_not_what_is_solved():
    rng = np.random.default_rng(8)
    image, text = rng.standard_normal((2, 30, 20)).astype(np.float32)
    positives = [[int(column)] for column in rng.integers(0, 20, 30)]
    plain = fusion.oracle({"ii": image, "tt": text}, positives)
    scaled = fusion.oracle({"ii": image * 8 - 3, "tt": text}, positives)
    assert plain.solved.tolist() == scaled.solved.tolist()
    fixed = fusion.hits(fusion.fixed({"ii": image, "tt": text}), positives)
    assert (plain.solved | ~fixed).all()


def test_gap_closed():
    assert fusion.gap_closed(60, 50, 70) == 0.5
    assert fusion.gap_closed(45, 50, 70) == -0.25
    assert fusion.gap_closed(50, 50, 50) is None


def test_bad_arguments_are_named():
    paths = {"ii": np.ones((1, 2)), "tt": np.ones((1, 2))}
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        fusion.oracle(paths, [[0]], k=0)
    with pytest.raises(ValueError, match="the oracle needs the paths ii, ti; missing: ti"):
        fusion.oracle(paths, [[0]], text="ti")
