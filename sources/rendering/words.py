"""Captions and questions."""

from __future__ import annotations

import numpy as np

from .catalogue import Entity
from .scene import Scene

CAPTIONS = (
    "{a_adjective_noun} {place}.",
    "{a_tone_noun} {place}.",
    "{a_noun} {place}.",
    "A photo of {a_adjective_noun} {place}.",
    "A picture of {a_tone_noun} {place}.",
    "Close-up of {a_tone_noun}.",
    "{a_noun}, seen {place}.",
    "{a_adjective_noun}, a kind of {coarse}, {place}.",
    "{a_tone_noun} pictured {place}.",
    "Somebody photographed {a_noun} {place}.",
    "{place}: {a_adjective_noun}.",
    "{a_noun} ({coarse}), {adjective}, {place}.",
)


def _noun_phrase(entity: Entity, *before: str) -> str:
    words = " ".join(word for word in (*before, entity.name) if word)
    if entity.plural:
        return words
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def caption(entity: Entity, scene: Scene, rng: np.random.Generator) -> str:
    """A caption that names the entity, true of the picture; some also carry its colour or another attribute."""
    adjectives = entity.category.adjectives
    adjective = adjectives[int(rng.integers(len(adjectives)))]
    text = CAPTIONS[int(rng.integers(len(CAPTIONS)))].format(
        a_noun=_noun_phrase(entity),
        a_adjective_noun=_noun_phrase(entity, adjective),
        a_tone_noun=_noun_phrase(entity, scene.tone),
        adjective=adjective,
        coarse=entity.category.coarse,
        place=scene.place,
    )
    return text[0].upper() + text[1:]


def question(entity: Entity, rng: np.random.Generator) -> str:
    """A question that names only the coarse entity, e.g. "What kind of fruit is this?"."""
    questions = entity.category.questions
    return questions[int(rng.integers(len(questions)))]
