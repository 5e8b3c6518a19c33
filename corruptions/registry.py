"""Operators by name, resolved on first use.

An operator is one function in one small file; the line with its name in ``conditions.py`` registers it, and nothing
else has to be edited. The name in ``PRIMITIVES`` / ``TEXT_LEVELS``, the file and the function are the same word::

    # corruptions/image/overexposure.py
    @define_image_operator(
        summary="Brightness multiplied and clipped.",
        parameters={1: {"factor": 1.4}, 2: {"factor": 2.2}, 3: {"factor": 3.0}},
    )
    def overexposure(pixels: Pixels, rng: np.random.Generator, *, factor: float) -> Pixels: ...

    # corruptions/text/char_swap.py
    @define_text_operator(summary="Exchanges two neighbouring letters of the entity's first word.")
    def char_swap(text: str, entity: str, rng: np.random.Generator) -> TextCorruption: ...

The decorator turns the function into an :class:`ImageOperator` or a :class:`TextOperator`; the operator's name is the
function's. The row of ``parameters`` that belongs to the severity is passed as keyword arguments, so that documents,
tests and benchmarks read the very table that the operator runs on. A text operator returns
``TextCorruption(new_text)`` or :func:`not_applicable(text, reason) <not_applicable>`, never ``None``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np

from .conditions import (
    IMAGE_OPERATORS,
    PRIMITIVES,
    SEVERITIES,
    TEXT_LEVELS,
    TEXT_OPERATORS,
    check_name,
    check_severity,
)

Pixels: TypeAlias = np.ndarray
"""RGB pixels, uint8, shape [height, width, 3], at least 1 x 1."""

Size = Literal["kept", "smaller"]
TextStatus = Literal["unchanged", "changed", "not_applicable"]


@dataclass(frozen=True, eq=False)
class ImageOperator:
    """One image operator at three severities (paper, Section 3.2 and Table 8).

    Attributes:
        name: As in ``conditions.IMAGE_OPERATORS``.
        primitive: ``degrade``, ``transform``, ``remove`` or ``add``.
        summary: One sentence for tables and ``--help``.
        parameters: Severity -> keyword arguments of ``function``.
        random: Whether the output depends on ``rng``.
        size: ``kept``: the output has the input's height and width; ``smaller``: it never exceeds them.
        function: ``(pixels, rng, **parameters[severity]) -> pixels``.
    """

    name: str
    primitive: str
    summary: str
    parameters: Mapping[int, Mapping[str, Any]]
    random: bool
    size: Size
    function: Callable[..., Pixels] = field(repr=False)

    def __call__(self, pixels: Pixels, severity: int, rng: np.random.Generator) -> Pixels:
        """Applies the operator; ``pixels`` is read and never written.

        Args:
            pixels: uint8 [h, w, 3], RGB, at least 1 x 1.
            severity: 1, 2 or 3.
            rng: Where draws come from; the deterministic operators leave it untouched.

        Returns:
            A new array, uint8 [h', w', 3], C-contiguous, at least 1 x 1.

        Raises:
            TypeError: pixels is not a uint8 array, or severity not an int.
            ValueError: pixels is not [h, w, 3] with h, w >= 1, or severity not 1, 2 or 3.
        """
        check_severity(severity)
        pixels = np.ascontiguousarray(check_pixels(pixels))
        return np.ascontiguousarray(self.function(pixels, rng, **self.parameters[severity]))

    def __reduce__(self) -> tuple[Callable[[str], ImageOperator], tuple[str]]:
        return image_operator, (self.name,)


@dataclass(frozen=True)
class TextCorruption:
    """What a text operator made of a question.

    Attributes:
        text: The question to use, never ``None``; the clean text where the operator can't apply.
        status: ``changed``, ``not_applicable``, or ``unchanged`` where no operator ran (clean rows).
        reason: Why the operator can't apply; empty for the other two.
    """

    text: str
    status: TextStatus = "changed"
    reason: str = ""

    def __post_init__(self) -> None:
        if bool(self.reason) != (self.status == "not_applicable"):
            raise ValueError(
                "reason must be given exactly when status is 'not_applicable', "
                f"got status {self.status!r} with reason {self.reason!r}"
            )


def not_applicable(text: str, reason: str) -> TextCorruption:
    """The clean text with the reason why an operator leaves it alone."""
    return TextCorruption(text, "not_applicable", reason)


@dataclass(frozen=True, eq=False)
class TextOperator:
    """One text operator (paper, Section 3.2 and Table 9); text operators have no severity.

    Attributes:
        name: As in ``conditions.TEXT_OPERATORS``.
        level: ``character``, ``word`` or ``sentence``.
        summary: One sentence for tables and ``--help``.
        function: ``(text, entity, rng) -> TextCorruption``.
    """

    name: str
    level: str
    summary: str
    function: Callable[[str, str, np.random.Generator], TextCorruption] = field(repr=False)

    def __call__(self, text: str, entity: str, rng: np.random.Generator) -> TextCorruption:
        """Applies the operator.

        Args:
            text: The clean question.
            entity: The coarse entity that the question asks about, e.g. ``plant``; may be empty, then operators that
                edit the entity are not applicable.
            rng: Where draws come from.

        Raises:
            TypeError: text or entity is not a str.
        """
        for argument, value in (("text", text), ("entity", entity)):
            if not isinstance(value, str):
                raise TypeError(f"{argument} must be a str, got {type(value).__name__}: {value!r}")
        result = self.function(text, entity, rng)
        if result.status == "changed" and result.text == text:
            return not_applicable(text, f"{self.name} leaves this text as it is")
        return result

    def __reduce__(self) -> tuple[Callable[[str], TextOperator], tuple[str]]:
        return text_operator, (self.name,)


def define_image_operator(
    *,
    summary: str,
    parameters: Mapping[int, Mapping[str, Any]],
    random: bool = False,
    size: Size = "kept",
) -> Callable[[Callable[..., Pixels]], ImageOperator]:
    """Decorator: ``(pixels, rng, *, <parameters>) -> pixels`` becomes the :class:`ImageOperator` of that name."""

    def decorate(function: Callable[..., Pixels]) -> ImageOperator:
        name = _own_name(function, IMAGE_OPERATORS)
        if tuple(parameters) != SEVERITIES:
            raise ValueError(f"parameters of {name!r} must have the keys 1, 2, 3, got {tuple(parameters)}")
        table = MappingProxyType({severity: MappingProxyType(dict(row)) for severity, row in parameters.items()})
        primitive = next(primitive for primitive, names in PRIMITIVES.items() if name in names)
        operator = ImageOperator(name, primitive, summary, table, random, size, function)
        object.__setattr__(operator, "__doc__", function.__doc__)
        return operator

    return decorate


def define_text_operator(
    *, summary: str
) -> Callable[[Callable[[str, str, np.random.Generator], TextCorruption]], TextOperator]:
    """Decorator: ``(text, entity, rng) -> TextCorruption`` becomes the :class:`TextOperator` of that name."""

    def decorate(function: Callable[[str, str, np.random.Generator], TextCorruption]) -> TextOperator:
        name = _own_name(function, TEXT_OPERATORS)
        level = next(level for level, names in TEXT_LEVELS.items() if name in names)
        operator = TextOperator(name, level, summary, function)
        object.__setattr__(operator, "__doc__", function.__doc__)
        return operator

    return decorate


def image_operator(name: str) -> ImageOperator:
    """The image operator of that name (file ``corruptions/image/<name>.py``).

    >>> image_operator("overexposure").parameters[2]["factor"]
    2.2

    Raises:
        TypeError: name is not a str.
        ValueError: unknown name; the message carries the close matches and the list.
    """
    check_name("image operator", name, IMAGE_OPERATORS)
    operator = _resolve("image", name)
    if not isinstance(operator, ImageOperator):
        raise TypeError(f"corruptions/image/{name}.py must define {name} with @define_image_operator, got {operator!r}")
    return operator


def text_operator(name: str) -> TextOperator:
    """The text operator of that name (file ``corruptions/text/<name>.py``).

    Raises:
        TypeError: name is not a str.
        ValueError: unknown name; the message carries the close matches and the list.
    """
    check_name("text operator", name, TEXT_OPERATORS)
    operator = _resolve("text", name)
    if not isinstance(operator, TextOperator):
        raise TypeError(f"corruptions/text/{name}.py must define {name} with @define_text_operator, got {operator!r}")
    return operator


def check_pixels(pixels: object) -> Pixels:
    """Returns ``pixels`` if they are RGB uint8 of at least 1 x 1.

    Raises:
        TypeError: not a numpy array, or not uint8.
        ValueError: not of shape [h, w, 3] with h, w >= 1.
    """
    if not isinstance(pixels, np.ndarray):
        raise TypeError(f"pixels must be a numpy array, got {type(pixels).__name__}")
    if pixels.dtype != np.uint8:
        raise TypeError(f"pixels must have dtype uint8, got {pixels.dtype}")
    if pixels.ndim != 3 or pixels.shape[2] != 3 or min(pixels.shape[:2]) < 1:
        raise ValueError(f"pixels must have the shape [height, width, 3], at least 1 x 1, got {list(pixels.shape)}")
    return pixels


def _own_name(function: Callable[..., Any], known: tuple[str, ...]) -> str:
    return check_name("operator function", getattr(function, "__name__", None), known)


def _resolve(room: str, name: str) -> object:
    module = importlib.import_module(f"{__package__}.{room}.{name}")
    return getattr(module, name, None)
