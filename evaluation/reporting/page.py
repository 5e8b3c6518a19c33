"""The report as one HTML page: no script, nothing loaded from outside, every text from the data escaped."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from typing import Any

from PIL import Image

from ... import __version__
from ...corruptions.conditions import (
    IMAGE_OPERATORS,
    PRIMITIVES,
    SEVERITIES,
    TEXT_LEVELS,
    Condition,
    parse_condition,
)
from ...images import ImageDecodeError, decode_image
from ...rows import query_image
from ...sources import Query
from ...terminal import clean_text
from ..published import ALL_MODELS, PAPER, published_values
from .charts import (
    STEPS,
    Curve,
    Point,
    Spot,
    dose_panel,
    flow_panel,
    key,
    plane,
    round_up,
    scale,
    swatch,
    track,
)
from .evidence import CLIFF_RULE, FIXED, FLOWS, Evidence, Hurt
from .markup import Html, join, tag
from .words import (
    LABEL_NOTES,
    METHOD,
    MODE_WORDS,
    NOT_MEASURED,
    QUESTION_NOTES,
    condition_words,
    count,
    interval,
    listing,
    number,
    operator_words,
    p_value,
    query_words,
    skipped_words,
    unread_words,
)

Block = dict[str, Any]

PICTURE_SIDE = 360
"""Pixels. Pictures are made small and stored as JPEG: a page of a few hundred kilobytes opens anywhere."""

N_HURT = 6
N_HURT_OF_SEVERAL = 4

# Nothing may be loaded and nothing may run, whatever a caption says.
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(runs: Sequence[Evidence]) -> str:
    """The whole page for one run or several."""
    builders: list[tuple[str, str, Callable[[Sequence[Evidence]], Html | None]]] = [
        ("short", "In short", _short),
        ("severity", "As the damage grows", _severity),
        ("operators", "Every operator", _operators),
        ("questions", "Sloppy questions", _questions),
        ("together", "Photo and question together", _together),
        ("drag", "Does the question help?", _drag),
        ("fusion", "Fusion", _fusion),
        ("flows", "What became of the queries", _flows),
        ("domains", "Domains", _domains),
        ("hurt", "The queries hurt most", _hurt),
        ("cost", "Cost and robustness", _cost),
        ("published", "The paper's numbers", _published),
        ("method", "How to read this", _method),
        ("provenance", "Provenance", _provenance),
    ]
    sections = [(name, title, content) for name, title, build in builders if (content := build(runs)) is not None]
    title = runs[0].name if len(runs) == 1 else f"{len(runs)} runs compared"
    style = resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content=f"snapbench {__version__}"),
        tag("title", f"{title} · SnapBench report"),
        tag("link", rel="icon", href="data:,"),
        tag("style", Html(style)),
    )
    contents = [tag("li", tag("a", title, href=f"#{name}")) for name, title, _ in sections]
    body = tag(
        "body",
        tag("a", "Skip to the results", href="#short", class_="skip"),
        _header(runs, title),
        tag(
            "div",
            tag("nav", tag("ul", contents), aria_label="Contents"),
            tag(
                "main",
                [
                    tag(
                        "section",
                        tag("h2", title, id=f"{name}-title"),
                        content,
                        id=name,
                        aria_labelledby=f"{name}-title",
                    )
                    for name, title, content in sections
                ],
            ),
            class_="columns",
        ),
        tag("footer", tag("p", f"Made by snapbench {__version__}. This page loads nothing and runs no script.")),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _header(runs: Sequence[Evidence], title: str) -> Html:
    lines = dict.fromkeys(
        f"{run.label}: {count(run.n, 'query')} against {run.record['counts']['n_gallery']:,} gallery items, "
        f"{count(run.record['counts']['n_conditions'], 'condition')}, mode {run.mode}"
        for run in runs
    )
    labels = dict.fromkeys(run.label for run in runs)
    notes = [
        (
            "For trying things out." if "sample" in label else "Other data.",
            LABEL_NOTES.get(label, LABEL_NOTES["custom"]),
        )
        for label in labels
    ]
    if len({run.record["source"]["fingerprint"] for run in runs}) > 1:
        notes.append(("Careful.", "The runs measured different data: their numbers can't be compared with each other."))
    elif len({run.n for run in runs}) > 1:
        notes.append(("Careful.", "The runs measured different queries: their numbers can't be compared."))
    elif len({run.asked for run in runs}) > 1:
        notes.append(("Careful.", "The runs put different questions to the same photos."))
    for run in runs:
        for note in (QUESTION_NOTES[run.asked], unread_words(run.record)):
            notes.append(("Careful.", f"{run.name}: {note}" if note and len(runs) > 1 else note))
    legend = None
    if len(runs) > 1:
        items = [tag("li", swatch(i), tag("bdi", run.name)) for i, run in enumerate(runs)]
        legend = tag("ul", items, class_="legend", aria_label="Runs")
    return tag(
        "header",
        tag("p", "SnapBench report", class_="kicker"),
        tag("h1", tag("bdi", title)),
        [tag("p", line, class_="lead") for line in lines],
        legend,
        [tag("p", tag("strong", f"{flag} "), note, class_="banner", role="note") for flag, note in notes if note],
        class_="top",
    )


def _queries(runs: Sequence[Evidence]) -> str:
    """``n = 120 queries``; where the runs differ, the number of each in their order."""
    numbers = [f"{run.n:,}" for run in runs]
    return f"n = {numbers[0] if len(set(numbers)) == 1 else ', '.join(numbers)} queries"


# The parts that sections are made of


def _value(block: Block | None, *, signed: bool = False, field: str = "value") -> Html:
    """A value with its interval below; ``n/a`` with the reason where it is undefined."""
    if block is None or block.get(field) is None:
        reason = (block or {}).get("reason", NOT_MEASURED)
        return tag("span", "n/a", tag("small", reason), class_="na")
    bounds = interval(block, signed=signed)
    reason = "" if bounds else "no spread" if block.get("interval_reason") else "no interval"
    return tag(
        "span",
        tag("b", number(block[field], signed=signed)),
        tag("small", bounds or reason, class_=None if bounds else "why"),
        class_="value",
    )


def _table(caption: object, head: Sequence[object], rows: Sequence[Sequence[object]], class_: str = "") -> Html:
    """A table that scrolls by itself on a narrow screen; the first cell of a row is its header."""
    body = [
        tag("tr", tag("th", row[0], scope="row"), [cell if _is_cell(cell) else tag("td", cell) for cell in row[1:]])
        for row in rows
    ]
    table = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", [tag("th", cell, scope="col") for cell in head])),
        tag("tbody", body),
        class_=class_ or None,
    )
    return tag("div", table, class_="scroll", tabindex=0, role="region", aria_label=_plain(caption))


def _is_cell(cell: object) -> bool:
    return isinstance(cell, Html) and cell.startswith("<td")


def _plain(caption: object) -> str:
    text = str(caption)
    return text if not isinstance(caption, Html) else "Table"


def _fold(summary: object, *content: object, open_: bool = False) -> Html:
    return tag("details", tag("summary", summary), content, open=open_)


def _run_title(runs: Sequence[Evidence], index: int) -> Html | None:
    """The run's name above its part of a section; nothing where there is one run only."""
    return None if len(runs) == 1 else tag("h3", swatch(index), tag("bdi", runs[index].name), class_="run")


