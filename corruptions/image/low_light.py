"""low_light: a photo taken in the dark."""

from __future__ import annotations

import functools
from statistics import NormalDist

import cv2
import numpy as np

from ..registry import Pixels, define_image_operator

_BITS = 6
_UNIT = 1 << _BITS
"""Grey levels are held in 64ths: integers, so that every platform gets the same pixels."""

_SAMPLES_AT_ONCE = 1 << 16
"""Samples per step: what stays in the processor's cache."""


@define_image_operator(
    summary="Darkened, with Gaussian sensor noise in every pixel and channel.",
    parameters={
        1: {"brightness": 0.70, "sigma": 3},
        2: {"brightness": 0.40, "sigma": 10},
        3: {"brightness": 0.15, "sigma": 22},
    },
    random=True,
)
def low_light(pixels: Pixels, rng: np.random.Generator, *, brightness: float, sigma: float) -> Pixels:
    """``trunc(clip(brightness * pixels + N(0, sigma)))``; sigma is in grey levels.

    The noise is one field of standard normal draws, scaled: the same at every severity. A draw is one of 65,536
    equally likely quantiles of the normal distribution, which is exact to well below one grey level.
    """
    height, width = pixels.shape[:2]
    dark = np.rint(np.arange(256) * (brightness * _UNIT)).astype(np.int16)
    noise = np.rint(_normal_quantiles() * (sigma * _UNIT)).astype(np.int16)
    result = np.empty_like(pixels)
    step = max(1, _SAMPLES_AT_ONCE // (3 * width))
    for top in range(0, height, step):
        rows = pixels[top : top + step]
        # Four draws of 16 bits from each of 64; "<u8" reads them in the same order on every machine.
        words = rng.bit_generator.random_raw(-(-rows.size // 4)).astype("<u8", copy=False)
        draws = words.view("<u2")[: rows.size].astype(np.intp)
        level = noise.take(draws).reshape(rows.shape)
        np.add(level, cv2.LUT(rows, dark), out=level)
        # Right shift rounds down, and what is below black is clipped afterwards: truncation, as published.
        level >>= _BITS
        np.clip(level, 0, 255, out=level)
        result[top : top + step] = level
    return result


@functools.lru_cache(maxsize=1)
def _normal_quantiles() -> np.ndarray:
    """float64 [65536]: the standard normal quantiles at (i + 1/2) / 65536."""
    upper = [NormalDist().inv_cdf((i + 0.5) / 65536) for i in range(32768, 65536)]
    return np.concatenate([-np.array(upper[::-1]), upper])
