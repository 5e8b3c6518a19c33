"""Trains the tiny model that ships in ``adapters/tiny``: ``python -m snapbench.adapters.train_tiny``.

A CLIPModel of transformers with its own small tokenizer, trained contrastively on drawn scenes and their captions.
Nothing of the sample is used: pictures come from other keys of the renderer, and captions that the sample has are
drawn again; :func:`check_disjoint` refuses anything else. The questions are never seen in training; only the tokenizer
knows their words.

One seed decides everything, so two runs with the same versions on the same machine give the same weights.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
from PIL import Image
from tokenizers import pre_tokenizers
from torch.nn import functional
from transformers import CLIPConfig, CLIPModel, CLIPProcessor, CLIPTokenizer
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

from ..corruptions.seeding import generator
from ..sources.rendering.catalogue import ENTITIES
from ..sources.rendering.scene import Style, render
from ..sources.rendering.words import caption

logger = logging.getLogger(__name__)

SEED = 0
STEPS = 4000
"""Steps of the first stage; the second stage takes half as many."""
RENDERINGS = 64
"""Pictures per entity; every second one is in the style of the queries. The first stage sees the first half."""
CAPTIONS = 4
"""Captions per picture."""
SIDE = 64
BATCH = 20
"""Entities per step, each with two pictures and two captions."""
LEARNING_RATES = (1e-3, 7e-4)
"""At the start of each stage; both end at zero."""
VOCABULARY = 1000
TOKENS = 64
PROCESSES = 2
SAMPLE = Path(__file__).parents[1] / "sources" / "sample"


class TrainingSet(NamedTuple):
    """``pixels``: uint8 [entities, RENDERINGS, 3, SIDE, SIDE]; ``captions[entity][picture]``: CAPTIONS texts."""

    pixels: torch.Tensor
    captions: list[list[list[str]]]


def shrink(image: Image.Image) -> np.ndarray:
    """What the model sees of an image, uint8 [SIDE, SIDE, 3]: the aspect ratio is given up, nothing is cropped."""
    return np.asarray(image.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BICUBIC))


def draw_entity(number: int, taken: set[str], renderings: int = RENDERINGS) -> tuple[np.ndarray, list[list[str]]]:
    """The pictures of one entity, uint8 [renderings, SIDE, SIDE, 3], each with CAPTIONS that are not ``taken``."""
    cv2.setNumThreads(1)
    entity = ENTITIES[number]
    rng = generator(SEED, entity.name, "train-captions")
    pixels, captions = np.empty((renderings, SIDE, SIDE, 3), np.uint8), []
    for k in range(renderings):
        style: Style = "query" if k % 2 else "gallery"
        scene = render(entity, f"train/{k}", style=style, side=SIDE + 16, seed=SEED)
        pixels[k] = shrink(Image.fromarray(scene.image))
        texts: list[str] = []
        while len(texts) < CAPTIONS:
            text = caption(entity, scene, rng)
            if text not in taken:
                texts.append(text)
        captions.append(texts)
    return pixels, captions


def draw_training_set() -> TrainingSet:
    """Renders the pictures and writes captions that the sample does not have."""
    taken = {json.loads(line)["caption"] for line in (SAMPLE / "gallery.jsonl").read_text("utf-8").splitlines()}
    drawn = []
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("spawn")) as pool:
        for entity in pool.map(draw_entity, range(len(ENTITIES)), [taken] * len(ENTITIES)):
            drawn.append(entity)
            logger.info("drew %d of %d entities", len(drawn), len(ENTITIES))
    pixels, captions = np.stack([p for p, _ in drawn]), [c for _, c in drawn]
    check_disjoint(pixels, captions, taken)
    return TrainingSet(torch.from_numpy(pixels).permute(0, 1, 4, 2, 3).contiguous(), captions)


def check_disjoint(pixels: np.ndarray, captions: Sequence[Sequence[Sequence[str]]], taken: set[str]) -> None:
    """Refuses a training set that shares a picture or a caption with the sample.

    Raises:
        ValueError: some are shared; the message says how many.
    """
    digests = {hashlib.sha256(image.tobytes()).digest() for image in pixels.reshape(-1, SIDE, SIDE, 3)}
    for file in sorted((SAMPLE / "images").rglob("*.webp")):
        with Image.open(file) as image:
            if hashlib.sha256(shrink(image).tobytes()).digest() in digests:
                raise ValueError(
                    f"the training set must be disjoint from the sample, but it has the picture {file.name}"
                )
    shared = taken.intersection(text for rows in captions for texts in rows for text in texts)
    if shared:
        raise ValueError(f"the training set must be disjoint from the sample, but it has {len(shared)} of its captions")


def learn_merges(words: Counter[str], count: int) -> list[tuple[str, str]]:
    """Byte-pair merges, most frequent first, ties in alphabetical order.

    Written out because the fast trainer of the tokenizers library breaks ties differently in every run.
    """
    pieces = {word: [*word[:-1], f"{word[-1]}</w>"] for word in sorted(words)}
    merges: list[tuple[str, str]] = []
    while len(merges) < count:
        pairs: Counter[tuple[str, str]] = Counter()
        for word, parts in pieces.items():
            for pair in pairwise(parts):
                pairs[pair] += words[word]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        for parts in pieces.values():
            for i in range(len(parts) - 2, -1, -1):
                if tuple(parts[i : i + 2]) == best:
                    parts[i : i + 2] = ["".join(best)]
    return merges


def build_processor(captions: Sequence[Sequence[Sequence[str]]]) -> CLIPProcessor:
    """The preprocessing of the model: SIDE x SIDE pixels, and a byte-pair tokenizer.

    Its words are those of the first stage's captions and of the questions.
    """
    corpus = [text for rows in captions for texts in rows[: len(rows) // 2] for text in texts]
    corpus += [question for entity in ENTITIES for question in entity.category.questions]
    backend = CLIPTokenizer().backend_tokenizer
    words: Counter[str] = Counter()
    for text in corpus:
        words.update(word for word, _ in backend.pre_tokenizer.pre_tokenize_str(backend.normalizer.normalize_str(text)))
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = learn_merges(words, VOCABULARY - 2 - 2 * len(letters))
    tokens = [
        "<|startoftext|>",
        "<|endoftext|>",
        *letters,
        *(f"{letter}</w>" for letter in letters),
        *map("".join, merges),
    ]
    vocabulary = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
    tokenizer = CLIPTokenizer(vocab=vocabulary, merges=merges, model_max_length=TOKENS)  # type: ignore[arg-type]
    square = {"height": SIDE, "width": SIDE}
    image_processor = CLIPImageProcessorPil(size=square, crop_size=square, do_center_crop=False)
    return CLIPProcessor(image_processor=image_processor, tokenizer=tokenizer)


def build_model(tokenizer: CLIPTokenizer) -> CLIPModel:
    """A new model with random weights from torch's global generator."""
    shape = {"hidden_size": 96, "intermediate_size": 288, "num_attention_heads": 4, "projection_dim": 96}
    config = CLIPConfig(
        vision_config={**shape, "num_hidden_layers": 4, "image_size": SIDE, "patch_size": 8},
        text_config={
            **shape,
            "num_hidden_layers": 2,
            "vocab_size": len(tokenizer),
            "max_position_embeddings": TOKENS,
            "bos_token_id": tokenizer.bos_token_id,
            "eos_token_id": tokenizer.eos_token_id,
            "pad_token_id": tokenizer.pad_token_id,
        },
        projection_dim=96,
    )
    return CLIPModel(config)


