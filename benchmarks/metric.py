"""Speed and memory of the metric, each next to what it is measured against, in one run.

    python benchmarks/metric.py

Besides the package it needs two libraries that nothing else here uses; they may go into an environment of their own:

    pip install ranx pytrec_eval-terrier

Times are the best of several runs, so that a busy machine disturbs them least; compare within one run only. Exits
with 1 if a target is missed or a result differs.
"""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import datasets
import evaluate
import numpy as np
import pytrec_eval
import ranx

from snapbench.corruptions.conditions import all_states
from snapbench.snapbench_metric.arithmetic import (
    first_positive_ranks,
    first_positive_ranks_of_indices,
    hits_at_k,
    recall_at_k,
    resampled_sums,
)
from snapbench.snapbench_metric.scores import first_positive_ranks_from_scores, rankings_from_scores
from snapbench.snapbench_metric.snapbench_metric import Snapbench
from snapbench.snapbench_metric.summary import Outcome, summarize

QUERIES, GALLERY, POSITIVES = 1145, 9085, 5
STATES = [condition.id for condition in all_states()]


class Machinery(evaluate.Metric):
    """evaluate with the same columns and nothing to compute."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(description="", citation="", inputs_description="", features=Snapbench().features)

    def _compute(self, **columns: Any) -> dict[str, Any]:
        return {}


def best(run: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_mib(run: Callable[[], object]) -> float:
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


class Report:
    def __init__(self) -> None:
        self.failed = False

    def __call__(self, what: str, value: str, target: str, met: bool) -> None:
        self.failed |= not met
        sys.stdout.write(f"{what:<62} {value:>22}   {target:<28} {'met' if met else 'MISSED'}\n")


def through_compute(report: Report, rng: np.random.Generator) -> None:
    """60,000 rows x top-10: compute against evaluate's own work on the same columns."""
    n = 60_000
    queries = n // len(STATES) + 1
    ids = np.array([f"gallery_{i:05}" for i in range(GALLERY)])
    positives = [ids[rng.choice(GALLERY, POSITIVES, replace=False)].tolist() for _ in range(queries)]
    rows = [(state, q) for state in STATES for q in range(queries)][:n]
    # The last state is cut short, so its last queries are missing.
    columns = {
        "predictions": [row.tolist() for row in ids[np.argsort(rng.random((n, 64)), axis=1)[:, :10]]],
        "references": [positives[q] for _, q in rows],
        "query_ids": [f"bench_{q:04}" for _, q in rows],
        "conditions": [state for state, _ in rows],
        "modes": ["it2it"] * n,
        "domains": ["nature"] * n,
    }
    ours = best(lambda: Snapbench().compute(**columns, missing="miss"), 4)
    theirs = best(lambda: Machinery(keep_in_memory=True).compute(**columns), 4)
    plain = {name: columns[name] for name in ("predictions", "references")}
    flat = best(lambda: Snapbench().compute(**plain), 3)
    report(
        f"compute, {n:,} rows x top-10, {len(STATES)} states",
        f"{ours:.2f} s",
        f"<= {theirs:.2f} s + 0.3 s",
        ours <= theirs + 0.3,
    )
    report("  the same rows as one condition", f"{flat:.2f} s", "", True)


