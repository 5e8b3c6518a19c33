"""Encodes a stream of inputs, each distinct one once, while workers prepare the next ones."""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from PIL import Image

from ..adapters.base import Adapter, Role
from ..images import ImageDecodeError
from .cache import EmbeddingCache

CHUNK = 64
"""Inputs handed to the adapter at once; it cuts them into batches of its own."""

FLUSH_ROWS = 512
FLUSH_SECONDS = 30.0
"""A shard is written after so many vectors or seconds, whatever comes first: what a kill can cost."""


@dataclass(frozen=True)
class EncoderInput:
    """One thing to encode.

    Attributes:
        image_key: names the pixels (file contents, operator, draws, code); empty where there is no image.
        load: makes the image, called in a worker only if its vector isn't cached.
        text: the text, or None.
    """

    image_key: str = ""
    load: Callable[[], Image.Image] | None = field(default=None, compare=False)
    text: str | None = None

    def key(self, role: Role) -> str:
        """Content key within one adapter: sha256 over role, pixels and text."""
        text = "-" if self.text is None else f"t{self.text}"
        return hashlib.sha256(f"{role}|{len(self.image_key)}:{self.image_key}|{text}".encode()).hexdigest()


@dataclass
class EncodeCounts:
    """What a run asked of the encoder.

    Attributes:
        requested: inputs asked for, repetitions included.
        distinct: different ones among them.
        encoded: how many of those the adapter was run on; the rest came from the cache.
        seconds: time inside the adapter.
        failed: inputs whose image can't be decoded, key -> the error's words, which name the record.
    """

    requested: int = 0
    distinct: int = 0
    encoded: int = 0
    seconds: float = 0.0
    failed: dict[str, str] = field(default_factory=dict)


class StreamEncoder:
    """Fills an embedding cache from a stream of inputs.

    Args:
        adapter: the model.
        cache: where vectors go.
        workers: threads that make and decode images (Pillow, OpenCV and numpy release the interpreter lock).
        on_error: ``raise`` stops at an image that can't be decoded, ``record`` counts it and goes on.
    """

    def __init__(self, adapter: Adapter, cache: EmbeddingCache, *, workers: int, on_error: str = "raise") -> None:
        self._adapter = adapter
        self._cache = cache
        self._workers = workers
        self._on_error = on_error
        self._seen: set[str] = set()
        self._pending: dict[str, np.ndarray] = {}
        self._flushed_at = time.monotonic()
        self.counts = EncodeCounts()

    def fill(self, inputs: Iterable[EncoderInput], role: Role, advance: Callable[[int], None] | None = None) -> None:
        """Encodes every input of the stream that isn't held yet; ``advance`` hears of each input asked for."""
        try:
            with ThreadPoolExecutor(self._workers) as pool:
                for chunk in _ahead(pool, self._missing(inputs, role, advance), 2 * CHUNK):
                    self._encode(chunk, role)
        finally:  # Also when interrupted: what is encoded is kept.
            self._flush()

    def vectors(self, inputs: Sequence[EncoderInput], role: Role) -> tuple[np.ndarray, np.ndarray]:
        """The vectors of inputs that :meth:`fill` has seen, encoding again what the cache has lost meanwhile.

        Returns:
            float32 [n, dim] and a bool mask [n] of the inputs that failed (their rows are zero).
        """
        keys = [item.key(role) for item in inputs]
        wanted = [key for key in dict.fromkeys(keys) if key not in self.counts.failed]
        held = self._cache.get(wanted)
        lost = [key for key in wanted if key not in held]
        if lost:
            by_key = dict(zip(keys, inputs, strict=True))
            self._seen.difference_update(lost)
            self.counts.requested -= len(lost)
            self.counts.distinct -= len(lost)
            self.fill([by_key[key] for key in lost], role)
            held |= self._cache.get([key for key in lost if key not in self.counts.failed])
        failed = np.array([key in self.counts.failed for key in keys], dtype=bool)
        dim = len(next(iter(held.values()))) if held else (self._adapter.spec.dim or 0)
        matrix = np.zeros((len(keys), dim), np.float32)
        for row, key in enumerate(keys):
            if key in held:
                matrix[row] = held[key]
        return matrix, failed

    def _missing(
        self, inputs: Iterable[EncoderInput], role: Role, advance: Callable[[int], None] | None
    ) -> Iterator[tuple[str, EncoderInput]]:
        for item in inputs:
            self.counts.requested += 1
            key = item.key(role)
            if key not in self._seen:
                self._seen.add(key)
                self.counts.distinct += 1
                if key not in self._cache:
                    yield key, item
            if advance is not None:
                advance(1)

    def _encode(self, chunk: list[tuple[str, EncoderInput, Future[Image.Image] | None]], role: Role) -> None:
        keys: list[str] = []
        images: list[Image.Image | None] = []
        texts: list[str | None] = []
        for key, item, future in chunk:
            try:
                images.append(None if future is None else future.result())
            except ImageDecodeError as error:
                if self._on_error == "raise":
                    raise
                self.counts.failed[key] = str(error)
                continue
            keys.append(key)
            texts.append(item.text)
        if not keys:
            return
        started = time.perf_counter()
        vectors = self._adapter.encode(
            images=images if any(image is not None for image in images) else None,
            texts=texts if any(text is not None for text in texts) else None,
            role=role,
        )
        self.counts.seconds += time.perf_counter() - started
        self.counts.encoded += len(keys)
        self._pending.update(zip(keys, vectors, strict=True))
        if len(self._pending) >= FLUSH_ROWS or time.monotonic() - self._flushed_at > FLUSH_SECONDS:
            self._flush()

    def _flush(self) -> None:
        self._cache.put(self._pending)
        self._pending = {}
        self._flushed_at = time.monotonic()


def _ahead(
    pool: ThreadPoolExecutor, items: Iterator[tuple[str, EncoderInput]], window: int
) -> Iterator[list[tuple[str, EncoderInput, Future[Image.Image] | None]]]:
    """Chunks of inputs whose images are being made; at most ``window`` of them are in the making or made."""
    queue: deque[tuple[str, EncoderInput, Future[Image.Image] | None]] = deque()
    for key, item in items:
        queue.append((key, item, None if item.load is None else pool.submit(item.load)))
        if len(queue) >= window:
            yield [queue.popleft() for _ in range(CHUNK)]
    while queue:
        yield list(islice(_drain(queue), CHUNK))


def _drain(queue: deque) -> Iterator:
    while queue:
        yield queue.popleft()
