"""Embedders on Phi-3.5-vision, whose published code runs on older transformers only: the same computation over the
library's own Phi3Model and CLIPVisionModel.

An image is scaled to a grid of at most ``CROPS`` squares. The squares and a small view of the whole go through CLIP;
2 x 2 patches become one feature, a learned separator closes each line of features and another stands between the grid
and the view, and two linear layers bring all of it into the language model's space.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from . import pooling
from .base import AdapterSpec, Embedded, Encoder, Role, Row
from .loading import Checkpoint, load_tokenizer, load_weights, model_from_weights, read_config, require
from .prompts import PromptReader
from .vision import check_aspect

if TYPE_CHECKING:
    import torch

MODEL_TYPES = ("phi3_v",)

IMAGE_TOKEN = "<|image_1|>"
IMAGE_ID = -1

CROPS = 4
"""Most squares of a grid, as the authors evaluate."""

MEAN = np.array([0.48145466, 0.4578275, 0.40821073], dtype=np.float32)
DEVIATION = np.array([0.26862954, 0.26130258, 0.27577711], dtype=np.float32)

_VISION = "model.vision_embed_tokens."
_CLIP = _VISION + "img_processor."

_LANGUAGE_KEYS = (
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "hidden_act",
    "max_position_embeddings",
    "original_max_position_embeddings",
    "rms_norm_eps",
    "sliding_window",
    "bos_token_id",
    "eos_token_id",
    "pad_token_id",
)


def checkpoint_dim(config: dict[str, Any]) -> int:
    """Length of the vectors of a checkpoint with this config.json."""
    return int(config.get("hidden_size", 3072))


def language_config(config: dict[str, Any]) -> dict[str, Any]:
    """The arguments of transformers' Phi3Config for a Phi-3.5-vision config.

    The published name of the rotary scaling, "su", is today's "longrope", which also wants to know its original length.
    """
    own = {key: config[key] for key in _LANGUAGE_KEYS if key in config}
    rope = {"rope_type": "default", "rope_theta": config.get("rope_theta", 10_000.0)}
    scaling = config.get("rope_scaling")
    if scaling:
        rope |= {key: scaling[key] for key in ("short_factor", "long_factor")}
        rope |= {
            "rope_type": "longrope",
            "original_max_position_embeddings": config["original_max_position_embeddings"],
        }
    return {**own, "rope_parameters": rope}


def load(spec: AdapterSpec, checkpoint: Checkpoint, device: str, dtype: torch.dtype) -> Encoder:
    """Loads the language model and the image part."""
    return Phi3VEncoder(spec, checkpoint.folder, device, dtype)


class Phi3VEncoder:
    """Rows -> state of the last token."""

    def __init__(self, spec: AdapterSpec, folder: Path, device: str, dtype: torch.dtype) -> None:
        transformers = require("transformers")
        self._device = device
        weights = load_weights(folder)
        self._images = ImageFeatures(weights, device, dtype)
        config = read_config(folder, spec)
        self._model = model_from_weights(
            transformers.Phi3Model,
            transformers.Phi3Config(**language_config(config)),
            {key.removeprefix("model."): tensor for key, tensor in weights.items() if not key.startswith(_VISION)},
            device=device,
            dtype=dtype,
        )
        tokenizer = load_tokenizer(folder)

        def tokenize(string: str) -> list[int]:
            # The text before and after an image is tokenised apart, as the authors' processor does.
            first, *rest = (list(tokenizer(chunk)["input_ids"]) for chunk in string.split(IMAGE_TOKEN))
            return sum(([IMAGE_ID, *chunk] for chunk in rest), first)

        self._read = PromptReader(
            spec,
            tokenizer,
            image_token=IMAGE_TOKEN,
            padding_side="right",
            tokenize=tokenize,
            image_id=IMAGE_ID,
            limited="without image",
        )

    def embed(self, rows: Sequence[Row], role: Role) -> Embedded:
        torch = require("torch")
        with torch.inference_mode():
            features = [None if row.image is None else self._images(row.image, row.item) for row in rows]
            tokens = self._read(rows, role, [0 if own is None else len(own) for own in features])
            ids, mask = tokens.ids.to(self._device), tokens.mask.to(self._device)
            states = self._model.get_input_embeddings()(ids.clamp(min=0))
            given = [own for own in features if own is not None]
            if given:
                states[ids == IMAGE_ID] = torch.cat(given)
            states = self._model(inputs_embeds=states, attention_mask=mask).last_hidden_state
            return Embedded(pooling.last_token(states, mask), tokens.n_truncated)


class ImageFeatures:
    """An RGB image -> features [n, hidden size of the language model]."""

    def __init__(self, weights: dict[str, torch.Tensor], device: str, dtype: torch.dtype) -> None:
        transformers = require("transformers")
        torch = require("torch")
        clip = {key.removeprefix(_CLIP): tensor for key, tensor in weights.items() if key.startswith(_CLIP)}
        width, _, patch, _ = clip["vision_model.embeddings.patch_embedding.weight"].shape
        positions = len(clip["vision_model.embeddings.position_embedding.weight"])
        self._side = patch * math.isqrt(positions - 1)
        # The config names CLIP-ViT-L/14-336 without its sizes; they follow from the weights, with heads of 64.
        config = transformers.CLIPVisionConfig(
            hidden_size=width,
            intermediate_size=len(clip["vision_model.encoder.layers.0.mlp.fc1.bias"]),
            num_hidden_layers=1 + max(int(key.split(".")[3]) for key in clip if ".layers." in key),
            num_attention_heads=width // 64,
            image_size=self._side,
            patch_size=patch,
        )
        self._clip = model_from_weights(transformers.CLIPVisionModel, config, clip, device=device, dtype=dtype)
        part = {
            key.removeprefix(_VISION): tensor.to(device=device, dtype=dtype)
            for key, tensor in weights.items()
            if key.startswith(_VISION) and not key.startswith(_CLIP)
        }
        self._line_end, self._between = part["sub_GN"].flatten(), part["glb_GN"].flatten()

        def project(features: Any) -> Any:
            linear, gelu = torch.nn.functional.linear, torch.nn.functional.gelu
            hidden = gelu(linear(features, part["img_projection.0.weight"], part["img_projection.0.bias"]))
            return linear(hidden, part["img_projection.2.weight"], part["img_projection.2.bias"])

        self._project = project
        self._to: dict[str, Any] = {"device": device, "dtype": dtype}

    def __call__(self, image: Image.Image, item: int) -> torch.Tensor:
        torch = require("torch")
        check_aspect(image, item)
        side = self._side
        grid = np.asarray(to_grid(image, side=side, most=CROPS), dtype=np.float32) / 255
        pixels = torch.from_numpy((grid - MEAN) / DEVIATION).permute(2, 0, 1)
        down, across = pixels.shape[1] // side, pixels.shape[2] // side
        view = torch.nn.functional.interpolate(pixels[None], size=(side, side), mode="bicubic")
        squares = pixels.reshape(3, down, side, across, side).permute(1, 3, 0, 2, 4).reshape(-1, 3, side, side)
        states = self._clip(torch.cat([view, squares]).to(**self._to), output_hidden_states=True).hidden_states[-2][
            :, 1:
        ]
        lines = torch.cat([self._lines(states[1:], down, across), self._between[None], self._lines(states[:1], 1, 1)])
        return self._project(lines)

    def _lines(self, states: torch.Tensor, down: int, across: int) -> torch.Tensor:
        """Patch states [down * across, patches, width] -> merged features line by line, each line closed."""
        torch = require("torch")
        half = math.isqrt(states.shape[1]) // 2
        blocks = states.reshape(down, across, half, 2, half, 2, -1).permute(0, 2, 1, 4, 3, 5, 6)
        merged = blocks.reshape(down * half, across * half, -1)
        ends = self._line_end.expand(len(merged), 1, -1)
        return torch.cat([merged, ends], dim=1).flatten(0, 1)


def to_grid(image: Image.Image, *, side: int, most: int) -> Image.Image:
    """The image scaled to as many squares of ``side`` pixels as fit into ``most``, padded with white along its short
    edge to whole squares.

    >>> to_grid(Image.new("RGB", (400, 300)), side=336, most=4).size
    (672, 672)
    """
    if image.width < image.height:
        turned = to_grid(image.transpose(Image.Transpose.TRANSPOSE), side=side, most=most)
        return turned.transpose(Image.Transpose.TRANSPOSE)
    ratio = image.width / image.height
    across = 1
    while (across + 1) * math.ceil((across + 1) / ratio) <= most:
        across += 1
    width = across * side
    height = max(1, int(width / ratio))
    scaled = image.resize((width, height), Image.Resampling.BILINEAR)
    grid = Image.new("RGB", (width, math.ceil(height / side) * side), "white")
    grid.paste(scaled, (0, (grid.height - height) // 2))
    return grid
