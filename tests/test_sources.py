"""Sources: every layout is read, every broken one refused with the record and the file in the error."""

from __future__ import annotations

import json
import logging
import os
import pickle
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import (
    encoded,
    github_records,
    hub_records,
    own_records,
    picture,
    write_github,
    write_hub,
    write_own,
)

from snapbench import sources
from snapbench.corruptions.conditions import TEXT_OPERATORS
from snapbench.images import ImageDecodeError, decode_image
from snapbench.sources import Source, SourceError, load_source
from snapbench.sources.published import fetch_hub

REAL_PHOTOS = Path(__file__).resolve().parents[2] / "shared" / "real_photos"


# The published release, GitHub layout


def test_github_layout(tmp_path: Path) -> None:
    source = load_source(write_github(tmp_path))
    assert [query.query_id for query in source.queries] == ["bench_0000", "bench_0305", "bench_0511", "bench_1214"]
    # The release's order: the sorted set of (file, caption) pairs, whoever names them first.
    pairs = {
        (item["local"], item["caption"])
        for record in github_records()
        for kind in ("gt", "hard_negative")
        for item in record["gallery"].get(kind, [])
    }
    expected = [(f"gallery_{n:05d}", *pair) for n, pair in enumerate(sorted(pairs))]
    assert [(i.gallery_id, i.image.path.name, i.caption) for i in source.gallery] == expected
    tulip, oil, tower = source.queries[0], source.queries[2], source.queries[3]
    captions = {item.gallery_id: item.caption for item in source.gallery}
    assert [captions[i] for i in tulip.positive_ids] == ["A tulip.", "A red tulip in a vase.", "A field of tulips."]
    assert [captions[i] for i in tulip.hard_negative_ids] == ["A rose.", "A peony."]
    assert source.queries[1].hard_negative_ids == ()
    assert (oil.entity, tower.entity) == ("motor oil", "")
    assert tower.image.path == tmp_path.resolve() / "bench_images" / "query" / "1214.webp"
    assert tower.image.name == "bench_images/query/1214.webp"
    assert tulip.image.read() == tulip.image.path.read_bytes()
    assert tulip.texts["char_add"] == "What plant is this? [char_add, plant]"
    assert tulip.texts["sent_replace"] is None
    assert set(tulip.texts) == set(TEXT_OPERATORS)
    assert oil.texts == {}
    assert (source.label, source.license, source.revision) == ("custom", "unknown", None)
    source.verify()


def test_changed_false_and_unchanged_texts_are_not_applicable(tmp_path: Path) -> None:
    records = github_records()
    records[0]["text_perturbations"]["char_add"]["changed"] = False
    records[0]["text_perturbations"]["char_swap"]["perturbed_text"] = records[0]["query_text"]
    query = load_source(write_github(tmp_path, records)).queries[0]
    assert [query.texts[op] for op in ("char_add", "char_swap", "sent_replace")] == [None, None, None]


@pytest.mark.parametrize("names", [("sev1", "sev3", "sev5"), ("sev1", "sev2", "sev3")])
def test_both_severity_namings(names: tuple[str, ...], tmp_path: Path) -> None:
    records = github_records(names)
    source = load_source(write_github(tmp_path, records))
    assert source.published_severities == names
    other = [{k: v for k, v in record.items() if k != "image_perturbations"} for record in records]
    assert load_source(write_github(tmp_path, other)).published_severities is None


def test_mixed_severity_namings_are_refused(tmp_path: Path) -> None:
    records = github_records()
    records[2]["image_perturbations"] = github_records(("sev1", "sev2", "sev3"))[2]["image_perturbations"]
    with pytest.raises(SourceError, match=r"record 2: severities of low_light are named sev1, sev2, sev3"):
        load_source(write_github(tmp_path, records))


def test_release_is_known_by_its_size(tmp_path: Path) -> None:
    root, started = large_checkout(tmp_path), time.process_time()  # A busy machine must not fail the test.
    source = load_source(root)
    source.stamp  # noqa: B018
    assert time.process_time() - started < 2
    assert (len(source.queries), len(source.gallery)) == (1145, 9085)
    assert (source.label, source.license) == ("SnapBench", "cc-by-nc-4.0")


