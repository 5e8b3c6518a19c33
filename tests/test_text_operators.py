# ruff: noqa: RUF001 - the typographic characters are meant
"""The eight text operators against brute-force references, for any Unicode, and case by case."""

import json
import os
import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from reference_text import outcomes

from snapbench.corruptions.conditions import TEXT_LEVELS, TEXT_OPERATORS
from snapbench.corruptions.registry import TextCorruption, text_operator
from snapbench.corruptions.seeding import generator
from snapbench.corruptions.text import spans
from snapbench.corruptions.text.char_change import NEIGHBOURS
from snapbench.corruptions.text.sentences import SMALL_TALK

CHARACTER = TEXT_LEVELS["character"]
ENTITY_OPERATORS = (*CHARACTER, *TEXT_LEVELS["word"])

on_every_operator = pytest.mark.parametrize("operator", TEXT_OPERATORS)
on_entity_operators = pytest.mark.parametrize("operator", ENTITY_OPERATORS)
on_character_operators = pytest.mark.parametrize("operator", CHARACTER)


def corrupt(operator, text, entity, query_id="bench_0000", seed=0):
    return text_operator(operator)(text, entity, generator(seed, query_id, operator))


def check_status(result, text):
    assert type(result) is TextCorruption
    assert isinstance(result.text, str)
    result.text.encode()
    if result.status == "changed":
        assert result.text != text
        assert result.reason == ""
    else:
        assert result.status == "not_applicable"
        assert result.text == text
        assert result.reason


# Words, accents in both encodings, capitals, digits, other scripts, and everything that may stand between words.
PIECES = st.sampled_from(
    [
        *["U.S.", "Dr.", "c", "C++", "policeman", "policemen"],
        *["what", "Is", "this", "ant", "ants", "Plant", "car", "card", "rose", "BMW", "iPhone", "berry", "berries"],
        *["oo", "4x4", "up", "7", "s", "café", "cafe\u0301", "E\u0301", "людей", "motor", "oil", "leaf", "leaves"],
        *[" ", " ", " ", "  ", "\t", "\n", "\u00a0", "?", "!", ".", ",", "'", "’", "-", "—", '"', "(", ")", "/", "&"],
    ]
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)
ENTITIES = st.lists(PIECES, min_size=1, max_size=3).map("".join)


@on_every_operator
@settings(max_examples=60, deadline=None, derandomize=True)
@given(text=TEXTS, entity=ENTITIES, seed=st.integers(0, 99))
@example(text="Is this a St. Bernard dog?", entity="St. Bernard", seed=0)
@example(text="what ants' rose-car/leaf is 7-up", entity="rose car", seed=1)
def test_the_result_is_one_that_brute_force_allows(operator, text, entity, seed):
    result = corrupt(operator, text, entity, seed=seed)
    check_status(result, text)
    allowed = outcomes(operator, text, entity)
    assert (result.text in allowed) if allowed else result.status == "not_applicable"


@on_every_operator
@pytest.mark.parametrize(
    ("text", "entity"),
    [("What plant is this?", "plant"), ("Which motor oil, then, is it", "motor oil"), ("Is it a BMW?", "bmw")],
)
def test_every_allowed_outcome_is_drawn(operator, text, entity):
    allowed = outcomes(operator, text, entity)
    drawn = {corrupt(operator, text, entity, seed=seed).text for seed in range(9 * len(allowed) + 10)}
    assert drawn == allowed


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("Is this rose rose?", {"Is rose this rose?"}),
        ("Rose rose?", {"Rose rose?"}),
        ("Which ant, Ant is it?", {"ant Which, Ant is it?"}),
    ],
)
def test_an_equal_word_is_no_partner(text, results):
    entity = "ant" if "ant" in text else "rose"
    drawn = [corrupt("word_swap", text, entity, seed=seed) for seed in range(30)]
    assert {result.text for result in drawn} == results
    assert {result.status for result in drawn} == {"not_applicable" if text in results else "changed"}


