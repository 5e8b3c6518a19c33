"""Nearest-neighbour sampling, pixel for pixel as Pillow does it."""

from __future__ import annotations

import numpy as np

from ..registry import Pixels


def coarsen(pixels: Pixels, height: int, width: int) -> Pixels:
    """Resizes to height x width by nearest neighbour and back to the size of ``pixels``."""
    full_height, full_width = pixels.shape[:2]
    columns = _nearest(full_width, width)[_nearest(width, full_width)]
    small = pixels[_nearest(full_height, height)].take(columns, axis=1)
    return small.take(_nearest(height, full_height), axis=0)


def _nearest(old: int, new: int) -> np.ndarray:
    """int64 [new]: which of ``old`` samples lies nearest to the centre of each of ``new``.

    Pillow adds up steps in double precision; where a centre falls between two samples, the sum's rounding decides.
    """
    steps = np.full(new, old / new)
    steps[0] /= 2
    return np.minimum(np.cumsum(steps).astype(np.int64), old - 1)
