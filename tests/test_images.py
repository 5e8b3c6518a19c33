"""Images in: every kind of file and array, as bytes, path, Pillow image; and every way in which one can be broken."""

from __future__ import annotations

import io
import os
import pickle
import struct
import subprocess
import sys
import threading
import tracemalloc
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import encoded, picture
from PIL import Image, ImageCms, ImageFile, ImageOps
from PIL.PngImagePlugin import PngInfo

from snapbench import images
from snapbench.images import (
    ImageDecodeError,
    array_to_image,
    decode_image,
    encode_image,
    image_to_array,
    stores_same_pixels,
    without_metadata,
)

LOSSLESS = ("PNG", "TIFF", "BMP")
ALL = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")


def exif(orientation: int) -> Image.Exif:
    tags = Image.Exif()
    tags[0x0112] = orientation
    return tags


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_is_applied_whatever_way_the_image_comes(kind: str, orientation: int, tmp_path: Path) -> None:
    data = encoded(picture("upright", (40, 20)), kind, exif=exif(orientation))
    expected = np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB"))
    path = tmp_path / "photo.bin"
    path.write_bytes(data)
    for given_as in (data, bytearray(data), path, str(path), Image.open(path)):
        decoded = decode_image(given_as)
        assert decoded.size == ((20, 40) if orientation > 4 else (40, 20))
        np.testing.assert_array_equal(np.asarray(decoded), expected)
        assert not decoded.getexif()
        assert decoded.info == {}
        assert type(decoded) is Image.Image
        assert Image.open(io.BytesIO(encode_image(decoded))).size == decoded.size
    assert stores_same_pixels(data) == (orientation == 1 and kind != "TIFF")


