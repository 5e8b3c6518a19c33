"""From ranks to results: recalls, paired differences, the paper's averages, drag and the interaction gap.

The evaluate module and the runner both end here. Recalls are in percent and differences in percentage points;
R@k is the hit rate. A block that is not defined is exactly ``{"value": None, "reason": "..."}``, never 0 and never
NaN. Everything is made of Python floats, ints, strings and None, so it is strict JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .arithmetic import (
    NO_RANKING,
    check_count,
    check_ks,
    hits_at_k,
    interaction_gap,
    listed,
    mean_reciprocal_rank,
    paired_difference,
    percentile_interval,
    recall_at_k,
    resampled_sums,
)
from .vocabulary import (
    CLEAN,
    MODES,
    PRIMITIVES,
    SEVERITIES,
    STATES,
    TEXT_LEVELS,
    check_known,
    image_id,
    in_order,
    text_id,
)

MAIN_MODE = "it2it"
JOINT_ONLY = "it2it has no joint condition"

Block = dict[str, Any]
Key = tuple[str, str]


@dataclass(frozen=True)
class Outcome:
    """What one condition in one mode did to every query.

    Attributes:
        query_ids: ``n`` distinct ids, in any order.
        ranks: int ``[n]``, the 1-based rank of the first positive; 0: not in the ranking, -1: no ranking.
        expected_hits: optional float ``[n, len(ks)]`` in [0, 1], the expected hit over the orders of tied scores.
        tied: optional bool ``[n, len(ks)]``, whether equal scores decide the hit at that cut.
    """

    query_ids: Sequence[str]
    ranks: np.ndarray
    expected_hits: np.ndarray | None = None
    tied: np.ndarray | None = None


def undefined(reason: str) -> Block:
    """The block of a value that is not defined."""
    return {"value": None, "reason": reason}


def summarize(
    outcomes: Mapping[Key, Outcome],
    *,
    ks: Sequence[int] = (1, 5, 10),
    primary_k: int = 1,
    query_ids: Sequence[str] | None = None,
    domains: Mapping[str, str] | None = None,
    missing: Literal["raise", "miss"] = "raise",
    unpaired: Literal["raise", "null"] = "raise",
    n_excluded: int = 0,
    n_resamples: int = 1000,
    seed: int = 0,
) -> Block:
    """Everything SnapBench reports about one model.

    Args:
        outcomes: ``(mode, condition id)`` -> :class:`Outcome`. All states must hold the same queries.
        ks: cut-offs of R@k.
        primary_k: the cut-off of deltas, averages, drag, gamma_int and intervals; one of ``ks``.
        query_ids: the queries that have to be there; the union over ``outcomes`` by default.
        domains: query id -> domain, for the domain table.
        missing: a query without a ranking in some state: ``raise``, or ``miss`` (counts as a miss; the denominator
            stays full and ``n_missing`` says how many).
        unpaired: several conditions of a mode without ``clean``: ``raise``, or ``null`` (their deltas are undefined).
        n_excluded: queries that were left out before because they have no positive; only counted here.
        n_resamples: bootstrap resamples of the queries.
        seed: of the bootstrap.

    Returns:
        See the metric card (README.md beside this file) for every key.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: unknown names, repeated, missing or unknown queries, conditions without a clean partner, ranks
            below -1. Messages list up to five offenders and the total.
    """
    ks, primary_k = check_ks(ks, primary_k)
    check_count("n_resamples", n_resamples)
    check_count("seed", seed, 0)
    check_count("n_excluded", n_excluded, 0)
    check_option("missing", missing, ("raise", "miss"))
    check_option("unpaired", unpaired, ("raise", "null"))
    if not outcomes:
        raise ValueError("outcomes must hold at least one (mode, condition), got none")
    check_known("mode", {mode for mode, _ in outcomes}, MODES)
    check_known("condition", {condition for _, condition in outcomes}, STATES)
    modes = {
        mode: in_order({condition for m, condition in outcomes if m == mode})
        for mode in MODES
        if any(m == mode for m, _ in outcomes)
    }
    lonely = [(mode, c) for mode, conditions in modes.items() if CLEAN not in conditions for c in conditions]
    if unpaired == "raise" and len(outcomes) > 1 and lonely:
        raise ValueError(
            f"(mode, condition) without clean in the same mode: {listed(lonely)}. Add the clean rows of that mode, or "
            "pass unpaired='null' to leave the differences undefined"
        )
    everyone, ranks = _aligned(outcomes, query_ids, missing)
    table = _Table(query_ids=everyone, modes=modes, ranks=ranks, k=primary_k, n_resamples=n_resamples, seed=seed)
    lacking = int((np.stack(list(ranks.values())) == NO_RANKING).any(axis=0).sum())
    result: Block = {
        "ks": list(ks),
        "primary_k": primary_k,
        "n_total": len(everyone) + n_excluded,
        "n_scored": len(everyone) - lacking,
        "n_missing": lacking,
        "n_excluded": n_excluded,
    }
    headline = (MAIN_MODE, CLEAN) if (MAIN_MODE, CLEAN) in outcomes else next(iter(outcomes))
    if len(outcomes) > 1 and headline != (MAIN_MODE, CLEAN):
        result |= {"mode": None, "condition": None, "reason": "several states, and clean in it2it is not among them"}
        result |= dict.fromkeys([*(f"recall_at_{k}" for k in ks), "mrr"])
    else:
        result |= {"mode": headline[0], "condition": headline[1]}
        result |= _values(ranks[headline], ks)
        result |= _interval(table.recall(*headline), table.n, difference=False)
    result["conditions"] = {
        mode: {c: _condition(table, outcomes[mode, c], mode, c, ks) for c in conditions}
        for mode, conditions in modes.items()
    }
    result["averages"] = {mode: _averages(table, mode) for mode in modes}
    result["drag"] = _drag(table)
    result["gamma_int"] = _gamma(table)
    result["second_modality"] = _second_modality(table)
    result["stability"] = _stability(table)
    result["rank_displacement"] = _rank_displacement(table)
    result["domains"] = _domains(table, domains)
    return result


def check_option(argument: str, value: object, options: tuple[str, ...]) -> None:
    """Raises ValueError unless ``value`` is one of ``options``."""
    if value not in options:
        raise ValueError(f"{argument} must be one of {', '.join(map(repr, options))}, got {value!r}")


def _aligned(
    outcomes: Mapping[Key, Outcome], query_ids: Sequence[str] | None, missing: str
) -> tuple[list[str], dict[Key, np.ndarray]]:
    """All queries in the order of their ids, and for each state their ranks in that order."""
    for key, outcome in outcomes.items():
        wanted = (len(outcome.query_ids),)
        if outcome.ranks.shape != wanted or not np.issubdtype(outcome.ranks.dtype, np.integer):
            raise ValueError(
                f"ranks of {key} must be an integer array of shape {wanted}, got {outcome.ranks.dtype} "
                f"{outcome.ranks.shape}"
            )
        if (outcome.ranks < NO_RANKING).any():
            raise ValueError(f"ranks of {key} must be at least -1, got {int(outcome.ranks.min())}")
    required = list(query_ids) if query_ids is not None else [q for o in outcomes.values() for q in o.query_ids]
    wrong = [q for q in required if not isinstance(q, str)]
    if wrong:
        raise TypeError(f"query_ids must be str, got {listed(wrong)}")
    everyone = sorted(set(required))
    if query_ids is not None and len(everyone) != len(required):
        raise ValueError(f"query_ids must be distinct, repeated: {listed(_repeated(required))}")
    place = {query_id: i for i, query_id in enumerate(everyone)}
    ranks = {}
    for key, outcome in outcomes.items():
        unknown = [q for q in outcome.query_ids if q not in place]
        if unknown:
            raise ValueError(f"{key} has queries that query_ids doesn't list: {listed(unknown)}")
        if len(set(outcome.query_ids)) != len(outcome.query_ids):
            raise ValueError(f"{key} has a query more than once: {listed(_repeated(outcome.query_ids))}")
        row = np.full(len(everyone), NO_RANKING, dtype=np.int64)
        row[[place[q] for q in outcome.query_ids]] = outcome.ranks
        absent = [everyone[i] for i in np.flatnonzero(row == NO_RANKING)]
        if absent and missing == "raise":
            raise ValueError(
                f"{key} has no ranking for queries {listed(absent)}. Add them, or pass missing='miss' to count each as "
                "a miss (n_missing tells how many)"
            )
        ranks[key] = row
    return everyone, ranks


def _repeated(ids: Sequence[str]) -> list[str]:
    seen: set[str] = set()
    return sorted({q for q in ids if q in seen or seen.add(q)})  # type: ignore[func-returns-value]


class _Table:
    """Hits of every state, and their sums over the queries and over bootstrap resamples of the queries.

    Every ``_Sums`` below is a float array ``[1 + n_resamples]``: the estimate on the queries themselves, then its
    value in each resample. All statistics are linear in the hits, so they are plain arithmetic on such arrays.
    """

    def __init__(
        self,
        *,
        query_ids: list[str],
        modes: dict[str, list[str]],
        ranks: dict[Key, np.ndarray],
        k: int,
        n_resamples: int,
        seed: int,
    ) -> None:
        self.query_ids, self.modes, self.ranks, self.k = query_ids, modes, ranks, k
        self.n, self.n_resamples, self.seed = len(query_ids), n_resamples, seed
        self.hits = {key: hits_at_k(row, k) for key, row in ranks.items()}
        keys = list(ranks)
        columns = np.stack([self.hits[key] for key in keys], axis=1)
        self.sums = dict(zip(keys, resampled_sums(columns, n_resamples, seed).T, strict=True))

    def has(self, mode: str, *conditions: str) -> bool:
        return all((mode, c) in self.ranks for c in conditions)

    def lacking(self, mode: str, conditions: Sequence[str]) -> list[str]:
        return [c for c in conditions if (mode, c) not in self.ranks]

    def recall(self, mode: str, condition: str) -> np.ndarray:
        """R@k of a state in percent, as ``_Sums``."""
        return 100.0 * self.sums[mode, condition] / max(self.n, 1)

    def delta(self, mode: str, condition: str) -> np.ndarray:
        """Corrupted - clean in points. Subtracted before dividing: whole numbers, hence an exact 0 for no change."""
        return 100.0 * (self.sums[mode, condition] - self.sums[mode, CLEAN]) / max(self.n, 1)


def _interval(sums: np.ndarray, n: int, *, difference: bool) -> Block:
    """``interval`` of an estimate; None with ``interval_reason`` when resampling can't show any spread.

    Two states with identical outcomes do get [0, 0]: their difference is 0 whatever the queries.
    """
    resampled = sums[1:]
    if not n:
        return {"interval": None, "interval_reason": "no queries"}
    if np.ptp(resampled) == 0 and not (difference and sums[0] == 0):
        return {
            "interval": None,
            "interval_reason": "constant: every query counts the same, resampling shows no spread",
        }
    return {"interval": percentile_interval(resampled)}


def _number(sums: np.ndarray) -> float:
    return float(sums[0]) + 0.0


def _estimate(sums: np.ndarray, n: int) -> Block:
    return {"value": _number(sums), **_interval(sums, n, difference=True), "n": n}


def _values(ranks: np.ndarray, ks: Sequence[int]) -> Block:
    return {**{f"recall_at_{k}": recall_at_k(ranks, k) for k in ks}, "mrr": mean_reciprocal_rank(ranks)}


def _difference(base: np.ndarray, other: np.ndarray, sums: np.ndarray) -> Block:
    paired = paired_difference(base, other)
    if paired is None:
        return undefined("no queries")
    return {
        "value": paired.value,
        **_interval(sums, paired.n, difference=True),
        "p_value": paired.p_value,
        "kept": paired.kept,
        "lost": paired.lost,
        "gained": paired.gained,
        "missed": paired.missed,
        "n": paired.n,
    }


def _condition(table: _Table, outcome: Outcome, mode: str, condition: str, ks: Sequence[int]) -> Block:
    ranks = table.ranks[mode, condition]
    block = _values(ranks, ks)
    block |= {"n": table.n, "n_missing": int((ranks == NO_RANKING).sum())}
    block |= _interval(table.recall(mode, condition), table.n, difference=False)
    block["delta"] = None
    if condition != CLEAN:
        block["delta"] = (
            _difference(table.hits[mode, CLEAN], table.hits[mode, condition], table.delta(mode, condition))
            if table.has(mode, CLEAN)
            else undefined(f"{mode} has no clean rows to compare with")
        )
    if outcome.expected_hits is not None and outcome.tied is not None:
        block["ties"] = {}
        for column, k in enumerate(ks):
            # The queries that are missing here are misses in any order of the ties.
            expected = float(np.sort(outcome.expected_hits[:, column]).sum())
            block["ties"] |= {
                f"expected_recall_at_{k}": 100.0 * expected / table.n if table.n else None,
                f"n_tied_at_{k}": int(outcome.tied[:, column].sum()),
            }
    return block


def _average(table: _Table, mode: str, groups: Sequence[Sequence[str]]) -> Block:
    """Unweighted mean over the groups of the mean over each group's conditions."""
    needed = [c for group in groups for c in group]
    lacking = table.lacking(mode, needed)
    if lacking:
        return undefined(f"the average needs conditions that are not there: {listed(lacking)}")
    if not table.n:
        return undefined("no queries")

    def mean(of: Any) -> np.ndarray:
        return np.mean([np.mean([of(mode, c) for c in group], axis=0) for group in groups], axis=0)

    recall = mean(table.recall)
    delta = undefined(f"{mode} has no clean rows to compare with")
    if table.has(mode, CLEAN):
        delta = _estimate(mean(table.delta), table.n)
    return {
        f"recall_at_{table.k}": _number(recall),
        **_interval(recall, table.n, difference=False),
        "delta": delta,
    }


