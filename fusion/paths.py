"""Score paths: what every fusion rule combines.

A path compares one side of the query with one side of the gallery and is named query side first: ``ii`` (photo
with photo), ``tt`` (question with caption), ``it`` (photo with caption), ``ti`` (question with photo). The paper
writes them s^II, s^TT, s^IT and s^TI (Section 5).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from ..corruptions.conditions import check_name

Path = Literal["ii", "tt", "it", "ti"]
PATHS: tuple[Path, ...] = get_args(Path)

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
Paths: TypeAlias = Mapping[Path, FloatArray]


def float_matrix(argument: str, value: npt.ArrayLike) -> FloatArray:
    """``value`` as a finite float matrix; one row where a vector is given.

    float64 stays float64, everything else becomes float32: half precision would invent ties.

    Raises:
        ValueError: not one- or two-dimensional, no columns, or a NaN or infinity (the message says where).
    """
    array = np.asarray(value)
    if array.dtype != np.float64:
        array = array.astype(np.float32, copy=False)
    if array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"{argument} must be a matrix [rows, columns >= 1] or one row, got shape {np.shape(value)}")
    with np.errstate(over="ignore", invalid="ignore"):
        total = array.sum()  # one pass without a temporary; the slow search runs only when it fires
    if not np.isfinite(total):
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            row, column = bad[0]
            raise ValueError(f"{argument} must be finite, got {array[row, column]} at row {row}, column {column}")
    return array


def pick_paths(paths: Paths, wanted: tuple[Path, ...], purpose: str) -> tuple[FloatArray, ...]:
    """The ``wanted`` paths as float matrices of one shape ``[n_queries, n_gallery]``.

    Every path scores every gallery item; a list that leaves items out has no defined score for them here and is
    refused by its shape rather than filled with zeros.

    Raises:
        ValueError: a name outside ii, tt, it, ti; a wanted path is absent; two shapes differ.
    """
    for name in paths:
        check_name("path", name, PATHS)
    missing = [name for name in wanted if name not in paths]
    if missing:
        given = ", ".join(paths) or "none"
        raise ValueError(f"{purpose} needs the paths {', '.join(wanted)}; missing: {', '.join(missing)}; got: {given}")
    matrices = tuple(float_matrix(f"path {name!r}", paths[name]) for name in wanted)
    for name, matrix in zip(wanted, matrices, strict=True):
        if matrix.shape != matrices[0].shape:
            raise ValueError(
                f"paths must score the same queries and gallery: {wanted[0]!r} has shape {matrices[0].shape}, "
                f"{name!r} has shape {matrix.shape}"
            )
    return matrices
