"""The embedded sample: what it promises, and that it can be drawn again."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from snapbench.corruptions.conditions import parse_condition
from snapbench.rows import query_row
from snapbench.sources import load_source, rendering
from snapbench.sources.rendering.catalogue import ENTITIES
from snapbench.sources.rendering.sample import picture, write_sample
from snapbench.sources.rendering.scene import SETTINGS, render

SAMPLE = Path(rendering.__file__).parents[1] / "sample"
DOMAINS = {"product", "nature", "food", "person", "place", "culture"}


def rows(name: str, folder: Path = SAMPLE) -> list[dict]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]


def named_entity(caption: str) -> str:
    """The entity that a caption names: the last name in it that isn't a part of a longer one ("orange crab": crab)."""
    spans = [
        (match.start(), match.end(), entity.name)
        for entity in ENTITIES
        for match in re.finditer(rf"(?<!\w){re.escape(entity.name)}(?!\w)", caption, re.IGNORECASE)
    ]
    whole = [s for s in spans if not any(o is not s and o[0] <= s[0] and s[1] <= o[1] for o in spans)]
    return max(whole)[2]


@pytest.fixture(scope="module")
def queries() -> list[dict]:
    return rows("queries")


@pytest.fixture(scope="module")
def gallery() -> list[dict]:
    return rows("gallery")


@pytest.fixture(scope="module")
def judged() -> dict[str, dict[int, list[str]]]:
    found: dict[str, dict[int, list[str]]] = defaultdict(lambda: {0: [], 1: []})
    for row in rows("labels"):
        found[row["query_id"]][row["relevance"]].append(row["gallery_id"])
    return found


def test_the_query_that_the_architecture_page_follows():
    page = (SAMPLE.parents[1] / "docs" / "architecture.md").read_text("utf-8")
    query_id, text, label = re.search(r'query `(sample_\d+)` \("(.+?)", a photo of a (.+?)\)', page).groups()
    condition = parse_condition(re.search(r"under `(joint_\w+)`", page).group(1))
    query = next(query for query in load_source("sample").queries if query.query_id == query_id)
    assert (query.text, query.label) == (text, label)
    assert f'The entity is "{query.entity}"' in page
    assert (len(query.positive_ids), len(query.hard_negative_ids), dict(query.texts)) == (4, 4, {})
    assert f'question becomes "{query_row(query, condition)["text"]}"' in " ".join(page.split())


def test_counts_and_ids(queries, gallery, judged):
    assert len(queries) == 120
    assert len(gallery) >= 600
    ids = [row["query_id"] for row in queries]
    assert len(set(ids)) == 120
    assert set(ids) == set(judged)
    assert all(re.fullmatch(r"sample_\d{4}", name) for name in ids)
    assert ids == sorted(ids)
    assert ids[-1] != "sample_0119"  # the ids have gaps
    assert [row["gallery_id"] for row in gallery] == [f"gallery_{i:05d}" for i in range(len(gallery))]
    assert 4 <= np.mean([len(pairs[1]) for pairs in judged.values()]) <= 5
    assert 3 <= np.mean([len(pairs[0]) for pairs in judged.values()]) <= 4
    assert all(len(set(pairs[0] + pairs[1])) == len(pairs[0] + pairs[1]) for pairs in judged.values())


def test_domains_and_categories(queries):
    counts = Counter(row["domain"] for row in queries)
    assert set(counts) == DOMAINS
    assert min(counts.values()) >= 10
    assert len({row["entity"] for row in queries}) >= 10
    assert any(" " in row["entity"] for row in queries)
    assert len({row["text"] for row in queries}) >= 40


def test_a_question_names_its_coarse_entity_and_no_fine_one(queries):
    for row in queries:
        assert row["entity"] == row["entity"].lower()
        assert re.search(rf"\b{row['entity']}\b", row["text"]), row
        assert row["text"].endswith("?")
        assert not any(re.search(rf"\b{re.escape(e.name)}\b", row["text"]) for e in ENTITIES), row


