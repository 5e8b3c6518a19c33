"""overexposure: too much light."""

from __future__ import annotations

import cv2
import numpy as np

from ..registry import Pixels, define_image_operator


@define_image_operator(
    summary="Brightness multiplied, highlights clipped to white.",
    parameters={1: {"factor": 1.4}, 2: {"factor": 2.2}, 3: {"factor": 3.0}},
)
def overexposure(pixels: Pixels, rng: np.random.Generator, *, factor: float) -> Pixels:
    """``trunc(clip(factor * pixels))``, in single precision as published."""
    levels = np.arange(256, dtype=np.float32) * np.float32(factor)
    return cv2.LUT(pixels, np.clip(levels, 0, 255).astype(np.uint8))
