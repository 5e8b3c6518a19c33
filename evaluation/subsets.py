"""The text-essential subset: queries whose question carries what the photo alone does not settle (paper, Appendix E.1).

The paper takes queries with a discriminative modifier in the question (colour, material, quantity, shape, position),
at least three same-category hard negatives, and a miss of image-only retrieval on a reference model. ASSUMED, since no
source names them: the word list (``modifiers.json``), that every judged hard negative counts as same-category, and
which model is the reference. It must be another model than the one measured: on the misses of its own ``i2i`` mode a
model's drag can't be negative, whatever it does.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..snapbench_metric.summary import Outcome, summarize, undefined
from ..sources import Source, load_source
from .runfile import RANKS_FILE, read_run

MINIMUM_HARD_NEGATIVES = 3


@cache
def modifiers() -> dict[str, str]:
    """Modifier -> its group."""
    groups = json.loads(Path(__file__).with_name("modifiers.json").read_text(encoding="utf-8"))
    return {word: group for group, words in groups.items() for word in words}


def modifiers_in(question: str, entity: str) -> tuple[str, ...]:
    """The discriminative modifiers of a question, as whole words; words of the entity itself don't count.

    >>> modifiers_in("What is the dark part on the orange?", "orange")
    ('dark',)
    """
    own = set(_words(entity))
    return tuple(word for word in _words(question) if word in modifiers() and word not in own)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+(?:-\w+)*", text.lower())


def text_essential(run: str | Path, reference: str | Path) -> dict[str, Any]:
    """Drag of a run on the text-essential subset, beside its drag on all queries (paper, Table 16).

    Args:
        run: a run file or folder with modes ``it2it`` and ``i2i``.
        reference: the run of another model on the same source, with mode ``i2i``.

    Returns:
        ``n``, ``n_modifier``, ``n_hard_negatives``, ``n_image_only_failure`` (queries that pass the first, the first
        two, all three rules), ``query_ids``, ``drag`` and ``drag_all`` (blocks of the metric), ``reference``.

    Raises:
        ValueError: the runs are of different sources or of one model, a mode is missing, or the source's data have
            changed since.
    """
    record, other = read_run(run), read_run(reference)
    if record["source"]["fingerprint"] != other["source"]["fingerprint"]:
        raise ValueError(
            f"the runs are of different data: {record['source']['name']!r} and {other['source']['name']!r} "
            "(fingerprints differ); the subset needs one source"
        )
    if record["adapter"]["fingerprint"] == other["adapter"]["fingerprint"]:
        raise ValueError(
            f"the reference is the model itself ({record['adapter']['name']!r}): on the misses of its own i2i mode a "
            "model's drag can't be negative; give the run of another model"
        )
    differ = [
        name for name in ("question", "limit", "seed", "storage") if record["settings"][name] != other["settings"][name]
    ]
    if differ:
        raise ValueError(
            f"the runs were made with another {' and '.join(differ)}; repeat one with the settings of the other"
        )
    source = load_source(record["source"]["name"])
    if source.fingerprint != record["source"]["fingerprint"]:
        raise ValueError(f"source {source.name!r} has changed since the run was made (fingerprints differ)")
    image_only = _clean_ranks(reference, "i2i")
    ids = {mode: _clean_ranks(run, mode) for mode in ("it2it", "i2i")}
    chosen = _by_rules(source, image_only)
    subset = [query_id for query_id in chosen["all"] if query_id in ids["it2it"]]
    return {
        "n": len(subset),
        "n_modifier": len(chosen["modifier"]),
        "n_hard_negatives": len(chosen["hard_negatives"]),
        "n_image_only_failure": len(chosen["all"]),
        "query_ids": subset,
        "reference": other["adapter"]["name"],
        "drag": _drag(ids, subset),
        "drag_all": _drag(ids, list(ids["it2it"])),
    }


def _by_rules(source: Source, image_only: dict[str, int]) -> dict[str, list[str]]:
    passed: dict[str, list[str]] = {"modifier": [], "hard_negatives": [], "all": []}
    for query in source.queries:
        if query.query_id in image_only and modifiers_in(query.text, query.entity):
            passed["modifier"].append(query.query_id)
            if len(query.hard_negative_ids) >= MINIMUM_HARD_NEGATIVES:
                passed["hard_negatives"].append(query.query_id)
                if image_only[query.query_id] > 1:  # -1 is a photo that could not be read: no failure of the model
                    passed["all"].append(query.query_id)
    return passed


def _clean_ranks(run: str | Path, mode: str) -> dict[str, int]:
    """Query id -> rank of the first positive on clean, under the fixed rule."""
    folder = Path(run) if Path(run).is_dir() else Path(run).parent
    wanted = (pc.field("rule") == "fixed") & (pc.field("mode") == mode) & (pc.field("condition") == "clean")
    table = pq.read_table(folder / RANKS_FILE, columns=["query_id", "rank"], filters=wanted)
    if not table.num_rows:
        raise ValueError(f"the run in {folder} has no mode {mode!r}; measure it with --modes it2it,i2i")
    return dict(zip(table["query_id"].to_pylist(), table["rank"].to_pylist(), strict=True))


def _drag(ranks: dict[str, dict[str, int]], query_ids: list[str]) -> dict[str, Any]:
    if not query_ids:
        return undefined("no query passes the rules of the subset")
    outcomes = {
        (mode, "clean"): Outcome(query_ids, np.array([ranks[mode][query_id] for query_id in query_ids]))
        for mode in ("it2it", "i2i")
    }
    drag: dict[str, Any] = summarize(outcomes, missing="miss")["drag"]
    return drag