def augment(pixels: torch.Tensor) -> torch.Tensor:
    """Turns, zooms, shifts, mirrors and relights a batch; float [n, 3, SIDE, SIDE] from 0 to 1, in and out.

    Mild on purpose: a model that has seen every corruption would not show what corruptions do.
    """
    n = len(pixels)
    angle, zoom = (torch.rand(n) - 0.5) * 0.3, 0.85 + 0.25 * torch.rand(n)
    mirror = torch.where(torch.rand(n) < 0.5, -1.0, 1.0)
    cos, sin = torch.cos(angle) * zoom, torch.sin(angle) * zoom
    shift = (torch.rand(n, 2) - 0.5) * 0.2
    theta = torch.stack([cos * mirror, -sin, shift[:, 0], sin * mirror, cos, shift[:, 1]], 1).view(n, 2, 3)
    grid = functional.affine_grid(theta, list(pixels.shape), align_corners=False)
    moved = functional.grid_sample(pixels, grid, padding_mode="reflection", align_corners=False)
    gain, lift = 0.8 + 0.4 * torch.rand(n, 1, 1, 1), (torch.rand(n, 3, 1, 1) - 0.5) * 0.1
    return (moved * gain + lift).clamp(0, 1)


def batches(data: TrainingSet, steps: int, stage: int) -> Iterator[tuple[torch.Tensor, list[str]]]:
    """Per step: pixels [2 * BATCH, ...] and as many captions; row i and row i + BATCH show the same entity.

    In the second stage every other batch is filled category by category: its entities look alike and stand in the same
    settings, so that the model can't tell them apart by the background.
    """
    rng = generator(SEED + stage, "tiny", "batches")
    entities, renderings = data.pixels.shape[0], data.pixels.shape[1] // (2 - stage)
    category = np.unique([entity.category.coarse for entity in ENTITIES[:entities]], return_inverse=True)[1]
    for step in range(steps):
        order = rng.permutation(entities)
        if stage == 1 and step % 2:
            order = order[np.argsort(rng.permutation(category.max() + 1)[category[order]], kind="stable")]
        chosen = np.tile(order[:BATCH], 2)
        half = len(chosen) // 2
        first = rng.integers(renderings, size=half)
        second = (first + rng.integers(1, renderings, size=half)) % renderings
        pictures, which = np.concatenate([first, second]), rng.integers(CAPTIONS, size=2 * half)
        texts = [data.captions[e][k][w] for e, k, w in zip(chosen, pictures, which, strict=True)]
        yield data.pixels[chosen, pictures].float() / 255, texts


