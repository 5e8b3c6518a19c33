"""char_swap (paper, Table 9): two keys in the wrong order in the entity's first word."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..registry import TextCorruption, define_text_operator
from .edits import draw, edit_letters
from .spans import is_letter, key


@define_text_operator(summary="Swaps two different letters that stand side by side in the entity's first word.")
def char_swap(text: str, entity: str, rng: np.random.Generator) -> TextCorruption:
    """Swaps one random pair of different letters that stand side by side; each keeps its own case and accents."""

    def swap(word: list[str]) -> str | None:
        places = [i for i, (a, b) in enumerate(pairwise(word)) if is_letter(a) and is_letter(b) and key(a) != key(b)]
        if not places:
            return None
        place = draw(rng, places)
        word[place], word[place + 1] = word[place + 1], word[place]
        return "".join(word)

    return edit_letters(text, entity, swap, "no two different letters stand side by side in the entity's first word")