@pytest.mark.parametrize("kind", ALL)
def test_extension_plays_no_part(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.jpg"
    path.write_bytes(encoded(picture("a"), kind))
    assert decode_image(path).size == (48, 36)


def test_plain_pixels_survive() -> None:
    original = picture("a")
    for kind in LOSSLESS:
        np.testing.assert_array_equal(image_to_array(decode_image(encoded(original, kind))), np.asarray(original))
    webp = decode_image(encoded(original, "WEBP", lossless=True))
    np.testing.assert_array_equal(np.asarray(webp), np.asarray(original))


def test_cmyk_becomes_rgb() -> None:
    for kind, quality in (("JPEG", {"quality": 95}), ("TIFF", {})):
        red = encoded(Image.new("CMYK", (16, 16), (0, 255, 255, 0)), kind, **quality)
        np.testing.assert_allclose(image_to_array(decode_image(red))[8, 8], (255, 0, 0), atol=3)


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_sixteen_bit_ramp_keeps_all_levels(kind: str) -> None:
    ramp = np.repeat(np.arange(256, dtype=np.uint16)[None] * 257, 4, axis=0)
    levels = image_to_array(decode_image(encoded(Image.fromarray(ramp), kind)))
    np.testing.assert_array_equal(levels, np.repeat(np.arange(256, dtype=np.uint8)[None, :, None], 4, 0).repeat(3, 2))


def test_sixteen_bit_values_round_to_the_nearest_level() -> None:
    values = np.arange(65536, dtype=np.uint16).reshape(256, 256)
    expected = np.array([round(value * 255 / 65535) for value in range(65536)], dtype=np.uint8).reshape(256, 256)
    big_endian = Image.frombytes("I;16B", (256, 256), values.astype(">u2").tobytes())
    as_int32 = Image.fromarray(values.astype(np.int32))
    as_float = Image.fromarray(values.astype(np.float32))
    for image in (values, Image.fromarray(values), big_endian, as_int32, as_float):
        np.testing.assert_array_equal(image_to_array(decode_image(image))[:, :, 0], expected)


def test_dark_sixteen_bit_file_stays_dark() -> None:
    dark = np.full((4, 4), 200, dtype=np.uint16)
    assert image_to_array(decode_image(encoded(Image.fromarray(dark), "PNG"))).max() == 1


def test_sixteen_bit_transparency_is_white() -> None:
    data = encoded(Image.fromarray(np.array([[1000, 40000]], dtype=np.uint16)), "PNG")
    body = b"tRNS" + struct.pack(">H", 1000)
    chunk = struct.pack(">I", 2) + body + struct.pack(">I", zlib.crc32(body))
    position = data.index(b"IDAT") - 4
    pixels = image_to_array(decode_image(data[:position] + chunk + data[position:]))
    assert pixels[0, :, 0].tolist() == [255, round(40000 * 255 / 65535)]


def test_wide_integers_and_floats() -> None:
    wide = Image.fromarray(np.array([[0, 2**31 - 1, -5, 2**30]], dtype=np.int32))
    assert image_to_array(decode_image(wide))[0, :, 0].tolist() == [0, 255, 0, 128]
    unit = Image.fromarray(np.array([[0, 0.5, 1]], dtype=np.float32))
    assert image_to_array(decode_image(encoded(unit, "TIFF")))[0, :, 0].tolist() == [0, 128, 255]
    for bad in (np.nan, np.inf, -0.1, 1e6):
        with pytest.raises(ImageDecodeError, match="samples"):
            decode_image(Image.fromarray(np.array([[0, bad]], dtype=np.float32)))


def over_white(rgba: np.ndarray) -> np.ndarray:
    """Slow reference: what a pixel looks like on white paper."""
    alpha = rgba[..., 3:] / 255
    return rgba[..., :3] * alpha + 255 * (1 - alpha)


def test_alpha_lies_over_white() -> None:
    rng = np.random.default_rng(0)
    rgba = rng.integers(0, 256, (16, 16, 4), dtype=np.uint8)
    image = Image.fromarray(rgba)
    for form in (image, rgba, encoded(image, "PNG"), encoded(image, "TIFF")):
        np.testing.assert_allclose(image_to_array(decode_image(form)), over_white(rgba), atol=1)
    grey = np.dstack([rgba[..., 0], rgba[..., 3]])
    for form in (Image.fromarray(grey), grey, encoded(Image.fromarray(grey), "PNG")):
        np.testing.assert_allclose(image_to_array(decode_image(form)), over_white(rgba[..., [0, 0, 0, 3]]), atol=1)


def test_hidden_colours_do_not_leak() -> None:
    for kind in ("PNG", "WEBP", "TIFF"):
        red = Image.new("RGBA", (8, 8), (255, 0, 0, 0))
        decoded = decode_image(encoded(red, kind, **({"lossless": True, "exact": True} if kind == "WEBP" else {})))
        assert decoded.getpixel((3, 3)) == (255, 255, 255)
    for transparency in (0, b"\0\xff"):
        palette = Image.new("P", (2, 1))
        palette.putpalette([255, 0, 0, 0, 0, 255])
        palette.putpixel((1, 0), 1)
        for kind in ("PNG", "GIF") if transparency == 0 else ("PNG",):
            data = encoded(palette, kind, transparency=transparency)
            assert image_to_array(decode_image(data))[0].tolist() == [[255, 255, 255], [0, 0, 255]]
            assert not stores_same_pixels(data)
    keyed = Image.new("RGB", (2, 1), (9, 9, 9))
    keyed.putpixel((1, 0), (1, 2, 3))
    data = encoded(keyed, "PNG", transparency=(9, 9, 9))
    assert image_to_array(decode_image(data))[0].tolist() == [[255, 255, 255], [1, 2, 3]]
    assert not stores_same_pixels(data)


def test_every_mode_of_pillow() -> None:
    source = Image.new("RGBA", (3, 2), (200, 100, 50, 255))
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr", "HSV", "I", "F"):
        decoded = decode_image(source.convert(mode))
        assert (decoded.mode, decoded.size) == ("RGB", (3, 2))
    lab = Image.new("LAB", (3, 2), (128, 128, 128))
    premultiplied = source.convert("RGBa"), source.convert("LA").convert("La"), source.convert("RGBX")
    for image in (lab, *premultiplied, Image.new("PA", (3, 2))):
        assert decode_image(image).mode == "RGB"
    assert decode_image(Image.new("1", (1, 1), 1)).getpixel((0, 0)) == (255, 255, 255)


def test_greyscale_equals_its_rgb_copy() -> None:
    grey = picture("g").convert("L")
    np.testing.assert_array_equal(np.asarray(decode_image(grey)), np.asarray(grey.convert("RGB")))


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "TIFF"])
def test_first_frame_of_an_animation(kind: str) -> None:
    red, green = Image.new("RGB", (8, 8), (255, 0, 0)), Image.new("RGB", (8, 8), (0, 255, 0))
    options = {"lossless": True} if kind == "WEBP" else {}
    data = encoded(red, kind, save_all=True, append_images=[green], **options)
    assert decode_image(data).getpixel((4, 4)) == (255, 0, 0)
    if kind != "PNG":  # An animated PNG holds its first frame as a plain image for readers that know no better.
        assert not stores_same_pixels(data)


