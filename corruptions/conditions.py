"""The vocabulary of the benchmark: operators, severities, conditions, configs and modes.

This module imports nothing of ours, so every room may import it. Names and their order follow the paper
(Tables 8 and 9); the config grammar is the one documented in the README:

=========================================  ==========================================================
``queries`` (alias ``clean``)              the clean queries
``gallery``, ``labels``                    gallery items, judged pairs
``image_<op>_s<1-3>``                      one image condition, e.g. ``image_lowlight_s3``
``text_<op>``                              one text condition, e.g. ``text_charswap``
``joint_<imageop>_<textop>_s<1-3>``        both at once, e.g. ``joint_mosaic_charswap_s2``
``image_<op>``, ``joint_<imageop>_<textop>``  the three severities one after another
``image_reencode``                         control: the clean image saved as JPEG quality 92, nothing else
=========================================  ==========================================================

Config names drop the underscores inside an operator's name (``low_light`` -> ``lowlight``). A condition's id is
its config name with severity. :func:`parse_config` and :attr:`Config.name` are inverse to each other, and so are
:func:`parse_condition` and :attr:`Condition.id`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

Mode = Literal["it2it", "i2i", "i2it", "t2t", "t2it"]
MODES: tuple[Mode, ...] = get_args(Mode)
"""Query side -> gallery side. ``it2it`` is the main mode (paper, Section 4: IT->IT)."""

Table = Literal["queries", "gallery", "labels"]

SEVERITIES = (1, 2, 3)

PRIMITIVES: dict[str, tuple[str, ...]] = {
    "degrade": (
        "low_light",
        "overexposure",
        "defocus_blur",
        "motion_blur",
        "compression",
        "low_resolution",
    ),
    "transform": ("rotation", "perspective", "lens_distortion"),
    "remove": ("cropping", "downscale"),
    "add": ("watermark", "mosaic", "scribble", "ui_elements"),
}
"""Image operators by primitive (paper, Table 8). Averages over primitives are unweighted over these four."""

TEXT_LEVELS: dict[str, tuple[str, ...]] = {
    "character": ("char_add", "char_delete", "char_change", "char_swap"),
    "word": ("word_repeat", "word_swap"),
    "sentence": ("sent_add", "sent_replace"),
}
"""Text operators by granularity (paper, Table 9)."""

IMAGE_OPERATORS: tuple[str, ...] = tuple(op for ops in PRIMITIVES.values() for op in ops)
TEXT_OPERATORS: tuple[str, ...] = tuple(op for ops in TEXT_LEVELS.values() for op in ops)

COMPOSITION_ORDER = ("transform", "remove", "degrade", "add")
"""Order in which several image operators are applied to one photo (paper, Appendix B.3)."""

REENCODE = "reencode"
"""Control condition: what storing as JPEG quality 92 alone does; no operator, no severity."""

JOINT_PAIRS: tuple[tuple[str, str], ...] = (
    ("low_light", "char_delete"),
    ("motion_blur", "sent_replace"),
    ("cropping", "word_swap"),
    ("rotation", "sent_add"),
    ("watermark", "word_repeat"),
    ("mosaic", "char_swap"),
)
"""The six representative pairs. ASSUMED: the paper runs six pairs at three severities but no source names them;
these take every primitive and two text operators of each granularity."""


def compact(operator: str) -> str:
    """The spelling of an operator inside a config name: ``low_light`` -> ``lowlight``."""
    return operator.replace("_", "")


def close_matches(value: object, known: Iterable[str], limit: int = 3) -> str:
    """``" Did you mean 'a' or 'b'?"`` for a misspelt name, or an empty string when nothing is close."""
    known = tuple(known)
    folded = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(str(value).casefold(), folded, n=limit, cutoff=0.6)
    return f" Did you mean {' or '.join(repr(folded[name]) for name in found)}?" if found else ""


def check_name(argument: str, value: object, known: Iterable[str]) -> str:
    """Returns ``value`` if it is one of ``known``.

    Raises:
        TypeError: ``value`` is not a string.
        ValueError: unknown name; the message carries the close matches and the whole list.
    """
    known = tuple(known)
    if not isinstance(value, str):
        raise TypeError(f"{argument} must be a str, got {type(value).__name__}: {value!r}")
    if value not in known:
        raise ValueError(
            f"{argument} {value!r} is unknown.{close_matches(value, known)} Known: {', '.join(known) or 'none'}"
        )
    return value


def check_severity(value: object) -> int:
    """Returns ``value`` if it is 1, 2 or 3.

    Raises:
        TypeError: not an int (booleans are refused too).
        ValueError: another int.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"severity must be an int, one of 1, 2, 3, got {type(value).__name__}: {value!r}")
    if value not in SEVERITIES:
        raise ValueError(f"severity must be 1, 2 or 3, got {value}")
    return value


