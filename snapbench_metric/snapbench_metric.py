"""SnapBench as a module of ``evaluate``: hit rates of ranked lists, and what corruption does to them.

``evaluate`` copies this file and the files it imports by one-level relative imports, nothing else: every file of the
folder that the metric needs is named here. ``import evaluate`` and not ``from evaluate import Metric``, because the
first module class in this namespace is taken for the metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import datasets
import evaluate

from .arithmetic import check_count, check_ks
from .rows import check_ids, check_strings, score_rows
from .scores import rankings_from_scores
from .summary import check_option, summarize
from .vocabulary import CLEAN

_CITATION = """\
@article{chen2026snapbench,
  title   = {SnapBench: Benchmarking Snap-and-Ask Multimodal Retrieval for Mobile Interactions},
  author  = {Chen, Zirong and Ye, Fuda and Zhang, Kuan and Du, Enjun and Pu, Junfu and Wang, Xinlei and Zuo, Xinyu
             and Duan, Lisheng and Ma, Jin and Zhang, Yongqi},
  journal = {Findings of the Association for Computational Linguistics: EMNLP 2026},
  note    = {arXiv:2608.29607},
  year    = {2026}
}
"""

_DESCRIPTION = """\
How multimodal retrieval holds up when the photo is degraded and the question is sloppy. From ranked gallery ids:
recall@k (the hit rate: the share of queries with at least one positive in the top k), the paired change from clean to
each corrupted condition, the averages of the paper, the drag of the question and the interaction gap, each with a
95 % bootstrap interval over queries. Every value is in percent, every difference in percentage points.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: for each row the ranked gallery ids, best first (list of str). An empty list is a missing ranking.
    references: for each row the ids of the positives (list of str), in any order.
    query_ids: the query of each row; pairs rows across conditions and modes. Needed with several of them; for a
        single condition the row number is the default.
    conditions: the condition of each row, such as "clean" or "image_lowlight_s3" (default: "clean").
    modes: the mode of each row: it2it, i2i, i2it, t2t or t2it (default: "it2it").
    domains: the domain of each row's query; adds the domain table.
    ks: cut-offs (default: (1, 5, 10)). A ranking shorter than k counts as it stands; "depth" tells.
    primary_k: the cut-off of all differences, averages and intervals (default: 1).
    all_query_ids: the queries that must be there (default: all that occur in any row).
    missing: "raise" or "miss", for queries without a ranking in some condition.
    no_positives: "raise" or "exclude", for queries without a positive.
    unpaired: "raise" or "null", for several conditions without "clean" in the same mode.
    n_resamples, seed: of the bootstrap (default: 1000, 0).
Returns:
    One condition in one mode: recall_at_<k> and mrr in percent (0 to 100), the 95 % interval of
    recall_at_<primary_k>, n_total, n_scored, n_missing, n_excluded, depth (of the shortest ranking). Several:
    besides, "conditions", "averages", "drag", "gamma_int", "second_modality", "stability", "rank_displacement" and
    "domains"; see the metric card.
Examples:
    >>> import evaluate
    >>> metric = evaluate.load("snapbench")
    >>> result = metric.compute(predictions=[["g1", "g2"], ["g3", "g1"]], references=[["g2"], ["g3", "g7"]])
    >>> result["recall_at_1"], result["recall_at_5"], result["mrr"]
    (50.0, 100.0, 75.0)
