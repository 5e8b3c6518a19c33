"""The 15 image operators: faithful to the plain reference, shared draws, any size, any caller, bounded memory."""

from __future__ import annotations

import concurrent.futures
import functools
import hashlib
import json
import math
import os
import random
import subprocess
import sys

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw
from reference_image import REFERENCE

from snapbench.corruptions import image_operator
from snapbench.corruptions.conditions import IMAGE_OPERATORS, PRIMITIVES, SEVERITIES
from snapbench.corruptions.image import _fonts
from snapbench.corruptions.seeding import generator

RANDOM = ("low_light", "cropping", "mosaic", "scribble")
FIXED = tuple(name for name in IMAGE_OPERATORS if name not in RANDOM)


@functools.lru_cache(maxsize=8)
def photo(height: int, width: int) -> np.ndarray:
    """Soft colours, a few edges, fine texture: about the spectrum of a photograph."""
    rng = np.random.default_rng(height * 10_000 + width)
    layers = []
    for cells, strength in ((3, 90), (12, 45), (60, 25)):
        grid = rng.normal(0, strength, (cells, cells, 3)).astype(np.float32)
        layers.append(cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC))
    pixels = np.clip(np.sum(layers, axis=0) + 120 + rng.normal(0, 2, (height, width, 3)), 0, 255).astype(np.uint8)
    cv2.ellipse(pixels, (width // 2, height // 2), (width // 4, height // 3), 20, 0, 360, (180, 60, 40), -1)
    return pixels


def drawing(height: int, width: int) -> np.ndarray:
    """Hard edges and small letters on white."""
    rng = np.random.default_rng(1)
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    for _ in range(40):
        x, y = int(rng.integers(width)), int(rng.integers(height))
        color = tuple(int(c) for c in rng.integers(0, 256, 3))
        draw.rectangle((x, y, x + int(rng.integers(4, 60)), y + int(rng.integers(4, 60))), fill=color)
        draw.text((x, y), "Snap", font=_fonts.font(_fonts.SANS, 14), fill="black")
    return np.asarray(image)


def static(height: int, width: int) -> np.ndarray:
    """White noise: what no interpolation forgives."""
    return np.random.default_rng(2).integers(0, 256, (height, width, 3), dtype=np.uint8)


def apply(name: str, pixels: np.ndarray, severity: int, query_id: str = "q") -> np.ndarray:
    return image_operator(name)(pixels, severity, generator(0, query_id, name))


def psnr(first: np.ndarray, second: np.ndarray) -> float:
    error = np.mean((first.astype(np.float64) - second) ** 2)
    return math.inf if error == 0 else 10 * math.log10(255**2 / error)


def assert_faithful(name: str, pixels: np.ndarray, severity: int) -> None:
    ours = apply(name, pixels, severity)
    reference = REFERENCE[name](pixels, severity, 0)
    assert ours.shape == reference.shape
    difference = np.abs(ours.astype(np.int16) - reference).mean()
    assert difference <= 1, f"{name} s{severity}: mean absolute difference {difference:.2f} grey levels"
    assert psnr(ours, reference) >= 40, f"{name} s{severity}: PSNR {psnr(ours, reference):.1f} dB"


# ---------------------------------------------------------------------------------------------- against the reference


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("name", FIXED)
def test_deterministic_operators_equal_the_reference(name: str, severity: int) -> None:
    for make in (photo, drawing, static):
        for height, width in ((240, 320), (301, 199), (90, 407)):
            assert_faithful(name, make(height, width), severity)


@pytest.mark.parametrize("severity", [1, 2])
def test_rotation_of_a_panorama_equals_the_reference(severity: int) -> None:
    assert_faithful("rotation", photo(20, 600), severity)
    assert_faithful("rotation", photo(600, 20), severity)


@pytest.mark.parametrize("severity", [1, 2])
@pytest.mark.parametrize(
    ("height", "width"), [(8, 8), (18, 24), (24, 18), (12, 16), (32, 32), (64, 64), (90, 110), (130, 120), (300, 340)]
)
def test_rotation_of_rough_photos_equals_the_reference(height: int, width: int, severity: int) -> None:
    """Patterns of all strengths, above all around the roughness where the exact filter takes over (24 x 18: 1.3)."""
    for seed in range(8 if height < 128 else 2):
        rng = np.random.default_rng(seed)
        for cell in (1, 2, 3, 6):
            noise = rng.normal(0, 1, (height // cell + 2, width // cell + 2, 3)).astype(np.float32)
            pattern = cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC)
            for strength in (3, 6, 10, 15, 25, 40, 60, 90, 120):
                pixels = np.clip(128 + strength * pattern, 0, 255).astype(np.uint8)
                assert_faithful("rotation", pixels, severity)


@pytest.mark.parametrize("severity", SEVERITIES)
def test_watermark_with_enlarged_letters_equals_the_reference(severity: int) -> None:
    assert_faithful("watermark", photo(80, 14_000), severity)


def test_downscale_equals_the_reference_where_it_averages_first() -> None:
    for make in (photo, drawing, static):
        for severity in SEVERITIES:
            for height, width in ((601, 733), (960, 1280), (1001, 641)):
                assert_faithful("downscale", make(height, width), severity)


@pytest.mark.parametrize("name", ["defocus_blur", "low_resolution", "watermark", "lens_distortion"])
def test_wide_images_equal_the_reference(name: str) -> None:
    assert_faithful(name, photo(60, 9001), 3)


def waves(x: np.ndarray, y: np.ndarray, x_period: float, y_period: float) -> np.ndarray:
    x, y = 2 * np.pi * x / x_period, 2 * np.pi * y / y_period
    return np.stack([127 + 120 * np.sin(x), 127 + 120 * np.cos(x + y), 127 + 120 * np.sin(y)], -1)


def wave_places(height: int, width: int, left: int, top: int, bottom: int) -> tuple[tuple, np.ndarray, np.ndarray]:
    """Random output pixels, and where they lie (x, y) in the image before the crop that was resized to it."""
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(10, height - 10, 4000), rng.integers(10, width - 10, 4000)
    x = left + (columns + 0.5) * (width - 2 * left) / width - 0.5
    y = top + (rows + 0.5) * (height - top - bottom) / height - 0.5
    return (rows, columns), x, y


@pytest.mark.parametrize("shape", [(90, 33_000), (33_000, 90)])
@pytest.mark.parametrize("severity", SEVERITIES)
def test_perspective_beyond_the_limit_of_opencv(shape: tuple[int, int], severity: int) -> None:
    # An image whose value at any place is known, so that the reference needs no interpolation.
    height, width = shape
    y, x = np.mgrid[0:height, 0:width]
    pixels = np.rint(waves(x, y, 500, 250)).astype(np.uint8)
    inset = int(min(shape) * {1: 0.10, 2: 0.20, 3: 0.30}[severity])
    inner, x, y = wave_places(height, width, inset + 2, inset // 2 + 2, 0)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    moved = np.array([[inset, inset // 2], [width - inset, inset // 2], [width, height], [0, height]], np.float32)
    places = np.linalg.inv(cv2.getPerspectiveTransform(corners, moved)) @ np.stack([x, y, np.ones_like(x)])
    expected = waves(places[0] / places[2], places[1] / places[2], 500, 250)
    assert np.abs(apply("perspective", pixels, severity)[inner] - expected).mean() < 2


@pytest.mark.parametrize("shape", [(90, 33_000), (33_000, 90)])
@pytest.mark.parametrize("severity", SEVERITIES)
def test_lens_distortion_beyond_the_limit_of_opencv(shape: tuple[int, int], severity: int) -> None:
    height, width = shape
    periods = (3000, 300) if width > height else (300, 3000)
    y, x = np.mgrid[0:height, 0:width]
    pixels = np.rint(waves(x, y, *periods)).astype(np.uint8)
    k1 = -0.1 * severity
    top, left = (max(2, int(side * min(0.18, abs(k1) * 0.12))) for side in shape)
    inner, x, y = wave_places(height, width, left, top, top)
    x, y = x - width / 2, y - height / 2
    factor = 1 + k1 * ((x / (width / 2)) ** 2 + (y / (height / 2)) ** 2)
    expected = waves(x * factor + width / 2, y * factor + height / 2, *periods)
    assert np.abs(apply("lens_distortion", pixels, severity)[inner] - expected).mean() < 2


def test_random_operators_are_declared() -> None:
    assert {name for name in IMAGE_OPERATORS if image_operator(name).random} == set(RANDOM)
    assert {name for name in IMAGE_OPERATORS if image_operator(name).size == "smaller"} == set(PRIMITIVES["remove"])


@pytest.mark.parametrize("severity", SEVERITIES)
def test_low_light_noise_has_the_distribution_of_the_reference(severity: int) -> None:
    pixels = np.full((300, 400, 3), 200, np.uint8)
    pixels[:, 200:] = 90
    ours = apply("low_light", pixels, severity)
    reference = REFERENCE["low_light"](pixels, severity, 5)
    for half in (np.s_[:, :200], np.s_[:, 200:]):
        for channel in range(3):
            a, b = ours[half][..., channel], reference[half][..., channel]
            assert abs(a.mean() - b.mean()) < 0.5
            assert abs(a.std() / b.std() - 1) < 0.03
            shares = [np.bincount(one.ravel(), minlength=256).cumsum() / one.size for one in (a, b)]
            assert np.abs(shares[0] - shares[1]).max() < 0.015
    noise = ours[:, :200].astype(np.float64) - ours[:, :200].mean((0, 1))
    neighbours = [(noise[1:], noise[:-1]), (noise[:, 1:], noise[:, :-1]), (noise[..., :1], noise[..., 1:2])]
    for first, second in neighbours:
        assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.02


def windows(severity: int, count: int = 400) -> np.ndarray:
    """[count, 4]: left, top, width, height of crops of a 300 x 200 image, read off coordinates in its pixels."""
    y, x = np.mgrid[0:200, 0:300]
    pixels = np.stack([x % 256, x // 256, y], -1).astype(np.uint8)
    crops = [apply("cropping", pixels, severity, f"q{number}") for number in range(count)]
    return np.array([[int(c[0, 0, 0]) + 256 * int(c[0, 0, 1]), c[0, 0, 2], c.shape[1], c.shape[0]] for c in crops])


@pytest.mark.parametrize(("severity", "keep"), [(1, 0.90), (2, 0.65), (3, 0.40)])
def test_cropping_keeps_the_published_part_at_uniform_places(severity: int, keep: float) -> None:
    found = windows(severity)
    assert (found[:, 2] == int(300 * keep)).all()
    assert (found[:, 3] == int(200 * keep)).all()
    for start, full in ((found[:, 0], 300 - int(300 * keep)), (found[:, 1], 200 - int(200 * keep))):
        assert start.min() >= 0
        assert start.max() <= full
        place = np.sort(start / full)
        assert np.abs(place - np.linspace(0, 1, place.size)).max() < 0.1  # Kolmogorov-Smirnov at 0.1 %


def blocks_of(severity: int, query_id: str) -> np.ndarray:
    """Where mosaic changed a noise image of 600 x 800."""
    pixels = static(600, 800)
    changed = (apply("mosaic", pixels, severity, query_id) != pixels).any(-1)
    # A block keeps the pixel that each of its cells is sampled from.
    return cv2.morphologyEx(changed.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)).astype(bool)


def test_mosaic_has_the_published_blocks() -> None:
    centres = []
    for number in range(25):
        changed = blocks_of(1, f"q{number}")
        rows, columns = np.flatnonzero(changed.any(1)), np.flatnonzero(changed.any(0))
        assert abs(rows.size - 120) <= 2
        assert abs(columns.size - 160) <= 2
        assert not changed[150:450, 200:600].any(), "severity 1 spares the central half"
    for severity, side in ((2, 0.35), (3, 0.55)):
        shares, reference = [], []
        for number in range(25):
            shares.append(blocks_of(severity, f"q{number}").mean())
            pixels = static(600, 800)
            changed = (REFERENCE["mosaic"](pixels, severity, number) != pixels).any(-1)
            reference.append(changed.mean())
            centres.append(blocks_of(severity, f"q{number}")[300, 400])
        assert min(shares) >= side**2 * 0.98
        assert abs(np.mean(shares) - np.mean(reference)) < 0.07
    assert 0.3 < np.mean(centres) < 1, "severities 2 and 3 may cover the centre"


def test_scribble_draws_the_published_amount() -> None:
    pixels = np.full((240, 320, 3), 128, np.uint8)
    for severity in SEVERITIES:
        ours = [(apply("scribble", pixels, severity, f"q{n}") != 128).any(-1).mean() for n in range(100)]
        reference = [(REFERENCE["scribble"](pixels, severity, n) != 128).any(-1).mean() for n in range(100)]
        assert abs(np.mean(ours) / np.mean(reference) - 1) < 0.1
    drawn = apply("scribble", pixels, 3)
    pure = {tuple(color) for color in drawn.reshape(-1, 3)[(drawn != 128).any(-1).ravel()].tolist()}
    # The colours as a viewer of the published images sees them.
    assert pure & {(0, 0, 0), (30, 30, 220), (220, 30, 30), (30, 200, 30), (0, 150, 200)}
    assert not pure & {(200, 150, 0)}


# -------------------------------------------------------------------------------------------------- draws and severity


def test_crops_are_nested() -> None:
    one, two, three = (windows(severity, 100) for severity in SEVERITIES)
    for outer, inner in ((one, two), (two, three)):
        assert (outer[:, :2] <= inner[:, :2]).all()
        assert (outer[:, :2] + outer[:, 2:] >= inner[:, :2] + inner[:, 2:]).all()


def test_low_light_scales_one_noise_field() -> None:
    pixels = np.full((100, 100, 3), 250, np.uint8)
    two, three = (apply("low_light", pixels, severity).astype(np.float64) for severity in (2, 3))
    assert np.corrcoef(two.ravel(), three.ravel())[0, 1] > 0.98


def test_mosaic_blocks_of_severity_2_lie_in_those_of_severity_3() -> None:
    for number in range(10):
        assert not (blocks_of(2, f"q{number}") & ~blocks_of(3, f"q{number}")).any()


def test_scribble_lines_grow() -> None:
    pixels = np.full((480, 640, 3), 128, np.uint8)
    for number in range(5):
        drawn = [(apply("scribble", pixels, severity, f"q{number}") != 128).any(-1) for severity in SEVERITIES]
        assert drawn[0].sum() < drawn[1].sum() < drawn[2].sum()
        assert not (drawn[0] & ~drawn[1]).any()
        assert not (drawn[1] & ~drawn[2]).any()


@pytest.mark.parametrize("name", [name for name in IMAGE_OPERATORS if name not in PRIMITIVES["transform"]])
def test_dose_response(name: str) -> None:
    pixels = photo(480, 640)
    quality = []
    for severity in SEVERITIES:
        corrupted = apply(name, pixels, severity)
        if image_operator(name).size == "kept":
            quality.append(psnr(corrupted, pixels))
        else:
            quality.append(corrupted.size / pixels.size)
    assert quality[0] > quality[1] > quality[2]


# --------------------------------------------------------------------------------------------------------- determinism


@functools.cache
def digests(threads: int = 1) -> dict[str, str]:
    pixels = photo(97, 131)
    keys = [(name, severity) for name in IMAGE_OPERATORS for severity in SEVERITIES]
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        results = pool.map(lambda key: apply(key[0], pixels, key[1], "bench_0007"), keys)
        return {f"{n} s{s}": hashlib.sha256(r).hexdigest() for (n, s), r in zip(keys, results, strict=True)}


def test_same_pixels_in_threads_and_in_any_order() -> None:
    assert digests(threads=8) == digests()
    pixels = photo(97, 131)
    for name in reversed(IMAGE_OPERATORS):
        again = apply(name, pixels, 2, "bench_0007")
        assert hashlib.sha256(again).hexdigest() == digests()[f"{name} s2"]


def test_same_pixels_in_processes_of_any_hash_seed() -> None:
    program = "import json, test_image_operators as t; print(json.dumps(t.digests()))"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.path.dirname(__file__)}
        run = subprocess.run(
            [sys.executable, "-W", "error", "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        assert json.loads(run.stdout) == digests()


def test_golden_draws() -> None:
    """The draws of published numbers must not move with a release or a platform."""
    assert windows(3, 5)[:, :2].tolist() == [[155, 100], [132, 50], [118, 69], [30, 78], [34, 93]]
    dark = apply("low_light", np.full((2, 4, 3), 200, np.uint8), 2, "golden").ravel().tolist()
    assert dark == [81, 84, 74, 84, 68, 82, 69, 97, 65, 76, 76, 53, 81, 80, 92, 78, 62, 69, 85, 91, 69, 99, 70, 76]
    block = blocks_of(1, "golden")
    assert abs(int(np.flatnonzero(block.any(1))[0]) - 23) <= 1
    assert abs(int(np.flatnonzero(block.any(0))[0]) - 102) <= 1
    drawn = apply("scribble", np.full((60, 80, 3), 128, np.uint8), 1, "golden")
    assert abs(int((drawn != 128).any(-1).sum()) - 771) <= 40  # OpenCV's anti-aliasing may change a little.
    assert np.allclose(drawn.reshape(-1, 3).mean(0), [122.46, 121.12, 130.65], atol=1)


def test_queries_and_seeds_draw_differently() -> None:
    pixels = photo(200, 300)
    for name in RANDOM:
        operator = image_operator(name)
        first, *others = (
            operator(pixels, 2, generator(seed, query, name)) for seed, query in ((0, "a"), (0, "b"), (1, "a"))
        )
        assert all(not np.array_equal(first, other) for other in others)


def test_no_global_state_is_touched_and_no_input_written() -> None:
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002 - the global state is what is watched
    cv2.setRNGSeed(3)
    threads = cv2.getNumThreads()
    before = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
    pixels = photo(60, 80)
    copy = pixels.copy()
    pixels.flags.writeable = False
    for name in IMAGE_OPERATORS:
        for severity in SEVERITIES:
            result = apply(name, pixels, severity)
            assert result.flags.writeable
            assert not np.shares_memory(result, pixels)
    assert np.array_equal(pixels, copy)
    assert before == (random.getstate(), np.random.get_state()[1].tobytes())  # noqa: NPY002
    assert cv2.getNumThreads() == threads
    drawn = cv2.randu(np.zeros((1, 8), np.uint8), 0, 256)
    cv2.setRNGSeed(3)
    assert np.array_equal(drawn, cv2.randu(np.zeros((1, 8), np.uint8), 0, 256))


def test_deterministic_operators_leave_the_generator_alone() -> None:
    for name in FIXED:
        rng = np.random.default_rng(0)
        image_operator(name)(photo(40, 50), 2, rng)
        assert rng.random() == np.random.default_rng(0).random()


# ------------------------------------------------------------------------------------------------------ sizes and kinds


def assert_contract(name: str, severity: int, pixels: np.ndarray) -> None:
    result = apply(name, pixels, severity)
    assert result.dtype == np.uint8
    assert result.ndim == 3
    assert result.shape[2] == 3
    assert min(result.shape) >= 1
    if image_operator(name).size == "kept":
        assert result.shape == pixels.shape
    else:
        assert result.shape[0] <= pixels.shape[0]
        assert result.shape[1] <= pixels.shape[1]


@pytest.mark.parametrize("name", IMAGE_OPERATORS)
def test_contract_on_tiny_images(name: str) -> None:
    for height, width in ((1, 1), (1, 2), (2, 1), (3, 3), (4, 5), (7, 8), (1, 300), (300, 1), (17, 40)):
        for severity in SEVERITIES:
            assert_contract(name, severity, static(height, width))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    name=st.sampled_from(IMAGE_OPERATORS),
    severity=st.sampled_from(SEVERITIES),
    height=st.integers(1, 130),
    width=st.integers(1, 130),
    level=st.integers(0, 255),
)
def test_contract_on_any_size(name: str, severity: int, height: int, width: int, level: int) -> None:
    assert_contract(name, severity, np.full((height, width, 3), level, np.uint8))


@pytest.mark.parametrize("shape", [(100, 33_000), (33_000, 100)])
@pytest.mark.parametrize("name", IMAGE_OPERATORS)
def test_contract_on_giants(name: str, shape: tuple[int, int]) -> None:
    assert_contract(name, 3 if name != "rotation" else 2, photo(*shape))


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(20, 70_000), (70_000, 20), (1, 33_000), (33_000, 1), (3000, 4000)])
@pytest.mark.parametrize("name", IMAGE_OPERATORS)
def test_contract_on_more_giants(name: str, shape: tuple[int, int]) -> None:
    for severity in SEVERITIES:
        assert_contract(name, severity, photo(*shape))


def test_strided_pixels_give_the_same_result() -> None:
    pixels = photo(60, 90)
    for name in IMAGE_OPERATORS:
        flipped = apply(name, pixels[::-1, ::-1], 2)
        assert np.array_equal(flipped, apply(name, pixels[::-1, ::-1].copy(), 2))


MEMORY = """
import resource, sys
import numpy as np
from snapbench.corruptions import image_operator
from snapbench.corruptions.conditions import IMAGE_OPERATORS
from snapbench.corruptions.seeding import generator

def run(pixels):
    for name in IMAGE_OPERATORS:
        for severity in (1, 2, 3):
            image_operator(name)(pixels, severity, generator(0, "q", name))

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

run(np.zeros((64, 64, 3), np.uint8))  # Libraries, fonts and tables aren't the image's share.
pixels = np.random.default_rng(0).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
before = peak()
run(pixels)
print((peak() - before) / pixels.nbytes)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read with the module resource")
@pytest.mark.parametrize(("height", "width"), [(100, 5000), (5000, 100), (900, 1200)])
def test_memory_is_bounded(height: int, width: int) -> None:
    program = MEMORY.replace("HEIGHT", str(height)).replace("WIDTH", str(width))
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(run.stdout) < 12


# --------------------------------------------------------------------------------------------------------------- fonts


def test_fonts_are_those_that_matplotlib_carries() -> None:
    import matplotlib

    for name in (_fonts.SANS, _fonts.BOLD):
        assert str(_fonts.font(name, 20).path).startswith(matplotlib.get_data_path())


def test_a_missing_font_is_an_error_with_the_way_out() -> None:
    with pytest.raises(FileNotFoundError, match="reinstall with pip install --force-reinstall matplotlib"):
        _fonts.font("DejaVuSansMissing.ttf", 20)


def test_watermark_at_severity_3_covers_a_large_part() -> None:
    # What the published generator loses when it falls back to a tiny font.
    pixels = np.zeros((600, 800, 3), np.uint8)
    assert (apply("watermark", pixels, 3) > 100).mean() > 0.4


def test_status_bar_has_the_published_heights() -> None:
    pixels = np.full((1000, 800, 3), 255, np.uint8)
    heights = [int((apply("ui_elements", pixels, severity)[:, 400, 0] < 60)[:500].sum()) for severity in SEVERITIES]
    assert heights[:2] == [51, 91]
    assert heights[2] in (90, 91)  # The address bar begins on the last row.
