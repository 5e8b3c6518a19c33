"""What the metric has to know about conditions and modes.

The metric's folder must load from anywhere (a copy, a Space), so it can't import ``snapbench.corruptions``; the
tests hold this table equal to :mod:`snapbench.corruptions.conditions`.
"""

from __future__ import annotations

import difflib
from typing import NamedTuple

MODES: tuple[str, ...] = ("it2it", "i2i", "i2it", "t2t", "t2it")
"""Query side -> gallery side; ``it2it`` is the main mode."""

SEVERITIES = (1, 2, 3)

PRIMITIVES: dict[str, tuple[str, ...]] = {
    "degrade": ("low_light", "overexposure", "defocus_blur", "motion_blur", "compression", "low_resolution"),
    "transform": ("rotation", "perspective", "lens_distortion"),
    "remove": ("cropping", "downscale"),
    "add": ("watermark", "mosaic", "scribble", "ui_elements"),
}
"""Image operators by primitive (paper, Table 8)."""

TEXT_LEVELS: dict[str, tuple[str, ...]] = {
    "character": ("char_add", "char_delete", "char_change", "char_swap"),
    "word": ("word_repeat", "word_swap"),
    "sentence": ("sent_add", "sent_replace"),
}
"""Text operators by level (paper, Table 9)."""

CLEAN = "clean"
REENCODE = "image_reencode"


class State(NamedTuple):
    """A condition read from its id. ``kind``: clean, text, image, joint or control (the re-encoded clean image)."""

    kind: str
    image: str | None = None
    text: str | None = None
    severity: int | None = None


def image_id(operator: str, severity: int) -> str:
    """The id of an image condition: ``("low_light", 3)`` -> ``"image_lowlight_s3"``."""
    return f"image_{operator.replace('_', '')}_s{severity}"


def text_id(operator: str) -> str:
    """The id of a text condition: ``"char_swap"`` -> ``"text_charswap"``."""
    return f"text_{operator.replace('_', '')}"


def joint_id(image: str, text: str, severity: int) -> str:
    """The id of a joint condition: ``("mosaic", "char_swap", 2)`` -> ``"joint_mosaic_charswap_s2"``."""
    return f"joint_{image.replace('_', '')}_{text.replace('_', '')}_s{severity}"


def _states() -> dict[str, State]:
    images = [op for ops in PRIMITIVES.values() for op in ops]
    texts = [op for ops in TEXT_LEVELS.values() for op in ops]
    states = {CLEAN: State("clean")}
    states |= {text_id(t): State("text", None, t) for t in texts}
    states |= {image_id(i, s): State("image", i, None, s) for i in images for s in SEVERITIES}
    states |= {joint_id(i, t, s): State("joint", i, t, s) for i in images for t in texts for s in SEVERITIES}
    return states | {REENCODE: State("control")}


STATES: dict[str, State] = _states()
"""Every condition id the grammar knows, in the paper's order: clean, text, image, joint, control."""

_ORDER = {condition: place for place, condition in enumerate(STATES)}


def in_order(conditions: set[str]) -> list[str]:
    """The conditions in the paper's order."""
    return sorted(conditions, key=_ORDER.__getitem__)


def check_known(argument: str, names: set[str], known: tuple[str, ...] | dict[str, State]) -> None:
    """Refuses names that are not in ``known``.

    Raises:
        ValueError: lists up to five of them with their close matches, and how many there are.
    """
    unknown = sorted(names - set(known))
    if not unknown:
        return
    hints = []
    for name in unknown[:5]:
        close = difflib.get_close_matches(name, known, n=2)
        hints.append(f"{name!r}" + (f" (did you mean {' or '.join(map(repr, close))}?)" if close else ""))
    rule = f"one of {', '.join(known)}" if len(known) < 10 else "a condition's id: its config name with severity"
    raise ValueError(f"{argument}: {len(unknown)} unknown, {', '.join(hints)}. Each must be {rule}")
