"""cropping: only a part of the scene is in the frame."""

from __future__ import annotations

import numpy as np

from ..registry import Pixels, define_image_operator


@define_image_operator(
    summary="A window of the image at a random place; the output is smaller.",
    parameters={1: {"keep": 0.90}, 2: {"keep": 0.65}, 3: {"keep": 0.40}},
    random=True,
    size="smaller",
)
def cropping(pixels: Pixels, rng: np.random.Generator, *, keep: float) -> Pixels:
    """``keep`` is the part of each side, so 81 %, 42 % and 16 % of the area remain; never less than one pixel.

    The position is uniform over all windows. One pair of draws serves every severity, which makes the windows nested.
    """
    height, width = pixels.shape[:2]
    new_height, new_width = max(1, int(height * keep)), max(1, int(width * keep))
    across, down = rng.random(2)
    left, top = int(across * (width - new_width + 1)), int(down * (height - new_height + 1))
    return pixels[top : top + new_height, left : left + new_width].copy()
