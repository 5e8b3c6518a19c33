"""watermark: a stock agency's word over the photo."""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np
from PIL import Image, ImageDraw

from ..registry import Pixels, define_image_operator
from ._fonts import BOLD, font

_WORD = "SAMPLE"
_GREY = 180
_LETTERS = 0.16
"""Height of the letters as a part of the image's width; also the step of the tilings, times one or two."""

_TALLEST = 2048
"""Letters of more pixels are drawn at this height and enlarged: at full size the word of a panorama takes 100 MB."""


@define_image_operator(
    summary="The grey word SAMPLE, once in the middle, tiled over the middle half, or tiled over everything.",
    parameters={
        1: {"opacity": 80, "tiling": "single"},
        2: {"opacity": 160, "tiling": "half"},
        3: {"opacity": 220, "tiling": "full"},
    },
)
def watermark(
    pixels: Pixels, rng: np.random.Generator, *, opacity: int, tiling: Literal["single", "half", "full"]
) -> Pixels:
    """Opacity from 0 to 255; letters of 16 % of the width (at least 16 pixels), DejaVu Sans Bold.

    ``single`` starts at a quarter of the width, centred vertically. ``half`` repeats the word every 32 % of the width
    in both directions, over the rows between one and three quarters of the height. ``full`` repeats it every 16 %,
    from half an image above and to the left, so that neighbouring words run into each other.
    """
    height, width = pixels.shape[:2]
    size = max(16, int(_LETTERS * width))
    if tiling == "single":
        columns, rows = range(width // 4, width // 4 + 1), range(height // 2 - size // 2, height // 2 - size // 2 + 1)
    elif tiling == "half":
        step = max(1, int(2 * _LETTERS * width))
        columns, rows = range(-width // 4, width, step), range(height // 4, 3 * height // 4, step)
    else:
        step = max(1, int(_LETTERS * width))
        columns, rows = range(-width // 2, width, step), range(-height // 2, height, step)
    return _lay_over(pixels, _mask(height, width, size, columns, rows), opacity)


def _mask(height: int, width: int, size: int, columns: range, rows: range) -> np.ndarray:
    """uint8 [height, width]: how far each pixel is covered by the words that start at these positions."""
    word = _Word(size)
    mask = np.zeros((height, width), np.uint8)
    line, shown = mask[:0], (0, 0)
    for y in rows:
        visible = max(0, -(y + word.top)), min(word.height, height - (y + word.top))
        if visible[0] >= visible[1]:
            continue
        if visible != shown:
            letters, shown = word.rows(*visible), visible
            line = np.zeros((letters.shape[0], width), np.uint8)
            for x in columns:
                _unite(line, letters, x + word.left)
        top = max(0, y + word.top)
        _unite(mask[top : top + line.shape[0]], line, 0)
    return mask


def _unite(mask: np.ndarray, other: np.ndarray, x: int) -> None:
    """Draws ``other`` into ``mask`` at column x: a + b - a * b, as when ink is drawn over ink of the same colour."""
    start, stop = max(0, x), min(mask.shape[1], x + other.shape[1])
    if start >= stop:
        return
    under, over = mask[:, start:stop], other[:, start - x : stop - x]
    under[:] = cv2.add(under, cv2.multiply(cv2.bitwise_not(under), over, scale=1 / 255).reshape(under.shape))


class _Word:
    """The word as a mask; ``left`` and ``top`` are its offset from the position where text is drawn."""

    def __init__(self, size: int) -> None:
        drawn = min(size, _TALLEST)
        self._scale = size / drawn
        left, top, right, bottom = font(BOLD, drawn).getbbox(_WORD)
        image = Image.new("L", (int(right - left), int(bottom - top)))
        ImageDraw.Draw(image).text((-left, -top), _WORD, font=font(BOLD, drawn), fill=255)
        self._letters = np.asarray(image)
        self._drawn_top = top
        self.left, self.top = round(left * self._scale), round(top * self._scale)
        self.height, self._width = (round(side * self._scale) for side in self._letters.shape)

    def rows(self, start: int, stop: int) -> np.ndarray:
        """uint8 [stop - start, width]: these rows of the word at its full size."""
        if self._scale == 1:
            return self._letters[start:stop]
        place = (np.arange(start, stop) + self.top + 0.5) / self._scale - self._drawn_top - 0.5
        place = np.clip(place, 0, self._letters.shape[0] - 1)
        upper = np.minimum(place.astype(np.intp), self._letters.shape[0] - 2)
        weight = (place - upper).astype(np.float32)[:, None]
        rows = self._letters[upper] * (1 - weight) + self._letters[upper + 1] * weight
        return cv2.resize(np.rint(rows).astype(np.uint8), (self._width, stop - start))


def _lay_over(pixels: Pixels, mask: np.ndarray, opacity: int) -> Pixels:
    """Mixes the grey into ``pixels`` with the weight ``opacity / 255 * mask / 255``."""
    weight = np.arange(256) * (opacity / 255)
    kept, added = np.rint(255 - weight).astype(np.uint8), np.rint(_GREY / 255 * weight).astype(np.uint8)
    result = pixels.copy(order="C")
    step = max(1, (1 << 16) // mask.shape[1])
    for top in range(0, mask.shape[0], step):
        rows = mask[top : top + step]
        if rows.any():
            under = result[top : top + step]
            under[:] = cv2.add(
                cv2.multiply(under, cv2.merge([cv2.LUT(rows, kept)] * 3), scale=1 / 255),
                cv2.merge([cv2.LUT(rows, added)] * 3),
            ).reshape(under.shape)
    return result
