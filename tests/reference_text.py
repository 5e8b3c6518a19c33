# ruff: noqa: RUF001 - the typographic characters are meant
"""Slow, obvious references for the text operators: every outcome an operator may have, by brute force.

Nothing here is shared with the implementation except the list of small-talk sentences. A character is a base with
the combining marks after it, which is what UAX #29 says for the alphabets that the tests draw from.
"""

import unicodedata
from itertools import pairwise

from snapbench.corruptions.text.sentences import SMALL_TALK

JOINERS = set("'’ʼ-‐‑_.&+")
SENTENCE_MARKS = set(".!?…。！？؟।")
ABBREVIATIONS = {"capt", "dr", "etc", "jr", "mr", "mrs", "ms", "mt", "ph", "prof", "rev", "sr", "st", "vs"}
QWERTY = {
    "q": "wa", "w": "qase", "e": "wsdr", "r": "edft", "t": "rfgy", "y": "tghu", "u": "yhji", "i": "ujko", "o": "iklp",
    "p": "ol", "a": "qwsz", "s": "awedxz", "d": "serfcx", "f": "drtgvc", "g": "ftyhbv", "h": "gyujnb", "j": "huikmn",
    "k": "jiolm", "l": "kop", "z": "asx", "x": "zsdc", "c": "xdfv", "v": "cfgb", "b": "vghn", "n": "bhjm", "m": "njk",
}  # fmt: skip
IRREGULAR = [
    ("man", "men"), ("woman", "women"), ("child", "children"), ("person", "people"), ("foot", "feet"),
    ("tooth", "teeth"), ("goose", "geese"), ("mouse", "mice"), ("ox", "oxen"), ("cactus", "cacti"),
    ("fungus", "fungi"),
]  # fmt: skip
GENERIC = {"where": "Where is this?", "who": "Who is this?", "which": "Which one is this?", "how": "How is this?",
           "is": "Is this it?"}  # fmt: skip


def caseless(text):
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


def characters(text):
    """[start, end) of each base with its combining marks."""
    starts = [i for i, c in enumerate(text) if i == 0 or not unicodedata.category(c).startswith("M")]
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


def split_words(text):
    """[start, end) of each run of letters and digits with their marks."""
    runs = []
    for start, end in characters(text):
        if text[start].isalnum():
            if runs and runs[-1][1] == start:
                runs[-1] = (runs[-1][0], end)
            else:
                runs.append((start, end))
    return runs


def same_word(a, b):
    for one, many in ((a, b), (b, a)):
        if one == many or (one, many) in IRREGULAR:
            return True
        for single, plural in IRREGULAR:
            if one.endswith(single) and len(one) >= len(single) + 3 and many == one[: -len(single)] + plural:
                return True
        if len(one) < 2:
            continue
        if many == one + "s" and not one.endswith("s"):
            return True
        if many == one + "es" and one.endswith(("s", "x", "z", "ch", "sh", "o")):
            return True
        if one.endswith(("az", "ez", "iz", "oz", "uz")) and many == one + "zes":
            return True
        if one.endswith("y") and many == one[:-1] + "ies":
            return True
        if (one.endswith("f") and many == one[:-1] + "ves") or (one.endswith("fe") and many == one[:-2] + "ves"):
            return True
    return False


def squeeze(gap):
    return "".join(
        " " if c.isspace() else c for i, c in enumerate(gap) if not (c.isspace() and gap[i - 1 : i].isspace())
    )


def is_abbreviation(text, known, i):
    """Whether a full stop after word i ends no sentence."""
    start, end = known[i]
    word = caseless(text[start:end])
    joined_before = i > 0 and text[known[i - 1][1] : start] in JOINERS - {"."}
    return word in ABBREVIATIONS or (len(word) == 1 and word.isalpha() and not joined_before)


def are_joined(text, known, i):
    """Whether words i and i + 1 make one longer word."""
    gap = text[known[i][1] : known[i + 1][0]]
    if gap == ".":
        digits = caseless(text[slice(*known[i])])[-1].isdigit() and caseless(text[slice(*known[i + 1])])[0].isdigit()
        return digits or is_abbreviation(text, known, i)
    return gap in JOINERS


def sentence_ends(text, known, i):
    """Whether a sentence ends between words i and i + 1."""
    gap = text[known[i][1] : known[i + 1][0]]
    if is_abbreviation(text, known, i) and gap[:1] == "." and gap[:2] != "..":
        gap = gap[1:]
    return any(c in SENTENCE_MARKS for c in gap)


