"""The tiny model: a real dual encoder, loaded offline, whose training can be repeated."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from transformers import CLIPModel, CLIPProcessor

from snapbench import adapters, sources
from snapbench.adapters import train_tiny
from snapbench.corruptions import corrupt_image
from snapbench.corruptions.conditions import PRIMITIVES
from snapbench.sources.rendering.catalogue import ENTITIES

TINY = Path(adapters.__file__).parent / "tiny"
SAMPLE = Path(sources.__file__).parent / "sample"


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """The script trains on one thread; a model this small is no faster on more."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


class Encoders:
    """The two towers, used as transformers' documentation shows: nothing of our adapters."""

    def __init__(self) -> None:
        self.model = CLIPModel.from_pretrained(TINY, local_files_only=True).eval()
        self.processor = CLIPProcessor.from_pretrained(TINY, local_files_only=True)

    @torch.inference_mode()
    def images(self, images: list[Image.Image]) -> np.ndarray:
        pixels = self.processor.image_processor(images=images, return_tensors="pt")["pixel_values"]
        return self._unit(self.model.get_image_features(pixel_values=pixels))

    @torch.inference_mode()
    def texts(self, texts: list[str]) -> np.ndarray:
        tokens = self.processor.tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        return self._unit(self.model.get_text_features(**tokens))

    @staticmethod
    def _unit(output) -> np.ndarray:
        vectors = (output if isinstance(output, torch.Tensor) else output.pooler_output).numpy()
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def rows(name: str) -> list[dict]:
    return [json.loads(line) for line in (SAMPLE / f"{name}.jsonl").read_text("utf-8").splitlines()]


def photos(table: list[dict]) -> list[Image.Image]:
    return [Image.open(SAMPLE / row["image"]).convert("RGB") for row in table]


@pytest.fixture(scope="module")
def encoders() -> Encoders:
    return Encoders()


@pytest.fixture(scope="module")
def relevant() -> np.ndarray:
    """bool [queries, gallery]"""
    column = {row["gallery_id"]: i for i, row in enumerate(rows("gallery"))}
    positives = defaultdict(list)
    for row in rows("labels"):
        if row["relevance"]:
            positives[row["query_id"]].append(column[row["gallery_id"]])
    table = np.zeros((len(rows("queries")), len(column)), bool)
    for i, row in enumerate(rows("queries")):
        table[i, positives[row["query_id"]]] = True
    return table


def recall_at_1(scores: np.ndarray, relevant: np.ndarray) -> float:
    return 100 * float(np.mean(relevant[np.arange(len(scores)), scores.argmax(1)]))


def test_files():
    assert (TINY / "model.safetensors").stat().st_size <= 4_000_000
    assert (TINY / "README.md").is_file()
    assert sum(path.stat().st_size for path in TINY.iterdir()) <= 5_000_000


def test_encodes(encoders):
    assert encoders.model.dtype == torch.float32
    noise = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    images = encoders.images([Image.fromarray(noise), Image.new("RGB", (1, 1)), Image.new("RGB", (500, 20), "red")])
    texts = encoders.texts(["A banana.", "", "word " * 300, "Ünïcödé 漢字 \N{BANANA}"])
    assert images.shape == (3, encoders.model.config.projection_dim)
    assert texts.shape == (4, encoders.model.config.projection_dim)
    for vectors in (images, texts):
        assert vectors.dtype == np.float32
        assert np.isfinite(vectors).all()
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_padding_does_not_change_a_text(encoders):
    alone = encoders.texts(["What bird is this?"])
    beside = encoders.texts(
        ["What bird is this?", "A photo of a very long and winding caption of a boat on the open sea."]
    )
    assert np.allclose(alone[0], beside[0], atol=1e-5)


def test_finds_things_by_picture_and_by_caption(encoders, relevant):
    query, gallery = encoders.images(photos(rows("queries"))), encoders.images(photos(rows("gallery")))
    assert 60 <= recall_at_1(query @ gallery.T, relevant) <= 95
    captions = encoders.texts([row["caption"] for row in rows("gallery")])
    chance = 100 * relevant.mean()
    assert recall_at_1(query @ captions.T, relevant) > 20 * chance


@pytest.mark.slow
def test_falls_with_severity_under_every_primitive(encoders, relevant):
    gallery, table = encoders.images(photos(rows("gallery"))), rows("queries")
    clean = photos(table)
    for operators in PRIMITIVES.values():
        recall = []
        for severity in (1, 2, 3):
            values = []
            for operator in operators:
                corrupted = [
                    corrupt_image(image, operator, severity, query_id=row["query_id"])
                    for image, row in zip(clean, table, strict=True)
                ]
                values.append(recall_at_1(encoders.images(corrupted) @ gallery.T, relevant))
            recall.append(np.mean(values))
        assert recall[0] > recall[1] > recall[2], (operators, recall)


@pytest.fixture(scope="module")
def small_set() -> train_tiny.TrainingSet:
    drawn = [train_tiny.draw_entity(number, set(), 4) for number in range(4)]
    pixels = torch.from_numpy(np.stack([pixels for pixels, _ in drawn])).permute(0, 1, 4, 2, 3).contiguous()
    return train_tiny.TrainingSet(pixels, [captions for _, captions in drawn])


def test_training_is_reproducible(small_set):
    processor = train_tiny.build_processor(small_set.captions)
    assert processor.tokenizer.get_vocab() == train_tiny.build_processor(small_set.captions).tokenizer.get_vocab()
    first, second = (train_tiny.train(small_set, processor, 2).state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)
    start = train_tiny.train(small_set, processor, 1).state_dict()
    assert not torch.equal(first["visual_projection.weight"], start["visual_projection.weight"])


def test_save_and_load(small_set, tmp_path):
    processor = train_tiny.build_processor(small_set.captions)
    model = train_tiny.train(small_set, processor, 1)
    train_tiny.save(model, processor, tmp_path)
    loaded = CLIPModel.from_pretrained(tmp_path, local_files_only=True)
    assert loaded.dtype == torch.float32
    pairs = zip(loaded.state_dict().items(), model.half().float().state_dict().values(), strict=True)
    assert all(torch.equal(mine, saved.to(mine.dtype)) for (_, mine), saved in pairs)


def test_training_pictures_and_captions_are_not_the_sample_s(small_set):
    taken = {row["caption"] for row in rows("gallery")}
    pixels, captions = train_tiny.draw_entity(0, taken, 2)
    train_tiny.check_disjoint(pixels[None], [captions], taken)
    with pytest.raises(ValueError, match="its captions"):
        train_tiny.check_disjoint(pixels[None], [[[next(iter(taken))]]], taken)
    with Image.open(SAMPLE / rows("gallery")[0]["image"]) as image:
        stolen = train_tiny.shrink(image)
    with pytest.raises(ValueError, match=r"the picture 00000\.webp"):
        train_tiny.check_disjoint(stolen[None, None], [captions], taken)


def test_draws_the_same_training_pictures_again():
    number = next(i for i, entity in enumerate(ENTITIES) if entity.name == "crab")
    (pixels, captions), (again, texts) = (train_tiny.draw_entity(number, set(), 2) for _ in range(2))
    assert np.array_equal(pixels, again)
    assert captions == texts
    assert all("crab" in text for row in captions for text in row)
