"""The door of the corruption engine: what goes in, what comes out, errors, sequences, dataset rows, sheet, document."""

from __future__ import annotations

import io
import pickle
import random
from pathlib import Path

import datasets
import numpy as np
import pytest
from PIL import Image

import snapbench
from snapbench.corruptions import (
    ImageOperator,
    TextCorruption,
    corrupt,
    corrupt_image,
    corrupt_text,
    document,
    image_operator,
    text_operator,
)
from snapbench.corruptions.conditions import (
    IMAGE_OPERATORS,
    PRIMITIVES,
    SEVERITIES,
    TEXT_OPERATORS,
    close_matches,
    parse_condition,
)
from snapbench.corruptions.registry import define_image_operator, define_text_operator, not_applicable
from snapbench.corruptions.seeding import generator
from snapbench.corruptions.sheet import contact_sheet, varying
from snapbench.images import ImageDecodeError, decode_image, encode_image
from snapbench.rows import query_row
from snapbench.sources import load_source


def photo(height: int = 60, width: int = 80) -> np.ndarray:
    y, x = np.mgrid[0:height, 0:width]
    return np.stack([x * 255 // width, y * 255 // height, (x + y) * 3 % 256], -1).astype(np.uint8)


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


# ------------------------------------------------------------------------------------------------------- kinds of input


def test_the_kind_of_the_input_comes_back(tmp_path: Path) -> None:
    pixels = photo()
    image = Image.fromarray(pixels)
    data = encoded(image, "PNG")
    (tmp_path / "photo.png").write_bytes(data)
    expected = corrupt_image(pixels, "low_light", 2, query_id="a")
    assert isinstance(expected, np.ndarray)
    for given in (image, data, tmp_path / "photo.png", str(tmp_path / "photo.png")):
        result = corrupt_image(given, "low_light", 2, query_id="a")
        assert isinstance(result, Image.Image)
        assert result.mode == "RGB"
        assert np.array_equal(np.asarray(result), expected)
    assert np.array_equal(pixels, photo())


@pytest.mark.parametrize("name", IMAGE_OPERATORS)
def test_every_mode_is_decoded_first(name: str) -> None:
    """Grey, transparent, palette, CMYK, 16-bit and bilevel photos give what their RGB copies give (P02-P04, P13)."""
    rgb = Image.fromarray(photo(48, 64))
    alpha = Image.fromarray(np.tile(np.arange(64, dtype=np.uint8) * 4, (48, 1)))
    rgba = rgb.copy()
    rgba.putalpha(alpha)
    deep = Image.fromarray((np.arange(48 * 64, dtype=np.uint16) * 21).reshape(48, 64))
    kinds = [rgb.convert("L"), rgba, rgba.convert("LA"), rgb.convert("P"), rgb.convert("CMYK"), deep, rgb.convert("1")]
    for image in kinds:
        copy = decode_image(image)
        for severity in SEVERITIES:
            result = corrupt_image(image, name, severity)
            assert result.mode == "RGB"
            assert np.array_equal(np.asarray(result), np.asarray(corrupt_image(copy, name, severity))), image.mode


def test_arrays_of_other_kinds_are_decoded() -> None:
    grey = photo()[..., 0]
    expected = corrupt_image(np.repeat(grey[..., None], 3, axis=2), "motion_blur", 1)
    for array in (grey, grey[..., None], grey / 255.0, grey.astype(np.uint16) * 257):
        result = corrupt_image(array, "motion_blur", 1)
        assert result.dtype == np.uint8
        assert np.array_equal(result, expected)


def test_orientation_is_applied_before_any_operator() -> None:
    """P01: a photo stored sideways is upright when it is corrupted, and what comes out carries no orientation."""
    exif = Image.Exif()
    exif[0x0112] = 6
    data = encoded(Image.fromarray(photo(20, 40)), "JPEG", exif=exif, quality=95)
    for name in IMAGE_OPERATORS:
        result = corrupt_image(data, name, 1)
        assert result.getexif().get(0x0112) is None
        if image_operator(name).size == "kept":
            assert result.size == (20, 40)
        else:
            assert result.height > result.width or result.size == (4, 8)


def test_broken_images_are_named_errors() -> None:
    whole = encoded(Image.fromarray(photo()), "JPEG")
    for broken in (whole[: len(whole) // 2], b"", b"text", None):
        with pytest.raises(ImageDecodeError, match="query 'bench_0042'"):
            corrupt_image(broken, "mosaic", 1, query_id="bench_0042")
    with pytest.raises(TypeError, match="image must be"):
        corrupt_image(7, "mosaic", 1)


# -------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize("severity", [0, 4, -1])
def test_severity_out_of_range(severity: int) -> None:
    with pytest.raises(ValueError, match=f"severity must be 1, 2 or 3, got {severity}"):
        corrupt_image(photo(), "mosaic", severity)
    with pytest.raises(ValueError, match=f"severity must be 1, 2 or 3, got {severity}"):
        image_operator("mosaic")(photo(), severity, generator(0, "", "mosaic"))


@pytest.mark.parametrize("severity", [True, "2", 2.5, None, np.float64(2)])
def test_severity_of_the_wrong_type(severity: object) -> None:
    with pytest.raises(TypeError, match="severity must be"):
        corrupt_image(photo(), "mosaic", severity)


@pytest.mark.parametrize(
    ("name", "hint"), [("mosiac", "'mosaic'"), ("Mosaic", "'mosaic'"), ("lowlight", "'low_light'")]
)
def test_unknown_operators_get_close_matches(name: str, hint: str) -> None:
    for call in (lambda: corrupt_image(photo(), name, 1), lambda: corrupt_image(photo(), [(name, 1)])):
        with pytest.raises(ValueError, match=f"Did you mean {hint}.*Known: low_light, "):
            call()
    with pytest.raises(ValueError, match=r"is unknown.*Known: char_add, "):
        corrupt_text("What is this?", name, entity="")


def test_empty_names_and_wrong_types() -> None:
    with pytest.raises(ValueError, match="'' is unknown"):
        corrupt_image(photo(), "", 1)
    with pytest.raises(TypeError, match="operator must be a name or a sequence"):
        corrupt_image(photo(), 3, 1)
    with pytest.raises(TypeError, match="pairs of"):
        corrupt_image(photo(), ["mosaic", "rotation"])
    with pytest.raises(ValueError, match="at least one operator"):
        corrupt_image(photo(), [])
    with pytest.raises(ValueError, match="severity must be left out"):
        corrupt_image(photo(), [("mosaic", 1)], 2)
    with pytest.raises(ValueError, match=r"order 'papre' is unknown. Did you mean 'paper'"):
        corrupt_image(photo(), "mosaic", 1, order="papre")
    with pytest.raises(TypeError, match="seed must be an int"):
        corrupt_image(photo(), "mosaic", 1, seed="1")
    with pytest.raises(TypeError, match="query_id must be a str"):
        corrupt_image(photo(), "mosaic", 1, query_id=4)
    with pytest.raises(TypeError, match="text must be a str, got NoneType"):
        corrupt_text(None, "char_add", entity="plant")
    with pytest.raises(TypeError, match="entity must be a str"):
        corrupt_text("What plant is this?", "char_add", entity=None)


def test_operators_refuse_what_is_no_photo() -> None:
    rng = generator(0, "", "mosaic")
    for wrong, error in (
        (photo().astype(np.float32), TypeError),
        ("photo.jpg", TypeError),
        (photo()[..., 0], ValueError),
        (photo()[:0], ValueError),
        (np.zeros((5, 5, 4), np.uint8), ValueError),
    ):
        with pytest.raises(error, match="pixels must"):
            image_operator("mosaic")(wrong, 1, rng)


# ----------------------------------------------------------------------------------------------------------- registry


def test_registry_resolves_every_name() -> None:
    for primitive, names in PRIMITIVES.items():
        for name in names:
            operator = image_operator(name)
            assert (operator.name, operator.primitive) == (name, primitive)
            assert tuple(operator.parameters) == SEVERITIES
            assert len({tuple(row) for row in operator.parameters.values()}) == 1
            assert operator.summary.endswith(".")
            assert varying(operator.parameters)
    for name in TEXT_OPERATORS:
        assert text_operator(name).name == name
        assert text_operator(name).summary.endswith(".")


def test_operators_are_values() -> None:
    operator = image_operator("mosaic")
    assert pickle.loads(pickle.dumps(operator)) is operator
    with pytest.raises(AttributeError):
        operator.name = "other"
    with pytest.raises(TypeError):
        operator.parameters[1]["blocks"] = 9
    assert isinstance(operator, ImageOperator)


def test_definitions_are_checked() -> None:
    def mosaik(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return pixels

    with pytest.raises(ValueError, match=r"'mosaik' is unknown. Did you mean 'mosaic'"):
        define_image_operator(summary="", parameters={1: {}, 2: {}, 3: {}})(mosaik)
    with pytest.raises(ValueError, match="operator function 'mosaik' is unknown"):
        define_text_operator(summary="")(mosaik)
    mosaik.__name__ = "mosaic"
    with pytest.raises(ValueError, match="must have the keys 1, 2, 3, got \\(1, 2\\)"):
        define_image_operator(summary="", parameters={1: {}, 2: {}})(mosaik)


def test_text_status_and_reason_belong_together() -> None:
    assert not_applicable("Why?", "no entity").status == "not_applicable"
    for status, reason in (("not_applicable", ""), ("changed", "because")):
        with pytest.raises(ValueError, match="reason must be given exactly when"):
            TextCorruption("Why?", status, reason)


# ------------------------------------------------------------------------------------------------- several at once


def test_a_sequence_is_applied_in_the_order_of_the_paper() -> None:
    steps = [("watermark", 1), ("low_light", 2), ("cropping", 2), ("rotation", 1)]
    expected = photo(90, 120)
    for name, severity in (steps[3], steps[2], steps[1], steps[0]):
        expected = corrupt_image(expected, name, severity, query_id="a", seed=4)
    for _ in range(5):
        random.Random(0).shuffle(steps)
        assert np.array_equal(corrupt_image(photo(90, 120), steps, query_id="a", seed=4), expected)


def test_order_given_is_kept_and_ties_stay_as_given() -> None:
    pixels = photo(90, 120)
    steps = [("watermark", 3), ("rotation", 1)]
    by_hand = corrupt_image(corrupt_image(pixels, *steps[0]), *steps[1])
    assert np.array_equal(corrupt_image(pixels, steps, order="given"), by_hand)
    assert not np.array_equal(corrupt_image(pixels, steps), by_hand)
    two = [("defocus_blur", 1), ("compression", 3)]
    by_hand = corrupt_image(corrupt_image(pixels, *two[0]), *two[1])
    assert np.array_equal(corrupt_image(pixels, two), by_hand)


def test_an_operator_named_twice_draws_anew() -> None:
    pixels = np.full((60, 80, 3), 200, np.uint8)
    once = corrupt_image(pixels, "scribble", 1)
    twice = corrupt_image(pixels, [("scribble", 1), ("scribble", 1)])
    assert not np.array_equal(once, twice)
    assert np.array_equal(twice, corrupt_image(pixels, [("scribble", 1), ("scribble", 1)]))


def test_texts_are_deterministic_by_query_and_seed() -> None:
    text = "What kind of chrysanthemum is this?"
    calls = [
        corrupt_text(text, "char_change", entity="chrysanthemum", query_id=query, seed=seed)
        for query, seed in (("a", 0), ("a", 0), ("b", 0), ("a", 1))
    ]
    assert calls[0] == calls[1]
    assert len({call.text for call in calls}) == 3


# -------------------------------------------------------------------------------------------------------- dataset rows


def rows(count: int = 4) -> datasets.Dataset:
    features = datasets.Features(
        {
            "query_id": datasets.Value("string"),
            "image": datasets.Image(),
            "text": datasets.Value("string"),
            "entity": datasets.Value("string"),
            "condition": datasets.Value("string"),
            "image_operator": datasets.Value("string"),
            "severity": datasets.Value("int64"),
            "text_operator": datasets.Value("string"),
            "text_status": datasets.Value("string"),
        }
    )
    image = {"bytes": encode_image(Image.fromarray(photo(70, 100)), "lossless"), "path": None}
    clean = {
        "image": image,
        "text": "What kind of plant is this?",
        "entity": "plant",
        "condition": "clean",
        "image_operator": "",
        "severity": 0,
        "text_operator": "",
        "text_status": "unchanged",
    }
    listed = [{"query_id": f"q{number}", **clean} for number in range(count)]
    return datasets.Dataset.from_list(listed, features=features)


@pytest.fixture(autouse=True)
def _quiet() -> None:
    datasets.disable_progress_bars()


def raw(dataset: datasets.Dataset) -> datasets.Dataset:
    return dataset.cast_column("image", datasets.Image(decode=False))


@pytest.mark.parametrize("condition", ["image_mosaic_s2", "text_charadd", "joint_lowlight_wordrepeat_s3"])
def test_corrupt_maps_over_datasets(condition: str) -> None:
    clean = rows()
    mapped = clean.map(corrupt(condition, seed=3))
    wanted = parse_condition(condition)
    assert mapped.features == clean.features
    for before, after, stored in zip(clean, mapped, raw(mapped), strict=True):
        assert after["condition"] == condition
        assert after["severity"] == (wanted.severity or 0)
        assert after["image_operator"] == (wanted.image_operator or "")
        assert after["text_operator"] == (wanted.text_operator or "")
        if wanted.image_operator:
            photo = corrupt_image(
                before["image"], wanted.image_operator, wanted.severity, query_id=before["query_id"], seed=3
            )
            assert stored["image"]["bytes"] == encode_image(photo, "published")
        else:
            assert stored["image"]["bytes"] == raw(clean)[0]["image"]["bytes"]
        if wanted.text_operator:
            text = corrupt_text(
                before["text"], wanted.text_operator, entity="plant", query_id=before["query_id"], seed=3
            )
            assert (after["text"], after["text_status"]) == (text.text, text.status)
        else:
            assert (after["text"], after["text_status"]) == (before["text"], "unchanged")


@pytest.mark.parametrize(
    "condition", ["image_cropping_s3", "joint_mosaic_charswap_s2", "text_sentadd", "image_reencode"]
)
def test_corrupted_clean_rows_are_the_rows_of_the_condition(condition: str) -> None:
    query = load_source("sample").queries[3]
    assert corrupt(condition)(query_row(query)) == query_row(query, parse_condition(condition))


def test_two_processes_and_streams_give_the_same_rows() -> None:
    mapper = corrupt("joint_mosaic_charswap_s2")
    one = raw(rows().map(mapper))
    two = raw(rows().map(mapper, num_proc=2))
    assert one[:] == two[:]
    assert raw(rows().map(mapper, batched=True, batch_size=3))[:] == one[:]
    stream = rows().to_iterable_dataset().map(mapper)
    assert [row["text"] for row in stream] == one["text"][:]


def jpeg_rows() -> datasets.Dataset:
    """Rows whose photos change with every encoding."""
    image = {"bytes": encoded(Image.fromarray(photo(70, 100)), "JPEG", quality=95), "path": None}
    return rows(3).map(lambda row: {"image": image}, features=rows(1).features)


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("condition", ["clean", "text_charswap"])
def test_photos_of_text_conditions_are_not_encoded_anew(condition: str, batched: bool) -> None:
    clean = jpeg_rows()
    mapped = clean.map(corrupt(condition), batched=batched, batch_size=2)
    assert raw(mapped)["image"][:] == raw(clean)["image"][:]
    assert mapped["condition"][:] == [condition] * 3
    with pytest.raises(ValueError, match="row 'q0' must have the column 'image'"):
        clean.remove_columns("image").map(corrupt(condition), batched=batched)


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("condition", ["clean", "text_charswap", "image_mosaic_s2", "joint_cropping_charswap_s3"])
def test_streams_keep_an_image_column_as_documented(condition: str, batched: bool) -> None:
    stream = jpeg_rows().to_iterable_dataset()
    undecoded = stream.cast_column("image", datasets.Image(decode=False))
    mapped = undecoded.map(corrupt(condition), batched=batched, batch_size=2).cast(stream.features)
    assert mapped.features == stream.features
    expected = jpeg_rows().map(corrupt(condition))
    for got, wanted in zip(mapped, expected, strict=True):
        assert isinstance(got["image"], Image.Image)
        assert got["image"].tobytes() == wanted["image"].tobytes()
        assert {**got, "image": None} == {**wanted, "image": None}


def test_a_config_of_three_severities_needs_batches() -> None:
    mapped = rows(3).map(corrupt("image_downscale"), batched=True, batch_size=2)
    assert sorted(mapped["condition"]) == sorted(f"image_downscale_s{s}" for s in SEVERITIES for _ in range(3))
    assert {(row["severity"], row["image"].size) for row in mapped} == {(1, (20, 14)), (2, (10, 7)), (3, (4, 4))}
    with pytest.raises(ValueError, match="batched=True"):
        corrupt("image_downscale")(rows()[0])


def test_storage_modes() -> None:
    row = rows()[0]
    lossless = corrupt("image_compression_s3", storage="lossless")(row)["image"]["bytes"]
    expected = corrupt_image(row["image"], "compression", 3, query_id="q0")
    assert np.array_equal(np.asarray(decode_image(lossless)), np.asarray(expected))
    published = corrupt("image_compression_s3")(row)["image"]["bytes"]
    assert published[:2] == b"\xff\xd8"
    assert not np.array_equal(np.asarray(decode_image(published)), np.asarray(expected))
    for storage in ("published", "lossless"):
        control = corrupt("image_reencode", storage=storage)(row)
        assert control["image"]["bytes"] == encode_image(row["image"], "published")
        assert (control["condition"], control["image_operator"], control["severity"]) == (
            "image_reencode",
            "reencode",
            0,
        )


def test_rows_that_can_not_be_corrupted_are_named() -> None:
    row = rows()[0]
    mapper = corrupt("joint_mosaic_charswap_s2")
    with pytest.raises(ValueError, match="row 'q0' is corrupted already"):
        mapper(mapper(row))
    with pytest.raises(ImageDecodeError, match=r"query 'q0'.*no image"):
        mapper({**row, "image": None})
    with pytest.raises(ValueError, match="row 'q0' must have the column 'entity'"):
        mapper({key: value for key, value in row.items() if key != "entity"})
    with pytest.raises(ValueError, match="query_id must be a column"):
        mapper({key: value for key, value in row.items() if key != "query_id"})


def test_corrupt_refuses_what_is_no_condition() -> None:
    with pytest.raises(ValueError, match="Did you mean 'image_mosaic_s2'"):
        corrupt("image_mosiac_s2")
    with pytest.raises(ValueError, match="holds no queries"):
        corrupt("gallery")
    with pytest.raises(ValueError, match="storage 'jpeg' is unknown"):
        corrupt("image_mosaic_s2", storage="jpeg")
    with pytest.raises(TypeError, match="seed must be an int"):
        corrupt("image_mosaic_s2", seed=1.5)
    mapper = corrupt("image_mosaic_s2")
    assert pickle.loads(pickle.dumps(mapper)) == mapper


def test_public_names() -> None:
    assert snapbench.corrupt_image is corrupt_image
    assert close_matches("corupt_image", snapbench.__all__)


# --------------------------------------------------------------------------------------------------- sheet and document


@pytest.mark.parametrize("shape", [(60, 80), (200, 40), (30, 300), (1, 1)])
def test_contact_sheet_of_any_shape(shape: tuple[int, int]) -> None:
    sheet = contact_sheet(photo(*shape), cell_width=60)
    assert sheet.mode == "RGB"
    assert np.asarray(sheet).std() > 5
    assert sheet.tobytes() == contact_sheet(photo(*shape), cell_width=60).tobytes()


def test_contact_sheet_refuses_tiny_cells() -> None:
    with pytest.raises(ValueError, match="cell_width must be at least 60"):
        contact_sheet(photo(), cell_width=10)


def test_document_is_up_to_date() -> None:
    assert document.stale() == [], "run python -m snapbench.corruptions.document"


def test_a_stale_document_is_noticed(tmp_path: Path) -> None:
    (tmp_path / document.PICTURES).mkdir()
    for name in (document.CLEAN, "sheet.jpg"):
        (tmp_path / document.PICTURES / name).write_bytes((document.DOCS / document.PICTURES / name).read_bytes())
    found = document.stale(tmp_path)
    assert document.PAGE in found
    assert "mosaic.jpg" in found
    assert "sheet.jpg" not in found
