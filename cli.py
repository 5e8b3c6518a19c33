"""The ``snapbench`` command: thin, everything it does is a function of the package."""

from __future__ import annotations

import fnmatch
import logging
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich import box
from rich.filesize import decimal
from rich.logging import RichHandler
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Column, Table
from rich.text import Text

from .corruptions.conditions import (
    IMAGE_OPERATORS,
    MODES,
    PRIMITIVES,
    REENCODE,
    TEXT_LEVELS,
    TEXT_OPERATORS,
    Condition,
    Mode,
    all_states,
    check_name,
    check_severity,
    compact,
    joint_conditions,
    listed_configs,
    named_conditions,
)
from .push_to_hub import app as push_app
from .terminal import console, errors, run_command

if TYPE_CHECKING:
    from .evaluation.cache import CacheInfo
    from .evaluation.report import ReportFormat
    from .images import Storage

app = typer.Typer(
    name="snapbench",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="SnapBench: how multimodal retrieval holds up on degraded photos and sloppy questions.\n\n"
    "`snapbench run` with nothing else measures the built-in tiny model on the built-in sample.\n\n"
    "Exit codes: 0 done, 1 refused or failed (one line says why), 2 wrong usage, 130 interrupted.",
)
list_app = typer.Typer(no_args_is_help=True, help="Lists configs, operators, adapters or sources.")
app.add_typer(list_app, name="list")
adapters_app = typer.Typer(no_args_is_help=True, help="Models: `list` them, or `check` one.")
app.add_typer(adapters_app, name="adapters")
cache_app = typer.Typer(no_args_is_help=True, help="The embedding cache: `info` or `clear`.")
app.add_typer(cache_app, name="cache")

app.add_typer(push_app, name="push")


@app.command()
def run(
    adapter: Annotated[
        str,
        typer.Option(
            "--adapter",
            "-a",
            help="A name of `snapbench list adapters`, a Hub id, a folder, `file.py:Class` or `module:Class`.",
        ),
    ] = "tiny",
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            "-s",
            help="`sample`, `yefd/SnapBench` (CC BY-NC 4.0) or a folder. Default: $SNAPBENCH_SOURCE, else `sample`.",
        ),
    ] = None,
    modes: Annotated[
        str | None,
        typer.Option(help=f"Comma-separated, among {', '.join(MODES)}. Default: every mode the model supports."),
    ] = None,
    conditions: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated condition or config names; globs work: `image_*_s3,text_*`. Clean is always "
            "measured. Default: the 54 states of the paper and the six joint pairs."
        ),
    ] = None,
    fusion: Annotated[
        str, typer.Option(help="Comma-separated fusion rules for it2it, e.g. `moor,rrf`; see `snapbench list fusion`.")
    ] = "fixed",
    question: Annotated[
        str, typer.Option(help='`asked`, or an intervention of the paper: `entity-label` ("A tulip.") or `empty`.')
    ] = "asked",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first queries, against the whole gallery.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the corruptions' draws.")] = 0,
    storage: Annotated[
        str, typer.Option(help="How corrupted images are stored: `published` (JPEG 92) or `lossless`.")
    ] = "published",
    on_error: Annotated[
        str, typer.Option(help="`raise` stops at an image that can't be decoded, `record` counts it as missed.")
    ] = "raise",
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for runs.")] = Path("runs"),
    cache: Annotated[
        Path | None, typer.Option(help="Folder of the embedding cache. Default: $SNAPBENCH_CACHE, else the user's.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1 or mps.")] = "auto",
    dtype: Annotated[str, typer.Option(help="auto (the authors'), float32, float16 or bfloat16.")] = "auto",
    batch_size: Annotated[str, typer.Option(help="A number, or `auto`: halves when memory runs out.")] = "auto",
    workers: Annotated[int | None, typer.Option(min=1, help="Threads that corrupt and decode. Default: cores.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Measure again although a finished run is there.")] = False,
) -> None:
    """Measures a model: R@1 under every condition, paired changes, drag and interaction gap."""
    from .adapters import load_adapter
    from .adapters.distributed import follow
    from .evaluation import RunSettings
    from .evaluation import run as run_benchmark
    from .evaluation.report import write_report
    from .evaluation.table import print_table
    from .sources import load_source

    settings = RunSettings(
        modes=None if modes is None else parse_modes(modes),
        **({} if conditions is None else {"conditions": select_conditions(conditions)}),
        fusion=tuple(part.strip() for part in fusion.split(",") if part.strip()),
        question=question,  # type: ignore[arg-type]
        limit=limit,
        seed=seed,
        storage=storage,  # type: ignore[arg-type]
        on_error=on_error,  # type: ignore[arg-type]
    )
    _check_folder(output)
    size: Any = batch_size
    if batch_size != "auto":
        if not batch_size.isdigit():
            raise typer.BadParameter(f"must be a number or 'auto', got {batch_size!r}", param_hint="--batch-size")
        size = int(batch_size)
    data = load_source(source)  # Before the weights: what is cheap to refuse is refused first.
    model = load_adapter(adapter, device=device, dtype=dtype, batch_size=size)
    if follow(model):  # A rank of a multi-process launch that encodes for rank 0.
        return
    with _Stages() as stages:
        result = run_benchmark(
            model,
            data,
            settings=settings,
            output=output,
            cache=cache,
            force=force,
            workers=workers,
            progress=stages.update,
        )
    print_table(result.record, console)
    console.print()
    try:
        page = write_report([result.path], result.path.with_name("report.html"), source=data)
        console.print(f"report:   {page}", soft_wrap=True)
    finally:  # What is measured is there, whatever became of the report.
        console.print(f"run file: {result.path}", soft_wrap=True)


