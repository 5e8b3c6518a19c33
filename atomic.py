"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def one_step(path: Path) -> Iterator[Path]:
    """Gives the name of a file beside ``path`` to write; moves it to ``path`` at the end, or removes it on an error.

    Raises:
        OSError: the file can't be written or moved; the error names ``path``.
    """
    # Of this process alone: two that write the same file would take each other's.
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        if error.errno is None or error.filename not in (None, temporary, str(temporary)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
