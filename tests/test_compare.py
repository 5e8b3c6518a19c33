"""Comparisons: equal to a plain reference, symmetric, paired by query, and refused when they would mean nothing."""

from __future__ import annotations

import copy
import io
import itertools
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from made_runs import ranks_table, write_made_run
from rich.console import Console
from scipy.stats import binomtest

from snapbench.evaluation import read_run
from snapbench.evaluation.compare import compare, estimate, print_comparison, read_ranks
from snapbench.evaluation.published import PUBLISHED, published_values
from snapbench.evaluation.runfile import RANKS_FILE, write_ranks
from snapbench.evaluation.runner import default_conditions

N = 40
QUERIES = [f"q{i:03d}" for i in range(N)]
CONDITIONS = [condition.id for condition in default_conditions()]


def drawn(seed: int, share: float, rules: tuple[str, ...] = ("fixed", "moor")) -> dict:
    rng = np.random.default_rng(seed)
    states = [("fixed", mode, c) for mode in ("it2it", "i2i") for c in CONDITIONS]
    states += [(rule, "it2it", c) for rule in rules[1:] for c in CONDITIONS]
    return {state: np.where(rng.random(N) < share, 1, rng.integers(2, 90, N)) for state in states}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    return tuple(
        write_made_run(folder / name, drawn(seed, share), QUERIES, adapter={"name": name, "fingerprint": name})
        for name, seed, share in (("a", 1, 0.5), ("b", 2, 0.7))
    )


@pytest.fixture(scope="module")
def compared(runs) -> dict:
    return compare(*runs)


def leaves(block: dict, path: tuple[str, ...]) -> dict:
    for name in path:
        block = block[name]
    return block


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("text character", ("text", "character")),
        ("text", ("text", "all")),
        ("image s2", ("image", "s2")),
        ("image", ("image", "all")),
        ("remove s3", ("primitives", "remove", "s3")),
        ("add", ("primitives", "add", "all")),
    ],
)
def test_groups_are_the_averages_of_the_run_files(runs, compared, name, path):
    """The metric averages recalls over conditions; the comparison weights single hits. They have to agree."""
    a, b = (leaves(read_run(run)["results"]["fixed"]["averages"]["it2it"], path) for run in runs)
    group = compared["modes"]["it2it"]["groups"][name]
    assert group["a"] == pytest.approx(a["recall_at_1"])
    assert group["b"] == pytest.approx(b["recall_at_1"])
    assert group["difference"]["value"] == pytest.approx(b["recall_at_1"] - a["recall_at_1"])
    assert group["robustness"]["value"] == pytest.approx(b["delta"]["value"] - a["delta"]["value"])


def test_single_conditions_equal_counting_by_hand(runs, compared):
    table = [pq.read_table(run / RANKS_FILE).to_pylist() for run in runs]
    hits = [
        {
            (row["condition"], row["query_id"]): row["rank"] == 1
            for row in rows
            if (row["rule"], row["mode"]) == ("fixed", "i2i")
        }
        for rows in table
    ]
    for condition in ("clean", "text_charswap", "joint_mosaic_charswap_s2"):
        better = sum(hits[1][condition, q] and not hits[0][condition, q] for q in QUERIES)
        worse = sum(hits[0][condition, q] and not hits[1][condition, q] for q in QUERIES)
        block = compared["modes"]["i2i"]["conditions"][condition]["difference"]
        assert (block["better"], block["worse"], block["equal"]) == (better, worse, N - better - worse)
        assert block["value"] == pytest.approx(100 * (better - worse) / N)
        assert block["p_value"] == pytest.approx(binomtest(better, better + worse).pvalue)
        assert block["n"] == N


def test_intervals_equal_resampling_queries_one_by_one(runs, compared):
    hits = [read_ranks(run).hits("fixed", 1)["it2it", "clean"] for run in runs]
    rng = np.random.Generator(np.random.PCG64(0))
    differences = []
    for _ in range(1000):
        drawn_queries = rng.integers(0, N, N)
        differences.append(100 * np.mean([float(hits[1][q]) - float(hits[0][q]) for q in drawn_queries]))
    interval = compared["modes"]["it2it"]["conditions"]["clean"]["difference"]["interval"]
    assert interval == pytest.approx(np.quantile(differences, [0.025, 0.975]).tolist())


def test_drag_and_interaction_gap_are_those_of_the_run_files(runs, compared):
    a, b = (read_run(run)["results"]["fixed"] for run in runs)
    for name, of in (("drag", lambda r: r["drag"]["value"]), ("gamma_int", lambda r: r["gamma_int"]["mean"]["value"])):
        assert compared[name]["a"] == pytest.approx(of(a))
        assert compared[name]["b"] == pytest.approx(of(b))
        assert compared[name]["difference"]["value"] == pytest.approx(of(b) - of(a))


