"""Where clean data come from: the packaged sample, the published release, a user's own folder."""

from __future__ import annotations

import functools
import logging
import os
import re
from pathlib import Path

from ..corruptions.conditions import close_matches
from .base import Folder, GalleryItem, ImageFile, Label, Progress, Query, Source, SourceError
from .folder import SAMPLE, is_own_layout, read_folder
from .published import HUB_ID, fetch_hub, is_github_layout, is_hub_layout, read_github, read_hub

__all__ = [
    "HUB_ID",
    "Folder",
    "GalleryItem",
    "ImageFile",
    "Label",
    "Progress",
    "Query",
    "Source",
    "SourceError",
    "load_source",
]

ENVIRONMENT_VARIABLE = "SNAPBENCH_SOURCE"

SAMPLE_NOTICE = (
    "This is SnapBench's built-in sample: small, rendered, for trying things out; results from it are no benchmark "
    f'results. For the real data (CC BY-NC 4.0) name them: source="{HUB_ID}" (or the environment variable '
    f"{ENVIRONMENT_VARIABLE}={HUB_ID}), or the folder of a checkout."
)

_logger = logging.getLogger("snapbench")


def load_source(name: str | os.PathLike[str] | Source | None = None) -> Source:
    """Reads a source's records and looks at its files; nothing is decoded yet (see :meth:`Source.verify`).

    Args:
        name: ``sample``; a Hub dataset in the published layout, ``org/name`` or ``org/name@revision``, which is
            downloaded because it was named; or a folder: a checkout of the published repository, a download of the
            Hub dataset, or our own layout. A :class:`Source` is returned as it is. None takes the environment
            variable ``SNAPBENCH_SOURCE``, and ``sample`` without it. Where both a folder and a Hub id could be
            meant, the folder counts.

    Raises:
        SourceError: Empty or unknown name, unknown layout, or data that break a rule; names the record and the file.
        TypeError: ``name`` is of another type, or an id in the data is not a string.
    """
    if isinstance(name, Source):
        return name
    if name is None:
        name = os.environ.get(ENVIRONMENT_VARIABLE) or "sample"
    if not isinstance(name, (str, os.PathLike)):
        raise TypeError(f"source must be a str, a path or a Source, got {type(name).__name__}: {name!r}")
    name = os.fspath(name)
    if name == "sample":
        _say_sample()
        return read_folder(SAMPLE, name)
    if not name:  # As a path it would be the current folder.
        raise SourceError(
            "source must not be empty, got '' (a shell variable that isn't set?); name 'sample', a Hub dataset such as "
            f"{HUB_ID!r}, or a folder ('.' for the current one)"
        )
    try:
        root = Path(name).expanduser()
    except RuntimeError as error:
        raise SourceError(f"source {name!r} has no home folder to start from; write the path out") from error
    if root.is_dir():
        if is_github_layout(root):
            return read_github(root, name)
        if is_own_layout(root):
            return read_folder(root, name)
        if is_hub_layout(root):
            return read_hub(root, name)
        raise SourceError(
            f"source {name!r} is a folder in no known layout: it has neither benchmark/snap_bench.json (a checkout of "
            "the published repository), nor queries.jsonl, gallery.jsonl and labels.jsonl (our own layout), nor "
            "queries/ and gallery/ (a download of the Hub dataset)"
        )
    if re.fullmatch(r"\w[\w.-]*/\w[\w.-]*(@[\w./-]+)?", name) and not root.is_file():
        return fetch_hub(name)
    raise SourceError(
        f"source {name!r} is unknown.{close_matches(name, ('sample', HUB_ID))} A source is 'sample', a Hub dataset "
        f"such as {HUB_ID!r}, or an existing folder."
    )


@functools.cache  # Once a process: a run reads its source in several places.
def _say_sample() -> None:
    _logger.warning(SAMPLE_NOTICE)
