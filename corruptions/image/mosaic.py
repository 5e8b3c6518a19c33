"""mosaic: parts of the photo made unrecognisable."""

from __future__ import annotations

import numpy as np

from ..registry import Pixels, define_image_operator
from ._nearest import coarsen

_DRAWS = 40
"""Positions drawn per block in search of one beside the centre."""


@define_image_operator(
    summary="Rectangles at random places reduced to coarse cells.",
    parameters={
        1: {"blocks": 1, "side": 0.20, "least": 80, "cell": 42},
        2: {"blocks": 2, "side": 0.35, "least": 80, "cell": 42},
        3: {"blocks": 4, "side": 0.55, "least": 80, "cell": 42},
    },
    random=True,
)
def mosaic(pixels: Pixels, rng: np.random.Generator, *, blocks: int, side: float, least: int, cell: int) -> Pixels:
    """Blocks of ``side`` of the image's sides (at least ``least`` pixels, at most the image), cells of ``cell`` pixels.

    The published rule is kept: of up to 40 positions the first one whose block leaves the central 25-75 % box free is
    taken, and one of the others if there is none. A block of 20 % can pass, one of 35 % or 55 % never does. So the
    entity in the middle is spared at severity 1 only, which is a jump in dose between severities 1 and 2 besides the
    size. Where none passes, the *first* draw is kept instead of the last: equally distributed, and it makes the
    blocks of severity 2 parts of those of severity 3.
    """
    height, width = pixels.shape[:2]
    block_height, block_width = min(height, max(least, int(height * side))), min(width, max(least, int(width * side)))
    result = pixels.copy()
    for draws in rng.random((blocks, _DRAWS, 2)):
        x = (draws[:, 0] * (width - block_width + 1)).astype(np.int64)
        y = (draws[:, 1] * (height - block_height + 1)).astype(np.int64)
        beside = _outside(x, block_width, width) | _outside(y, block_height, height)
        chosen = int(beside.argmax())
        block = result[y[chosen] : y[chosen] + block_height, x[chosen] : x[chosen] + block_width]
        block[:] = coarsen(block, max(1, block_height // cell), max(1, block_width // cell))
    return result


def _outside(start: np.ndarray, length: int, full: int) -> np.ndarray:
    """bool: whether [start, start + length) misses the central half of ``full``."""
    return (start + length <= int(full * 0.25)) | (start >= int(full * 0.75))
