"""SigLIP and the fixed-resolution SigLIP 2 (both are SiglipModel; they differ in the tokenizer).

Two traps, both silent: the models were trained with texts padded to 64 tokens and read the last position, so a mask or
short padding gives other vectors; and SigLIP 2 was trained on lower-cased texts, but its tokenizer keeps the case.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .base import AdapterSpec, Encoder
from .dual import DualEncoder, PixelReader, tensor_of
from .loading import Checkpoint, load_model, load_tokenizer, require

if TYPE_CHECKING:
    import torch

MODEL_TYPES = ("siglip",)

SIGLIP = AdapterSpec(
    name="siglip",
    family="siglip",
    license="Apache-2.0",
    max_tokens=64,
    pixels="resized to the model's square bicubically; the aspect ratio is not kept",
    pooling="attention-pooled patches (image); projected state of the last of 64 positions, padding included (text)",
    assumptions=("texts are lower-cased, as in training; the last token kept of a long text is the end token",),
)
"""Any checkpoint of this architecture."""

SIGLIP_SO400M = replace(
    SIGLIP,
    name="siglip-so400m",
    hub_id="google/siglip-so400m-patch14-384",
    revision="9fdffc58afc957d1a03a25b10dba0329ab15c2a3",
    dim=1152,
    parameters="878M",
    pixels="384 x 384 bicubic, the aspect ratio is not kept",
    extras=("sentencepiece", "protobuf"),
)

SIGLIP_LARGE_256 = replace(
    SIGLIP_SO400M,
    name="siglip-large-256",
    hub_id="google/siglip-large-patch16-256",
    revision="d0da9f876e7d66b4e250cd2450c3ba2ce735e447",
    dim=1024,
    parameters="652M",
    pixels="256 x 256 bicubic, the aspect ratio is not kept",
)

SIGLIP2_SO400M = replace(
    SIGLIP_SO400M,
    name="siglip2-so400m",
    hub_id="google/siglip2-so400m-patch16-384",
    revision="dd658faac399427308559e2c3ac1e99cbe43845d",
    parameters="1.1B",
    extras=(),
)


def checkpoint_dim(config: dict[str, Any]) -> int:
    """Length of the vectors of a checkpoint with this config.json."""
    return int(config.get("vision_config", {}).get("hidden_size", 768))


def load(spec: AdapterSpec, checkpoint: Checkpoint, device: str, dtype: torch.dtype) -> Encoder:
    """Loads a checkpoint's two towers."""
    folder = checkpoint.folder
    model = load_model(require("transformers").SiglipModel, folder, device=device, dtype=dtype)
    tokenizer = load_tokenizer(folder)
    pixels = PixelReader(folder, device, dtype)
    limit = min(spec.max_tokens or 64, model.config.text_config.max_position_embeddings)

    def embed_texts(texts: list[str]) -> tuple[torch.Tensor, int]:
        # Built by hand: tokenizers of this family differ in whether they add a first token, a mask, or cut the end.
        tokens = tokenizer([text.lower() for text in texts], add_special_tokens=False)["input_ids"]
        ids = require("torch").full((len(texts), limit), tokenizer.pad_token_id)
        for row, own in enumerate(tokens):
            kept = [*own[: limit - 1], tokenizer.eos_token_id]
            ids[row, : len(kept)] = ids.new_tensor(kept)
        vectors = tensor_of(model.get_text_features(input_ids=ids.to(device)))
        return vectors, sum(len(own) > limit - 1 for own in tokens)

    return DualEncoder(lambda images: tensor_of(model.get_image_features(pixel_values=pixels(images))), embed_texts)