def _below(runs: Sequence[Evidence]) -> int:
    """The level of the headings below a section's title, or below the run's name where there are several."""
    return 3 if len(runs) == 1 else 4


def _run_key(runs: Sequence[Evidence], index: int) -> Html | None:
    """The run's mark, and its name for those who don't see it; nothing where there is one run only."""
    return None if len(runs) == 1 else join(key(index), tag("span", f"{runs[index].name}: ", class_="hidden"))


def _each(runs: Sequence[Evidence], build: Callable[[Evidence, int], Html | None], *, missing: str = "") -> Html | None:
    """A part for every run that has one; None where no run has."""
    parts = [build(run, index) for index, run in enumerate(runs)]
    if all(part is None for part in parts):
        return None
    return join(
        [
            tag(
                "div",
                _run_title(runs, i),
                part if part is not None else tag("p", missing, class_="quiet"),
                class_="run-part",
            )
            for i, part in enumerate(parts)
        ]
    )


def _averages(run: Evidence, kind: str, name: str) -> Block | None:
    """A block of the paper's averages in the mode of the report, or the block that says why there is none."""
    block = run.results["averages"][run.mode].get(kind)
    if block is None or "reason" in block:
        return block
    return block.get(name)


def _delta(block: Block | None) -> Block | None:
    return block.get("delta", block) if block else block


# Sections


_TILES: tuple[tuple[str, str, Callable[[Evidence], Block | None]], ...] = (
    ("clean", "R@1, clean", lambda run: run.conditions["clean"]),
    ("photos", "damaged photos, all severities", lambda run: _delta(_averages(run, "image", "all"))),
    ("photos s3", "damaged photos, severity 3", lambda run: _delta(_averages(run, "image", "s3"))),
    ("questions", "sloppy questions", lambda run: _delta(_averages(run, "text", "all"))),
    ("both", "both at once, all severities", lambda run: (run.joint_average or {}).get("all")),
    ("drag", "drag of the question", lambda run: run.results["drag"]),
    ("gap", "interaction gap", lambda run: run.results["gamma_int"].get("mean", run.results["gamma_int"])),
)


