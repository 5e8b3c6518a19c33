"""Our own layout, for a user's data and for the packaged sample.

::

    queries.jsonl   {"query_id", "image", "text", "entity", "domain",
                     optional "label", "texts": {operator: text or null}}
    gallery.jsonl   {"gallery_id", "image", "caption"}
    labels.jsonl    {"query_id", "gallery_id", "relevance": 1 (positive) or 0 (judged hard negative)}
    source.json     optional: {"license", "description", "label" (counts in the packaged sample only)}
    ...             the images; their paths are relative to the folder

Rows follow the order of the lines. Ids are strings and are kept verbatim. ``texts`` holds corrupted questions that
take the place of computed ones; null says that the operator doesn't apply. ``label`` is the fine name of what is in the
photo ("tulip" where the entity is "flower"). Other keys are refused: a misspelt optional one would go unnoticed.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from ..corruptions.conditions import close_matches
from .base import (
    Folder,
    GalleryItem,
    Query,
    Source,
    SourceError,
    check_ids,
    check_source,
    identifier,
    license_id,
    mapping,
    parse_json,
    parse_json_lines,
    published_texts,
    string,
)

SAMPLE = Path(__file__).parent / "sample"

_KEYS = {
    "queries.jsonl": ("query_id", "image", "text", "entity", "domain", "label", "texts"),
    "gallery.jsonl": ("gallery_id", "image", "caption"),
    "labels.jsonl": ("query_id", "gallery_id", "relevance"),
    "source.json": ("license", "description", "label"),
}


def is_own_layout(root: Path) -> bool:
    return (root / "queries.jsonl").is_file()


def read_folder(root: str | os.PathLike[str], name: str) -> Source:
    """Reads a folder in our own layout.

    Raises:
        SourceError: A missing file, a bad record, an unknown key, a path outside the folder, or records that don't
            fit together.
        TypeError: An id or text that is not a string.
    """
    folder = Folder(root)
    gallery = tuple(
        GalleryItem(
            identifier(record, "gallery_id", where),
            string(record, "caption", where),
            folder.image(record.get("image"), f"{where}: gallery item {record.get('gallery_id')!r}"),
        )
        for where, record in _records(folder, "gallery.jsonl")
    )
    records = [
        (where, identifier(record, "query_id", where), record) for where, record in _records(folder, "queries.jsonl")
    ]
    query_ids = [query_id for _, query_id, _ in records]
    check_ids("query", query_ids, "queries.jsonl")
    labels = _labels(folder, frozenset(query_ids))
    queries = []
    for where, query_id, record in records:
        text = string(record, "text", where)
        judged = labels.get(query_id, {})
        query = Query(
            query_id=query_id,
            text=text,
            entity=string(record, "entity", where, ""),
            domain=string(record, "domain", where, ""),
            image=folder.image(record.get("image"), f"{where}: query {query_id!r}"),
            positive_ids=tuple(gallery_id for gallery_id, relevance in judged.items() if relevance == 1),
            hard_negative_ids=tuple(gallery_id for gallery_id, relevance in judged.items() if relevance == 0),
            label=string(record, "label", where, ""),
            texts=published_texts(record.get("texts"), text, f"{where}: query {query_id!r}"),
        )
        queries.append(query)
    described = {}
    if (folder.root / "source.json").is_file():
        described = mapping(parse_json(folder.read_text("source.json"), "source.json"), "source.json")
        _check_keys(described, "source.json", "source.json")
    # A user's folder can't call itself the benchmark, or its sample, by writing so.
    sample = folder.root == SAMPLE.resolve()
    source = Source(
        name=name,
        label="SnapBench-sample" if sample else "custom",
        license=license_id(string(described, "license", "source.json", "unknown")),
        revision=None,
        root=folder.root,
        queries=tuple(queries),
        gallery=gallery,
    )
    return check_source(source, repr(str(folder.root)))


def _records(folder: Folder, file: str) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yields (``file:line``, record) of a file of records, with no keys but the known ones."""
    for where, record in parse_json_lines(folder.read_text(file), file):
        _check_keys(record, file, where)
        yield where, record


def _check_keys(record: dict[str, Any], file: str, where: str) -> None:
    known = _KEYS[file]
    for key in record:
        if key not in known:
            raise SourceError(
                f"{where}: key {key!r} is unknown.{close_matches(key, known)} {file} may have "
                f"{', '.join(known)}; keep what is yours in another file"
            )


def _labels(folder: Folder, query_ids: Collection[str]) -> dict[str, dict[str, int]]:
    """Query id -> gallery id -> relevance, in the order of the lines."""
    labels: dict[str, dict[str, int]] = {}
    for where, record in _records(folder, "labels.jsonl"):
        query_id, gallery_id = identifier(record, "query_id", where), identifier(record, "gallery_id", where)
        if query_id not in query_ids:
            raise SourceError(
                f"{where}: query {query_id!r} is not in queries.jsonl.{close_matches(query_id, query_ids)}"
            )
        relevance = record.get("relevance")
        if isinstance(relevance, bool) or relevance not in (0, 1):
            raise SourceError(f"{where}: relevance must be 1 (positive) or 0 (hard negative), got {relevance!r}")
        judged = labels.setdefault(query_id, {})
        if gallery_id in judged:
            pair = f"query {query_id!r} and gallery item {gallery_id!r}"
            if judged[gallery_id] != relevance:
                raise SourceError(f"{where}: {pair}: the item is both positive and hard negative")
            raise SourceError(f"{where}: {pair} are judged twice")
        judged[gallery_id] = relevance
    return labels
