"""CLIP: any CLIPModel of transformers, the paper's CLIP-ViT-L/14, and the tiny model that ships in this package."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .base import AdapterSpec, Encoder
from .dual import DualEncoder, PixelReader, TokenReader, tensor_of
from .loading import Checkpoint, load_model, require

if TYPE_CHECKING:
    import torch

MODEL_TYPES = ("clip",)

CLIP = AdapterSpec(
    name="clip",
    family="clip",
    pixels="the checkpoint's own processor: short edge resized bicubically, centre crop",
    pooling="projected state of the class patch (image) and of the end token (text)",
)
"""Any checkpoint of this architecture; name, place and dim are filled in when one is named."""

CLIP_VIT_L14 = replace(
    CLIP,
    name="clip-vit-l14",
    hub_id="openai/clip-vit-large-patch14",
    revision="32bd64288804d66eefd0ccbe215aa642df71cc41",
    license="none stated on the Hub (the authors' code: MIT)",
    dim=768,
    parameters="428M",
    max_tokens=77,
    pixels="short edge to 224 bicubic, centre crop 224: additions at the border may be cropped away",
)

TINY = replace(
    CLIP,
    name="tiny",
    folder=Path(__file__).parent / "tiny",
    license="Apache-2.0",
    dim=96,
    parameters="under 1M",
    assumptions=("trained by adapters/train_tiny.py for trying things out; its numbers say nothing about real models",),
)


def checkpoint_dim(config: dict[str, Any]) -> int:
    """Length of the vectors of a checkpoint with this config.json."""
    return int(config.get("projection_dim", 512))


def load(spec: AdapterSpec, checkpoint: Checkpoint, device: str, dtype: torch.dtype) -> Encoder:
    """Loads a checkpoint's two towers."""
    folder = checkpoint.folder
    transformers = require("transformers")
    model = load_model(transformers.CLIPModel, folder, device=device, dtype=dtype)
    limit = min(spec.max_tokens or 77, model.config.text_config.max_position_embeddings)
    pixels = PixelReader(folder, device, dtype)
    tokens = TokenReader(
        folder,
        device,
        max_tokens=limit,
        padding=True,
        keep=("input_ids", "attention_mask"),
    )

    def embed_texts(texts: list[str]) -> tuple[torch.Tensor, int]:
        inputs, n_truncated = tokens(texts)
        return tensor_of(model.get_text_features(**inputs)), n_truncated

    return DualEncoder(lambda images: tensor_of(model.get_image_features(pixel_values=pixels(images))), embed_texts)
