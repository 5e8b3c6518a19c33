"""Gallery-side whitening, and the few moments of the gallery that MOOR needs (Section 5, step 1).

Whitening standardises every dimension with the gallery's mean and (population standard deviation + 1e-6) and gives
the row unit length. Photos and captions have their own statistics, and a query vector is whitened with those of
the gallery side it is compared with.

A gallery item is stored as ONE vector ``[photo ; caption]``, both halves whitened. The mean and the covariance of
these vectors give the variance of any path over the gallery and its covariance with any other path: for query
vectors u and v, the scores' variance is ``u' C u`` and their covariance ``u' C v``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .paths import FloatArray, Path, float_matrix

STD_EPS = 1e-6
NORM_EPS = 1e-12
CHUNK_ROWS = 4096
"""Rows per matrix product; bounds the temporaries."""
CACHE_ROWS = 256
"""Rows per elementwise step, so that a step finds the rows of the one before in the processor's cache."""

Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
Chunk = tuple[FloatArray | None, FloatArray | None]


@dataclass(frozen=True)
class Side:
    """How vectors are mapped onto one side of the gallery: subtract ``shift``, multiply by ``scale``, unit length."""

    shift: Float64
    scale: Float64

    @property
    def dim(self) -> int:
        return len(self.shift)

    def apply(self, vectors: FloatArray, out: Float32 | None = None) -> Float32:
        """Whitened unit rows, float32 ``[rows, dim]``; a row equal to the mean becomes zeros."""
        dtype = vectors.dtype
        shift, scale = self.shift.astype(dtype), self.scale.astype(dtype)
        if out is None:
            out = np.empty(vectors.shape, dtype=np.float32)
        for start in range(0, len(vectors), CACHE_ROWS):
            rows = vectors[start : start + CACHE_ROWS] - shift
            with np.errstate(over="ignore", invalid="ignore"):
                rows *= scale
                norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
            if not np.isfinite(norms).all():
                row = start + int(np.argmin(np.isfinite(norms)))
                raise ValueError(f"vectors are too large to be normalised in {dtype}: row {row}; scale them first")
            np.divide(
                rows,
                (norms + NORM_EPS)[:, None].astype(dtype),
                out=out[start : start + CACHE_ROWS],
                casting="same_kind",
            )
        return out


@dataclass(frozen=True)
class GalleryStats:
    """What MOOR keeps of a gallery; its size depends on the dimensions only, not on the number of items.

    Attributes:
        image: whitening of the photo side; ``None`` where the gallery has no photos.
        text: whitening of the caption side; ``None`` where it has no captions.
        mean: float32 ``[d_image + d_text]``, mean of the vectors of :func:`gallery_vectors`.
        covariance: float32 ``[d_image + d_text, d_image + d_text]``, their population covariance.
        rows: number of gallery items.
        shared_space: whether photos and texts may be compared; ``False`` for a pair of towers.
    """

    image: Side | None
    text: Side | None
    mean: Float32
    covariance: Float32
    rows: int
    shared_space: bool

    @property
    def image_dim(self) -> int:
        return 0 if self.image is None else self.image.dim

    def part(self, path: Path) -> slice:
        """The columns of a gallery vector that ``path`` compares with."""
        return slice(0, self.image_dim) if path[1] == "i" else slice(self.image_dim, len(self.mean))


def gallery_stats(
    g_image: npt.ArrayLike | None,
    g_text: npt.ArrayLike | None = None,
    *,
    whiten: bool = True,
    shared_space: bool = True,
) -> GalleryStats:
    """Whitening statistics and moments of a gallery in memory (or in memory-mapped arrays).

    Args:
        g_image: photo embeddings ``[n_gallery, d_image]`` or ``None``.
        g_text: caption embeddings ``[n_gallery, d_text]`` or ``None``.
        whiten: ``False`` is the paper's ablation: unit length only.
        shared_space: ``False`` where photo and text vectors come from unrelated encoders; paths ``it`` and ``ti``
            are then left out. They are left out as well where the dimensions differ.

    Returns:
        The statistics; independent of the order of the gallery up to rounding.

    Raises:
        ValueError: no side given, no rows, different numbers of rows, or a value that is not finite.
    """
    return stream_gallery_stats(_slices(g_image, g_text), whiten=whiten, shared_space=shared_space)


def stream_gallery_stats(chunks: Iterable[Chunk], *, whiten: bool = True, shared_space: bool = True) -> GalleryStats:
    """:func:`gallery_stats` of a gallery that does not fit into memory.

    Args:
        chunks: ``(photo rows, caption rows)`` of some thousand items each, ``None`` for a side the gallery lacks.
            Gone through twice, so a list or an object whose ``__iter__`` starts again, not a generator.
        whiten: see :func:`gallery_stats`.
        shared_space: see :func:`gallery_stats`.

    Raises:
        TypeError: ``chunks`` can be gone through only once.
        ValueError: as :func:`gallery_stats`; also where chunks differ in dimension.
    """
    if iter(chunks) is chunks:
        raise TypeError(
            f"chunks must be iterable twice, got a one-shot {type(chunks).__name__}; "
            "pass a list, or an object whose __iter__ starts again"
        )
    image, text, rows = _sides(chunks, whiten)
    vectors = (_vectors(chunk, image, text) for chunk in _checked(chunks))
    return _with_moments((image, text), rows, vectors, whiten, shared_space)


