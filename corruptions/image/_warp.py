"""Warping of images of any size: OpenCV's warps end at 32,767 pixels a side."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import cv2
import numpy as np

from ..registry import Pixels

LONGEST = 32_000
"""Sides up to this length go to OpenCV whole; its own limit is SHRT_MAX."""

_TILE = 16_000


def tiles(height: int, width: int, rows: int = _TILE, columns: int = _TILE) -> Iterator[tuple[slice, slice]]:
    """(rows, columns) of windows that cover height x width."""
    for top in range(0, height, rows):
        for left in range(0, width, columns):
            yield slice(top, min(height, top + rows)), slice(left, min(width, left + columns))


def cut(pixels: Pixels, x: tuple[float, float], y: tuple[float, float]) -> tuple[Pixels, int, int]:
    """The part of ``pixels`` that bilinear sampling between these coordinates reads, and its left and top.

    The whole image where OpenCV takes it whole. A tile of ``_TILE`` output pixels must not read more than
    ``LONGEST`` input pixels a side, which holds for the operators here: none reduces below one half.
    """
    height, width = pixels.shape[:2]
    if max(height, width) <= LONGEST:
        return pixels, 0, 0
    left, right = max(0, min(width - 1, int(x[0]) - 2)), min(width, max(1, int(x[1]) + 3))
    top, bottom = max(0, min(height - 1, int(y[0]) - 2)), min(height, max(1, int(y[1]) + 3))
    return pixels[top:bottom, left:right], left, top


def remap(
    pixels: Pixels, height: int, width: int, maps: Callable[[slice, slice], tuple[np.ndarray, np.ndarray]]
) -> Pixels:
    """Bilinear sampling of ``pixels`` at the coordinates ``maps(rows, columns)`` = (x, y), black outside the image.

    Maps are float32 of the window's shape and are asked for in strips, so that they never exist as a whole.
    """
    result = np.empty((height, width, 3), np.uint8)
    for rows, columns in tiles(height, width, rows=min(_TILE, max(16, (1 << 16) // min(width, _TILE)))):
        x, y = maps(rows, columns)
        source = pixels
        if max(pixels.shape) > LONGEST:
            source, left, top = cut(pixels, (float(x.min()), float(x.max())), (float(y.min()), float(y.max())))
            x, y = x - np.float32(left), y - np.float32(top)
        result[rows, columns] = cv2.remap(
            source, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(0, 0, 0)
        )
    return result
