"""The builder: rows of every config, and a cache that never serves stale ones."""

from __future__ import annotations

import ast
import io
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest
from datasets import load_dataset
from layouts import encoded, github_records, picture, write_github, write_hub, write_own
from local_hub import Hub
from PIL import Image

import snapbench
from snapbench import snapbench_dataset
from snapbench.corruptions import corrupt, corrupt_image, corrupt_text
from snapbench.corruptions.conditions import CLEAN, Condition, listed_configs, parse_condition, parse_config
from snapbench.images import ImageDecodeError, decode_image, image_to_array
from snapbench.rows import gallery_rows, label_rows, query_row, query_rows
from snapbench.snapbench_dataset import FEATURES, SnapBench
from snapbench.sources import Source, load_source

PACKAGE = Path(snapbench.__file__).parent


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return load_source(write_github(tmp_path_factory.mktemp("source")))


@pytest.fixture(autouse=True)
def _quiet() -> Iterable[None]:
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()


def raw(rows: Any) -> list[dict[str, Any]]:
    """Rows with the image as stored, from a Dataset or a stream."""
    return list(rows.cast_column("image", datasets.Image(decode=False)) if "image" in rows.features else rows)


def stored(row: dict[str, Any]) -> np.ndarray:
    """The pixels that any reader finds in a row."""
    return np.asarray(Image.open(io.BytesIO(row["image"]["bytes"])).convert("RGB"))


# Rows


def test_clean_rows(source: Source) -> None:
    rows = list(query_rows(source))
    assert [row["query_id"] for row in rows] == [query.query_id for query in source.queries]
    first = rows[0]
    assert set(first) == set(FEATURES["queries"])
    assert (first["text"], first["entity"], first["domain"]) == ("What plant is this?", "plant", "nature")
    assert (first["condition"], first["image_operator"], first["severity"]) == ("clean", "", 0)
    assert (first["text_operator"], first["text_status"]) == ("", "unchanged")
    assert first["positive_ids"] == list(source.queries[0].positive_ids)
    for row, query in zip(rows, source.queries, strict=True):
        # Plain files travel as they are: the release doesn't compress clean images again, so neither do we.
        assert row["image"]["bytes"] == query.image.read()
        assert None not in row.values()


def test_clean_pixels_are_those_of_the_one_decode_policy(tmp_path: Path) -> None:
    root = write_own(tmp_path)
    sideways = Image.Exif()
    sideways[0x0112] = 6
    deep = np.linspace(0, 65535, 48 * 36).reshape(36, 48).astype(np.uint16)
    awkward = {
        "q/1.jpg": encoded(picture("turned"), "JPEG", exif=sideways),
        "q/2.png": encoded(picture("clear").convert("RGBA").rotate(30), "PNG"),
        "g/1.webp": encoded(Image.fromarray(deep), "PNG"),
        "g/2.jpeg": encoded(picture("cmyk").convert("CMYK"), "JPEG"),
    }
    for name, data in awkward.items():
        (root / name).write_bytes(data)
    source = load_source(root)
    for row, record in zip(
        [*query_rows(source), *gallery_rows(source)], [*source.queries, *source.gallery], strict=True
    ):
        np.testing.assert_array_equal(stored(row), image_to_array(decode_image(record.image.path)))
        assert Image.open(io.BytesIO(row["image"]["bytes"])).format == "PNG"
    assert Image.open(io.BytesIO(next(query_rows(source))["image"]["bytes"])).size == (36, 48)


@pytest.mark.parametrize("condition_id", ["image_lowlight_s3", "joint_cropping_charadd_s2", "image_scribble_s1"])
def test_corrupted_rows(condition_id: str, source: Source) -> None:
    condition = parse_condition(condition_id)
    assert condition.image_operator is not None
    for query in source.queries:
        clean = decode_image(query.image.path)
        expected = corrupt_image(clean, condition.image_operator, condition.severity, query_id=query.query_id, seed=5)
        lossless = query_row(query, condition, seed=5, storage="lossless")
        np.testing.assert_array_equal(stored(lossless), np.asarray(expected))
        published = query_row(query, condition, seed=5)
        assert published["image"]["bytes"] == encoded(expected, "JPEG", quality=92)
        assert {**published, "image": None} == {**lossless, "image": None}
        assert published["condition"] == condition_id
        assert published["image_operator"] == condition.image_operator
        assert published["severity"] == condition.severity
    other = query_row(source.queries[0], condition, seed=6)["image"]["bytes"]
    assert other != query_row(source.queries[0], condition, seed=5)["image"]["bytes"]


