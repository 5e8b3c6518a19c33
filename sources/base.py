"""What a source is, and the checks that every source passes before anything is read from it.

Data are untrusted: ids, names and texts are checked record by record, and no file outside the source's folder is
ever opened. Reading a source only looks at files (``stat``); :meth:`Source.verify` decodes them.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat as stat_bits
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PureWindowsPath
from typing import Any, Literal

from ..corruptions.conditions import TEXT_OPERATORS, check_name
from ..images import decode_image

Label = Literal["SnapBench", "SnapBench-sample", "custom"]

Progress = Callable[[int, int], None]
"""Called as ``progress(done, total)``."""


class SourceError(ValueError):
    """A source that can't be used; the message names the record and the file."""


@dataclass(frozen=True)
class ImageFile:
    """One image file of a source.

    Attributes:
        path: Absolute path.
        name: Relative to the source's root, with forward slashes.
        size: In bytes, when the source was read.
        mtime_ns: Time of the last change, when the source was read.
    """

    path: Path
    name: str
    size: int = field(default=0, repr=False)
    mtime_ns: int = field(default=0, repr=False, compare=False)

    def read(self) -> bytes:
        return self.path.read_bytes()


@dataclass(frozen=True)
class Query:
    """A photo with a question.

    Attributes:
        text: The clean question.
        entity: The coarse entity it asks about; empty where the source names none.
        domain: One of the paper's six domains, or the source's own word; may be empty.
        positive_ids: Gallery ids that answer it, at least one.
        hard_negative_ids: Gallery ids that were judged and don't.
        texts: Published corrupted questions by operator; None where the release says that the operator doesn't apply.
            Operators that are missing here are computed.
        label: What is in the photo, by its fine name ("tulip" where the entity is "flower"); empty where the source
            doesn't say, as the published release doesn't.
    """

    query_id: str
    text: str
    entity: str
    domain: str
    image: ImageFile
    positive_ids: tuple[str, ...]
    hard_negative_ids: tuple[str, ...] = ()
    texts: Mapping[str, str | None] = field(default_factory=dict)
    label: str = ""


@dataclass(frozen=True)
class GalleryItem:
    """An image with its caption."""

    gallery_id: str
    caption: str
    image: ImageFile


