"""The evaluate module: its columns, its refusals, and its life in processes, caches and copied folders."""

from __future__ import annotations

import doctest
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pytest
from datasets import Dataset
from metric_worker import CONDITIONS, columns, part

from snapbench.snapbench_metric import snapbench_metric
from snapbench.snapbench_metric.rows import score_rows
from snapbench.snapbench_metric.scores import rankings_from_scores
from snapbench.snapbench_metric.snapbench_metric import Snapbench
from snapbench.snapbench_metric.summary import summarize

FOLDER = Path(snapbench_metric.__file__).parent


def test_compute_equals_the_pure_functions() -> None:
    made = columns()
    n = len(made["query_ids"])
    domains = [("food" if query < "q5" else "place") for query in made["query_ids"]]
    result = Snapbench().compute(**made, domains=domains, ks=(1, 3), primary_k=3, n_resamples=100, seed=4)
    scored = score_rows(made | {"modes": ["it2it"] * n, "domains": domains})
    expected = summarize(scored.outcomes, domains=scored.domains, ks=(1, 3), primary_k=3, n_resamples=100, seed=4)
    assert result == expected | {"depth": 5}


def test_batches_of_two_metrics_interleave() -> None:
    metrics, inputs = (Snapbench(), Snapbench()), (columns(seed=1), columns(seed=2))
    for start in range(0, 48, 5):
        for metric, made in zip(metrics, inputs, strict=True):
            metric.add_batch(**part(made, slice(start, start + 5)))
    assert [metric.compute() for metric in metrics] == [Snapbench().compute(**made) for made in inputs]


def test_rows_one_by_one_and_repeated_rows() -> None:
    made, metric = columns(), Snapbench()
    for row in [*range(48), *range(9)]:
        metric.add(
            prediction=made["predictions"][row],
            reference=list(reversed(made["references"][row])),
            query_id=made["query_ids"][row],
            condition=made["conditions"][row],
        )
    assert metric.compute() == Snapbench().compute(**made)


def test_a_single_condition_is_flat_and_needs_no_other_column() -> None:
    metric = Snapbench()
    made = columns(conditions=("clean",))
    result = metric.compute(predictions=made["predictions"], references=made["references"])
    assert list(result) == [
        *("ks", "primary_k", "n_total", "n_scored", "n_missing", "n_excluded", "mode", "condition"),
        *("recall_at_1", "recall_at_5", "recall_at_10", "mrr", "interval", "depth"),
    ]
    order = np.random.default_rng(3).permutation(12)
    shuffled = {name: [made[name][i] for i in order] for name in ("predictions", "references")}
    assert metric.compute(**shuffled) == result
    assert "domains" in metric.compute(**shuffled, domains=["food"] * 12)


@pytest.mark.parametrize("kind", ["tuple", "numpy", "pandas", "dataset"])
def test_columns_of_any_kind(kind: str) -> None:
    made = columns()
    expected = Snapbench().compute(**made)
    table = Dataset.from_dict(made)
    given: dict[str, Any] = {
        "tuple": {name: tuple(column) for name, column in made.items()},
        "numpy": {name: np.array(column) for name, column in made.items()},
        "pandas": dict(table.to_pandas().items()),
        "dataset": {name: table[name] for name in made},
    }[kind]
    assert Snapbench().compute(**given) == expected