def test_reencoding_is_all_that_the_control_does(source: Source) -> None:
    for storage in ("published", "lossless"):
        row = query_row(source.queries[1], parse_condition("image_reencode"), storage=storage)  # type: ignore[arg-type]
        assert row["image"]["bytes"] == encoded(decode_image(source.queries[1].image.path), "JPEG", quality=92)
        assert (row["image_operator"], row["severity"], row["text_status"]) == ("reencode", 0, "unchanged")


def test_published_texts_win_and_null_ones_do_not_apply(source: Source) -> None:
    published, generic, computed = source.queries[:3]
    row = query_row(published, parse_condition("text_charswap"))
    assert (row["text"], row["text_status"]) == ("What plant is this? [char_swap, plant]", "changed")
    assert row["image"]["bytes"] == published.image.read()
    row = query_row(generic, Condition(text_operator="sent_replace"))
    assert (row["text"], row["text_status"], row["text_operator"]) == (generic.text, "not_applicable", "sent_replace")
    row = query_row(computed, Condition(text_operator="char_add"), seed=3)
    expected = corrupt_text(computed.text, "char_add", entity="motor oil", query_id=computed.query_id, seed=3)
    assert (row["text"], row["text_status"]) == (expected.text, expected.status)
    assert row["text"] != computed.text


def test_labels(source: Source) -> None:
    rows = list(label_rows(source))
    assert [(r["gallery_id"], r["relevance"]) for r in rows if r["query_id"] == "bench_0000"] == [
        *((identity, 1) for identity in source.queries[0].positive_ids),
        *((identity, 0) for identity in source.queries[0].hard_negative_ids),
    ]


def test_rows_equal_what_corrupt_makes_of_clean_rows(tmp_path: Path) -> None:
    source = load_source(write_own(tmp_path / "data"))
    condition = "joint_scribble_wordrepeat_s2"
    clean = snapbench.load(source=source, cache_dir=str(tmp_path / "cache"))
    mapped = clean.map(corrupt(condition, seed=4, storage="lossless"))
    assert raw(mapped) == list(query_rows(source, parse_condition(condition), seed=4, storage="lossless"))


# Configs


