"""Where the words of a question are: graphemes, words, sentence marks, and the entity among them.

Everything here works on grapheme clusters (user-perceived characters, Unicode UAX #29), so that a letter and its
combining accent are one unit and no edit leaves a dangling accent. All positions are str offsets that fall on
grapheme borders.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

import regex  # the standard library cannot split graphemes; transformers requires regex already

SENTENCE_MARKS = frozenset(".!?…。！？؟।")  # noqa: RUF001 - the full-width marks are meant
APOSTROPHES = frozenset("'’ʼ")  # noqa: RUF001 - the typographic ones are meant
JOINERS = APOSTROPHES | frozenset("-‐‑_.&+")  # noqa: RUF001
"""Alone between two words, these make one longer word of them: X-ray, rock'n'roll, U.S. (see :func:`_joined`)."""

ABBREVIATIONS = frozenset(("capt", "dr", "etc", "jr", "mr", "mrs", "ms", "mt", "ph", "prof", "rev", "sr", "st", "vs"))
"""Words whose full stop ends no sentence, as that of a single letter ("J. Smith", "U.S. flag")."""

NAME_SYMBOLS = frozenset("+#*")
"""Directly after a word, these make another name of it: C++ and C# are not C."""

_SIBILANTS = ("s", "x", "z", "ch", "sh", "o")
_IRREGULAR_PLURALS = {
    "man": "men",
    "woman": "women",
    "child": "children",
    "person": "people",
    "foot": "feet",
    "tooth": "teeth",
    "goose": "geese",
    "mouse": "mice",
    "ox": "oxen",
    "cactus": "cacti",
    "fungus": "fungi",
}


class Span(NamedTuple):
    """``text[start:end]``."""

    start: int
    end: int


@dataclass(frozen=True)
class Word:
    """A maximal run of letters and digits. ``key`` is its caseless form, for comparing."""

    start: int
    end: int
    key: str


def graphemes(text: str) -> list[str]:
    """The user-perceived characters of ``text``, in order; joined they are ``text`` again.

    >>> graphemes("cafe\u0301") == ["c", "a", "f", "e\u0301"]
    True
    """
    return regex.findall(r"\X", text)


def is_letter(grapheme: str) -> bool:
    return grapheme[0].isalpha()


def is_word_character(grapheme: str) -> bool:
    return grapheme[0].isalnum()


def is_blank(text: str) -> bool:
    return not text.strip()


def key(text: str) -> str:
    """Equal for texts that differ only in case or in the way accents are encoded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[Word, ...]:
    """The words of ``text``; apostrophes, hyphens and all other punctuation separate words.

    >>> [word.key for word in words("Is this an orchid's X-ray?")]
    ['is', 'this', 'an', 'orchid', 's', 'x', 'ray']
    """
    found = []
    start = None
    position = 0
    for grapheme in [*graphemes(text), " "]:
        if is_word_character(grapheme):
            start = position if start is None else start
        elif start is not None:
            found.append(Word(start, position, key(text[start:position])))
            start = None
        position += len(grapheme)
    return tuple(found)


def same_word(a: str, b: str) -> bool:
    """Whether two keys are one word in singular or plural. Never by prefix: "ant" is neither "a" nor "plant".

    >>> same_word("berry", "berries"), same_word("knives", "knife"), same_word("car", "card")
    (True, True, False)
    """
    return a == b or b in _plurals(a) or a in _plurals(b)


def _plurals(word: str) -> Iterator[str]:
    for one, many in _IRREGULAR_PLURALS.items():
        # Compounds too (policeman, grandchild), but not of so little that Oman becomes omen. Those that only end alike
        # (German, mongoose) have their -s below.
        if word == one or (word.endswith(one) and len(word) - len(one) >= 3):
            yield word.removesuffix(one) + many
    if len(word) < 2:
        return
    if word[-1] == "z" and word[-2] in "aeiou":
        yield word + "zes"
    if word.endswith(_SIBILANTS):
        yield word + "es"
    if not word.endswith("s"):
        yield word + "s"
    if word.endswith("y"):
        yield word[:-1] + "ies"
    if word.endswith("f"):
        yield word[:-1] + "ves"
    if word.endswith("fe"):
        yield word[:-2] + "ves"


def locate(text: str, entity: str) -> Span | None:
    """Finds the entity in the question as whole words.

    Better matches win, then earlier ones: the whole entity before its last word alone (as published: "robot model"
    is found in "What kind of model is this?"), a word standing by itself before a part of a compound ("ray" before
    the end of "X-ray"), the same form before singular or plural. Case, the encoding of accents, surrounding quotes
    and a possessive ending never matter, and the span excludes them. Symbols at the end of a name belong to it:
    "C++" is not in "What is C?".

    Args:
        text: the question.
        entity: one or several words; words joined by a hyphen in one of the two and parted by a space in the other
            are the same.

    Returns:
        The span of the entity, or None if it does not occur or holds no letter or digit.

    >>> locate("Does this plant attract an ant?", "ant")
    Span(start=27, end=30)
    >>> locate("What is the orchid's color?", "Orchids")
    Span(start=12, end=18)
    """
    wanted = words(entity)
    if not wanted:
        return None
    found = _best_match(text, entity, wanted)
    if found is None and len(tail := _last_part(entity, wanted)) < len(wanted):
        found = _best_match(text, entity, tail)
    return found


def _last_part(entity: str, wanted: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words of the last whitespace-separated part: one for "motor oil", two for "diet 7-up"."""
    first = max(i for i in range(len(wanted)) if i == 0 or " " in _gap(entity, wanted[i - 1], wanted[i]))
    return wanted[first:]


