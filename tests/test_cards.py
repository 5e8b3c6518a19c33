"""What others wrote in a README or a results file stays byte for byte; what a run file holds is checked."""

import json
import os
import re

import pytest
import yaml
from huggingface_hub.repocard import REGEX_YAML_BLOCK
from hypothesis import given, settings
from hypothesis import strategies as st
from test_run_schema import KEPT

from snapbench import push_to_hub
from snapbench.citation import CITATION
from snapbench.corruptions.conditions import JOINT_PAIRS, compact
from snapbench.evaluation import read_run
from snapbench.publishing import cards, results, yamltext
from snapbench.publishing.destination import FolderDestination, PushError, publish

DATA = "yefd/SnapBench"


def make_run(**changes) -> dict:
    """A run's record with the parts that are published, without the benchmark's seventy conditions."""

    def block(value):
        return {"recall_at_1": value, "mrr": value, "n": 60, "interval": [value - 1.5, value + 1.5]}

    levels = {f"s{s}": block(30.0 - s) for s in (1, 2, 3)}
    pairs = {f"joint_{compact(image)}_{compact(text)}": {} for image, text in JOINT_PAIRS}
    fixed = {
        "conditions": {"it2it": {"clean": block(40.0)}, "i2i": {"clean": block(35.0)}},
        "averages": {
            "it2it": {
                "text": {"all": block(38.0)},
                "image": {**levels, "all": block(28.0)},
                "primitives": {name: {**levels, "all": block(28.0)} for name in ("degrade", "add")},
            }
        },
        "drag": {"value": 5.0, "interval": [1.0, 9.0]},
        "gamma_int": {"pairs": pairs, "mean": {"value": None, "reason": "no joint conditions"}},
    }
    return {
        "kind": "snapbench-run",
        "schema_version": 1,
        "created": "2026-05-04T03:02:01+00:00",
        "packages": {"snapbench": "0.1.0"},
        "timings": {},
        "adapter": {"name": "mine", "hub_id": "me/model", "revision": "abc", "fingerprint": "00"},
        "source": {"name": DATA, "label": "SnapBench", "revision": "c5e780a", "fingerprint": "11"},
        "settings": {"seed": 0, "question": "asked", "limit": None, "storage": "published"},
        "counts": {"n_queries": 60, "n_gallery": 300, "n_errored": 0},
        "results": {"fixed": fixed},
        **changes,
    }


@pytest.fixture
def push(tmp_path):
    """Publishes a run into a folder that holds what somebody wrote; returns what is there then."""

    def call(files=(), run=None, **options):
        for path, content in dict(files).items():
            file = tmp_path / path
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(content)
        publish(FolderDestination(tmp_path), results.build(run or make_run(), "me/model", **options))
        found = [file for file in tmp_path.rglob("*") if file.is_file()]
        return {file.relative_to(tmp_path).as_posix(): file.read_bytes() for file in found}

    return call