def large_checkout(root: Path) -> Path:
    """As many records as the release; the files are links to two, as only their names count here."""
    (root / "benchmark").mkdir()
    for kind in ("query", "gallery"):
        (root / "bench_images" / kind).mkdir(parents=True)
        (root / "bench_images" / kind / "real.jpg").write_bytes(encoded(picture(kind), "JPEG"))
    records: list[dict[str, Any]] = []
    gallery = [{"local": f"{n:05d}.jpg", "caption": f"Thing {n}."} for n in range(9085)]
    for number in range(1145):
        judged = gallery[number::1145]
        record = {"query_id": f"bench_{number * 2:04d}", "query_text": "What is this thing?", "domain": "product"}
        record |= {"query_entity": "thing", "query_image_local": f"{number:04d}.jpg"}
        records.append({**record, "gallery": {"gt": judged[:4], "hard_negative": judged[4:]}})
        os.link(root / "bench_images/query/real.jpg", root / f"bench_images/query/{number:04d}.jpg")
    for item in gallery:
        os.link(root / "bench_images/gallery/real.jpg", root / "bench_images/gallery" / item["local"])
    (root / "benchmark" / "snap_bench.json").write_text(json.dumps(records), encoding="utf-8")
    return root


# The published release, Hub layout


@pytest.mark.parametrize("below", ["", "test"])
@pytest.mark.parametrize(("form", "columns"), [("jsonl", "nested"), ("jsonl", "json"), ("csv", "json")])
def test_hub_layout(form: str, columns: str, below: str, tmp_path: Path) -> None:
    check_hub_source(load_source(write_hub(tmp_path, form, below, columns)))


@pytest.mark.parametrize("columns", ["nested", "json"])
def test_hub_layout_in_parquet(columns: str, tmp_path: Path) -> None:
    check_hub_source(load_source(write_hub(tmp_path, "parquet", "", columns)))


def check_hub_source(source: Source) -> None:
    queries, gallery = hub_records()
    assert [(i.gallery_id, i.caption) for i in source.gallery] == [(r["gallery_id"], r["caption"]) for r in gallery]
    for query, record in zip(source.queries, queries, strict=True):
        assert (query.query_id, query.text, query.entity) == (record["query_id"], record["text"], record["entity"])
        assert list(query.positive_ids) == record["positive_gallery_ids"]
        assert list(query.hard_negative_ids) == record["hard_negative_gallery_ids"]
        for operator, text in record["text_perturbations"].items():
            assert query.texts[operator] == text["perturbed_text"]
    assert source.published_severities == ("sev1", "sev2", "sev3")
    assert (source.label, source.license) == ("custom", "cc-by-nc-4.0")
    source.verify()


def test_other_column_names_of_the_hub_layout(tmp_path: Path) -> None:
    write_hub(tmp_path)
    renamed = {"gallery": {"gallery_id": "item_id"}, "queries": {"query_id": "id", "entity": "query_entity"}}
    for config, names in renamed.items():
        path = tmp_path / config / "metadata.jsonl"
        records = [json.loads(line) for line in path.read_text().splitlines()]
        records = [{names.get(key, key): value for key, value in record.items()} for record in records]
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    check_hub_source(load_source(tmp_path))


def hub_cache(root: Path, commit: str) -> Path:
    """What ``snapshot_download`` leaves in the cache: links into the repository's blobs."""
    repository = root / "datasets--yefd--SnapBench"
    snapshot = write_hub(repository / "snapshots" / commit)
    (repository / "blobs").mkdir()
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    for number, file in enumerate(sorted(path for path in snapshot.rglob("*") if path.is_file())):
        blob = repository / "blobs" / f"{number:040x}"
        file.rename(blob)
        file.symlink_to(os.path.relpath(blob, file.parent))
    return snapshot


