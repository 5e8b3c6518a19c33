"""Runs: equal to a plain reference, each input encoded once, resumable, strict about what they read and write."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from slow_run import CONDITIONS
from small_source import ColorsAndWords, JointColorsAndWords, write_source

from snapbench import fusion
from snapbench.adapters import load_adapter
from snapbench.corruptions.conditions import MODES, parse_condition
from snapbench.evaluation import RunSettings, read_run, run, runner
from snapbench.evaluation.cache import EmbeddingCache, clear, info
from snapbench.evaluation.runfile import VOLATILE
from snapbench.images import ImageDecodeError, decode_image
from snapbench.rows import gallery_rows, query_rows
from snapbench.snapbench_metric.scores import first_positive_ranks_from_scores
from snapbench.sources import load_source


@pytest.fixture
def source(tmp_path: Path):
    return load_source(write_source(tmp_path / "data"))


@pytest.fixture
def go(tmp_path: Path, source):
    def start(model, **changes):
        options = {
            "settings": RunSettings(conditions=CONDITIONS),
            "source": source,
            "output": tmp_path / "runs",
            "cache": tmp_path / "cache",
            **changes,
        }
        return run(model, **options)

    return start


def measured(record: dict) -> dict:
    return {key: value for key, value in record.items() if key not in VOLATILE}


def reference_ranks(model, source, condition, mode: str) -> list[int]:
    """The rank of the first positive by the book: encode each row by itself, score, sort everything stably."""

    def unit(vector):
        return vector / np.linalg.norm(vector)

    def vectors(row, text):
        image, text = decode_image(row["image"]["bytes"]), row[text]
        parts = {"i": model.encode(images=[image])[0], "t": model.encode(texts=[text])[0]}
        if model.joint:
            parts["it"] = model.encode(images=[image], texts=[text])[0]
        return {key: unit(value) for key, value in parts.items()}

    late = {"it2it": ["ii", "tt"], "i2i": ["ii"], "i2it": ["ii", "it"], "t2t": ["tt"], "t2it": ["ti", "tt"]}
    gallery = [(row["gallery_id"], vectors(row, "caption")) for row in gallery_rows(source)]
    ranks = []
    for row in query_rows(source, condition):
        query = vectors(row, "text")
        if model.joint:
            q, g = mode.split("2")
            scores = [query[q] @ item[g] for _, item in gallery]
        else:
            scores = [np.mean([query[p[0]] @ item[p[1]] for p in late[mode]]) for _, item in gallery]
        order = np.argsort(-np.array(scores), kind="stable")
        ranked = [gallery[i][0] for i in order]
        ranks.append(min(ranked.index(positive) + 1 for positive in row["positive_ids"]))
    return ranks


@pytest.mark.parametrize("model_class", [ColorsAndWords, JointColorsAndWords])
def test_run_equals_the_plain_reference_in_every_mode_and_condition(go, source, model_class):
    result = go(model_class())
    table = pq.read_table(result.path.parent / "ranks.parquet").to_pandas()
    assert set(table["mode"]) == set(MODES)
    seen_misses = 0
    for condition in CONDITIONS:
        for mode in MODES:
            rows = table[(table["condition"] == condition.id) & (table["mode"] == mode)]
            expected = reference_ranks(model_class(), source, condition, mode)
            assert rows["query_id"].tolist() == [query.query_id for query in source.queries]
            assert rows["rank"].tolist() == expected, (condition.id, mode)
            recall = result.record["results"]["fixed"]["conditions"][mode][condition.id]["recall_at_1"]
            assert recall == pytest.approx(100 * np.mean(np.array(expected) == 1))
            seen_misses += sum(rank > 1 for rank in expected)
    assert seen_misses > 5  # The comparison would be empty if everything were a hit.


def test_top_id_is_the_item_ranked_first(go, source):
    result = go(ColorsAndWords())
    table = pq.read_table(result.path.parent / "ranks.parquet").to_pandas()
    positives = {query.query_id: set(query.positive_ids) for query in source.queries}
    hit = [row.top_id in positives[row.query_id] for row in table.itertuples()]
    assert [row.rank == 1 for row in table.itertuples()] == hit


def test_each_distinct_input_is_encoded_once_and_never_again(go, source):
    model = ColorsAndWords()
    first = go(model)
    # Pictures: 12 gallery, 6 clean, 6 low light, 6 mosaic (shared by the joint condition); texts: 12 captions,
    # 2 different questions, and the corrupted ones.
    swapped = {row["text"] for row in query_rows(source, parse_condition("text_charswap"))}
    assert model.rows == 12 + 18 + 12 + 2 + len(swapped)
    assert first.record["encoder"]["encoded"] == first.record["encoder"]["distinct"] == model.rows
    again = go(model, force=True)
    assert again.record["encoder"]["encoded"] == 0
    assert measured(again.record) == measured(first.record)


def test_a_finished_run_is_not_repeated_unless_asked(go, caplog):
    model = ColorsAndWords()
    first = go(model)
    rows = model.rows
    with caplog.at_level(logging.INFO):
        assert go(model).record == first.record
    assert model.rows == rows
    assert "finished already" in caplog.text
    other = go(model, settings=RunSettings(conditions=CONDITIONS, seed=1))
    assert other.path != first.path


def test_two_models_never_share_vectors(go):
    class Other(ColorsAndWords):
        fingerprint = "another one"

        @staticmethod
        def words(text: str) -> np.ndarray:
            return np.full(48, 1.0)

    go(ColorsAndWords())
    other = Other()
    go(other)
    assert other.rows > 40


def test_an_object_without_a_fingerprint_leaves_nothing_in_the_cache(go, tmp_path):
    class Nameless(ColorsAndWords):
        fingerprint = None

    first, second = Nameless(), Nameless()
    records = [go(model).record for model in (first, second)]
    assert first.rows == second.rows == records[0]["encoder"]["distinct"]
    assert records[0]["results"] == records[1]["results"]
    assert not list((tmp_path / "cache").glob("*/*"))


def test_damaged_cache_entries_are_found_reported_and_encoded_again(go, tmp_path, caplog):
    model = ColorsAndWords()
    first = go(model)
    shards = sorted((tmp_path / "cache").glob("*/*.safetensors"))
    data = bytearray(shards[0].read_bytes())
    data[-3] ^= 255
    shards[0].write_bytes(data)
    shards[1].write_bytes(shards[1].read_bytes()[:100])
    rows = model.rows
    again = go(model, force=True)
    assert measured(again.record) == measured(first.record)
    assert model.rows > rows
    assert caplog.text.count("encoded again") == 2


def test_cache_survives_two_writers_and_stays_within_its_limit(tmp_path):
    a, b = (EmbeddingCache("f" * 64, tmp_path, limit=10_000) for _ in range(2))
    a.put({"x": np.ones(8, np.float32)})
    b.put({"y": np.zeros(8, np.float32)})
    a.refresh()
    assert set(a.get(["x", "y", "z"])) == {"x", "y"}
    assert info(tmp_path).vectors == 2
    old = EmbeddingCache("e" * 64, tmp_path, limit=10_000)
    for i in range(5):
        old.put({f"o{i}": np.full(500, i, np.float32)})
    new = EmbeddingCache("d" * 64, tmp_path, limit=10_000)
    new.put({"n": np.full(1000, 7, np.float32)})
    assert info(tmp_path).size <= 10_000
    assert new.get(["n"])["n"][0] == 7
    assert clear(tmp_path).shards > 0
    assert info(tmp_path).shards == 0


def test_a_cache_without_fingerprint_leaves_nothing(tmp_path):
    with EmbeddingCache(None, tmp_path) as cache:
        cache.put({"x": np.ones(8, np.float32)})
        assert cache.get(["x"])["x"].sum() == 8
    assert not list(tmp_path.iterdir())


def test_an_unwritable_cache_is_reported_and_the_run_goes_on(go, tmp_path, caplog):
    (tmp_path / "file").write_text("")
    first = go(ColorsAndWords(), cache=tmp_path / "file" / "below")
    assert "can't be written" in caplog.text
    assert measured(go(ColorsAndWords(), force=True).record) == measured(first.record)


def test_a_damaged_photo_stops_the_run_before_anything_is_encoded(go, source):
    photo = source.queries[2].image.path
    photo.write_bytes(photo.read_bytes()[:2000])
    model = ColorsAndWords()
    with pytest.raises(ImageDecodeError, match=r"query 'q002'.*q2\.png"):
        go(model)
    assert model.rows == 0


def test_recorded_errors_are_counted_misses_over_the_full_denominator(go, source):
    photo = source.queries[2].image.path
    photo.write_bytes(photo.read_bytes()[:2000])
    settings = RunSettings(conditions=CONDITIONS, on_error="record")
    result = go(ColorsAndWords(), settings=settings, source=load_source(source.root))
    results = result.record["results"]["fixed"]
    assert result.record["counts"]["n_errored"] == 1
    assert results["n_total"] == 6
    table = pq.read_table(result.path.parent / "ranks.parquet").to_pandas()
    broken = table[(table["query_id"] == "q002") & table["mode"].isin(["it2it", "i2i", "i2it"])]
    assert (broken["rank"] == -1).all()
    assert broken["top_id"].isna().all()
    assert (table[(table["query_id"] == "q002") & (table["mode"] == "t2t")]["rank"] > 0).all()


def test_rules_and_text_shares_leave_out_queries_that_could_not_be_read(go, source, tmp_path):
    """What a fused rule chose and weighed is over the queries that have a photo, as if the others were not asked."""
    rules = RunSettings(conditions=(parse_condition("clean"),), fusion=("moor", "wh-img"), on_error="record")
    for name in (2, 3):  # the same bytes twice: two queries, one content
        source.queries[name].image.path.write_bytes(b"no picture")
    broken = go(ColorsAndWords(), settings=rules, source=load_source(source.root)).record
    assert broken["counts"]["n_errored"] == 2
    whole = write_source(tmp_path / "others")
    for table in ("queries", "labels"):
        path = whole / f"{table}.jsonl"
        kept = [line for line in path.read_text().splitlines() if '"q002"' not in line and '"q003"' not in line]
        path.write_text("\n".join(kept))
    without = go(ColorsAndWords(), settings=rules, source=load_source(whole), output=tmp_path / "without").record
    for rule in ("moor", "wh-img"):
        assert broken["fusion"][rule] == without["fusion"][rule]
    assert broken["fusion"]["wh-img"]["chosen"]["rows"] == 4


def test_separate_towers_support_the_modes_whose_paths_they_have(go):
    class Towers(ColorsAndWords):
        shared_space = False

    result = go(Towers())
    assert list(result.record["results"]["fixed"]["conditions"]) == ["it2it", "i2i", "t2t"]
    with pytest.raises(ValueError, match="mode 'i2it' is not open to adapter 'colors-and-words'"):
        go(Towers(), settings=RunSettings(modes=("i2it",)))


@pytest.mark.parametrize(
    ("question", "expected"),
    [("entity-label", {"A rose.", "A tulip.", "An iris.", "A lily."}), ("empty", {""})],
)
def test_interventions_replace_the_question(go, question, expected):
    class Listening(ColorsAndWords):
        fingerprint = f"listening {question}"

        def __init__(self) -> None:
            super().__init__()
            self.heard: set[str] = set()

        def encode(self, images=(), texts=(), role="query"):
            if role == "query":
                self.heard.update(texts)
            return super().encode(images, texts, role)

    model = Listening()
    settings = RunSettings(conditions=(parse_condition("clean"),), question=question)
    go(model, settings=settings)
    assert model.heard == expected


def test_an_intervention_without_labels_is_refused_and_not_made_up(go, source):
    file = source.root / "queries.jsonl"
    file.write_text(file.read_text().replace('"label": "rose", ', ""))
    with pytest.raises(ValueError, match=r"no label for 2 of 6 queries \(q000, q004"):
        go(ColorsAndWords(), source=load_source(source.root), settings=RunSettings(question="entity-label"))


@pytest.mark.parametrize("kept", [0, 2])
def test_domains_may_be_empty(go, source, kept):
    file = source.root / "queries.jsonl"
    lines = file.read_text().splitlines()
    changed = [line if number < kept else line.replace('"nature"', '""') for number, line in enumerate(lines)]
    file.write_text("\n".join(changed))
    results = go(ColorsAndWords(), source=load_source(source.root)).record["results"]["fixed"]
    if kept:
        assert {name: block["n"] for name, block in results["domains"].items()} == {"nature": 2, "(none)": 4}
    else:
        assert results["domains"] == {"value": None, "reason": "no domains given"}


def test_limit_takes_the_first_queries_against_the_whole_gallery(go):
    record = go(ColorsAndWords(), settings=RunSettings(conditions=CONDITIONS, limit=2)).record
    assert record["counts"]["n_queries"] == record["results"]["fixed"]["n_total"] == 2
    assert record["counts"]["n_gallery"] == 12


def test_run_file_is_strict_json_with_what_is_needed_to_repeat_it(go, source):
    result = go(ColorsAndWords())
    record = json.loads(result.path.read_text(), parse_constant=pytest.fail)
    assert record == result.record
    assert record["schema_version"] == 1
    assert record["source"] == {
        "name": str(source.root),
        "label": "custom",
        "license": "unknown",
        "revision": None,
        "fingerprint": source.fingerprint,
    }
    assert record["adapter"]["fingerprint"] == load_adapter(ColorsAndWords()).fingerprint
    assert record["packages"]["pillow"]
    assert set(record["counts"]["n_not_applicable"]) == {"text_charswap", "joint_mosaic_charswap_s2"}


def test_reading_what_is_no_run_file_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="no run file"):
        read_run(tmp_path)
    file = tmp_path / "run.json"
    file.write_text('{"kind": "snapbench-run", "schema_version": 99}')
    with pytest.raises(ValueError, match="schema version 99"):
        read_run(file)
    file.write_text("{}")
    with pytest.raises(ValueError, match="not a SnapBench run file"):
        read_run(tmp_path)


def test_the_cache_touches_its_own_files_only(tmp_path):
    """A folder named by mistake may hold somebody's models."""
    (tmp_path / "clip").mkdir()
    weights = [tmp_path / "clip" / "model.safetensors", tmp_path / ("a" * 32) / "model.safetensors"]
    weights[1].parent.mkdir()
    for path in weights:
        path.write_bytes(b"weights")
    assert info(tmp_path).shards == 0
    with EmbeddingCache("f", tmp_path, limit=1) as cache:
        cache.put({"a": np.zeros(3, np.float32)})
    with EmbeddingCache("g", tmp_path, limit=1) as cache:
        cache.put({"a": np.zeros(3, np.float32)})
    clear(tmp_path)
    assert [path.read_bytes() for path in weights] == [b"weights"] * 2
    assert not [path for path in tmp_path.glob("*/*") if path not in weights]


