"""char_change (paper, Table 9): a key beside the right one in the entity's first word."""

from __future__ import annotations

import unicodedata

import numpy as np

from ..registry import TextCorruption, define_text_operator
from .edits import draw, edit_letters

# Rows of a QWERTY keyboard and how far each is shifted to the right, in key widths.
_ROWS = (("qwertyuiop", 0.0), ("asdfghjkl", 0.25), ("zxcvbnm", 0.75))
_POSITIONS = {letter: (x + shift, y) for y, (row, shift) in enumerate(_ROWS) for x, letter in enumerate(row)}


def _touching(a: str, b: str) -> bool:
    (ax, ay), (bx, by) = _POSITIONS[a], _POSITIONS[b]
    return abs(ax - bx) == 1 if ay == by else abs(ay - by) == 1 and abs(ax - bx) < 1


NEIGHBOURS = {a: "".join(b for b in _POSITIONS if _touching(a, b)) for a in _POSITIONS}
"""The letter keys that touch each letter key: ``NEIGHBOURS["a"] == "qwsz"``."""


@define_text_operator(
    summary="Replaces one random letter of the entity's first word by a neighbour on a QWERTY keyboard."
)
def char_change(text: str, entity: str, rng: np.random.Generator) -> TextCorruption:
    """Replaces one random letter by a neighbour on a QWERTY keyboard, keeping its case.

    An accented Latin letter counts as its base letter and loses the accent; letters of other scripts have no key
    there and are left alone.
    """

    def change(word: list[str]) -> str | None:
        bases = [unicodedata.normalize("NFD", character)[0] for character in word]
        places = [i for i, base in enumerate(bases) if base.lower() in NEIGHBOURS]
        if not places:
            return None
        place = draw(rng, places)
        letter = draw(rng, NEIGHBOURS[bases[place].lower()])
        word[place] = letter.upper() if bases[place].isupper() else letter
        return "".join(word)

    return edit_letters(
        text, entity, change, "the entity's first word has fewer than two letters or none of the Latin alphabet"
    )
