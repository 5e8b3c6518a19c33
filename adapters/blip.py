"""BLIP for image-text retrieval. Its forward pass returns only a matrix of scores, so the vectors are made here from
its two towers and their projections; their products are that matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .base import AdapterSpec, Encoder
from .dual import DualEncoder, PixelReader, TokenReader
from .loading import Checkpoint, load_model, require

if TYPE_CHECKING:
    import torch
    from PIL import Image

MODEL_TYPES = ("blip",)

BLIP_ITM_L = AdapterSpec(
    name="blip-itm-l",
    family="blip",
    hub_id="Salesforce/blip-itm-large-coco",
    revision="fef05cafc05298067cbbca00b125749394a77a6f",
    license="BSD-3-Clause",
    dim=256,
    parameters="446M",
    max_tokens=35,
    pixels="384 x 384 bicubic, the aspect ratio is not kept",
    pooling="projected state of the class patch (image) and of the first token (text)",
    assumptions=(
        "texts go to the tokenizer as they are; the authors' retrieval data set code strips some punctuation and keeps "
        "30 words, which is no part of the model",
    ),
)


def checkpoint_dim(config: dict[str, Any]) -> int:
    """Length of the vectors of a checkpoint with this config.json."""
    return int(config.get("image_text_hidden_size", 256))


def load(spec: AdapterSpec, checkpoint: Checkpoint, device: str, dtype: torch.dtype) -> Encoder:
    """Loads a checkpoint's two towers."""
    folder = checkpoint.folder
    model = load_model(require("transformers").BlipForImageTextRetrieval, folder, device=device, dtype=dtype)
    pixels = PixelReader(folder, device, dtype)
    tokens = TokenReader(
        folder, device, max_tokens=spec.max_tokens or 35, padding="max_length", keep=("input_ids", "attention_mask")
    )

    def embed_images(images: list[Image.Image]) -> torch.Tensor:
        states: torch.Tensor = model.vision_model(pixel_values=pixels(images)).last_hidden_state
        projected: torch.Tensor = model.vision_proj(states[:, 0])
        return projected

    def embed_texts(texts: list[str]) -> tuple[torch.Tensor, int]:
        inputs, n_truncated = tokens(texts)
        return model.text_proj(model.text_encoder(**inputs).last_hidden_state[:, 0]), n_truncated

    return DualEncoder(embed_images, embed_texts)