# --- YAML as text


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text("a: #-\n'é\"{[", max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    old=st.dictionaries(st.sampled_from("abcdef"), VALUES, min_size=1) | st.lists(VALUES, min_size=1),
    data=st.data(),
    flow=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_a_rewritten_text_holds_the_new_value_and_keeps_the_rest(old, data, flow, newline):
    parts = [{key: value} for key, value in old.items()] if isinstance(old, dict) else [[value] for value in old]
    dumps = [yaml.safe_dump(part, default_flow_style=flow, allow_unicode=True, width=1000) for part in parts]
    if flow:  # One line for all; there is no place for comments.
        text = yaml.safe_dump(old, default_flow_style=True, sort_keys=False, allow_unicode=True, width=1000)
    else:
        text = "".join(f"# note {number}\n{dump}" for number, dump in enumerate(dumps)).replace("\n", newline)
    if isinstance(old, dict):
        changed = data.draw(st.sets(st.sampled_from("abcdef")))
        kept = [place for place, key in enumerate(old) if key not in changed]
        new = {key: value for key, value in old.items() if key not in changed}
        new |= data.draw(st.dictionaries(st.sampled_from([*changed, "z"]), VALUES))
    else:
        kept = data.draw(st.lists(st.integers(0, len(old) - 1), unique=True).map(sorted))
        new = [old[place] for place in kept] + data.draw(st.lists(VALUES, max_size=2))
    written = yamltext.rewrite(text, new, newline)
    assert yamltext.same(yamltext.load(written), new)
    assert yamltext.rewrite(written, new) == written
    if not flow and new:
        assert re.findall(r"(?m)^# note \d+", written) == [f"# note {number}" for number in range(len(parts))]
        assert all(dumps[place].replace("\n", newline) in written for place in kept)
        assert newline == "\n" or "\n" not in written.replace("\r\n", "")


def test_only_the_changed_item_is_written_anew():
    text = "# top\n- a: no   # keep\n  when: 12:30\n\n# ours\n-\n  b: 1.10\n  c: 'x'\n- # third\n  d: 0123\n# end\n"
    old = yamltext.load(text)
    assert yamltext.rewrite(text, [old[0], {**old[1], "c": "y"}, old[2]]) == text.replace("'x'", "y")
    assert yamltext.rewrite(text, [old[0], old[2]]) == text.replace("-\n  b: 1.10\n  c: 'x'\n", "")
    assert yamltext.rewrite(text, [*old, {"e": "no"}]) == text.replace("# end\n", "- e: 'no'\n# end\n")
    assert yamltext.rewrite(text, [*old[1:], old[0]]) == (
        "# top\n\n# ours\n-\n  b: 1.10\n  c: 'x'\n- # third\n  d: 0123\n- a: no   # keep\n  when: 12:30\n# end\n"
    )
    assert yamltext.rewrite(text, ["first", *old]) == text.replace("- a:", "- first\n- a:")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a: &x [1]\nb: *x\n", "aliases"),
        ("a: 1\na: 2\n", "twice"),
        ("<<: {a: 1}\n", "block style"),
        ("d: |\n  its end is that of the file", "block style"),
        ("a: &x\n- *x\n", "holds itself"),
    ],
)
def test_what_cannot_be_changed_in_part_is_refused(text, hint):
    with pytest.raises(ValueError, match=hint):
        yamltext.rewrite(text, {**yamltext.load(text), "c": 1})


def test_flow_style_keeps_values_as_they_are_spelled():
    written = yamltext.rewrite(
        "[{id: no, v: 1.10}, {id: b, v: 0123}]\n", [{"id": False, "v": 1.1}, {"id": "b", "v": 2}]
    )
    assert written == "[{id: no, v: 1.10}, {id: b, v: 2}]\n"


# --- the README


METADATA = [
    *("language: no", "arxiv: 2401.12340", "version: 1.10", "time: 12:30:00", "hash: 0123", "# a comment", ""),
    *("license: mit  # mine", "thumbnail: 'x'", "widget:\n- text: |\n    # no comment\n\n    two", "empty:"),
    *("tags: [x, 'no']", "datasets:\n  - a/b   # theirs\n  # more\n  - c/d", "title: Ünï 😀", "model-index: []"),
]
BODIES = ["", "\n", "# Mine\n", "\n# Mine\n\nText.  \n\n\n", "no line break", "---\n\nrule\n\n---\n", "\ufeff# Mark\n"]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    front=st.none() | st.lists(st.sampled_from(METADATA), unique=True),
    lead=st.sampled_from(["", "\n", " \n\t\n"]),
    before=st.sampled_from(BODIES),
    after=st.none() | st.sampled_from(BODIES),
    newline=st.sampled_from(["\n", "\r\n"]),
    index=st.booleans(),
)
def test_a_card_keeps_every_byte_of_others_and_is_stable(front, lead, before, after, newline, index):
    text = "" if front is None else "".join(f"{line}\n" for line in front)
    head = "" if front is None else f"{lead}---\n{text}---\n"
    if front is None and before.startswith("---"):
        return  # That is metadata.
    old = f"<!-- snapbench:start -->\nold\n<!-- snapbench:end -->{after}" if after is not None else ""
    card = (head + before + old).replace("\n", newline).encode()

    def publish_into(card):
        data, body = cards.split_card(card)
        if index:
            data["model-index"] = results._model_index(data.get("model-index"), make_run(), "me/model", DATA)
        return cards.join_card(data, cards.with_section(body, "## New\n\ntext"))

    once = publish_into(card)
    assert publish_into(once) == once
    written = once.decode()
    data, body = cards.split_card(once)
    known = cards.split_card(card)[0]
    assert {key: value for key, value in data.items() if key != "model-index"} == {
        key: value for key, value in known.items() if key != "model-index"
    }
    lines = [] if front is None else [line for line in front if line != "model-index: []" or not index]
    for line in lines:
        assert line.replace("\n", newline) + newline in written
    if front or index:
        seen = REGEX_YAML_BLOCK.search(written)  # As the Hub and its client read it.
        assert (yaml.safe_load(seen[2] + "\n") or {}, written[seen.end() :]) == (data, body)
    if not index:
        assert written.startswith((head + before).replace("\n", newline))
    assert body.startswith(before.replace("\n", newline))
    assert after is None or body.endswith("<!-- snapbench:end -->" + after.replace("\n", newline))
    if newline == "\r\n" and (head or "\n" in before or old):
        assert "\n" not in written.replace("\r\n", "")


