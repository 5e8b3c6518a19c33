"""The report as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...corruptions.conditions import PRIMITIVES, SEVERITIES, TEXT_LEVELS
from ...terminal import clean_text
from ..published import ALL_MODELS, PAPER, published_values
from .evidence import CLIFF_RULE, FIXED, FLOWS, Evidence
from .words import (
    LABEL_NOTES,
    METHOD,
    QUESTION_NOTES,
    condition_words,
    count,
    interval,
    number,
    operator_words,
    p_value,
    unread_words,
)

Block = dict[str, Any]

# With these escaped (and ``://`` and ``www.``, which make links by themselves) a text within a line is only a text.
_MARKDOWN_SIGNS = re.compile(r"([\\`*_\[\]<>#|~&]|:(?=//)|(?<=www)\.)", re.IGNORECASE)

# A cell that starts like this is a formula to spreadsheets.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

CSV_COLUMNS = (
    "run_id",
    "adapter",
    "source_label",
    "rule",
    "mode",
    "kind",
    "name",
    "measure",
    "value",
    "low",
    "high",
    "p_value",
    "n",
)


def markdown(runs: Sequence[Evidence]) -> str:
    """Tables of the same numbers as the page, without pictures."""
    title = runs[0].name if len(runs) == 1 else f"{len(runs)} runs compared"
    lines = [f"# SnapBench report: {_plain(title)}", ""]
    for note in dict.fromkeys(LABEL_NOTES.get(run.label, LABEL_NOTES["custom"]) for run in runs):
        lines += [f"> **{note}**", ""] if note else []
    if len({run.record["source"]["fingerprint"] for run in runs}) > 1:
        lines += ["> **The runs measured different data: their numbers can't be compared with each other.**", ""]
    for run in runs:
        lines += _run(run, level=2)
    if all(run.label == "SnapBench" for run in runs):
        lines += [
            f"## The paper's numbers ({ALL_MODELS})",
            "",
            f"Published by the authors ({PAPER}), not measured here.",
            "",
        ]
        lines += _table(["group", "authors"], [[name, value] for name, value in published_values().items()])
    lines += ["## How to read this", "", *(f"* {_plain(term)}: {_plain(words)}" for term, words in METHOD)]
    lines += [f"* cliff: {_plain(CLIFF_RULE)}"]
    return "\n".join(lines).rstrip("\n") + "\n"


def _run(run: Evidence, level: int) -> list[str]:
    record, mode = run.record, run.mode
    head, sub = "#" * level, "#" * (level + 1)
    field = f"recall_at_{run.k}"
    averages = run.results["averages"][mode]
    clean = run.conditions["clean"]
    groups: list[tuple[str, Block | None, Block | None]] = [("clean", clean, None)]

    def group(name: str, *path: str) -> None:
        block: Any = averages
        for step in path:
            block = block.get(step) if isinstance(block, dict) and "reason" not in block else None
        if block and block.get(field) is not None:
            groups.append((name, block, block["delta"]))

    for level_name in (*TEXT_LEVELS, "all"):
        group(f"text, {level_name}", "text", level_name)
    for severity in (*(f"s{s}" for s in SEVERITIES), "all"):
        group(f"image, {severity}", "image", severity)
    for primitive in PRIMITIVES:
        for severity in (*(f"s{s}" for s in SEVERITIES), "all"):
            group(f"{primitive}, {severity}", "primitives", primitive, severity)
    lines = [
        f"{head} {_plain(run.name)}",
        "",
        f"{_plain(run.label)}, {count(run.n, 'query')}, {record['counts']['n_gallery']:,} gallery items, mode {mode}; "
        f"{record['counts']['n_errored']} queries could not be read. R@{run.k} in percent, changes in points.",
        "",
        *[f"> **{_plain(note)}**\n" for note in (QUESTION_NOTES[run.asked], unread_words(record)) if note],
        *_table(
            ["group", f"R@{run.k}", "95 % interval", "change", "95 % interval", "n"],
            [
                [
                    name,
                    _n(b, field),
                    _bounds(b),
                    _n(d, signed=True),
                    _bounds(d, signed=True),
                    f"{run.n:,}",
                ]
                for name, b, d in groups
            ],
        ),
    ]
    rows = []
    for condition, block in run.conditions.items():
        delta = block.get("delta") or {}
        cells = [
            _n(block, field),
            _bounds(block),
            _n(delta, signed=True) if delta else "",
            _bounds(delta, signed=True),
        ]
        counts = [str(delta.get(name, "")) for name in FLOWS]
        rows.append([condition_words(condition), *cells, p_value(delta.get("p_value")), *counts, f"{block['n']:,}"])
    columns = ["condition", f"R@{run.k}", "95 % interval", "change", "95 % interval", "p", *FLOWS, "n"]
    lines += [f"{sub} Conditions", "", *_table(columns, rows)]
    cliffs = [
        [operator_words(op), f"s{c.step}", number(-c.fall, signed=True), p_value(c.p_value)]
        for op, c in run.cliffs.items()
    ]
    if cliffs:
        lines += [f"{sub} Cliffs", "", *_table(["operator", "at", "points", "p"], cliffs)]
    lines += [f"{sub} Drag and interaction gap", ""]
    gaps = run.results["gamma_int"]
    named = [("drag", run.results["drag"])]
    named += [
        (f"gamma_int, {pair[6:].replace('_', ' + ')}", cells["mean"]) for pair, cells in gaps.get("pairs", {}).items()
    ]
    named += [(f"gamma_int, s{s}", gaps["severities"][f"s{s}"]) for s in SEVERITIES if "severities" in gaps]
    named.append((f"gamma_int, mean of {count(gaps.get('n_pairs', 0), 'pair')}", gaps.get("mean", gaps)))
    lines += _table(
        ["", "points", "95 % interval", "observed", "sum of parts", "n"],
        [
            [
                name,
                _n(b, signed=True),
                interval(b, signed=True, digits=2) or b.get("reason", ""),
                *(_n(b, key) if key in b else "" for key in ("observed", "expected")),
                str(b.get("n", "")),
            ]
            for name, b in named
        ],
    )
    if len(run.rules) > 1:
        lines += [f"{sub} Fusion", ""]
        lines += [
            f"R@{run.k} in percent; after the semicolon the paired difference to {FIXED} in points; "
            f"{count(run.n, 'query')}, mode it2it, 95 % intervals.",
            "",
        ]
        names = list(run.rules[FIXED]) if FIXED in run.rules else []
        lines += _table(
            ["rule", *names],
            [
                [
                    _plain(rule),
                    *(
                        f"{_n(b['recall'])} {_bounds(b['recall'])}"
                        + (
                            f"; {_n(b['difference'], signed=True)} {interval(b['difference'], signed=True, digits=2)}"
                            if b["difference"]
                            else ""
                        )
                        if (b := blocks.get(name))
                        else "not measured"
                        for name in names
                    ),
                ]
                for rule, blocks in run.rules.items()
            ],
        )
    if run.flows:
        lines += [f"{sub} Stability under joint corruption", ""]
        lines += [f"Percent of query-condition pairs, 95 % intervals over {count(run.n, 'query')}.", ""]
        lines += _table(
            ["", *FLOWS, "pairs"],
            [
                [name, *(f"{_n(b[flow])} {_bounds(b[flow])}".rstrip() for flow in FLOWS), f"{b['n']:,}"]
                for name, b in run.flows.items()
            ],
        )
    domains = run.results["domains"]
    if "reason" not in domains:
        rows = [[_plain(name), _n(b, field), _bounds(b), f"{b['n']:,}"] for name, b in domains.items()]
        lines += [f"{sub} Domains", "", *_table(["domain", f"clean R@{run.k}", "95 % interval", "n"], rows)]
    hurt = run.hurt(10)
    if hurt:
        rows = []
        for each in hurt:
            query = run.query(each.query_id)
            question = run.question(query, each.condition) if query else ""
            rows.append(
                [
                    _plain(each.query_id),
                    f"{each.n_wrong} of {each.n_conditions}",
                    condition_words(each.condition),
                    _plain(question),
                    _plain(each.first_id or ""),
                    _plain(each.wanted_id or ""),
                    str(each.rank),
                ]
            )
        columns = ["query", "wrong in", "e.g.", "question there", "came first", "should have", "its rank"]
        lines += [f"{sub} Queries hurt most", "", *_table(columns, rows)]
    source, settings = record["source"], record["settings"]
    facts = {
        "run": record["run_id"],
        "created": record["created"],
        "adapter": record["adapter"]["name"],
        "model": record["adapter"].get("hub_id"),
        "model revision": record["adapter"].get("revision"),
        "adapter fingerprint": record["adapter"]["fingerprint"],
        "parameters": record["adapter"].get("parameters"),
        "source": source["name"],
        "source revision": source["revision"],
        "source fingerprint": source["fingerprint"],
        **{f"setting {key}": value for key, value in settings.items() if key not in ("conditions", "modes")},
        **{f"not applicable, {condition_words(c)}": n for c, n in record["counts"]["n_not_applicable"].items() if n},
        "milliseconds per input": record["timings"].get("milliseconds_per_input"),
        **{name: version for name, version in record["packages"].items() if version},
    }
    lines += [
        f"{sub} Provenance",
        "",
        *_table(["", ""], [[_plain(k), _plain("none" if v is None else v)] for k, v in facts.items()]),
    ]
    return lines


def _n(block: Block | None, field: str = "value", *, signed: bool = False) -> str:
    return "" if block is None else number(block.get(field), signed=signed, digits=2)


def _bounds(block: Block | None, *, signed: bool = False) -> str:
    """The interval, or that resampling shows no spread."""
    block = block or {}
    return interval(block, signed=signed, digits=2) or ("no spread" if block.get("interval_reason") else "")


def _plain(text: object) -> str:
    """Text as Markdown that shows it and does nothing."""
    return _MARKDOWN_SIGNS.sub(r"\\\1", re.sub(r"\s+", " ", clean_text(text)))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of finished Markdown: what comes from data has been through :func:`_plain`."""
    lines = [head, ["---"] * len(head), *rows]
    return [*(f"| {' | '.join(line)} |" for line in lines), ""]


