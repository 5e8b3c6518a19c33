"""A source of a few coloured pictures in the own-folder layout, and models that see colours and words."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

COLORS = {"rose": (220, 60, 90), "tulip": (240, 170, 40), "iris": (90, 70, 200), "lily": (245, 240, 230)}


def write_source(folder: Path, n_queries: int = 6) -> Path:
    """Writes ``n_queries`` queries and twice as many gallery items; returns the folder."""
    (folder / "images").mkdir(parents=True)
    names = list(COLORS)
    gallery, labels, queries = [], [], []
    for index in range(2 * n_queries):
        flower = names[index % len(names)]
        file = f"images/g{index}.png"
        _picture(index + 100, COLORS[flower]).save(folder / file)
        gallery.append({"gallery_id": f"g{index:03d}", "image": file, "caption": f"A {flower} in pot {index}."})
    for index in range(n_queries):
        flower = names[index % len(names)]
        file = f"images/q{index}.png"
        _picture(index, COLORS[flower]).save(folder / file)
        query_id = f"q{index:03d}"
        text = ("What kind of flower is this?", "Which flower is this?")[index % 2]
        about = {"text": text, "entity": "flower", "label": flower, "domain": "nature"}
        queries.append({"query_id": query_id, "image": file, **about})
        for other, item in enumerate(gallery):
            same = names[other % len(names)] == flower
            if same or other % 3 == 0:
                labels.append({"query_id": query_id, "gallery_id": item["gallery_id"], "relevance": int(same)})
    for name, records in (("queries", queries), ("gallery", gallery), ("labels", labels)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


def _picture(seed: int, color: tuple[int, int, int]) -> Image.Image:
    rng = np.random.default_rng(seed)
    image = Image.fromarray(rng.integers(60, 200, (96, 120, 3), dtype=np.uint8).astype(np.uint8))
    x, y = rng.integers(10, 60, 2)
    ImageDraw.Draw(image).ellipse((x, y // 2, x + 50, y // 2 + 45), fill=color)
    return image


class ColorsAndWords:
    """A dual encoder: 4 x 4 mean colours of a picture, hashed words of a text, in one space of 48 dimensions."""

    name = "colors-and-words"
    fingerprint = "colors-and-words 1"
    joint = False

    def __init__(self) -> None:
        self.rows = 0

    def encode(self, images: Sequence = (), texts: Sequence[str] = (), role: str = "query") -> np.ndarray:
        rows = [self.picture(image) for image in images or ()] or [self.words(text) for text in texts]
        self.rows += len(rows)
        return np.stack(rows)

    @staticmethod
    def picture(image: Image.Image) -> np.ndarray:
        small = np.asarray(image.resize((4, 4), Image.Resampling.BOX), np.float64).reshape(-1)
        return small - 100.3

    @staticmethod
    def words(text: str) -> np.ndarray:
        vector = np.full(48, 0.01)
        for word in text.lower().split():
            vector += np.random.default_rng(zlib.crc32(word.strip("?.!").encode())).normal(size=48)
        return vector


class JointColorsAndWords(ColorsAndWords):
    """The same with one vector for a picture and its text."""

    name = "joint-colors-and-words"
    fingerprint = "joint-colors-and-words 1"
    joint = True

    def encode(self, images: Sequence = (), texts: Sequence[str] = (), role: str = "query") -> np.ndarray:
        if not (images and texts):
            return super().encode(images, texts, role)
        self.rows += len(images)
        pairs = zip(images, texts, strict=True)
        return np.stack([self.picture(image) / 60 + 0.3 * self.words(text) for image, text in pairs])


class Slow(ColorsAndWords):
    """The first model, taking its time."""

    def encode(self, images: Sequence = (), texts: Sequence[str] = (), role: str = "query") -> np.ndarray:
        time.sleep(0.5)
        return super().encode(images, texts, role)
