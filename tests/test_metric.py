"""The arithmetic and the summary against the slow reference, and their rules for bad or empty input."""

from __future__ import annotations

import doctest
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from reference_metric import Reference, Row, binomial_p, differences
from scipy.stats import binomtest

from snapbench.corruptions import conditions as vocabulary_of_package
from snapbench.corruptions.conditions import all_states, joint_conditions
from snapbench.snapbench_metric import arithmetic, rows, scores, summary, vocabulary
from snapbench.snapbench_metric.arithmetic import (
    first_positive_ranks,
    first_positive_ranks_of_indices,
    hits_at_k,
    interaction_gap,
    mcnemar_p,
    mean_reciprocal_rank,
    paired_difference,
    percentile_interval,
    recall_at_k,
    resampled_sums,
)
from snapbench.snapbench_metric.rows import score_rows
from snapbench.snapbench_metric.summary import Outcome, summarize

ALL = [c.id for c in (*all_states(), *joint_conditions())]


def random_rows(
    rng: np.random.Generator, states: Sequence[tuple[str, str]], n: int, *, gallery: int = 12, depth: int = 8
) -> list[Row]:
    items = [f"g{i}" for i in range(gallery)]
    made = []
    for query in (f"q{i}" for i in range(n)):
        positives = tuple(rng.choice(items, rng.integers(1, 4), replace=False).tolist())
        domain = ("nature", "food", "place")[int(query[1:]) % 3]
        for mode, condition in states:
            ranking = rng.permutation(items)
            if rng.random() < 0.4:  # so that recalls are not all alike
                ranking = np.concatenate([[positives[0]], ranking[ranking != positives[0]]])
            made.append(Row(query, condition, mode, tuple(ranking[:depth].tolist()), positives, domain))
    return made


def columns_of(made: Sequence[Row]) -> dict[str, list[Any]]:
    return {
        "predictions": [list(row.ranking) for row in made],
        "references": [list(row.positives) for row in made],
        "query_ids": [row.query for row in made],
        "conditions": [row.condition for row in made],
        "modes": [row.mode for row in made],
        "domains": [row.domain for row in made],
    }


def fast(made: Sequence[Row], **options: Any) -> dict[str, Any]:
    scored = score_rows(columns_of(made))
    return summarize(scored.outcomes, domains=scored.domains, **options)


FULL = [("it2it", c) for c in ALL] + [("i2i", "clean"), ("i2i", "image_mosaic_s3"), ("t2t", "clean")]
PARTIAL = [
    ("it2it", c)
    for c in ("clean", "image_cropping_s3", "image_downscale_s3", "text_wordrepeat", "text_wordswap", "image_reencode")
]
JOINT = [
    ("it2it", c)
    for c in (
        "clean",
        *(f"image_mosaic_s{s}" for s in (1, 2, 3)),
        "text_charswap",
        *(f"joint_mosaic_charswap_s{s}" for s in (1, 2, 3)),
        "joint_rotation_sentadd_s2",
    )
]


@pytest.mark.parametrize(
    ("seed", "states", "n", "depth", "options"),
    [
        (0, FULL, 14, 8, {"ks": (1, 5, 10), "primary_k": 1}),
        (1, FULL, 9, 12, {"ks": (1, 3), "primary_k": 3}),
        (2, PARTIAL, 30, 12, {"ks": (2, 1), "primary_k": 1}),
        (3, PARTIAL, 1, 4, {"ks": (1,), "primary_k": 1}),
        (4, JOINT, 40, 3, {"ks": (1, 5, 10), "primary_k": 5}),
        (5, [("it2it", "clean"), ("i2i", "clean")], 25, 5, {"ks": (1, 5), "primary_k": 1}),
    ],
)
def test_every_key_equals_the_slow_reference(
    seed: int, states: list[tuple[str, str]], n: int, depth: int, options: dict[str, Any]
) -> None:
    made = random_rows(np.random.default_rng(seed), states, n, depth=depth)
    options = options | {"n_resamples": 60, "seed": seed}
    assert not differences(fast(made, **options), Reference(made, **options).everything())


