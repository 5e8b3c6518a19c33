"""From vectors to ranks: one score matrix per mode, a block of queries at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from ..corruptions.conditions import MODES, Mode
from ..fusion import MODE_PATHS, Path, fixed

Content = Literal["image", "text", "joint"]
"""What a vector was made of: the photo (gallery image), the question (caption), or both in one forward pass."""

_SIDES: dict[str, Content] = {"i": "image", "t": "text", "it": "joint"}


def mode_contents(mode: Mode) -> tuple[Content, Content]:
    """Query and gallery content of a mode.

    >>> mode_contents("i2it")
    ('image', 'joint')
    """
    query, gallery = mode.split("2")
    return _SIDES[query], _SIDES[gallery]


def path_contents(path: Path) -> tuple[Content, Content]:
    """Query and gallery content of a score path.

    >>> path_contents("ti")
    ('text', 'image')
    """
    return _SIDES[path[0]], _SIDES[path[1]]


def supported_modes(*, modalities: frozenset[str], joint: bool, shared_space: bool) -> tuple[Mode, ...]:
    """The modes a model can be scored in.

    A joint model needs both modalities for a joint side. A model without joint vectors is scored by late fusion of
    paths, so a mode is open to it when all its paths are: a pair of towers has no path across modalities.
    """
    sides = {"image": "image" in modalities, "text": "text" in modalities, "joint": joint}

    def open_path(path: Path) -> bool:
        query, gallery = path_contents(path)
        return sides[query] and sides[gallery] and (shared_space or query == gallery)

    if joint:
        return tuple(mode for mode in MODES if all(sides[content] for content in mode_contents(mode)))
    return tuple(mode for mode in MODES if all(open_path(path) for path in MODE_PATHS[mode]))


def needed_contents(modes: Sequence[Mode], joint: bool) -> tuple[frozenset[Content], frozenset[Content]]:
    """Which vectors the modes need, on the query side and on the gallery side."""
    pairs = [
        pair
        for mode in modes
        for pair in ([mode_contents(mode)] if joint else [path_contents(path) for path in MODE_PATHS[mode]])
    ]
    return frozenset(query for query, _ in pairs), frozenset(gallery for _, gallery in pairs)


def mode_scores(
    queries: Mapping[Content, np.ndarray], gallery: Mapping[Content, np.ndarray], modes: Sequence[Mode], joint: bool
) -> dict[Mode, np.ndarray]:
    """Scores of a block of queries against the whole gallery.

    Args:
        queries: float32 [n, dim] unit vectors by content.
        gallery: float32 [n_gallery, dim] unit vectors by content.
        modes: what to score.
        joint: True for a model with joint vectors (one inner product a mode); False for late fusion of paths,
            the paper's fixed rule for dual encoders (Section 4.1).

    Returns:
        float32 [n, n_gallery] by mode.
    """
    if joint:
        return {mode: queries[q] @ gallery[g].T for mode in modes for q, g in [mode_contents(mode)]}
    wanted = {path for mode in modes for path in MODE_PATHS[mode]}
    paths = {path: queries[q] @ gallery[g].T for path in wanted for q, g in [path_contents(path)]}
    return {mode: fixed(paths, mode) for mode in modes}
