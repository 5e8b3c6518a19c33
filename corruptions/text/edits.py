"""What the text operators share: draws, the paper's acceptance check, and the edit of the entity's letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from ..registry import TextCorruption, not_applicable
from .spans import Span, first_part, graphemes, is_blank, is_letter, locate

T = TypeVar("T")

MIN_CHARACTERS = 3
"""A corrupted question shorter than this is refused (the published acceptance check)."""

BLANK = "the text is empty"


def draw(rng: np.random.Generator, options: Sequence[T]) -> T:
    """One of ``options``, uniformly."""
    return options[int(rng.integers(len(options)))]


def accept(text: str, corrupted: str) -> TextCorruption:
    """The corrupted text, or the clean one when the corruption changed nothing or left too little."""
    if corrupted == text:
        return not_applicable(text, "the operator changes nothing in this text")
    if len(graphemes(corrupted.strip())) < MIN_CHARACTERS:
        return not_applicable(text, f"fewer than {MIN_CHARACTERS} characters would be left")
    return TextCorruption(corrupted)


def edit_span(text: str, entity: str, edit: Callable[[Span], str | None], impossible: str) -> TextCorruption:
    """Corrupts a text at its entity.

    Args:
        text: the question.
        entity: what the question asks about.
        edit: from the entity's span to the corrupted text, or None if this text offers no way to do so.
        impossible: the reason to give in that case.
    """
    if is_blank(text):
        return not_applicable(text, BLANK)
    if is_blank(entity):
        return not_applicable(text, "the entity is empty")
    span = locate(text, entity)
    if span is None:
        return not_applicable(text, f"the entity {entity!r} does not occur in the text as a whole word")
    corrupted = edit(span)
    return not_applicable(text, impossible) if corrupted is None else accept(text, corrupted)


def edit_letters(text: str, entity: str, edit: Callable[[list[str]], str | None], impossible: str) -> TextCorruption:
    """Corrupts the first word of the entity, as published ("motor oil" -> "moitor oil").

    Args:
        text: the question.
        entity: what the question asks about.
        edit: from the word's graphemes (at least two of them letters) to the corrupted word, or None if this word
            offers no way to do so.
        impossible: the reason to give in that case.
    """

    def edit_word(span: Span) -> str | None:
        start, end = first_part(text, span)
        word = graphemes(text[start:end])
        if sum(map(is_letter, word)) < 2:
            return None
        corrupted = edit(word)
        return None if corrupted is None else text[:start] + corrupted + text[end:]

    return edit_span(text, entity, edit_word, impossible)