def _short(runs: Sequence[Evidence]) -> Html:
    if len(runs) == 1:
        run = runs[0]
        tiles = [
            tag(
                "div",
                tag("dt", f"{title} {query_words(run.mode, run.asked)}" if name == "clean" else title),
                tag(
                    "dd",
                    _value(
                        get(run), signed=name != "clean", field=f"recall_at_{run.k}" if name == "clean" else "value"
                    ),
                    tag("span", "percent" if name == "clean" else "points", class_="unit"),
                ),
                class_="tile main" if name == "clean" else "tile",
            )
            for name, title, get in _TILES
        ]
        return join(
            tag("p", _summary(run), class_="prose"),
            tag("dl", tiles, class_="tiles"),
            tag(
                "p",
                f"Each number is over the same {count(run.n, 'query')}; in brackets its 95 % interval.",
                class_="quiet",
            ),
        )
    rows = [
        [
            join(swatch(i), tag("bdi", run.name)),
            *(
                _value(get(run), signed=name != "clean", field=f"recall_at_{run.k}" if name == "clean" else "value")
                for name, _, get in _TILES
            ),
            f"{run.n:,}",
        ]
        for i, run in enumerate(runs)
    ]
    head = ["run", *(title for _, title, _ in _TILES), "n"]
    return join(
        _table("R@1 in percent, all others in points against clean, with 95 % intervals", head, rows, "headline"),
        [tag("p", tag("b", tag("bdi", run.name)), ": ", _summary(run), class_="prose") for run in runs[:4]],
    )


def _summary(run: Evidence) -> str:
    """What happened, in three or four sentences."""
    clean = run.conditions["clean"]
    right = number(clean[f"recall_at_{run.k}"])
    query = f"{'an' if run.asked == 'empty' and run.mode.startswith('t2') else 'a clean'} "
    query += query_words(run.mode, run.asked)
    said = [f"With {query} the first result is right for {right} % of {count(run.n, 'query')}."]
    all_, worst = _delta(_averages(run, "image", "all")), _delta(_averages(run, "image", "s3"))
    if all_ and worst and all_.get("value") is not None and worst.get("value") is not None:
        said.append(
            f"Damaged photos change that by {number(all_['value'], signed=True)} points on average and by "
            f"{number(worst['value'], signed=True)} at the highest severity."
        )
    changes = {
        c: block["delta"]["value"]
        for c, block in run.conditions.items()
        if (block.get("delta") or {}).get("value") is not None
    }
    if changes:
        low = min(changes, key=changes.__getitem__)
        if changes[low] < 0:
            said.append(f"Nothing hurts more than {condition_words(low)} ({number(changes[low], signed=True)} points).")
    if run.cliffs:
        said.append(
            f"{_capital(listing([operator_words(op) for op in run.cliffs]))} "
            f"fall{'s' if len(run.cliffs) == 1 else ''} off a cliff."
        )
    drag = run.results["drag"]
    if drag.get("value") is not None:
        bounds = drag.get("interval")
        sure = bounds and not bounds[0] <= 0 <= bounds[1]
        verdict = "drags the photo down" if drag["value"] < 0 else "helps the photo"
        said.append(
            f"The question {verdict} by {number(abs(drag['value']))} points."
            if sure
            else "Whether the question helps or drags can't be told from these queries."
        )
    return " ".join(said)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _image_blocks(run: Evidence, operator: str) -> list[Block | None]:
    return [run.conditions.get("clean"), *(run.conditions.get(Condition(operator, s).id) for s in SEVERITIES)]


def _severity(runs: Sequence[Evidence]) -> Html | None:
    measured = [op for op in IMAGE_OPERATORS if any(block for run in runs for block in _image_blocks(run, op)[1:])]
    if not measured:
        return None
    field = f"recall_at_{runs[0].k}"
    blocks = [block for run in runs for op in measured for block in _image_blocks(run, op) if block]
    top = min(100.0, round_up(max((b["interval"] or [0, b[field] or 0])[1] for b in blocks), 10.0))
    parts: list[Html] = []
    for primitive, operators in PRIMITIVES.items():
        panels = [_dose(runs, op, top) for op in operators if op in measured]
        if panels:
            parts += [tag("h3", _capital(primitive)), tag("div", panels, class_="panels")]
    shown = "the band is the 95 % interval" if len(runs) == 1 else "one line a run; intervals are in the tables below"
    cliffs = CLIFF_RULE if any(run.hits for run in runs) else "Cliffs are not marked: they need ranks.parquet."
    return join(
        tag(
            "p",
            f"R@{runs[0].k} in percent, {_queries(runs)}, from the clean photo to severity 3; {shown}. A ",
            tag("span", "\N{BLACK DOWN-POINTING TRIANGLE}", class_="cliff-sign"),
            " marks a cliff.",
            class_="prose",
        ),
        parts,
        tag("p", cliffs, class_="quiet"),
        [
            _fold(
                join("All numbers", join(": ", tag("bdi", run.name)) if len(runs) > 1 else None),
                _all_conditions(run),
            )
            for run in runs
        ],
    )


