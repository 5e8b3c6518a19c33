"""Rows of the dataset: one builder of query rows, used by ``load_dataset`` and by the runner alike.

Policy for columns that don't apply: nothing is ever None. Without an image operator ``image_operator`` is ``""`` and
``severity`` is 0; without a text operator ``text_operator`` is ``""`` and ``text_status`` is ``unchanged``. (Nulls
would turn severities into floats and NaN on the way to pandas.)

Images are encoded bytes. Clean ones keep their pixels: the published release compresses every corrupted image once
more and leaves the clean ones alone, and the ``image_reencode`` config shows what that alone does. A file that any
reader decodes to the same pixels is passed on without its metadata (where and with which camera the photo was taken);
one that is turned, transparent, deep or in an unusual format becomes a PNG of what :mod:`snapbench.images` decodes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import PIL

from . import __version__
from .corruptions import corrupt_image, corrupt_text, image_operator, text_operator
from .corruptions.conditions import (
    CLEAN,
    IMAGE_OPERATORS,
    REENCODE,
    TEXT_OPERATORS,
    Condition,
)
from .corruptions.registry import TextStatus
from .images import Storage, decode_image, encode_image, stores_same_pixels, without_metadata
from .sources import GalleryItem, ImageFile, Query, Source

Row = dict[str, Any]


def query_rows(
    source: Source, condition: Condition = CLEAN, *, seed: int = 0, storage: Storage = "published"
) -> Iterator[Row]:
    """Yields the row of every query under a condition, in the source's order (see :func:`query_row`)."""
    for query in source.queries:
        yield query_row(query, condition, seed=seed, storage=storage)


def query_row(query: Query, condition: Condition = CLEAN, *, seed: int = 0, storage: Storage = "published") -> Row:
    """The row of one query under one condition.

    A corrupted text that the source publishes wins over a computed one; where the source says that the operator
    doesn't apply, the clean text stays and ``text_status`` is ``not_applicable``.

    Args:
        query: Of any source.
        condition: Clean by default.
        seed: Of the operators' draws.
        storage: How a corrupted image is encoded: ``published`` (JPEG quality 92) or ``lossless`` (PNG).

    Returns:
        The columns of the design: query_id, image ``{"bytes", "path"}``, text, entity, domain, condition,
        image_operator, severity, text_operator, text_status, positive_ids, hard_negative_ids.

    Raises:
        ImageDecodeError: The image can't be decoded; names query and file.
    """
    text, status = query_text(query, condition.text_operator, seed=seed)
    return {
        "query_id": query.query_id,
        "image": {"bytes": query_image(query, condition, seed=seed, storage=storage), "path": None},
        "text": text,
        "entity": query.entity,
        "domain": query.domain,
        "condition": condition.id,
        "image_operator": condition.image_operator or "",
        "severity": condition.severity or 0,
        "text_operator": condition.text_operator or "",
        "text_status": status,
        "positive_ids": list(query.positive_ids),
        "hard_negative_ids": list(query.hard_negative_ids),
    }


def gallery_rows(source: Source) -> Iterator[Row]:
    """Yields gallery_id, image and caption of every gallery item, in the source's order.

    Raises:
        ImageDecodeError: An image can't be decoded; names gallery item and file.
    """
    return map(gallery_row, source.gallery)


def gallery_row(item: GalleryItem) -> Row:
    image = _clean_bytes(item.image, f"gallery item {item.gallery_id!r}")
    return {"gallery_id": item.gallery_id, "image": {"bytes": image, "path": None}, "caption": item.caption}


def label_rows(source: Source) -> Iterator[Row]:
    """Yields the judged pairs, query by query: relevance 1 for positives, then 0 for hard negatives."""
    for query in source.queries:
        yield from query_label_rows(query)


def query_label_rows(query: Query) -> Iterator[Row]:
    for relevance, ids in ((1, query.positive_ids), (0, query.hard_negative_ids)):
        for gallery_id in ids:
            yield {"query_id": query.query_id, "gallery_id": gallery_id, "relevance": relevance}


def query_text(query: Query, operator: str | None, *, seed: int = 0) -> tuple[str, TextStatus]:
    """The question under a text operator (None: the clean one) and its ``text_status``."""
    if operator is None:
        return query.text, "unchanged"
    if operator in query.texts:
        published = query.texts[operator]
        return (query.text, "not_applicable") if published is None else (published, "changed")
    result = corrupt_text(query.text, operator, entity=query.entity, query_id=query.query_id, seed=seed)
    return result.text, result.status


def query_image(query: Query, condition: Condition, *, seed: int = 0, storage: Storage = "published") -> bytes:
    """The photo under a condition's image operator, encoded.

    Raises:
        ImageDecodeError: The image can't be decoded; names query and file.
    """
    record = f"query {query.query_id!r}"
    if condition.image_operator is None:
        return _clean_bytes(query.image, record)
    image = decode_image(query.image.path, record=record)
    if condition.image_operator == REENCODE:
        return encode_image(image, "published")
    corrupted = corrupt_image(image, condition.image_operator, condition.severity, query_id=query.query_id, seed=seed)
    return encode_image(corrupted, storage)


def _clean_bytes(file: ImageFile, record: str) -> bytes:
    image = decode_image(file.path, record=record)
    data = file.read()
    return without_metadata(data) if stores_same_pixels(data) else encode_image(image, "lossless")


def _hash_code() -> str:
    # Loaded here, so that the code in memory is the code that is hashed: an operator that was edited between this
    # moment and its first use would put its rows under the old key.
    for name in IMAGE_OPERATORS:
        image_operator(name)
    for name in TEXT_OPERATORS:
        text_operator(name)
    digest = hashlib.sha256()
    package = Path(__file__).parent
    single = (package / name for name in ("images.py", "rows.py", "snapbench_dataset.py"))
    for file in sorted((*single, *package.glob("sources/*.py"), *package.glob("corruptions/**/*.py"))):
        digest.update(f"{file.relative_to(package).as_posix()}\n".encode() + file.read_bytes())
    # The operators draw with the DejaVu fonts that matplotlib carries, and find characters with regex.
    versions = {
        "snapbench": __version__,
        "Pillow": PIL.__version__,
        "opencv": cv2.__version__,
        "numpy": np.__version__,
        "matplotlib": metadata.version("matplotlib"),
        "regex": metadata.version("regex"),
    }
    digest.update(repr(sorted(versions.items())).encode())
    return digest.hexdigest()


_CODE_HASH = _hash_code()


def code_hash() -> str:
    """64 hex digits for everything but the data that decides what rows look like.

    Covers our sources from decoding to rows, and the versions of snapbench, Pillow, OpenCV, numpy, matplotlib (for its
    fonts) and regex; taken when this module was imported. Part of the dataset cache's key, beside config and source.
    """
    return _CODE_HASH
