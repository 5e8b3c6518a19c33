"""How numbers and names are written in a report, whatever its format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...corruptions.conditions import Condition, parse_condition
from ...sources import HUB_ID

Block = dict[str, Any]

MINUS = "\N{MINUS SIGN}"
NOT_MEASURED = "not measured"

MODE_WORDS = {
    "it2it": "photo and question to image and caption",
    "i2i": "photo to image",
    "i2it": "photo to image and caption",
    "t2t": "question to caption",
    "t2it": "question to image and caption",
}

LABEL_NOTES = {
    "SnapBench": "",
    "SnapBench-sample": "These are no benchmark results. The runs measured the small rendered sample that ships with "
    f"the package, made for trying things out. For the benchmark: snapbench run --source {HUB_ID}",
    "custom": "These are no SnapBench results. The runs measured other data; compare them with runs on the same data "
    "only.",
}

QUESTION_NOTES = {
    "asked": "",
    "entity-label": 'An intervention: every question was replaced by the fine name of what is shown ("A tulip.").',
    "empty": "An intervention: every question was replaced by the empty one.",
}

_PHOTO_AND = {
    "asked": "photo and question",
    "entity-label": "photo and its fine name",
    "empty": "photo and an empty question",
}


def query_words(mode: str, question: str = "asked") -> str:
    """What a query of a mode is made of.

    >>> query_words("it2it"), query_words("i2it"), query_words("t2t", "empty")
    ('photo and question', 'photo', 'empty question')
    """
    if mode.startswith("it"):
        return _PHOTO_AND[question]
    if mode.startswith("i"):
        return "photo"
    return {"asked": "question", "entity-label": "fine name", "empty": "empty question"}[question]


def unread_words(record: Block) -> str:
    """What to say of queries that could not be read; empty where all could."""
    n, of = record["counts"]["n_errored"], record["counts"]["n_queries"]
    return (
        f"{n:,} of {count(of, 'query')} could not be read and count as missed where their photo is needed." if n else ""
    )


def skipped_words(record: Block) -> str:
    """Which text operators did not apply to how many queries; empty where all did."""
    counts: dict[str, int] = {}
    for condition, n in record["counts"]["n_not_applicable"].items():
        operator = parse_condition(condition).text_operator
        if n and operator:
            counts[operator_words(operator)] = n
    return listing([f"{operator} {n:,}" for operator, n in counts.items()])


METHOD = (
    ("R@1", "the share of queries, in percent, whose first result is a positive (the hit rate of the paper)"),
    ("change", "R@1 under a condition minus R@1 on clean, over the same queries, in points; below 0 is worse"),
    ("[a, b]", "95 % percentile bootstrap interval; queries are resampled, and all states of a query move together"),
    ("no spread", "every query counts the same here, so that resampling them shows no interval"),
    ("p", "exact two-sided McNemar test over the queries whose first result changed between right and wrong"),
    ("averages", "unweighted over the four primitives of damage and over the three levels of text errors (Table 2)"),
    ("drag", "clean R@1 with photo and question minus R@1 with the photo alone; below 0 the question drags it down"),
    (
        "gamma_int",
        "the interaction gap: what photo and question damaged together cost, minus the sum of what each costs alone; "
        "above 0 they make each other worse",
    ),
)


def number(value: float | None, *, signed: bool = False, digits: int = 1) -> str:
    """A number with a real minus sign; ``n/a`` for None.

    >>> number(-3.14159, signed=True), number(None)
    ('\N{MINUS SIGN}3.1', 'n/a')
    """
    if value is None:
        return "n/a"
    text = f"{value + 0.0:{'+' if signed else ''}.{digits}f}"
    text = text.lstrip("+-") if float(text) == 0 else text
    return text.replace("-", MINUS)


def interval(block: Block, *, signed: bool = False, digits: int = 1) -> str:
    """``[low, high]``, or an empty string where there is none."""
    bounds = block.get("interval")
    return f"[{', '.join(number(v, signed=signed, digits=digits) for v in bounds)}]" if bounds else ""


def p_value(value: float | None) -> str:
    if value is None:
        return ""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def operator_words(operator: str) -> str:
    """``low_light`` -> ``low light``."""
    return operator.replace("ui_", "UI ").replace("_", " ")


def condition_words(condition: str | Condition) -> str:
    """``joint_mosaic_charswap_s2`` -> ``mosaic s2 + char swap``.

    >>> condition_words("joint_mosaic_charswap_s2")
    'mosaic s2 + char swap'
    """
    state = parse_condition(condition) if isinstance(condition, str) else condition
    parts = []
    if state.image_operator is not None:
        parts.append(operator_words(state.image_operator) + (f" s{state.severity}" if state.severity else ""))
    if state.text_operator is not None:
        parts.append(operator_words(state.text_operator))
    return " + ".join(parts) or "clean"


def count(n: int, word: str) -> str:
    """``1 query``, ``1,145 queries``."""
    plural = word[:-1] + "ies" if word.endswith("y") else word + "s"
    return f"{n:,} {word if n == 1 else plural}"


def listing(words: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
