"""Corrupts photo files: one, or a folder of them into another folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from PIL import Image

from ..atomic import one_step
from ..images import ImageDecodeError, Storage, decode_image, encode_image
from .apply import corrupt_image

SUFFIXES = {"published": ".jpg", "lossless": ".png"}
"""File name ending of each storage mode."""

PHOTO_SUFFIXES = frozenset((".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"))
"""Endings by which a folder's photos are found; their type is then taken from their content."""


def corrupt_file(
    source: Path,
    target: Path,
    operators: Sequence[tuple[str, int]],
    *,
    query_id: str,
    seed: int = 0,
    storage: Storage = "published",
) -> None:
    """Writes one photo corrupted, in one step: a reader never sees half a file.

    Raises:
        ImageDecodeError: the photo can't be decoded.
        ValueError: ``target`` is ``source``, or an operator or severity that is unknown.
    """
    check_target(source, target)
    photo = decode_image(source, record=query_id)
    save_image(corrupt_image(photo, operators, query_id=query_id, seed=seed), target, storage)


def check_target(source: Path, target: Path) -> None:
    """Raises ValueError where writing ``target`` would overwrite ``source``."""
    if target.exists() and target.resolve() == source.resolve():
        raise ValueError(f"output {str(target)!r} is the input itself; name another file")


def save_image(image: Image.Image, target: Path, storage: Storage) -> None:
    """Encodes an RGB image and moves the file into place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with one_step(target) as temporary:
        temporary.write_bytes(encode_image(image, storage))


def corrupt_folder(
    source: Path,
    target: Path,
    operators: Sequence[tuple[str, int]],
    *,
    seed: int = 0,
    storage: Storage = "published",
    progress: Callable[[int, int], None] | None = None,
) -> tuple[int, list[ImageDecodeError]]:
    """Corrupts every photo of a folder and its sub-folders; names and places are kept, endings follow the storage.

    Draws are keyed by each photo's path below ``source``. A photo that can't be decoded is left out and returned, the
    others are written.

    Returns:
        How many photos were written, and the errors of those that were not.

    Raises:
        ValueError: no photos, ``target`` inside ``source`` (a second call would corrupt its own output), or two photos
            that differ in their ending only and would land in one file.
    """
    if target.resolve().is_relative_to(source.resolve()):
        raise ValueError(f"output {str(target)!r} must not lie in the input folder {str(source)!r}")
    photos = sorted(path for path in source.rglob("*") if path.suffix.lower() in PHOTO_SUFFIXES and path.is_file())
    if not photos:
        raise ValueError(f"no photos in {str(source)!r} (looked for {', '.join(sorted(PHOTO_SUFFIXES))})")
    places = {photo: photo.relative_to(source).with_suffix(SUFFIXES[storage]) for photo in photos}
    taken: dict[Path, Path] = {}
    for photo, place in places.items():
        if place in taken:
            raise ValueError(f"{taken[place]} and {photo} would both be written to {target / place}; rename one")
        taken[place] = photo
    errors: list[ImageDecodeError] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        work = partial(_corrupt_one, source, target, operators, seed, storage)
        for done, error in enumerate(pool.map(work, photos, places.values()), start=1):
            if error is not None:
                errors.append(error)
            if progress is not None:
                progress(done, len(photos))
    return len(photos) - len(errors), errors


def _corrupt_one(
    source: Path,
    target: Path,
    operators: Sequence[tuple[str, int]],
    seed: int,
    storage: Storage,
    photo: Path,
    place: Path,
) -> ImageDecodeError | None:
    query_id = photo.relative_to(source).as_posix()
    try:
        corrupt_file(photo, target / place, operators, query_id=query_id, seed=seed, storage=storage)
    except ImageDecodeError as error:
        return error
    return None