def _averages(table: _Table, mode: str) -> Block:
    """The paper's averages (Table 2).

    A primitive is the mean over its operators; an image average is the unweighted mean over the four primitives; a
    text level is the mean over its operators. Over severities and over text levels means are unweighted too.
    """
    kinds = {STATES[c].kind for c in table.modes[mode]}
    averages: Block = {name: undefined(f"{mode} has no {name} condition") for name in ("text", "image")}
    averages["primitives"] = averages["image"]
    if "text" in kinds:
        levels = {level: [text_id(op) for op in ops] for level, ops in TEXT_LEVELS.items()}
        averages["text"] = {level: _average(table, mode, [ids]) for level, ids in levels.items()}
        averages["text"]["all"] = _average(table, mode, list(levels.values()))
    if "image" in kinds:
        cells = {(p, s): [image_id(op, s) for op in ops] for p, ops in PRIMITIVES.items() for s in SEVERITIES}

        def severities(primitives: Sequence[str]) -> Block:
            block = {f"s{s}": _average(table, mode, [cells[p, s] for p in primitives]) for s in SEVERITIES}
            return block | {"all": _average(table, mode, [cells[p, s] for s in SEVERITIES for p in primitives])}

        averages["image"] = severities(list(PRIMITIVES))
        averages["primitives"] = {p: severities([p]) for p in PRIMITIVES}
    return averages


