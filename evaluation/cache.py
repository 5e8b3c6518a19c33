"""Embedding cache: each distinct input is encoded once, in this run and in later ones.

One folder per adapter fingerprint holds shards; a shard is a safetensors file with a ``vectors`` matrix and the keys
of its rows, written beside its final name and moved into place in one step. Processes never write to each other's
shards, so any number of them may share a cache without locks. A shard that is damaged (cut short, altered) is found
by its checksum, reported once and left out: what it held is encoded again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import re
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from ..atomic import one_step

logger = logging.getLogger(__name__)

DEFAULT_LIMIT = 20 * 2**30
"""Bytes all shards may take before the oldest ones are removed; ``SNAPBENCH_CACHE_LIMIT`` changes it."""


def cache_root() -> Path:
    """``$SNAPBENCH_CACHE``, else ``snapbench/embeddings`` in the user's cache folder."""
    named = os.environ.get("SNAPBENCH_CACHE")
    if named:
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "snapbench" / "embeddings"


def _limit() -> int:
    given = os.environ.get("SNAPBENCH_CACHE_LIMIT") or str(DEFAULT_LIMIT)
    if not given.isdigit():
        raise ValueError(f"the environment variable SNAPBENCH_CACHE_LIMIT must be a number of bytes, got {given!r}")
    return int(given)


@dataclass(frozen=True)
class CacheInfo:
    """What a cache holds: number of adapters, shards and vectors, and bytes on disk."""

    root: Path
    adapters: int
    shards: int
    vectors: int
    size: int


class EmbeddingCache:
    """Vectors of one adapter by input key.

    Args:
        fingerprint: the adapter's fingerprint; None makes a cache that is removed with :meth:`close` (an object that
            can't say what its vectors depend on must not be served vectors of an earlier process).
        root: folder of all caches; None is :func:`cache_root`.
        limit: bytes on disk over all adapters before the oldest shards go.
    """

    def __init__(self, fingerprint: str | None, root: Path | None = None, limit: int | None = None) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="snapbench-") if fingerprint is None else None
        place = Path(self._temporary.name) if self._temporary else root or cache_root()
        # A fingerprint is any string: a digest of it is a folder's name on every system.
        digest = hashlib.sha256((fingerprint or "unnamed").encode()).hexdigest()
        self._folder: Path | None = place / digest[:32]
        self._limit = limit if limit is not None else _limit()
        self._rows: dict[str, tuple[Path, int]] = {}
        self._memory: dict[str, np.ndarray] = {}
        self._known: set[Path] = set()
        self._checked: dict[Path, bool] = {}
        self.refresh()

    def __enter__(self) -> EmbeddingCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Removes a cache without a fingerprint; any other stays for the next run."""
        if self._temporary is not None:
            self._temporary.cleanup()

    def refresh(self) -> None:
        """Takes notice of shards that other processes have added."""
        if self._folder is None or not self._folder.is_dir():
            return
        for path in sorted(path for path in self._folder.iterdir() if _SHARD.fullmatch(path.name)):
            if path not in self._known:
                self._known.add(path)
                for row, key in enumerate(_read_keys(path, remove=True)):
                    self._rows.setdefault(key, (path, row))

    def __contains__(self, key: str) -> bool:
        return key in self._memory or key in self._rows

    def get(self, keys: Sequence[str]) -> dict[str, np.ndarray]:
        """The vectors of those keys that are held; float32 [dim] each. A damaged shard's keys are left out."""
        found = {key: self._memory[key] for key in keys if key in self._memory}
        by_shard: dict[Path, list[tuple[str, int]]] = {}
        for key in keys:
            if key not in found and key in self._rows:
                path, row = self._rows[key]
                by_shard.setdefault(path, []).append((key, row))
        for path, wanted in by_shard.items():
            vectors = self._open(path)
            if vectors is not None:
                found.update((key, vectors[row]) for key, row in wanted)
        return found

    def put(self, vectors: Mapping[str, np.ndarray]) -> None:
        """Stores vectors as one shard. A disk that refuses is reported and the vectors stay in memory."""
        if not vectors:
            return
        if self._folder is None:
            self._memory.update(vectors)
            return
        matrix = np.stack(list(vectors.values()))
        path = self._folder / f"{time.time_ns():020d}-{uuid.uuid4().hex[:8]}.safetensors"
        metadata = {"keys": json.dumps(list(vectors)), "sha256": hashlib.sha256(matrix.tobytes()).hexdigest()}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with one_step(path) as temporary:
                temporary.write_bytes(save({"vectors": matrix}, metadata=metadata))
        except OSError as error:
            logger.warning("embedding cache %s can't be written (%s); vectors stay in memory", self._folder, error)
            self._folder = None
            self._memory.update(vectors)
            return
        self._known.add(path)
        self._checked[path] = True
        self._rows.update((key, (path, row)) for row, key in enumerate(vectors))
        _prune(self._folder.parent, self._limit, keep=self._known)

    def _open(self, path: Path) -> np.ndarray | None:
        try:
            with safe_open(path, framework="numpy") as shard:
                vectors = shard.get_tensor("vectors")
                if path not in self._checked:
                    self._checked[path] = hashlib.sha256(vectors.tobytes()).hexdigest() == shard.metadata()["sha256"]
            if self._checked[path]:
                return vectors
            cause: object = "checksum differs"
        except (OSError, SafetensorError, KeyError) as error:
            cause = error
        logger.warning("cached vectors in %s are damaged (%s); they are encoded again", path, cause)
        self._rows = {key: place for key, place in self._rows.items() if place[0] != path}
        path.unlink(missing_ok=True)
        return None


