"""char_add (paper, Table 9): a stray key inside the entity's first word."""

from __future__ import annotations

import string

import numpy as np

from ..registry import TextCorruption, define_text_operator
from .edits import draw, edit_letters
from .spans import is_letter


@define_text_operator(summary="Inserts one random letter inside the entity's first word.")
def char_add(text: str, entity: str, rng: np.random.Generator) -> TextCorruption:
    """Inserts one random letter a-z beside a letter, never before the first or after the last character.

    Between two capitals the letter is a capital too ("BMW" -> "BQMW").
    """

    def insert(word: list[str]) -> str:
        places = [i for i in range(1, len(word)) if is_letter(word[i - 1]) or is_letter(word[i])]
        place = draw(rng, places)
        letter = draw(rng, string.ascii_lowercase)
        if word[place - 1].isupper() and word[place].isupper():
            letter = letter.upper()
        return "".join([*word[:place], letter, *word[place:]])

    return edit_letters(text, entity, insert, "the entity's first word has fewer than two letters")
