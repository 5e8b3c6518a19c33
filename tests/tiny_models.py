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
from safetensors.torch import save_file
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
    images = transformers.CLIPImageProcessorPil(size={"shortest_edge": 30}, crop_size={"height": 30, "width": 30})
    processor = transformers.CLIPProcessor(image_processor=images, tokenizer=tokenizer)
    return save(folder, widen(transformers.CLIPModel(config)), processor)


def siglip(folder: Path, tokenizer: str = "unigram", dim: int = 32) -> Path:
    """SigLIP: 64 tokens, images of 32 pixels.

    Args:
        tokenizer: ``"sentencepiece"`` is SigLIP's own class, which lower-cases and also returns a mask; ``"gemma"``
            is SigLIP 2's, which keeps the case; ``"unigram"`` needs no further package.
    """
    words = {"sentencepiece": _sentencepiece, "gemma": _gemma, "unigram": _unigram}[tokenizer](folder)
    size = {**SMALL, "hidden_size": dim}
    config = transformers.SiglipConfig(
        text_config={
            **size,
            "vocab_size": len(words),
            "max_position_embeddings": 64,
            "projection_size": dim,
            "bos_token_id": 0,
            "eos_token_id": words.eos_token_id,
            "pad_token_id": words.pad_token_id,
        },
        vision_config={**size, "image_size": 32, "patch_size": 16},
    )
    images = transformers.SiglipImageProcessorPil(size={"height": 32, "width": 32})
    save(folder, widen(transformers.SiglipModel(config)), words, images)
    if tokenizer == "gemma":  # the class that the Hub's checkpoints name
        path = folder / "tokenizer_config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "tokenizer_class": "GemmaTokenizer"}))
    return folder


def _unigram(folder: Path) -> Any:
    words = Tokenizer(models.Unigram())
    words.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace(" ", "\u2581")])
    trainer = trainers.UnigramTrainer(
        vocab_size=150, special_tokens=["</s>", "<unk>"], unk_token="<unk>", show_progress=False
    )
    words.train_from_iterator(CORPUS, trainer)
    words.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 0)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, unk_token="<unk>", pad_token="</s>", eos_token="</s>", model_max_length=64
    )


def _sentencepiece(folder: Path) -> Any:
    import sentencepiece

    folder.mkdir(parents=True, exist_ok=True)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS),
        model_prefix=str(folder / "spiece"),
        vocab_size=80,
        hard_vocab_limit=False,
        pad_id=-1,
        bos_id=-1,
        eos_id=1,
        unk_id=2,
        minloglevel=2,
    )
    return transformers.SiglipTokenizer(vocab_file=str(folder / "spiece.model"))


def _gemma(folder: Path) -> Any:
    words = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    words.normalizer = normalizers.Replace(" ", "\u2581")
    words.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", *(f"<0x{byte:02X}>" for byte in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=500, special_tokens=special, show_progress=False)
    words.train_from_iterator([*CORPUS, *(line.upper() for line in CORPUS)], trainer)
    words.post_processor = processors.TemplateProcessing(single="$A <eos>", special_tokens=[("<eos>", 1)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=words,
        unk_token="<unk>",
        pad_token="<pad>",
        eos_token="<eos>",
        bos_token="<bos>",
        padding_side="right",
        model_max_length=64,
    )


def blip(folder: Path, dim: int = 24) -> Path:
    """BLIP for retrieval: uncased WordPiece, images of 32 pixels."""
    words = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    words.normalizer = normalizers.BertNormalizer()
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words.train_from_iterator(
        CORPUS, trainers.WordPieceTrainer(vocab_size=250, special_tokens=special, show_progress=False)
    )
    tokenizer = transformers.BertTokenizer(vocab=words.get_vocab(), model_max_length=512)
    config = transformers.BlipConfig(
        text_config={
            **SMALL,
            "vocab_size": len(tokenizer),
            "encoder_hidden_size": 32,
            "max_position_embeddings": 64,
            "pad_token_id": 0,
            "bos_token_id": 2,
            "eos_token_id": 3,
            "sep_token_id": 3,
        },
        vision_config={**SMALL, "image_size": 32, "patch_size": 16},
        projection_dim=32,
        image_text_hidden_size=dim,
    )
    images = transformers.BlipImageProcessorPil(size={"height": 32, "width": 32})
    return save(folder, widen(transformers.BlipForImageTextRetrieval(config)), tokenizer, images)


QWEN_SPECIAL = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
    "<disc_emb>",
    "<gen_emb>",
]