def test_every_listed_config_and_the_rest_of_the_grammar(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNAPBENCH_SOURCE", str(source.root))
    assert datasets.get_dataset_config_names("snapbench") == list(listed_configs())
    assert datasets.get_dataset_split_names("snapbench", "image_mosaic") == ["test"]
    for name in (*listed_configs(), "joint_uielements_sentreplace_s1", "joint_downscale_charadd"):
        stream = load_dataset("snapbench", name, split="test", streaming=True)
        config = parse_config(name)
        assert stream.features == FEATURES[config.table]
        expected: list[dict[str, Any]] = []
        for condition in config.conditions:
            expected += query_rows(source, condition)
        if config.table != "queries":
            expected = list((gallery_rows if config.table == "gallery" else label_rows)(source))
        assert raw(stream) == expected, name


def test_loading_to_disk(source: Source, tmp_path: Path) -> None:
    loaded = load_dataset("snapbench", "joint_mosaic_charswap", source=str(source.root), cache_dir=str(tmp_path))
    assert list(loaded) == ["test"]
    rows = loaded["test"]
    assert rows["severity"][:] == [1] * 4 + [2] * 4 + [3] * 4
    assert rows.info.license == "unknown"
    assert rows.info.version == snapbench.__version__
    assert isinstance(rows[0]["image"], Image.Image)
    parallel = load_dataset(
        "snapbench",
        "joint_mosaic_charswap",
        source=str(source.root),
        cache_dir=str(tmp_path / "parallel"),
        split="test",
        num_proc=2,
    )
    assert raw(parallel) == raw(rows)
    assert (
        raw(load_dataset("snapbench", source=str(source.root), cache_dir=str(tmp_path), split="test[:50%]"))
        == list(query_rows(source))[:2]
    )
    rows.save_to_disk(tmp_path / "saved")
    assert raw(datasets.load_from_disk(str(tmp_path / "saved"))) == raw(rows)


def test_public_fallback_gives_the_same_rows_from_the_same_cache(source: Source, tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"source": str(source.root), "seed": 2, "storage": "lossless"}
    ours = snapbench.load("image_cropping_s2", cache_dir=str(tmp_path), **arguments)
    theirs = load_dataset("snapbench", "image_cropping_s2", cache_dir=str(tmp_path), split="test", **arguments)
    assert (
        raw(ours)
        == raw(theirs)
        == list(query_rows(source, parse_condition("image_cropping_s2"), seed=2, storage="lossless"))
    )
    assert ours.cache_files == theirs.cache_files
    assert set(snapbench.load("labels", source=source, split=None, cache_dir=str(tmp_path))) == {"test"}
    shuffled = snapbench.load(source=source, streaming=True).shuffle(seed=0)
    assert {row["query_id"] for row in shuffled} == {query.query_id for query in source.queries}


def test_the_builder_module_has_nothing_to_patch_and_pickles(source: Source, tmp_path: Path) -> None:
    builder = datasets.load_dataset_builder("snapbench", "gallery", source=str(source.root), cache_dir=str(tmp_path))
    assert isinstance(builder, SnapBench)
    assert builder.info.builder_name == "snapbench_dataset"
    tree = ast.parse(Path(snapbench_dataset.__file__).read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level}
    assert imported <= {"__future__", "collections.abc", "dataclasses", "typing"}
    assert [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names] == ["datasets"]
    assert "open" not in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    copied = pickle.loads(pickle.dumps(builder))
    assert copied.config_id == builder.config_id
    assert raw(copied.as_streaming_dataset(split="test")) == list(gallery_rows(source))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"name": "joint_mosaik_charswap"}, ValueError, "'joint_mosaik_charswap' is unknown. Did you mean"),
        ({"name": "mosaic"}, ValueError, "Did you mean 'image_mosaic'"),
        ({"name": "image_mosaic_s4"}, ValueError, "'image_mosaic_s4' is unknown. Did you mean"),
        ({"split": "train"}, ValueError, "train"),
        ({"storage": "lossles"}, ValueError, "storage 'lossles' is unknown. Did you mean 'lossless'"),
        ({"seed": "0"}, TypeError, "seed must be an int, got str: '0'"),
        ({"seed": True}, TypeError, "seed must be an int, got bool: True"),
        ({"source": "sampel"}, ValueError, "source 'sampel' is unknown. Did you mean 'sample'"),
        ({"sead": 1}, ValueError, "argument 'sead' is unknown. Did you mean 'seed'"),
        ({"version": "9.9.9"}, ValueError, "argument 'version' is unknown"),
        ({"revision": "main"}, ValueError, "revision isn't used.*org/name@revision"),
        ({"data_files": "x.json"}, ValueError, "data_files isn't used.*source="),
        ({"data_dir": "/tmp"}, ValueError, "data_dir isn't used.*source="),
    ],
    ids=str,
)
def test_bad_arguments(
    arguments: dict[str, Any],
    error: type[Exception],
    message: str,
    source: Source,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SNAPBENCH_SOURCE", str(source.root))
    with pytest.raises(error, match=message):
        load_dataset("snapbench", cache_dir=str(tmp_path), **{"split": "test", **arguments})
    if "split" not in arguments:  # datasets looks at the split when the rows are made.
        assert not list(tmp_path.rglob("*.arrow"))


def test_bad_sources_fail_before_anything_is_made(tmp_path: Path) -> None:
    records = github_records()
    records[0]["gallery"]["gt"][0]["local"] = "../../etc/passwd"
    root = write_github(tmp_path / "data", records)
    with pytest.raises(ValueError, match=r"'bench_0000'.*leaves the source's folder"):
        load_dataset("snapbench", source=str(root), cache_dir=str(tmp_path / "cache"))
    assert not (tmp_path / "cache").exists()


def test_broken_image_leaves_nothing_half_written(tmp_path: Path) -> None:
    root, cache = write_github(tmp_path / "data"), tmp_path / "cache"
    image = root / "bench_images/query/1214.webp"
    whole = image.read_bytes()
    image.write_bytes(whole[:50])
    with pytest.raises(datasets.exceptions.DatasetGenerationError) as caught:
        load_dataset("snapbench", source=str(root), cache_dir=str(cache))
    assert isinstance(caught.value.__cause__, ImageDecodeError)
    assert re.search(r"query 'bench_1214' \('.*1214\.webp'\)", str(caught.value.__cause__))
    assert not list(cache.rglob("*.arrow"))
    image.write_bytes(whole)
    assert load_dataset("snapbench", source=str(root), cache_dir=str(cache))["test"].num_rows == 4


# The cache


def config_id(source: Source | Path, name: str = "image_mosaic_s1", **arguments: Any) -> str:
    return SnapBench(config_name=name, source=source, hash="0", **arguments).config_id


def test_what_makes_another_config_id(source: Source, tmp_path: Path) -> None:
    base = config_id(source)
    assert base == f"image_mosaic_s1-src{source.stamp}"
    # Spelling out a default, or the folder another way, is the same thing.
    same = [config_id(source, seed=0), config_id(source, storage="published"), config_id(source.root / "." / "")]
    assert set(same) == {base}
    other = [
        config_id(source, seed=1),
        config_id(source, storage="lossless"),
        config_id(source, seed=1, storage="lossless"),
    ]
    other += [config_id(source, name="image_mosaic_s2"), config_id(write_own(tmp_path))]
    assert len({base, *other}) == 1 + len(other)


def test_changed_source_gives_new_rows(tmp_path: Path) -> None:
    root, cache = write_github(tmp_path / "data"), str(tmp_path / "cache")
    first = raw(load_dataset("snapbench", source=str(root), cache_dir=cache, split="test"))
    image = root / "bench_images/query/0000.jpg"
    image.write_bytes(encoded(picture("another"), "JPEG"))
    second = raw(load_dataset("snapbench", source=str(root), cache_dir=cache, split="test"))
    assert second[0]["image"]["bytes"] == image.read_bytes() != first[0]["image"]["bytes"]
    records = github_records()
    records[0]["query_text"] = "Which flower is this?"
    write_github(root, records)
    third = load_dataset("snapbench", source=str(root), cache_dir=cache, split="test")
    assert third[0]["text"] == "Which flower is this?"


SCRIPT = """
import hashlib, json, sys
change = json.loads(sys.argv[1])
if "PIL" in change:
    import PIL.Image
    PIL.__version__ = change["PIL"]
import snapbench
from datasets import Image, load_dataset, disable_progress_bars
disable_progress_bars()
rows = load_dataset("snapbench", "image_lowlight_s2", source=sys.argv[2], split="test")
content = b"".join(row["image"]["bytes"] for row in rows.cast_column("image", Image(decode=False)))
clean = load_dataset("parquet", data_files=sys.argv[3], split="train")
mapped = clean.map(snapbench.corrupt("image_lowlight_s2")).cast_column("image", Image(decode=False))
assert b"".join(row["image"]["bytes"] for row in mapped) == content, "map served stale rows"
print(json.dumps([snapbench.__file__, rows.cache_files[0]["filename"], hashlib.sha256(content).hexdigest()]))
"""


def test_edited_code_and_other_versions_give_new_rows(source: Source, tmp_path: Path) -> None:
    package = tmp_path / "path" / "snapbench"
    for name in ("corruptions", "sources", "snapbench_metric"):
        shutil.copytree(PACKAGE / name, package / name, ignore=shutil.ignore_patterns("__pycache__", "rendering"))
    for file in PACKAGE.glob("*.py"):
        shutil.copy(file, package)
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "HF_HOME": str(tmp_path / "hf")}
    clean = tmp_path / "clean.parquet"  # The same to datasets whatever our code: only the mapped callable differs.
    snapbench.load(source=source, cache_dir=str(tmp_path / "cache")).to_parquet(clean)

    def load(**change: str) -> tuple[str, str]:
        arguments = [sys.executable, "-c", SCRIPT, json.dumps(change), str(source.root), str(clean)]
        done = subprocess.run(arguments, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
        where, cache_file, content = json.loads(done.stdout)
        assert Path(where).parent == package
        return cache_file, content

    def edit(name: str, old: str, new: str) -> None:
        path = package / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    first = load()
    edit("images.py", "JPEG_QUALITY = 92", "JPEG_QUALITY = 31")  # A helper that the builder's module doesn't name.
    edited = load()
    assert edited[0] != first[0]
    assert edited[1] != first[1]
    edit("images.py", "JPEG_QUALITY = 31", "JPEG_QUALITY = 92")
    assert load() == first
    # Whatever may change pixels makes new rows, also where it happens not to.
    other_pillow = load(PIL="0.0.0")
    edit("corruptions/image/low_light.py", "from __future__", "# An edit that changes nothing.\nfrom __future__")
    other_operator = load()
    edit("__init__.py", f'__version__ = "{snapbench.__version__}"', '__version__ = "9.9.9"')
    other_version = load()
    assert {content for _, content in (other_pillow, other_operator, other_version)} == {first[1]}
    assert len({cache_file for cache_file, _ in (first, edited, other_pillow, other_operator, other_version)}) == 5
    assert "9.9.9" in other_version[0]


def test_clean_condition_is_the_default(source: Source) -> None:
    assert query_row(source.queries[0]) == query_row(source.queries[0], CLEAN)
    clean, queries = (raw(snapbench.load(name, source=source, streaming=True)) for name in ("clean", "queries"))
    assert clean == queries


HUB_SCRIPT = """
import json, sys
from datasets import disable_progress_bars, load_dataset
disable_progress_bars()
from snapbench import load_source
found = []
for name in sys.argv[1:]:
    rows = load_dataset("snapbench", source=name, split="test")
    source = load_source(name)
    found.append([source.revision, source.fingerprint, rows[0]["text"], rows[0]["image"].size, rows.info.license])
print(json.dumps(found))
"""


def test_the_release_from_a_hub_follows_its_commits(tmp_path: Path) -> None:
    root = write_hub(tmp_path / "data", "parquet", "test")
    hub = Hub()

    def commit() -> str:
        files = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        return hub.repos["dataset", "yefd/SnapBench"].commit({**files, "huge.bin": b"not for us"}, "data", "main")

    def load(*names: str, **environment: str) -> list[list[Any]]:
        kept = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "hf"), "HF_HUB_DISABLE_XET": "1"}
        done = subprocess.run(
            [sys.executable, "-c", HUB_SCRIPT, *names],
            env={**os.environ, **kept, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        loaded: list[list[Any]] = json.loads(done.stdout)
        return loaded

    try:
        hub.create("dataset", "yefd/SnapBench", {"README.md": b""})
        first = commit()
        (old,) = load("yefd/SnapBench")
        assert old == [first, old[1], "What plant is this?", [48, 36], "cc-by-nc-4.0"]
        assert not [line for line in hub.requests() if "huge.bin" in line]
        (root / "queries" / "test" / "q1.jpg").write_bytes(encoded(picture("new", (20, 30)), "JPEG"))
        second = commit()
        new, pinned = load("yefd/SnapBench", f"yefd/SnapBench@{first}")
        assert new[0] == second
        assert new[3] == [20, 30]
        assert pinned == old
    finally:
        hub.close()
    assert load("yefd/SnapBench", f"yefd/SnapBench@{first}", HF_HUB_OFFLINE="1") == [new, old]
