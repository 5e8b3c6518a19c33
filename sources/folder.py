"""Our own layout, for a user's data and for the packaged sample.

::

    queries.jsonl   {"query_id", "image", "text", "entity", "domain",
                     optional "label", "texts": {operator: text or null}}
    gallery.jsonl   {"gallery_id", "image", "caption"}
    labels.jsonl    {"query_id", "gallery_id", "relevance": 1 (positive) or 0 (judged hard negative)}
    source.json     optional: {"license", "description"}
    ...             the images; their paths are relative to the folder

Rows follow the order of the lines. Ids are strings and are kept verbatim. ``texts`` holds corrupted questions that
take the place of computed ones; null says that the operator doesn't apply. ``label`` is the fine name of what is in the
photo ("tulip" where the entity is "flower").
"""

from __future__ import annotations

import os
from pathlib import Path

from .base import (
    Folder,
    GalleryItem,
    Query,
    Source,
    SourceError,
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


def is_own_layout(root: Path) -> bool:
    return (root / "queries.jsonl").is_file()


def read_folder(root: str | os.PathLike[str], name: str) -> Source:
    """Reads a folder in our own layout.

    Raises:
        SourceError: A missing file, a bad record, a path outside the folder, or records that don't fit together.
        TypeError: An id or text that is not a string.
    """
    folder = Folder(root)
    gallery = tuple(
        GalleryItem(
            identifier(record, "gallery_id", where),
            string(record, "caption", where),
            folder.image(record.get("image"), f"{where}: gallery item {record.get('gallery_id')!r}"),
        )
        for where, record in parse_json_lines(folder.read_text("gallery.jsonl"), "gallery.jsonl")
    )
    labels = _labels(folder)
    queries = []
    for where, record in parse_json_lines(folder.read_text("queries.jsonl"), "queries.jsonl"):
        query_id = identifier(record, "query_id", where)
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
    check_source(source, str(folder.root))
    unknown = labels.keys() - {query.query_id for query in queries}
    if unknown:
        raise SourceError(f"labels.jsonl: query {min(unknown)!r} is not in queries.jsonl")
    return source


def _labels(folder: Folder) -> dict[str, dict[str, int]]:
    """Query id -> gallery id -> relevance, in the order of the lines."""
    labels: dict[str, dict[str, int]] = {}
    for where, record in parse_json_lines(folder.read_text("labels.jsonl"), "labels.jsonl"):
        query_id, gallery_id = identifier(record, "query_id", where), identifier(record, "gallery_id", where)
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
