"""MOOR: per-query path weights from the scores' own statistics (Section 5, Appendix B.2.4).

``ii`` is the anchor. A path counts with gate(r) x variance, where r is the Pearson correlation of its scores with
the anchor's over the whole gallery, and variance that of its scores; the anchor's gate is 1. The fused score is the
sum of the paths under these weights, normalised to sum to 1.

Nothing here looks at the score matrices. Variances and correlations come from the gallery's mean and covariance
(O(d^2) a query, whatever the size of the gallery), and because all whitened paths are inner products with the same
two gallery vectors, the fused score is ONE inner product::

    [w_ii q_i + w_ti q_t ; w_tt q_t + w_it q_i] . [g_i ; g_t]

so that :func:`query_vectors` and :func:`gallery_vectors` serve MOOR from any inner-product index. The paper leaves
whitening out for VLM2Vec-Full and VLM2Vec-V2 (rule ``moor-unwhitened``).

Where r is undefined (a path whose scores do not vary over the gallery) the path gets weight 0: its standard
deviation is then below 1e-6 of its root mean square, a rule without units where the published one compares a sum
of variances with 1e-6. Where every weight is 0, the anchor alone is used. Weights therefore always sum to 1 and
scores are finite; a constant anchor leaves r = 0 for every path, which the bell turns into "anchor alone".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ..corruptions.conditions import check_name
from .gates import BELL, Gate
from .paths import PATHS, Path, Paths, pick_paths
from .whitening import (
    Float32,
    Float64,
    GalleryIndex,
    GalleryStats,
    gallery_stats,
    gallery_vectors,
    index_gallery,
    path_queries,
    stream_gallery_stats,
)

__all__ = [
    "GalleryIndex",
    "GalleryStats",
    "PathWeights",
    "gallery_stats",
    "gallery_vectors",
    "index_gallery",
    "matrix_weights",
    "path_weights",
    "query_vectors",
    "stream_gallery_stats",
]

Weighting = Literal["variance", "uniform"]

CONSTANT = 1e-6
"""A path is constant when its standard deviation is at most this fraction of its root mean square."""


@dataclass(frozen=True)
class PathWeights:
    """How each query's paths were weighted; arrays are float64 ``[n_queries, n_paths]``.

    Attributes:
        paths: the columns' names, ``ii`` first.
        weight: the weights; every row sums to 1.
        r: correlation with the anchor over the gallery, in [-1, 1]; 1 for the anchor, 0 where undefined.
        gate: gate values; 1 for the anchor.
        variance: population variance of the path's scores over the gallery.
        fallback: bool ``[n_queries]``, where no path had a weight and the anchor alone was used.
    """

    paths: tuple[Path, ...]
    weight: Float64
    r: Float64
    gate: Float64
    variance: Float64
    fallback: npt.NDArray[np.bool_]

    @property
    def text_share(self) -> Float64:
        """Share of the paths that involve the question or a caption, ``[n_queries]`` (Table 11)."""
        return 1 - self.weight[:, 0]


def path_weights(
    q_image: npt.ArrayLike,
    q_text: npt.ArrayLike | None,
    stats: GalleryStats,
    *,
    gate: Gate = BELL,
    weighting: Weighting = "variance",
) -> PathWeights:
    """MOOR's weights from the gallery's moments, without a pass over the gallery.

    Args:
        q_image: photo embeddings ``[n_queries, d_image]`` or one row.
        q_text: question embeddings ``[n_queries, d_text]`` or one row; ``None`` leaves ``tt`` and ``ti`` out.
        stats: from :func:`gallery_stats` or :func:`stream_gallery_stats`.
        gate: the gate of the text paths.
        weighting: ``uniform`` is the paper's ablation: weights are the gates alone.

    Raises:
        ValueError: see :func:`~.whitening.path_queries`; also where there is no anchor.
    """
    return vector_weights(path_queries(q_image, q_text, stats), stats, gate, weighting)


def query_vectors(
    q_image: npt.ArrayLike,
    q_text: npt.ArrayLike | None,
    stats: GalleryStats,
    *,
    gate: Gate = BELL,
    weighting: Weighting = "variance",
) -> Float32:
    """The vectors whose inner product with :func:`gallery_vectors` is MOOR's fused score.

    Args:
        q_image: see :func:`path_weights`.
        q_text: see :func:`path_weights`.
        stats: see :func:`path_weights`.
        gate: see :func:`path_weights`.
        weighting: see :func:`path_weights`.

    Returns:
        float32 ``[n_queries, d_image + d_text]``; not of unit length, so use an inner-product index.

    >>> rng = np.random.default_rng(0)
    >>> g_image, g_text = rng.standard_normal((2, 50, 8))
    >>> stats = gallery_stats(g_image, g_text)
    >>> scores = query_vectors(g_image[:3], g_text[:3], stats) @ gallery_vectors(g_image, g_text, stats).T
    >>> scores.argmax(axis=1).tolist()
    [0, 1, 2]
    """
    queries = path_queries(q_image, q_text, stats)
    weights = vector_weights(queries, stats, gate, weighting)
    return weighted_vectors(queries, dict(zip(weights.paths, weights.weight.T, strict=True)), stats)


def weighted_vectors(queries: dict[Path, Float32], weights: dict[Path, Float64], stats: GalleryStats) -> Float32:
    """One vector a query for the weighted sum of paths; ``weights`` are ``[n_queries]`` a path."""
    fused = np.zeros((len(next(iter(queries.values()))), len(stats.mean)), dtype=np.float32)
    for path, vectors in queries.items():
        fused[:, stats.part(path)] += weights[path].astype(np.float32)[:, None] * vectors
    return fused


def matrix_weights(paths: Paths, *, gate: Gate = BELL, weighting: Weighting = "variance") -> PathWeights:
    """MOOR's weights from score matrices, for a model of which only the scores are known.

    The paths are taken as they are; whitening happens on embeddings, so raw cosines give the ablation without it.
    """
    names = _order(paths)
    matrices = pick_paths(paths, names, "MOOR")
    variance, covariance, square = np.empty((3, len(matrices[0]), len(names)))
    for row, scores in enumerate(zip(*matrices, strict=True)):  # a row at a time: no float64 copy of the matrices
        values = np.asarray(scores, dtype=np.float64)
        centred = values - values.mean(axis=1, keepdims=True)
        variance[row] = np.mean(centred**2, axis=1)
        covariance[row] = centred @ centred[0] / centred.shape[1]
        square[row] = np.mean(values**2, axis=1)
    return _weigh(names, (variance, covariance, square), gate, weighting)


def _order(paths: Paths) -> tuple[Path, ...]:
    if "ii" not in paths:
        raise ValueError(f"MOOR needs its anchor, the path 'ii' (photo with photo); got: {', '.join(paths) or 'none'}")
    return tuple(name for name in PATHS if name in paths)


def vector_weights(queries: dict[Path, Float32], stats: GalleryStats, gate: Gate, weighting: Weighting) -> PathWeights:
    names = _order(queries)
    anchor = queries["ii"] @ stats.covariance[stats.part("ii")]
    variance, covariance, square = np.empty((3, len(anchor), len(names)))
    for column, path in enumerate(names):
        vectors, part = queries[path], stats.part(path)
        spread = anchor[:, part] if path == "ii" else vectors @ stats.covariance[part, part]
        variance[:, column] = np.einsum("ij,ij->i", spread, vectors)
        covariance[:, column] = np.einsum("ij,ij->i", anchor[:, part], vectors)
        square[:, column] = variance[:, column] + (vectors @ stats.mean[part]).astype(np.float64) ** 2
    return _weigh(names, (variance, covariance, square), gate, weighting)


def _weigh(
    names: tuple[Path, ...], moments: tuple[Float64, Float64, Float64], gate: Gate, weighting: Weighting
) -> PathWeights:
    """Weights from every path's variance, covariance with the anchor, and mean square."""
    variance, covariance, square = moments
    check_name("weighting", weighting, get_args(Weighting))
    varies = variance > CONSTANT**2 * square
    variance = np.where(varies, variance, 0.0)
    known = varies & varies[:, :1]
    r = np.zeros_like(variance)
    np.divide(covariance, np.sqrt(variance * variance[:, :1]), out=r, where=known)
    np.clip(r, -1, 1, out=r)
    gates = gate(r)
    gates[:, 0] = 1.0
    weight = gates * (variance if weighting == "variance" else varies)
    total = weight.sum(axis=1)
    fallback = total == 0
    weight[fallback, 0] = 1.0
    weight /= np.where(fallback, 1.0, total)[:, None]
    return PathWeights(names, weight, r, gates, variance, fallback)