def test_hub_dataset_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    snapshot = hub_cache(tmp_path, commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    for name in ("yefd/SnapBench", f"yefd/SnapBench@{commit}"):
        source = load_source(name)
        assert (source.name, source.label, source.revision) == (name, "SnapBench", commit)
        assert source.root == snapshot.resolve()
    # The same files as a folder carry no commit, so they are another source.
    assert load_source(snapshot).fingerprint != source.fingerprint
    outside = tmp_path / "outside.jpg"
    outside.write_bytes(encoded(picture("x"), "JPEG"))
    (snapshot / "queries" / "q1.jpg").unlink()
    (snapshot / "queries" / "q1.jpg").symlink_to(outside)
    with pytest.raises(SourceError, match=r"bench_0007.*'q1.jpg' leads outside"):
        load_source("yefd/SnapBench")


def test_hub_dataset_that_cannot_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(SourceError, match=r"'nobody/Nothing' can't be fetched from the Hub.*'yefd/SnapBench'"):
        load_source("nobody/Nothing")
    with pytest.raises(SourceError, match="can't be fetched"):
        fetch_hub("not a valid id")


# Own folders and the sample


def test_own_layout(tmp_path: Path) -> None:
    source = load_source(str(write_own(tmp_path)))
    first, second = source.queries
    assert (first.positive_ids, first.hard_negative_ids) == (("7", "g3"), ("007",))
    assert (second.query_id, second.positive_ids, second.hard_negative_ids) == ("q 2", ("007",), ())
    assert dict(second.texts) == {"char_add": "Is this mottor oil?", "sent_replace": None}
    assert source.gallery[0].image == source.gallery[2].image
    # What a folder says of itself can't make it the benchmark.
    assert (source.label, source.license) == ("custom", "cc-by-4.0")
    assert load_source(source) is source
    assert pickle.loads(pickle.dumps(source)) == source


def test_sample(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SNAPBENCH_SOURCE", raising=False)
    sources._say_sample.cache_clear()
    with caplog.at_level(logging.INFO):
        source = load_source()
        assert load_source("sample") == source
    assert (source.name, source.label) == ("sample", "SnapBench-sample")
    assert len(caplog.records) == 1
    for part in ("sample", "yefd/SnapBench", "CC BY-NC 4.0", "SNAPBENCH_SOURCE"):
        assert part in caplog.records[0].getMessage()
    assert "\n" not in caplog.records[0].getMessage()


def test_copy_of_the_sample_is_not_the_sample(tmp_path: Path) -> None:
    copy = shutil.copytree(load_source("sample").root, tmp_path / "copy")
    assert load_source(copy).label == "custom"


def test_environment_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNAPBENCH_SOURCE", str(write_own(tmp_path)))
    assert load_source().root == tmp_path.resolve()
    assert load_source("sample").label == "SnapBench-sample"


def test_unknown_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, part in (
        ("smaple", "Did you mean 'sample'"),
        ("SnapBench", "Did you mean 'yefd/SnapBench'"),
        ("./nowhere", "unknown"),
        ("/nowhere/at/all", "unknown"),
        (tmp_path, "no known layout"),
        ("", r"source must not be empty, got ''.*'\.' for the current one"),
        ("~nobodyhere/x", r"source '~nobodyhere/x' has no home folder to start from; write the path out"),
    ):
        with pytest.raises(SourceError, match=part):
            load_source(name)
    with pytest.raises(TypeError, match="got int: 7"):
        load_source(7)  # type: ignore[arg-type]


# Stamp and fingerprint


def test_stamp_follows_files_and_fingerprint_follows_contents(tmp_path: Path) -> None:
    first, moved = write_github(tmp_path / "a"), tmp_path / "b"
    shutil.copytree(first, moved)
    one, two = load_source(first), load_source(moved)
    assert one.fingerprint == two.fingerprint
    assert len(one.fingerprint) == 64
    assert one.stamp == load_source(f"{first}/").stamp
    assert len(one.stamp) == 16
    image = first / "bench_images/gallery/00010.png"
    assert one.contents[image.resolve()] == two.contents[moved.resolve() / "bench_images/gallery/00010.png"]
    os.utime(image, ns=(1, 1))
    touched = load_source(first)
    assert touched.stamp != one.stamp
    assert touched.fingerprint == one.fingerprint
    image.write_bytes(encoded(picture("another"), "PNG"))
    assert load_source(first).fingerprint != one.fingerprint
    records = github_records()
    records[3]["query_text"] += " "
    assert load_source(write_github(tmp_path / "b", records)).fingerprint != two.fingerprint


def test_every_field_counts(tmp_path: Path) -> None:
    seen = {load_source(write_own(tmp_path)).fingerprint}
    for table, number, field, value in (
        ("queries", 0, "query_id", "q-9"),
        ("queries", 0, "text", "What flower is this?"),
        ("queries", 0, "entity", "flower"),
        ("queries", 0, "domain", "garden"),
        ("queries", 1, "texts", {"char_add": "Is this motorr oil?"}),
        ("queries", 0, "image", "q/2.png"),
        ("gallery", 0, "caption", "A tulip"),
        ("gallery", 1, "image", "g/1.webp"),
        ("labels", 3, "relevance", 0),
    ):
        records = own_records()
        records[table][number][field] = value
        if field == "query_id":
            for label in records["labels"]:
                label["query_id"] = value if label["query_id"] == "q-1" else label["query_id"]
        fingerprint = load_source(write_own(tmp_path, records)).fingerprint
        assert fingerprint not in seen, (table, field)
        seen.add(fingerprint)


# Verify


def test_verify_decodes_every_file_once_and_tells(tmp_path: Path) -> None:
    source = load_source(write_github(tmp_path))
    calls: list[tuple[int, int]] = []
    source.verify(lambda done, total: calls.append((done, total)))
    assert calls == [(n, 9) for n in range(1, 10)]  # 4 queries, 5 files of 6 gallery items


def test_verify_names_the_first_bad_image(tmp_path: Path) -> None:
    source = load_source(write_github(tmp_path))
    for name in ("query/0305.png", "gallery/00007.webp"):
        path = tmp_path / "bench_images" / name
        path.write_bytes(path.read_bytes()[:60])
    for _ in range(5):
        with pytest.raises(ImageDecodeError, match=r"query 'bench_0305'.*0305\.png"):
            source.verify()
    (tmp_path / "bench_images/query/0305.png").write_bytes(encoded(picture("new"), "PNG"))
    with pytest.raises(ImageDecodeError, match=r"gallery item 'gallery_00002'.*00007\.webp"):
        source.verify()


# What is refused


Edit = Callable[[list[dict[str, Any]]], Any]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda r: r[1].update(query_id="bench_0000"), r"snap_bench\.json: query id 'bench_0000' is there twice"),
        (lambda r: r[1]["gallery"].update(gt=[]), r"query 'bench_0305'.*0305\.png.*no positives"),
        (lambda r: r[1].pop("gallery"), r"query 'bench_0305': gallery: expected an object, got NoneType"),
        (lambda r: r[0]["gallery"]["hard_negative"].append(r[0]["gallery"]["gt"][0]), r"'bench_0000'.*both positive"),
        (lambda r: r[2].update(query_image_local="0512.jpeg"), r"'bench_0511': image file .*0512.jpeg' is missing"),
        (lambda r: r[0]["gallery"]["gt"][0].update(local="9.jpg"), r"'bench_0000', gallery image '9.jpg'.*missing"),
        (lambda r: r[0]["gallery"]["gt"][0].pop("local"), r"'bench_0000': gallery.gt: local is missing"),
        (lambda r: r[0]["gallery"]["gt"][0].update(caption=None), r"'bench_0000': gallery.gt: caption is missing"),
        (lambda r: r[2].update(query_image_local="../query/0511.jpeg"), r"'bench_0511'.*leaves the source's folder"),
        (lambda r: r[2].update(query_image_local="..\\query\\0511.jpeg"), r"'bench_0511'.*leaves"),
        (lambda r: r[2].update(query_image_local="/etc/hostname"), r"'bench_0511'.*leaves the source's folder"),
        (lambda r: r[2].update(query_image_local="bench_images/../../x"), r"'bench_0511'.*leaves"),
        (lambda r: r[2].update(query_image_local="."), r"'bench_0511'.*not a regular file"),
        (lambda r: r[2].update(query_image_local="a\0b"), r"'bench_0511'.*file name must be a non-empty string"),
        (lambda r: r[2].update(query_image_local="x" * 5000), r"'bench_0511'.*can't be read"),
        (lambda r: r[0].pop("query_text"), r"'bench_0000': query_text is missing"),
        (lambda r: r[0].update(query_id=""), r"record 0: query_id must not be empty"),
        (lambda r: r[0].pop("query_id"), r"record 0: query_id is missing"),
        (lambda r: r[0]["text_perturbations"].update(char_ad="x"), r"'bench_0000'.*'char_ad'.*Did you mean 'char_add'"),
        (lambda r: r[0]["text_perturbations"].update(char_add=7), r"'bench_0000': text of char_add must be a string"),
        (lambda r: r[0].update(text_perturbations=[]), r"'bench_0000': corrupted texts: expected an object, got list"),
        (lambda r: r[0].update(image_perturbations={"mosiac": {}}), r"record 0.*'mosiac'.*Did you mean 'mosaic'"),
        (lambda r: r[0].update(image_perturbations={"mosaic": {"sev1": "x", "sev4": "y"}}), r"named sev1, sev4"),
        (lambda r: r.clear(), r"there are no query records"),
        (lambda r: r.append("text"), r"record 4: expected an object, got str"),
    ],
)
def test_broken_github_records(edit: Edit, message: str, tmp_path: Path) -> None:
    records = github_records()
    edit(records)
    with pytest.raises(ValueError, match=message):
        load_source(write_github(tmp_path, records))