@dataclass(frozen=True)
class Source:
    """Clean queries and their gallery, checked.

    Attributes:
        name: As the user named it: ``sample``, a Hub id or a folder.
        label: What results from it may be called.
        license: In the Hub's spelling, e.g. ``cc-by-nc-4.0``; ``unknown`` where the source says nothing.
        revision: The resolved commit of a Hub source, else None.
        root: The folder that holds every file.
        published_severities: The names that the published files use for severities 1, 2, 3, where they are named.
            The release has used sev1/sev3/sev5 and sev1/sev2/sev3, so its ``sev3`` alone says nothing.
    """

    name: str
    label: Label
    license: str
    revision: str | None
    root: Path
    queries: tuple[Query, ...] = field(repr=False)
    gallery: tuple[GalleryItem, ...] = field(repr=False)
    published_severities: tuple[str, str, str] | None = None

    @cached_property
    def stamp(self) -> str:
        """16 hex digits that change when records or files do: sizes and times stand for contents.

        Cheap, so it goes into the dataset cache's keys; not comparable between machines.
        """
        digest = hashlib.sha256(str(self.root).encode())
        for line in self._records(lambda image: [image.size, image.mtime_ns]):
            digest.update(line)
        return digest.hexdigest()[:16]

    @cached_property
    def contents(self) -> Mapping[Path, str]:
        """Path of every image file -> SHA-256 of its contents, 64 hex digits; reads every file once.

        Raises:
            SourceError: A file can't be read any more.
        """

        def digest(path: Path) -> str:
            try:
                return hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError as error:
                raise SourceError(f"{str(path)!r}: can't be read ({error.strerror or error})") from error

        paths = list(dict.fromkeys(image.path for _, image in self.images()))
        with ThreadPoolExecutor(_THREADS) as pool:
            return dict(zip(paths, pool.map(digest, paths), strict=True))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over all records and the contents of all files, 64 hex digits: the same data, the same value,
        anywhere.

        Raises:
            SourceError: A file can't be read any more.
        """
        digest = hashlib.sha256(b"snapbench source 1\n")
        for line in self._records(lambda image: [self.contents[image.path]]):
            digest.update(line)
        return digest.hexdigest()

    def images(self) -> Iterable[tuple[str, ImageFile]]:
        """Every image with the record it belongs to, e.g. ``("query 'bench_0001'", ImageFile(...))``."""
        yield from ((f"query {query.query_id!r}", query.image) for query in self.queries)
        yield from ((f"gallery item {item.gallery_id!r}", item.image) for item in self.gallery)

    def verify(self, progress: Progress | None = None) -> None:
        """Decodes every image file once.

        Args:
            progress: Called after each file with the number done and the total.

        Raises:
            ImageDecodeError: The first image, in source order, that can't be decoded; names record and file.
        """
        # One file may carry several captions: it is decoded once.
        images = list({image.path: (record, image) for record, image in reversed(list(self.images()))}.values())[::-1]
        pool = ThreadPoolExecutor(_THREADS)
        try:
            results = pool.map(lambda entry: decode_image(entry[1].path, record=entry[0]) and None, images)
            for done, _ in enumerate(results, start=1):
                if progress is not None:
                    progress(done, len(images))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _records(self, describe: Callable[[ImageFile], list[Any]]) -> Iterable[bytes]:
        yield _line([self.label, self.license, self.revision, self.published_severities])
        for query in self.queries:
            texts = [[operator, query.texts[operator]] for operator in TEXT_OPERATORS if operator in query.texts]
            fields = [query.query_id, query.text, query.entity, query.label, query.domain, query.positive_ids]
            yield _line([*fields, query.hard_negative_ids, texts, query.image.name, *describe(query.image)])
        for item in self.gallery:
            yield _line([item.gallery_id, item.caption, item.image.name, *describe(item.image)])


_THREADS = min(8, (os.cpu_count() or 2) + 1)


def _line(values: Sequence[Any]) -> bytes:
    # JSON with escapes: lone surrogates, which no UTF-8 has, pass too.
    return json.dumps(values, separators=(",", ":")).encode() + b"\n"


class Folder:
    """A folder of untrusted data: the only way to the files of a source."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root).resolve()
        self._inside = [self.root]
        # Snapshots in the Hub's cache are links into the blobs of the same repository.
        blobs = self.root.parent.parent / "blobs"
        if self.root.parent.name == "snapshots" and blobs.is_dir():
            self._inside.append(blobs)
        self._folders: set[str] = set()

    def image(self, name: object, record: str, under: str = "") -> ImageFile:
        """The image file of a record (see :meth:`file`)."""
        return self.file(name, record, under, what="image ")

    def file(self, name: object, record: str, under: str = "", *, what: str = "") -> ImageFile:
        """A file that the data name, or one of the files of records.

        Args:
            name: The file's name in the data, relative to ``under``; backslashes count as separators.
            record: Named in errors, e.g. ``benchmark/snap_bench.json: query 'bench_0001'``.
            under: Folder below the root.
            what: Put before "file" and "path" in errors.

        Raises:
            SourceError: Not a name, a path that leaves the folder (also through a link), or no such file.
        """
        if not isinstance(name, str) or not name or "\0" in name:
            raise SourceError(f"{record}: the {what}file name must be a non-empty string, got {name!r}")
        clean = name.replace("\\", "/")
        parts = clean.split("/")
        if clean.startswith("/") or PureWindowsPath(clean).drive or ".." in parts:
            raise SourceError(f"{record}: {what}path {name!r} leaves the source's folder; it must be relative, no '..'")
        relative = "/".join([*([under] if under else []), *(part for part in parts if part not in ("", "."))])
        path = os.path.join(self.root, relative)
        try:
            status = os.lstat(path)
            link = stat_bits.S_ISLNK(status.st_mode)
            parent = os.path.dirname(path)
            if link or parent not in self._folders:
                self._check_inside(path, f"{record}: {what}path {name!r}")
                status = os.stat(path)
            if not link:
                self._folders.add(parent)  # No link on the way to this folder leads out: looked at once is enough.
        except SourceError:
            raise
        except (FileNotFoundError, NotADirectoryError):
            raise SourceError(f"{record}: {what}file {name!r} is missing (looked for {path!r})") from None
        except (OSError, ValueError) as error:
            raise SourceError(f"{record}: {what}file {name!r} can't be read: {error}") from error
        if not stat_bits.S_ISREG(status.st_mode):
            raise SourceError(f"{record}: {what}path {name!r} is not a regular file ({path!r})")
        return ImageFile(Path(path), relative, status.st_size, status.st_mtime_ns)

    def _check_inside(self, path: str, place: str) -> None:
        real = Path(os.path.realpath(path, strict=True))
        if not any(real.is_relative_to(folder) for folder in self._inside):
            raise SourceError(f"{place} leads outside the source's folder, to {str(real)!r}")

    def read_text(self, name: str) -> str:
        """The contents of a UTF-8 file of records.

        Raises:
            SourceError: Missing, outside the folder, or not UTF-8.
        """
        file = self.file(name, name)
        try:
            return file.path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise SourceError(f"{str(file.path)!r}: can't be read as UTF-8 text: {error}") from error


