"""Runs made from ranks, so that tests know every hit: written as the runner writes them, results from the metric."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from snapbench.evaluation.runfile import RANKS_FILE, RUN_FILE, write_json, write_ranks
from snapbench.snapbench_metric.summary import Outcome, summarize

TEMPLATE = json.loads((Path(__file__).parent / "runs" / "version_1" / "run.json").read_text())

Ranks = Mapping[tuple[str, str, str], np.ndarray]


def write_made_run(folder: Path, ranks: Ranks, query_ids: list[str], **changes: dict) -> Path:
    """Writes a run of ranks by (rule, mode, condition), ``changes`` updating its members; returns the folder."""
    folder.mkdir(parents=True)
    record = copy.deepcopy(TEMPLATE)
    rules = dict.fromkeys(rule for rule, _, _ in ranks)
    record["results"] = {
        rule: summarize(
            {(mode, c): Outcome(query_ids, row) for (of, mode, c), row in ranks.items() if of == rule},
            domains=dict.fromkeys(query_ids, "nature"),
            missing="miss",
        )
        for rule in rules
    }
    record["fusion"] = {}
    record["settings"]["conditions"] = list(dict.fromkeys(condition for _, _, condition in ranks))
    record["counts"] |= {"n_queries": len(query_ids), "n_conditions": len(record["settings"]["conditions"])}
    for member, change in changes.items():
        record[member] |= change
    write_json(folder / RUN_FILE, record)
    write_ranks(folder / RANKS_FILE, ranks_table(ranks, query_ids))
    return folder


def ranks_table(ranks: Ranks, query_ids: list[str]) -> pa.Table:
    rows = [
        {"rule": rule, "mode": mode, "condition": condition, "query_id": query_id, "rank": int(rank), "ties": 1}
        | {"top_id": f"top-{query_id}-{condition}"}
        for (rule, mode, condition), row in ranks.items()
        for query_id, rank in zip(query_ids, row, strict=True)
    ]
    return pa.Table.from_pylist(rows)