@pytest.mark.parametrize(
    ("table", "edit", "message"),
    [
        ("queries", lambda r: r[1].update(query_id="q-1"), r"query id 'q-1' is there twice"),
        ("gallery", lambda r: r[1].update(gallery_id="7"), r"gallery id '7' is there twice"),
        ("labels", lambda r: r[0].update(gallery_id="8"), r"query 'q-1': positive '8' is not in the gallery"),
        ("labels", lambda r: r[1].update(gallery_id="8"), r"query 'q-1': hard negative '8' is not in the gallery"),
        ("labels", lambda r: r.append({**r[0], "relevance": 0}), r"labels.jsonl:5.*both positive and hard negative"),
        ("labels", lambda r: r.append(r[0]), r"labels.jsonl:5.*judged twice"),
        (
            "labels",
            lambda r: r[2].update(query_id="q-3"),
            r"labels.jsonl:3: query 'q-3' is not in .*mean 'q-1'",
        ),
        ("labels", lambda r: r.pop(2), r"query 'q 2' \('q/2.png'\) has no positives"),
        ("queries", lambda r: _rename(r[1], "entity", "entitty"), r"queries.jsonl:2: key 'entitty'.*mean 'entity'\?"),
        ("queries", lambda r: _rename(r[1], "texts", "text_perturbations"), r"key 'text_perturbations' is unknown"),
        ("gallery", lambda r: r[2].update(captions="x"), r"gallery.jsonl:3: key 'captions'.*mean 'caption'\?"),
        (
            "labels",
            lambda r: r[3].update(note=""),
            r"labels.jsonl:4: key 'note' is unknown. labels.jsonl may have query_id",
        ),
        ("labels", lambda r: r[0].update(relevance=2), r"labels.jsonl:1: relevance must be 1.*got 2"),
        ("labels", lambda r: r[0].update(relevance=True), r"relevance must be 1.*got True"),
        ("labels", lambda r: r[0].update(relevance=[1]), r"relevance must be 1.*got \[1\]"),
        (
            "gallery",
            lambda r: r[0].update(image=None),
            r"gallery.jsonl:1: gallery item '7'.*non-empty string, got None",
        ),
        ("gallery", lambda r: r[0].update(image="C:\\g\\1.webp"), r"gallery.jsonl:1.*leaves the source's folder"),
        ("queries", lambda r: r[0].update(image="q/3.jpg"), r"queries.jsonl:1: query 'q-1'.*'q/3.jpg' is missing"),
        ("gallery", lambda r: r.clear(), r"there are no gallery records"),
    ],
)
def test_broken_own_records(table: str, edit: Edit, message: str, tmp_path: Path) -> None:
    records = own_records()
    edit(records[table])
    with pytest.raises(SourceError, match=message):
        load_source(write_own(tmp_path, records))