def parse_json(text: str, where: str) -> Any:
    """Reads JSON, with the place in the error.

    Raises:
        SourceError: No valid JSON.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{where}: no valid JSON: {error}") from error


def parse_json_lines(text: str, where: str) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yields (``file:line``, object) for each line that isn't blank.

    Raises:
        SourceError: A line that isn't a JSON object.
    """
    # Not splitlines(): it also splits at separators that JSON allows inside strings.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            place = f"{where}:{number}"
            yield place, mapping(parse_json(line, place), place)


def mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SourceError(f"{where}: expected an object, got {type(value).__name__}: {str(value)[:80]!r}")
    return value


def string(record: Mapping[str, Any], names: str | Sequence[str], where: str, default: str | None = None) -> str:
    """The value of the first of ``names`` that the record has; a missing or null one is ``default``.

    Raises:
        SourceError: Missing, with no default.
        TypeError: Not a string: ids are kept verbatim, and a number has lost its spelling.
    """
    names = (names,) if isinstance(names, str) else names
    name = next((name for name in names if record.get(name) is not None), None)
    if name is None:
        if default is not None:
            return default
        raise SourceError(
            f"{where}: {' or '.join(names)} is missing (found: {', '.join(map(repr, record)) or 'nothing'})"
        )
    value = record[name]
    if not isinstance(value, str):
        raise TypeError(f"{where}: {name} must be a string, got {type(value).__name__}: {value!r}; put it in quotes")
    return value


def identifier(record: Mapping[str, Any], names: str | Sequence[str], where: str) -> str:
    """Like :func:`string`, and not empty."""
    value = string(record, names, where)
    if not value:
        raise SourceError(f"{where}: {names if isinstance(names, str) else names[0]} must not be empty")
    return value


def published_texts(value: Any, clean: str, where: str) -> Mapping[str, str | None]:
    """Reads corrupted questions: ``{operator: text | null}`` or ``{operator: {"perturbed_text", "changed"}}``.

    The release marks an operator that doesn't apply with a null text and ``changed`` false; both, and a text equal
    to the clean one, become None: an unchanged question never passes as a corrupted one.

    Raises:
        SourceError: Another form.
        ValueError: Unknown operator.
    """
    texts: dict[str, str | None] = {}
    for operator, entry in mapping({} if value is None else value, f"{where}: corrupted texts").items():
        check_name(f"{where}: text operator", operator, TEXT_OPERATORS)
        changed, text = True, entry
        if isinstance(entry, dict):
            changed, text = entry.get("changed", True), entry.get("perturbed_text")
        if text is not None and not isinstance(text, str):
            raise SourceError(f"{where}: text of {operator} must be a string or null, got {type(text).__name__}")
        texts[operator] = text if changed and text != clean else None
    return texts


def check_source(source: Source, where: str) -> Source:
    """Returns the source if its records fit together.

    Args:
        source: With files already looked up by :class:`Folder`.
        where: File or folder that the records come from.

    Raises:
        SourceError: No queries, a duplicate id, a query without positives, a positive or hard negative that is not in
            the gallery, or an item that is both.
    """
    check_ids("query", [query.query_id for query in source.queries], where)
    check_ids("gallery", [item.gallery_id for item in source.gallery], where)
    gallery = {item.gallery_id for item in source.gallery}
    for query in source.queries:
        record = f"{where}: query {query.query_id!r}"
        if not query.positive_ids:
            raise SourceError(f"{record} ({query.image.name!r}) has no positives; every query needs at least one")
        for kind, ids in (("positive", query.positive_ids), ("hard negative", query.hard_negative_ids)):
            for identity in ids:
                if identity not in gallery:
                    raise SourceError(f"{record}: {kind} {identity!r} is not in the gallery")
            if len(set(ids)) < len(ids):
                twice = next(identity for identity in ids if list(ids).count(identity) > 1)
                raise SourceError(f"{record}: {kind} {twice!r} is there twice")
        both = set(query.positive_ids).intersection(query.hard_negative_ids)
        if both:
            raise SourceError(f"{record}: gallery item {min(both)!r} is both positive and hard negative")
    return source


def check_ids(kind: str, identities: Sequence[str], where: str) -> None:
    """Raises SourceError where there is no id, or one is there twice."""
    if not identities:
        raise SourceError(f"{where}: there are no {kind} records")
    seen: set[str] = set()
    for identity in identities:
        if identity in seen:
            raise SourceError(f"{where}: {kind} id {identity!r} is there twice; ids must be unique")
        seen.add(identity)


def license_id(name: str) -> str:
    """The Hub's spelling of a licence's name.

    >>> license_id("CC BY-NC 4.0")
    'cc-by-nc-4.0'
    """
    return "-".join(name.lower().split()) or "unknown"