def _check_folder(output: Path) -> None:
    if output.exists() and not output.is_dir():
        raise typer.BadParameter(f"must be a folder, but {str(output)!r} is a file", param_hint="--output")


def parse_modes(text: str) -> tuple[Mode, ...]:
    """Reads a comma-separated list of modes.

    Raises:
        ValueError: an unknown one, with the close matches; or none at all.
    """
    wanted = [check_name("mode", part.strip(), MODES) for part in text.split(",") if part.strip()]
    if not wanted:
        raise ValueError(f"modes must name at least one of {', '.join(MODES)}, got {text!r}")
    return tuple(mode for mode in MODES if mode in wanted)


def select_conditions(text: str) -> tuple[Condition, ...]:
    """Reads a comma-separated list of condition ids, config names that stand for several, and globs.

    Globs look at every listed condition: the 54 states, the six joint pairs and the re-encoding control.

    Raises:
        ValueError: a name that is unknown or a table, a glob that matches nothing, no name at all.

    >>> [condition.id for condition in select_conditions("text_char*,image_mosaic_s1")]
    ['text_charadd', 'text_chardelete', 'text_charchange', 'text_charswap', 'image_mosaic_s1']
    """
    known = {c.id: c for c in (*all_states(), *joint_conditions(), Condition(image_operator=REENCODE))}
    chosen: list[Condition] = []
    for name in filter(None, (part.strip() for part in text.split(","))):
        if any(sign in name for sign in "*?["):
            matched = [known[key] for key in known if fnmatch.fnmatchcase(key, name)]
            if not matched:
                raise ValueError(f"no condition matches {name!r}; `snapbench list configs` shows them all")
            chosen += matched
        else:
            chosen += named_conditions(name)
    if not chosen:
        raise ValueError(f"conditions must name at least one, e.g. 'clean' or 'image_*_s3', got {text!r}")
    return tuple(dict.fromkeys(chosen))


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(help="Run files or folders; several are set side by side.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write. Default: report.html, .md or .csv here.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Markdown instead of HTML, also by `-o x.md`.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="CSV: a row for every number, not rounded.")] = False,
    source: Annotated[
        str | None, typer.Option("--source", "-s", help="Where the data are now, for questions and pictures.")
    ] = None,
) -> None:
    """Writes a report: one page without outside requests, or Markdown, or CSV."""
    from .evaluation.report import write_report

    if markdown and csv:
        raise typer.BadParameter("give one of --markdown and --csv", param_hint="--csv")
    named = {".md": "markdown", ".csv": "csv"}.get(output.suffix.lower() if output else "", "html")
    kind: ReportFormat = "markdown" if markdown else "csv" if csv else cast("ReportFormat", named)
    target = output or Path(f"report.{'md' if markdown else kind}")
    console.print(f"wrote {write_report(runs, target, kind, source=source)}", soft_wrap=True)