def test_order_of_rows_and_names_of_gallery_items_change_nothing() -> None:
    rng = np.random.default_rng(6)
    made = random_rows(rng, [*JOINT, ("i2i", "clean")], 20)
    new = dict(
        zip((f"g{i}" for i in range(12)), rng.permutation([f"other{i}" for i in range(12)]).tolist(), strict=True)
    )
    shuffled = [
        Row(
            row.query,
            row.condition,
            row.mode,
            tuple(new[g] for g in row.ranking),
            tuple(new[g] for g in reversed(row.positives)),
            row.domain,
        )
        for row in (made[i] for i in rng.permutation(len(made)))
    ]
    assert json.dumps(fast(shuffled), sort_keys=True) == json.dumps(fast(made), sort_keys=True)


def test_identical_repeats_are_merged() -> None:
    made = random_rows(np.random.default_rng(7), PARTIAL, 10)
    assert fast([*made, *made[5:25]]) == fast(made)


def test_numbers_are_plain_json() -> None:
    result = fast(random_rows(np.random.default_rng(8), FULL, 6))
    assert json.loads(json.dumps(result, allow_nan=False)) == result

    def leaves(node: Any) -> Iterator[Any]:
        if isinstance(node, dict | list):
            for child in node.values() if isinstance(node, dict) else node:
                yield from leaves(child)
        else:
            yield node

    assert {type(leaf) for leaf in leaves(result)} <= {int, float, str, type(None)}


def test_global_random_state_is_neither_read_nor_changed() -> None:
    made = random_rows(np.random.default_rng(9), PARTIAL, 10)
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first = fast(made)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    assert fast(made) == first
    assert fast(made, seed=1) != first


def test_clean_against_itself() -> None:
    """P39: no difference is 0 with interval [0, 0] and p = 1, and no warning."""
    hits = np.array([True, False, True])
    assert paired_difference(hits, hits) == (0.0, 1.0, 2, 0, 0, 1, 3)
    outcomes = {
        ("it2it", c): Outcome(["a", "b", "c"], np.array([1, 0, 1]))
        for c in ("clean", "image_mosaic_s1", "text_charadd")
    }
    delta = summarize(outcomes)["conditions"]["it2it"]["image_mosaic_s1"]["delta"]
    assert (delta["value"], delta["interval"], delta["p_value"]) == (0.0, [0.0, 0.0], 1.0)


def test_constant_and_empty_groups_are_null_with_a_reason() -> None:
    clean, corrupted = ("it2it", "clean"), ("it2it", "image_mosaic_s1")
    ids = ["a", "b"]
    result = summarize({clean: Outcome(ids, np.array([1, 1])), corrupted: Outcome(ids, np.array([0, 0]))})
    assert result["recall_at_1"] == 100.0
    assert result["interval"] is None
    assert "constant" in result["interval_reason"]
    delta = result["conditions"]["it2it"]["image_mosaic_s1"]["delta"]
    assert (delta["value"], delta["interval"]) == (-100.0, None)
    empty = summarize({key: Outcome([], np.array([], dtype=int)) for key in (clean, corrupted, ("i2i", "clean"))})
    assert empty["recall_at_1"] is None
    assert empty["interval_reason"] == "no queries"
    for block in (
        empty["drag"],
        empty["conditions"]["it2it"]["image_mosaic_s1"]["delta"],
        empty["averages"]["it2it"]["image"]["s1"],
        empty["rank_displacement"],
    ):
        assert block["value"] is None
        assert block["reason"]
    assert (empty["n_total"], empty["n_scored"], empty["n_missing"]) == (0, 0, 0)