@pytest.mark.parametrize("operator", ["word_swap", "sent_add"])
def test_both_sides_are_equally_likely(operator):
    text = "What plant is this?"
    results = [corrupt(operator, text, "plant", query_id=str(i)).text for i in range(1000)]
    left = sum(result.startswith("plant") or result.endswith(text) for result in results)
    assert 440 <= left <= 560  # 3.8 standard deviations


@settings(max_examples=400, deadline=None, derandomize=True)
@given(text=st.text(max_size=40), entity=st.text(max_size=8), data=st.data())
def test_any_unicode_text_keeps_all_but_the_targeted_characters(text, entity, data):
    if data.draw(st.booleans()) and (words := spans.words(text)):
        word = data.draw(st.sampled_from(words))
        entity = text[word.start : word.end]
    span = None if spans.is_blank(text) else spans.locate(text, entity)
    for operator in TEXT_OPERATORS:
        result = corrupt(operator, text, entity)
        check_status(result, text)
        assert result == corrupt(operator, text, entity)
        if result.status == "not_applicable":
            continue
        if operator in ENTITY_OPERATORS:
            assert span is not None
        if operator in CHARACTER:
            start, end = spans.first_part(text, span)
            assert result.text.startswith(text[:start])
            assert result.text.endswith(text[end:])
            old, new = differing(text[start:end], result.text[start : len(result.text) - len(text[end:])])
            assert len(spans.graphemes(old)) <= {"char_add": 0, "char_swap": 2}.get(operator, 1)
            assert len(new) <= {"char_delete": 0, "char_swap": len(old)}.get(operator, 1)
        if operator in ("word_swap", "char_swap"):
            assert sorted(result.text) == sorted(text)
        if operator == "word_repeat":
            start, end = spans.widen(text, span)
            assert result.text == text[:start] + text[start:end] + " " + text[start:]
        if operator == "sent_add":
            rest = next(result.text.replace(sentence, "", 1) for sentence in SMALL_TALK if sentence in result.text)
            assert rest.strip() in (text.strip(), text.strip() + "?")


def differing(old, new):
    """What is left of two strings without their common beginning and end."""
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return old, new


def test_global_random_states_are_untouched():
    before = random.getstate(), np.random.get_state()  # noqa: NPY002 - the legacy state is what must not move
    for operator in TEXT_OPERATORS:
        corrupt(operator, "What plant is this?", "plant")
    after = random.getstate(), np.random.get_state()  # noqa: NPY002
    assert before[0] == after[0]
    assert all(np.array_equal(a, b) for a, b in zip(before[1], after[1], strict=True))


def test_texts_are_the_same_in_any_process():
    script = """
import json
from snapbench.corruptions.conditions import TEXT_OPERATORS
from snapbench.corruptions.registry import text_operator
from snapbench.corruptions.seeding import generator
queries = [("What plant is this?", "plant"), ("Is it a caf\u00e9?", "cafe\u0301"), ("Which motor oil?", "motor oil")]
print(json.dumps([text_operator(o)(t, e, generator(0, e, o)).text for t, e in queries for o in TEXT_OPERATORS]))
"""
    runs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "SNAPBENCH_AUTOLOAD": "0"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1")
    }
    assert len(runs) == 1
    assert len(json.loads(runs.pop())) == 24


# --- finding the entity


