"""The paper's fixed fusion for dual encoders: the plain mean of two raw cosines (Section 4.1)."""

from __future__ import annotations

import numpy as np

from ..corruptions.conditions import MODES, Mode, check_name
from .paths import FloatArray, Path, Paths, pick_paths

MODE_PATHS: dict[Mode, tuple[Path, ...]] = {
    "it2it": ("ii", "tt"),
    "i2i": ("ii",),
    "i2it": ("ii", "it"),
    "t2t": ("tt",),
    "t2it": ("ti", "tt"),
}
"""Paths averaged in each mode. ASSUMED for ``i2it`` and ``t2it``: the paper gives a formula only for joint
queries; these use both sides of the gallery, the one reading that does."""


def fixed(paths: Paths, mode: Mode = "it2it") -> FloatArray:
    """Fixed fusion: the mean of the mode's paths, without any standardisation.

    Args:
        paths: raw cosines ``[n_queries, n_gallery]`` by path name; may hold more paths than the mode needs.
        mode: query side -> gallery side.

    Returns:
        Scores ``[n_queries, n_gallery]``, float32 (float64 for float64 paths). A mode with one path returns that
        path itself, not a copy.

    Raises:
        ValueError: unknown mode or path name, a path the mode needs is absent, or shapes differ.

    >>> fixed({"ii": np.array([[1.0, 0.0]]), "tt": np.array([[0.0, 0.5]])}).tolist()
    [[0.5, 0.25]]
    """
    check_name("mode", mode, MODES)
    matrices = pick_paths(paths, MODE_PATHS[mode], f"mode {mode!r}")
    if len(matrices) == 1:
        return matrices[0]
    total = np.add(*matrices)
    total *= 0.5
    return total
