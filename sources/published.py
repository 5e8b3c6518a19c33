"""The published release, in its two layouts.

GitHub checkout (``benchmark/snap_bench.json`` and ``bench_images/``): query ids have gaps, so they are never read as
numbers. The gallery isn't a list of its own there: it is the sorted set of all (file, caption) pairs that the queries
name, numbered ``gallery_00000``... in that order, as in the release.

Hub dataset (``queries/`` and ``gallery/``, each an ImageFolder with a metadata file): ids and order are the
dataset's own; they look like the ones above and are different ids. ASSUMED where no source says more: the column
names besides the documented ones, and where the metadata file lies.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..corruptions.conditions import IMAGE_OPERATORS, check_name
from .base import (
    Folder,
    GalleryItem,
    ImageFile,
    Label,
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

HUB_ID = "yefd/SnapBench"
LICENSE = "CC BY-NC 4.0"
"""Of the published data, as their LICENSE spells it."""

N_QUERIES, N_GALLERY = 1145, 9085
"""Size of the release (paper, Section 3.4). Other data in its layout are somebody's own and are labelled so."""

_RECORDS = "benchmark/snap_bench.json"
_METADATA = ("metadata.jsonl", "metadata.csv", "metadata.parquet")
_SEVERITY_NAMES = (("sev1", "sev3", "sev5"), ("sev1", "sev2", "sev3"))


def is_github_layout(root: Path) -> bool:
    return (root / _RECORDS).is_file()


def is_hub_layout(root: Path) -> bool:
    return (root / "queries").is_dir() and (root / "gallery").is_dir()


def read_github(root: str | os.PathLike[str], name: str) -> Source:
    """Reads a checkout of the published repository.

    Raises:
        SourceError: A missing file, a bad record, a path outside the folder, or records that don't fit together.
        TypeError: An id or text that is not a string.
    """
    folder = Folder(root)
    records = parse_json(folder.read_text(_RECORDS), _RECORDS)
    if not isinstance(records, list):
        raise SourceError(f"{_RECORDS}: expected a list of queries, got {type(records).__name__}")
    places = [(f"{_RECORDS}: record {number}", record) for number, record in enumerate(records)]
    drafts = [_github_query(folder, record, where) for where, record in places]
    named: dict[tuple[str, str], str] = {}
    for query, positives, negatives in drafts:
        for pair in (*positives, *negatives):
            named.setdefault(pair, f"{_RECORDS}: query {query.query_id!r}")
    order = sorted(named)
    ids = {pair: f"gallery_{number:05d}" for number, pair in enumerate(order)}
    files: dict[str, ImageFile] = {}
    gallery = []
    for local, caption in order:
        if local not in files:
            record = f"{named[local, caption]}, gallery image {local!r}"
            files[local] = folder.image(_below("gallery", local), record)
        gallery.append(GalleryItem(ids[local, caption], caption, files[local]))
    queries = tuple(
        Query(**{**vars(query), "positive_ids": _ids(positives, ids), "hard_negative_ids": _ids(negatives, ids)})
        for query, positives, negatives in drafts
    )
    label = _label(len(queries), len(gallery))
    source = Source(
        name=name,
        label=label,
        license=license_id(LICENSE) if label == "SnapBench" else "unknown",
        revision=None,
        root=folder.root,
        queries=queries,
        gallery=tuple(gallery),
        published_severities=_severity_names((w, record.get("image_perturbations")) for w, record in places),
    )
    return check_source(source, _RECORDS)