def test_looking_into_a_cache_removes_nothing(tmp_path, monkeypatch):
    with EmbeddingCache("f", tmp_path) as cache:
        cache.put({"a": np.zeros(3, np.float32)})
    (shard,) = tmp_path.glob("*/*.safetensors")
    shard.write_bytes(b"damaged")
    assert info(tmp_path).vectors == 0
    assert shard.exists()
    monkeypatch.setenv("SNAPBENCH_CACHE_LIMIT", "20G")
    with pytest.raises(ValueError, match="SNAPBENCH_CACHE_LIMIT must be a number of bytes, got '20G'"):
        EmbeddingCache("f", tmp_path)


def test_settings_take_ids_of_conditions_and_refuse_what_is_none():
    ids = [condition.id for condition in RunSettings(conditions=("text_charswap", "image_mosaic")).conditions]
    assert ids == ["clean", "text_charswap", "image_mosaic_s1", "image_mosaic_s2", "image_mosaic_s3"]
    with pytest.raises(TypeError, match="must be a sequence, got the string 'clean'"):
        RunSettings(conditions="clean")
    with pytest.raises(TypeError, match=r"limit must be a whole number, got 1\.5"):
        RunSettings(limit=1.5)
    with pytest.raises(ValueError, match="modes must name at least one"):
        RunSettings(modes=())


