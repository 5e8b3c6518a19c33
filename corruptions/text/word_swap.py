"""word_swap (paper, Table 9): the entity and the word beside it in the wrong order."""

from __future__ import annotations

import numpy as np

from ..registry import TextCorruption, define_text_operator
from .edits import draw, edit_span
from .spans import Span, key, widen, word_after, word_before


@define_text_operator(summary="Exchanges the entity with the word before or after it.")
def word_swap(text: str, entity: str, rng: np.random.Generator) -> TextCorruption:
    """Exchanges the whole entity with the word before or after it, at random when both will do.

    Case, whitespace and punctuation stay where they are ("What plant is this?" -> "plant What is this?"), except
    inside the two words; a word of another sentence, or one equal to the entity, is no partner.
    """

    def swap(found: Span) -> str | None:
        span = widen(text, found)
        moved = text[span.start : span.end]
        pairs = []
        for partner in (word_before(text, span), word_after(text, span)):
            if partner is not None and key(text[partner.start : partner.end]) != key(moved):
                pairs.append(sorted((span, partner)))
        if not pairs:
            return None
        left, right = draw(rng, pairs)
        return (
            text[: left.start]
            + text[right.start : right.end]
            + text[left.end : right.start]
            + text[left.start : left.end]
            + text[right.end :]
        )

    return edit_span(text, entity, swap, "no other word stands beside the entity in its sentence")