class GalleryIndex(NamedTuple):
    """A gallery ready to be searched: its statistics and the vectors of :func:`gallery_vectors`."""

    stats: GalleryStats
    vectors: Float32


def index_gallery(
    g_image: npt.ArrayLike | None,
    g_text: npt.ArrayLike | None = None,
    *,
    whiten: bool = True,
    shared_space: bool = True,
) -> GalleryIndex:
    """:func:`gallery_stats` and :func:`gallery_vectors` in one go, whitening every item once.

    Args and errors: see :func:`gallery_stats`.
    """
    slices = _slices(g_image, g_text)
    image, text, rows = _sides(slices, whiten)
    out = np.empty((rows, sum(side.dim for side in (image, text) if side is not None)), dtype=np.float32)
    parts = zip(slices, range(0, rows, CHUNK_ROWS), strict=True)
    vectors = (_vectors(chunk, image, text, out[start : start + CHUNK_ROWS]) for chunk, start in parts)
    return GalleryIndex(_with_moments((image, text), rows, vectors, whiten, shared_space), out)


def gallery_vectors(g_image: npt.ArrayLike | None, g_text: npt.ArrayLike | None, stats: GalleryStats) -> Float32:
    """The vectors to put into an inner-product index: ``[photo ; caption]``, both halves whitened.

    Args:
        g_image: photo embeddings ``[n, d_image]``, or ``None`` where ``stats`` has no photo side.
        g_text: caption embeddings ``[n, d_text]``, or ``None`` where ``stats`` has no caption side.
        stats: of the whole gallery; the rows given here may be a part of it.

    Returns:
        float32 ``[n, d_image + d_text]``; each half is a unit vector, or zeros where it equals the gallery's mean.

    Raises:
        ValueError: a side is missing or surplus, row counts differ, or a dimension is not the gallery's (the
            message shows both shapes).
    """
    slices = _slices(g_image, g_text)
    for name, vectors, side in (("g_image", slices.image, stats.image), ("g_text", slices.text, stats.text)):
        if (vectors is None) != (side is None):
            raise ValueError(f"{name} must be {'None' if side is None else 'given'}: stats were made that way")
        if vectors is not None and side is not None:
            check_dim(name, vectors, side)
    out = np.empty((slices.rows, len(stats.mean)), dtype=np.float32)
    for chunk, start in zip(slices, range(0, slices.rows, CHUNK_ROWS), strict=True):
        _vectors(chunk, stats.image, stats.text, out[start : start + CHUNK_ROWS])
    return out


def path_queries(
    q_image: npt.ArrayLike | None, q_text: npt.ArrayLike | None, stats: GalleryStats
) -> dict[Path, Float32]:
    """The query vector of every path there is, whitened for the gallery side it is compared with.

    The scores of path p are ``path_queries(...)[p] @ gallery_vectors(...)[:, stats.part(p)].T``.

    Args:
        q_image: photo embeddings ``[n_queries, d]`` or ``[d]``, or ``None``.
        q_text: question embeddings ``[n_queries, d]`` or ``[d]``, or ``None``.
        stats: the gallery's.

    Raises:
        ValueError: different numbers of queries or a dimension that is not the gallery's (both shapes are shown),
            values that are not finite, or no path left.
    """
    queries = {
        letter: None if value is None else float_matrix(name, value)
        for letter, name, value in (("i", "q_image", q_image), ("t", "q_text", q_text))
    }
    if queries["i"] is not None and queries["t"] is not None and len(queries["i"]) != len(queries["t"]):
        raise ValueError(
            f"q_image and q_text must hold the same queries, got shapes {queries['i'].shape} and {queries['t'].shape}"
        )
    sides = {"i": stats.image, "t": stats.text}
    found: dict[Path, Float32] = {}
    names: tuple[Path, ...] = ("ii", "tt", "it", "ti")
    for path in names:
        vectors, side = queries[path[0]], sides[path[1]]
        if vectors is None or side is None or (path[0] != path[1] and not stats.shared_space):
            continue
        check_dim("q_image" if path[0] == "i" else "q_text", vectors, side)
        found[path] = side.apply(vectors)
    if not found:
        raise ValueError("no path is left: give q_image or q_text, and a gallery side it can be compared with")
    return found


def check_dim(name: str, vectors: FloatArray, side: Side) -> None:
    """Raises ValueError, showing both shapes, where ``vectors`` do not have the gallery's dimension."""
    if vectors.shape[1] != side.dim:
        raise ValueError(
            f"{name} of shape {vectors.shape} does not fit the gallery's vectors of shape [*, {side.dim}]; "
            "both must come from the same encoder"
        )