def test_metadata_in_front_of_which_are_blanks_are_metadata(push):
    card = b"\n \n---\r\nlicense: mit\r\n---\r\n# Mine"
    assert cards.split_card(card)[0] == {"license": "mit"}
    written = push({"README.md": card}, model_index=True)["README.md"]
    assert written.startswith(b"\n \n---\r\nlicense: mit\r\nmodel-index:\r\n- name: model\r\n")
    assert written.endswith(b"---\r\n# Mine")


@pytest.mark.parametrize("card", [None, b"", b"# Mine\n", b"---\n---\n", b"---\n{}\n---\n"])
def test_without_metadata_none_are_made(push, card):
    written = push({"README.md": card} if card is not None else {}, card=True)["README.md"]
    assert written.startswith((card or b"") + b"\n<!-- snapbench:start" if card == b"# Mine\n" else (card or b"<!-- "))
    assert written.count(b"---\n") == (card or b"").count(b"---\n")
    assert push(card=True)["README.md"] == written


@pytest.mark.parametrize(
    "body",
    [
        "a <!-- snapbench:start --> b",
        "a <!-- snapbench:end --> b",
        "<!-- snapbench:end --> a <!-- snapbench:start -->",
        "<!-- snapbench:start --> <!-- snapbench:start --> a <!-- snapbench:end -->",
        "<!-- snapbench:start --> <!-- snapbench:end --> a <!-- snapbench:start --> <!-- snapbench:end -->",
        "<!-- snapbench:start  a <!-- snapbench:end -->",
        "<!-- snapbench:start \n a",
    ],
)
def test_a_section_without_both_its_comments_is_refused(push, body):
    with pytest.raises(PushError, match="mend or remove the comment"):
        push({"README.md": f"# Mine\n\n{body}\n".encode()}, card=True)
    assert push({"README.md": b"# Mine\n"})["README.md"] == b"# Mine\n"


@pytest.mark.parametrize(
    ("card", "hint"),
    [
        ("# Größe\n".encode("latin-1"), "isn't UTF-8"),
        ("---\nlicense: mit\n---\n".encode("utf-16"), "isn't UTF-8"),
        (b"---\na: [\n---\n", "aren't YAML"),
        (b"---\ndate: 2026-99-99\n---\n", "aren't YAML"),
        (b"---\n- a\n---\n", "aren't a mapping"),
        (b"---\na: &x [1]\nb: *x\n---\n", "aliases"),
        (b"---\nmodel-index: x\n---\n", "isn't a list of models"),
        (b"---\nmodel-index:\n- name: a\n  results: x\n---\n", "isn't a list of models"),
    ],
)
def test_a_card_that_cannot_be_changed_stays(tmp_path, push, card, hint):
    with pytest.raises(PushError, match=hint):
        push({"README.md": card}, model_index=True)
    assert [file.name for file in tmp_path.iterdir()] == ["README.md"]
    assert (tmp_path / "README.md").read_bytes() == card


OTHERS = """\
language: no
model-index:   # ours and theirs
- name: another
  results:
  - task: {type: image-text-retrieval}
    dataset: {type: yefd/SnapBench, name: SnapBench, config: it2it_clean, extra: [no, 1.10]}
    metrics:
    - {type: recall_at_1, value: 1.10, extra: 0x1F}
- name: model
  note: no   # a field nobody knows
  results:
  - task:
      type: visual-question-answering
    dataset: {type: yefd/SnapBench, name: SnapBench, config: it2it_clean}
    metrics: [{type: recall_at_1, value: 2.10}]
    source:
      name: no address
      more: 12:30:00
  - task: {type: image-text-retrieval}
    dataset: {type: yefd/SnapBench, name: SnapBench, config: it2it_clean}
    metrics: [{type: accuracy, value: 3.10}]
"""
OURS = """\
  - task: {type: image-text-retrieval}
    dataset: {type: yefd/SnapBench, name: SnapBench, config: it2it_clean}
    metrics: [{type: recall_at_1, value: 99}]
  - task: {type: image-text-retrieval}
    dataset: {type: yefd/SnapBench, name: SnapBench, config: t2t_clean}
    metrics: [{type: recall_at_1, value: 98}]
"""


