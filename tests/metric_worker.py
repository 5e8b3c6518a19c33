"""What one process does in the tests that need several: ``python metric_worker.py <role> <metric>``."""

from __future__ import annotations

import doctest
import json
import sys
from typing import Any

import numpy as np

CONDITIONS = ("clean", "image_mosaic_s2", "text_charswap", "joint_mosaic_charswap_s2")


def columns(n: int = 12, seed: int = 0, conditions: tuple[str, ...] = CONDITIONS) -> dict[str, list[Any]]:
    """Rows of ``n`` queries, condition after condition within a query."""
    rng = np.random.default_rng(seed)
    items = [f"g{i}" for i in range(7)]
    made: dict[str, list[Any]] = {name: [] for name in ("predictions", "references", "query_ids", "conditions")}
    for query in range(n):
        positives = rng.choice(items, 2, replace=False).tolist()
        for condition in conditions:
            made["predictions"].append(rng.permutation(items)[:5].tolist())
            made["references"].append(positives)
            made["query_ids"].append(f"q{query}")
            made["conditions"].append(condition)
    return made


def part(made: dict[str, list[Any]], rows: slice) -> dict[str, list[Any]]:
    return {name: column[rows] for name, column in made.items()}


def main(role: str, metric: str) -> int:
    connections: list[str] = []
    watched = ("socket.connect", "socket.getaddrinfo")
    sys.addaudithook(lambda event, _: connections.append(event) if event in watched else None)
    # evaluate imports the pipelines of transformers, hence torch, if it can: five seconds a process.
    sys.modules["transformers"] = None  # type: ignore[assignment]
    import evaluate

    del sys.modules["transformers"]
    made, result = columns(), None
    if role == "card":
        return doctest.testfile(metric, module_relative=False).failed
    if role == "single":
        evaluate.load(metric)  # and once more, now from the cache
        scored, other = evaluate.load(metric), evaluate.load(metric)
        for start in range(0, 48, 7):
            other.add_batch(predictions=[["g1"]], references=[["g1"]])
            scored.add_batch(**part(made, slice(start, start + 7)))
        result = scored.compute()
    else:
        # Four rows on both ranks, as a distributed sampler repeats them.
        rank, rows = {"rank0": (0, slice(0, 30)), "rank1": (1, slice(26, 48))}[role]
        shared = evaluate.load(metric, num_process=2, process_id=rank, experiment_id="together")
        result = shared.compute(**part(made, rows))
    sys.stdout.write(json.dumps({"result": result, "connections": connections}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
