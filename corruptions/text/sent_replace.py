"""sent_replace (paper, Table 9): the question replaced by one that names nothing."""

from __future__ import annotations

import numpy as np

from ..registry import TextCorruption, define_text_operator, not_applicable
from .edits import BLANK, accept
from .spans import is_blank, words

GENERIC = {
    "where": "Where is this?",
    "who": "Who is this?",
    "which": "Which one is this?",
    "how": "How is this?",
    "is": "Is this it?",
}
"""By the question's first word, as in the published texts; any other becomes :data:`DEFAULT`, as in the paper."""

DEFAULT = "What is this?"


@define_text_operator(summary="Replaces the question by a generic one that names nothing.")
def sent_replace(text: str, entity: str, rng: np.random.Generator) -> TextCorruption:
    """Replaces the whole text by a generic question; a text that already is this question is left alone."""
    if is_blank(text):
        return not_applicable(text, BLANK)
    asked = [word.key for word in words(text)]
    generic = GENERIC.get(asked[0], DEFAULT) if asked else DEFAULT
    if asked == [word.key for word in words(generic)]:
        return not_applicable(text, f"the text already is the generic question {generic!r}")
    return accept(text, generic)