def test_positives_are_all_items_of_the_entity_and_negatives_share_the_category(queries, gallery, judged):
    entity_of = {row["gallery_id"]: named_entity(row["caption"]) for row in gallery}
    coarse = {entity.name: entity.category.coarse for entity in ENTITIES}
    asked = {}
    for row in queries:
        pairs = judged[row["query_id"]]
        (entity,) = {entity_of[item] for item in pairs[1]}
        asked[row["query_id"]] = entity
        assert set(pairs[1]) == {item for item, other in entity_of.items() if other == entity}
        assert {coarse[entity_of[item]] for item in pairs[0]} == {row["entity"]} == {coarse[entity]}
        assert entity not in {entity_of[item] for item in pairs[0]}
    assert len(set(asked.values())) >= 60


def test_captions_are_distinct_sentences(gallery):
    captions = [row["caption"] for row in gallery]
    assert len(set(captions)) == len(captions)
    assert all(text[0].isupper() and text.endswith(".") for text in captions)


def test_every_image_decodes_and_no_rendering_is_shared(queries, gallery):
    sizes, digests = [], Counter()
    for row in (*queries, *gallery):
        with Image.open(SAMPLE / row["image"]) as image:
            sizes.append(image.size)
            digests[hashlib.sha256(image.convert("RGB").tobytes()).digest()] += 1
    assert set(digests.values()) == {1}
    assert np.all(np.array(sizes) >= 230)
    assert np.all(np.array(sizes) <= 380)
    assert len(set(sizes)) > 50
    files = {path.relative_to(SAMPLE).as_posix() for path in SAMPLE.rglob("*.webp")}
    assert files == {row["image"] for row in (*queries, *gallery)}
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) <= 8_000_000


def test_about():
    about = json.loads((SAMPLE / "source.json").read_text("utf-8"))
    assert about["label"] == "SnapBench-sample"
    assert about["license"] == "Apache-2.0"
    assert about["description"]


def test_catalogue():
    assert len({entity.name for entity in ENTITIES}) == len(ENTITIES)
    for entity in ENTITIES:
        assert entity.tones or entity.plain
        assert set(entity.category.scenes) <= set(SETTINGS)
        assert entity.category.domain in DOMAINS
        assert all(entity.category.coarse in question for question in entity.category.questions)


@pytest.mark.parametrize("style", ["gallery", "query"])
def test_rendering_depends_on_its_key_alone(style):
    entity = ENTITIES[3]
    first = render(entity, "test/0", style=style, side=96)
    render(ENTITIES[4], "test/0", style=style, side=96)
    np.random.default_rng(0).random()
    again = render(entity, "test/0", style=style, side=96)
    assert first.image.dtype == np.uint8
    assert np.array_equal(first.image, again.image)
    assert (first.tone, first.place) == (again.tone, again.place)
    other = render(entity, "test/1", style=style, side=96)
    assert first.image.shape != other.image.shape or not np.array_equal(first.image, other.image)
    assert not np.array_equal(first.image, render(entity, "test/0", style=style, side=96, seed=1).image)


def test_committed_pictures_are_the_renderer_s_own(gallery, judged, queries):
    """Lossy files differ from fresh renderings by their compression and nothing else."""
    entity = next(e for e in ENTITIES if e.asked)
    scenes = [picture(entity, "gallery", number).image for number in range(2)]
    items = [row for row in gallery if named_entity(row["caption"]) == entity.name]
    for scene in scenes:
        errors = []
        for row in items:
            with Image.open(SAMPLE / row["image"]) as image:
                stored = np.asarray(image.convert("RGB"), np.float32)
            errors.append(np.abs(stored - scene).mean() if stored.shape == scene.shape else np.inf)
        assert min(errors) < 4


@pytest.mark.slow
def test_the_sample_is_what_its_script_writes(tmp_path):
    write_sample(tmp_path)
    for name in ("queries", "gallery", "labels"):
        assert rows(name, tmp_path) == rows(name)
    for path in SAMPLE.rglob("*.webp"):
        with Image.open(path) as stored, Image.open(tmp_path / path.relative_to(SAMPLE)) as fresh:
            difference = np.asarray(stored.convert("RGB"), np.float32) - np.asarray(fresh.convert("RGB"), np.float32)
        assert np.abs(difference).mean() < 2, path