@app.command()
def compare(
    run_a: Annotated[Path, typer.Argument(help="Run file or folder: the base.")],
    run_b: Annotated[Path, typer.Argument(help="The other one, on the same data with the same settings.")],
    rule_a: Annotated[str, typer.Option(help="Fusion rule of the first.")] = "fixed",
    rule_b: Annotated[str, typer.Option(help="Fusion rule of the second.")] = "fixed",
    published: Annotated[
        bool, typer.Option("--published", help="Show the authors' own numbers beside, where they are known.")
    ] = False,
) -> None:
    """Compares two runs query by query: differences with intervals and p-values."""
    from .evaluation.compare import compare as compare_runs
    from .evaluation.compare import print_comparison

    print_comparison(compare_runs(run_a, run_b, rule_a=rule_a, rule_b=rule_b), console, published=published)


@adapters_app.command("check")
def check_adapter_command(
    name: Annotated[str, typer.Argument(help="As for `run --adapter`.")],
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1 or mps.")] = "auto",
    dtype: Annotated[str, typer.Option(help="auto (the authors'), float32, float16 or bfloat16.")] = "auto",
) -> None:
    """Loads a model's real weights and looks: dimension, unit length, matching pairs, batches, speed, memory."""
    from .adapters.check import check_adapter

    found = check_adapter(name, device=device, dtype=dtype)
    table = Table("check", "", "found", title=found.adapter, title_justify="left")
    for check in found.checks:
        table.add_row(check.name, "ok" if check.passed else "FAILED", check.detail)
    console.print(table)
    if not found.passed:
        raise typer.Exit(1)


@app.command("text-essential")
def text_essential_command(
    run_file: Annotated[Path, typer.Argument(help="Run file or folder, with modes it2it and i2i.")],
    reference: Annotated[Path, typer.Option(help="Run of another model on the same source: its misses choose.")],
) -> None:
    """Drag on queries whose question matters: a modifier, 3 hard negatives, a miss of the reference's i2i."""
    from .evaluation.subsets import text_essential
    from .evaluation.table import block_line

    found = text_essential(run_file, reference)
    console.print(
        f"text-essential subset: {found['n']} queries (with a modifier {found['n_modifier']}, and 3 hard negatives "
        f"{found['n_hard_negatives']}, and missed by {found['reference']} on the photo alone "
        f"{found['n_image_only_failure']})",
        highlight=False,
    )
    for name, block in (("drag on the subset", found["drag"]), ("drag on all queries", found["drag_all"])):
        console.print(block_line(name, block, "points"))


@cache_app.command("info")
def cache_info() -> None:
    """What the embedding cache holds."""
    from .evaluation.cache import info

    _print_cache(info())


@cache_app.command("clear")
def cache_clear() -> None:
    """Removes all cached embeddings."""
    from .evaluation.cache import clear

    console.print("removed:")
    _print_cache(clear())


def _print_cache(held: CacheInfo) -> None:
    size = decimal(held.size)
    console.print(f"{held.vectors:,} vectors of {held.adapters} models in {held.shards:,} files, {size}")
    console.print(str(held.root), soft_wrap=True)


@app.command()
def corrupt(
    photo: Annotated[Path | None, typer.Argument(help="A photo, or a folder of photos.", show_default=False)] = None,
    op: Annotated[
        list[str] | None,
        typer.Option(
            help="An operator, with or without its severity: `lowlight`, `low_light:3`. May be repeated: photos that "
            "are uploaded have several artefacts at once."
        ),
    ] = None,
    severity: Annotated[int, typer.Option(help="1, 2 or 3, for operators without one of their own.")] = 2,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File or folder to write. Default: beside you, named by --op.")
    ] = None,
    sheet: Annotated[Path | None, typer.Option(help="Write a contact sheet of all operators and severities.")] = None,
    text: Annotated[str | None, typer.Option(help="A question to corrupt instead of a photo.")] = None,
    entity: Annotated[str, typer.Option(help="What the question asks about, e.g. `plant`.")] = "",
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 0,
    query_id: Annotated[
        str | None, typer.Option(help="Key of the draws. Default: empty, or a photo's path within its folder.")
    ] = None,
    storage: Annotated[str, typer.Option(help="`published` (JPEG 92) or `lossless` (PNG).")] = "published",
) -> None:
    """Corrupts a photo, a folder of photos or a question.

    `snapbench corrupt photo.jpg --op lowlight --severity 3`

    `snapbench corrupt photo.jpg --sheet sheet.png`

    `snapbench corrupt photos/ --op rotation:1 --op compression:2 -o worse/`

    `snapbench corrupt --text "What kind of plant is this?" --entity plant`
    """
    if (photo is None) == (text is None):
        raise typer.BadParameter("give either a photo (or a folder) or --text", param_hint="PHOTO")
    if text is not None:
        _corrupt_text(text, entity, op or [], query_id or "", seed)
    elif photo is not None:
        _corrupt_photo(photo, op or [], severity, output, sheet, query_id or "", seed, storage)