def _dose(runs: Sequence[Evidence], operator: str, top: float) -> Html:
    curves, said = [], []
    for index, run in enumerate(runs):
        blocks = _image_blocks(run, operator)
        values = [block[f"recall_at_{run.k}"] if block else None for block in blocks]
        cliff = run.cliffs.get(operator)
        curves.append(
            Curve(
                index,
                run.name,
                values,
                [block["interval"] if block else None for block in blocks],
                (cliff.step, cliff.fall) if cliff else None,
            )
        )
        steps = ", ".join(f"{step} {number(v)}" for step, v in zip(STEPS, values, strict=True) if v is not None)
        words = f"; cliff from {STEPS[cliff.step - 1]} to {STEPS[cliff.step]}" if cliff else ""
        said.append(f"{run.name}: {steps}{words}")
    last = _image_blocks(runs[0], operator)[-1] if len(runs) == 1 else None
    change = (last or {}).get("delta")
    caption = [tag("b", operator_words(operator))]
    if change and change.get("value") is not None:
        caption.append(tag("span", f"{number(change['value'], signed=True)} {interval(change, signed=True)} at s3"))
    picture = dose_panel(curves, top, f"{operator_words(operator)}, R@1 in percent. {'. '.join(said)}")
    return tag("figure", tag("figcaption", caption), picture)


def _all_conditions(run: Evidence) -> Html:
    rows = []
    for condition, block in run.conditions.items():
        delta = block.get("delta")
        counts = [delta[name] if delta and name in delta else "" for name in ("lost", "gained")]
        cliff = run.cliffs.get(parse_condition(condition).image_operator or "")
        state = parse_condition(condition)
        marked = cliff is not None and state.kind == "image" and cliff.step == state.severity
        rows.append(
            [
                join(condition_words(condition), " \N{BLACK DOWN-POINTING TRIANGLE} cliff" if marked else ""),
                _value(block, field=f"recall_at_{run.k}"),
                _value(delta, signed=True) if delta else "",
                p_value((delta or {}).get("p_value")),
                *counts,
                f"{block['n']:,}",
            ]
        )
    head = ["condition", f"R@{run.k}", "change", "p", "lost", "gained", "n"]
    return _table(f"All conditions, mode {run.mode}", head, rows, "numbers")


def _operators(runs: Sequence[Evidence]) -> Html | None:
    changes = [
        (run.conditions.get(Condition(op, s).id) or {}).get("delta") or {}
        for run in runs
        for op in IMAGE_OPERATORS
        for s in SEVERITIES
    ]
    most = max([10.0, *(abs(delta["value"]) for delta in changes if delta.get("value") is not None)])

    def heat(run: Evidence, _: int) -> Html | None:
        deltas = {
            (op, s): block.get("delta")
            for op in IMAGE_OPERATORS
            for s in SEVERITIES
            if (block := run.conditions.get(Condition(op, s).id))
        }
        if not deltas:
            return None
        bodies = []
        for primitive, operators in PRIMITIVES.items():
            rows = [tag("tr", tag("th", _capital(primitive), colspan=4, scope="rowgroup"))]
            for op in operators:
                cells = [_heat_cell(deltas.get((op, s)), most, run.cliffs.get(op), s) for s in SEVERITIES]
                rows.append(tag("tr", tag("th", operator_words(op), scope="row"), cells))
            mean = [_heat_cell(_delta(_primitive(run, primitive, f"s{s}")), most, None, s) for s in SEVERITIES]
            rows.append(tag("tr", tag("th", "mean", scope="row"), mean, class_="mean"))
            bodies.append(tag("tbody", rows))
        caption = f"Change of R@{run.k} against clean in points, [95 % interval]; n = {run.n:,} queries in every cell"
        head = tag("thead", tag("tr", [tag("th", cell, scope="col") for cell in ("operator", "s1", "s2", "s3")]))
        table = tag("table", tag("caption", caption), head, bodies, class_="heat")
        return tag("div", table, class_="scroll", tabindex=0, role="region", aria_label=caption)

    parts = _each(runs, heat, missing="No photo was damaged in this run.")
    if parts is None:
        return None
    return join(
        tag(
            "p",
            "The stronger the shade, the larger the loss; blue cells with a plus are gains. "
            "\N{BLACK DOWN-POINTING TRIANGLE} is a cliff.",
            class_="prose",
        ),
        parts,
    )


def _primitive(run: Evidence, primitive: str, severity: str) -> Block | None:
    block = run.results["averages"][run.mode]["primitives"]
    return block if "reason" in block else block[primitive][severity]


def _heat_cell(delta: Block | None, most: float, cliff: Any, severity: int) -> Html:
    if not delta or delta.get("value") is None:
        return tag("td", tag("small", NOT_MEASURED))
    value = delta["value"]
    strength = f"--heat: {65 * min(1.0, abs(value) / most):.0f}%"
    sign = "\N{BLACK DOWN-POINTING TRIANGLE} " if cliff is not None and cliff.step == severity else ""
    return tag(
        "td",
        join(tag("b", f"{sign}{number(value, signed=True)}"), tag("small", interval(delta, signed=True))),
        style=strength,
        class_="gain" if value > 0 else "loss",
    )