def test_evaluate_can_save_and_combine(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """P47."""
    made = columns()
    evaluate.save(tmp_path / "result.json", **Snapbench().compute(**made))
    saved = json.loads((tmp_path / "result.json").read_text(), parse_constant=pytest.fail)
    assert saved["conditions"] == Snapbench().compute(**made)["conditions"]
    both = evaluate.combine({"a": Snapbench(), "b": Snapbench()}, force_prefix=True)
    combined = both.compute(predictions=[["g1"], ["g2"]], references=[["g1"], ["g1"]])
    assert (combined["a_recall_at_1"], combined["b_recall_at_1"]) == (50.0, 50.0)


ONE = {"predictions": [["g1", "g2"], ["g2"]], "references": [["g1"], ["g1"]]}


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"predictions": [["g1", 7], [8]]}, TypeError, r"predictions.*\(row, id\): \(0, 7\), \(1, 8\) \(2 in total\)"),
        ({"references": [["g1"], [None]]}, TypeError, r"references.*\(1, None\)"),
        ({"predictions": ["g1", "g2"]}, TypeError, "must be a list, got str 'g1'"),
        ({"predictions": "g1"}, TypeError, "must be a list"),
        ({"predictions": [["g1"], [["g2"]]]}, TypeError, r"\(1, \['g2'\]\)"),
        ({"predictions": None}, ValueError, "predictions must be given"),
        ({"references": [["g1"]]}, ValueError, "2 predictions and {'references': 1}"),
        ({"query_ids": ["a", 2]}, TypeError, r"query_ids.*\(1, 2\)"),
        ({"query_ids": ["a", None]}, TypeError, r"query_ids.*\(1, None\)"),
        ({"query_ids": ["a", ""]}, TypeError, "non-empty"),
        ({"query_ids": ["a", "a"]}, ValueError, r"two different rankings: \('it2it', 'clean', 'a'\)"),
        ({"predictions": [["g1", "g1"], ["g2"]]}, ValueError, r"twice in the ranking.*'0'"),
        ({"predictions": [["g1"], []]}, ValueError, r"no ranking for queries '.*\(row 1\)'.*missing='miss'"),
        ({"predictions": [["g1"], None]}, ValueError, "no ranking"),
        ({"references": [["g1"], []]}, ValueError, "without a positive in references: '1'.*no_positives='exclude'"),
        ({"conditions": ["clean", "image_mosaic_s4"]}, ValueError, "query_ids is needed"),
        ({"conditions": ["clean", "mosaic"], "query_ids": ["a", "a"]}, ValueError, "1 unknown, 'mosaic'"),
        ({"modes": ["IT", "IT"]}, ValueError, "must be one of it2it"),
        (
            {"conditions": ["clean", "image_mosaic_s1"], "query_ids": ["a", "a"], "references": [["g1"], ["g2"]]},
            ValueError,
            "positives differ between rows: 'a'",
        ),
        (
            {"conditions": ["clean", "image_mosaic_s1"], "query_ids": ["a", "a"], "domains": ["food", "place"]},
            ValueError,
            "more than one domain: 'a'",
        ),
        ({"domains": ["food", ""]}, TypeError, "domains"),
        ({"all_query_ids": ["a"], "query_ids": ["a", "b"]}, ValueError, "doesn't list: 'b'"),
        ({"ks": (0,)}, ValueError, "ks"),
        ({"no_positives": "skip"}, ValueError, "'raise', 'exclude', got 'skip'"),
    ],
)
def test_refused_rows_leave_nothing_behind(given: dict[str, Any], error: type[Exception], message: str) -> None:
    """P32-P36, P55: named errors; the same metric works at the next call."""
    metric = Snapbench()
    with pytest.raises(error, match=message):
        metric.compute(**(ONE | given))
    assert metric.compute(**ONE)["recall_at_1"] == 50.0


def test_stored_rows_that_are_refused_leave_nothing_behind(tmp_path: Path) -> None:
    metric = Snapbench(cache_dir=str(tmp_path))
    metric.add_batch(predictions=[["g1"], ["g2"]], references=[["g1"], []])
    with pytest.raises(ValueError, match="without a positive in references: '1'"):
        metric.compute()
    metric.add_batch(**ONE)
    with pytest.raises(TypeError, match=r"\(0, 3\)"):
        metric.add_batch(predictions=[[3]], references=[["g1"]])
    assert metric.compute()["n_total"] == 2
    assert not list(tmp_path.iterdir())


def test_nothing_to_compute() -> None:
    metric = Snapbench()
    with pytest.raises(ValueError, match="no rows"):
        metric.compute()
    metric.add_batch(predictions=[], references=[])
    with pytest.raises(ValueError, match="no rows"):
        metric.compute()


def test_query_ids_in_all_batches_or_none() -> None:
    metric = Snapbench()
    metric.add_batch(**ONE)
    with pytest.raises(ValueError, match="every batch or in none"):
        metric.add_batch(**ONE, query_ids=["a", "b"])
    assert metric.compute()["n_total"] == 2


def test_a_query_without_positives_is_left_out_and_counted() -> None:
    """P32: the other queries' results don't move."""
    made = columns()
    expected = Snapbench().compute(**made)
    made["predictions"] += [["g1"]] * 4
    made["references"] += [[]] * 4
    made["query_ids"] += ["barren"] * 4
    made["conditions"] += CONDITIONS
    ids = [*(f"q{i}" for i in range(12)), "barren"]
    result = Snapbench().compute(**made, no_positives="exclude", all_query_ids=ids)
    assert (result["n_total"], result["n_scored"], result["n_excluded"]) == (13, 12, 1)
    assert result["conditions"] == {
        "it2it": {c: expected["conditions"]["it2it"][c] for c in result["conditions"]["it2it"]}
    }
    only = Snapbench().compute(predictions=[["g1"]], references=[[]], no_positives="exclude")
    assert (only["n_total"], only["n_excluded"], only["recall_at_1"], only["depth"]) == (1, 1, None, None)