def _rename(record: dict[str, Any], old: str, new: str) -> None:
    record[new] = record.pop(old)


def test_all_documented_keys_are_known(tmp_path: Path) -> None:
    records = own_records()
    records["queries"][0]["label"] = "tulip"
    root = write_own(tmp_path, records)
    (root / "source.json").write_text('{"license": "x", "description": "y", "label": "SnapBench"}')
    assert (load_source(root).queries[0].label, load_source(root).label) == ("tulip", "custom")


def test_no_control_character_of_the_data_reaches_a_message(tmp_path: Path) -> None:
    root = tmp_path / "a\x1b[2Jb"
    evil = "\x1b]0;x\x07"
    broken: list[tuple[str, Edit]] = [
        ("queries", lambda r: r[0].update({evil: 1})),
        ("queries", lambda r: r[0].update(image=evil)),
        ("queries", lambda r: r[0].update(image="q")),
        ("queries", lambda r: r[1].update(query_id=evil, image="../" + evil)),
        ("queries", lambda r: r[1].update(texts={evil: "x"})),
        ("labels", lambda r: r[0].update(query_id=evil)),
        ("labels", lambda r: r[0].update(gallery_id=evil)),
        ("labels", lambda r: r[0].update(relevance=evil)),
        ("labels", lambda r: r.pop(2)),
        ("gallery", lambda r: (r[0].clear(), r[0].update({evil: 1}))),
        ("gallery", lambda r: r.clear()),
    ]
    for table, edit in broken:
        records = own_records()
        edit(records[table])
        with pytest.raises(ValueError, match=r"x1b|queries\.jsonl|gallery records") as caught:
            load_source(write_own(root, records))
        assert str(caught.value).isprintable(), str(caught.value)
    for name in ("labels.jsonl", "gallery.jsonl"):
        write_own(root)
        (root / name).write_bytes(b"\xff")
        with pytest.raises(SourceError, match="UTF-8") as caught:
            load_source(root)
        assert str(caught.value).isprintable()
    write_own(root)
    source = load_source(root)
    source.queries[0].image.path.unlink()
    for check in (source.verify, lambda: source.contents):
        with pytest.raises(ValueError, match="No such file") as caught:
            check()
        assert str(caught.value).isprintable()
    write_hub(root / "hub")
    metadata = root / "hub" / "gallery" / "metadata.jsonl"
    metadata.write_text(json.dumps({evil: 1}))
    with pytest.raises(SourceError, match="gallery_id or id or item_id is missing") as caught:
        load_source(root / "hub")
    assert str(caught.value).isprintable()
    metadata.unlink()
    with pytest.raises(SourceError, match=r"no metadata\.jsonl") as caught:
        load_source(root / "hub")
    assert str(caught.value).isprintable()