def find(text, entity):
    """The entity's span by trying every run of words of the text, or None."""
    parts = [entity, *entity.split()[-1:]]
    for part in parts:
        wanted = split_words(part)
        if not wanted:
            continue
        known = split_words(text)
        symbols = part[wanted[-1][1] :]
        while symbols.strip("+#*"):
            symbols = symbols[:-1]
        found = []
        for i in range(len(known)):
            for j in range(i + 1, len(known) + 1):
                window = known[i:j]
                if len(window) != len(wanted):
                    continue
                have = [caseless(text[s:e]) for s, e in window]
                want = [caseless(part[s:e]) for s, e in wanted]
                gaps = [squeeze(text[a[1] : b[0]]) for a, b in pairwise(window)]
                wanted_gaps = [squeeze(part[a[1] : b[0]]) for a, b in pairwise(wanted)]
                if not all(map(same_word, have, want)):
                    continue
                joined = [are_joined(text, known, k) for k in range(i, j - 1)]
                if not all(g in (" ", w) or t for g, w, t in zip(gaps, wanted_gaps, joined, strict=True)):
                    continue
                start, end = window[0][0], window[-1][1]
                if text[end : end + len(symbols)] != symbols:
                    continue
                compound = i > 0 and are_joined(text, known, i - 1)
                if j < len(known) and are_joined(text, known, j - 1):
                    possessive = text[end : known[j][0]] in set("'’ʼ") and caseless(text[slice(*known[j])]) == "s"
                    compound = compound or not possessive
                found.append((compound, have != want, start, end + len(symbols)))
        if found:
            return min(found)[2:]
    return None


def joined(text, start, end):
    """The span with all that joiners tie to it, and the full stop of an abbreviation."""
    known = split_words(text)
    inside = {i for i, (s, e) in enumerate(known) if start <= s and e <= end}
    for _ in known:
        inside |= {i for i in range(len(known) - 1) if i + 1 in inside and are_joined(text, known, i)}
        inside |= {i + 1 for i in range(len(known) - 1) if i in inside and are_joined(text, known, i)}
    last = max(inside)
    start, end = min(start, known[min(inside)][0]), max(end, known[last][1])
    dotted = text[end : end + 1] == "." and text[end : end + 2] != ".." and end == known[last][1]
    if dotted and is_abbreviation(text, known, last):
        single = len(caseless(text[slice(*known[last])])) == 1
        alone = single and not (last > 0 and are_joined(text, known, last - 1))
        end += not (alone and last == len(known) - 1)
    return start, end


def outcomes(operator, text, entity):
    """Every text that the operator may return as changed; empty when it is not applicable."""
    if not text.strip():
        return set()
    if operator == "sent_replace":
        asked = [caseless(text[s:e]) for s, e in split_words(text)]
        generic = GENERIC.get((asked or [""])[0], "What is this?")
        generic_words = [caseless(word) for word in generic.rstrip("?").split()]
        results = set() if asked == generic_words else {generic}
    elif operator == "sent_add":
        results = added_sentences(text, entity)
    else:
        span = find(text, entity)
        results = set() if span is None else at_entity(operator, text, *span)
    return {result for result in results if result != text and len(characters(result.strip())) >= 3}


def added_sentences(text, entity):
    results = set()
    body = text.rstrip()
    core = body
    while core and (core[-1] in "\"'" or unicodedata.category(core[-1]) in ("Pe", "Pf")):
        core = core[:-1]
    question = body if core and core[-1] in SENTENCE_MARKS else body + "?"
    for sentence in SMALL_TALK:
        if find(sentence, entity) is None:
            results.add(sentence + (text if text[0].isspace() else " " + text))
            results.add(question + (text[len(body) :] or " ") + sentence)
    return results


def at_entity(operator, text, start, end):
    if operator.startswith("word"):
        start, end = joined(text, start, end)
        if operator == "word_repeat":
            return {text[:start] + text[start:end] + " " + text[start:]}
        results = set()
        for run in split_words(text):
            s, e = joined(text, *run)
            first, second = sorted([(s, e), (start, end)])
            between = text[first[1] : second[0]]
            if first[1] > second[0] or any(c.isalnum() for c in between):
                continue
            known = split_words(text)
            if any(
                first[0] <= known[i][0] < first[1] <= second[0] <= known[i + 1][0] and sentence_ends(text, known, i)
                for i in range(len(known) - 1)
            ):
                continue
            if caseless(text[s:e]) != caseless(text[start:end]):
                results.add(text[: first[0]] + text[slice(*second)] + between + text[slice(*first)] + text[second[1] :])
        return results
    end = next((i for i in range(start, end) if text[i].isspace()), end)
    before, word, after = text[:start], text[start:end], text[end:]
    marks = [word[s:e] for s, e in characters(word)]
    letters = [i for i, mark in enumerate(marks) if mark[0].isalpha()]
    if len(letters) < 2:
        return set()
    results = set()
    if operator == "char_add":
        for i in range(1, len(marks)):
            if i in letters or i - 1 in letters:
                capitals = marks[i - 1].isupper() and marks[i].isupper()
                for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if capitals else "abcdefghijklmnopqrstuvwxyz":
                    results.add("".join(marks[:i]) + letter + "".join(marks[i:]))
    elif operator == "char_delete":
        results = {"".join(marks[:i] + marks[i + 1 :]) for i in letters}
    elif operator == "char_change":
        for i in letters:
            base = unicodedata.normalize("NFD", marks[i])[0]
            for key in QWERTY.get(base.lower(), ""):
                results.add("".join(marks[:i]) + (key.upper() if base.isupper() else key) + "".join(marks[i + 1 :]))
    elif operator == "char_swap":
        for i in letters:
            if i + 1 in letters and caseless(marks[i]) != caseless(marks[i + 1]):
                results.add("".join([*marks[:i], marks[i + 1], marks[i], *marks[i + 2 :]]))
    return {before + result + after for result in results}
