"""What commands print: texts from data and from other people's files are shown, never obeyed."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

# Controls but tab and line feed have no place on a page or a terminal; half a surrogate pair has none in UTF-8.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def clean_text(text: object) -> str:
    """The text with what can't be shown, or would steer a terminal, replaced by U+FFFD."""
    return _UNPRINTABLE.sub("\ufffd", str(text))


class SafeConsole(Console):
    """A console on which ``[red]`` and escape sequences in a text are that text."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=clean_text(segment.text))


console = SafeConsole()
errors = SafeConsole(stderr=True)

_EXPECTED = (ValueError, TypeError, LookupError, ImportError, OSError, MemoryError)
_OF_USERS_CODE = (AttributeError, RuntimeError, SyntaxError)
"""What a model of the user's own raises; it may be a mistake of this package, too."""


INTERRUPTED = 130


def run_command(app: typer.Typer, arguments: Sequence[str] | None, name: str) -> None:
    """Runs a command; a failure is one message on stderr and exit code 1 (``SNAPBENCH_DEBUG=1``: the traceback).

    Interrupted, it ends with exit code 130.
    """
    try:
        app(args=list(arguments) if arguments is not None else None, prog_name=name)
    except SystemExit as end:
        if end.code == INTERRUPTED:  # What typer makes of Ctrl-C.
            errors.print("interrupted; start the same command again to continue")
        raise
    except (*_EXPECTED, *_OF_USERS_CODE) as error:
        if os.environ.get("SNAPBENCH_DEBUG") == "1":
            raise
        said = str(error) or type(error).__name__
        if isinstance(error, _OF_USERS_CODE):
            said = f"{type(error).__name__}: {said} (SNAPBENCH_DEBUG=1 shows where)"
        errors.print(f"error: {said}", soft_wrap=True)
        sys.exit(1)