@dataclass(frozen=True)
class Condition:
    """One observed state of the queries: at most one image operator and at most one text operator.

    Both ``None`` is the clean state. ``severity`` is set exactly when an image operator other than the
    ``reencode`` control is.

    >>> Condition(image_operator="mosaic", severity=2, text_operator="char_swap").id
    'joint_mosaic_charswap_s2'
    >>> parse_condition("image_lowlight_s3").image_operator
    'low_light'
    """

    image_operator: str | None = None
    severity: int | None = None
    text_operator: str | None = None

    def __post_init__(self) -> None:
        if self.image_operator is not None and self.image_operator != REENCODE:
            check_name("image_operator", self.image_operator, IMAGE_OPERATORS)
            if self.severity is None:
                raise ValueError(f"image_operator {self.image_operator!r} needs a severity (1, 2 or 3), got None")
            check_severity(self.severity)
        elif self.severity is not None:
            raise ValueError(f"severity must be None without an image operator, got {self.severity!r}")
        if self.text_operator is not None:
            check_name("text_operator", self.text_operator, TEXT_OPERATORS)
            if self.image_operator == REENCODE:
                raise ValueError("image_operator 'reencode' is a control and takes no text_operator")

    @property
    def kind(self) -> Literal["clean", "image", "text", "joint"]:
        if self.image_operator is not None:
            return "image" if self.text_operator is None else "joint"
        return "clean" if self.text_operator is None else "text"

    @property
    def id(self) -> str:
        return _print_name(self.image_operator, self.text_operator, self.severity)

    @property
    def image_part(self) -> Condition:
        """The condition with the text left clean (the single-modality partner of a joint condition)."""
        return Condition(image_operator=self.image_operator, severity=self.severity)

    @property
    def text_part(self) -> Condition:
        """The condition with the image left clean."""
        return Condition(text_operator=self.text_operator)


CLEAN = Condition()


@dataclass(frozen=True)
class Config:
    """A loadable config: a table, and for ``queries`` the conditions whose rows follow one another."""

    name: str
    table: Table
    conditions: tuple[Condition, ...] = ()


def _print_name(image_operator: str | None, text_operator: str | None, severity: int | None) -> str:
    if image_operator is None:
        return "clean" if text_operator is None else f"text_{compact(text_operator)}"
    parts = ["image" if text_operator is None else "joint", compact(image_operator)]
    if text_operator is not None:
        parts.append(compact(text_operator))
    if severity is not None:
        parts.append(f"s{severity}")
    return "_".join(parts)