def csv_table(runs: Sequence[Evidence]) -> str:
    """A row for every number of every rule: values in percent or points, not rounded."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(CSV_COLUMNS)
    for run in runs:
        for rule, results in run.record["results"].items():
            for row in _numbers(results):
                start = (run.record["run_id"], run.record["adapter"]["name"], run.label, rule)
                writer.writerow([_cell(value) for value in (*start, *row)])
        for rule, values in (run.record.get("fusion") or {}).items():
            for condition, share in (values.get("text_share") or {}).items():
                start = (run.record["run_id"], run.record["adapter"]["name"], run.label, rule)
                n = run.n - run.record["results"][rule]["conditions"]["it2it"][condition]["n_missing"]
                row = ("it2it", "condition", condition, "text_share_percent", 100 * share, None, None, None, n)
                writer.writerow([_cell(value) for value in (*start, *row)])
    return buffer.getvalue()


def _cell(value: object) -> object:
    if value is None or isinstance(value, (int, float)):
        return "" if value is None else value
    text = clean_text(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _numbers(results: Block) -> Iterator[tuple[object, ...]]:
    """mode, kind, name, measure, value, low, high, p_value, n."""
    recalls = [f"recall_at_{k}" for k in results["ks"]]
    primary = f"recall_at_{results['primary_k']}"
    n = results["n_total"]
    for mode, conditions in results["conditions"].items():
        for condition, block in conditions.items():
            for name in (*recalls, "mrr"):
                bounds = block if name == primary else {}
                yield _line(mode, "condition", condition, name, {**bounds, "value": block[name], "n": block["n"]})
            yield _line(mode, "condition", condition, "n_missing", {"value": block["n_missing"], "n": block["n"]})
            for name, value in (block.get("ties") or {}).items():
                yield _line(mode, "condition", condition, name, {"value": value, "n": block["n"]})
            yield from _change(mode, "condition", condition, "change", block.get("delta"))
        for kind, groups in results["averages"][mode].items():
            for name, block in _leaves(groups, primary):
                yield _line(mode, kind, name, primary, {**block, "value": block[primary], "n": n})
                yield from _change(mode, kind, name, "change", block["delta"])
    yield from _change("it2it", "drag", "clean", "drag", results["drag"])
    gaps = results["gamma_int"]
    for name, block in _leaves(gaps, "observed"):
        for measure in ("value", "observed", "expected"):
            bounds = block if measure == "value" else {}
            words = "gamma_int" if measure == "value" else measure
            yield _line("it2it", "gamma_int", name, words, {**bounds, "value": block[measure], "n": block["n"]})
    for kind, blocks in (
        *results.get("second_modality", {}).items(),
        ("rank_displacement", results["rank_displacement"]),
    ):
        for name, block in _leaves(blocks, "value"):
            yield _line("it2it", kind, name, "places" if kind == "rank_displacement" else "further_drop", block)
    domains = results["domains"]
    for name, block in _leaves(domains, primary):
        yield _line("it2it", "domain", name, primary, {**block, "value": block[primary]})
    for name, block in _leaves(results.get("stability", {}), "kept"):
        for flow in FLOWS:
            yield _line("it2it", "stability", name, flow, {"value": block[flow], "n": block["n"]})


def _change(mode: str, kind: str, name: str, measure: str, block: Block | None) -> Iterator[tuple[object, ...]]:
    """A difference and its four counts; nothing where it is undefined."""
    if block and block.get("value") is not None:
        yield _line(mode, kind, name, measure, block)
        for flow in FLOWS:
            if flow in block:
                yield _line(mode, kind, name, flow, {"value": block[flow], "n": block["n"]})


def _leaves(block: Any, field: str, name: str = "") -> Iterator[tuple[str, Block]]:
    """The innermost blocks that have a field, with the path to them as their name."""
    if isinstance(block, dict):
        if block.get(field) is not None:
            yield name, block
        else:
            for key, inner in block.items():
                yield from _leaves(inner, field, f"{name} {key}".strip())


def _line(mode: str, kind: str, name: str, measure: str, block: Block) -> tuple[object, ...]:
    low, high = block.get("interval") or (None, None)
    return (mode, kind, name, measure, block.get("value"), low, high, block.get("p_value"), block.get("n"))