def test_ids_are_strings(tmp_path: Path) -> None:
    for table, field in (("queries", "query_id"), ("gallery", "gallery_id"), ("labels", "gallery_id")):
        records = own_records()
        records[table][0][field] = 7
        with pytest.raises(
            TypeError, match=rf"{table}.jsonl:1: {field} must be a string, got int: 7; put it in quotes"
        ):
            load_source(write_own(tmp_path, records))
    write_hub(tmp_path / "hub")
    path = tmp_path / "hub/queries/metadata.jsonl"
    path.write_text(path.read_text().replace('["gallery_00001"]', "[1]"))
    with pytest.raises(TypeError, match=r"'bench_0007': positive_gallery_ids must hold strings, got int: 1"):
        load_source(tmp_path / "hub")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("queries.jsonl", b'{"query_id": "a"\n', r"queries.jsonl:1: no valid JSON"),
        ("queries.jsonl", b"[1]\n", r"queries.jsonl:1: expected an object, got list"),
        ("gallery.jsonl", b"\xff\xfe\n", r"gallery.jsonl.*UTF-8"),
        ("gallery.jsonl", b"[" * 100_000, r"gallery.jsonl:1: no valid JSON"),
        ("labels.jsonl", None, r"^labels.jsonl: file 'labels.jsonl' is missing"),
        ("source.json", b"[]", r"source.json: expected an object"),
        ("source.json", b'{"licence": "x"}', r"source.json: key 'licence' is unknown. Did you mean 'license'\?"),
    ],
)
def test_broken_files(name: str, content: bytes | None, message: str, tmp_path: Path) -> None:
    path = write_own(tmp_path) / name
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SourceError, match=message):
        load_source(tmp_path)