def test_the_caller_owns_the_result() -> None:
    original = picture("a")
    decode_image(original).putpixel((0, 0), (1, 2, 3))
    array = np.asarray(original)
    image_to_array(original)[0, 0] = 0
    decode_image(array).putpixel((0, 0), (1, 2, 3))
    np.testing.assert_array_equal(np.asarray(original), np.asarray(picture("a")))


# Arrays


def test_arrays_of_all_usual_dtypes_mean_the_same() -> None:
    levels = np.asarray(picture("a"))
    deep = levels.astype(np.uint16) * 257
    unit = levels / 255
    forms: list[np.ndarray] = [levels, deep, unit, unit.astype(np.float32), levels.astype(np.float64)]
    forms += [levels.astype(dtype) for dtype in (np.int16, np.int32, np.int64, np.uint32, np.uint64)]
    forms += [levels[:, ::-1][:, ::-1], np.asfortranarray(levels), levels.astype(">i4"), np.moveaxis(levels, -1, 0)]
    for form in forms:
        np.testing.assert_array_equal(image_to_array(array_to_image(form)), levels)
    half = unit.astype(np.float16)
    np.testing.assert_allclose(image_to_array(array_to_image(half)), levels, atol=1)


def test_arrays_of_all_usual_shapes() -> None:
    grey = np.asarray(picture("a").convert("L"))
    expected = np.repeat(grey[:, :, None], 3, axis=2)
    opaque = np.full_like(grey, 255)
    shaped = [grey, grey[:, :, None], np.dstack([grey, opaque]), expected, np.dstack([expected, opaque])]
    shaped += [grey[None], np.moveaxis(expected, -1, 0), np.moveaxis(np.dstack([expected, opaque]), -1, 0)]
    for form in shaped:
        np.testing.assert_array_equal(image_to_array(array_to_image(form)), expected)
    assert array_to_image(np.array([[True, False]])).getpixel((0, 0)) == (255, 255, 255)
    assert array_to_image(np.zeros((1, 1, 3), np.uint8)).size == (1, 1)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((0, 3, 3), np.uint8),
        np.zeros((2, 2, 5), np.uint8),
        np.zeros(3, np.uint8),
        np.zeros((1, 2, 2, 3), np.uint8),
        np.array(5),
        np.full((2, 2), 256),
        np.full((2, 2), -1),
        np.full((2, 2), np.nan),
        np.full((2, 2), 1 + 1j),
        np.array([["a", "b"]]),
        np.array([[None, 1]], dtype=object),
    ],
    ids=lambda array: f"{array.dtype}{list(array.shape)}",
)
def test_arrays_that_are_no_images(array: np.ndarray) -> None:
    with pytest.raises(ImageDecodeError):
        array_to_image(array)


# Metadata