@dataclass(frozen=True)
class _Slices:
    """A gallery in memory as chunks that can be gone through again."""

    image: FloatArray | None
    text: FloatArray | None

    @property
    def rows(self) -> int:
        return next((len(side) for side in (self.image, self.text) if side is not None), 0)

    def __iter__(self) -> Iterator[Chunk]:
        for start in range(0, self.rows, CHUNK_ROWS):
            rows = slice(start, start + CHUNK_ROWS)
            yield (
                None if self.image is None else self.image[rows],
                None if self.text is None else self.text[rows],
            )


def _slices(g_image: npt.ArrayLike | None, g_text: npt.ArrayLike | None) -> _Slices:
    image, text = (
        None if side is None else float_matrix(name, side) for name, side in (("g_image", g_image), ("g_text", g_text))
    )
    _check_rows(image, text)
    return _Slices(image, text)


def _check_rows(image: FloatArray | None, text: FloatArray | None) -> None:
    if image is not None and text is not None and len(image) != len(text):
        raise ValueError(f"g_image and g_text must hold the same items, got shapes {image.shape} and {text.shape}")


def _checked(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """The chunks that have rows, as float matrices, both sides equally long and of one dimension throughout."""
    if isinstance(chunks, _Slices):  # of arrays that were checked as a whole
        yield from chunks
        return
    dims: tuple[int | None, ...] | None = None
    for pair in chunks:
        image, text = (
            None if side is None else float_matrix(name, side)
            for name, side in zip(("g_image", "g_text"), pair, strict=True)
        )
        _check_rows(image, text)
        now = tuple(None if side is None else side.shape[1] for side in (image, text))
        if dims is not None and now != dims:
            raise ValueError(f"chunks must all have the dimensions {dims} (photo, caption), got {now}")
        dims = now
        if any(side is not None and len(side) for side in (image, text)):
            yield image, text


def _sides(chunks: Iterable[Chunk], whiten: bool) -> tuple[Side | None, Side | None, int]:
    """First pass: per-dimension mean and standard deviation of both sides, and the number of rows."""
    shifts: dict[int, FloatArray] = {}
    sums: dict[int, Float64] = {}
    squares: dict[int, Float64] = {}
    rows = 0
    for chunk in _checked(chunks):
        rows += next(len(side) for side in chunk if side is not None)
        for index, vectors in enumerate(chunk):
            if vectors is None:
                continue
            if index not in shifts:
                shifts[index] = vectors.mean(axis=0, dtype=np.float64).astype(vectors.dtype)
                sums[index], squares[index] = np.zeros((2, vectors.shape[1]))
            for start in range(0, len(vectors) if whiten else 0, CACHE_ROWS):
                centred = vectors[start : start + CACHE_ROWS] - shifts[index]
                sums[index] += centred.sum(axis=0)
                squares[index] += np.einsum("ij,ij->j", centred, centred)
    if not rows:
        raise ValueError("a gallery needs at least one item and one side (g_image or g_text), got none")

    def side(index: int) -> Side | None:
        if index not in shifts:
            return None
        if not whiten:
            return Side(np.zeros_like(sums[index]), np.ones_like(sums[index]))
        mean = sums[index] / rows
        variance = np.clip(squares[index] / rows - mean**2, 0, None)
        return Side(shifts[index] + mean, 1 / (np.sqrt(variance) + STD_EPS))

    return side(0), side(1), rows


def _with_moments(
    sides: tuple[Side | None, Side | None], rows: int, chunks: Iterable[Float32], whiten: bool, shared_space: bool
) -> GalleryStats:
    """Second pass: mean and covariance of the whitened vectors."""
    image, text = sides
    total = sum(side.dim for side in (image, text) if side is not None)
    shift = np.zeros(total, dtype=np.float32)
    sums, products = np.zeros(total), np.zeros((total, total))
    for index, vectors in enumerate(chunks):
        if not whiten:
            # Plain vectors may all point one way (CLIP's do). Raw second moments would then lose the digits that make
            # up the variance, so sums are taken around the first chunk's mean. Whitened ones scatter around zero.
            shift = vectors.mean(axis=0) if index == 0 else shift
        centred = vectors if whiten else vectors - shift
        sums += centred.sum(axis=0)
        products += centred.T @ centred
    mean = sums / rows
    products /= rows
    products -= np.outer(mean, mean)
    return GalleryStats(
        image=image,
        text=text,
        mean=(mean + shift).astype(np.float32),
        covariance=products.astype(np.float32),
        rows=rows,
        shared_space=shared_space and (image is None or text is None or image.dim == text.dim),
    )


def _vectors(chunk: Chunk, image: Side | None, text: Side | None, out: Float32 | None = None) -> Float32:
    """``[photo ; caption]`` rows of one chunk, whitened."""
    pairs = [
        (vectors, side) for vectors, side in zip(chunk, (image, text), strict=True) if vectors is not None and side
    ]
    if out is None:
        out = np.empty((len(pairs[0][0]), sum(side.dim for _, side in pairs)), dtype=np.float32)
    start = 0
    for vectors, side in pairs:
        side.apply(vectors, out[:, start : start + side.dim])
        start += side.dim
    return out