def test_broken_hub_metadata(tmp_path: Path) -> None:
    write_hub(tmp_path)
    metadata = tmp_path / "gallery" / "metadata.jsonl"
    kept = metadata.read_text()
    metadata.unlink()
    with pytest.raises(SourceError, match=r"no metadata.jsonl, metadata.csv, metadata.parquet in gallery/"):
        load_source(tmp_path)
    (tmp_path / "gallery" / "metadata.parquet").write_bytes(b"PAR1 rubbish")
    with pytest.raises(SourceError, match=r"gallery/metadata.parquet: no valid Parquet"):
        load_source(tmp_path)
    (tmp_path / "gallery" / "metadata.parquet").unlink()
    (tmp_path / "gallery" / "metadata.csv").write_text('file_name,gallery_id\n"a.jpg')
    with pytest.raises(SourceError, match=r"gallery/metadata.csv"):
        load_source(tmp_path)
    (tmp_path / "gallery" / "metadata.csv").unlink()
    metadata.write_text(kept.replace("gallery_id", "number"))
    with pytest.raises(
        SourceError, match=r"gallery_id or id or item_id is missing \(found: 'file_name', 'number', 'caption'"
    ):
        load_source(tmp_path)


def test_links_out_of_the_folder_are_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "1.jpg").write_bytes(encoded(picture("secret"), "JPEG"))
    root = write_own(tmp_path / "data")
    image = root / "q" / "1.jpg"
    image.unlink()
    image.symlink_to(outside / "1.jpg")
    with pytest.raises(SourceError, match=r"^queries.jsonl:1: query 'q-1': image path 'q/1.jpg' leads outside"):
        load_source(root)
    image.unlink()
    image.symlink_to(root / "q" / "2.png")  # Links that stay inside are fine.
    load_source(root).verify()
    shutil.rmtree(root / "q")
    (root / "q").symlink_to(outside)
    with pytest.raises(SourceError, match="leads outside"):
        load_source(root)
    write_own(tmp_path / "other")
    (tmp_path / "other" / "labels.jsonl").unlink()
    (tmp_path / "other" / "labels.jsonl").symlink_to(root / "labels.jsonl")
    with pytest.raises(SourceError, match=r"labels.jsonl.*leads outside"):
        load_source(tmp_path / "other")
    loop = tmp_path / "other" / "q" / "1.jpg"
    loop.unlink()
    loop.symlink_to(loop)
    (tmp_path / "other" / "labels.jsonl").unlink()
    shutil.copy(root / "labels.jsonl", tmp_path / "other")
    with pytest.raises(SourceError, match=r"'q/1.jpg' can't be read"):
        load_source(tmp_path / "other")


@given(name=st.text(max_size=30) | st.from_regex(r"[./\\]{1,6}[a-z:./\\]{0,12}", fullmatch=True))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_no_name_leads_out(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.getbasetemp() / "inside" / "deep"
    root.mkdir(parents=True, exist_ok=True)
    (root / "a").write_bytes(b"")
    folder = sources.Folder(root)
    try:
        image = folder.image(name, "record")
    except SourceError:
        return
    assert image.path.resolve().is_relative_to(root.resolve())


# Real photographs, where they are at hand


@pytest.mark.skipif(not REAL_PHOTOS.is_dir(), reason="needs a folder of real photographs")
def test_real_photographs() -> None:
    source = load_source(REAL_PHOTOS)
    assert (len(source.queries), len(source.gallery), source.label) == (70, 306, "custom")
    assert len({item.image.path for item in source.gallery}) == 305
    source.verify()
    for query in source.queries:
        assert np.asarray(decode_image(query.image.path)).std() > 1