def _corrupt_text(text: str, entity: str, ops: list[str], query_id: str, seed: int) -> None:
    from .corruptions import corrupt_text

    operators = [parse_operator(op, TEXT_OPERATORS)[0] for op in ops] or list(TEXT_OPERATORS)
    results = {name: corrupt_text(text, name, entity=entity, query_id=query_id, seed=seed) for name in operators}
    if len(results) == 1:
        (result,) = results.values()
        if result.status == "not_applicable":
            errors.print(f"not applicable: {result.reason}", soft_wrap=True)
        print(result.text)
        return
    table = Table("operator", "question", "status")
    for name, result in results.items():
        table.add_row(name, Text(result.text), Text(": ".join(filter(None, (result.status, result.reason)))))
    console.print(table)


def _corrupt_photo(
    photo: Path,
    ops: list[str],
    severity: int,
    output: Path | None,
    sheet: Path | None,
    query_id: str,
    seed: int,
    storage: str,
) -> None:
    from .corruptions.files import SUFFIXES, check_target, corrupt_file, corrupt_folder, save_image
    from .corruptions.sheet import contact_sheet

    mode = cast("Storage", check_name("storage", storage, SUFFIXES))
    if not photo.exists():
        raise FileNotFoundError(f"there is no photo or folder {str(photo)!r}")
    if not ops and sheet is None:
        raise typer.BadParameter(
            f"name an operator, one of {', '.join(IMAGE_OPERATORS)}; or --sheet", param_hint="--op"
        )
    if sheet is not None:
        if photo.is_dir():
            raise typer.BadParameter("takes one photo, not a folder", param_hint="--sheet")
        kind = _storage_of(sheet, "--sheet")
        check_target(photo, sheet)
        save_image(contact_sheet(photo, query_id=query_id, seed=seed), sheet, kind)
        console.print(f"wrote {sheet}", soft_wrap=True)
    if not ops:
        return
    steps = [
        (name, own or check_severity(severity)) for name, own in (parse_operator(op, IMAGE_OPERATORS) for op in ops)
    ]
    label = "_".join(f"{compact(name)}_s{level}" for name, level in steps)
    if not photo.is_dir():
        target = output or Path(f"{photo.stem}_{label}{SUFFIXES[mode]}")
        target = target / f"{photo.stem}{SUFFIXES[mode]}" if target.is_dir() else target
        check_target(photo, target)
        if _storage_of(target, "--output") != mode:
            raise typer.BadParameter(
                f"{target.name!r} doesn't fit --storage {mode}, which writes {SUFFIXES[mode]}; name such a file, or "
                "another storage",
                param_hint="--output",
            )
        corrupt_file(photo, target, steps, query_id=query_id, seed=seed, storage=mode)
        console.print(f"wrote {target}", soft_wrap=True)
        return
    target = output or Path(f"{photo.resolve().name}_{label}")
    _check_folder(target)
    with _Stages() as stages:
        count, failed = corrupt_folder(
            photo, target, steps, seed=seed, storage=mode, progress=partial(stages.update, "corrupt")
        )
    console.print(f"wrote {count} photos to {target}", soft_wrap=True)
    if failed:
        raise ValueError(f"{len(failed)} photos were left out:\n" + "\n".join(map(str, failed)))


def _storage_of(file: Path, option: str) -> Storage:
    kinds: dict[str, Storage] = {".png": "lossless", ".jpg": "published", ".jpeg": "published"}
    if file.suffix.lower() not in kinds:
        raise typer.BadParameter(f"must end in .png or .jpg, got {file.name!r}", param_hint=option)
    return kinds[file.suffix.lower()]


