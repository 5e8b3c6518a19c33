"""word_repeat (paper, Table 9): the entity said twice."""

from __future__ import annotations

import numpy as np

from ..registry import TextCorruption, define_text_operator
from .edits import edit_span
from .spans import Span, widen


@define_text_operator(summary="Repeats the entity.")
def word_repeat(text: str, entity: str, rng: np.random.Generator) -> TextCorruption:
    """Repeats the entity, without the punctuation around it: "What is this rose?" -> "What is this rose rose?"."""

    def repeat(span: Span) -> str:
        start, end = widen(text, span)
        return f"{text[:end]} {text[start:end]}{text[end:]}"

    return edit_span(text, entity, repeat, "")