def read_hub(root: str | os.PathLike[str], name: str, revision: str | None = None) -> Source:
    """Reads a folder in the layout of the Hub dataset: a download, or a snapshot in the Hub's cache.

    Args:
        root: The folder with ``queries/`` and ``gallery/``.
        name: As the user named the source.
        revision: The resolved commit, if the folder is a snapshot.

    Raises:
        SourceError: A missing file, a bad record, a path outside the folder, or records that don't fit together.
        TypeError: An id or text that is not a string.
    """
    folder = Folder(root)
    gallery = []
    for where, under, record in _metadata(folder, "gallery"):
        gallery_id = identifier(record, ("gallery_id", "id", "item_id"), where)
        image = folder.image(record.get("file_name"), f"{where}: gallery item {gallery_id!r}", under)
        gallery.append(GalleryItem(gallery_id, string(record, "caption", where), image))
    queries = []
    published = []
    for where, under, record in _metadata(folder, "queries"):
        query_id = identifier(record, ("query_id", "id"), where)
        place = f"{where}: query {query_id!r}"
        text = string(record, ("text", "query_text"), where)
        # A Parquet struct has every field in every row: a null one there says nothing.
        texts = _decoded(record.get("text_perturbations"), place) or {}
        query = Query(
            query_id=query_id,
            text=text,
            entity=string(record, ("entity", "query_entity"), where, ""),
            domain=string(record, "domain", where, ""),
            image=folder.image(record.get("file_name"), place, under),
            positive_ids=_id_list(record, ("positive_gallery_ids", "positive_ids"), place),
            hard_negative_ids=_id_list(record, ("hard_negative_gallery_ids", "hard_negative_ids"), place),
            texts=published_texts({k: v for k, v in mapping(texts, place).items() if v is not None}, text, place),
        )
        queries.append(query)
        published.append((place, _decoded(record.get("image_perturbations"), place)))
    label: Label = "SnapBench" if name.partition("@")[0] == HUB_ID else _label(len(queries), len(gallery))
    source = Source(
        name=name,
        label=label,
        license=_card_license(folder) or (license_id(LICENSE) if label == "SnapBench" else "unknown"),
        revision=revision,
        root=folder.root,
        queries=tuple(queries),
        gallery=tuple(gallery),
        published_severities=_severity_names(published),
    )
    return check_source(source, repr(str(folder.root)))


def fetch_hub(name: str) -> Source:
    """Downloads a Hub dataset (or takes it from the Hub's cache) and reads it.

    Args:
        name: ``org/name`` or ``org/name@revision``.

    Raises:
        SourceError: The dataset can't be had, or isn't in this layout.
    """
    import huggingface_hub

    repo_id, _, revision = name.partition("@")
    try:
        root = Path(
            huggingface_hub.snapshot_download(
                repo_id,
                repo_type="dataset",
                revision=revision or None,
                allow_patterns=["queries/*", "gallery/*", "README.md"],
                # Said in words, because some versions ask the network for the files of a commit all the same.
                local_files_only=huggingface_hub.constants.HF_HUB_OFFLINE,
            )
        )
    except Exception as error:  # The client lets through what its HTTP libraries raise, and those change.
        reason = str(error).strip().split("\n", maxsplit=1)[0]
        raise SourceError(
            f"source {name!r} can't be fetched from the Hub: {type(error).__name__}: {reason} Check the id and the "
            f"network (the published data are {HUB_ID!r}), or name a folder that holds a download of it."
        ) from error
    if not is_hub_layout(root):
        raise SourceError(f"source {name!r} has no queries/ and gallery/ folders, so it isn't in the release's layout")
    return read_hub(root, name, revision=root.name)


_Pair = tuple[str, str]


def _github_query(folder: Folder, record: Any, where: str) -> tuple[Query, list[_Pair], list[_Pair]]:
    query_id = identifier(mapping(record, where), "query_id", where)
    place = f"{_RECORDS}: query {query_id!r}"
    judged = mapping(record.get("gallery"), f"{place}: gallery")
    positives = _pairs(judged.get("gt"), f"{place}: gallery.gt")
    negatives = _pairs(judged.get("hard_negative"), f"{place}: gallery.hard_negative")
    both = set(positives).intersection(negatives)
    if both:
        raise SourceError(f"{place}: gallery image {min(both)} is both positive and hard negative")
    text = string(record, "query_text", place)
    query = Query(
        query_id=query_id,
        text=text,
        entity=string(record, "query_entity", place, ""),
        domain=string(record, "domain", place, ""),
        image=folder.image(_below("query", string(record, "query_image_local", place)), place),
        positive_ids=(),
        texts=published_texts(record.get("text_perturbations"), text, place),
    )
    return query, positives, negatives


def _pairs(items: Any, where: str) -> list[_Pair]:
    """The (file, caption) pairs of a list of judged items, each once, in order."""
    if not isinstance(items or [], list):
        raise SourceError(f"{where}: expected a list, got {type(items).__name__}")
    pairs = [
        (identifier(mapping(item, where), "local", where).replace("\\", "/"), string(item, "caption", where))
        for item in items or []
    ]
    return list(dict.fromkeys(pairs))


def _ids(pairs: Iterable[_Pair], ids: Mapping[_Pair, str]) -> tuple[str, ...]:
    return tuple(ids[pair] for pair in pairs)