def parse_operator(text: str, known: Sequence[str]) -> tuple[str, int | None]:
    """Reads ``lowlight``, ``low_light`` or ``low_light:3``.

    Raises:
        ValueError: unknown operator (with the close matches) or a severity that is none.

    >>> parse_operator("lowlight:3", IMAGE_OPERATORS)
    ('low_light', 3)
    """
    name, colon, level = text.partition(":")
    spellings = {compact(operator): operator for operator in known} | {operator: operator for operator in known}
    if name not in spellings:
        check_name("operator", name, known)
    if colon and level not in ("1", "2", "3"):
        raise ValueError(f"severity in --op must be 1, 2 or 3, got {text!r}")
    return spellings[name], int(level) if colon else None


@list_app.command("configs")
def list_configs() -> None:
    """Config names for `load_dataset("snapbench", ...)`; conditions can be given to `run --conditions`."""
    for name in listed_configs():
        console.print(name)


@list_app.command("operators")
def list_operators() -> None:
    """The 15 image and 8 text operators, by primitive and level."""
    from .corruptions import image_operator, text_operator

    table = Table("operator", "group", "what it does", title="operators", title_justify="left")
    for primitive, operators in PRIMITIVES.items():
        for name in operators:
            table.add_row(name, f"image · {primitive}", image_operator(name).summary)
    table.add_section()
    for level, operators in TEXT_LEVELS.items():
        for name in operators:
            table.add_row(name, f"text · {level}", text_operator(name).summary)
    console.print(table)


@adapters_app.command("list")
@list_app.command("adapters")
def list_adapters_command() -> None:
    """Models that can be named in `run --adapter`."""
    from .adapters import list_adapters

    # Names and ids are to be copied: on a narrow terminal lines break, and nothing is cut.
    table = Table(
        Column("name", no_wrap=True),
        Column("Hub id, licence", overflow="fold"),
        "dim",
        "reads",
        "size",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for spec in list_adapters():
        needs = f"; needs {', '.join(spec.extras)}" if spec.extras else ""
        reads = "joint" if spec.joint else "+".join(sorted(spec.modalities))
        about = f"{spec.hub_id or 'in the package'}\n{spec.license}{needs}"
        table.add_row(spec.name, about, str(spec.dim or "?"), reads, spec.parameters)
    console.print(table)
    console.print("joint: image and text in one vector.")
    console.print(
        "Besides: a Hub id or folder of a CLIP-like model, st:<model>, pair:<images>,<texts>, file.py:Class, "
        "module:Class"
    )


@list_app.command("fusion")
def list_fusion() -> None:
    """Rules that can be named in `run --fusion`."""
    from .fusion import list_rules

    table = Table(
        Column("rule", no_wrap=True), "what it does", "fitted on", "paper", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    for spec in list_rules():
        assumed = f"\nassumed: {'; '.join(spec.assumptions)}" if spec.assumptions else ""
        table.add_row(spec.name, spec.summary + assumed, spec.fitted_on, spec.source)
    console.print(table)


@list_app.command("sources")
def list_sources() -> None:
    """Where clean data can come from."""
    from .sources import HUB_ID

    table = Table("--source", "data")
    table.add_row("sample", "in the package: rendered, small, for trying things out; no benchmark results")
    table.add_row(HUB_ID, "the published release on the Hub (CC BY-NC 4.0): downloaded because you name it")
    table.add_row("a folder", "a checkout of the published repository, or queries.jsonl + gallery.jsonl + labels.jsonl")
    console.print(table)
    current = os.environ.get("SNAPBENCH_SOURCE")
    console.print(f"Without --source: {current + ' ($SNAPBENCH_SOURCE)' if current else 'sample'}")


class _Stages:
    """Progress bars, one a stage, on stderr."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description:<24}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=errors,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> _Stages:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def update(self, stage: str, done: int, total: int) -> None:
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, total=total)
        self._progress.update(self._tasks[stage], completed=done)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command; see :func:`~.terminal.run_command`."""
    handler = RichHandler(console=errors, show_path=False, show_time=False)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[handler])
    run_command(app, arguments, "snapbench")


if __name__ == "__main__":
    main()
