"""Embeddings as fusion rules take them: a gallery prepared once, queries of one condition at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy.typing as npt

from .paths import FloatArray, Path
from .whitening import Float32, GalleryIndex, index_gallery, path_queries


@dataclass(frozen=True, eq=False)
class Gallery:
    """The gallery's embeddings; whitened vectors and statistics are computed once, when first needed.

    Attributes:
        image: photo embeddings ``[n_gallery, d_image]`` or ``None``. Not copied: leave the array unchanged.
        text: caption embeddings ``[n_gallery, d_text]`` or ``None``.
        shared_space: ``False`` where photos and texts come from unrelated encoders (a pair of towers): the paths
            ``it`` and ``ti`` do not exist then, nor where the dimensions differ.
    """

    image: npt.ArrayLike | None
    text: npt.ArrayLike | None = None
    shared_space: bool = True
    _indexes: dict[bool, GalleryIndex] = field(default_factory=dict, init=False, repr=False)

    def index(self, *, whiten: bool = True) -> GalleryIndex:
        """Statistics and vectors, whitened or (the ablation, and plain cosines) only of unit length."""
        if whiten not in self._indexes:
            self._indexes[whiten] = index_gallery(self.image, self.text, whiten=whiten, shared_space=self.shared_space)
        return self._indexes[whiten]


@dataclass(frozen=True, eq=False)
class Embeddings(Mapping[Path, FloatArray]):
    """The queries of one condition before a gallery; reads as the mapping of their score paths.

    A path is a float32 matrix of cosines ``[n_queries, n_gallery]``, computed when first asked for and kept. A
    zero vector has similarity 0 with everything. Only paths that exist are listed.

    Attributes:
        image: query photo embeddings ``[n_queries, d_image]`` or one row, or ``None``.
        text: question embeddings ``[n_queries, d_text]`` or one row, or ``None``.
        gallery: what they are compared with.

    >>> import numpy as np
    >>> eye = np.eye(2, dtype=np.float32)
    >>> queries = Embeddings(eye, eye, Gallery(eye, eye))
    >>> list(queries), queries["ii"].tolist()
    (['ii', 'tt', 'it', 'ti'], [[1.0, 0.0], [0.0, 1.0]])
    """

    image: npt.ArrayLike | None
    text: npt.ArrayLike | None
    gallery: Gallery
    _vectors: dict[bool, dict[Path, Float32]] = field(default_factory=dict, init=False, repr=False)
    _scores: dict[tuple[bool, Path], Float32] = field(default_factory=dict, init=False, repr=False)

    def vectors(self, *, whiten: bool = True) -> dict[Path, Float32]:
        """The query vector of every path there is; see :func:`~.whitening.path_queries`."""
        if whiten not in self._vectors:
            self._vectors[whiten] = path_queries(self.image, self.text, self.gallery.index(whiten=whiten).stats)
        return self._vectors[whiten]

    def path(self, name: Path, *, whiten: bool) -> Float32:
        """Scores of one path, whitened or plain.

        Raises:
            KeyError: the path does not exist for these embeddings.
        """
        if (whiten, name) not in self._scores:
            queries = self.vectors(whiten=whiten)[name]
            stats, gallery = self.gallery.index(whiten=whiten)
            self._scores[whiten, name] = queries @ gallery[:, stats.part(name)].T
        return self._scores[whiten, name]

    def whitened(self) -> dict[Path, Float32]:
        """Every path there is, between whitened vectors."""
        return {name: self.path(name, whiten=True) for name in self}

    def __getitem__(self, name: Path) -> Float32:
        return self.path(name, whiten=False)

    def __iter__(self) -> Iterator[Path]:
        return iter(self.vectors(whiten=False))

    def __len__(self) -> int:
        return len(self.vectors(whiten=False))