@pytest.mark.parametrize(
    ("text", "entity", "found"),
    [
        ("Does this plant attract an ant?", "ant", "ant"),
        ("Is a card in the car?", "car", "car"),
        ("Which ANTS are these?", "ant", "ANTS"),
        ("Which ant is this?", "ants", "ant"),
        ("What berries are these?", "berry", "berries"),
        ("What knife is this?", "knives", "knife"),
        ("Which dishes are these?", "dish", "dishes"),
        ("Who are these women?", "woman", "women"),
        ("What is the orchid's color?", "orchid", "orchid"),
        ("What is the orchid’s color?", "orchids", "orchid"),
        ("Is this an ‘orchid’?", "orchid", "orchid"),
        ('Is this an "orchid"?', "Orchid", "orchid"),
        ("(Orchid) what is it?", "orchid", "Orchid"),
        ("What sports car is this?", "sports car", "sports car"),
        ("What sports-car is this?", "sports car", "sports-car"),
        ("What sports  car is this?", "Sports-Car", "sports  car"),
        ("Which sports cars are these?", "sports car", "sports cars"),
        ("Is it a t-shirt?", "T-shirts", "t-shirt"),
        ("What kind of model is this?", "robot model", "model"),
        ("Is a diet 7-up here? No, a 7-up!", "light 7-up", "7-up"),
        ("Is this X-ray of a ray?", "ray", "ray"),
        ("Is this an X-ray?", "ray", "ray"),
        ("Which roses and which rose?", "rose", "rose"),
        ("Is it a motor? Oil it.", "motor oil", "Oil"),
        ("Is this a St. Bernard?", "st. bernard", "St. Bernard"),
        ("Is this CAFE\u0301 open?", "café", "CAFE\u0301"),
        ("Ist das eine STRASSE?", "straße", "STRASSE"),
        ("Who are these policemen?", "policeman", "policemen"),
        ("Is this fisherman old?", "fishermen", "fisherman"),
        ("Which snowmen are these?", "snowman", "snowmen"),
        ("Are these her grandchildren?", "grandchild", "grandchildren"),
        ("Who are the salespeople?", "salesperson", "salespeople"),
        ("Which quizzes are these?", "quiz", "quizzes"),
        ("Which waltzes are these?", "waltz", "waltzes"),
        ("Who are these Germans?", "German", "Germans"),
        ("Which humans are these?", "human", "humans"),
        ("Are these talismans?", "talisman", "talismans"),
        ("Are these mongooses?", "mongoose", "mongooses"),
        ("What is C or C++?", "C++", "C++"),
        ("Is this Visual c++ code?", "visual C++", "Visual c++"),
        ("What is C# or C?", "C", "C"),
        ("Is this the U.S. flag?", "U.S.", "U.S"),
        ("Is this the U.S flag?", "U.S.", "U.S"),
        ("Is it a rose.What kind?", "rose", "rose"),
        ("Is it a node.js logo?", "node.js", "node.js"),
    ],
)
def test_entity_is_found(text, entity, found):
    start, end = spans.locate(text, entity)
    assert text[start:end] == found


def test_the_better_match_wins():
    assert spans.locate("Which roses and which rose?", "rose") == (22, 26)
    assert spans.locate("Is this X-ray of a ray?", "ray") == (19, 22)
    assert spans.locate("A model of a robot model?", "robot model") == (13, 24)
    assert spans.locate("ant ant", "ant") == (0, 3)


@on_entity_operators
@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("What flower is this?", "orchid"),  # P20
        ("Does this plant grow?", "ant"),  # P25: never a part of another word
        ("Is this a card?", "car"),
        ("Is it a thing?", "ant"),  # "a" is a prefix of "ant"
        ("Is this a cat?", "category"),
        ("What is - this - ?", "tv"),  # bare punctuation is no word
        ("What is this?", ""),
        ("What is this?", " \t"),
        ("What is this?", "?!"),
        ("What oil is this?", "motor car"),
        ("Is this an omen?", "Oman"),
        ("What is C?", "C++"),
        ("What is C++?", "C#"),
    ],
)
def test_absent_entity_is_not_applicable_with_a_reason(operator, text, entity):
    result = corrupt(operator, text, entity)
    check_status(result, text)
    assert result.status == "not_applicable"
    assert "entity" in result.reason


@pytest.mark.parametrize("operator", TEXT_LEVELS["sentence"])
def test_sentence_operators_need_no_entity(operator):
    assert corrupt(operator, "Tell me more about it", "orchid").status == "changed"
    assert corrupt(operator, "Tell me more about it", "").status == "changed"


# --- what survives


@on_entity_operators
@pytest.mark.parametrize("end", ["?", " ?", "!?", ".", "", "  ", "…", "?)", "?”", "\n"])
@pytest.mark.parametrize("gap", [" ", "  ", "\t", "\u00a0", ' "', " ("])
def test_whitespace_and_punctuation_survive(operator, gap, end):  # P21
    text = f"What  is, this{gap}rose{end}"
    result = corrupt(operator, text, "rose")
    assert result.status == "changed"
    if operator == "word_repeat":
        assert result.text == f"What  is, this{gap}rose rose{end}"
    elif operator == "word_swap":
        assert result.text == f"What  is, rose{gap}this{end}"
    else:
        assert result.text.startswith(f"What  is, this{gap}")
        assert result.text.endswith(end)


