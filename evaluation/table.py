"""The table that ends a run in the terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ..corruptions.conditions import PRIMITIVES, SEVERITIES, TEXT_LEVELS, Condition, compact, parse_condition
from .reporting.words import skipped_words, unread_words


def print_table(record: dict[str, Any], console: Console) -> None:
    """Prints what a run found: R@1 and its paired change by condition group, drag and the interaction gap."""
    console.print(_table(record))


def _table(record: dict[str, Any]) -> RenderableType:
    results = record["results"]["fixed"]
    mode = "it2it" if "it2it" in results["conditions"] else next(iter(results["conditions"]))
    source, counts, question = record["source"], record["counts"], record["settings"]["question"]
    table = Table(
        title=f"{record['adapter']['name']} on {source['label']}: {counts['n_queries']:,} queries, "
        f"{counts['n_gallery']:,} gallery items, mode {mode}"
        + ("" if question == "asked" else f", question {question}"),
        title_justify="left",
        caption="R@1 in percent; change against clean on the same queries in points, with 95 % bootstrap intervals",
        caption_justify="left",
    )
    table.add_column("condition", no_wrap=True)
    table.add_column("R@1", justify="right")
    table.add_column("change", justify="right")
    table.add_column("95 % interval", justify="right", no_wrap=True)
    measured = results["conditions"][mode]
    table.add_row("clean", f"{measured['clean']['recall_at_1']:.2f}", "", _interval(measured["clean"]))
    averages = results.get("averages", {}).get(mode, {})
    single = {condition: block for condition, block in measured.items() if condition != "clean"}

    def add_group(name: str, average: Any, group: list[Condition]) -> None:
        if average and average.get("recall_at_1") is not None:
            _add(table, name, average)
            for condition in group:
                single.pop(condition.id, None)

    table.add_section()
    for level, operators in TEXT_LEVELS.items():
        group = [Condition(text_operator=operator) for operator in operators]
        add_group(f"text · {level}", averages.get("text", {}).get(level), group)
    for primitive, operators in PRIMITIVES.items():
        table.add_section()
        for severity in SEVERITIES:
            block = averages.get("primitives", {}).get(primitive, {}).get(f"s{severity}")
            group = [Condition(operator, severity) for operator in operators]
            add_group(f"image · {primitive} s{severity}", block, group)
    table.add_section()
    for name, block in single.items():  # joint pairs, and conditions whose group is incomplete
        _add(table, _label(parse_condition(name)), block)
    lines: list[RenderableType] = [table]
    if skipped := skipped_words(record):
        lines.append(Text(f"questions left as they are, since the operator does not apply: {skipped}"))
    if unread := unread_words(record):
        lines.append(Text(unread))
    lines.append(Text())
    lines.append(block_line("drag (clean it2it - i2i)", results.get("drag"), "points"))
    gap = results.get("gamma_int", {})
    for severity in SEVERITIES:
        lines.append(block_line(f"gamma_int s{severity}", gap.get("severities", {}).get(f"s{severity}"), "points"))
    pairs = f" over {gap['n_pairs']} pairs" if "n_pairs" in gap else ""
    lines.append(block_line(f"gamma_int mean{pairs}", gap.get("mean") or gap, "points"))
    return Group(*lines)


def _label(condition: Condition) -> str:
    if condition.image_operator and condition.text_operator:
        pair = f"{compact(condition.image_operator)} + {compact(condition.text_operator)}"
        return f"joint · {pair} s{condition.severity}"
    return condition.id


def _add(table: Table, name: str, block: dict[str, Any]) -> None:
    delta = block["delta"] or {}
    change = delta.get("value")
    table.add_row(
        name,
        f"{block['recall_at_1']:.2f}",
        "n/a" if change is None else f"{change:+.2f}",
        delta.get("reason", "") if change is None else _interval(delta, signed=True),
    )


def _interval(block: dict[str, Any], signed: bool = False) -> str:
    if block.get("interval") is None:
        return "no spread" if block.get("interval_reason") else ""
    low, high = (round(bound, 2) + 0.0 for bound in block["interval"])
    return f"[{low:+.2f}, {high:+.2f}]" if signed else f"[{low:.2f}, {high:.2f}]"


def block_line(name: str, block: dict[str, Any] | None, unit: str) -> Text:
    """A value of the results with its interval, or the reason why there is none."""
    if block is None or block.get("value") is None:
        reason = (block or {}).get("reason", "its conditions were not part of the run")
        return Text(f"{name}: n/a ({reason})")
    n = f", {block['n']:,} queries" if "n" in block else ""
    return Text(f"{name}: {block['value']:+.2f} {unit} {_interval(block, signed=True)}{n}")
