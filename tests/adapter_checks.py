"""Checks that every adapter must pass, whatever its model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_models
import torch
from PIL import Image

from snapbench.adapters.base import Adapter


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Models this small lose time by sharing work between threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


EIGHT_TEXTS = ["", "a", "A Tulip", *(" ".join(["bridge over the river"] * n) for n in (1, 2, 3, 4, 6))]


def unit(vectors: torch.Tensor) -> np.ndarray:
    return torch.nn.functional.normalize(vectors.double(), dim=-1).numpy()


def square_pixels(image: Image.Image, side: int, mean: object, deviation: object) -> torch.Tensor:
    """Squashed to a square bicubically and standardised: float32 [3, side, side]."""
    pixels = np.asarray(image.resize((side, side), Image.Resampling.BICUBIC), dtype=float) / 255
    return torch.tensor(((pixels - mean) / deviation).transpose(2, 0, 1), dtype=torch.float32)


def check_image_files(adapter: Adapter, folder: Path) -> None:
    """EXIF orientation is applied, the first frame counts, CMYK and arrays are read, one pixel is enough."""
    image = tiny_models.photo(90, 60)
    exif = Image.Exif()
    exif[0x0112] = 6
    image.transpose(Image.Transpose.ROTATE_90).save(folder / "turned.png", exif=exif)
    frames = [Image.new("RGB", (40, 40), colour) for colour in ("red", "green")]
    frames[0].save(folder / "animated.gif", save_all=True, append_images=frames[1:])
    cmyk = image.convert("CMYK")
    given = [folder / "turned.png", np.asarray(image), (folder / "animated.gif").read_bytes(), cmyk]
    same = [image, image, frames[0], cmyk.convert("RGB")]
    np.testing.assert_allclose(adapter.encode(images=given), adapter.encode(images=same), atol=1e-5)
    assert np.isfinite(adapter.encode(images=[Image.new("RGB", (1, 1), "navy"), Image.new("RGB", (3, 3))])).all()


def check_alone_equals_batch(adapter: Adapter, images: list[Image.Image] | None, texts: list[str] | None) -> None:
    """A row's vector does not depend on its neighbours."""
    for role in ("query", "gallery"):
        together = adapter.encode(images=images, texts=texts, role=role)
        for i, vector in enumerate(together):
            alone = adapter.encode(images=images and images[i : i + 1], texts=texts and texts[i : i + 1], role=role)
            np.testing.assert_allclose(alone[0], vector, atol=1e-5)


def check_padding_side_does_not_matter(adapter: Any) -> None:
    """The pooled state is found by the mask, and positions count attended tokens only."""
    images = [tiny_models.photo(60, 110), None, tiny_models.photo(120, 60, seed=1), None]
    texts = ["a tulip", "bridge", "what kind of old stone bridge is this", "what kind of fruit is on the table"]
    ours = adapter.encode(images=images, texts=texts)
    adapter.encoder._read._left = not adapter.encoder._read._left
    np.testing.assert_allclose(adapter.encode(images=images, texts=texts), ours, atol=1e-5)