def test_settings_name_what_is_wrong():
    with pytest.raises(ValueError, match="mode 'i2t' is unknown"):
        RunSettings(modes=("i2t",))
    with pytest.raises(ValueError, match=r"question 'blank' is unknown"):
        RunSettings(question="blank")
    with pytest.raises(ValueError, match="limit must be at least 1"):
        RunSettings(limit=0)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_output_folder_that_cant_be_written_is_known_before_any_work(go, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    model = ColorsAndWords()
    with pytest.raises(PermissionError):
        go(model, output=locked)
    assert model.rows == 0


def test_fusion_rules_equal_fusing_the_whole_state_at_once(go, source, monkeypatch):
    monkeypatch.setattr(runner, "QUERY_BLOCK", 4)  # The block must not matter.
    rules = ("moor", "rrf", "wh-img", "lr-meta")
    model = ColorsAndWords()
    result = go(model, settings=RunSettings(conditions=CONDITIONS, fusion=rules))
    assert list(result.record["results"]) == ["fixed", *rules]
    assert set(result.record["fusion"]) == set(rules)
    assert 0 <= result.record["fusion"]["wh-img"]["chosen"]["alpha"] <= 1
    table = pq.read_table(result.path.parent / "ranks.parquet").to_pandas()
    items = list(gallery_rows(source))

    def unit(vectors):
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    def encoded(rows, text):
        images = [decode_image(row["image"]["bytes"]) for row in rows]
        return unit(model.encode(images=images)), unit(model.encode(texts=[row[text] for row in rows]))

    gallery = fusion.Gallery(*encoded(items, "caption"))
    states = {c.id: fusion.Embeddings(*encoded(list(query_rows(source, c)), "text"), gallery) for c in CONDITIONS}
    place = {row["gallery_id"]: index for index, row in enumerate(items)}
    positives = [[place[i] for i in query.positive_ids] for query in source.queries]
    ids = [query.query_id for query in source.queries]
    for name in rules:
        rule = fusion.load_rule(name)
        if rule.spec.fitted_on != "nothing":
            chosen = ["clean"] if rule.spec.fitted_on == "clean" else list(states)
            rule.fit(fusion.LabelledState(key, states[key], positives, ids) for key in chosen)
        for condition, state in states.items():
            expected = first_positive_ranks_from_scores(rule.scores(state, ids), positives).ranks
            rows = table[(table["rule"] == name) & (table["condition"] == condition)]
            assert rows["rank"].tolist() == expected.tolist(), (name, condition)
            if name == "moor":
                share = rule.weights(state).text_share.mean()
                assert result.record["fusion"]["moor"]["text_share"][condition] == pytest.approx(share, rel=1e-5)


def test_fusion_rules_are_checked_by_name_and_by_what_the_model_reads(go):
    with pytest.raises(ValueError, match=r"fusion rule 'moore' is unknown\. Did you mean 'moor'"):
        RunSettings(fusion=("moore",))

    class Seeing(ColorsAndWords):
        modalities = ("image",)

    with pytest.raises(ValueError, match="fusion needs images and texts"):
        go(Seeing(), settings=RunSettings(fusion=("moor",)))
