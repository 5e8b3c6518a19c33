"""rotation: the photo is askew or upside down."""

from __future__ import annotations

import math

import cv2
import numpy as np
from PIL import Image

from ..registry import Pixels, define_image_operator

_TILE = 512
"""Output pixels per side of one tile: bounds the memory, whatever the enlargement."""

_ROUGH = 9.0
"""Roughness from which OpenCV's bicubic filter, which is three times as fast, is too different from Pillow's.

Their kernels' parameters are -0.75 and -1. Measured on photographs, drawings and noise, the difference is 0.06 times
the roughness (root mean square in grey levels), and up to 0.1 times on patterns of a few pixels, so up to here it is
below one grey level. Enlarged photographs have a roughness of 1 to 10, white noise has 75 to 115."""

_SMALL = 128 * 128
"""Pixels under which Pillow's filter is always taken: roughness says little there, and speed doesn't matter."""


@define_image_operator(
    summary="Turned counter-clockwise and enlarged until no corner is empty; 180° turns it upside down.",
    parameters={1: {"angle": 10}, 2: {"angle": 45}, 3: {"angle": 180}},
)
def rotation(pixels: Pixels, rng: np.random.Generator, *, angle: float) -> Pixels:
    """Angle in degrees: Lanczos enlargement, bicubic turn about the centre, crop of the original size.

    The enlargement is ``cos + max(h / w, w / h) * sin + 0.02``: 36-fold for a panorama of 5000 x 100 pixels at 45°.
    Only what the crop shows is ever computed, tile by tile, with the same two filters (in smooth tiles with OpenCV's
    version of the second one). The published rule for 85° and more (turn with an expanded canvas, resize back) comes
    down to two flips for the one such angle in use, 180°.
    """
    if angle == 180:
        return cv2.flip(pixels, -1)
    height, width = pixels.shape[:2]
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    scale = cos + max(height / width, width / height) * sin + 0.02
    enlarged_width, enlarged_height = int(width * scale) + 4, int(height * scale) + 4
    centre_x, centre_y = enlarged_width / 2, enlarged_height / 2
    result = np.empty_like(pixels)
    for top in range(0, height, _TILE):
        for left in range(0, width, _TILE):
            tile = result[top : top + _TILE, left : left + _TILE]
            # The tile's corner as seen from the centre of the enlarged image.
            x = enlarged_width // 2 - width // 2 + left - centre_x
            y = enlarged_height // 2 - height // 2 + top - centre_y
            origin_x, origin_y = cos * x - sin * y + centre_x, sin * x + cos * y + centre_y
            tile_height, tile_width = tile.shape[:2]
            # Bounds of the turned tile, with the reach of the bicubic filter.
            x_start = max(0, math.floor(origin_x - sin * tile_height) - 3)
            x_stop = min(enlarged_width, math.ceil(origin_x + cos * tile_width) + 3)
            y_start = max(0, math.floor(origin_y) - 3)
            y_stop = min(enlarged_height, math.ceil(origin_y + sin * tile_width + cos * tile_height) + 3)
            part = _enlarged_part(pixels, (enlarged_width, enlarged_height), (x_start, y_start, x_stop, y_stop))
            turn = (cos, -sin, origin_x - x_start, sin, cos, origin_y - y_start)
            tile[:] = _turned(part, turn, (tile_width, tile_height))
    return result


def _turned(part: Image.Image, turn: tuple[float, ...], size: tuple[int, int]) -> Pixels:
    """Bicubic sampling of ``part`` at (a x + b y + c, d x + e y + f) for ``turn`` = (a, ..., f), corners at 0."""
    pixels = np.asarray(part)
    if part.width * part.height < _SMALL or _roughness(pixels) > _ROUGH:
        return np.asarray(part.transform(size, Image.Transform.AFFINE, turn, Image.Resampling.BICUBIC))
    matrix = np.array(turn).reshape(2, 3)
    matrix[:, 2] += (matrix[:, 0] + matrix[:, 1]) / 2 - 0.5  # OpenCV has the pixels' centres at integers.
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(pixels, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)


def _roughness(pixels: Pixels) -> float:
    """Root mean square of the second differences along every 16th row and column, in grey levels."""
    rows, columns = pixels[::16].astype(np.float32), pixels[:, ::16].astype(np.float32)
    squares = np.square(np.diff(rows, n=2, axis=1)).sum() + np.square(np.diff(columns, n=2, axis=0)).sum()
    return math.sqrt(squares / (rows.size + columns.size))


def _enlarged_part(pixels: Pixels, enlarged: tuple[int, int], box: tuple[int, int, int, int]) -> Image.Image:
    """The part ``box`` (x, y, x, y) of ``pixels`` enlarged to ``enlarged`` (width, height) by Lanczos."""
    height, width = pixels.shape[:2]
    x_scale, y_scale = width / enlarged[0], height / enlarged[1]
    source = (box[0] * x_scale, box[1] * y_scale, box[2] * x_scale, box[3] * y_scale)
    # Four pixels more on every side than the filter reaches, so that the cut changes nothing.
    left, top = max(0, int(source[0]) - 4), max(0, int(source[1]) - 4)
    right, bottom = min(width, math.ceil(source[2]) + 4), min(height, math.ceil(source[3]) + 4)
    cut = Image.fromarray(np.ascontiguousarray(pixels[top:bottom, left:right]))
    inside = (
        source[0] - left,
        source[1] - top,
        min(source[2] - left, right - left),
        min(source[3] - top, bottom - top),
    )
    return cut.resize((box[2] - box[0], box[3] - box[1]), Image.Resampling.LANCZOS, box=inside)
