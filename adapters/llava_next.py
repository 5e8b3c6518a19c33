"""Embedders on LLaVA-NeXT. The image's features are laid over its tokens here: published processors lack settings that
current transformers needs to count those tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import pooling
from .base import AdapterSpec, Embedded, Encoder, Role, Row
from .loading import Checkpoint, load_image_processor, load_model, load_tokenizer, require
from .prompts import PromptReader
from .vision import check_aspect

if TYPE_CHECKING:
    import torch
    from PIL import Image

MODEL_TYPES = ("llava_next",)

IMAGE_TOKEN = "<image>"


def checkpoint_dim(config: dict[str, Any]) -> int:
    """Length of the vectors of a checkpoint with this config.json."""
    return int(config.get("text_config", {}).get("hidden_size", 4096))


def load(spec: AdapterSpec, checkpoint: Checkpoint, device: str, dtype: torch.dtype) -> Encoder:
    """Loads the model."""
    return LlavaNextEncoder(spec, checkpoint, device, dtype)


class LlavaNextEncoder:
    """Rows -> state of the last token."""

    def __init__(self, spec: AdapterSpec, checkpoint: Checkpoint, device: str, dtype: torch.dtype) -> None:
        self._to: dict[str, Any] = {"device": device, "dtype": dtype}
        model_class = require("transformers").LlavaNextModel
        self._model = load_model(model_class, checkpoint.folder, device=device, dtype=dtype)
        tokenizer = load_tokenizer(checkpoint.folder)
        self._image_id = tokenizer.convert_tokens_to_ids(IMAGE_TOKEN)
        self._read = PromptReader(spec, tokenizer, image_token=IMAGE_TOKEN, padding_side="left")
        self._images = load_image_processor(checkpoint.folder)

    def embed(self, rows: Sequence[Row], role: Role) -> Embedded:
        torch = require("torch")
        with torch.inference_mode():
            features = self._features([(row.image, row.item) for row in rows if row.image is not None])
            lengths = iter([len(own) for own in features])
            tokens = self._read(rows, role, [0 if row.image is None else next(lengths) for row in rows])
            ids, mask = tokens.ids.to(self._to["device"]), tokens.mask.to(self._to["device"])
            states = self._model.get_input_embeddings()(ids)
            if features:
                states[ids == self._image_id] = torch.cat(features).to(states.dtype)
            states = self._model.language_model(
                inputs_embeds=states, attention_mask=mask, position_ids=pooling.plain_positions(mask)[0]
            ).last_hidden_state
            return Embedded(pooling.last_token(states, mask), tokens.n_truncated)

    def _features(self, images: Sequence[tuple[Image.Image, int]]) -> list[torch.Tensor]:
        if not images:
            return []
        for image, item in images:
            check_aspect(image, item)
        # The channel order is named, since it can't be told from the shape of images one to four pixels wide.
        arrays = [np.asarray(image) for image, _ in images]
        inputs = self._images(arrays, input_data_format="channels_last", return_tensors="pt")
        output = self._model.get_image_features(inputs["pixel_values"].to(**self._to), inputs["image_sizes"])
        return list(output.pooler_output)