def info(root: Path | None = None) -> CacheInfo:
    """Counts what a cache folder holds."""
    root = root or cache_root()
    shards = _shards(root)
    return CacheInfo(
        root=root,
        adapters=len({path.parent for path in shards}),
        shards=len(shards),
        vectors=sum(len(_read_keys(path)) for path in shards),
        size=sum(path.stat().st_size for path in shards),
    )


def clear(root: Path | None = None) -> CacheInfo:
    """Removes all shards (nothing else that may lie in the folder); returns what was there."""
    held = info(root)
    for path in _shards(held.root):
        path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # Not empty: another process, or somebody else's files.
            path.parent.rmdir()
    return held


_FOLDER = re.compile("[0-9a-f]{32}")
_SHARD = re.compile(r"\d{20}-[0-9a-f]{8}\.safetensors")


def _shards(root: Path) -> list[Path]:
    """The shards of all adapters. Told by their names: other people's safetensors are never touched."""
    return sorted(
        path for path in root.glob("*/*") if _FOLDER.fullmatch(path.parent.name) and _SHARD.fullmatch(path.name)
    )


def _read_keys(path: Path, *, remove: bool = False) -> list[str]:
    """The keys of a shard; none where its header can't be read, and a damaged one goes if told to ``remove``."""
    try:
        with safe_open(path, framework="numpy") as shard:
            return list(json.loads(shard.metadata()["keys"]))
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        logger.warning("cached vectors in %s can't be read (%s); they are encoded again", path, error)
        if remove and not isinstance(error, OSError):
            path.unlink(missing_ok=True)
        return []


def _prune(root: Path, limit: int, keep: set[Path]) -> None:
    """Removes the oldest shards beyond ``limit`` bytes, never one that this process reads."""
    sizes = {}
    for path in _shards(root):
        try:
            sizes[path] = path.stat().st_size
        except FileNotFoundError:  # Another process pruned it first.
            continue
    excess = sum(sizes.values()) - limit
    for path in sorted(sizes, key=lambda path: path.name):
        if excess <= 0:
            return
        if path not in keep:
            excess -= sizes[path]
            path.unlink(missing_ok=True)