def _rows(
    caption: str,
    runs: Sequence[Evidence],
    rows: Sequence[tuple[object, Sequence[Block | None]]],
    *,
    signed: bool = True,
    field: str = "value",
    low: float | None = None,
    high: float | None = None,
    first: str = "",
) -> Html:
    """A chart of one row an item and one mark a run, with the numbers beside it."""
    known = [b for _, blocks in rows for b in blocks if b and b.get(field) is not None]
    ends = [v for b in known for v in (b[field], *(b.get("interval") or ()))]
    low = -round_up(max(0.0, -min(ends)), 5.0) if low is None else low
    high = round_up(max(0.0, *ends), 5.0) if high is None else high
    lines = []
    for label, blocks in rows:
        points = [
            Point(b.get(field), b.get("interval"), i, words=f"{runs[i].name}: {number(b.get(field), signed=signed)}")
            if b
            else Point(None, index=i)
            for i, b in enumerate(blocks)
        ]
        values = [tag("div", _run_key(runs, i), _value(b, signed=signed, field=field)) for i, b in enumerate(blocks)]
        zero = 0.0 if signed else None
        lines.append([label, tag("td", track(points, low, high, zero=zero), class_="plot"), tag("td", values)])
    lines.append(["", tag("td", scale(low, high, signed=signed), class_="plot"), ""])
    head = [first, "", "value" if len(runs) == 1 else "value by run"]
    return _table(caption, head, lines, "rows" if len(runs) == 1 else "rows several")


def _questions(runs: Sequence[Evidence]) -> Html | None:
    rows: list[tuple[object, list[Block | None]]] = []
    for level, operators in TEXT_LEVELS.items():
        for op in operators:
            ids = Condition(text_operator=op).id
            blocks = [(run.conditions.get(ids) or {}).get("delta") for run in runs]
            if any(blocks):
                rows.append((join(operator_words(op), tag("small", level)), blocks))
    if not rows:
        return None
    rows.append(("mean of the levels", [_delta(_averages(run, "text", "all")) for run in runs]))
    return join(
        tag("p", "What typing errors, repeated or moved words and added or replaced sentences cost.", class_="prose"),
        _rows(
            f"Change of R@{runs[0].k} against clean in points; {_queries(runs)}",
            runs,
            rows,
            first="operator",
        ),
        [_skipped(runs, run) for run in runs],
    )


def _skipped(runs: Sequence[Evidence], run: Evidence) -> Html:
    skipped = skipped_words(run.record)
    return tag(
        "p",
        join(tag("bdi", run.name), ": ") if len(runs) > 1 else None,
        f"Queries to which an operator does not apply keep their question and are counted ({skipped})."
        if skipped
        else "Every operator applied to every question.",
        class_="quiet",
    )


def _together(runs: Sequence[Evidence]) -> Html | None:
    known = [
        block[key]
        for run in runs
        for pair in run.results["gamma_int"].get("pairs", {}).values()
        for block in pair.values()
        if block.get("value") is not None
        for key in ("observed", "expected")
    ]
    ends = (-round_up(-min(known), 5.0) if min(known, default=0) < 0 else 0.0, round_up(max([0.0, *known]), 5.0))

    def part(run: Evidence, index: int) -> Html | None:
        gaps = run.results["gamma_int"]
        if "pairs" not in gaps:
            return None
        pairs: Block = gaps["pairs"]
        means: list[tuple[object, Block]] = [(_pair_words(pair), block["mean"]) for pair, block in pairs.items()]
        means += [(f"all pairs, s{s}", gaps["severities"][f"s{s}"]) for s in SEVERITIES]
        means.append((tag("b", "mean"), gaps["mean"]))
        cells: list[tuple[object, Block]] = [
            (f"{_pair_words(pair)}, s{s}", block[f"s{s}"]) for pair, block in pairs.items() for s in SEVERITIES
        ]
        extra = run.results.get("second_modality") or {}
        said = [
            f"{words} costs {number(block['value'])} more points {interval(block)}"
            for name, words in (
                ("text_after_image", "Once the photo is damaged, a sloppy question"),
                ("image_after_text", "once the question is sloppy, a damaged photo"),
            )
            if (block := (extra.get(name) or {}).get("mean") or {}).get("value") is not None
        ]
        return join(
            _gap_table(means, index, run, ends),
            tag("p", "; ".join(said) + "." if said else None, class_="quiet") if said else None,
            _fold("Every pair at every severity", _gap_table(cells, index, run, ends)),
            _skipped((run,), run),
        )

    parts = _each(runs, part, missing="This run has no joint condition.")
    if parts is None:
        return None
    return join(
        tag(
            "p",
            "How many points R@1 falls when photo and question are damaged together (filled mark), beside the sum of "
            "what each costs alone (hollow mark). Where the filled mark is to the right, damage adds up to more than "
            "its parts. The paper does not name its six pairs; these are assumed.",
            class_="prose",
        ),
        parts,
    )


