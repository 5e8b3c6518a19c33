"""How fast the image operators are, against the plain reference of the tests.

Run from a checkout: ``python benchmarks/corruptions.py``; ``--write`` puts the table into ``docs/corruptions.md``.

Both sides run in this process, in turn, on one thread each, on the same 1280 x 960 drawing; the figure is the least
processor time of several runs, so that other work on the machine matters little. The second part corrupts and encodes
photos as the dataset does (decode, 45 conditions, JPEG quality 92), with one process and with two.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import PIL
from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from reference_image import REFERENCE  # noqa: E402

from snapbench.corruptions import corrupt_image, document, image_operator  # noqa: E402
from snapbench.corruptions.conditions import IMAGE_OPERATORS, SEVERITIES, image_conditions  # noqa: E402
from snapbench.corruptions.seeding import generator  # noqa: E402
from snapbench.images import decode_image, encode_image  # noqa: E402

WIDTH, HEIGHT = 1280, 960


def photo(width: int, height: int) -> Image.Image:
    """The drawing of the documents, with sensor noise: flat areas would flatter the codecs."""
    clean = Image.open(ROOT / "docs" / document.PICTURES / document.CLEAN).convert("RGB")
    pixels = np.asarray(clean.resize((width, height), Image.Resampling.LANCZOS), np.float32)
    noise = np.random.default_rng(0).normal(0, 3, pixels.shape)
    return Image.fromarray(np.clip(pixels + noise, 0, 255).astype(np.uint8))


def best(calls: list[Callable[[], object]], repeats: int) -> list[float]:
    """Milliseconds of processor time of each call, the least of ``repeats`` rounds over all of them."""
    least = [float("inf")] * len(calls)
    for _ in range(repeats):
        for number, call in enumerate(calls):
            start = time.process_time()
            call()
            least[number] = min(least[number], (time.process_time() - start) * 1e3)
    return least


def operators(repeats: int) -> list[str]:
    """The table of operators: milliseconds over the three severities, ours and the reference's, and their ratio."""
    pixels = np.asarray(photo(WIDTH, HEIGHT))
    lines = ["| operator | ours, ms (s1 + s2 + s3) | reference, ms | ratio |", "|---|---:|---:|---:|"]
    totals = [0.0, 0.0]
    for name in IMAGE_OPERATORS:
        calls: list[Callable[[], object]] = []
        for severity in SEVERITIES:
            calls.append(lambda n=name, s=severity: image_operator(n)(pixels, s, generator(0, "q", n)))
            calls.append(lambda n=name, s=severity: REFERENCE[n](pixels, s, 0))
        times = best(calls, repeats)
        ours, reference = sum(times[::2]), sum(times[1::2])
        totals = [totals[0] + ours, totals[1] + reference]
        lines.append(f"| {name} | {ours:.1f} | {reference:.1f} | {reference / ours:.2f} |")
        sys.stderr.write(f"{lines[-1]}\n")
    lines.append(
        f"| **all 45 conditions** | **{totals[0]:.0f}** | **{totals[1]:.0f}** | **{totals[1] / totals[0]:.2f}** |"
    )
    return lines


def corrupt_all(data: bytes) -> int:
    """One query: decode, 45 conditions, encode; returns the number of bytes."""
    clean = decode_image(data)
    stored = 0
    for condition in image_conditions():
        assert condition.image_operator is not None
        stored += len(encode_image(corrupt_image(clean, condition.image_operator, condition.severity), "published"))
    return stored


def one_thread() -> None:
    cv2.setNumThreads(1)


def scaling(queries: int, rounds: int) -> list[str]:
    """Images a second with one process and with two, best of ``rounds`` alternating ones."""
    buffer = io.BytesIO()
    photo(800, 600).save(buffer, "JPEG", quality=92)
    work = [buffer.getvalue()] * queries
    seconds = {1: float("inf"), 2: float("inf")}
    context = multiprocessing.get_context("spawn")
    for _ in range(rounds):
        for processes, least in seconds.items():
            with context.Pool(processes, one_thread) as pool:
                pool.map(corrupt_all, work[:processes], chunksize=1)  # Imports and fonts aren't the work.
                start = time.perf_counter()
                pool.map(corrupt_all, work, chunksize=1)
                seconds[processes] = min(least, time.perf_counter() - start)
    images = 45 * queries
    return [
        f"From 800 x 600 JPEGs to all 45 conditions as JPEGs: {images / seconds[1]:.0f} images a second with one "
        f"process, {images / seconds[2]:.0f} with two ({seconds[1] / seconds[2]:.2f} times); at that rate the 51,525 "
        f"images of the benchmark take {51_525 / images * seconds[2] / 60:.0f} minutes with two.",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7, help="Rounds per operator.")
    parser.add_argument("--queries", type=int, default=12, help="Queries of the second part; 0 leaves it out.")
    parser.add_argument("--write", action="store_true", help="Put the result into docs/corruptions.md.")
    options = parser.parse_args()
    one_thread()
    report = "\n".join(
        [
            f"`python benchmarks/corruptions.py`, one run: processor time on one thread, {WIDTH} x {HEIGHT} pixels, "
            f"least of {options.repeats} runs; Python {platform.python_version()}, Pillow {PIL.__version__}, OpenCV "
            f"{cv2.__version__}, NumPy {np.__version__}. The reference is `tests/reference_image.py`.",
            "",
            *operators(options.repeats),
            "",
            *(scaling(options.queries, 3) if options.queries else ()),
            "",
        ]
    )
    if options.write:
        (document.DOCS / document.PICTURES / "benchmark.md").write_text(report, "utf-8")
        document.write()
    sys.stdout.write(report)


if __name__ == "__main__":
    main()
