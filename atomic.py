"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def one_step(path: Path) -> Iterator[Path]:
    """Gives the name of a file beside ``path`` to write; moves it to ``path`` at the end, or removes it on an error."""
    temporary = path.with_name(path.name + ".part")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