def _pair_words(pair: str) -> str:
    state = parse_condition(f"{pair}_s1")
    return f"{operator_words(state.image_operator or '')} + {operator_words(state.text_operator or '')}"


def _gap_table(rows: Sequence[tuple[object, Block]], index: int, run: Evidence, ends: tuple[float, float]) -> Html:
    """Observed and additive falls; ``ends`` are those of the scale, the same for every run of the report."""
    low, high = ends
    lines = []
    for label, block in rows:
        if block.get("value") is None:
            lines.append([label, tag("td", class_="plot"), "", "", _value(block)])
            continue
        points = [
            Point(block["expected"], index=index, hollow=True, words=f"sum of the parts: {number(block['expected'])}"),
            Point(block["observed"], index=index, words=f"observed: {number(block['observed'])}"),
        ]
        plot = tag("td", track(points, low, high, bridge=True), class_="plot")
        lines.append([label, plot, number(block["observed"]), number(block["expected"]), _value(block, signed=True)])
    lines.append(["", tag("td", scale(low, high, signed=False), class_="plot"), "", "", ""])
    head = ["pair", "", "both", "sum", "gap"]
    return _table(f"Fall of R@{run.k} in points; n = {run.n:,} queries", head, lines, "rows gaps")


def _drag(runs: Sequence[Evidence]) -> Html | None:
    if all(len(run.results["conditions"]) < 2 for run in runs):
        return None
    modes = [mode for mode in MODE_WORDS if any(mode in run.results["conditions"] for run in runs)]
    rows: list[tuple[object, list[Block | None]]] = [
        (
            join(mode, tag("small", MODE_WORDS[mode])),
            [run.results["conditions"].get(mode, {}).get("clean") for run in runs],
        )
        for mode in modes
    ]
    drags = [(join(tag("bdi", run.name)), run.results["drag"]) for run in runs]
    lines = [
        [name, _value(drag, signed=True), p_value(drag.get("p_value")), drag.get("lost", ""), drag.get("gained", "")]
        for name, drag in drags
    ]
    return join(
        tag(
            "p",
            "Drag is R@1 with photo and question minus R@1 with the photo alone, both clean. Below zero, reading the "
            "question makes retrieval worse.",
            class_="prose",
        ),
        _table(
            f"Drag in points; {_queries(runs)}",
            ["run", "drag", "p", "lost with the question", "gained with it"],
            lines,
            "numbers",
        ),
        _rows(
            f"Clean R@{runs[0].k} in percent by mode; {_queries(runs)}",
            runs,
            rows,
            signed=False,
            field=f"recall_at_{runs[0].k}",
            low=0.0,
            high=100.0,
            first="query to gallery",
        ),
    )


def _fusion(runs: Sequence[Evidence]) -> Html | None:
    def part(run: Evidence, index: int) -> Html | None:
        if len(run.rules) < 2 and not run.text_shares:
            return None
        groups = list(next(iter(run.rules.values()), {}))
        lines = []
        for rule, blocks in run.rules.items():
            cells = []
            for group in groups:
                block = blocks.get(group)
                if block is None:
                    cells.append(tag("td", tag("small", NOT_MEASURED)))
                    continue
                change = block["difference"]
                against = tag("div", _value(change, signed=True), class_="against") if change else None
                cells.append(tag("td", _value(block["recall"]), against))
            summary = (run.record.get("fusion") or {}).get(rule, {}).get("summary", "")
            lines.append([join(tag("b", rule), tag("small", summary)), *cells])
        table = _table(
            f"R@{run.k} in percent; below it the difference to {FIXED} in points, paired over {count(run.n, 'query')}",
            ["rule", *groups],
            lines,
            "fusion",
        )
        return join(
            table if lines else None, [_shares(run, rule, values, index) for rule, values in run.text_shares.items()]
        )

    return _each(runs, part, missing="This run has the fixed rule only; others are added with --fusion.")


def _shares(run: Evidence, rule: str, values: dict[str, tuple[float, int]], index: int) -> Html:
    top = round_up(100 * max(share for share, _ in values.values()), 10.0)
    lines: list[list[object]] = []
    for group, (share, conditions) in values.items():
        point = Point(100 * share, index=index, words=f"{group}: {100 * share:.1f} %")
        plot = tag("td", track([point], 0.0, top, zero=None), class_="plot")
        lines.append([group, plot, f"{100 * share:.1f}", conditions])
    lines.append(["", tag("td", scale(0.0, top, signed=False), class_="plot"), "", ""])
    n = run.n - run.record["counts"]["n_errored"]
    caption = (
        f"{rule}: percent of the weight that goes to paths not anchored in the photo, mean over {count(n, 'query')} "
        "(the run file holds means, so there is no interval)"
    )
    return _table(caption, ["conditions", "", "percent", "mean of"], lines, "rows")