@pytest.mark.parametrize("operator", TEXT_LEVELS["word"])
def test_abbreviations_keep_their_period(operator):
    for seed in range(20):
        result = corrupt(operator, "Is St. Paul's church in the U.S. or not?", "church", seed=seed)
        assert result.text.count("St.") == 1
        assert result.text.count("U.S.") == 1
        assert result.text.endswith("?")


@pytest.mark.parametrize(
    ("text", "entity", "repeated", "swapped"),
    [
        ("What is Dr. Pepper?", "Pepper", "What is Dr. Pepper Pepper?", {"What is Pepper Dr.?"}),
        ("Who is J. Smith?", "Smith", "Who is J. Smith Smith?", {"Who is Smith J.?"}),
        ("U.S. flag what?", "U.S.", "U.S. U.S. flag what?", {"flag U.S. what?"}),
        ("U.S. flag what?", "flag", "U.S. flag flag what?", {"flag U.S. what?", "U.S. what flag?"}),
        ("Is this from the U.S.", "U.S.", "Is this from the U.S. U.S.", {"Is this from U.S. the"}),
        ("Is it vitamin C.", "vitamin C", "Is it vitamin C vitamin C.", {"Is vitamin C it."}),
        ("A 3.5 inch disk?", "inch", "A 3.5 inch inch disk?", {"A inch 3.5 disk?", "A 3.5 disk inch?"}),
        ("Is C++ it?", "C++", "Is C++ C++ it?", {"C++ Is it?", "Is it C++?"}),
        # Sentences that end, also where no space follows.
        ("Is this a rose.What kind?", "rose", "Is this a rose rose.What kind?", {"Is this rose a.What kind?"}),
        ("Is it mom's. Rose?", "rose", "Is it mom's. Rose Rose?", set()),
        ("No idea... Rose?", "rose", "No idea... Rose Rose?", set()),
        ("Dr... Rose?", "rose", "Dr... Rose Rose?", set()),
    ],
)
def test_full_stops_of_abbreviations_and_of_sentences(text, entity, repeated, swapped):
    assert corrupt("word_repeat", text, entity).text == repeated
    results = [corrupt("word_swap", text, entity, seed=seed) for seed in range(20)]
    assert {result.text for result in results} == (swapped or {text})
    assert {result.status for result in results} == {"changed" if swapped else "not_applicable"}
    for operator, expected in (("word_repeat", {repeated}), ("word_swap", swapped)):
        assert outcomes(operator, text, entity) == expected


def test_word_swap_never_crosses_a_sentence():
    results = {corrupt("word_swap", "Hi there! Rose? Tell me.", "rose", seed=seed).text for seed in range(20)}
    assert results == {"Hi there! Rose? Tell me."}


# --- case by case


@on_character_operators
@pytest.mark.parametrize("entity", ["4x4", "7-up", "747", "7", "a1b2", "3D-printer", "C-3PO", "x"])
def test_digits_are_never_edited(operator, entity):  # P22
    text = f"Which {entity} is it?"
    for seed in range(30):
        result = corrupt(operator, text, entity, seed=seed)
        check_status(result, text)
        digits = [c for c in result.text if c.isdigit()]
        assert digits == [c for c in entity if c.isdigit()]
        assert ("-" in result.text) == ("-" in entity)
    letters = sum(c.isalpha() for c in entity)
    if letters < 2:
        assert result.status == "not_applicable"
    elif operator in ("char_add", "char_delete", "char_change"):
        assert result.status == "changed"


@on_every_operator
@pytest.mark.parametrize("text", ["", " ", "   ", "\t\n", "\u00a0", "\u3000 "])
def test_blank_text_is_handled_alike_by_all(operator, text):  # P23
    assert corrupt(operator, text, "rose") == TextCorruption(text, "not_applicable", "the text is empty")