def qwen_tokenizer(last: str | None = None) -> Any:
    """Qwen's special tokens on a small byte-level BPE; ``last`` is put after every text by the tokenizer itself."""
    words = byte_bpe(QWEN_SPECIAL)
    if last is not None:
        words.post_processor = processors.TemplateProcessing(
            single=f"$A {last}", special_tokens=[(last, words.token_to_id(last))]
        )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=words,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=QWEN_SPECIAL[1:],
        model_max_length=32_768,
    )


def qwen(folder: Path, kind: str = "qwen2_vl", last: str | None = None, limits: tuple[int, int] = (4, 16)) -> Path:
    """Qwen2-VL, Qwen2.5-VL or Qwen3-VL, saved with its language-model head as published checkpoints are.

    Args:
        limits: least and most image tokens of the saved image processor.
    """
    tokenizer = qwen_tokenizer(last)
    names = {
        "image_token_id": "<|image_pad|>",
        "video_token_id": "<|video_pad|>",
        "vision_start_token_id": "<|vision_start|>",
        "vision_end_token_id": "<|vision_end|>",
    }
    ids = {name: tokenizer.convert_tokens_to_ids(token) for name, token in names.items()}
    text = {**SMALL, "num_key_value_heads": 2, "max_position_embeddings": 4096, "vocab_size": len(tokenizer)}
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [1, 1, 2]}
    vision: dict[str, Any] = {"depth": 2, "hidden_size": 32, "num_heads": 4}
    patch = 14
    if kind == "qwen2_vl":
        config = transformers.Qwen2VLConfig(
            text_config={**text, "rope_parameters": rope},
            vision_config={**vision, "embed_dim": 32, "mlp_ratio": 2},
            **ids,
        )
        model = transformers.Qwen2VLForConditionalGeneration(config)
    elif kind == "qwen2_5_vl":
        config = transformers.Qwen2_5_VLConfig(
            text_config={**text, "rope_parameters": rope},
            vision_config={
                **vision,
                "out_hidden_size": 32,
                "intermediate_size": 48,
                "window_size": 56,
                "fullatt_block_indexes": [1],
            },
            **ids,
        )
        model = transformers.Qwen2_5_VLForConditionalGeneration(config)
    else:
        patch = 16
        config = transformers.Qwen3VLConfig(
            text_config={**text, "head_dim": 8, "rope_parameters": {**rope, "mrope_interleaved": True}},
            vision_config={
                **vision,
                "out_hidden_size": 32,
                "intermediate_size": 48,
                "patch_size": 16,
                "num_position_embeddings": 64,
                "deepstack_visual_indexes": [0, 1],
            },
            **ids,
        )
        model = transformers.Qwen3VLForConditionalGeneration(config)
    token_pixels = (2 * patch) ** 2
    half = {"image_mean": [0.5] * 3, "image_std": [0.5] * 3} if patch == 16 else {}
    images = transformers.Qwen2VLImageProcessorPil(
        size={"shortest_edge": limits[0] * token_pixels, "longest_edge": limits[1] * token_pixels},
        patch_size=patch,
        **half,
    )
    save(folder, widen(model), tokenizer, images)
    # The class names that the Hub's checkpoints carry.
    path = folder / "preprocessor_config.json"
    name = "Qwen2VLImageProcessorFast" if patch == 16 else "Qwen2VLImageProcessor"
    path.write_text(json.dumps({**json.loads(path.read_text()), "image_processor_type": name}))
    return folder


def qwen3_vl_processor(folder: Path, limits: tuple[int, int] = (4, 16)) -> Path:
    """Adds the joint processor, which needs torchvision, with a chat template; the Hub's checkpoints have both."""
    transformers.Qwen3VLProcessor(
        image_processor=transformers.AutoImageProcessor.from_pretrained(folder, backend="pil"),
        tokenizer=transformers.AutoTokenizer.from_pretrained(folder),
        video_processor=transformers.Qwen3VLVideoProcessor(
            size={"shortest_edge": limits[0] * 32**2, "longest_edge": limits[1] * 32**2}
        ),
        chat_template=QWEN_CHAT_TEMPLATE,
    ).save_pretrained(folder)
    return folder