def test_results_of_others_in_a_model_index_stay(push):
    card = f"---\n{OTHERS}{OURS}license: mit\n---\n# Mine\n".encode()
    written = push({"README.md": card}, model_index=True)["README.md"]
    assert written.startswith(f"---\n{OTHERS}".encode())
    assert written.endswith(b"\nlicense: mit\n---\n# Mine\n")
    index = cards.split_card(written)[0]["model-index"]
    assert [element["name"] for element in index] == ["another", "model"]
    found = {r["dataset"]["config"]: r["metrics"][0]["value"] for r in index[1]["results"][2:]}
    assert found == {value.task.id: value.value for value in results.read_values(make_run())}
    assert len(found) == len(index[1]["results"]) - 2
    assert push(model_index=True)["README.md"] == written


def test_a_metric_of_others_beside_ours_stays(push):
    beside = OURS.replace("value: 99}", "value: 99}, {type: mrr, value: 4.10}", 1).splitlines(keepends=True)[:3]
    card = f"---\nmodel-index:\n- name: model\n  results:\n{''.join(beside)}---\n"
    written = push({"README.md": card.encode()}, model_index=True)["README.md"].decode()
    result = cards.split_card(written.encode())[0]["model-index"][0]["results"][0]
    assert [(m["type"], m["value"]) for m in result["metrics"]] == [("recall_at_1", 40.0), ("mrr", 4.1)]
    assert "value: 4.10" in written


# --- the results file