def _flows(runs: Sequence[Evidence]) -> Html | None:
    def part(run: Evidence, _: int) -> Html | None:
        if run.flows is None:
            return None
        panels, lines = [], []
        for name, block in run.flows.items():
            shares = {flow: block[flow]["value"] for flow in FLOWS}
            words = "all severities" if name == "all" else f"severity {name[1:]}"
            said = ", ".join(f"{flow} {share:.1f} %" for flow, share in shares.items())
            if name != "all":
                picture = flow_panel(shares, f"{words}: {said}")
                panels.append(tag("figure", tag("figcaption", tag("b", words)), picture))
            lines.append([words, *(_value(block[flow]) for flow in FLOWS), f"{block['n']:,}"])
        caption = f"Percent of query-condition pairs under joint corruption; intervals over {count(run.n, 'query')}"
        return join(
            tag("div", panels, class_="panels wide"),
            _table(caption, ["", *FLOWS, "pairs"], lines, "numbers"),
        )

    parts = _each(runs, part, missing="This run has no joint condition.")
    if parts is None:
        return None
    return join(
        tag(
            "p",
            "Queries that are right or wrong on clean, and what they are once photo and question are damaged together: "
            "kept and missed stay what they were, lost and gained change sides.",
            class_="prose",
        ),
        parts,
    )


def _domains(runs: Sequence[Evidence]) -> Html | None:
    names = dict.fromkeys(
        domain for run in runs if "reason" not in run.results["domains"] for domain in run.results["domains"]
    )
    if not names:
        return None
    field = f"recall_at_{runs[0].k}"
    blocks = {
        name: [None if "reason" in run.results["domains"] else run.results["domains"].get(name) for run in runs]
        for name in names
    }
    order = sorted(names, key=lambda name: -next(b[field] for b in blocks[name] if b))
    rows: list[tuple[object, Sequence[Block | None]]] = [
        (
            join(
                tag("bdi", name),
                tag("small", "n = " + ", ".join(dict.fromkeys(f"{b['n']:,}" for b in blocks[name] if b))),
            ),
            blocks[name],
        )
        for name in order
    ]
    return _rows(
        f"Clean R@{runs[0].k} in percent by domain; intervals resample the queries of the domain",
        runs,
        rows,
        signed=False,
        field=field,
        low=0.0,
        high=100.0,
        first="domain",
    )


def _hurt(runs: Sequence[Evidence]) -> Html | None:
    def part(run: Evidence, _: int) -> Html | None:
        hurt = run.hurt(N_HURT if len(runs) == 1 else N_HURT_OF_SEVERAL)
        if not hurt:
            return None
        note = (
            tag("p", f"Without pictures and questions: {run.source_missing}.", class_="quiet")
            if run.source_missing
            else None
        )
        return join(note, tag("div", [_card(run, each, _below(runs)) for each in hurt], class_="cards"))

    parts = _each(runs, part, missing="No ranks, or no query that is right on clean and wrong elsewhere.")
    if parts is None:
        return None
    return join(
        tag(
            "p",
            "Right with a clean photo and question, wrong under the most conditions. On the left the clean query and "
            "what came first; on the right the same query damaged, by the condition that pushed the right answer "
            "farthest down among operators not shown before, and what came first instead.",
            class_="prose",
        ),
        parts,
    )


def _card(run: Evidence, hurt: Hurt, level: int) -> Html:
    query = run.query(hurt.query_id)
    damaged = condition_words(hurt.condition)
    left = [tag(f"h{level + 1}", "Clean: right", class_="state")]
    right = [tag(f"h{level + 1}", f"{damaged}: wrong", class_="state")]
    if query is not None:
        left.append(_query_picture(run, query, Condition()))
        right.append(_query_picture(run, query, hurt.condition))
    left.append(_gallery_picture(run, hurt.wanted_id, "should come first, and did"))
    right.append(
        _gallery_picture(run, hurt.first_id, f"came first instead; the first right answer is at rank {hurt.rank:,}")
    )
    return tag(
        "article",
        tag(f"h{level}", tag("bdi", hurt.query_id), class_="item"),
        tag("p", f"wrong in {hurt.n_wrong} of {hurt.n_conditions} damaged conditions", class_="quiet"),
        tag("div", tag("div", left), tag("div", right), class_="pair"),
        class_="card",
    )


def _query_picture(run: Evidence, query: Query, condition: Condition) -> Html:
    settings = run.record["settings"]
    question = run.question(query, condition)
    words = tag("q", tag("bdi", clean_text(question))) if question else tag("span", "no question", class_="quiet")
    try:
        data = query_image(query, condition, seed=settings["seed"], storage=settings["storage"])
        image = decode_image(data, record=f"query {query.query_id!r}")
    except ImageDecodeError:
        return tag("figure", tag("p", "This photo can't be decoded.", class_="quiet"), tag("figcaption", words))
    alt = f"Photo of query {query.query_id}" + (
        "" if condition.kind == "clean" else f" under {condition_words(condition)}"
    )
    return tag("figure", _picture(image, alt), tag("figcaption", words))


