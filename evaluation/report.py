"""Reports of runs: one self-contained HTML page, Markdown or CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, get_args

from ..atomic import one_step
from ..corruptions.conditions import check_name
from ..sources import Source
from .reporting.evidence import Evidence, read_evidence
from .reporting.page import page
from .reporting.plain import csv_table, markdown

ReportFormat = Literal["html", "markdown", "csv"]

_WRITERS: dict[str, Callable[[Sequence[Evidence]], str]] = {"html": page, "markdown": markdown, "csv": csv_table}


def write_report(
    runs: Sequence[str | Path],
    output: str | Path,
    format: ReportFormat = "html",
    *,
    source: str | Path | Source | None = None,
) -> Path:
    """Writes a report of one run or several.

    Args:
        runs: folders of runs, or run files.
        output: the file to write; an existing one is replaced in one step.
        format: ``html`` (one file, nothing loaded from outside, no script), ``markdown`` or ``csv`` (a row for every
            number, not rounded).
        source: where the data are, for questions and pictures of the HTML page. None is where the runs had them; data
            on the Hub are used only if they are in its cache. If the data can't be had, or differ from the run's, the
            page says so and leaves the pictures out.

    Returns:
        The path of the report.

    Raises:
        FileNotFoundError: a run or the folder of ``output`` isn't there.
        ValueError: no run, an unknown format, or a file that is not a run file.
    """
    check_name("format", format, get_args(ReportFormat))
    if not runs:
        raise ValueError("runs must name at least one run, got none")
    output = Path(output)
    if not output.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(output.parent)!r} to write the report into")
    if output.is_dir():
        raise IsADirectoryError(f"output {str(output)!r} is a folder; name a file in it")
    text = _WRITERS[format](read_evidence(runs, source))
    with one_step(output) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")
    return output
