"""motion_blur: the camera moved sideways."""

from __future__ import annotations

import cv2
import numpy as np

from ..registry import Pixels, define_image_operator


@define_image_operator(
    summary="Mean over a horizontal line of pixels.",
    parameters={1: {"length": 5}, 2: {"length": 13}, 3: {"length": 25}},
)
def motion_blur(pixels: Pixels, rng: np.random.Generator, *, length: int) -> Pixels:
    """Length in pixels, centred; the image is mirrored beyond its edges without repeating the edge pixel."""
    return cv2.blur(pixels, (length, 1), borderType=cv2.BORDER_REFLECT_101)