def private(kind: str) -> dict[str, Any]:
    """Options of an encoder that writes everything private that it can."""
    tags = exif(1)
    tags[0x0110] = "SECRET camera"
    tags.get_ifd(0x8825)[0x1D] = "SECRET place"
    options: dict[str, Any] = {
        "exif": tags,
        "icc_profile": ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes(),
    }
    if kind == "PNG":
        options["pnginfo"] = PngInfo()
        options["pnginfo"].add_text("Author", "SECRET")
        options["pnginfo"].add_text("Comment", "SECRET" * 99, zip=True)
        options["pnginfo"].add_itxt("Title", "SECRET")
        options["pnginfo"].add(b"tIME", b"\x07\xe9\x01\x01\0\0\0")
        options["pnginfo"].add(b"prVt", b"SECRET")
    else:
        options["xmp"] = b"<x:xmpmeta>SECRET</x:xmpmeta>"
    return options | ({"comment": b"SECRET"} if kind == "JPEG" else {})


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@given(size=st.tuples(st.integers(1, 40), st.integers(1, 40)), variant=st.booleans(), tail=st.binary(max_size=9))
@settings(max_examples=12, deadline=None, derandomize=True)
def test_metadata_go_and_pixels_stay(kind: str, size: tuple[int, int], variant: bool, tail: bytes) -> None:
    options = {"JPEG": {"progressive": variant}, "WEBP": {"lossless": variant}}.get(kind, {"optimize": variant})
    plain = encoded(picture("m", size), kind, **options)
    hidden = private(kind)  # once: a profile carries the second it was made in
    data = encoded(picture("m", size), kind, **options, **hidden)
    if kind == "JPEG":
        iptc = b"Photoshop 3.0\0SECRET"
        data = data[:2] + b"\xff\xed" + struct.pack(">H", len(iptc) + 2) + iptc + data[2:]
    bare = without_metadata(data + tail + b"SECRET")
    assert b"SECRET" in data
    assert b"SECRET" not in bare
    opened = Image.open(io.BytesIO(bare))
    assert not opened.getexif()
    assert opened.info.get("icc_profile") == hidden["icc_profile"]
    assert not {"xmp", "comment", "Author", "Comment", "Title", "photoshop"} & opened.info.keys()
    pixels = np.asarray(decode_image(data))
    np.testing.assert_array_equal(np.asarray(decode_image(bare)), pixels)
    np.testing.assert_array_equal(np.asarray(opened.convert("RGB")), pixels)
    assert without_metadata(plain) == plain
    assert without_metadata(bare) == bare
    assert stores_same_pixels(data)
    assert stores_same_pixels(bare)


@given(kind=st.sampled_from(ALL), place=st.integers(0, 4000), value=st.integers(0, 255), cut=st.booleans())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_metadata_of_damaged_files(kind: str, place: int, value: int, cut: bool) -> None:
    data = bytearray(encoded(picture("m"), kind, **(private(kind) if kind in ("JPEG", "PNG", "WEBP") else {})))
    place %= len(data)
    data[place] = value
    data = data[:place] if cut else data
    try:
        before = np.asarray(decode_image(bytes(data)))
    except ImageDecodeError:
        without_metadata(bytes(data))
        return
    if stores_same_pixels(bytes(data)):
        np.testing.assert_array_equal(np.asarray(decode_image(without_metadata(bytes(data)))), before)