def parse_config(name: str) -> Config:
    """Reads a config name.

    >>> [c.id for c in parse_config("image_mosaic").conditions]
    ['image_mosaic_s1', 'image_mosaic_s2', 'image_mosaic_s3']

    Raises:
        TypeError: ``name`` is not a string.
        ValueError: no such config; the message carries the close matches.
    """
    if not isinstance(name, str):
        raise TypeError(f"config must be a str, got {type(name).__name__}: {name!r}")
    if name in ("queries", "clean"):
        return Config(name, "queries", (CLEAN,))
    if name == "gallery":
        return Config(name, "gallery")
    if name == "labels":
        return Config(name, "labels")
    if name == f"image_{REENCODE}":
        return Config(name, "queries", (Condition(image_operator=REENCODE),))
    kind, *parts = name.split("_")
    severities: tuple[int | None, ...] = SEVERITIES
    if kind in ("image", "joint") and parts and parts[-1] in ("s1", "s2", "s3"):
        severities = (int(parts.pop()[1:]),)
    image_operators = {compact(op): op for op in IMAGE_OPERATORS}
    text_operators = {compact(op): op for op in TEXT_OPERATORS}
    image_operator = text_operator = None
    match kind, parts:
        case "image", [image] if image in image_operators:
            image_operator = image_operators[image]
        case "text", [text] if text in text_operators:
            text_operator, severities = text_operators[text], (None,)
        case "joint", [image, text] if image in image_operators and text in text_operators:
            image_operator, text_operator = image_operators[image], text_operators[text]
        case _:
            raise ValueError(
                f"config {name!r} is unknown.{close_matches(name, _all_config_names())} A config is queries, gallery, "
                "labels, image_<operator>[_s1|_s2|_s3], text_<operator>, joint_<image operator>_<text operator>"
                "[_s1|_s2|_s3] or image_reencode; underscores inside an operator's name are dropped "
                f"(low_light -> lowlight). Image operators: {', '.join(image_operators)}. "
                f"Text operators: {', '.join(text_operators)}."
            )
    return Config(name, "queries", tuple(Condition(image_operator, s, text_operator) for s in severities))


def parse_condition(condition_id: str) -> Condition:
    """Reads a condition's id (``clean``, ``image_mosaic_s2``, ``text_charadd``, ``joint_mosaic_charswap_s1``).

    Raises:
        TypeError: ``condition_id`` is not a string.
        ValueError: unknown, or a name that stands for several conditions or for a table.
    """
    config = parse_config(condition_id)
    if len(config.conditions) != 1 or condition_id == "queries":
        raise ValueError(
            f"condition {condition_id!r} is a config of several conditions or a table, not one condition; "
            f"name one, e.g. {(config.conditions or (CLEAN,))[-1].id!r}"
        )
    return config.conditions[0]


def named_conditions(name: str) -> tuple[Condition, ...]:
    """The conditions that a config stands for.

    Raises:
        TypeError: ``name`` is not a string.
        ValueError: unknown, or the name of a table.

    >>> [condition.id for condition in named_conditions("joint_mosaic_charswap")][1:]
    ['joint_mosaic_charswap_s2', 'joint_mosaic_charswap_s3']
    """
    config = parse_config(name)
    if config.table != "queries":
        raise ValueError(f"{name!r} is a table, not a condition; try 'clean' or 'image_mosaic_s2'")
    return config.conditions


def image_conditions() -> tuple[Condition, ...]:
    """The 45 image conditions, operator by operator (paper, Table 8)."""
    return tuple(Condition(op, severity) for op in IMAGE_OPERATORS for severity in SEVERITIES)


def text_conditions() -> tuple[Condition, ...]:
    """The 8 text conditions (paper, Table 9)."""
    return tuple(Condition(text_operator=op) for op in TEXT_OPERATORS)


def joint_conditions() -> tuple[Condition, ...]:
    """The six representative pairs at three severities (assumed, see :data:`JOINT_PAIRS`)."""
    return tuple(Condition(image, severity, text) for image, text in JOINT_PAIRS for severity in SEVERITIES)


def all_states() -> tuple[Condition, ...]:
    """The 54 states of the paper: clean, 8 text, 45 image."""
    return (CLEAN, *text_conditions(), *image_conditions())


def listed_configs() -> tuple[str, ...]:
    """The config names that are listed; the grammar loads all 15 x 8 x 3 joint conditions besides."""
    names = ["queries", "clean", "gallery", "labels"]
    names += [c.id for c in image_conditions()]
    names += [c.id for c in text_conditions()]
    names += [c.id for c in joint_conditions()]
    names += [f"image_{compact(op)}" for op in IMAGE_OPERATORS]
    names += [f"joint_{compact(image)}_{compact(text)}" for image, text in JOINT_PAIRS]
    names.append(f"image_{REENCODE}")
    return tuple(names)


def _all_config_names() -> tuple[str, ...]:
    joint = [f"joint_{compact(i)}_{compact(t)}" for i in IMAGE_OPERATORS for t in TEXT_OPERATORS]
    return (*listed_configs(), *joint, *(f"{name}_s{s}" for name in joint for s in SEVERITIES))
