"""Random-weight models of every architecture, saved with a real tokenizer and image processor.

The initialisation is wide on purpose: with the usual 0.02 every input gets nearly the same vector, and a wrong pooling,
a wrong padding side or wrong positions would go unseen.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from PIL import Image
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = [
    "what kind of fruit is this on the wooden table",
    "a photo of a yellow tulip in the spring garden",
    "an old stone bridge over the river at night",
    "represent the given image and find the caption that matches: query, passage, user, system, assistant",
] * 10

SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}
WIDE: dict[str, Any] = {**SMALL, "initializer_range": 0.3}


def photo(width: int = 64, height: int = 48, seed: int = 0) -> Image.Image:
    """An RGB image of noise over a gradient."""
    rng = np.random.default_rng(seed)
    ramp = np.linspace(0, 120, width)[None, :, None] + np.linspace(0, 60, height)[:, None, None]
    pixels = ramp + rng.integers(0, 76, (height, width, 3))
    return Image.fromarray(pixels.astype(np.uint8))


def widen(model: torch.nn.Module, seed: int = 0) -> Any:
    """Redraws every weight matrix and norm so that inputs and layers are told apart."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 1:
                parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
            else:
                scale = 0.3 if parameter.ndim == 2 else 0.1
                parameter.copy_(scale * torch.randn(parameter.shape, generator=generator))
    return model.eval()


def save(folder: Path, *parts: Any) -> Path:
    """Writes a model with its tokenizer and processors into one folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in parts:
        part.save_pretrained(folder)
    return folder


def byte_bpe(special: Sequence[str], *, first: str | None = None) -> Tokenizer:
    """A byte-level BPE tokenizer as Qwen, Llama and Phi have, with an optional token before every text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        CORPUS,
        trainers.BpeTrainer(
            vocab_size=500, special_tokens=list(special), initial_alphabet=alphabet, show_progress=False
        ),
    )
    if first is not None:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{first} $A", special_tokens=[(first, tokenizer.token_to_id(first))]
        )
    return tokenizer


def clip(folder: Path, dim: int = 16) -> Path:
    """CLIP with its lower-cased word-end BPE, 77 tokens, images of 30 pixels."""
    special = ["<|startoftext|>", "<|endoftext|>"]
    bpe = Tokenizer(models.BPE(unk_token=special[1], continuing_subword_prefix="", end_of_word_suffix="</w>"))
    bpe.normalizer = normalizers.Lowercase()
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.train_from_iterator(
        CORPUS,
        trainers.BpeTrainer(
            vocab_size=500,
            special_tokens=special,
            end_of_word_suffix="</w>",
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    state = json.loads(bpe.to_str())["model"]
    merges = [tuple(merge.split(" ") if isinstance(merge, str) else merge) for merge in state["merges"]]
    tokenizer = transformers.CLIPTokenizer(
        vocab=state["vocab"],
        merges=merges,
        bos_token=special[0],
        eos_token=special[1],
        unk_token=special[1],
        pad_token=special[1],
        model_max_length=77,
    )
    config = transformers.CLIPConfig(
        text_config={
            **SMALL,
            "vocab_size": len(tokenizer),
            "max_position_embeddings": 77,
            "bos_token_id": tokenizer.bos_token_id,
            "eos_token_id": tokenizer.eos_token_id,
            "pad_token_id": tokenizer.pad_token_id,
        },
        vision_config={**SMALL, "image_size": 30, "patch_size": 15},
        projection_dim=dim,
    )
    images = transformers.CLIPImageProcessor(size={"shortest_edge": 30}, crop_size={"height": 30, "width": 30})
    return save(folder, widen(transformers.CLIPModel(config)), tokenizer, images)
