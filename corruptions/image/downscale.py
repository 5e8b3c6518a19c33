"""downscale: a thumbnail."""

from __future__ import annotations

import numpy as np
from PIL import Image

from ..registry import Pixels, define_image_operator


@define_image_operator(
    summary="Lanczos reduction; the output stays small.",
    parameters={
        1: {"scale": 0.20, "least": 4},
        2: {"scale": 0.10, "least": 4},
        3: {"scale": 0.04, "least": 4},
    },
    size="smaller",
)
def downscale(pixels: Pixels, rng: np.random.Generator, *, scale: float, least: int) -> Pixels:
    """Each side is reduced to ``scale`` of its length, but not below ``least`` pixels and never enlarged.

    Averages of whole pixels take over the strong part of the reduction and leave at least a fourfold one to the
    Lanczos filter, where the difference is below one grey level; not for outputs so small that the last, incomplete
    average would weigh.
    """
    height, width = pixels.shape[:2]
    new_size = min(width, max(least, int(width * scale))), min(height, max(least, int(height * scale)))
    gap = 4.0 if min(new_size) >= 24 else None
    return np.array(Image.fromarray(pixels).resize(new_size, Image.Resampling.LANCZOS, reducing_gap=gap))