def _below(kind: str, local: str) -> str:
    """Where a file named in the records lies: names come with and without the leading folders."""
    clean = local.replace("\\", "/")
    return clean if clean.startswith(("bench_images/", "/")) else f"bench_images/{kind}/{clean}"


def _severity_names(records: Iterable[tuple[str, Any]]) -> tuple[str, str, str] | None:
    """How the published files name severities 1, 2, 3; None where no record names any.

    The release has used sev1/sev3/sev5 and sev1/sev2/sev3: ``sev3`` is the middle of the one and the top of the other,
    so only the set of names tells, and it has to be one set throughout.

    Args:
        records: (place, value of ``image_perturbations``) of every query.
    """
    found: tuple[str, str, str] | None = None
    for where, operators in records:
        for operator, entry in mapping(operators or {}, f"{where}: image_perturbations").items():
            check_name(f"{where}: image operator", operator, IMAGE_OPERATORS)
            files = mapping(entry or {}, f"{where}: {operator}")
            names = {name for name, file in files.items() if re.fullmatch(r"sev\d+", name) and file is not None}
            if not names:
                continue
            scheme = next((known for known in _SEVERITY_NAMES if set(known) == names), None)
            if scheme is None or found not in (None, scheme):
                raise SourceError(
                    f"{where}: severities of {operator} are named {', '.join(sorted(names))}; understood are "
                    f"{' or '.join(map('/'.join, _SEVERITY_NAMES))}, the same in all records"
                )
            found = scheme
    return found


def _label(n_queries: int, n_gallery: int) -> Label:
    return "SnapBench" if (n_queries, n_gallery) == (N_QUERIES, N_GALLERY) else "custom"


def _metadata(folder: Folder, config: str) -> Iterable[tuple[str, str, dict[str, Any]]]:
    """Yields (place, folder that file names are relative to, record) of a config's metadata file."""
    for under in (f"{config}/test", config):
        for name in _METADATA:
            path = f"{under}/{name}"
            if (folder.root / path).is_file():
                for where, record in _table(folder, path):
                    yield where, under, record
                return
    raise SourceError(f"{str(folder.root)!r}: no {', '.join(_METADATA)} in {config}/ or {config}/test/")


def _table(folder: Folder, path: str) -> Iterable[tuple[str, dict[str, Any]]]:
    if path.endswith(".jsonl"):
        yield from parse_json_lines(folder.read_text(path), path)
    elif path.endswith(".csv"):
        reader = csv.DictReader(io.StringIO(folder.read_text(path), newline=""), strict=True)
        try:
            for record in reader:
                yield f"{path}:{reader.line_num}", record
        except csv.Error as error:
            raise SourceError(f"{path}:{reader.line_num}: no valid CSV: {error}") from error
    else:
        import pyarrow
        import pyarrow.parquet

        file = folder.file(path, path)
        try:
            records = pyarrow.parquet.read_table(file.path).to_pylist()
        except (pyarrow.ArrowException, OSError) as error:
            raise SourceError(f"{path}: no valid Parquet: {error}") from error
        yield from ((f"{path}: row {number}", record) for number, record in enumerate(records))


def _decoded(value: Any, where: str) -> Any:
    """Nested columns come as such or, in CSV and by habit, as JSON in a string."""
    return parse_json(value, where) if isinstance(value, str) and value.strip() else value or None


def _id_list(record: Mapping[str, Any], names: tuple[str, ...], where: str) -> tuple[str, ...]:
    ids = _decoded(next((record[name] for name in names if record.get(name) is not None), None), where) or []
    if not isinstance(ids, list):
        raise SourceError(f"{where}: {names[0]} must be a list, got {type(ids).__name__}")
    for identity in ids:
        if not isinstance(identity, str):
            raise TypeError(f"{where}: {names[0]} must hold strings, got {type(identity).__name__}: {identity!r}")
    return tuple(ids)


def _card_license(folder: Folder) -> str | None:
    """The licence in the front matter of the dataset card."""
    if not (folder.root / "README.md").is_file():
        return None
    front = re.match(r"---\r?\n(.*?)\n---", folder.read_text("README.md"), re.DOTALL)
    named = re.search(r"^license:[ \t]*['\"]?([^'\"\n\r]+)", front.group(1), re.MULTILINE) if front else None
    return license_id(named.group(1)) if named else None
