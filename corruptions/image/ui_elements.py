"""ui_elements: a screenshot instead of the photo."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw

from ..registry import Pixels, define_image_operator
from ._fonts import SANS, font

_DARK = (30, 30, 30, 245)
_WHITE = (255, 255, 255, 230)
_BUTTON_RADIUS = 22


@define_image_operator(
    summary="Status bar; navigation bar as well; address bar and floating button as well.",
    parameters={
        1: {"status_bar": 0.05, "navigation_bar": 0.0, "address_bar": 0.0, "button": False},
        2: {"status_bar": 0.09, "navigation_bar": 0.08, "address_bar": 0.0, "button": False},
        3: {"status_bar": 0.09, "navigation_bar": 0.08, "address_bar": 0.05, "button": True},
    },
)
def ui_elements(
    pixels: Pixels,
    rng: np.random.Generator,
    *,
    status_bar: float,
    navigation_bar: float,
    address_bar: float,
    button: bool,
) -> Pixels:
    """Bars over the whole width, their heights as parts of the image's height; letters in DejaVu Sans.

    Letters are 3.5 % of the height and at least 10 pixels (2.5 % and 9 in the address bar), so on images of less than
    about 200 pixels they stand out of the bars. The battery sign starts 60 pixels from the right edge and the button's
    centre lies 50 from it, but never so far that an image narrower than that would lose them on its left.
    """
    height, width = pixels.shape[:2]
    main, small = font(SANS, max(10, int(height * 0.035))), font(SANS, max(9, int(height * 0.025)))
    status, navigation, address = (int(height * part) for part in (status_bar, navigation_bar, address_bar))
    button_x, button_y = max(width - 50, min(_BUTTON_RADIUS, width // 2)), height // 2

    def draw_all(draw: ImageDraw.ImageDraw, shift: int) -> None:
        """Draws everything ``shift`` pixels higher."""
        draw.rectangle((0, -shift, width, status - shift), fill=_DARK)
        draw.text((8, 2 - shift), "9:41", font=main, fill=_WHITE)
        draw.text((max(0, width - 60), 2 - shift), "100%■", font=main, fill=_WHITE)
        if navigation_bar:
            start = height - navigation - shift
            draw.rectangle((0, start, width, height - shift), fill=_DARK)
            for number, sign in enumerate("◁○□", start=1):
                draw.text((number * width // 4 - 6, start + 4), sign, font=main, fill=(255, 255, 255, 200))
        if address_bar:
            start = status - shift
            draw.rectangle((0, start, width, start + address), fill=(240, 240, 240, 210))
            draw.text((8, start + 4), "www.example.com/photo", font=small, fill=(80, 80, 80, 200))
        if button:
            x, y, r = button_x, button_y - shift, _BUTTON_RADIUS
            draw.ellipse((x - r, y - r, x + r, y + r), fill=(66, 133, 244, 200))
            draw.text((x - 6, y - 8), "+", font=main, fill=_WHITE)

    line = sum(main.getmetrics()) + 8
    spans = [(0, max(status + address + 1, line, status + line if address_bar else 0))]
    if navigation_bar:
        spans.append((height - navigation, height))
    if button:
        spans.append((button_y - _BUTTON_RADIUS, button_y + max(_BUTTON_RADIUS + 1, line)))
    result = pixels.copy(order="C")
    for start, stop in _merged(spans, height):
        _compose(result[start:stop], start, draw_all)
    return result


def _merged(spans: list[tuple[int, int]], height: int) -> list[tuple[int, int]]:
    """The spans of rows clipped to the image, overlapping ones joined: no row may be composed twice."""
    merged: list[tuple[int, int]] = []
    for start, stop in sorted((max(0, start), min(height, stop)) for start, stop in spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(stop, merged[-1][1])
        else:
            merged.append((start, stop))
    return merged


def _compose(rows: Pixels, start: int, draw_all: Callable[[ImageDraw.ImageDraw, int], None]) -> None:
    """Draws on a transparent layer over ``rows`` (from row ``start`` of the image) and lays it over them."""
    under = Image.fromarray(rows).convert("RGBA")
    layer = Image.new("RGBA", under.size)
    draw_all(ImageDraw.Draw(layer), start)
    rows[:] = np.asarray(Image.alpha_composite(under, layer).convert("RGB"))
