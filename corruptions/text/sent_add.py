"""sent_add (paper, Table 9): a sentence of small talk before or after the question."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import numpy as np

from ..registry import TextCorruption, define_text_operator, not_applicable
from .edits import BLANK, accept, draw
from .sentences import SMALL_TALK
from .spans import SENTENCE_MARKS, is_blank, locate


@define_text_operator(summary="Puts a sentence of small talk before or after the question.")
def sent_add(text: str, entity: str, rng: np.random.Generator) -> TextCorruption:
    """Puts one random sentence before or after the text, half the time each.

    A sentence that names the entity (or its last word) is never drawn: it would add information. A text without an
    end mark gets a "?" before an added sentence, as published; nothing else in it changes.
    """
    if is_blank(text):
        return not_applicable(text, BLANK)
    sentences = _sentences_without(entity)
    if not sentences:
        return not_applicable(text, f"every sentence of the list names the entity {entity!r}")
    sentence = draw(rng, sentences)
    if draw(rng, ("before", "after")) == "before":
        return accept(text, sentence + ("" if text[0].isspace() else " ") + text)
    body = text.rstrip()
    space = text[len(body) :] or " "
    return accept(text, body + ("" if _has_end_mark(body) else "?") + space + sentence)


@lru_cache(maxsize=1024)
def _sentences_without(entity: str) -> tuple[str, ...]:
    return tuple(sentence for sentence in SMALL_TALK if locate(sentence, entity) is None)


def _has_end_mark(body: str) -> bool:
    """Whether the last character, closing quotes and brackets apart, is a sentence mark."""
    while body and (body[-1] in "\"'" or unicodedata.category(body[-1]) in ("Pe", "Pf")):
        body = body[:-1]
    return body[-1:] in SENTENCE_MARKS