def _best_match(text: str, entity: str, wanted: tuple[Word, ...]) -> Span | None:
    known = words(text)
    gaps = [_gap(entity, left, right) for left, right in pairwise(wanted)]
    symbols = "".join(takewhile(NAME_SYMBOLS.__contains__, entity[wanted[-1].end :]))
    matches = []
    for first in range(len(known) - len(wanted) + 1):
        window = known[first : first + len(wanted)]
        if not all(same_word(have.key, want.key) for have, want in zip(window, wanted, strict=True)):
            continue
        if not all(_connected(text, known, first + i, gap) for i, gap in enumerate(gaps)):
            continue
        if not text.startswith(symbols, window[-1].end):
            continue
        compound = not _stands_alone(text, known, first, first + len(wanted))
        variant = any(have.key != want.key for have, want in zip(window, wanted, strict=True))
        matches.append((compound, variant, window[0].start, window[-1].end + len(symbols)))
    return Span(*min(matches)[2:]) if matches else None


def _gap(text: str, left: Word, right: Word) -> str:
    """What stands between two words, with every run of whitespace as one space."""
    return re.sub(r"\s+", " ", text[left.end : right.start])


def _connected(text: str, known: tuple[Word, ...], i: int, wanted: str) -> bool:
    """Whether words i and i + 1 may belong to one entity: by a space, a joiner, or as the entity is written."""
    return _gap(text, known[i], known[i + 1]) in (" ", wanted) or _joined(text, known, i)


def _joined(text: str, known: tuple[Word, ...], i: int) -> bool:
    """Whether a joiner makes one longer word of words i and i + 1.

    A full stop does so in U.S. and 3.5, but not in "It's a rose.What kind?".
    """
    left, right = known[i], known[i + 1]
    gap = _gap(text, left, right)
    if gap == ".":
        return _is_abbreviation(text, known, i) or (left.key[-1].isdigit() and right.key[0].isdigit())
    return gap in JOINERS


def _is_abbreviation(text: str, known: tuple[Word, ...], i: int) -> bool:
    """Whether a full stop after word i would end no sentence: after a single letter or a title, but not "mom's."."""
    word = known[i]
    if len(word.key) > 1 or not word.key.isalpha():
        return word.key in ABBREVIATIONS
    return i == 0 or _gap(text, known[i - 1], word) not in JOINERS - {"."}


def _stands_alone(text: str, known: tuple[Word, ...], first: int, end: int) -> bool:
    """False for a part of "X-ray" or "rock'n'roll"; a possessive ending joins nothing."""
    if first > 0 and _joined(text, known, first - 1):
        return False
    if end == len(known) or not _joined(text, known, end - 1):
        return True
    return known[end].key == "s" and _gap(text, known[end - 1], known[end]) in APOSTROPHES


def first_part(text: str, span: Span) -> Span:
    """The span up to its first whitespace: the word that character operators edit (as published)."""
    return Span(span.start, span.start + len(text[span.start : span.end].split(maxsplit=1)[0]))


def widen(text: str, span: Span) -> Span:
    """The span with all that belongs to it: "orchid" -> "orchid's", "U.S" -> "U.S.", "Dr" -> "Dr."."""
    known = words(text)
    first = next(i for i, word in enumerate(known) if word.start == span.start)
    last = max(i for i, word in enumerate(known) if word.end <= span.end)
    while first > 0 and _joined(text, known, first - 1):
        first -= 1
    while last + 1 < len(known) and _joined(text, known, last):
        last += 1
    end = max(span.end, known[last].end)
    return Span(known[first].start, end + (end == known[last].end and _has_full_stop(text, known, last)))


def _has_full_stop(text: str, known: tuple[Word, ...], i: int) -> bool:
    """Whether a full stop belongs to word i: that of an abbreviation, also where the sentence ends with it.

    Only a single letter that is nothing but the last word of the text leaves it to the sentence ("Is it vitamin C.").
    """
    after = text[known[i].end : known[i].end + 2]
    if not after.startswith(".") or after == ".." or not _is_abbreviation(text, known, i):
        return False
    single = len(known[i].key) == 1 and (i == 0 or not _joined(text, known, i - 1))
    return not single or i + 1 < len(known)


def word_before(text: str, span: Span) -> Span | None:
    """The word before ``span`` in the same sentence, widened, or None."""
    known = words(text)
    left = sum(word.end <= span.start for word in known) - 1
    if left < 0 or _sentence_ends(text, known, left):
        return None
    return widen(text, Span(known[left].start, known[left].end))


def word_after(text: str, span: Span) -> Span | None:
    """The word after ``span`` in the same sentence, widened, or None."""
    known = words(text)
    right = sum(word.end <= span.end for word in known)
    if right == len(known) or _sentence_ends(text, known, right - 1):
        return None
    return widen(text, Span(known[right].start, known[right].end))


def _sentence_ends(text: str, known: tuple[Word, ...], i: int) -> bool:
    """Whether a sentence ends between words i and i + 1."""
    gap = text[known[i].end : known[i + 1].start]
    if gap.startswith(".") and not gap.startswith("..") and _is_abbreviation(text, known, i):
        gap = gap[1:]
    return not SENTENCE_MARKS.isdisjoint(gap)