THEIRS = """\
# Kept by hand.
- dataset: {id: cais/hle, task_id: hle}   # theirs
  value: 1.10
  date: 2025-01-01
  verified: no
-
  dataset:
    id: 'yefd/SnapBench'
    task_id: another
  value: 0123

"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_entries_of_others_keep_their_text(push, newline, mark):
    theirs = (mark + THEIRS).replace("\n", newline).encode()
    written = push({results.RESULTS_FILE: theirs})[results.RESULTS_FILE]
    rest = theirs.rstrip()
    assert written.startswith(rest)
    assert written.endswith(newline.encode() * 2)
    entries = yaml.safe_load(written.decode().removeprefix("\ufeff"))
    assert [entry["dataset"]["task_id"] for entry in entries[:3]] == ["hle", "another", "it2it_clean"]
    assert b"\n" not in written.replace(newline.encode(), b"")
    assert push()[results.RESULTS_FILE] == written
    again = make_run(created="2027-01-01T00:00:00Z")
    assert push(run=again)[results.RESULTS_FILE] == written.replace(
        b"2026-05-04T03:02:01+00:00", b"2027-01-01T00:00:00Z"
    )


@pytest.mark.parametrize("content", [b"", b"\n", b"null\n", b"[]\n", b"[]", b"---\n", b"# nothing yet\n", b"# nothing"])
def test_an_empty_results_file_is_filled(push, content):
    written = push({results.RESULTS_FILE: content})[results.RESULTS_FILE]
    assert len(yaml.safe_load(written)) == len(results.read_values(make_run()))
    assert not content.startswith(b"#") or written.startswith(content)


def test_old_entries_of_ours_do_not_stay_beside_new_ones(push):
    ours = [
        {"dataset": {"id": DATA, "task_id": task}, "value": value}
        for task, value in (("it2it_clean", 1), ("t2t_clean", 2))
    ]
    elsewhere = [{"dataset": {"id": "me/own", "task_id": "t2t_clean"}, "value": 3}, {"dataset": {"task_id": ["x"]}}, {}]
    content = json.dumps([*ours, *elsewhere, ours[0], {**ours[0], "value": 5}]).encode()
    entries = yaml.safe_load(push({results.RESULTS_FILE: content})[results.RESULTS_FILE])
    tasks = [value.task.id for value in results.read_values(make_run())]
    assert [entry["dataset"]["task_id"] for entry in entries if entry.get("dataset", {}).get("id") == DATA] == tasks
    assert entries[0]["value"] == 40.0
    assert entries[1:4] == elsewhere


@pytest.mark.parametrize(
    "content", [b"- [", b"a: 1", b"- text", b"- a: 1\n---\n- b: 1\n", b"- \xff", b"- &a {x: 1}\n- *a\n"]
)
def test_a_results_file_that_cannot_be_changed_stays(tmp_path, push, content):
    with pytest.raises(PushError, match=re.escape(results.RESULTS_FILE)):
        push({results.RESULTS_FILE: content})
    assert (tmp_path / results.RESULTS_FILE).read_bytes() == content


# --- the run file


def set_at(run: dict, path: str, value: object) -> dict:
    changed = json.loads(json.dumps(run))
    place = changed
    *above, name = path.split(".")
    for part in above:
        place = place[part]
    place[name] = value
    return changed


@pytest.mark.parametrize(
    ("path", "value"),
    [
        *(
            ("results.fixed.conditions.it2it.clean.recall_at_1", v)
            for v in (float("nan"), -0.1, 100.1, "40", True, [1])
        ),
        ("results.fixed.averages.it2it.text.all.recall_at_1", 10**400),
        ("results.fixed.drag.value", float("inf")),
        ("results.fixed.drag.value", -200.5),
        *(("results.fixed.drag.interval", v) for v in ("wide", [1], [1, None], [2, 1], [1, float("nan")], {"a": 1})),
        ("results.fixed.conditions.it2it.clean", [1]),
        ("results.fixed.gamma_int.pairs", [["x"]]),
        ("results.fixed.gamma_int", "none"),
        ("results.fixed.averages", 3),
        ("results.fixed.averages.it2it.primitives.degrade.s2.recall_at_1", "x"),
        ("results.fixed.averages.it2it.primitives.degrade.s2.interval", [1]),
        ("results.fixed.averages.it2it.primitives.degrade", 1),
        *(("counts.n_queries", v) for v in (1.5, True, None, "60", -1, 10**400)),
        ("counts.n_errored", "none"),
        *(("settings.seed", v) for v in ("0`x", 0.5, True)),
        ("adapter.name", None),
        ("adapter.name", "\ud800"),
        ("adapter.revision", 5),
        ("source.revision", ["c"]),
        ("source.label", {}),
        *(("created", v) for v in ("yesterday", 20260504, ["x"])),
        ("packages.snapbench", 1),
    ],
)
def test_values_that_cannot_be_published_are_named(tmp_path, push, path, value):
    with pytest.raises(PushError, match=re.escape(path) + " of the run file must be") as error:
        push(run=set_at(make_run(), path, value), card=True)
    assert len(str(error.value)) < 250
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("40.0", "NaN", "NaN is no finite number"),
        ("40.0", "-Infinity", "no finite number"),
        ("40.0", "1e999", "no finite number"),
        ("40.0", "[" * 100_000, "nested too deeply"),
        ("40.0", "4" * 5000, "not JSON"),
    ],
)
def test_a_run_file_is_strict_json(tmp_path, old, new, hint):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(make_run()).replace(old, new, 1))
    with pytest.raises(ValueError, match=hint) as error:
        read_run(path)
    assert str(path) in str(error.value)


def test_a_number_without_end_is_one_sentence_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(set_at(make_run(), "results.fixed.conditions.it2it.clean.recall_at_1", 10**400)))
    with pytest.raises(SystemExit) as stop:
        push_to_hub.main(["results", str(path), "--model", "me/model", "--dry-run", str(tmp_path / "tree")])
    assert stop.value.code == 1
    assert "must be a number from 0 to 100, got 1000" in capsys.readouterr().err
    assert not (tmp_path / "tree").exists()


@pytest.mark.parametrize("folder", KEPT, ids=lambda folder: folder.name)
def test_values_of_kept_run_files_can_be_published(folder):
    assert results.read_values(read_run(folder))


def test_names_in_a_run_file_are_text_in_the_card(push):
    nasty = "\x1b[2J`x` <script>alert(1)</script> [a](http://b) | <!-- snapbench:end -->\n# head"
    run = make_run(packages={"snapbench": nasty})
    run["adapter"] |= {"name": nasty, "revision": nasty}
    run["source"] |= {"revision": nasty, "label": nasty}
    written = push(run=run, card=True, model_index=True, dataset_id="me/own")
    _, body = cards.split_card(written["README.md"])
    body = body.replace(CITATION, "")
    for raw in ("\x1b", "<script", "[a](", "\n# head", "| <!--"):
        assert raw not in body
    assert body.count("snapbench:end -->") == 1
    assert re.search(r"(?<!\\)`x", body) is None
    entry = yaml.safe_load(written[results.RESULTS_FILE])[0]
    assert nasty in entry["notes"]
    before = dict(written)
    assert push(run=run, card=True, model_index=True, dataset_id="me/own") == before


def test_pushing_twice_changes_nothing(push):
    card = f"---\r\n{OTHERS}---\r\n# Mine\r\n".replace("\r\n", "\n").replace("\n", os.linesep).encode()
    options = {"card": True, "model_index": True}
    once = push({"README.md": card, results.RESULTS_FILE: THEIRS.encode()}, **options)
    assert push(**options) == once
