"""scribble: someone drew on the photo."""

from __future__ import annotations

import cv2
import numpy as np

from ..registry import Pixels, define_image_operator

_COLORS = ((0, 0, 0), (30, 30, 220), (220, 30, 30), (30, 200, 30), (0, 150, 200))
"""RGB as a viewer of the published images sees them: black, blue, red, green, teal. (The published code holds three of
them with red and blue exchanged and draws them on a BGR image.)"""

_STEPS = (4, 10)


@define_image_operator(
    summary="Coloured freehand lines that start anywhere.",
    parameters={
        1: {"lines": 3, "thickness": 2},
        2: {"lines": 6, "thickness": 4},
        3: {"lines": 9, "thickness": 5},
    },
    random=True,
)
def scribble(pixels: Pixels, rng: np.random.Generator, *, lines: int, thickness: int) -> Pixels:
    """Lines of 4 to 10 straight steps of up to a fifth of each side, kept inside the image, anti-aliased.

    The thickness is in pixels whatever the image's size. The lines of a severity are the first of the next one's.
    """
    height, width = pixels.shape[:2]
    result = pixels.copy(order="C")
    # One row of draws a line, whatever a line needs: so line i is the same at every severity.
    for color, start_x, start_y, count, *moves in rng.random((lines, 4 + 2 * _STEPS[1])):
        x, y = int(start_x * width), int(start_y * height)
        points = [(x, y)]
        steps = _between(count, *_STEPS)
        for across, down in zip(moves[: 2 * steps : 2], moves[1 : 2 * steps : 2], strict=True):
            x = min(max(x + _between(across, -width // 5, width // 5), 0), width - 1)
            y = min(max(y + _between(down, -height // 5, height // 5), 0), height - 1)
            points.append((x, y))
        cv2.polylines(
            result, [np.array(points, np.int32)], False, _COLORS[int(color * len(_COLORS))], thickness, cv2.LINE_AA
        )
    return result


def _between(draw: float, low: int, high: int) -> int:
    """The whole number in low...high, both included, that a draw from [0, 1) stands for."""
    return low + int(draw * (high - low + 1))
