"""Two runs compared query by query: what differs, how sure that is, or why they can't be compared.

Every figure of the benchmark is linear in the hits of single queries, so each is a weighted sum over (mode,
condition) here: a :data:`Contrast`. Its difference between two runs is resampled over queries with both runs kept
together, and its exact sign test over queries is McNemar's test when the contrast is one condition.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..corruptions.conditions import (
    CLEAN,
    JOINT_PAIRS,
    MODES,
    PRIMITIVES,
    SEVERITIES,
    TEXT_LEVELS,
    Condition,
    check_name,
    parse_condition,
)
from ..snapbench_metric.arithmetic import hits_at_k, listed, mcnemar_p, percentile_interval, resampled_sums
from .published import published_values
from .runfile import RANKS_FILE, read_run

MAIN_MODE = "it2it"
N_RESAMPLES = 1000

Block = dict[str, Any]
State = tuple[str, str]
"""Mode and condition id."""

Contrast = Mapping[State, float]
"""A weighted sum of hits over states; R@1 of a condition is ``{(mode, condition): 1.0}``."""

_ONLY_WHAT_IS_MEASURED = frozenset(("modes", "conditions", "fusion", "on_error"))
"""Settings that choose what is measured, not what a measured number means."""


@dataclass(frozen=True)
class Ranks:
    """The per-query table of a run.

    Attributes:
        query_ids: ``n`` ids, sorted; every array below follows their order.
        ranks: (rule, mode, condition) -> int ``[n]``, the 1-based rank of the first positive; -1: not ranked.
        top_ids: (rule, mode, condition) -> ``n`` gallery ids that came first; None for a query that was not ranked.
    """

    query_ids: tuple[str, ...]
    ranks: Mapping[tuple[str, str, str], np.ndarray]
    top_ids: Mapping[tuple[str, str, str], Sequence[str | None]]

    def hits(self, rule: str, k: int) -> dict[State, np.ndarray]:
        """bool ``[n]`` by (mode, condition): a positive is within the first ``k``."""
        return {(mode, c): hits_at_k(ranks, k) for (of, mode, c), ranks in self.ranks.items() if of == rule}


def read_ranks(path: str | Path) -> Ranks:
    """Reads the table of ranks beside a run file (or in a run's folder).

    Raises:
        FileNotFoundError: it isn't there.
        ValueError: it can't be read, or its states don't hold the same queries.
    """
    path = Path(path)
    file = (path if path.is_dir() else path.parent) / RANKS_FILE
    if not file.is_file():
        raise FileNotFoundError(f"no {RANKS_FILE} at {file}; it is written beside run.json and has the ranks by query")
    try:
        table = pq.read_table(file)
        codes = [table[name].combine_chunks().cast(pa.string()).dictionary_encode() for name in _KEYS]
        rank = table["rank"].to_numpy()
        top = table["top_id"].cast(pa.string()).to_pylist()
    except (pa.ArrowException, KeyError) as error:
        raise ValueError(f"{file} is not a table of ranks: {error}") from error
    rule, mode, condition, query = (code.indices.to_numpy() for code in codes)
    names = [code.dictionary.to_pylist() for code in codes]
    state = (rule.astype(np.int64) * len(names[1]) + mode) * len(names[2]) + condition
    order = np.argsort(state, kind="stable")
    # In the order of their ids, as the metric has them: the same resamples then draw the same queries.
    place = np.argsort(np.argsort(np.array(names[3], dtype=object)))
    ranks, top_ids, ids = {}, {}, None
    for found in np.split(order, np.flatnonzero(np.diff(state[order])) + 1):
        rows = found[np.argsort(place[query[found]], kind="stable")]
        if ids is None:
            ids = query[rows]
        if not np.array_equal(query[rows], ids):
            raise ValueError(f"{file}: the states don't hold the same queries; repeat the run")
        key = (names[0][rule[rows[0]]], names[1][mode[rows[0]]], names[2][condition[rows[0]]])
        ranks[key] = rank[rows]
        top_ids[key] = [top[row] for row in rows]
    return Ranks(tuple(names[3][i] for i in (ids if ids is not None else ())), ranks, top_ids)


_KEYS = ("rule", "mode", "condition", "query_id")


def condition_groups(conditions: Collection[str]) -> dict[str, dict[str, float]]:
    """The paper's groups of conditions, as the weight of each condition in the group's mean.

    A group is there only when all its conditions are. Means are unweighted over text levels and over primitives, as in
    the paper (Table 2), so a condition of a small primitive weighs more than one of a large primitive.

    >>> condition_groups(["clean", "text_wordrepeat", "text_wordswap"])
    {'clean': {'clean': 1.0}, 'text word': {'text_wordrepeat': 0.5, 'text_wordswap': 0.5}}
    """
    cells: dict[str, list[list[str]]] = {"clean": [[CLEAN.id]]}
    for level, operators in TEXT_LEVELS.items():
        cells[f"text {level}"] = [[Condition(text_operator=op).id for op in operators]]
    cells["text"] = [cells[f"text {level}"][0] for level in TEXT_LEVELS]
    for s in SEVERITIES:
        cells[f"image s{s}"] = [[Condition(op, s).id for op in operators] for operators in PRIMITIVES.values()]
    cells["image"] = [cell for s in SEVERITIES for cell in cells[f"image s{s}"]]
    for primitive, operators in PRIMITIVES.items():
        for s in SEVERITIES:
            cells[f"{primitive} s{s}"] = [[Condition(op, s).id for op in operators]]
        cells[primitive] = [cells[f"{primitive} s{s}"][0] for s in SEVERITIES]
    joint = [c for c in map(parse_condition, conditions) if c.kind == "joint"]
    pairs = dict.fromkeys((c.image_operator, c.text_operator) for c in joint)
    for s in SEVERITIES:
        cells[f"joint s{s}"] = [[Condition(image, s, text).id] for image, text in pairs]
    cells["joint"] = [cell for s in SEVERITIES for cell in cells[f"joint s{s}"]]
    there = set(conditions)
    return {
        name: {c: 1 / (len(group) * len(cell)) for cell in group for c in cell}
        for name, group in cells.items()
        if group and there.issuperset(c for cell in group for c in cell)
    }


def minus_clean(mode: str, weights: Mapping[str, float]) -> Contrast:
    """The change of a group against clean in one mode."""
    contrast = {(mode, c): w for c, w in weights.items()}
    contrast[mode, CLEAN.id] = contrast.get((mode, CLEAN.id), 0.0) - 1.0
    return contrast


def drag_contrast(states: Collection[State]) -> Contrast | None:
    """Clean it2it - i2i (paper, Table 15); None without both."""
    contrast = {(MAIN_MODE, CLEAN.id): 1.0, ("i2i", CLEAN.id): -1.0}
    return contrast if set(states).issuperset(contrast) else None


def gap_contrast(states: Collection[State]) -> Contrast | None:
    """Mean interaction gap (paper, Table 3), defined where the metric's is.

    None unless every joint pair that is there has all severities and all its parts. A gap is (clean - joint) -
    ((clean - image) + (clean - text)), hence image + text - clean - joint.
    """
    pairs = joint_pairs(states)
    joint = [Condition(image, s, text) for image, text in pairs for s in SEVERITIES]
    contrast: dict[State, float] = {}
    for condition in joint:
        for part, sign in (
            (condition.image_part, 1.0),
            (condition.text_part, 1.0),
            (CLEAN, -1.0),
            (condition, -1.0),
        ):
            key = (MAIN_MODE, part.id)
            contrast[key] = contrast.get(key, 0.0) + sign / len(joint)
    return contrast if contrast and set(states).issuperset(contrast) else None


def joint_pairs(states: Collection[State]) -> list[tuple[str, str]]:
    """Image and text operator of the joint conditions of the main mode."""
    joint = [c for mode, c in states if mode == MAIN_MODE and parse_condition(c).kind == "joint"]
    pairs = ((c.image_operator or "", c.text_operator or "") for c in map(parse_condition, joint))
    return list(dict.fromkeys(pairs))


def per_query(hits: Mapping[State, np.ndarray], contrast: Contrast) -> np.ndarray:
    """float ``[n]`` in points: what each query contributes to a contrast (their mean is its value)."""
    return 100.0 * np.sum([weight * hits[state] for state, weight in contrast.items()], axis=0)


def estimates(columns: np.ndarray, *, difference: bool) -> list[Block]:
    """The mean of each column over queries, with its 95 % bootstrap interval and n.

    All columns are resampled together. An interval is None where no resample differs: resampling then shows no spread.
    Only a difference of 0 gets [0, 0]: two states with the same outcomes are equal whatever the queries.

    Args:
        columns: float ``[n, m]``, points or percent; one row a query.
        difference: whether the columns are differences of two states.
    """
    n = len(columns)
    means = resampled_sums(columns, N_RESAMPLES, 0) / n
    blocks = []
    for column in means.T:
        value = float(column[0])
        spread = bool(np.ptp(column[1:]) > _ROUNDING) or (difference and abs(value) < _ROUNDING)
        blocks.append({"value": value + 0.0, "interval": percentile_interval(column[1:]) if spread else None, "n": n})
    return blocks


def estimate(values: np.ndarray, *, difference: bool) -> Block:
    """:func:`estimates` of one column, float ``[n]``."""
    return estimates(values[:, None], difference=difference)[0]


def paired_columns(base: np.ndarray, other: np.ndarray) -> list[Block]:
    """``other`` - ``base`` (float ``[n, m]``, points), column by column, paired by query.

    Returns:
        For each column the estimate, how many queries are better, worse and equal in ``other``, and the p-value of the
        exact two-sided sign test over them: McNemar's, when the values are the hits of one condition.
    """
    difference = other - base
    difference[np.abs(difference) < _ROUNDING] = 0.0
    blocks = estimates(difference, difference=True)
    for column, block in zip(difference.T, blocks, strict=True):
        better, worse = int((column > 0).sum()), int((column < 0).sum())
        block["p_value"] = mcnemar_p(worse, better)
        block |= {"better": better, "worse": worse, "equal": len(column) - better - worse}
    return blocks


def paired(base: np.ndarray, other: np.ndarray) -> Block:
    """:func:`paired_columns` of one column, float ``[n]``."""
    return paired_columns(base[:, None], other[:, None])[0]


_ROUNDING = 1e-9
"""Points. Weights such as 1/18 don't add up to whole hits exactly."""


def compare(run_a: str | Path, run_b: str | Path, *, rule_a: str = "fixed", rule_b: str = "fixed") -> Block:
    """Compares two runs of the same data and settings, query by query.

    Args:
        run_a: a run's folder or its run file; the base.
        run_b: the other one; differences are b - a.
        rule_a, rule_b: fusion rules. One run can be compared with itself under two rules.

    Returns:
        ``a``, ``b`` (what was compared), ``source``, ``k``, ``n_queries``, ``notes`` (what readers should know),
        ``modes`` (mode -> ``groups`` and ``conditions`` -> ``a``, ``b`` in percent, ``difference`` and, but for clean,
        ``robustness``: the difference of the changes against clean), ``drag`` and ``gamma_int``. Differences are in
        points, with a 95 % paired bootstrap interval and an exact p-value. Strict JSON.

    Raises:
        FileNotFoundError: no run, or no ranks beside it.
        ValueError: the runs can't be compared; the message lists every reason.
    """
    records, ranks = [read_run(run_a), read_run(run_b)], [read_ranks(run_a), read_ranks(run_b)]
    rules = (rule_a, rule_b)
    for argument, rule, record in zip(("rule_a", "rule_b"), rules, records, strict=True):
        check_name(argument, rule, record["results"])
    reasons = _obstacles(records[0], records[1], ranks[0], ranks[1])
    if reasons:
        raise ValueError("these runs can't be compared:\n" + "\n".join(f"- {reason}" for reason in reasons))
    k = records[0]["results"][rule_a]["primary_k"]
    place = {query_id: i for i, query_id in enumerate(ranks[1].query_ids)}
    order = np.array([place[query_id] for query_id in ranks[0].query_ids], dtype=np.int64)
    a = ranks[0].hits(rule_a, k)
    b = {state: hits[order] for state, hits in ranks[1].hits(rule_b, k).items()}
    common = [state for state in a if state in b]
    wanted = _contrasts(common)
    left, right = (np.stack([per_query(hits, contrast) for contrast in wanted.values()], axis=1) for hits in (a, b))
    found = dict(
        zip(wanted, zip(left.mean(axis=0), right.mean(axis=0), paired_columns(left, right), strict=True), strict=True)
    )
    modes: Block = {}
    for (kind, mode, name, what), (value_a, value_b, difference) in found.items():
        if kind in ("groups", "conditions"):
            block = modes.setdefault(mode, {"groups": {}, "conditions": {}})[kind].setdefault(name, {})
            block |= {"a": float(value_a), "b": float(value_b)} if what == "difference" else {}
            block[what] = difference
    return {
        "kind": "snapbench-comparison",
        "schema_version": 1,
        "a": _side(run_a, records[0], rule_a),
        "b": _side(run_b, records[1], rule_b),
        "source": records[0]["source"],
        "k": k,
        "n_queries": len(order),
        "notes": _notes(records[0], records[1], a, b, rule_a, rule_b),
        "modes": modes,
        "drag": _single(found, "drag", "needs clean in it2it and i2i of both runs"),
        "gamma_int": _gap(found, common),
    }


def _contrasts(states: Collection[State]) -> dict[_Key, Contrast]:
    """Everything that is compared, by (kind, mode, name, what)."""
    contrasts: dict[_Key, Contrast] = {}
    for mode in MODES:
        conditions = [c for of, c in states if of == mode]
        single = {c: {c: 1.0} for c in conditions}
        for kind, groups in (("groups", condition_groups(conditions)), ("conditions", single)):
            for name, weights in groups.items():
                contrasts[kind, mode, name, "difference"] = {(mode, c): w for c, w in weights.items()}
                if name != CLEAN.id and CLEAN.id in conditions:
                    contrasts[kind, mode, name, "robustness"] = minus_clean(mode, weights)
    for name, contrast in (("drag", drag_contrast(states)), ("gamma_int", gap_contrast(states))):
        if contrast is not None:
            contrasts[name, MAIN_MODE, name, "difference"] = contrast
    return contrasts


_Key = tuple[str, str, str, str]


def _single(found: Mapping[_Key, tuple[Any, Any, Block]], name: str, needs: str) -> Block:
    key = (name, MAIN_MODE, name, "difference")
    if key not in found:
        return {"value": None, "reason": needs}
    value_a, value_b, difference = found[key]
    return {"a": float(value_a), "b": float(value_b), "difference": difference}


def _gap(found: Mapping[_Key, tuple[Any, Any, Block]], common: Collection[State]) -> Block:
    """The compared interaction gap, with the pairs it is over."""
    gap = _single(found, "gamma_int", "needs joint pairs at all severities, and their parts, in both runs")
    return gap if "reason" in gap else {**gap, "pairs": [list(pair) for pair in joint_pairs(common)]}


def _side(path: str | Path, record: Block, rule: str) -> Block:
    return {"adapter": record["adapter"]["name"], "rule": rule, "run_id": record["run_id"], "path": str(path)}


def _obstacles(a: Block, b: Block, ranks_a: Ranks, ranks_b: Ranks) -> list[str]:
    """Why two runs can't be compared; empty if they can."""
    reasons = []
    left, right = a["source"], b["source"]
    if left["fingerprint"] != right["fingerprint"]:
        names = [f"{source['label']} ({source['name']})" for source in (left, right)]
        reasons.append(
            f"different sources: {names[0]} and {names[1]}"
            if names[0] != names[1]
            else f"{names[0]} was not the same in both: records, labels or image files differ "
            f"(fingerprints {left['fingerprint'][:12]} and {right['fingerprint'][:12]})"
        )
    settings = [run["settings"] for run in (a, b)]
    for name in sorted((settings[0].keys() | settings[1].keys()) - _ONLY_WHAT_IS_MEASURED):
        values = [each.get(name) for each in settings]
        if values[0] != values[1]:
            reasons.append(f"different settings: {name} is {values[0]!r} in the first and {values[1]!r} in the second")
    only = [sorted(set(x.query_ids) - set(y.query_ids)) for x, y in ((ranks_a, ranks_b), (ranks_b, ranks_a))]
    for words, queries in zip(("first", "second"), only, strict=True):
        if queries:
            reasons.append(f"queries only in the {words} run: {listed(queries)}")
    if reasons:
        reasons.append("repeat one of them on the data and with the settings of the other")
    return reasons


def _notes(
    a: Block, b: Block, hits_a: Mapping[State, Any], hits_b: Mapping[State, Any], rule_a: str, rule_b: str
) -> list[str]:
    """What doesn't forbid the comparison but should be known."""
    notes = []
    if a["source"]["label"] != "SnapBench":
        notes.append(f"measured on {a['source']['label']}: no SnapBench benchmark results")
    for name, version in a["packages"].items():
        if version != b["packages"].get(name) and name in _PIXELS:
            notes.append(
                f"{name} {version} made the first and {b['packages'].get(name)} the second: corrupted photos may "
                "differ in details"
            )
    for words, mine, other in (("first", hits_a, hits_b), ("second", hits_b, hits_a)):
        lacking = [f"{mode} {condition}" for mode, condition in mine if (mode, condition) not in other]
        if lacking:
            notes.append(f"only in the {words} run and left out: {listed(lacking)}")
    for words, run in (("first", a), ("second", b)):
        if run["counts"]["n_errored"]:
            notes.append(
                f"{run['counts']['n_errored']} queries of the {words} run could not be read and count as missed"
            )
    fitted = [(run.get("fusion") or {}).get(rule, {}).get("chosen", {}) for run, rule in ((a, rule_a), (b, rule_b))]
    states = [chosen.get("fitted_on") or chosen.get("chosen_on") for chosen in fitted]
    if rule_a == rule_b and states[0] != states[1]:
        notes.append(f"the rule {rule_a} was fitted on other conditions in each run: part of the difference is that")
    return notes


_PIXELS = ("snapbench", "pillow", "opencv-python-headless", "numpy")


def print_comparison(comparison: Block, console: Console, *, published: bool = False) -> None:
    """Prints a comparison: groups of conditions of the main mode, clean of the others, drag and interaction gap.

    Args:
        comparison: from :func:`compare`.
        console: where to.
        published: show the authors' published values beside, where they are known.
    """
    a, b = comparison["a"], comparison["b"]
    names = [side["adapter"] + ("" if side["rule"] == "fixed" else f" · {side['rule']}") for side in (a, b)]
    k = comparison["k"]
    table = Table(
        title=f"{names[1]} - {names[0]} on {comparison['source']['label']}, {comparison['n_queries']:,} queries",
        title_justify="left",
        caption=f"R@{k} in percent; differences in points, paired by query, with 95 % bootstrap intervals; p: exact "
        "sign test over queries (McNemar for one condition). In bold: intervals without 0. Change: how differently "
        "they change against clean.",
        caption_justify="left",
        box=box.SIMPLE,
        padding=(0, 1, 0, 0),
    )
    table.add_column("", no_wrap=True)
    narrow = console.width < _WIDE
    columns = ["A", "B", "B - A", "p"] if narrow and published else ["A", "B", "B - A", "p", "change"]
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    known = published_values(mode=MAIN_MODE) if published else {}
    if published:
        table.add_column("authors, mean of 16 models", justify="right")

    def add(name: str, block: Block, value: str, *, signed: bool = False) -> None:
        cells = _cells(block, narrow=narrow, signed=signed)[: len(columns)]
        table.add_row(Text(name), *cells, *([Text(value)] if published else []))

    for mode, blocks in comparison["modes"].items():
        table.add_section()
        for name, block in blocks["groups"].items():
            if mode == MAIN_MODE or name == CLEAN.id:
                known_here = known.get(name, "") if mode == MAIN_MODE else ""
                add(f"{mode} {name}" if name == CLEAN.id else name, block, known_here)
    table.add_section()
    if "difference" in comparison["drag"]:
        add("drag", comparison["drag"], known.get("drag", ""), signed=True)
    if "difference" in comparison["gamma_int"]:
        pairs = [tuple(pair) for pair in comparison["gamma_int"]["pairs"]]
        # The authors' value is over their six pairs; beside others it would mislead.
        shown = known.get("gamma_int", "") if sorted(pairs) == sorted(JOINT_PAIRS) else ""
        add(f"gamma_int, {len(pairs)} pairs", comparison["gamma_int"], shown, signed=True)
    console.print(Text(f"A: {names[0]} ({a['run_id'][:8]})   B: {names[1]} ({b['run_id'][:8]})"))
    console.print(table)
    for note in comparison["notes"]:
        console.print(Text(f"note: {note}"), soft_wrap=True)
    if published:
        console.print(
            Text("authors: published in the paper, measured by its authors on SnapBench; not part of these runs"),
            soft_wrap=True,
        )


_WIDE = 110
"""Characters. On a narrower terminal intervals go below their values."""


def _cells(block: Block, *, narrow: bool, signed: bool = False) -> list[Text]:
    value = "+.2f" if signed else ".2f"
    difference = block["difference"]
    change = block.get("robustness")
    return [
        Text(f"{round(block['a'], 2) + 0.0:{value}}"),
        Text(f"{round(block['b'], 2) + 0.0:{value}}"),
        _difference(difference, narrow),
        Text(_p(difference["p_value"])),
        _difference(change, narrow) if change else Text(""),
    ]


def _difference(block: Block, narrow: bool) -> Text:
    interval = block["interval"]
    text = f"{round(block['value'], 2) + 0.0:+.2f}"
    if interval:
        bounds = ", ".join(f"{round(bound, 2) + 0.0:+.2f}" for bound in interval)
        text += ("\n" if narrow else " ") + f"[{bounds}]"
    return Text(text, style="bold" if interval and not interval[0] <= 0 <= interval[1] else "")


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"
