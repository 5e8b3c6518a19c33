"""lens_distortion: a wide-angle lens."""

from __future__ import annotations

import cv2
import numpy as np

from ..registry import Pixels, define_image_operator
from ._warp import remap


@define_image_operator(
    summary="Radial distortion about the centre, the margin cropped away, resized back.",
    parameters={1: {"k1": -0.10}, 2: {"k1": -0.20}, 3: {"k1": -0.30}},
)
def lens_distortion(pixels: Pixels, rng: np.random.Generator, *, k1: float) -> Pixels:
    """Samples at ``1 + k1 * r²`` times the distance r from the centre; r is 1 in the middle of every edge.

    Black where that lies outside the image. The crop takes ``min(0.18, 0.12 * |k1|)`` of each side off at both ends,
    at least 2 pixels; an image too small for that is not cropped. Only the crop is sampled.
    """
    height, width = pixels.shape[:2]
    margin = min(0.18, abs(k1) * 0.12)
    left, top = max(2, int(width * margin)), max(2, int(height * margin))
    if width - 2 * left < 1 or height - 2 * top < 1:
        left = top = 0
    x_unit, y_unit = _unit(width)[left : width - left], _unit(height)[top : height - top]
    x_half, y_half = np.float32(width / 2), np.float32(height / 2)
    x_part, y_part = np.float32(k1) * x_unit**2, 1 + np.float32(k1) * y_unit**2

    def maps(rows: slice, columns: slice) -> tuple[np.ndarray, np.ndarray]:
        factor = x_part[None, columns] + y_part[rows, None]
        x = factor * (x_unit[None, columns] * x_half)
        x += x_half
        factor *= y_unit[rows, None] * y_half
        factor += y_half
        return x, factor

    return cv2.resize(remap(pixels, height - 2 * top, width - 2 * left, maps), (width, height))


def _unit(length: int) -> np.ndarray:
    """float32 [length]: pixel positions as seen from the centre, in half lengths."""
    half = np.float32(length / 2)
    return (np.arange(length, dtype=np.float32) - half) / half
