"""The contact sheet: one photo under all 15 image operators at all three severities, labelled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PIL import Image, ImageDraw

from ..images import decode_image
from .apply import ImageInput, corrupt_image
from .conditions import PRIMITIVES, SEVERITIES
from .image._fonts import BOLD, SANS, font
from .registry import ImageOperator, image_operator

_BLOCKS = (("degrade",), ("transform", "remove"), ("add",))
"""Primitives side by side; the room below the shorter blocks shows the clean photo."""

_COLORS = {"degrade": "#8a5a00", "transform": "#1a5fb4", "remove": "#a51d2d", "add": "#26734d"}
_INK, _SOFT = "#1a1a1a", "#666666"
_GAP, _BLOCK_GAP, _MARGIN = 6, 28, 20
_HEAD, _TITLE = 34, 44
"""Heights in pixels: of the column heads, and of the two lines above each row of photos."""


def contact_sheet(image: ImageInput, *, query_id: str = "", seed: int = 0, cell_width: int = 200) -> Image.Image:
    """Draws the sheet of a photo.

    Outputs that are smaller than the photo (cropping, downscale) are enlarged to the cell, without smoothing, so that
    what is left of the photo can be compared.

    Args:
        image: As for :func:`snapbench.corruptions.corrupt_image`.
        query_id: Key of the draws.
        seed: Of the draws.
        cell_width: Width of one photo in pixels, at least 60; its height follows the photo's shape, between a third
            and one and a half of the width.

    Returns:
        An RGB image.

    Raises:
        ImageDecodeError: The photo can't be decoded.
        ValueError: cell_width is below 60.
    """
    if cell_width < 60:
        raise ValueError(f"cell_width must be at least 60 pixels, got {cell_width}")
    photo = decode_image(image, record=f"query {query_id!r}" if query_id else "")
    cell_height = round(cell_width * min(1.5, max(1 / 3, photo.height / photo.width)))
    cell = cell_width, cell_height
    row_height = _TITLE + cell_height + 10
    block_width = len(SEVERITIES) * (cell_width + _GAP) - _GAP
    rows = max(sum(len(PRIMITIVES[primitive]) for primitive in block) for block in _BLOCKS)
    width = 2 * _MARGIN + len(_BLOCKS) * (block_width + _BLOCK_GAP) - _BLOCK_GAP
    sheet = Image.new("RGB", (width, 2 * _MARGIN + _HEAD + rows * row_height), "white")
    draw = ImageDraw.Draw(sheet)
    for number, block in enumerate(_BLOCKS):
        left, top = _MARGIN + number * (block_width + _BLOCK_GAP), _MARGIN
        for severity in SEVERITIES:
            middle = left + (severity - 1) * (cell_width + _GAP) + cell_width // 2
            draw.text((middle, top + 8), f"severity {severity}", font=font(BOLD, 15), fill=_SOFT, anchor="ma")
        top += _HEAD
        for operator in (image_operator(name) for primitive in block for name in PRIMITIVES[primitive]):
            _title(draw, (left, top), operator, block_width)
            for severity in SEVERITIES:
                corrupted = corrupt_image(photo, operator.name, severity, query_id=query_id, seed=seed)
                place = left + (severity - 1) * (cell_width + _GAP), top + _TITLE
                sheet.paste(_fitted(corrupted, cell, smooth=operator.size == "kept"), place)
            top += row_height
        free = sheet.height - _MARGIN - top
        if number == len(_BLOCKS) - 1 and free >= row_height:
            draw.text((left, top + 2), "clean", font=font(BOLD, 17), fill=_INK)
            shown = _fitted(photo, (block_width, free - _TITLE), smooth=True, background="white")
            sheet.paste(shown, (left, top + _TITLE - 16))
    return sheet


def varying(parameters: Mapping[int, Mapping[str, Any]]) -> str:
    """The parameters that change with the severity, e.g. ``brightness 0.7 / 0.4 / 0.15``."""
    names = [name for name in parameters[1] if len({str(parameters[s][name]) for s in SEVERITIES}) > 1]
    return "   ".join(f"{name} {' / '.join(shown(parameters[s][name]) for s in SEVERITIES)}" for name in names)


def shown(value: object) -> str:
    """A parameter's value as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _title(draw: ImageDraw.ImageDraw, place: tuple[int, int], operator: ImageOperator, width: int) -> None:
    x, y = place
    draw.text((x, y + 2), operator.name, font=font(BOLD, 17), fill=_COLORS[operator.primitive])
    draw.text((x + width, y + 5), operator.primitive, font=font(SANS, 13), fill=_SOFT, anchor="ra")
    line, small = varying(operator.parameters), font(SANS, 12)
    while line and small.getlength(line) > width:
        line = f"{line[:-2].rstrip()}…"
    draw.text((x, y + 25), line, font=small, fill=_SOFT)


def _fitted(photo: Image.Image, cell: tuple[int, int], *, smooth: bool, background: str = "#ececec") -> Image.Image:
    """The photo scaled to fit the cell, centred on the background."""
    scale = min(cell[0] / photo.width, cell[1] / photo.height)
    size = max(1, round(photo.width * scale)), max(1, round(photo.height * scale))
    way = Image.Resampling.LANCZOS if smooth else Image.Resampling.NEAREST
    if scale < 1:
        way = Image.Resampling.LANCZOS
    result = Image.new("RGB", cell, background)
    result.paste(photo.resize(size, way), ((cell[0] - size[0]) // 2, (cell[1] - size[1]) // 2))
    return result