def test_a_query_without_a_ranking_is_a_miss_when_asked() -> None:
    """P33: the denominator stays full."""
    result = Snapbench().compute(predictions=[["g1"], [], None], references=[["g1"]] * 3, missing="miss")
    assert result["recall_at_1"] == pytest.approx(100 / 3)
    assert (result["n_total"], result["n_scored"], result["n_missing"]) == (3, 1, 2)


def test_ids_are_verbatim() -> None:
    """P35."""
    assert Snapbench().compute(predictions=[["7", "007"]], references=[["007"]])["mrr"] == 50.0


def test_documentation_states_measure_and_scale() -> None:
    metric = Snapbench()
    for text in (metric.description, (FOLDER / "README.md").read_text(encoding="utf-8")):
        assert "hit rate" in text
        assert "percent" in text
    assert Snapbench.rankings_from_scores is rankings_from_scores
    assert "primary_k" in metric.inputs_description


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, subprocess.CompletedProcess[str]]:
    """Nine fresh processes at once, all offline: six single ones, two that share the rows, one that runs the card.

    Their caches lie below a regular file, so that nothing can be written there; only the copy that evaluate makes of
    the script has a folder, and the two that share rows have one for them.
    """
    root = tmp_path_factory.mktemp("metric")
    shutil.copytree(FOLDER, root / "snapbench_metric", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "file").write_text("")
    offline = {
        name: value for name, value in os.environ.items() if not name.startswith(("HF_", "SNAPBENCH_", "PYTHON"))
    } | {
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(root / "file" / "home"),
        "OMP_NUM_THREADS": "1",
    }
    cached = offline | {"HF_MODULES_CACHE": str(root / "modules")}
    shared = cached | {"HF_METRICS_CACHE": str(root / "shared")}
    worker = [sys.executable, str(Path(__file__).with_name("metric_worker.py"))]
    commands = {f"single{i}": ([*worker, "single", "./snapbench_metric"], cached) for i in range(6)}
    commands |= {f"rank{i}": ([*worker, f"rank{i}", "./snapbench_metric"], shared) for i in range(2)}
    commands["card"] = ([*worker, "card", "snapbench_metric/README.md"], offline)
    running = {
        name: subprocess.Popen(
            command, cwd=root, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        for name, (command, env) in commands.items()
    }
    done = {}
    for name, process in running.items():
        out, err = process.communicate(timeout=300)
        done[name] = subprocess.CompletedProcess(process.args, process.returncode, out, err)
    return done


def answer(process: subprocess.CompletedProcess[str]) -> Any:
    assert process.returncode == 0, process.stderr
    said = json.loads(process.stdout.splitlines()[-1])
    assert said["connections"] == [], "a network connection was tried"
    return said["result"]


def test_six_processes_at_once_offline_from_a_copied_folder(
    processes: dict[str, subprocess.CompletedProcess[str]],
) -> None:
    """P49, P50, P62: same numbers in all, no connection, no writable data cache."""
    expected = json.loads(json.dumps(Snapbench().compute(**columns())))
    for i in range(6):
        assert answer(processes[f"single{i}"]) == expected


def test_two_processes_share_the_rows(processes: dict[str, subprocess.CompletedProcess[str]]) -> None:
    assert answer(processes["rank0"]) == json.loads(json.dumps(Snapbench().compute(**columns())))
    assert answer(processes["rank1"]) is None


def test_several_processes_need_query_ids(tmp_path: Path) -> None:
    metric = Snapbench(num_process=2, process_id=0, cache_dir=str(tmp_path))
    with pytest.raises(ValueError, match="query_ids is needed with several processes"):
        metric.add_batch(**ONE)


def test_the_card_is_what_a_fresh_process_prints(processes: dict[str, subprocess.CompletedProcess[str]]) -> None:
    assert processes["card"].returncode == 0, processes["card"].stdout + processes["card"].stderr
    assert not processes["card"].stdout


def test_the_documented_example() -> None:
    example = doctest.DocTestParser().get_doctest(
        snapbench_metric._KWARGS_DESCRIPTION, {}, "inputs_description", None, None
    )
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0