def _drag(table: _Table) -> Block:
    """Clean it2it - i2i (paper, Table 15): negative when the question drags the image down."""
    lacking = [mode for mode in (MAIN_MODE, "i2i") if not table.has(mode, CLEAN)]
    if lacking:
        return undefined(f"drag needs clean rows in it2it and i2i; {' and '.join(lacking)} has none")
    joint, image = table.sums[MAIN_MODE, CLEAN], table.sums["i2i", CLEAN]
    return _difference(
        table.hits["i2i", CLEAN], table.hits[MAIN_MODE, CLEAN], 100.0 * (joint - image) / max(table.n, 1)
    )


def _joint_cells(table: _Table) -> dict[tuple[str, int], tuple[str, str, str] | Block]:
    """For each joint pair and severity: (image, text, joint) condition ids, or why the cell is undefined."""
    present = [c for c in table.modes.get(MAIN_MODE, []) if STATES[c].kind == "joint"]
    pairs = dict.fromkeys(c.rsplit("_", 1)[0] for c in present)
    cells: dict[tuple[str, int], tuple[str, str, str] | Block] = {}
    for pair in pairs:
        for severity in SEVERITIES:
            joint = f"{pair}_s{severity}"
            state = STATES[joint]
            parts = (image_id(str(state.image), severity), text_id(str(state.text)), joint)
            lacking = table.lacking(MAIN_MODE, (CLEAN, *parts))
            cells[pair, severity] = undefined(f"needs {', '.join(lacking)} in it2it") if lacking else parts
            if not table.n:
                cells[pair, severity] = undefined("no queries")
    return cells