@on_every_operator
@pytest.mark.parametrize("text", ["Rose?", "rose", '"Rose"', "¿Rose?"])
def test_single_word(operator, text):  # P24
    result = corrupt(operator, text, "rose")
    check_status(result, text)
    assert (result.status == "not_applicable") == (operator == "word_swap")
    if operator == "word_repeat":
        word = text.strip('"?¿')
        assert result.text == text.replace(word, f"{word} {word}")


@on_entity_operators
def test_only_the_whole_word_is_changed(operator):  # P25
    for seed in range(30):
        assert "plant" in corrupt(operator, "Does this plant attract an ant?", "ant", seed=seed).text


@pytest.mark.parametrize("entity", ["oo", "Oo", "aaa", "e\u0301é", "ÉE\u0301"])
def test_swapping_equal_letters_is_no_corruption(entity):  # P26
    result = corrupt("char_swap", f"What is this {entity}?", entity)
    assert result.status == "not_applicable"
    assert corrupt("char_delete", f"What is this {entity}?", entity).status == "changed"


@pytest.mark.parametrize(
    ("text", "generic"),
    [
        ("What plant is this?", "What is this?"),
        ("Where was this plant found?", "Where is this?"),
        ("Where's this plant?", "Where is this?"),
        ("WHO is the person?", "Who is this?"),
        ("Which tower is this?", "Which one is this?"),
        ("How much does a birthday cake cost?", "How is this?"),
        ("Is this a plant?", "Is this it?"),
        ("Isn't it nice?", "What is this?"),
        ("Whose car is it?", "What is this?"),
        ("Name the plant.", "What is this?"),
        ("???", "What is this?"),
    ],
)
def test_sent_replace_goes_by_the_first_word(text, generic):
    assert corrupt("sent_replace", text, "plant").text == generic


@pytest.mark.parametrize(
    "text",
    ["What is this?", "what is this", " What  is this ?", "Where is this?", "Which one is this?", "Is this it?!"],
)
def test_generic_question_is_not_replaced(text):  # P27
    result = corrupt("sent_replace", text, "plant")
    check_status(result, text)
    assert result.status == "not_applicable"
    assert "generic" in result.reason


@on_character_operators
@pytest.mark.parametrize(
    "entity", ["cafe\u0301", "e\u0301a\u0308o\u0302", "नमस्ते", "กำแพง", "한국어", "a\u0301\u0323b", "n\u0303"]
)
def test_accents_stay_on_their_letters(operator, entity):  # P28
    text = f"What {entity} is it?"
    kept = set(spans.graphemes(text))
    for seed in range(30):
        result = corrupt(operator, text, entity, seed=seed)
        check_status(result, text)
        new = [g for g in spans.graphemes(result.text) if g not in kept]
        assert len(new) <= 1
        assert all(len(g) == 1 and g.isascii() for g in new)


@on_every_operator
def test_emoji_are_never_torn(operator):
    family = "👩\u200d👩\u200d👧"
    for seed in range(20):
        result = corrupt(operator, f"Which flower {family} is it? 🇩🇪", "flower", seed=seed)
        if operator != "sent_replace":
            assert family in result.text
            assert "🇩🇪" in result.text


@pytest.mark.parametrize("name", ["char_swp", "Char_Swap", "charswap", "", "mosaic", "text_charswap"])
def test_unknown_operator_names_the_known(name):  # P53
    with pytest.raises(ValueError, match="char_swap") as error:
        text_operator(name)
    assert repr(name) in str(error.value)


@pytest.mark.parametrize("name", [None, 3, ("char_swap",)])
def test_operator_name_must_be_a_str(name):  # P53
    with pytest.raises(TypeError, match="text operator"):
        text_operator(name)


@on_every_operator
@pytest.mark.parametrize(("text", "entity"), [(None, "rose"), ("What?", None), (b"What?", "rose"), ("What?", 3)])
def test_text_and_entity_must_be_str(operator, text, entity):
    with pytest.raises(TypeError, match="must be a str, got"):
        corrupt(operator, text, entity)