def pure_core(report: Report, rng: np.random.Generator) -> None:
    """Hit rate of 1,145 rankings of 100 ids: ours, ranx after compilation, pytrec_eval."""
    depth = 100
    indices = np.stack([rng.choice(GALLERY, depth, replace=False) for _ in range(QUERIES)])
    scores = -np.sort(-rng.random((QUERIES, depth)), axis=1)
    mask = np.zeros((QUERIES, GALLERY), dtype=bool)
    for row in range(QUERIES):  # so that hits occur at all depths
        mask[row, rng.choice(indices[row], rng.integers(0, 3), replace=False)] = True
        mask[row, rng.choice(GALLERY, POSITIVES, replace=False)] = True
    names = np.array([f"g{i}" for i in range(GALLERY)])
    rankings = [row.tolist() for row in names[indices]]
    positives = [set(names[np.flatnonzero(row)].tolist()) for row in mask]
    queries = [f"q{i}" for i in range(QUERIES)]
    qrels = {q: dict.fromkeys(wanted, 1) for q, wanted in zip(queries, positives, strict=True)}
    run = {q: dict(zip(r, s.tolist(), strict=True)) for q, r, s in zip(queries, rankings, scores, strict=True)}
    ranx_qrels, ranx_run = ranx.Qrels(qrels), ranx.Run(run)
    trec = pytrec_eval.RelevanceEvaluator(qrels, {"success.1,5,10,100"})
    for k in (1, 5, 10, 100):
        ours = hits_at_k(first_positive_ranks(rankings, positives), k)
        by_position = hits_at_k(first_positive_ranks_of_indices(indices, mask), k)
        by_trec = trec.evaluate(run)
        equal = (
            (ours == by_position).all()
            and ours.tolist() == [by_trec[q][f"success_{k}"] == 1.0 for q in queries]
            and abs(100 * ranx.evaluate(ranx_qrels, ranx_run, f"hit_rate@{k}") - recall_at_k(ours.astype(int), 1))
            < 1e-9
        )
        report(f"R@{k} of ours, ranx and pytrec_eval", f"{100 * ours.mean():.4f}", "equal", bool(equal))
    k = 10
    ids = best(lambda: recall_at_k(first_positive_ranks(rankings, positives), k), 30)
    arrays = best(lambda: recall_at_k(first_positive_ranks_of_indices(indices, mask), k), 30)
    by_ranx = best(lambda: ranx.evaluate(ranx_qrels, ranx_run, f"hit_rate@{k}"), 30)
    # ranx's compiled kernel alone, on arrays it has already converted and sorted; ours on positions, likewise.
    kernel_qrels, kernel_run = ranx_qrels.to_typed_list(), ranx_run.to_typed_list()
    ranx_kernel = best(lambda: ranx.metrics.hit_rate(kernel_qrels, kernel_run, k), 30)
    our_kernel = best(lambda: hits_at_k(first_positive_ranks_of_indices(indices[:, :k], mask), k), 30)
    by_trec_time = best(lambda: trec.evaluate(run), 30)
    report(
        f"hit rate of {QUERIES} x {k} positions, kernels alone",
        f"{1e3 * our_kernel:.3f} ms",
        f"<= {1e3 * ranx_kernel:.3f} ms ranx kernel",
        our_kernel <= ranx_kernel,
    )
    for what, seconds in (("ids", ids), ("positions", arrays)):
        for whose, other in (("ranx hit_rate@10", by_ranx), ("pytrec_eval success", by_trec_time)):
            report(
                f"hit rate of {QUERIES} x {depth} {what}",
                f"{1e3 * seconds:.2f} ms",
                f"<= {1e3 * other:.2f} ms {whose}",
                seconds <= other,
            )


def bootstrap(report: Report, rng: np.random.Generator) -> None:
    """1,000 resamples of all 54 states, and the whole summary around them."""
    ids = [f"bench_{i:04}" for i in range(QUERIES)]
    outcomes = {("it2it", state): Outcome(ids, rng.integers(0, 12, QUERIES)) for state in STATES}
    hits = np.stack([hits_at_k(outcome.ranks, 1) for outcome in outcomes.values()], axis=1)
    seconds = best(lambda: resampled_sums(hits, 1000, 0), 3)
    report(f"1,000 resamples of {len(STATES)} states x {QUERIES} queries", f"{seconds:.3f} s", "< 2 s", seconds < 2)
    whole = best(lambda: summarize(outcomes), 3)
    report("  the whole summary with them", f"{whole:.3f} s", "< 2 s", whole < 2)


def from_scores(report: Report, rng: np.random.Generator) -> None:
    """Rankings and ranks of 1,145 x 9,085 float32 scores."""
    scores = rng.standard_normal((QUERIES, GALLERY), dtype=np.float32)
    positives = [rng.choice(GALLERY, POSITIVES, replace=False).tolist() for _ in range(QUERIES)]
    ids = [f"gallery_{i:05}" for i in range(GALLERY)]
    for what, values in (("", scores), (" with ties", np.round(scores, 1))):
        order = np.argsort(-values, axis=1, kind="stable")
        for k in (10, 100):
            seconds = best(lambda values=values, k=k: rankings_from_scores(values, ids, k=k), 3)
            equal = bool((rankings_from_scores(values, ids, k=k).indices == order[:, :k]).all())
            report(
                f"rankings_from_scores{what}, k = {k}",
                f"{seconds:.3f} s",
                "< 0.5 s, equal to a sort",
                seconds < 0.5 and equal,
            )
        seconds = best(lambda values=values: first_positive_ranks_from_scores(values, positives), 3)
        report(f"first_positive_ranks_from_scores{what}", f"{seconds:.3f} s", "< 0.5 s", seconds < 0.5)
    mib = peak_mib(lambda: rankings_from_scores(scores, ids, k=100))
    report("  memory above the scores", f"{mib:.0f} MiB", "< 200 MB", mib < 190)
    sort = best(lambda: np.argsort(-scores, axis=1, kind="stable"), 1)
    report("  (a full stable sort)", f"{sort:.3f} s", "", True)


def main() -> int:
    datasets.disable_progress_bars()
    report, rng = Report(), np.random.default_rng(0)
    for part in (from_scores, bootstrap, pure_core, through_compute):
        part(report, rng)
    return int(report.failed)


if __name__ == "__main__":
    sys.exit(main())
