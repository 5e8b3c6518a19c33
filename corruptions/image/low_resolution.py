"""low_resolution: a thumbnail blown up."""

from __future__ import annotations

import numpy as np

from ..registry import Pixels, define_image_operator
from ._nearest import coarsen


@define_image_operator(
    summary="Nearest-neighbour reduction and nearest-neighbour enlargement back.",
    parameters={
        1: {"scale": 0.50, "least": 4},
        2: {"scale": 0.25, "least": 4},
        3: {"scale": 0.08, "least": 4},
    },
)
def low_resolution(pixels: Pixels, rng: np.random.Generator, *, scale: float, least: int) -> Pixels:
    """Each side is reduced to ``scale`` of its length, but not below ``least`` pixels."""
    height, width = pixels.shape[:2]
    return coarsen(pixels, max(least, int(height * scale)), max(least, int(width * scale)))
