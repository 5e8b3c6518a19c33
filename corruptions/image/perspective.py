"""perspective: shot from below, the top runs away."""

from __future__ import annotations

import cv2
import numpy as np

from ..registry import Pixels, define_image_operator
from ._warp import cut, tiles


@define_image_operator(
    summary="The upper corners pulled in and down, the borders cropped away, resized back.",
    parameters={1: {"inset": 0.10}, 2: {"inset": 0.20}, 3: {"inset": 0.30}},
)
def perspective(pixels: Pixels, rng: np.random.Generator, *, inset: float) -> Pixels:
    """The inset is a fraction of the shorter side; the upper corners move by all of it inwards and half of it down.

    The crop cuts the empty margins above, left and right and two pixels more; a crop with a side under 8 pixels is
    left out. Only the crop is warped.
    """
    height, width = pixels.shape[:2]
    shift = int(min(height, width) * inset)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    moved = np.array([[shift, shift // 2], [width - shift, shift // 2], [width, height], [0, height]], np.float32)
    left, top, right = shift + 2, shift // 2 + 2, width - shift - 2
    if right - left < 8 or height - top < 8:
        left, top, right = 0, 0, width
    matrix = _translation(-left, -top) @ cv2.getPerspectiveTransform(corners, moved)
    return cv2.resize(_warp(pixels, matrix, height - top, right - left), (width, height))


def _warp(pixels: Pixels, matrix: np.ndarray, height: int, width: int) -> Pixels:
    """Bilinear warp of any size, black outside the image; ``matrix`` [3, 3] maps input to output coordinates."""
    result = np.empty((height, width, 3), np.uint8)
    for rows, columns in tiles(height, width):
        ends_x, ends_y = (columns.start, columns.stop - 1), (rows.start, rows.stop - 1)
        ends = np.array([[[x, y] for x in ends_x for y in ends_y]], np.float64)
        x, y = cv2.perspectiveTransform(ends, np.linalg.inv(matrix))[0].T
        source, left, top = cut(pixels, (x.min(), x.max()), (y.min(), y.max()))
        shifted = _translation(-columns.start, -rows.start) @ matrix @ _translation(left, top)
        size = (columns.stop - columns.start, rows.stop - rows.start)
        result[rows, columns] = cv2.warpPerspective(source, shifted, size)
    return result


def _translation(x: float, y: float) -> np.ndarray:
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1]], np.float64)
