"""Embedders on Qwen2-VL, Qwen2.5-VL and Qwen3-VL: one engine, and a spec for each model.

What differs between them, and what :class:`QwenVLSpec` says: the prompts, the padding side, whether rotary positions
follow the image's grid or simply count tokens, which states are pooled, and how an image is brought to size. The
image processor runs on Pillow and the prompt is expanded here, so that torchvision is not needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import lora, pooling
from .base import AdapterSpec, Embedded, Encoder, Role, Row
from .loading import Checkpoint, load_image_processor, load_model, load_tokenizer, require
from .prompts import PromptReader
from .vision import check_aspect, resized

if TYPE_CHECKING:
    import torch
    from PIL import Image

MODEL_TYPES = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl")

IMAGE_TOKEN = "<|image_pad|>"

MERGES_LORA = True
"""A checkpoint that is an adapter is merged into its base here."""


@dataclass(frozen=True, kw_only=True)
class QwenVLSpec(AdapterSpec):
    """
    Attributes:
        padding_side: as the authors pad.
        positions: ``"grid"`` is Qwen's multimodal rotary embedding; ``"plain"`` counts tokens, for models whose
            authors' code runs without it.
        pool: ``"last"`` takes the last attended token. ``"vision span"`` takes the mean from the start to the end of
            the image where there is an image and no text, and the mean over all tokens elsewhere.
        first_resize: least and most pixels of a resize that the authors do before the processor's own, or
            ``"budget"`` where both keep to ``min_pixels`` and ``max_pixels``.
        least_side: an image with a shorter side becomes a square of twice this side.
        empty_text: what stands for the empty string.
    """

    family: str = "qwen_vl"
    joint: bool = True
    dtype: str = "bfloat16"
    resolution: Literal["fixed", "variable"] = "variable"
    padding_side: Literal["left", "right"] = "left"
    positions: Literal["grid", "plain"] = "grid"
    pool: Literal["last", "vision span"] = "last"
    first_resize: tuple[int, int] | Literal["budget"] | None = None
    least_side: int = 0
    empty_text: str = ""


def checkpoint_dim(config: dict[str, Any]) -> int:
    """Length of the vectors of a checkpoint with this config.json (nested, or flat as older ones are)."""
    return int(config.get("text_config", config).get("hidden_size", 0))


def load(spec: AdapterSpec, checkpoint: Checkpoint, device: str, dtype: torch.dtype) -> Encoder:
    """Loads the model, with its LoRA or DoRA adapter merged where the checkpoint is one."""
    if not isinstance(spec, QwenVLSpec):
        raise TypeError(f"a Qwen-VL embedder needs a QwenVLSpec, got {type(spec).__name__}")
    return QwenVLEncoder(spec, checkpoint, device, dtype)


class QwenVLEncoder:
    """Rows -> pooled states."""

    def __init__(self, spec: QwenVLSpec, checkpoint: Checkpoint, device: str, dtype: torch.dtype) -> None:
        self._spec = spec
        self._device = device
        transformers = require("transformers")
        self._model = load_model(transformers.AutoModel, checkpoint.folder, device=device, dtype=dtype)
        if checkpoint.lora is not None:
            lora.merge(self._model, checkpoint.lora)
        tokenizer = load_tokenizer(checkpoint.folder)
        self._image_id, self._start_id, self._end_id = tokenizer.convert_tokens_to_ids(
            [IMAGE_TOKEN, "<|vision_start|>", "<|vision_end|>"]
        )
        self._read = PromptReader(spec, tokenizer, image_token=IMAGE_TOKEN, padding_side=spec.padding_side)
        budget = {"min_pixels": spec.min_pixels, "max_pixels": spec.max_pixels}
        self._images = load_image_processor(
            checkpoint.folder, **{key: value for key, value in budget.items() if value is not None}
        )
        self._least, self._most = self._images.size["shortest_edge"], self._images.size["longest_edge"]
        if self._least > self._most:
            raise ValueError(
                f"adapter {spec.name!r}: min_pixels must not exceed max_pixels, got {self._least} and {self._most}; "
                "one of them is the checkpoint's own: give both"
            )

    def embed(self, rows: Sequence[Row], role: Role) -> Embedded:
        torch = require("torch")
        rows = [self._named(row) for row in rows]
        inputs: dict[str, Any] = {}
        n_features = iter(())
        images = [self._sized(row.image, row.item) for row in rows if row.image is not None]
        if images:
            # The channel order is named, since it can't be told from the shape of images one to four pixels wide.
            arrays = [np.asarray(image) for image in images]
            inputs = dict(self._images(arrays, input_data_format="channels_last", return_tensors="pt"))
            n_features = iter((inputs["image_grid_thw"].prod(1) // self._images.merge_size**2).tolist())
        tokens = self._read(rows, role, [0 if row.image is None else next(n_features) for row in rows])
        if images and self._spec.positions == "grid":
            inputs["mm_token_type_ids"] = (tokens.ids == self._image_id).long()
        else:
            inputs["position_ids"] = pooling.plain_positions(tokens.mask)
        inputs |= {"input_ids": tokens.ids, "attention_mask": tokens.mask}
        with torch.inference_mode():
            states = self._model(**{key: value.to(self._device) for key, value in inputs.items()}).last_hidden_state
            vectors = self._pooled(states, rows, tokens.ids.to(self._device), tokens.mask.to(self._device))
        return Embedded(vectors[:, : self._spec.dim], tokens.n_truncated)

    def _named(self, row: Row) -> Row:
        return row._replace(text=self._spec.empty_text) if row.image is None and row.text == "" else row

    def _sized(self, image: Image.Image, item: int) -> Image.Image:
        if min(image.size) < self._spec.least_side:
            image = image.resize((2 * self._spec.least_side, 2 * self._spec.least_side))
        check_aspect(image, item)
        if self._spec.first_resize is None:
            return image
        factor = self._images.patch_size * self._images.merge_size
        first = self._spec.first_resize
        least, most = (self._least, self._most) if first == "budget" else first
        return resized(image, factor=factor, min_pixels=least, max_pixels=most)

    def _pooled(self, states: torch.Tensor, rows: Sequence[Row], ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if self._spec.pool == "last":
            return pooling.last_token(states, mask)
        chosen = mask.clone()
        for i, row in enumerate(rows):
            if row.content == "image":
                start = int((ids[i] == self._start_id).int().argmax())
                end = int((ids[i] == self._end_id).int().argmax())
                chosen[i, :start] = 0
                chosen[i, end + 1 :] = 0
        return pooling.mean(states, chosen)
