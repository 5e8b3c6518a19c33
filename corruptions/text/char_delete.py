"""char_delete (paper, Table 9): a missed key in the entity's first word."""

from __future__ import annotations

import numpy as np

from ..registry import TextCorruption, define_text_operator
from .edits import draw, edit_letters
from .spans import is_letter


@define_text_operator(summary="Deletes one random letter of the entity's first word.")
def char_delete(text: str, entity: str, rng: np.random.Generator) -> TextCorruption:
    """Deletes one random letter, with its accents."""

    def delete(word: list[str]) -> str:
        place = draw(rng, [i for i, character in enumerate(word) if is_letter(character)])
        return "".join([*word[:place], *word[place + 1 :]])

    return edit_letters(text, entity, delete, "the entity's first word has fewer than two letters")
