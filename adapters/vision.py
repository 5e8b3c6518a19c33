"""Image sizes of models with a variable resolution."""

from __future__ import annotations

import math

from PIL import Image

MOST_ASPECT = 200
"""Qwen's processors refuse longer images; so do the models' authors."""


def smart_size(width: int, height: int, *, factor: int, min_pixels: int, max_pixels: int) -> tuple[int, int]:
    """Qwen's size rule: sides rounded to multiples of ``factor``, the area brought into the budget.

    >>> smart_size(100, 60, factor=28, min_pixels=200_704, max_pixels=1_003_520)
    (588, 364)
    """
    w = max(factor, round(width / factor) * factor)
    h = max(factor, round(height / factor) * factor)
    if w * h > max_pixels:
        shrink = math.sqrt(width * height / max_pixels)
        w = max(factor, math.floor(width / shrink / factor) * factor)
        h = max(factor, math.floor(height / shrink / factor) * factor)
    elif w * h < min_pixels:
        grow = math.sqrt(min_pixels / (width * height))
        w = math.ceil(width * grow / factor) * factor
        h = math.ceil(height * grow / factor) * factor
    return w, h


def check_aspect(image: Image.Image, item: int) -> None:
    """Refuses an image that the size rule has no answer for.

    Raises:
        ValueError: more than 200 times as long as it is wide; names the item.
    """
    width, height = image.size
    if max(width, height) > MOST_ASPECT * min(width, height):
        raise ValueError(
            f"item {item}: an image of {width} x {height} pixels is more than {MOST_ASPECT} times as long as wide, "
            "which this model can't read; crop or pad it"
        )


def resized(image: Image.Image, *, factor: int, min_pixels: int, max_pixels: int) -> Image.Image:
    """The image at its :func:`smart_size`, bicubic."""
    size = smart_size(*image.size, factor=factor, min_pixels=min_pixels, max_pixels=max_pixels)
    return image if size == image.size else image.resize(size, Image.Resampling.BICUBIC)