def test_swapping_the_runs_changes_signs_only(runs, compared):
    swapped = compare(runs[1], runs[0])
    for name, block in compared["modes"]["it2it"]["groups"].items():
        other, difference = swapped["modes"]["it2it"]["groups"][name]["difference"], block["difference"]
        assert other["value"] == -difference["value"]
        assert other["p_value"] == difference["p_value"]
        assert other["interval"] == pytest.approx([-bound for bound in difference["interval"][::-1]])


def test_a_run_equals_itself(runs):
    same = compare(runs[0], runs[0])
    for mode in same["modes"].values():
        for block in itertools.chain(mode["groups"].values(), mode["conditions"].values()):
            assert block["difference"]["value"] == 0.0
            assert block["difference"]["interval"] == [0.0, 0.0]
            assert block["difference"]["p_value"] == 1.0


def test_queries_are_paired_by_id_not_by_row(runs, compared, tmp_path):
    ranks = drawn(2, 0.7)
    order = np.random.default_rng(0).permutation(N)
    other = write_made_run(tmp_path / "b", ranks, QUERIES)
    table = ranks_table({key: row[order] for key, row in ranks.items()}, [QUERIES[i] for i in order])
    write_ranks(other / RANKS_FILE, table)
    assert compare(runs[0], other)["modes"] == compared["modes"]


def test_rows_of_the_table_may_stand_in_any_order_of_states(runs, tmp_path):
    ranks = drawn(2, 0.7)
    other = write_made_run(tmp_path / "b", dict(reversed(ranks.items())), QUERIES)
    found = read_ranks(other)
    assert all(np.array_equal(found.ranks[key], row) for key, row in ranks.items())
    assert found.top_ids["moor", "it2it", "clean"][3] == "top-q003-clean"


def test_queries_are_resampled_as_the_metric_does_whatever_their_order(tmp_path):
    order = np.random.default_rng(0).permutation(N)
    ids = [QUERIES[i] for i in order]
    run = write_made_run(tmp_path / "shuffled", {key: row[order] for key, row in drawn(1, 0.6).items()}, ids)
    results = read_run(run)["results"]["fixed"]["conditions"]["it2it"]
    hits = read_ranks(run).hits("fixed", 1)
    for condition in ("clean", "image_mosaic_s2"):
        found = estimate(100.0 * hits["it2it", condition], difference=False)
        assert found["interval"] == pytest.approx(results[condition]["interval"])


def test_the_gap_is_defined_where_the_metrics_is(runs, tmp_path):
    """A pair at one severity only, among pairs at all, would weigh less: no mean then."""
    some = {key: row for key, row in drawn(2, 0.7).items() if key[2] != "joint_mosaic_charswap_s2"}
    found = compare(runs[0], write_made_run(tmp_path / "some", some, QUERIES))
    assert found["gamma_int"]["value"] is None
    assert "at all severities" in found["gamma_int"]["reason"]


def test_the_authors_gap_stands_beside_their_six_pairs_only(runs, compared):
    def shown(comparison):
        console = Console(width=200, file=io.StringIO())
        print_comparison(comparison, console, published=True)
        return next(line for line in console.file.getvalue().splitlines() if "gamma_int" in line)

    assert "+7.6 (Table 3)" in shown(compared)
    fewer = copy.deepcopy(compared)
    fewer["gamma_int"]["pairs"].pop()
    assert "Table 3" not in shown(fewer)
    assert "gamma_int, 5 pairs" in shown(fewer)


def test_a_constant_level_has_no_interval_and_a_difference_of_nothing_is_zero():
    zero = np.zeros(24)
    assert estimate(zero, difference=False)["interval"] is None
    assert estimate(zero, difference=True)["interval"] == [0.0, 0.0]


def test_a_learned_rule_fitted_on_other_conditions_is_said(tmp_path):
    ranks = {("lr-meta", *key[1:]): row for key, row in drawn(1, 0.6).items() if key[0] == "fixed"}
    ranks |= {key: row for key, row in drawn(1, 0.6).items() if key[0] == "fixed"}
    folders = [
        write_made_run(tmp_path / str(i), ranks, QUERIES, fusion={"lr-meta": {"chosen": {"fitted_on": fitted}}})
        for i, fitted in enumerate((["clean"], ["clean", "image_mosaic_s1"]))
    ]
    rules = {"rule_a": "lr-meta", "rule_b": "lr-meta"}
    assert any("fitted on other conditions" in note for note in compare(*folders, **rules)["notes"])
    assert not any("fitted on" in note for note in compare(folders[0], folders[0], **rules)["notes"])


def test_two_rules_of_one_run(runs):
    rules = compare(runs[0], runs[0], rule_b="moor")
    results = read_run(runs[0])["results"]
    clean = rules["modes"]["it2it"]["conditions"]["clean"]
    assert (clean["a"], clean["b"]) == (results["fixed"]["recall_at_1"], results["moor"]["recall_at_1"])
    assert list(rules["modes"]) == ["it2it"]
    assert any("only in the first run" in note for note in rules["notes"])
    with pytest.raises(ValueError, match="rule_b 'mor' is unknown"):
        compare(runs[0], runs[0], rule_b="mor")


