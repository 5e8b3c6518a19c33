"""What a report shows of a run: the record, and what only the ranks of single queries can tell."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ...corruptions.conditions import (
    CLEAN,
    IMAGE_OPERATORS,
    REENCODE,
    SEVERITIES,
    Condition,
    parse_condition,
)
from ...images import ImageDecodeError
from ...rows import query_text
from ...snapbench_metric.arithmetic import hits_at_k, paired_difference
from ...sources import Query, Source, SourceError, load_source
from ..compare import Ranks, condition_groups, estimate, paired, per_query, read_ranks
from ..runfile import read_run
from ..runner import RunSettings, asked_queries

logger = logging.getLogger(__name__)

Block = dict[str, Any]

FIXED = "fixed"

CLIFF_POINTS = 10.0
CLIFF_SHARE = 2 / 3
CLIFF_P = 0.05
CLIFF_RULE = (
    f"A cliff is one step of severity in which R@1 falls by at least {CLIFF_POINTS:g} points and by at least two "
    f"thirds of the whole fall from clean to s3, itself at least {CLIFF_POINTS:g} points, with an exact McNemar p "
    f"below {CLIFF_P:g} for that step. The paper describes cliffs (Figure 3: little change, then collapse) without a "
    "number; this rule is ours."
)

FLOWS = ("kept", "lost", "gained", "missed")


@dataclass(frozen=True)
class Cliff:
    """A step that loses much at once: ``fall`` in points from severity ``step - 1`` (0: clean) to ``step``."""

    step: int
    fall: float
    p_value: float


@dataclass(frozen=True)
class Hurt:
    """A query that is right on clean and wrong under many conditions, with one of them to look at.

    Attributes:
        n_wrong, n_conditions: in how many of the corrupted conditions the first result is wrong.
        condition: the one that is shown.
        rank: of the first positive there.
        first_id: what came first there.
        wanted_id: what came first on clean, a positive.
    """

    query_id: str
    n_wrong: int
    n_conditions: int
    condition: Condition
    rank: int
    first_id: str | None
    wanted_id: str | None


@dataclass(frozen=True)
class Evidence:
    """One run, ready to be shown.

    Attributes:
        record: the run file.
        name: what the report calls the run; distinct among the runs of a report.
        ranks: of every query, or None with ``ranks_missing``.
        source: the data, or None with ``source_missing``; needed for questions and pictures only.
    """

    record: Block
    name: str
    ranks: Ranks | None
    source: Source | None
    ranks_missing: str = ""
    source_missing: str = ""
    results: Block = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "results", self.record["results"][FIXED])

    @property
    def label(self) -> str:
        return str(self.record["source"]["label"])

    @property
    def n(self) -> int:
        return int(self.results["n_total"])

    @property
    def k(self) -> int:
        return int(self.results["primary_k"])

    @property
    def asked(self) -> str:
        """Which question was put to the photos; see :class:`~..runner.RunSettings`."""
        return str(self.record["settings"]["question"])

    @property
    def mode(self) -> str:
        """The main mode, or the first one that was measured."""
        conditions = self.results["conditions"]
        return "it2it" if "it2it" in conditions else next(iter(conditions))

    @property
    def conditions(self) -> Block:
        """Condition id -> block, in the mode of the report."""
        return self.results["conditions"][self.mode]

    @cached_property
    def hits(self) -> dict[tuple[str, str], np.ndarray]:
        """bool [n] by (mode, condition) under the fixed rule; empty without ranks."""
        return self.ranks.hits(FIXED, self.k) if self.ranks else {}

    @cached_property
    def joint_average(self) -> Block | None:
        """Change of the joint conditions against clean by severity and ``all``; None without ranks or conditions."""
        changes = {
            name.partition(" ")[2] or "all": estimate(
                per_query(self.hits, {**{(self.mode, c): w for c, w in weights.items()}, (self.mode, CLEAN.id): -1.0}),
                difference=True,
            )
            for name, weights in condition_groups([c for mode, c in self.hits if mode == self.mode]).items()
            if name.startswith("joint")
        }
        return changes or None

    @cached_property
    def cliffs(self) -> dict[str, Cliff]:
        """Operator -> its cliff, for operators that have one; see :data:`CLIFF_RULE`."""
        found = {}
        for operator in IMAGE_OPERATORS:
            states = [(self.mode, CLEAN.id), *((self.mode, Condition(operator, s).id) for s in SEVERITIES)]
            if all(state in self.hits for state in states):
                curve = [self.hits[state] for state in states]
                whole = paired_difference(curve[0], curve[-1])
                for step, (before, after) in enumerate(pairwise(curve), start=1):
                    change = paired_difference(before, after)
                    if (
                        change is not None
                        and whole is not None
                        and max(change.value, whole.value) <= -CLIFF_POINTS
                        and change.value <= whole.value * CLIFF_SHARE
                        and change.p_value < CLIFF_P
                    ):
                        found[operator] = Cliff(step, -change.value, change.p_value)
        return found

    @cached_property
    def flows(self) -> Block | None:
        """Shares of kept, lost, gained and missed queries by severity and ``all``, with intervals over queries.

        Shares are the run file's (percent of query-condition pairs under joint corruption); their intervals need the
        ranks. None where the run has no joint condition.
        """
        stability = self.results.get("stability") or {}
        if "all" not in stability:
            return None
        flows = {}
        clean = self.hits.get((self.mode, CLEAN.id))
        for name, shares in stability.items():
            if "n" not in shares:
                continue
            level = None if name == "all" else int(name[1:])
            joint = [
                hits
                for (mode, c), hits in self.hits.items()
                if mode == self.mode
                and parse_condition(c).kind == "joint"
                and level in (None, parse_condition(c).severity)
            ]
            flows[name] = {"n": shares["n"], "n_conditions": shares.get("n_conditions")}
            for flow in FLOWS:
                flows[name][flow] = {"value": shares[flow], "interval": None}
                if clean is not None and joint:
                    member = np.mean([_FLOW[flow](clean, hits) for hits in joint], axis=0)
                    flows[name][flow]["interval"] = estimate(100.0 * member, difference=False)["interval"]
        return flows

    @cached_property
    def rules(self) -> Block:
        """Fusion rule -> group -> ``recall`` (estimate, percent) and ``difference`` to fixed (paired, points)."""
        if self.ranks is None:
            return {}
        base = {state: hits for state, hits in self.hits.items() if state[0] == "it2it"}
        groups = condition_groups([c for _, c in base])
        table: Block = {}
        for rule in self.record["results"]:
            hits = self.ranks.hits(rule, self.k)
            table[rule] = {}
            for name in ("clean", "text", "image", "image s3", "joint"):
                contrast = {("it2it", c): w for c, w in groups.get(name, {}).items()}
                if contrast and all(state in hits for state in contrast):
                    mine = per_query(hits, contrast)
                    table[rule][name] = {
                        "recall": estimate(mine, difference=False),
                        "difference": None if rule == FIXED else paired(per_query(base, contrast), mine),
                    }
        return {rule: blocks for rule, blocks in table.items() if blocks}

    @cached_property
    def text_shares(self) -> dict[str, dict[str, tuple[float, int]]]:
        """Rule -> group -> (mean weight share of the paths that aren't anchored in the photo, number of conditions)."""
        shares: dict[str, dict[str, tuple[float, int]]] = {}
        for rule, block in (self.record.get("fusion") or {}).items():
            values = block.get("text_share") or {}
            if values:
                groups = condition_groups(list(values))
                wanted = [name for name in groups if name.split()[0] in ("clean", "text", "image", "joint")]
                shares[rule] = {
                    name: (sum(w * values[c] for c, w in groups[name].items()), len(groups[name])) for name in wanted
                }
        return shares

    def hurt(self, count: int) -> list[Hurt]:
        """The queries that are right on clean and wrong under the most corrupted conditions, worst first.

        Equal counts: the larger mean log rank first, then the smaller id. Each comes with the condition that pushes
        its positive farthest down, of an operator that no query before it shows, if it has one.
        """
        if self.ranks is None or (self.mode, CLEAN.id) not in self.hits:
            return []
        ids = [
            c
            for of, mode, c in self.ranks.ranks
            if of == FIXED and mode == self.mode and c not in (CLEAN.id, f"image_{REENCODE}")
        ]
        if not ids:
            return []
        ranks = np.stack([self.ranks.ranks[FIXED, self.mode, c] for c in ids])
        wrong = ~hits_at_k(ranks, 1) & (ranks > 0)
        right = hits_at_k(self.ranks.ranks[FIXED, self.mode, CLEAN.id], 1)
        n_wrong = wrong.sum(axis=0)
        depth = np.log2(np.maximum(ranks, 1)).mean(axis=0)
        order = sorted(
            np.flatnonzero(right & (n_wrong > 0)).tolist(), key=lambda q: (-n_wrong[q], -depth[q], self._query_id(q))
        )
        shown: set[str | None] = set()
        found = []
        for q in order[:count]:
            hitting = [i for i in range(len(ids)) if wrong[i, q]]
            fresh = [i for i in hitting if _operator(ids[i]) not in shown] or hitting
            worst = max(fresh, key=lambda i: (ranks[i, q], -i))
            shown.add(_operator(ids[worst]))
            key = (FIXED, self.mode, ids[worst])
            found.append(
                Hurt(
                    query_id=self._query_id(q),
                    n_wrong=int(n_wrong[q]),
                    n_conditions=len(ids),
                    condition=parse_condition(ids[worst]),
                    rank=int(ranks[worst, q]),
                    first_id=self.ranks.top_ids[key][q],
                    wanted_id=self.ranks.top_ids[FIXED, self.mode, CLEAN.id][q],
                )
            )
        return found

    def _query_id(self, index: int) -> str:
        return self.ranks.query_ids[index] if self.ranks else ""

    def query(self, query_id: str) -> Query | None:
        """The query as it was asked in this run; None without the source."""
        return self._queries.get(query_id)

    def question(self, query: Query, condition: Condition) -> str:
        return query_text(query, condition.text_operator, seed=self.record["settings"]["seed"])[0]

    @cached_property
    def _queries(self) -> Mapping[str, Query]:
        if self.source is None:
            return {}
        settings = {name: self.record["settings"][name] for name in ("question", "limit")}
        return {query.query_id: query for query in asked_queries(self.source, RunSettings(**settings))}

    @cached_property
    def gallery(self) -> Mapping[str, Any]:
        """Gallery id -> item; empty without the source."""
        return {item.gallery_id: item for item in self.source.gallery} if self.source else {}


_FLOW = {
    "kept": lambda clean, other: clean & other,
    "lost": lambda clean, other: clean & ~other,
    "gained": lambda clean, other: ~clean & other,
    "missed": lambda clean, other: ~clean & ~other,
}


def _operator(condition: str) -> str | None:
    state = parse_condition(condition)
    return state.image_operator or state.text_operator


def read_evidence(runs: Sequence[str | Path], source: str | Path | Source | None = None) -> list[Evidence]:
    """Reads runs, their ranks and their data; what can't be had is named instead.

    Args:
        runs: folders or run files.
        source: where the data are, for questions and pictures; None is where the runs had them.

    Raises:
        FileNotFoundError, ValueError: a run file is missing or isn't one.
    """
    records = [read_run(path) for path in runs]
    sources: dict[str, tuple[Source | None, str]] = {}
    evidence = []
    for path, record, name in zip(runs, records, run_names(records), strict=True):
        ranks, ranks_missing = None, ""
        try:
            ranks = read_ranks(path)
        except (FileNotFoundError, ValueError) as error:
            ranks_missing = str(error)
        fingerprint = record["source"]["fingerprint"]
        if fingerprint not in sources:
            sources[fingerprint] = _read_source(record, source)
        found, source_missing = sources[fingerprint]
        evidence.append(Evidence(record, name, ranks, found, ranks_missing, source_missing))
        for reason in filter(None, (ranks_missing, source_missing)):
            logger.warning("%s: the report leaves out what needs this: %s", name, reason)
    return evidence


def _read_source(record: Block, given: str | Path | Source | None) -> tuple[Source | None, str]:
    """The run's source, or None and why not."""
    name, revision = record["source"]["name"], record["source"]["revision"]
    try:
        if given is None and not Path(name).expanduser().is_dir() and name != "sample":
            if revision is None or not _in_hub_cache(name.partition("@")[0], revision):
                return None, f"the run's data ({name}) are not here; name a folder that holds them as the source"
            given = f"{name.partition('@')[0]}@{revision}"
        source = load_source(name if given is None else given)
        if source.fingerprint != record["source"]["fingerprint"]:
            return None, f"the data at {source.name} are not those of the run: records, labels or image files differ"
    except (SourceError, ImageDecodeError, OSError) as error:
        return None, f"the run's data can't be read: {error}"
    return source, ""


def _in_hub_cache(repo_id: str, revision: str) -> bool:
    """Whether the Hub's cache has the dataset, so that a report never starts a download."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        return isinstance(try_to_load_from_cache(repo_id, "README.md", revision=revision, repo_type="dataset"), str)
    except HFValidationError:
        return False


def run_names(records: Sequence[Block]) -> list[str]:
    """A name for each run: the adapter's, with the settings or the run's id where that isn't enough."""
    names = [str(record["adapter"]["name"]) for record in records]
    for index, record in enumerate(records):
        settings = record["settings"]
        unusual = [settings.get("question", "asked")] if settings.get("question", "asked") != "asked" else []
        unusual += [f"first {settings['limit']}"] if settings.get("limit") else []
        if unusual:
            names[index] += f" ({', '.join(unusual)})"
    return [
        name if names.count(name) == 1 else f"{name} [{record['run_id'][:8]}]"
        for name, record in zip(names, records, strict=True)
    ]