def _by_pair_and_severity(table: _Table, cells: Mapping[tuple[str, int], Any], of: Any, block: Any) -> Block:
    """Blocks per pair, per severity and overall; a mean is defined when all its cells are."""

    def mean(keys: list[tuple[str, int]]) -> Block:
        broken = [f"{pair}_s{s}" for pair, s in keys if isinstance(cells[pair, s], dict)]
        if broken:
            return undefined(f"the mean needs cells that are undefined: {listed(broken)}")
        return block([np.mean(each, axis=0) for each in zip(*(of(*cells[key]) for key in keys), strict=True)])

    pairs = list(dict.fromkeys(pair for pair, _ in cells))
    result: Block = {"pairs": {}, "severities": {}}
    for pair in pairs:
        keys = [(pair, s) for s in SEVERITIES]
        single = {
            f"s{s}": cells[pair, s] if isinstance(cells[pair, s], dict) else mean([(pair, s)]) for s in SEVERITIES
        }
        result["pairs"][pair] = {**single, "mean": mean(keys)}
    for s in SEVERITIES:
        result["severities"][f"s{s}"] = mean([(pair, s) for pair in pairs])
    result["mean"] = mean(list(cells))
    result["n_pairs"] = len(pairs)
    return result


def _gamma(table: _Table) -> Block:
    """gamma_int in it2it (paper, Table 3): observed joint drop minus the sum of the single drops, in points."""
    cells = _joint_cells(table)
    if not cells:
        return undefined(JOINT_ONLY)
    scale = 100.0 / max(table.n, 1)

    def of(image: str, text: str, joint: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        clean, i, t, both = (table.sums[MAIN_MODE, c] for c in (CLEAN, image, text, joint))
        gap = interaction_gap(clean, i, t, both)
        return scale * (clean - both), scale * ((clean - i) + (clean - t)), scale * gap

    def block(means: list[np.ndarray]) -> Block:
        observed, expected, gap = means
        return {"observed": _number(observed), "expected": _number(expected), **_estimate(gap, table.n)}

    return _by_pair_and_severity(table, cells, of, block)


def _second_modality(table: _Table) -> Block:
    """Extra drop when the second modality is corrupted too, in points (paper, Figure 13).

    ``text_after_image`` is d_IT - d_I, ``image_after_text`` is d_IT - d_T; positive means a further drop.
    """
    cells = _joint_cells(table)
    if not cells:
        return undefined(JOINT_ONLY)

    def extra(first: int) -> Block:
        def of(*ids: str) -> tuple[np.ndarray]:
            single, both = table.sums[MAIN_MODE, ids[first]], table.sums[MAIN_MODE, ids[2]]
            return (100.0 * (single - both) / max(table.n, 1),)

        return _by_pair_and_severity(table, cells, of, lambda means: _estimate(means[0], table.n))

    return {"text_after_image": extra(0), "image_after_text": extra(1)}


def _stability(table: _Table) -> Block:
    """What became of the queries under joint corruption (paper, Figure 12), in percent of (query, condition) pairs.

    kept: right stays right; lost: right becomes wrong; gained: wrong becomes right; missed: wrong stays wrong.
    """
    joint = [c for c in table.modes.get(MAIN_MODE, []) if STATES[c].kind == "joint"]
    if not joint:
        return undefined(JOINT_ONLY)
    if not table.has(MAIN_MODE, CLEAN):
        return undefined("it2it has no clean rows to compare with")

    def shares(conditions: list[str]) -> Block:
        n = table.n * len(conditions)
        if not n:
            return undefined("no joint condition at this severity" if table.n else "no queries")
        clean = table.hits[MAIN_MODE, CLEAN]
        counts = [paired_difference(clean, table.hits[MAIN_MODE, c]) for c in conditions]
        names = ("kept", "lost", "gained", "missed")
        return {
            **{name: 100.0 * sum(getattr(c, name) for c in counts) / n for name in names},
            "n": n,
            "n_conditions": len(conditions),
        }

    by_severity = {f"s{s}": shares([c for c in joint if STATES[c].severity == s]) for s in SEVERITIES}
    return by_severity | {"all": shares(joint)}


def _rank_displacement(table: _Table) -> Block:
    """Places that the first positive falls from clean to corrupted in it2it (paper, Table 17); positive is worse.

    Needs rankings that reach the first positive of every query; a truncated ranking has no rank to compare.
    """
    images = [c for c in table.modes.get(MAIN_MODE, []) if c != CLEAN]
    if not images or not table.has(MAIN_MODE, CLEAN):
        return undefined("needs clean and at least one corrupted condition in it2it")
    if not table.n:
        return undefined("no queries")
    unranked = [c for c in (CLEAN, *images) if (table.ranks[MAIN_MODE, c] < 1).any()]
    if unranked:
        return undefined(
            f"needs full rankings: in these conditions the ranking of some query holds no positive: {listed(unranked)}"
        )
    clean = table.ranks[MAIN_MODE, CLEAN]
    shifts = np.stack([table.ranks[MAIN_MODE, c] - clean for c in images], axis=1)
    sums = dict(zip(images, resampled_sums(shifts, table.n_resamples, table.seed).T / table.n, strict=True))

    def mean(operators: Sequence[str], severities: Sequence[int]) -> Block:
        ids = [image_id(op, s) for s in severities for op in operators]
        lacking = [c for c in ids if c not in sums]
        if lacking:
            return undefined(f"the average needs conditions that are not there: {listed(lacking)}")
        return _estimate(np.mean([sums[c] for c in ids], axis=0), table.n)

    return {
        "conditions": {c: _estimate(sums[c], table.n) for c in images},
        "primitives": {
            p: {**{f"s{s}": mean(ops, [s]) for s in SEVERITIES}, "all": mean(ops, SEVERITIES)}
            for p, ops in PRIMITIVES.items()
        },
    }


def _domains(table: _Table, domains: Mapping[str, str] | None) -> Block:
    """Clean it2it per domain (paper, Figure 14); queries are resampled within their domain."""
    if domains is None:
        return undefined("no domains given")
    if not table.has(MAIN_MODE, CLEAN):
        return undefined("it2it has no clean rows")
    without = [q for q in table.query_ids if not domains.get(q)]
    if without:
        raise ValueError(f"domains must name every query, none for {listed(without)}")
    hits = table.hits[MAIN_MODE, CLEAN]
    member = np.array([domains[q] for q in table.query_ids])
    result: Block = {}
    for domain in sorted(set(member.tolist())):
        column = hits[member == domain][:, None]
        # Seeded by the domain's name: its interval must not depend on which other domains are there.
        sums = resampled_sums(column, table.n_resamples, [table.seed, *domain.encode()])[:, 0]
        recall = 100.0 * sums / len(column)
        n = len(column)
        result[domain] = {f"recall_at_{table.k}": _number(recall), **_interval(recall, n, difference=False), "n": n}
    return result