@pytest.mark.parametrize(
    ("member", "change", "reason"),
    [
        ("source", {"fingerprint": "0" * 64}, r"was not the same in both: records, labels or image files differ"),
        (
            "source",
            {"fingerprint": "0" * 64, "name": "other"},
            r"different sources: custom \(flowers\) and custom \(oth",
        ),
        ("settings", {"seed": 3}, r"different settings: seed is 0 in the first and 3 in the second"),
        ("settings", {"storage": "lossless"}, r"storage is 'published' in the first and 'lossless' in the second"),
        ("settings", {"question": "empty"}, r"question is 'asked' in the first and 'empty' in the second"),
        ("settings", {"limit": 7}, r"limit is None in the first and 7 in the second"),
    ],
)
def test_runs_that_measured_different_things_are_refused(runs, tmp_path, member, change, reason):
    other = write_made_run(tmp_path / "other", drawn(2, 0.7), QUERIES, **{member: change})
    with pytest.raises(ValueError, match=reason):
        compare(runs[0], other)


def test_every_reason_is_told_at_once(runs, tmp_path):
    other = write_made_run(
        tmp_path / "other",
        {key: row[:30] for key, row in drawn(2, 0.7).items()},
        QUERIES[:30],
        settings={"seed": 1, "limit": 30},
    )
    with pytest.raises(ValueError, match=r"(?s)limit is.*seed is.*queries only in the first run: 'q030'.*10 in total"):
        compare(runs[0], other)


def test_what_only_one_run_measured_is_left_out_and_said(runs, tmp_path):
    few = {key: row for key, row in drawn(2, 0.7).items() if key[2] in ("clean", "image_mosaic_s1")}
    other = write_made_run(tmp_path / "few", few, QUERIES, packages={"pillow": "0.1"})
    found = compare(runs[0], other)
    assert set(found["modes"]["it2it"]["conditions"]) == {"clean", "image_mosaic_s1"}
    assert list(found["modes"]["it2it"]["groups"]) == ["clean"]
    assert found["gamma_int"] == {
        "value": None,
        "reason": "needs joint pairs at all severities, and their parts, in both runs",
    }
    assert any("only in the first run and left out" in note and "140 in total" in note for note in found["notes"])
    assert any("pillow" in note for note in found["notes"])


def test_missing_and_damaged_ranks_are_named(runs, tmp_path):
    other = write_made_run(tmp_path / "b", drawn(2, 0.7), QUERIES)
    (other / RANKS_FILE).write_bytes(b"PAR1 but not really")
    with pytest.raises(ValueError, match=r"ranks\.parquet is not a table of ranks"):
        compare(runs[0], other)
    (other / RANKS_FILE).unlink()
    with pytest.raises(FileNotFoundError, match=r"no ranks\.parquet"):
        compare(runs[0], other)


def test_states_with_different_queries_are_refused(tmp_path):
    ranks = {("fixed", "it2it", c): np.ones(3, int) for c in ("clean", "text_charswap")}
    run = write_made_run(tmp_path / "a", ranks, ["a", "b", "c"])
    table = ranks_table(ranks, ["a", "b", "c"]).slice(0, 5)
    write_ranks(run / RANKS_FILE, table)
    with pytest.raises(ValueError, match="don't hold the same queries"):
        read_ranks(run)


def printed(comparison: dict, width: int = 200, **options: bool) -> str:
    console = Console(file=io.StringIO(), width=width)
    print_comparison(comparison, console, **options)
    return console.file.getvalue()


def test_printed_comparison(compared):
    text = printed(compared)
    assert "A: a (" in text
    assert "image s3" in text
    assert "drag" in text
    assert "authors" not in text
    assert "no SnapBench benchmark results" in text
    clean = compared["modes"]["it2it"]["groups"]["clean"]
    assert f"{clean['a']:.2f}" in text
    assert "-0.00" not in text


def test_nothing_is_cut_off_on_a_narrow_terminal(compared):
    for text in (printed(compared, width=80), printed(compared, width=80, published=True)):
        assert "\N{HORIZONTAL ELLIPSIS}" not in text
        assert f"{compared['modes']['it2it']['groups']['image s3']['b']:.2f}" in text


def test_the_authors_numbers_are_marked_as_theirs(compared):
    text = printed(compared, published=True)
    assert "authors, mean of 16 models" in text
    assert "57.9, change -5.3 (Table 2)" in text
    assert "measured by its authors on SnapBench; not part of these runs" in text
    assert published_values()["drag"] == "-11.21 (Table 15)"
    assert published_values(model="CLIP-ViT-L/14", mode="i2i") == {"clean": "73.45 (Table 15)"}
    assert all(value.table.startswith("Table ") for value in PUBLISHED)


def test_the_comparison_is_strict_json(compared):
    assert json.loads(json.dumps(compared, allow_nan=False)) == compared