def _gallery_picture(run: Evidence, gallery_id: str | None, role: str) -> Html:
    item = run.gallery.get(gallery_id or "")
    if item is None:
        return tag("figure", tag("figcaption", tag("small", role), tag("bdi", gallery_id or "nothing")))
    try:
        picture = _picture(decode_image(item.image.path, record=f"gallery item {item.gallery_id!r}"), item.caption)
    except ImageDecodeError:
        picture = tag("p", "This image can't be decoded.", class_="quiet")
    return tag(
        "figure",
        picture,
        tag("figcaption", tag("small", role), tag("bdi", item.caption), tag("small", tag("bdi", item.gallery_id))),
    )


def _picture(image: Image.Image, alt: str) -> Html:
    """The image within the page, never its file: the page carries pixels of ours and no foreign bytes."""
    small = image.copy()
    small.thumbnail((PICTURE_SIDE, PICTURE_SIDE))
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=82)
    data = base64.b64encode(buffer.getvalue()).decode()
    return tag(
        "img",
        src=f"data:image/jpeg;base64,{data}",
        alt=alt,
        width=small.width,
        height=small.height,
        loading="lazy",
        class_="tiny" if max(small.size) < 96 else None,
    )


def _cost(runs: Sequence[Evidence]) -> Html | None:
    if len(runs) < 2:
        return None
    spots, lines = [], []
    for index, run in enumerate(runs):
        delta = _delta(_averages(run, "image", "all"))
        speed = run.record["timings"].get("milliseconds_per_input")
        if speed and delta and delta.get("value") is not None:
            spots.append(Spot(index, run.name, speed, delta["value"], delta.get("interval")))
        lines.append(
            [
                join(swatch(index), tag("bdi", run.name)),
                number(speed, digits=2)
                if speed
                else tag("span", "n/a", tag("small", "all from the cache"), class_="na"),
                tag("bdi", run.record["adapter"].get("parameters") or "unknown"),
                _value(run.conditions["clean"], field=f"recall_at_{run.k}"),
                _value(delta, signed=True),
            ]
        )
    head = ["run", "ms per input", "parameters", "clean R@1", "change, damaged photos"]
    picture = None
    if len(spots) > 1:
        said = "; ".join(f"{s.name}: {number(s.x, digits=2)} ms, {number(s.y, signed=True)} points" for s in spots)
        picture = tag(
            "figure",
            plane(spots, "milliseconds per input", "change under damaged photos, points", said),
        )
    return join(
        tag(
            "p",
            "Time of the encoder alone, on the machine of each run; times of different machines can't be compared.",
            class_="prose",
        ),
        picture,
        _table(_queries(runs), head, lines, "numbers"),
    )


def _published(runs: Sequence[Evidence]) -> Html | None:
    """Beside the benchmark's own results only: next to other data the authors' numbers would mislead."""
    if any(run.label != "SnapBench" for run in runs):
        return None
    rows = [[name, value] for name, value in published_values().items()]
    return join(
        tag("p", f"Published by the authors ({PAPER}), {ALL_MODELS}; not measured by these runs.", class_="prose"),
        _table("R@1 in percent, changes in points", ["group", "authors"], rows, "numbers"),
    )


def _method(runs: Sequence[Evidence]) -> Html:
    return tag("dl", [join(tag("dt", term), tag("dd", words)) for term, words in METHOD], class_="method")


def _provenance(runs: Sequence[Evidence]) -> Html | None:
    def part(run: Evidence, _: int) -> Html:
        record = run.record
        blocks: list[tuple[str, Any]] = [
            ("run", {"run_id": record["run_id"], "created": record["created"], "schema": record["schema_version"]}),
            *((name, record[name]) for name in ("adapter", "source") if name in record),
            ("settings", {k: v for k, v in record["settings"].items() if k != "conditions"}),
            ("counts", {k: v for k, v in record["counts"].items() if k != "n_not_applicable"}),
            ("not applicable", {c: n for c, n in record["counts"]["n_not_applicable"].items() if n} or {"queries": 0}),
            *((name, record[name]) for name in ("encoder", "hardware", "timings", "packages") if name in record),
        ]
        missing = [tag("p", text, class_="quiet") for text in (run.ranks_missing, run.source_missing) if text]
        lists = [
            tag("div", tag(f"h{_below(runs)}", _capital(name), class_="item"), tag("dl", list(_entries(block))))
            for name, block in blocks
            if block
        ]
        return join(missing, tag("div", lists, class_="facts"))

    return _each(runs, part)


def _entries(block: Any, prefix: str = "") -> Iterator[Html]:
    for part, value in block.items() if isinstance(block, dict) else ():
        name = f"{prefix}{part}"
        if isinstance(value, dict):
            yield from _entries(value, f"{name} ")
            continue
        if isinstance(value, list):
            shown = ", ".join(map(str, value)) or "none"
        elif isinstance(value, bool):
            shown = "yes" if value else "no"
        else:
            shown = "none" if value is None else str(value)
        yield join(tag("dt", name.replace("_", " ")), tag("dd", tag("bdi", shown)))