def test_files_of_another_make_come_back_as_they_are() -> None:
    for kind in ("GIF", "BMP", "TIFF"):
        data = encoded(picture("m"), kind)
        assert without_metadata(data) == data
    for kind in ("JPEG", "PNG", "WEBP"):
        data = encoded(picture("m"), kind, **private(kind))
        for broken in (b"", data[:10], data[:-30], data[: len(data) // 2]):
            assert without_metadata(broken) == broken


# Broken input


def test_no_image_and_wrong_types() -> None:
    with pytest.raises(ImageDecodeError, match=r"query 'q1'.*None"):
        decode_image(None, record="query 'q1'")  # type: ignore[arg-type]
    for wrong in (7, [1, 2], {"bytes": b""}, io.BytesIO(b"")):
        with pytest.raises(TypeError, match=r"bytes, a path.*for query 'q1'"):
            decode_image(wrong, record="query 'q1'")  # type: ignore[arg-type]


def test_error_names_record_path_and_cause(tmp_path: Path) -> None:
    for data, cause in ((b"", "empty"), (b"not an image", "no JPEG"), (b"%!PS-Adobe", "no JPEG"), (None, "No such")):
        path = tmp_path / "bench_0001.jpg"
        path.unlink(missing_ok=True)
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(ImageDecodeError, match=cause) as caught:
            decode_image(path, record="query 'bench_0001'")
        assert caught.value.record == "query 'bench_0001'"
        assert caught.value.path == str(path)
        assert f"image of query 'bench_0001' ({str(path)!r}) can't be decoded" in str(caught.value)
        copied = pickle.loads(pickle.dumps(caught.value))
        assert (str(copied), copied.path, copied.cause) == (str(caught.value), str(path), caught.value.cause)


@pytest.mark.parametrize("kind", ALL)
def test_truncated_data_is_an_error_whatever_others_have_set(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    data = encoded(Image.fromarray(rng.integers(0, 256, (120, 160, 3), dtype=np.uint8)), kind)
    for switch in (False, True):
        monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", switch)
        assert decode_image(data).size == (160, 120)
        for length in (len(data) // 2, len(data) * 9 // 10, 40):
            with pytest.raises(ImageDecodeError):
                decode_image(data[:length])
        assert ImageFile.LOAD_TRUNCATED_IMAGES is switch
    if kind == "JPEG":
        with pytest.raises(ImageDecodeError, match="truncated"):
            decode_image(data[:-2])


def test_damaged_pixels_are_an_error_whatever_others_have_set(monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytearray(encoded(picture("a", (200, 200)), "PNG"))
    data[data.index(b"IDAT") + 40] ^= 0xFF
    for switch in (False, True):
        monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", switch)
        with pytest.raises(ImageDecodeError):
            decode_image(bytes(data))


def test_pixel_budget_holds_before_pixels_exist() -> None:
    bomb = encoded(Image.new("1", (20_000, 20_000)), "PNG")
    assert len(bomb) < 60_000
    script = (
        "import resource, sys\n"
        "from snapbench.images import ImageDecodeError, decode_image\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n"
        "    decode_image(sys.stdin.buffer.read(), record='query 1')\n"
        "except ImageDecodeError as error:\n"
        "    print(error, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], input=bomb, capture_output=True, check=True)
    message, _, kilobytes = done.stdout.decode().strip().rpartition(" ")
    for part in ("query 1", "400,000,000", "100,000,000", "SNAPBENCH_MAX_PIXELS", "max_pixels"):
        assert part in message
    assert int(kilobytes) < 20_000


@pytest.mark.parametrize("kind", ALL)
def test_pixel_budget_for_every_kind(kind: str) -> None:
    image = picture("a", (10, 10))
    for form in (encoded(image, kind), image, np.asarray(image)):
        assert decode_image(form, max_pixels=100).size == (10, 10)
        with pytest.raises(ImageDecodeError, match="100 pixels, the limit is 99"):
            decode_image(form, max_pixels=99)


@pytest.mark.parametrize("value", ["0", "-5", "1e6", ""])
def test_budget_from_the_environment(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = encoded(picture("a", (10, 10)), "PNG")
    monkeypatch.setenv("SNAPBENCH_MAX_PIXELS", "100")
    assert images.MAX_PIXELS == images.pixel_budget() == 100
    assert decode_image(data).size == (10, 10)
    monkeypatch.setenv("SNAPBENCH_MAX_PIXELS", "99")
    with pytest.raises(ImageDecodeError, match="100 pixels, the limit is 99"):
        decode_image(data)
    monkeypatch.setenv("SNAPBENCH_MAX_PIXELS", value)
    with pytest.raises(ValueError, match=f"SNAPBENCH_MAX_PIXELS must be a whole number above 0, got '{value}'"):
        decode_image(data)
    assert decode_image(data, max_pixels=100).size == (10, 10)


def test_wrong_budget_does_not_keep_the_package_from_being_imported() -> None:
    environment = {**os.environ, "SNAPBENCH_MAX_PIXELS": "20M"}
    command = [sys.executable, "-W", "error", "-c", "import snapbench.images, snapbench.rows"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""


@pytest.mark.parametrize("kind", ALL)
def test_the_budget_is_the_only_one(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = encoded(picture("a", (50, 40)), kind)
    expected = np.asarray(decode_image(data))
    for limit in (1500, 500):  # Pillow warns above its limit and refuses above twice of it.
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", limit)
        np.testing.assert_array_equal(np.asarray(decode_image(data)), expected)
        with pytest.raises(ImageDecodeError, match="2,000 pixels, the limit is 1,999"):
            decode_image(data, max_pixels=1999)
        assert limit == Image.MAX_IMAGE_PIXELS


def test_frame_of_a_gif_larger_than_its_canvas_is_held_against_the_budget() -> None:
    data = bytearray(encoded(picture("a", (10, 10)), "GIF"))
    position = data.index(b",\0\0\0\0\x0a\0\x0a\0")
    data[position + 5 : position + 9] = b"\xff\xff\xff\xff"
    data[position:position] = b"!\xf9\x04\x08\0\0\0\0"  # Dispose of it afterwards: Pillow makes room when it opens.
    with pytest.raises(ImageDecodeError, match="4,294,836,225 pixels, the limit is 100,000,000"):
        decode_image(bytes(data))


def test_damaged_tags_do_not_warn() -> None:
    data = bytearray(encoded(picture("a"), "TIFF", tiffinfo={65000: "x" * 40}))
    (offset,) = struct.unpack_from("<I", data, 4)
    tags = range(offset + 2, offset + 2 + 12 * struct.unpack_from("<H", data, offset)[0], 12)
    place = next(tag for tag in tags if struct.unpack_from("<H", data, tag)[0] == 65000)
    struct.pack_into("<I", data, place + 4, 1 << 30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert decode_image(bytes(data)).size == (48, 36)


def test_sixteen_bit_image_needs_no_room_for_wide_numbers() -> None:
    deep = Image.fromarray(np.arange(3000 * 3000, dtype=np.uint32).reshape(3000, 3000).astype(np.uint16))
    tracemalloc.start()
    try:
        decode_image(deep)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 9_000_000 * 6 + 1_000_000 * 24  # Bytes; one 8-byte copy of all would be 72,000,000 more.


@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
def test_jpeg_that_was_cut_and_closed_is_an_error(mode: str) -> None:
    image = Image.fromarray(np.random.default_rng(2).integers(0, 256, (99, 130, 3), dtype=np.uint8)).convert(mode)
    options: list[dict[str, Any]] = [{}, {"subsampling": 0}, {"optimize": True}, {"restart_marker_blocks": 2}]
    for option in options:
        data = encoded(image, "JPEG", **option)
        expected = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
        for tail in (b"", b"tail", data):  # Some cameras put a second picture behind the first.
            np.testing.assert_array_equal(np.asarray(decode_image(data + tail)), expected)
        for part in (0.5, 0.75, 0.98):
            with pytest.raises(ImageDecodeError, match="truncated"):
                decode_image(data[: int(len(data) * part)] + b"\xff\xd9")
    for option in ({"progressive": True}, {"quality": 100, "exif": exif(6)}):
        data = encoded(image, "JPEG", **option)
        expected = np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB"))
        np.testing.assert_array_equal(np.asarray(decode_image(data)), expected)
    for size in ((1, 1), (3, 70), (70, 3), (16, 8)):
        for flat in (0, 97, 255):
            assert decode_image(encoded(Image.new(mode, size, (flat,) * len(mode)), "JPEG")).size == size


def test_webp_canvas_is_read_before_the_decoder_sees_it() -> None:
    image = Image.new("RGBA", (300, 200), (1, 2, 3, 4))
    for options in ({"lossless": True}, {"quality": 50}, {"exif": exif(1)}):
        for mode in ("RGB", "RGBA"):
            with pytest.raises(ImageDecodeError, match="60,000 pixels"):
                decode_image(encoded(image.convert(mode), "WEBP", **options), max_pixels=59_999)


def test_damaged_metadata_neither_warns_nor_matters() -> None:
    block = b"Exif\0\0II*\0\x08\0\0\0\x02\0" + b"\x12\x01\x03\0\x01\0\0\0\x06\0\0\0" + b"\xff" * 7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in ("JPEG", "WEBP", "PNG"):
            assert decode_image(encoded(picture("a"), kind, exif=block)).size == (36, 48)
            for broken in (b"Exif\0\0", b"Exif\0\0MM\0*\xff\xff\xff\xff", b"Exif\0\0rubbish!", block[:20]):
                assert decode_image(encoded(picture("a"), kind, exif=broken)).size == (48, 36)


def test_threads_share_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    files = [encoded(picture(str(n), (64, 64)), kind) for n, kind in enumerate(ALL * 4)]
    expected = [np.asarray(decode_image(file)) for file in files]
    filters, wrong = list(warnings.filters), []

    def work() -> None:
        for file, pixels in zip(files, expected, strict=True):
            if not np.array_equal(np.asarray(decode_image(file)), pixels):
                wrong.append(file)
            try:
                decode_image(file[: len(file) // 2])
                wrong.append(file)
            except ImageDecodeError:
                pass

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert warnings.filters == filters


@given(
    kind=st.sampled_from(ALL),
    cut=st.integers(0, 3000),
    edits=st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 255)), max_size=6),
)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_bytes_give_an_image_or_the_one_error(kind: str, cut: int, edits: list[tuple[int, int]]) -> None:
    data = bytearray(encoded(picture("fuzz", (24, 18)), kind))
    for position, value in edits:
        data[position % len(data)] = value
    del data[len(data) - cut % len(data) :]
    try:
        decoded = decode_image(bytes(data), max_pixels=10_000_000)
    except ImageDecodeError:
        return
    assert decoded.mode == "RGB"
    assert min(decoded.size) >= 1


# Out


def test_storage_modes() -> None:
    image = picture("a")
    lossless = encode_image(image, "lossless")
    np.testing.assert_array_equal(np.asarray(decode_image(lossless)), np.asarray(image))
    published = encode_image(image)
    assert Image.open(io.BytesIO(published)).format == "JPEG"
    assert published == encoded(image, "JPEG", quality=92)
    wrong: Any = "png"
    with pytest.raises(ValueError, match="'published' or 'lossless', got 'png'"):
        encode_image(image, wrong)
    with pytest.raises(ValueError, match="mode 'RGB', got 'RGBA'"):
        encode_image(image.convert("RGBA"))


def test_what_counts_as_plain() -> None:
    image = picture("a")
    for kind in ("JPEG", "PNG", "WEBP"):
        assert stores_same_pixels(encoded(image, kind))
    for kind in ("GIF", "BMP", "TIFF"):
        assert not stores_same_pixels(encoded(image, kind))
    for mode in ("L", "CMYK"):
        assert not stores_same_pixels(encoded(image.convert(mode), "JPEG"))
    assert not stores_same_pixels(encoded(image.convert("RGBA"), "PNG"))
    assert not stores_same_pixels(b"rubbish")
    assert not stores_same_pixels(encoded(image, "JPEG", exif=b"Exif\0\0rubbish!"))
    hidden = PngInfo()
    hidden.add_text("Raw profile type exif", "anything")
    assert not stores_same_pixels(encoded(image, "PNG", pnginfo=hidden))
    plain = PngInfo()
    plain.add_text("Title", "anything")
    assert stores_same_pixels(encoded(image, "PNG", pnginfo=plain))
