"""The published schema of the run file: real runs pass, broken ones don't, and files of older versions still load."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import jsonschema
import pytest
from small_source import ColorsAndWords, JointColorsAndWords, write_source

from snapbench.corruptions.conditions import parse_condition
from snapbench.evaluation import RunSettings, read_run, run
from snapbench.evaluation.compare import compare
from snapbench.evaluation.report import write_report
from snapbench.evaluation.runfile import RANKS_FILE, SCHEMA_VERSION
from snapbench.evaluation.runner import default_conditions

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "docs" / "run.schema.json").read_text())
KEPT = sorted((Path(__file__).parent / "runs").glob("version_*"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def faults(record: dict) -> list[str]:
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in VALIDATOR.iter_errors(record)]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> dict:
    folder = tmp_path_factory.mktemp("schema")
    settings = RunSettings(conditions=default_conditions(), fusion=("moor", "wh-img"))
    source = write_source(folder / "data", 4)
    return run(ColorsAndWords(), source, settings=settings, output=folder / "runs", cache=folder / "cache").record


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["schema_version"]["const"] == SCHEMA_VERSION


def test_a_run_of_everything_passes(record):
    assert faults(record) == []
    assert "value" in record["results"]["fixed"]["gamma_int"]["mean"]  # Nothing was left out of what was checked.


@pytest.mark.parametrize(
    "settings",
    [
        RunSettings(conditions=(parse_condition("clean"),), modes=("t2t",)),
        RunSettings(conditions=(parse_condition("image_reencode"),), question="empty", limit=2, on_error="record"),
    ],
)
def test_runs_of_little_pass(settings, tmp_path):
    source = write_source(tmp_path / "data", 4)
    made = run(JointColorsAndWords(), source, settings=settings, output=tmp_path / "runs", cache=tmp_path / "cache")
    assert faults(made.record) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema_version",), 2),
        (("run_id",), "short"),
        (("source", "label"), "my benchmark"),
        (("source", "fingerprint"), None),
        (("settings", "modes"), ["it2t"]),
        (("settings", "conditions"), ["image_mosaic_s4"]),
        (("counts", "n_queries"), 1.5),
        (("counts", "n_errored"), -1),
        (("results", "fixed", "conditions", "it2it", "clean", "recall_at_1"), 101),
        (("results", "fixed", "conditions", "it2it", "clean", "interval"), [1]),
        (("results", "fixed", "conditions", "it2it", "image_mosaic_s2", "delta", "p_value"), 1.2),
        (("results", "fixed", "conditions", "it2it", "image_mosaic_s2", "delta", "lost"), None),
        (("results", "fixed", "averages", "it2it", "image", "s3", "interval"), "wide"),
        (("results", "fixed", "drag"), {"value": None}),
        (("results", "fixed", "gamma_int", "mean", "observed"), None),
        (("fusion", "moor", "text_share", "clean"), 7.5),
        (("timings", "milliseconds_per_input"), -1),
    ],
)
def test_what_breaks_the_format_is_found(record, path, value):
    broken = copy.deepcopy(record)
    place = broken
    for name in path[:-1]:
        place = place[name]
    assert path[-1] in place
    place[path[-1]] = value
    assert faults(broken)


@pytest.mark.parametrize("member", SCHEMA["required"])
def test_members_that_are_required(record, member):
    assert faults({name: value for name, value in record.items() if name != member})


def test_the_page_on_the_run_file_names_every_member(record):
    page = (ROOT / "docs" / "run.md").read_text()
    for name in (*record, *record["results"]["fixed"], *SCHEMA["properties"], *SCHEMA["$defs"]["summary"]["required"]):
        if not name.startswith(("recall_at_", "n_", "ks", "primary_k", "mode", "condition")):
            assert f"`{name}`" in page, name


@pytest.mark.parametrize("folder", KEPT, ids=lambda folder: folder.name)
def test_files_of_every_version_load_pass_and_can_be_used(folder, tmp_path):
    kept = read_run(folder)
    assert f"version_{kept['schema_version']}" == folder.name
    assert kept["schema_version"] < SCHEMA_VERSION or faults(kept) == []
    assert (folder / RANKS_FILE).is_file()
    assert write_report([folder], tmp_path / "report.html").stat().st_size > 20_000
    same = compare(folder, folder, rule_b="moor")
    clean = same["modes"]["it2it"]["conditions"]["clean"]
    assert clean["a"] == kept["results"]["fixed"]["recall_at_1"]
    assert clean["b"] == kept["results"]["moor"]["recall_at_1"]


def test_a_file_of_every_version_is_kept():
    assert [folder.name for folder in KEPT] == [f"version_{v}" for v in range(1, SCHEMA_VERSION + 1)]
