"""What dual encoders share: one tower for images, one for texts, never both in one vector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .base import Embedded, Role, Row
from .loading import load_image_processor, load_tokenizer, require

if TYPE_CHECKING:
    import torch
    from PIL import Image

MAX_ASPECT = 20
"""Of an image longer than this many times its short edge, a centre crop's part alone is resized: with its ends, which
the crop would cut anyway, a 1 x 60000 image with its short edge at 224 pixels would fill the memory."""


def tensor_of(output: Any) -> torch.Tensor:
    """The features in what a tower returned: a tensor (transformers 4) or an output with ``pooler_output`` (5).

    Raises:
        TypeError: anything else; names the type.
    """
    torch = require("torch")
    features = getattr(output, "pooler_output", output)
    if not isinstance(features, torch.Tensor):
        raise TypeError(
            f"a tower must return a tensor or an output with pooler_output, got {type(output).__name__}"
            + ("" if features is output else f" with pooler_output of type {type(features).__name__}")
        )
    return features


class DualEncoder:
    """Sends each row to its tower.

    Args:
        images: list of RGB images -> [n, dim].
        texts: list of strings -> ([n, dim], count of cut texts).
    """

    def __init__(
        self,
        images: Callable[[list[Image.Image]], torch.Tensor],
        texts: Callable[[list[str]], tuple[torch.Tensor, int]],
    ) -> None:
        self._images = images
        self._texts = texts

    def embed(self, rows: Sequence[Row], role: Role) -> Embedded:
        torch = require("torch")
        images = {i: row.image for i, row in enumerate(rows) if row.image is not None}
        texts = {i: row.text for i, row in enumerate(rows) if row.text is not None}
        parts: list[Any] = []
        n_truncated = 0
        with torch.inference_mode():
            if images:
                parts.append(self._images(list(images.values())))
            if texts:
                vectors, n_truncated = self._texts(list(texts.values()))
                parts.append(vectors)
        back = np.argsort([*images, *texts])
        return Embedded(torch.cat(parts)[torch.as_tensor(back, device=parts[0].device)], n_truncated)


class PixelReader:
    """A checkpoint's own image processor: RGB images -> pixel values [n, 3, h, w] on the device."""

    def __init__(self, folder: Path, device: str, dtype: torch.dtype) -> None:
        self._processor = load_image_processor(folder)
        self._to: dict[str, Any] = {"device": device, "dtype": dtype}

    def __call__(self, images: Sequence[Image.Image]) -> torch.Tensor:
        # The channel order is named, since it can't be told from the shape of images one to four pixels wide.
        arrays = [np.asarray(self._middle(image)) for image in images]
        return self._processor(arrays, input_data_format="channels_last", return_tensors="pt")["pixel_values"].to(
            **self._to
        )

    def _middle(self, image: Image.Image) -> Image.Image:
        """What the processor's centre crop would keep of a very long image, already at its size.

        The pixels are those of the processor's resize of the whole image. Processors that squash an image to a square
        keep its ends, and get it whole.
        """
        edge = self._processor.size.get("shortest_edge")
        long, short = max(image.size), min(image.size)
        if not (self._processor.do_center_crop and edge) or long <= MAX_ASPECT * short:
            return image
        across = image.width == long
        crop = self._processor.crop_size["width" if across else "height"]
        whole = int(edge * long / short)
        kept = max(edge, crop)
        start = (whole - crop) // 2 - (kept - crop) // 2
        ends = start * long / whole, (start + kept) * long / whole
        size, box = (
            ((kept, edge), (ends[0], 0, ends[1], short)) if across else ((edge, kept), (0, ends[0], short, ends[1]))
        )
        return image.resize(size, self._processor.resample, box=box)


class TokenReader:
    """A checkpoint's own tokenizer: texts -> token tensors on the device, cut at ``max_tokens`` and counted.

    Args:
        padding: as in transformers: True pads to the longest text, ``"max_length"`` always to ``max_tokens``.
        keep: the tensors that the model gets.
    """

    def __init__(
        self, folder: Path, device: str, *, max_tokens: int, padding: bool | str, keep: tuple[str, ...]
    ) -> None:
        self.tokenizer = load_tokenizer(folder)
        self._device = device
        self._max_tokens = max_tokens
        self._padding = padding
        self._keep = keep

    def __call__(self, texts: Sequence[str]) -> tuple[dict[str, torch.Tensor], int]:
        # One token more than fits is enough to see that a text is too long.
        probe = self.tokenizer(list(texts), truncation=True, max_length=self._max_tokens + 1)["input_ids"]
        n_truncated = sum(len(ids) > self._max_tokens for ids in probe)
        tokens = self.tokenizer(
            list(texts), padding=self._padding, truncation=True, max_length=self._max_tokens, return_tensors="pt"
        )
        return {name: tokens[name].to(self._device) for name in self._keep}, n_truncated