def test_no_headline_without_clean_it2it() -> None:
    outcomes = {(mode, "clean"): Outcome(["a", "b"], np.array([1, 2])) for mode in ("i2i", "t2t")}
    result = summarize(outcomes)
    assert result["recall_at_1"] is None
    assert result["reason"]
    only = summarize({("t2t", "image_mosaic_s2"): Outcome(["a", "b"], np.array([1, 2]))})
    assert (only["mode"], only["condition"], only["recall_at_1"]) == ("t2t", "image_mosaic_s2", 50.0)


class TestDenominators:
    clean, corrupted = ("it2it", "clean"), ("it2it", "image_mosaic_s1")

    def outcomes(self) -> dict[tuple[str, str], Outcome]:
        """Query c has no row under mosaic, b no ranking there."""
        return {
            self.clean: Outcome(["a", "b", "c"], np.array([1, 1, 1])),
            self.corrupted: Outcome(["b", "a"], np.array([-1, 1])),
        }

    def test_missing_queries_are_refused(self) -> None:
        """P33."""
        with pytest.raises(ValueError, match=r"image_mosaic_s1.*'b', 'c' \(2 in total\).*missing='miss'"):
            summarize(self.outcomes())

    def test_missing_queries_count_as_misses_when_asked(self) -> None:
        result = summarize(self.outcomes(), missing="miss")
        assert (result["n_total"], result["n_scored"], result["n_missing"]) == (3, 1, 2)
        mosaic = result["conditions"]["it2it"]["image_mosaic_s1"]
        assert mosaic["recall_at_1"] == pytest.approx(100 / 3)
        assert (mosaic["n"], mosaic["n_missing"], mosaic["delta"]["lost"]) == (3, 2, 2)

    def test_queries_that_occur_nowhere_are_missed_too(self) -> None:
        outcomes = {self.clean: Outcome(["a"], np.array([1]))}
        with pytest.raises(ValueError, match=r"'b', 'c' \(2 in total\)"):
            summarize(outcomes, query_ids=["a", "b", "c"])
        result = summarize(outcomes, query_ids=["c", "a", "b", "d"], missing="miss", n_excluded=2)
        assert result["recall_at_1"] == 25.0
        assert (result["n_total"], result["n_scored"], result["n_missing"], result["n_excluded"]) == (6, 1, 3, 2)

    def test_unknown_queries_are_refused(self) -> None:
        ids = [f"q{i}" for i in range(8)]
        with pytest.raises(ValueError, match=r"doesn't list: 'q1', 'q2', 'q3', 'q4', 'q5', ... \(7 in total\)"):
            summarize({self.clean: Outcome(ids, np.ones(8, dtype=int))}, query_ids=["q0"])

    def test_conditions_without_clean(self) -> None:
        outcomes = {
            self.corrupted: Outcome(["a"], np.array([1])),
            ("it2it", "text_charadd"): Outcome(["a"], np.array([1])),
        }
        with pytest.raises(ValueError, match=r"without clean.*\(2 in total\).*unpaired='null'"):
            summarize(outcomes)
        result = summarize(outcomes, unpaired="null")
        delta = result["conditions"]["it2it"]["text_charadd"]["delta"]
        assert delta["value"] is None
        assert "clean" in delta["reason"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"ks": (0,)}, ValueError, "at least 1, got 0"),
        ({"ks": (1, -1)}, ValueError, "at least 1, got -1"),
        ({"ks": ("1",)}, TypeError, "got str: '1'"),
        ({"ks": (True,)}, TypeError, "got bool: True"),
        ({"ks": (1.0,)}, TypeError, "got float: 1.0"),
        ({"ks": 5}, TypeError, "sequence of ints"),
        ({"ks": "15"}, TypeError, "sequence of ints"),
        ({"ks": ()}, ValueError, "not empty"),
        ({"ks": (1, 1)}, ValueError, "distinct"),
        ({"primary_k": 2}, ValueError, r"one of ks \(1, 5, 10\), got 2"),
        ({"n_resamples": 0}, ValueError, "n_resamples"),
        ({"seed": 1.5}, TypeError, "seed"),
        ({"missing": "drop"}, ValueError, "'raise', 'miss', got 'drop'"),
        ({"unpaired": None}, ValueError, "unpaired"),
        ({"query_ids": ["a", "a"]}, ValueError, "repeated: 'a'"),
        ({"query_ids": [1]}, TypeError, "must be str"),
        ({"domains": {}}, ValueError, "none for 'a'"),
    ],
)
def test_bad_arguments(options: dict[str, Any], error: type[Exception], message: str) -> None:
    """P55 and its kind."""
    with pytest.raises(error, match=message):
        summarize({("it2it", "clean"): Outcome(["a"], np.array([1]))}, **options)


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        ({}, "at least one"),
        ({("it2it", "image_mosiac_s1"): ([], [])}, "did you mean 'image_mosaic_s1'"),
        ({("it2it", "image_mosaic"): ([], [])}, "config name with severity"),
        ({("IT2IT", "clean"): ([], [])}, "one of it2it, i2i"),
        ({("it2it", "clean"): (["a", "a"], [1, 1])}, "more than once: 'a'"),
        ({("it2it", "clean"): (["a"], [1, 1])}, "shape"),
        ({("it2it", "clean"): (["a"], [1.0])}, "integer array"),
        ({("it2it", "clean"): (["a"], [-2])}, "at least -1, got -2"),
    ],
)
def test_bad_outcomes(outcomes: dict[tuple[str, str], tuple[list[str], list[float]]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        summarize({key: Outcome(ids, np.array(ranks)) for key, (ids, ranks) in outcomes.items()})


def test_ties_are_reported_beside_the_official_value() -> None:
    outcome = Outcome(
        ["b", "a"], np.array([1, 1]), np.array([[0.25, 1.0], [1.0, 1.0]]), np.array([[True, False], [False, False]])
    )
    result = summarize({("it2it", "clean"): outcome}, ks=(1, 5))
    assert result["conditions"]["it2it"]["clean"]["ties"] == {
        "expected_recall_at_1": 62.5,
        "n_tied_at_1": 1,
        "expected_recall_at_5": 100.0,
        "n_tied_at_5": 0,
    }


def test_ranks_by_id_and_by_position() -> None:
    rng = np.random.default_rng(10)
    rankings = np.stack([rng.permutation(9)[:6] for _ in range(50)])
    rankings[:7, 3:] = -1
    rankings[0] = -1
    mask = rng.random((50, 9)) < 0.15
    ids = [[f"g{i}" for i in row if i >= 0] for row in rankings]
    wanted = [{f"g{i}" for i in np.flatnonzero(row)} for row in mask]
    expected = first_positive_ranks(ids, wanted)
    assert expected.tolist() == [
        next((place + 1 for place, g in enumerate(row) if g in own), 0 if row else -1)
        for row, own in zip(ids, wanted, strict=True)
    ]
    assert first_positive_ranks_of_indices(rankings, mask).tolist() == expected.tolist()
    with pytest.raises(ValueError, match="got 1 and 2"):
        first_positive_ranks([["a"]], [{"a"}, {"b"}])


def test_hit_rate_is_not_trec_recall() -> None:
    """P36: one of three positives on top is a full hit."""
    ranks = first_positive_ranks([["g1", "g9", "g8"]], [{"g1", "g2", "g3"}])
    assert recall_at_k(ranks, 1) == 100.0
    assert hits_at_k(np.array([-1, 0, 1, 2]), 1).tolist() == [False, False, True, False]
    assert (recall_at_k(np.array([], dtype=int), 1), mean_reciprocal_rank(np.array([], dtype=int))) == (None, None)
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        recall_at_k(ranks, 0)


def test_mcnemar_is_exact() -> None:
    for lost, gained in [(0, 0), (0, 1), (3, 3), (2, 9), (40, 25), (500, 600)]:
        assert mcnemar_p(lost, gained) == mcnemar_p(gained, lost) == binomial_p(lost, gained)
        if lost + gained:
            assert mcnemar_p(lost, gained) == pytest.approx(binomtest(lost, lost + gained).pvalue, rel=1e-9)
    assert mcnemar_p(0, 1000) == 2.0**-999  # no underflow in between
    assert mcnemar_p(30_000, 30_400) == pytest.approx(binomtest(30_000, 60_400).pvalue, rel=1e-9)


def test_paired_difference_needs_the_same_queries() -> None:
    with pytest.raises(ValueError, match="same queries"):
        paired_difference(np.array([True]), np.array([True, False]))
    assert paired_difference(np.zeros(0, bool), np.zeros(0, bool)) is None


def test_interaction_gap() -> None:
    gap = interaction_gap(np.array([60.0]), np.array([50.0]), np.array([58.0]), np.array([40.0]))
    assert gap.tolist() == [20.0 - (10.0 + 2.0)]


def test_resampling_in_blocks_equals_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = np.random.default_rng(11).integers(0, 2, (37, 5))
    whole = resampled_sums(columns, 50, 3)
    monkeypatch.setattr(arithmetic, "_BLOCK", 100)
    assert (resampled_sums(columns, 50, 3) == whole).all()
    assert (whole[0] == columns.sum(axis=0)).all()
    rng = np.random.Generator(np.random.PCG64(3))
    assert (whole[1:] == [columns[rng.integers(0, 37, 37)].sum(axis=0) for _ in range(50)]).all()


def test_many_queries_are_drawn_in_groups_with_the_same_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(13)
    columns = np.stack([rng.random(5000) < p for p in (0.2, 0.5, 0.9)], axis=1).astype(int)
    columns[:, 2] -= columns[:, 0]
    grouped = resampled_sums(columns, 4000, 0)
    monkeypatch.setattr(arithmetic, "_LARGE", 10**9)
    singly = resampled_sums(columns, 4000, 0)
    assert (grouped[0] == singly[0]).all()
    assert not (grouped[1:] == singly[1:]).all()
    assert grouped[1:].mean(axis=0) == pytest.approx(singly[1:].mean(axis=0), rel=0.002)
    assert np.cov(grouped[1:].T) == pytest.approx(np.cov(singly[1:].T), rel=0.1, abs=40)


def test_bootstrap_covers_the_truth() -> None:
    """About 95 of 100 intervals of a 70 % hit rate hold 70 %."""
    rng = np.random.default_rng(12)
    covered = 0
    for seed in range(200):
        sums = resampled_sums(rng.random((150, 1)) < 0.7, 400, seed)[1:, 0]
        low, high = percentile_interval(100 * sums / 150)
        covered += low <= 70 <= high
    assert 180 <= covered <= 198


def test_vocabulary_is_the_packages() -> None:
    assert vocabulary.PRIMITIVES == vocabulary_of_package.PRIMITIVES
    assert vocabulary.TEXT_LEVELS == vocabulary_of_package.TEXT_LEVELS
    assert vocabulary.MODES == vocabulary_of_package.MODES
    assert vocabulary.SEVERITIES == vocabulary_of_package.SEVERITIES
    for condition_id, state in vocabulary.STATES.items():
        theirs = vocabulary_of_package.parse_condition(condition_id)
        assert theirs.id == condition_id
        if state.kind == "control":
            assert theirs.image_operator == vocabulary_of_package.REENCODE
        else:
            assert tuple(state) == (theirs.kind, theirs.image_operator, theirs.text_operator, theirs.severity)
    assert len(vocabulary.STATES) == 1 + 8 + 45 + 15 * 8 * 3 + 1
    assert {c.id for c in (*all_states(), *joint_conditions())} <= vocabulary.STATES.keys()


@pytest.mark.parametrize("module", [arithmetic, rows, scores, summary, vocabulary])
def test_doctests(module: Any) -> None:
    assert doctest.testmod(module).failed == 0
