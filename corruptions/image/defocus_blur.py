"""defocus_blur: a lens out of focus."""

from __future__ import annotations

import math

import cv2
import numpy as np

from ..registry import Pixels, define_image_operator

_PASSES = 3
_COLUMNS = 4096


@define_image_operator(
    summary="Gaussian blur; the radius is the standard deviation in pixels.",
    parameters={1: {"radius": 1.0}, 2: {"radius": 3.5}, 3: {"radius": 10.0}},
)
def defocus_blur(pixels: Pixels, rng: np.random.Generator, *, radius: float) -> Pixels:
    """Pillow's Gaussian blur, which is three box blurs in a row, each with the image's edge repeated beyond it."""
    kernel = _box(radius)
    reach = _PASSES * (kernel.size // 2)
    result = np.empty_like(pixels)
    # In columns: OpenCV buffers as many whole rows in single precision as the kernel is high.
    for left in range(0, pixels.shape[1], _COLUMNS):
        start = max(0, left - reach)
        part = pixels[:, start : left + _COLUMNS + reach]
        for _ in range(_PASSES):
            part = np.asarray(cv2.sepFilter2D(part, -1, kernel, kernel, borderType=cv2.BORDER_REPLICATE))
        result[:, left : left + _COLUMNS] = part[:, left - start : left - start + _COLUMNS]
    return result


def _box(radius: float) -> np.ndarray:
    """float32 [2 n + 3], sum 1: a box with fractional ends, so wide that three of them have the variance radius²."""
    variance = radius**2 / _PASSES
    whole = math.floor((math.sqrt(12 * variance + 1) - 1) / 2)
    # The weight of the two end pixels that gives a box with 2 whole + 1 full pixels the wanted variance.
    end = (2 * whole + 1) * (whole * (whole + 1) - 3 * variance) / (6 * (variance - (whole + 1) ** 2))
    box = np.array([end, *[1.0] * (2 * whole + 1), end], np.float32)
    return box / box.sum()
