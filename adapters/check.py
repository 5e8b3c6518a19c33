"""Does a model do here what it should? ``snapbench adapters check NAME`` loads it and looks.

The pictures and captions are a few of the packaged sample's gallery.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .base import Adapter, Role
from .registry import load_adapter

N_PAIRS = 8

SAME_VECTOR = {"float32": 0.999, "bfloat16": 0.98, "float16": 0.99}
"""Least cosine between a row's vector alone and in a batch; half precision rounds differently by batch size."""

_TEXTS = ("a tulip", "What kind of fruit is this on the wooden table next to the window?")


@dataclass(frozen=True)
class Check:
    """One finding."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class CheckReport:
    """What :func:`check_adapter` found."""

    adapter: str
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)


def check_adapter(model: Any, *, dtype: str = "auto", **options: Any) -> CheckReport:
    """Loads a model and checks dimension, unit length, matching pairs and batch invariance; measures time and memory.

    Args:
        model, dtype, options: as :func:`~snapbench.adapters.load_adapter` takes them.

    Raises:
        Whatever loading raises; a failing check is a finding, not an error.
    """
    start = time.perf_counter()
    adapter = load_adapter(model, dtype=dtype, **options)
    seconds = time.perf_counter() - start
    images, captions = _pairs()
    reads = adapter.spec.modalities
    checks = [Check("loads", True, f"{seconds:.1f} s")]
    tolerance = SAME_VECTOR[adapter.spec.dtype if dtype == "auto" else dtype]
    vectors: dict[str, np.ndarray] = {}
    if "image" in reads:
        vectors["images"] = _timed(checks, "images", lambda: adapter.encode(images=images, role="gallery"), len(images))
        checks.append(_alone(adapter, "images", images, vectors["images"], "gallery", tolerance))
    if "text" in reads:
        texts = [*captions, *_TEXTS]
        vectors["texts"] = _timed(checks, "texts", lambda: adapter.encode(texts=texts, role="query"), len(texts))
        checks.append(_alone(adapter, "texts", texts, vectors["texts"], "query", tolerance))
    if adapter.spec.joint:
        vectors["images with texts"] = _timed(
            checks,
            "images with texts",
            lambda: adapter.encode(images=images, texts=captions, role="gallery"),
            len(images),
        )
    checks += [_shape(adapter, kind, found) for kind, found in vectors.items()]
    if adapter.spec.shared_space and {"images", "texts"} <= set(vectors):
        checks.append(_matching(vectors["images"], vectors["texts"][: len(images)]))
    checks.append(Check("memory", True, _memory()))
    return CheckReport(adapter.spec.name, tuple(checks))


def _pairs() -> tuple[list[Any], list[str]]:
    from ..images import decode_image
    from ..sources import load_source

    gallery = load_source("sample").gallery
    chosen = [gallery[i * len(gallery) // N_PAIRS] for i in range(N_PAIRS)]
    return [decode_image(item.image.read(), record=item.gallery_id) for item in chosen], [
        item.caption for item in chosen
    ]


def _timed(checks: list[Check], kind: str, encode: Callable[[], np.ndarray], n: int) -> np.ndarray:
    encode()  # The first call also compiles kernels and fills caches.
    start = time.perf_counter()
    vectors = encode()
    checks.append(Check(f"speed, {kind}", True, f"{1000 * (time.perf_counter() - start) / n:.1f} ms per item"))
    return vectors


def _shape(adapter: Adapter, kind: str, vectors: np.ndarray) -> Check:
    error = float(np.abs(np.linalg.norm(vectors, axis=1) - 1).max())
    right = adapter.spec.dim in (None, vectors.shape[1]) and error < 1e-4
    return Check(f"vectors, {kind}", right, f"{vectors.shape[1]} dimensions, unit length to {error:.0e}")


def _alone(
    adapter: Adapter, kind: str, items: Sequence[Any], together: np.ndarray, role: Role, tolerance: float
) -> Check:
    arguments = [{kind: [item]} for item in items]
    cosines = [float(adapter.encode(**one, role=role)[0] @ row) for one, row in zip(arguments, together, strict=True)]
    return Check(
        f"alone and in a batch, {kind}",
        min(cosines) >= tolerance,
        f"least cosine {min(cosines):.6f}, at least {tolerance} wanted",
    )


def _matching(images: np.ndarray, captions: np.ndarray) -> Check:
    scores = images @ captions.T
    matching = float(np.trace(scores)) / len(scores)
    other = float(scores.sum() - np.trace(scores)) / (scores.size - len(scores))
    first = int((scores.argmax(axis=1) == np.arange(len(scores))).sum())
    return Check(
        "matching pairs score higher",
        matching > other,
        f"mean cosine {matching:.3f} against {other:.3f}; {first} of {len(scores)} images rank their own caption first",
    )


def _memory() -> str:
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available() and torch.cuda.max_memory_allocated():
        return f"{torch.cuda.max_memory_allocated() / 2**30:.1f} GiB on the GPU at most"
    if importlib.util.find_spec("resource") is None:  # Windows
        return "not measured on this system"
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return f"{peak / (2**30 if sys.platform == 'darwin' else 2**20):.1f} GiB in this process at most"