"""

_DETAILS = (
    "conditions",
    "averages",
    "drag",
    "gamma_int",
    "second_modality",
    "stability",
    "rank_displacement",
    "domains",
)


class Snapbench(evaluate.Metric):
    """The metric; see its ``compute``. Rows of one process stay in memory, so no cache folder has to be writable."""

    rankings_from_scores = staticmethod(rankings_from_scores)

    def __init__(
        self, config_name: str | None = None, keep_in_memory: bool = False, num_process: int = 1, **kwargs: Any
    ) -> None:
        self._positional: bool | None = None
        # Files are only needed to bring several processes together. Without them nothing is locked or left behind.
        in_memory = keep_in_memory or num_process == 1
        super().__init__(config_name=config_name, keep_in_memory=in_memory, num_process=num_process, **kwargs)

    def _build_data_dir(self) -> str:
        return self._data_dir_root if self.keep_in_memory else super()._build_data_dir()

    def _info(self) -> evaluate.MetricInfo:
        ids = datasets.Sequence(datasets.Value("string"))
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {
                    "predictions": ids,
                    "references": ids,
                    "query_ids": text,
                    "conditions": text,
                    "modes": text,
                    "domains": text,
                }
            ),
            homepage="https://arxiv.org/abs/2608.29607",
            reference_urls=["https://arxiv.org/abs/2608.29607"],
        )

    def compute(
        self,
        *,
        predictions: Sequence[Sequence[str]] | None = None,
        references: Sequence[Sequence[str]] | None = None,
        query_ids: Sequence[str] | None = None,
        conditions: Sequence[str] | None = None,
        modes: Sequence[str] | None = None,
        domains: Sequence[str] | None = None,
        ks: Sequence[int] = (1, 5, 10),
        primary_k: int = 1,
        all_query_ids: Sequence[str] | None = None,
        missing: Literal["raise", "miss"] = "raise",
        no_positives: Literal["raise", "exclude"] = "raise",
        unpaired: Literal["raise", "null"] = "raise",
        n_resamples: int = 1000,
        seed: int = 0,
    ) -> dict[str, Any] | None:
        """Scores the rows given here and by earlier ``add_batch`` or ``add`` calls; None on a process other than 0.

        The rows are forgotten afterwards, also when they are refused.
        """
        # Arguments are checked before the rows are taken out of the store, so that a typing error costs nothing.
        ks, primary_k = check_ks(ks, primary_k)
        check_count("n_resamples", n_resamples)
        check_count("seed", seed, 0)
        check_option("missing", missing, ("raise", "miss"))
        check_option("no_positives", no_positives, ("raise", "exclude"))
        check_option("unpaired", unpaired, ("raise", "null"))
        given: dict[str, Any] = {
            "predictions": predictions,
            "references": references,
            "query_ids": query_ids,
            "conditions": conditions,
            "modes": modes,
            "domains": domains,
        }
        if predictions is None and references is None:
            given = {}
        if given and self.writer is None and self.num_process == 1:
            # Rows that all come at once need no store, which would take three times as long as scoring them.
            columns, positional = self._filled(**given), query_ids is None
        else:
            if given:
                self.add_batch(**given)
            if self.writer is None:
                raise ValueError("compute has no rows: pass predictions and references, or call add_batch before")
            positional, self._positional = bool(self._positional), None
            columns = super().compute()
            if columns is None:
                return None
        if not columns["predictions"]:
            raise ValueError("compute has no rows: predictions and references are empty")
        if positional and len(set(zip(columns["modes"], columns["conditions"], strict=True))) > 1:
            raise ValueError("query_ids is needed with several conditions or modes: it says which rows belong together")
        scored = score_rows(columns, no_positives=no_positives, positional=positional)
        result = summarize(
            scored.outcomes,
            ks=ks,
            primary_k=primary_k,
            query_ids=None if all_query_ids is None else [q for q in all_query_ids if q not in scored.excluded],
            domains=scored.domains,
            missing=missing,
            unpaired=unpaired,
            n_excluded=len(scored.excluded),
            n_resamples=n_resamples,
            seed=seed,
        )
        result["depth"] = scored.depth
        if len(scored.outcomes) == 1:
            for name in _DETAILS if scored.domains is None else _DETAILS[:-1]:
                del result[name]
        return result

    def _compute(self, **columns: Any) -> dict[str, list[Any]]:
        """Hands the stored rows to ``compute``, which scores them after evaluate has removed its cache file: rows
        that are refused leave nothing behind."""
        return {name: list(column) for name, column in columns.items()}

    def add_batch(
        self,
        *,
        predictions: Sequence[Sequence[str]] | None = None,
        references: Sequence[Sequence[str]] | None = None,
        query_ids: Sequence[str] | None = None,
        conditions: Sequence[str] | None = None,
        modes: Sequence[str] | None = None,
        domains: Sequence[str] | None = None,
    ) -> None:
        """Adds rows; the columns that are left out get their defaults."""
        positional = query_ids is None
        if positional and self.num_process > 1:
            raise ValueError("query_ids is needed with several processes: a sampler may repeat rows")
        if self._positional not in (None, positional):
            raise ValueError("query_ids must be given in every batch or in none")
        batch = self._filled(predictions, references, query_ids, conditions, modes, domains)
        # An empty batch has nothing to add; several processes must all open their file all the same.
        if batch["predictions"] or self.num_process > 1:
            super().add_batch(**batch)
            self._positional = positional

    def _filled(
        self, predictions: Any, references: Any, query_ids: Any, conditions: Any, modes: Any, domains: Any
    ) -> dict[str, list[Any]]:
        """The columns as checked lists of one length, with the defaults of those that are left out."""
        if predictions is None or references is None:
            raise ValueError(f"{'predictions' if predictions is None else 'references'} must be given, got None")
        rankings, wanted = _plain_rows(predictions), _plain_rows(references)
        check_ids("predictions", rankings)
        check_ids("references", wanted)
        n, start = len(rankings), len(self)
        batch: dict[str, list[Any]] = {
            "predictions": rankings,
            "references": wanted,
            "query_ids": [str(start + i) for i in range(n)] if query_ids is None else _plain(query_ids),
            "conditions": [CLEAN] * n if conditions is None else _plain(conditions),
            "modes": ["it2it"] * n if modes is None else _plain(modes),
            "domains": [""] * n if domains is None else _plain(domains),
        }
        uneven = {name: len(column) for name, column in batch.items() if len(column) != n}
        if uneven:
            raise ValueError(f"all columns must have one entry a row, got {n} predictions and {uneven}")
        for name in ("query_ids", "conditions", "modes"):
            check_strings(name, batch[name])
        if domains is not None:
            check_strings("domains", batch["domains"])
        return batch

    def add(
        self,
        *,
        prediction: Sequence[str],
        reference: Sequence[str],
        query_id: str | None = None,
        condition: str | None = None,
        mode: str | None = None,
        domain: str | None = None,
    ) -> None:
        """Adds one row."""
        values = {"query_ids": query_id, "conditions": condition, "modes": mode, "domains": domain}
        given = {name: [value] for name, value in values.items() if value is not None}
        self.add_batch(predictions=[prediction], references=[reference], **given)


def _plain_rows(values: Any) -> list[list[Any]]:
    """A list of lists; a row that is None is empty."""
    rows = _plain(values)
    if set(map(type, rows)) <= {list}:
        return rows
    return [[] if row is None else _plain(row) for row in rows]


def _plain(values: Any) -> list[Any]:
    """A list from any column: list, tuple, numpy array, pandas series, torch tensor, datasets column."""
    if isinstance(values, list):
        return values
    if isinstance(values, str | bytes):
        raise TypeError(f"a column or a row of ids must be a list, got {type(values).__name__} {values!r}")
    return values.tolist() if hasattr(values, "tolist") else list(values)