@on_character_operators
@pytest.mark.parametrize("entity", ["BMW", "iPhone", "McLaren", "ÉCLAIR", "rose"])
def test_case_is_kept(operator, entity):  # P54
    text = f"Is this {entity} new?"
    for seed in range(30):
        word = corrupt(operator, text, entity.lower(), seed=seed).text.split()[2]
        if operator == "char_change":
            assert [c.isupper() for c in word] == [c.isupper() for c in entity]
            assert sum(a != b for a, b in zip(word, entity, strict=True)) == 1
        elif operator == "char_swap":
            assert sorted(word) == sorted(entity)
        elif entity.isupper():
            assert word.isupper()
        elif operator == "char_add":
            old, new = differing(entity, word)
            assert (old, new.islower()) == ("", True)


@on_character_operators
def test_first_word_of_a_span_is_edited(operator):
    for seed in range(30):
        result = corrupt(operator, "What motor oil is this?", "motor oil", seed=seed).text
        assert "motor" not in result
        assert result.endswith(" oil is this?")


@pytest.mark.parametrize("operator", TEXT_OPERATORS)
def test_too_short_results_are_refused(operator):
    result = corrupt(operator, "tv", "tv")
    check_status(result, "tv")
    assert (result.status == "changed") == (operator not in ("char_delete", "char_change", "char_swap", "word_swap"))


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("What is it", "What is it?"),
        ("What is it?", "What is it?"),
        ("Name it.", "Name it."),
        ("(What is it?)", "(What is it?)"),
        ('"What is it"', '"What is it"?'),
        ("これは何？", "これは何？"),
    ],
)
def test_sent_add_forces_an_end_mark_only_before_its_sentence(text, body):
    results = [corrupt("sent_add", text, "", seed=seed).text for seed in range(40)]
    after = [result for result in results if result.startswith(body)]
    before = [result for result in results if result.endswith(text)]
    assert len(after) + len(before) == 40
    assert min(len(after), len(before)) > 8
    assert {result.removeprefix(body + " ") for result in after} <= set(SMALL_TALK)
    assert {result.removesuffix(" " + text) for result in before} <= set(SMALL_TALK)


@pytest.mark.parametrize("entity", ["day", "week", "answer", "rough idea", "weekends"])
def test_sent_add_never_names_the_entity(entity):
    assert any(spans.locate(sentence, entity) for sentence in SMALL_TALK)
    for seed in range(200):
        text = corrupt("sent_add", "Which is it?", entity, seed=seed).text
        assert spans.locate(text, entity) is None


# --- the tables

COARSE_ENTITIES = """
    car plant flower fish animal dog cat bird insect tree fruit vegetable food dish cake bread drink coffee tea person
    man woman child actor singer player athlete friend family building church tower bridge temple castle museum park
    street place city mountain river lake house home shop restaurant painting statue sculpture book film game toy phone
    camera computer watch bag shoe shirt dress hat jewelry ring furniture chair table lamp bottle box tool machine robot
    vehicle bike train plane boat photo picture image sign logo brand product sun rain snow moon star stone wood paper
    hand finger thumb tongue head eye
"""


def test_small_talk_is_short_plain_and_names_nothing():
    assert 100 <= len(SMALL_TALK) == len(set(SMALL_TALK)) <= 112
    for sentence in SMALL_TALK:
        assert len(sentence) <= 45
        assert sentence.isascii()
        assert sentence[-1] in ".!"
        assert not [entity for entity in COARSE_ENTITIES.split() if spans.locate(sentence, entity)]


def test_small_talk_names_no_entity_of_the_sample():
    import snapbench

    entities = {query.entity for query in snapbench.load_source("sample").queries}
    assert entities
    assert not [(e, sentence) for e in entities for sentence in SMALL_TALK if spans.locate(sentence, e)]


def test_qwerty_neighbours_are_symmetric():
    assert len(NEIGHBOURS) == 26
    assert all(a in NEIGHBOURS[b] and a != b for a, near in NEIGHBOURS.items() for b in near)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text(max_size=30))
def test_graphemes_and_words_cover_the_text(text):
    assert "".join(spans.graphemes(text)) == text
    borders = {0}
    for grapheme in spans.graphemes(text):
        borders.add(max(borders) + len(grapheme))
    assume(text)
    assert all({word.start, word.end} <= borders for word in spans.words(text))