def contrast(first: torch.Tensor, second: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """The symmetric contrastive loss: row i of ``first`` belongs to row i of ``second`` (unit rows [n, dim])."""
    logits, target = scale * first @ second.T, torch.arange(len(first))
    return (functional.cross_entropy(logits, target) + functional.cross_entropy(logits.T, target)) / 2


def train_stage(model: CLIPModel, processor: CLIPProcessor, data: TrainingSet, steps: int, stage: int) -> None:
    """Trains ``model`` in place: picture to caption, and picture to another picture of the entity."""
    rate = LEARNING_RATES[stage]
    mean, std = (
        torch.tensor(getattr(processor.image_processor, f"image_{name}")).view(3, 1, 1) for name in ("mean", "std")
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.05, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / 100) * (1 - step / steps))
    for step, (pixels, texts) in enumerate(batches(data, steps, stage), 1):
        tokens = processor.tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        out = model(pixel_values=(augment(pixels) - mean) / std, **tokens)
        scale = model.logit_scale.exp().clamp(max=100)
        image_a, image_b = out.image_embeds.chunk(2)
        text_a, text_b = out.text_embeds.chunk(2)
        captions = contrast(image_a, text_a, scale) + contrast(image_b, text_b, scale)
        loss = captions / 2 + contrast(image_a, image_b, scale)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            logger.info("stage %d, step %d of %d: loss %.3f", stage + 1, step, steps, loss.item())


def train(data: TrainingSet, processor: CLIPProcessor, steps: int) -> CLIPModel:
    """Trains a new model: ``steps`` steps of the first stage, then the second."""
    torch.manual_seed(SEED)
    model = build_model(processor.tokenizer).train()
    train_stage(model, processor, data, steps, stage=0)
    # Rounded to what is stored, so that the second stage can be repeated from a saved model.
    model.half().float()
    torch.manual_seed(SEED + 1)
    train_stage(model, processor, data, max(1, steps // 2), stage=1)
    return model.eval()


def save(model: CLIPModel, processor: CLIPProcessor, folder: Path) -> None:
    """Writes float16 weights (half the size; loaded as float32) and everything the processor needs."""
    processor.save_pretrained(folder)
    model.half().save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config["dtype"] = "float32"
    (folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", "utf-8")


def main() -> None:
    """The command ``python -m snapbench.adapters.train_tiny``."""
    parser = argparse.ArgumentParser(
        prog="python -m snapbench.adapters.train_tiny", description="Train the tiny model."
    )
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "tiny", help="folder to write")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"steps of the first stage (default {STEPS})")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    # One thread each: sums come out the same on any number of cores, and arrays this small gain little from more.
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.use_deterministic_algorithms(True)
    start = time.monotonic()
    data = draw_training_set()
    logger.info("training set after %.0f s", time.monotonic() - start)
    processor = build_processor(data.captions)
    save(train(data, processor, arguments.steps), processor, arguments.output)
    logger.info("done after %.0f s", time.monotonic() - start)


if __name__ == "__main__":
    main()