def llava_next(folder: Path) -> Path:
    """LLaVA-NeXT on Llama with CLIP's vision tower; the saved processor has no patch size, like the published one."""
    special = [
        "<|begin_of_text|>",
        "<|end_of_text|>",
        "<|start_header_id|>",
        "<|end_header_id|>",
        "<|eot_id|>",
        "<image>",
        "<pad>",
    ]
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=byte_bpe(special, first=special[0]),
        bos_token=special[0],
        eos_token=special[4],
        pad_token="<pad>",
        additional_special_tokens=special[2:6],
        model_max_length=8192,
    )
    grid = [[28, 56], [56, 28], [56, 56]]
    config = transformers.LlavaNextConfig(
        vision_config=transformers.CLIPVisionConfig(
            **{**SMALL, "num_hidden_layers": 3}, image_size=28, patch_size=14, projection_dim=16
        ),
        text_config=transformers.LlamaConfig(
            **SMALL,
            num_key_value_heads=2,
            max_position_embeddings=4096,
            vocab_size=len(tokenizer),
            bos_token_id=0,
            eos_token_id=4,
            pad_token_id=6,
        ),
        image_token_index=5,
        image_grid_pinpoints=grid,
        vision_feature_layer=-2,
        vision_feature_select_strategy="default",
    )
    images = transformers.LlavaNextImageProcessorPil(
        size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}, image_grid_pinpoints=grid
    )
    return save(folder, widen(transformers.LlavaNextForConditionalGeneration(config)), tokenizer, images)


QWEN_CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}"
    "{% if part.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% elif part.type == 'text' %}{{ part.text }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def phi3_v(folder: Path, side: int = 28) -> Path:
    """Phi-3.5-vision as published: a Phi-3 language model, CLIP's vision tower without its class, separators, MLP."""
    special = ["<unk>", "<s>", "</s>", "<|endoftext|>", "<|image|>"]
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=byte_bpe(special, first="<s>"),
        bos_token="<s>",
        eos_token="<|endoftext|>",
        pad_token="<|endoftext|>",
        unk_token="<unk>",
        model_max_length=131_072,
    )
    config = {
        "model_type": "phi3_v",
        **SMALL,
        "num_key_value_heads": 4,
        "vocab_size": len(tokenizer),
        "max_position_embeddings": 8192,
        "original_max_position_embeddings": 4096,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10_000.0,
        "rope_scaling": {"type": "su", "short_factor": [1.0, 1.1, 1.2, 1.3], "long_factor": [2.0, 2.5, 3.0, 4.0]},
        "bos_token_id": 1,
        "eos_token_id": 3,
        "pad_token_id": 3,
        "img_processor": {"name": "clip_vision_model", "image_dim_out": 64, "num_img_tokens": 1},
    }
    width = 64
    language = widen(transformers.Phi3Model(phi3_config(config)))
    vision = transformers.CLIPVisionConfig(
        hidden_size=width,
        intermediate_size=48,
        num_hidden_layers=3,
        num_attention_heads=1,
        image_size=side,
        patch_size=7,
    )
    clip_tower = widen(transformers.CLIPVisionModel(vision))
    generator = torch.Generator().manual_seed(3)
    prefix = "model.vision_embed_tokens."
    sizes = {
        "glb_GN": (1, 1, 4 * width),
        "sub_GN": (1, 1, 1, 4 * width),
        "img_projection.0.weight": (32, 4 * width),
        "img_projection.0.bias": (32,),
        "img_projection.2.weight": (32, 32),
        "img_projection.2.bias": (32,),
    }
    weights = {
        **{f"model.{key}": tensor for key, tensor in language.state_dict().items()},
        **{f"{prefix}img_processor.{key}": tensor for key, tensor in published_clip_keys(clip_tower).items()},
        **{f"{prefix}{key}": 0.2 * torch.randn(size, generator=generator) for key, size in sizes.items()},
        "lm_head.weight": torch.zeros(len(tokenizer), 32),
    }
    folder.mkdir(parents=True, exist_ok=True)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config))
    return save(folder, tokenizer)


def phi3_config(config: dict[str, Any]) -> Any:
    """The language model's part of a Phi-3.5-vision config, with its rotary scaling as transformers 5 wants it."""
    own = {key: value for key, value in config.items() if not key.startswith(("model_type", "img_", "rope_"))}
    rope = {
        **config["rope_scaling"],
        "type": "longrope",
        "rope_type": "longrope",
        "rope_theta": config["rope_theta"],
        "original_max_position_embeddings": config["original_max_position_embeddings"],
    }
    return transformers.Phi3Config(**own, rope_parameters=rope)


def published_clip_keys(tower: torch.nn.Module) -> dict[str, torch.Tensor]:
    """The tower's weights under the names that CLIP checkpoints carry."""
    return {
        key if key.startswith("vision_model.") else f"vision_model.{key}": tensor
        for key, tensor in tower.state_dict().items()
        if not key.endswith("position_ids")
    }
