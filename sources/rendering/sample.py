"""Writes the embedded sample in the layout of a user's own folder."""

from __future__ import annotations

import argparse
import io
import json
import logging
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from ...corruptions.seeding import generator
from .catalogue import ENTITIES, Entity
from .scene import Scene, Style, render
from .words import caption, question

logger = logging.getLogger(__name__)

SEED = 0
QUERIES = 120
POSITIVES = (4, 4, 5, 5)
"""Gallery items of an entity that is asked for, dealt in turn: all of them are the positives of its queries."""
DISTRACTORS = 5
"""Gallery items of an entity that no query asks for."""
HARD_NEGATIVES = (3, 4, 3, 4)
SIDE = 300
WEBP_QUALITY = 80
DESCRIPTION = (
    "A small sample in the form of SnapBench: drawn scenes of everyday things, coarse questions, captions that name "
    "the entity. For trying things out and for tests; its results say nothing about the benchmark."
)


def encode(image: np.ndarray) -> bytes:
    """The WebP bytes of an image, uint8 [h, w, 3]."""
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "WEBP", quality=WEBP_QUALITY, method=6)
    return buffer.getvalue()


def picture(entity: Entity, style: Style, number: int) -> Scene:
    """The sample's picture ``number`` of an entity; the key is the sample's own, so that no other set shares it."""
    return render(entity, f"sample/{style}/{number}", style=style, side=SIDE, seed=SEED)


def write_sample(folder: Path) -> None:
    """Renders the sample into ``folder``: queries.jsonl, gallery.jsonl, labels.jsonl, source.json and images/."""
    rng = generator(SEED, "sample", "layout")
    asked = [entity for entity in ENTITIES if entity.asked]
    counts = {e: POSITIVES[asked.index(e) % len(POSITIVES)] if e.asked else DISTRACTORS for e in ENTITIES}
    items = [(entity, number) for entity, count in counts.items() for number in range(count)]
    items = [items[i] for i in rng.permutation(len(items))]
    (folder / "images" / "gallery").mkdir(parents=True, exist_ok=True)
    (folder / "images" / "query").mkdir(parents=True, exist_ok=True)

    gallery: list[dict[str, str]] = []
    entity_of: dict[str, Entity] = {}
    captions: set[str] = set()
    for index, (entity, number) in enumerate(items):
        scene = picture(entity, "gallery", number)
        text = caption(entity, scene, rng)
        while text in captions:
            text = caption(entity, scene, rng)
        captions.add(text)
        gallery_id, name = f"gallery_{index:05d}", f"images/gallery/{index:05d}.webp"
        (folder / name).write_bytes(encode(scene.image))
        gallery.append({"gallery_id": gallery_id, "image": name, "caption": text})
        entity_of[gallery_id] = entity
        if index % 100 == 99:
            logger.info("%d of %d gallery items", index + 1, len(items))

    queries: list[dict[str, str]] = []
    labels: list[dict[str, str | int]] = []
    # The second round goes backwards through the catalogue, which evens out the domains.
    rounds = [(entity, 0) for entity in asked] + [(entity, 1) for entity in asked[::-1]]
    rounds = [rounds[:QUERIES][i] for i in rng.permutation(QUERIES)]
    # Ids have gaps, as the published ones do: nobody may take an id for a row number.
    numbers = np.sort(rng.permutation(QUERIES + 8)[:QUERIES])
    for index, ((entity, number), id_number) in enumerate(zip(rounds, numbers, strict=True)):
        query_id, name = f"sample_{id_number:04d}", f"images/query/{id_number:04d}.webp"
        (folder / name).write_bytes(encode(picture(entity, "query", number).image))
        category = entity.category
        queries.append(
            {
                "query_id": query_id,
                "image": name,
                "text": question(entity, rng),
                "entity": category.coarse,
                "label": entity.name,
                "domain": category.domain,
            }
        )
        positives = [g for g, e in entity_of.items() if e is entity]
        others = [g for g, e in entity_of.items() if e is not entity and e.category.coarse == category.coarse]
        negatives = sorted(rng.permutation(others)[: HARD_NEGATIVES[index % len(HARD_NEGATIVES)]].tolist())
        labels += [{"query_id": query_id, "gallery_id": g, "relevance": 1} for g in positives]
        labels += [{"query_id": query_id, "gallery_id": g, "relevance": 0} for g in negatives]

    for file, rows in (("gallery.jsonl", gallery), ("queries.jsonl", queries), ("labels.jsonl", labels)):
        (folder / file).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    about = {"label": "SnapBench-sample", "license": "Apache-2.0", "description": DESCRIPTION}
    (folder / "source.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """The command ``python -m snapbench.sources.rendering``."""
    cv2.setNumThreads(1)  # the pictures are too small for threads to pay
    parser = argparse.ArgumentParser(prog="python -m snapbench.sources.rendering", description="Render the sample.")
    parser.add_argument("--output", type=Path, default=Path(__file__).parents[1] / "sample", help="folder to write")
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    write_sample(parser.parse_args().output)
