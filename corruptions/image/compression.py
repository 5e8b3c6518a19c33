"""compression: saved too hard."""

from __future__ import annotations

import cv2
import numpy as np

from ..registry import Pixels, define_image_operator

_JPEG_SIDE = 65_488
"""Longest side of one JPEG, rounded down to whole blocks of 16 x 16 pixels; the format ends at 65,535."""


@define_image_operator(
    summary="Saved as JPEG of low quality and read back.",
    parameters={1: {"quality": 50}, 2: {"quality": 18}, 3: {"quality": 5}},
)
def compression(pixels: Pixels, rng: np.random.Generator, *, quality: int) -> Pixels:
    """Baseline JPEG with 4:2:0 chroma, as Pillow's defaults. Images longer than a JPEG can be are saved in pieces."""
    height, width = pixels.shape[:2]
    if max(height, width) <= _JPEG_SIDE:
        return _through_jpeg(pixels, quality)
    result = np.empty_like(pixels)
    for top in range(0, height, _JPEG_SIDE):
        for left in range(0, width, _JPEG_SIDE):
            window = np.s_[top : top + _JPEG_SIDE, left : left + _JPEG_SIDE]
            result[window] = _through_jpeg(pixels[window], quality)
    return result


def _through_jpeg(pixels: Pixels, quality: int) -> Pixels:
    # OpenCV and Pillow carry the same codec, and OpenCV hands the pixels over without packing them twice.
    bgr = cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    decoded = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR))
    return cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB, dst=bgr)
