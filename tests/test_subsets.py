"""The text-essential subset: who is in it, and whose misses may choose it."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_source import ColorsAndWords, write_source

from snapbench.corruptions.conditions import CLEAN
from snapbench.evaluation import RunSettings, run
from snapbench.evaluation.runfile import RANKS_FILE, write_ranks
from snapbench.evaluation.subsets import modifiers_in, text_essential


class Blind(ColorsAndWords):
    """Gives every picture one vector, so image-only retrieval mostly fails."""

    name = fingerprint = "blind"

    @staticmethod
    def picture(image):
        return ColorsAndWords.words("picture")


@pytest.fixture
def runs(tmp_path: Path):
    folder = write_source(tmp_path / "data", n_queries=8)
    lines = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    for line in lines[:5]:
        line["text"] = "What is this round flower on the left?"
    (folder / "queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    options = {"settings": RunSettings(conditions=(CLEAN,)), "output": tmp_path / "runs", "cache": tmp_path / "cache"}
    return [run(model, folder, **options).path for model in (ColorsAndWords(), Blind())]


def test_modifiers_are_whole_words_and_not_the_entity():
    assert modifiers_in("What is the redwood table?", "table") == ()
    assert modifiers_in("Which round red tables?", "table") == ("round", "red")
    assert modifiers_in("What orange is this?", "orange") == ()
    assert modifiers_in("What HEART-SHAPED leaf is this?", "leaf") == ("heart-shaped",)


def test_subset_needs_modifier_hard_negatives_and_a_miss_of_the_reference(runs):
    found = text_essential(runs[0], runs[1])
    assert found["n_modifier"] == 5
    assert found["n_hard_negatives"] == 5
    # The blind model scores all pictures alike: gallery order puts g000, a rose, first, so roses alone are found.
    assert found["query_ids"] == ["q001", "q002", "q003"]
    assert found["n"] == found["drag"]["n"] == 3
    assert found["drag_all"]["n"] == 8


def test_a_photo_that_could_not_be_read_is_no_failure_of_the_reference(runs):
    file = runs[1].parent / RANKS_FILE
    rows = pq.read_table(file).to_pylist()
    for row in rows:
        if row["query_id"] == "q002":
            row["rank"] = -1
    write_ranks(file, pa.Table.from_pylist(rows))
    assert text_essential(runs[0], runs[1])["query_ids"] == ["q001", "q003"]


def test_runs_over_other_queries_are_refused(runs, tmp_path):
    options = {"output": tmp_path / "few", "cache": tmp_path / "cache"}
    few = run(Blind(), tmp_path / "data", settings=RunSettings(conditions=(CLEAN,), limit=3), **options).path
    with pytest.raises(ValueError, match="made with another limit"):
        text_essential(runs[0], few)


def test_an_empty_subset_has_no_drag_and_says_why(tmp_path):
    folder = write_source(tmp_path / "plain")
    options = {"settings": RunSettings(conditions=(CLEAN,)), "output": tmp_path / "runs", "cache": tmp_path / "cache"}
    measured, reference = (run(model, folder, **options).path for model in (ColorsAndWords(), Blind()))
    found = text_essential(measured, reference)
    assert found["n"] == found["n_modifier"] == 0
    assert found["drag"] == {"value": None, "reason": "no query passes the rules of the subset"}


def test_the_reference_must_be_another_model_on_the_same_data(runs, tmp_path):
    with pytest.raises(ValueError, match="the reference is the model itself"):
        text_essential(runs[0], runs[0])
    other = write_source(tmp_path / "other", n_queries=4)
    options = {"settings": RunSettings(conditions=(CLEAN,)), "output": tmp_path / "runs", "cache": tmp_path / "cache"}
    with pytest.raises(ValueError, match="different data"):
        text_essential(runs[0], run(Blind(), other, **options).path)
