"""Publishing, with the real clients over HTTP against a local Hub; every push runs in a process of its own."""

import hashlib
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml
from hub_rules import LICENSES, card_errors, eval_result_errors
from local_hub import Hub
from PIL import Image

from snapbench import push_to_hub
from snapbench.corruptions.conditions import all_states, joint_conditions, listed_configs
from snapbench.evaluation.runfile import SCHEMA_VERSION
from snapbench.publishing import cards, licenses, results
from snapbench.publishing.dataset import size_category
from snapbench.snapbench_metric.summary import Outcome, summarize

TOKEN = "hf_local_write"
NASTY = "---\nlicense: mit\n---\n<script>alert(1)</script> | `x` {{ y }}"


def write_source(folder: Path, license_name: str = "CC0-1.0") -> Path:
    """Three queries and five gallery items in our own layout; texts that look like YAML and HTML."""
    rng = np.random.default_rng(0)
    folder.mkdir(parents=True)
    names = [f"q{i}.png" for i in range(3)] + [f"g{i}.png" for i in range(5)]
    for name in names:
        Image.fromarray(rng.integers(0, 256, (24, 32, 3), dtype=np.uint8)).save(folder / name)
    queries = [
        {"query_id": f"q{i}", "image": f"q{i}.png", "text": text, "entity": entity, "domain": "nature"}
        for i, (text, entity) in enumerate([("What plant is this?", "plant"), (NASTY, NASTY), ("Which <b>?", "<b>")])
    ]
    gallery = [{"gallery_id": f"g{i}", "image": f"g{i}.png", "caption": f"{NASTY} {i}"} for i in range(5)]
    labels = [{"query_id": f"q{i}", "gallery_id": f"g{i + k}", "relevance": 1 - k} for i in range(3) for k in (0, 1)]
    for name, rows in (("queries", queries), ("gallery", gallery), ("labels", labels)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (folder / "source.json").write_text(json.dumps({"license": license_name, "description": NASTY}))
    return folder


def make_run(label: str = "SnapBench", **changes) -> dict:
    """A run's record with every condition in two modes and the clean one in the others."""
    rng = np.random.default_rng(1)
    conditions = [c.id for c in (*all_states(), *joint_conditions())]
    states = [(mode, c) for mode in ("it2it", "i2i") for c in conditions]
    states += [(mode, "clean") for mode in ("i2it", "t2t", "t2it")]
    ids = [f"q{i:03d}" for i in range(60)]
    outcomes = {state: Outcome(ids, rng.integers(1, 8, len(ids))) for state in states}
    return {
        "kind": "snapbench-run",
        "schema_version": SCHEMA_VERSION,
        "created": "2026-05-04T03:02:01+00:00",
        "packages": {"snapbench": "0.1.0"},
        "timings": {},
        "adapter": {"name": "mine", "hub_id": "me/model", "revision": "abc", "fingerprint": "00"},
        "source": {"name": "yefd/SnapBench", "label": label, "revision": "c5e780a", "fingerprint": "11"},
        "settings": {"seed": 0, "question": "asked", "limit": None, "storage": "published"},
        "counts": {"n_queries": 60, "n_gallery": 300, "n_errored": 0},
        "results": {"fixed": summarize(outcomes, n_resamples=50)},
        **changes,
    }


@pytest.fixture
def run_file(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(make_run()))
    return path


@pytest.fixture
def hub():
    server = Hub()
    yield server
    server.close()


@pytest.fixture
def environment(hub, tmp_path):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "SNAPBENCH_"))}
    return clean | {
        "HF_ENDPOINT": hub.url,
        "HF_HOME": str(tmp_path / "hf"),
        "HF_TOKEN": TOKEN,
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "NO_COLOR": "1",
    }


COMMANDS = """
import contextlib, io, json, os, sys
from snapbench.push_to_hub import main
outcomes = []
for token, command in json.loads(sys.argv[1]):
    os.environ["HF_TOKEN"] = token
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(command)
        except SystemExit as stop:
            code = stop.code
    outcomes.append([code or 0, out.getvalue(), err.getvalue()])
print(json.dumps(outcomes))
"""


@pytest.fixture
def push(environment):
    """Runs push commands one after another in one new process, each with a token; none may show it."""

    def call(*commands, tokens=None):
        tokens = tokens or [TOKEN] * len(commands)
        arguments = [[token, [str(part) for part in command]] for token, command in zip(tokens, commands, strict=True)]
        done = subprocess.run(
            [sys.executable, "-c", COMMANDS, json.dumps(arguments)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert not [token for token in tokens if token and token in done.stdout + done.stderr]
        outcomes = json.loads(done.stdout.splitlines()[-1])
        return outcomes if len(outcomes) > 1 else outcomes[0]

    return call


@pytest.fixture
def stock(environment):
    """Runs a script in a process that can't import this package."""

    def call(script):
        blocked = "import sys\nsys.modules['snapbench'] = None\n" + script
        env = environment | {"SNAPBENCH_AUTOLOAD": "0"}
        done = subprocess.run([sys.executable, "-c", blocked], env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return call


def message(outcome) -> str:
    """The error of a command that failed as it should: one line."""
    code, _, err = outcome
    assert code == 1, outcome
    lines = [line for line in err.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, err
    assert "Traceback" not in err
    return lines[0]


def digest(rows) -> str:
    """Of the values of rows, images as their encoded bytes."""
    return hashlib.sha256(repr(rows).encode()).hexdigest()


# --- the dataset, as a tree


@pytest.fixture
def dry_run(tmp_path, monkeypatch, capsys):
    """Runs a dry run of a dataset push in this process."""
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")

    def call(source, *arguments, folder="tree", command="dataset", repo="me/bench"):
        target = tmp_path / folder
        options = ["--source", str(source)] if command == "dataset" else []
        with pytest.raises(SystemExit) as stop:
            push_to_hub.main([command, repo, *options, "--dry-run", str(target), *map(str, arguments)])
        captured = capsys.readouterr()
        return stop.value.code or 0, target, captured.err

    return call


def front(folder: Path) -> dict:
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert card_errors(card, "dataset") == []
    return cards.split_card(card.encode())[0]


def test_dry_runs_add_up_to_one_card_with_one_default(tmp_path, dry_run):  # P51
    source = write_source(tmp_path / "source")
    code, tree, _ = dry_run(source, "-c", "text_charadd")
    assert code == 0
    assert [c["config_name"] for c in front(tree)["configs"]] == ["queries", "gallery", "labels", "text_charadd"]
    dry_run(source, "-c", "joint_mosaic_charswap")
    dry_run(source)
    data = front(tree)
    names = ["queries", "gallery", "labels", "text_charadd", "joint_mosaic_charswap"]
    assert [c["config_name"] for c in data["configs"]] == names
    assert [c["config_name"] for c in data["dataset_info"]] == names
    assert [c["config_name"] for c in data["configs"] if c.get("default")] == ["queries"]
    for config, info in zip(data["configs"], data["dataset_info"], strict=True):
        files = [file for path in config["data_files"][0]["path"] for file in sorted(tree.glob(path))]
        assert sum(pq.read_metadata(file).num_rows for file in files) == info["splits"][0]["num_examples"]
        assert sum(file.stat().st_size for file in files) == info["download_size"]
    manifest = json.loads((tree / "snapbench.json").read_text())
    listed = {path: sha for unit in manifest["units"].values() for path, sha in unit["files"].items()}
    found = {str(f.relative_to(tree)): hashlib.sha256(f.read_bytes()).hexdigest() for f in tree.glob("data/*/*")}
    assert listed == found
    assert not list((tmp_path / "cache" / "snapbench-push").iterdir())


def test_what_others_wrote_in_the_card_stays(tmp_path, dry_run):
    source = write_source(tmp_path / "source")
    tree = tmp_path / "tree"
    tree.mkdir()
    theirs = {"config_name": "theirs", "default": True, "data_files": [{"split": "train", "path": "x.csv"}]}
    data = {"license": "mit", "tags": "mine", "configs": [theirs], "dataset_info": {"config_name": "theirs"}}
    (tree / "README.md").write_bytes(cards.join_card(data, "# My page\n\nHello.\n"))
    dry_run(source)
    _, _, _ = dry_run(source, "-c", "text_sentadd")
    data = front(tree)
    assert data["configs"][0] == theirs
    assert [c["config_name"] for c in data["configs"] if c.get("default")] == ["theirs"]
    assert data["dataset_info"][0] == {"config_name": "theirs"}
    assert data["tags"][0] == "mine"
    assert data["license"] == "cc0-1.0"
    body = (tree / "README.md").read_text()
    assert body.count("# My page\n\nHello.") == body.count("snapbench:start") == body.count("`text_sentadd`") == 1


def test_rows_of_other_data_or_seeds_do_not_mix(tmp_path, dry_run):
    source, other = write_source(tmp_path / "source"), write_source(tmp_path / "other", "mit")
    dry_run(source, "-c", "image_cropping_s1")
    before = (tmp_path / "tree" / "snapbench.json").read_text()
    for arguments, name in (((source, "--seed", 1), "seed"), ((other,), "source"), ((source, "--recipe"), "form")):
        code, _, err = dry_run(*arguments)
        assert code == 1
        assert f"another {name}" in err
        assert "--replace" in err
    assert (tmp_path / "tree" / "snapbench.json").read_text() == before
    code, tree, _ = dry_run(source, "--seed", 1, "--replace")
    assert code == 0
    assert [c["config_name"] for c in front(tree)["configs"]] == ["queries", "gallery", "labels"]
    assert not list(tree.glob("data/image_*/*"))


@pytest.mark.parametrize(
    "manifest",
    ["{", "[]", "{}", '{"schema_version": 1}', '{"schema_version": 1, "configs": {"a": ["b"]}, "units": {}}', "null"],
)
def test_a_manifest_of_others_stops_the_push(tmp_path, dry_run, manifest):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "snapbench.json").write_text(manifest)
    code, tree, err = dry_run(write_source(tmp_path / "source"))
    assert code == 1
    assert "not written by this program" in err
    assert [file.name for file in tree.iterdir()] == ["snapbench.json"]


def test_a_licence_that_is_a_link_out_of_the_data_is_not_published(tmp_path, dry_run):
    (tmp_path / "secret").write_text("SECRET")
    source = write_source(tmp_path / "data")
    (source / "LICENSE").symlink_to(tmp_path / "secret")
    code, tree, err = dry_run(source)
    assert code == 1
    assert "leads outside" in err
    assert not any(b"SECRET" in path.read_bytes() for path in tree.rglob("*") if path.is_file())


def test_nothing_outside_the_folder_is_removed(tmp_path, dry_run):
    source = write_source(tmp_path / "source")
    _, tree, _ = dry_run(source)
    precious = tmp_path / "precious"
    precious.write_text("mine")
    manifest = json.loads((tree / "snapbench.json").read_text())
    manifest["seed"] = 7
    manifest["units"]["clean"]["files"]["../precious"] = "0"
    (tree / "snapbench.json").write_text(json.dumps(manifest))
    code, _, err = dry_run(source, "--replace")
    assert code == 0, err
    assert precious.read_text() == "mine"


def test_bad_dataset_arguments_name_the_way_out(tmp_path, dry_run):
    source = write_source(tmp_path / "source")
    cases = [
        ({"repo": "no-slash"}, (), "user/name"),
        ({"repo": "a/b/c"}, (), "user/name"),
        ({"repo": "me/with space"}, (), "user/name"),
        ({}, ("-c", "joint_mosaik_charswap"), "joint_mosaic_charswap"),
        ({}, ("--storage", "loseless"), "lossless"),
    ]
    for options, arguments, hint in cases:
        code, tree, err = dry_run(source, *arguments, **options)
        assert code == 1
        assert hint in err
        assert not tree.exists()
    (tmp_path / "tree").write_text("a file")
    code, _, err = dry_run(source)
    assert code == 1
    assert "is a file" in err


def test_an_interrupted_dry_run_is_resumed(tmp_path, dry_run, monkeypatch):
    from snapbench.publishing import dataset as room

    source = write_source(tmp_path / "source")
    write, made = room._write_rows, []

    def stop_at_labels(plan, unit, folder, num_proc):
        made.append(unit)
        if unit == "labels" and made.count("labels") == 1:
            (folder / "half.parquet").write_bytes(b"half")
            raise OSError("disk full")
        return write(plan, unit, folder, num_proc)

    monkeypatch.setattr(room, "_write_rows", stop_at_labels)
    code, tree, err = dry_run(source)
    assert (code, tree.exists()) == (1, False)
    assert "disk full" in err
    assert dry_run(source)[0] == 0
    assert made == ["clean", "gallery", "labels", "labels"]
    assert not list(tree.rglob("half.parquet"))


def test_restricted_data_become_a_recipe(tmp_path, dry_run):
    source = write_source(tmp_path / "source", "CC BY-NC 4.0")
    (source / "LICENSE").write_text("the licence")
    code, tree, _ = dry_run(source, "-c", "image_mosaic_s1", "-c", "text_charadd")
    assert code == 0
    data = front(tree)
    assert data["license"] == "cc-by-nc-4.0"
    assert [(c["config_name"], c.get("default")) for c in data["configs"]] == [
        ("recipe", True),
        ("recipe_gallery", None),
    ]
    assert (tree / "LICENSE").read_text() == "the licence"
    everything = b"".join(file.read_bytes() for file in tree.rglob("*") if file.is_file())
    assert b"plant" not in everything
    assert b"script" not in everything
    rows = pq.read_table(tree / "recipe/image_mosaic_s1/test-00000-of-00001.parquet").to_pylist()
    import snapbench

    made = snapbench.load("image_mosaic_s1", source=source, cache_dir=str(tmp_path / "c")).cast_column("image", _RAW)
    for row, again in zip(rows, made, strict=True):
        assert row["image_sha256"] == hashlib.sha256(again["image"]["bytes"]).hexdigest()
        assert row["text_sha256"] == hashlib.sha256(again["text"].encode()).hexdigest()
        assert json.loads(row["parameters"])["seed"] == 0
    code, _, err = dry_run(source, "--eval-yaml", folder="none")
    assert code == 1
    assert "a recipe holds no rows" in err
    (source / "NOTICE").write_text("the notice")
    code, tree, _ = dry_run(source, "--with-images", folder="rows")
    assert (tree / "NOTICE").read_text() == "the notice"
    assert [c["config_name"] for c in front(tree)["configs"]] == ["queries", "gallery", "labels"]


def test_eval_yaml_lists_the_tasks_of_results(tmp_path, dry_run):
    code, tree, _ = dry_run(write_source(tmp_path / "source"), "--eval-yaml", "--eval-framework", "mteb")
    assert code == 0
    content = yaml.safe_load((tree / "eval.yaml").read_text())
    assert content["evaluation_framework"] == "mteb"
    assert [task["id"] for task in content["tasks"]] == [task.id for task in results.TASKS]
    assert content["tasks"][0] == {"id": "it2it_clean", "config": "queries", "split": "test"}


# --- the dataset, on the Hub

READ_BACK = """
import hashlib, json, datasets
digests = dict.fromkeys(datasets.get_dataset_config_names("org/bench"))
for name in NAMES:
    rows = datasets.load_dataset("org/bench", name, split="test")
    if "image" in rows.column_names:
        rows[0]["image"].load()
        rows = rows.cast_column("image", datasets.Image(decode=False))
    digests[name] = hashlib.sha256(repr(list(rows)).encode()).hexdigest()
default = datasets.load_dataset("org/bench", split="test").num_rows
streamed = len(list(datasets.load_dataset("org/bench", "joint_mosaic_charswap", split="test", streaming=True)))
print(json.dumps([digests, default, streamed]))
"""


def _raw():
    import datasets

    return datasets.Image(decode=False)


_RAW = _raw()


def test_every_config_in_one_commit_comes_back_bit_for_bit(tmp_path, hub, push, stock):
    import snapbench

    source = write_source(tmp_path / "source")
    code, out, err = push(["dataset", "org/bench", "--source", source, "--all"])
    assert code == 0, err
    assert "/commit/" in out
    assert len(hub.log) < 100
    repo = hub.repos["dataset", "org/bench"]
    assert len(repo.history()) == 2
    assert not [path for path in repo.files() if path.endswith(".py")]
    assert card_errors(repo.files()["README.md"].decode(), "dataset") == []
    names = ["clean", "gallery", "labels", "joint_mosaic_charswap", "text_wordswap"]
    digests, default, streamed = stock(f"NAMES = {names}\n{READ_BACK}")
    assert list(digests) == list(dict.fromkeys(["queries", "gallery", "labels", *listed_configs()]))
    assert len(digests) > 61
    assert (default, streamed) == (3, 9)
    for name in names:
        rows = snapbench.load(name, source=source, cache_dir=str(tmp_path / "local"))
        rows = rows.cast_column("image", _RAW) if "image" in rows.column_names else rows
        assert digests[name] == digest(list(rows)), name
    rows = snapbench.load("queries", source=source, cache_dir=str(tmp_path / "local"))
    assert rows[1]["text"] == rows[1]["entity"] == NASTY


def test_restricted_data_go_to_a_private_repository_or_nowhere(tmp_path, hub, push):  # P63
    source = write_source(tmp_path / "source", "research only")
    hub.create("dataset", "org/public")
    base = ["dataset", "org/bench", "--source", source]
    refused, public, private, images, accepted = push(
        base,
        ["dataset", "org/public", "--source", source, "--private"],
        [*base, "--private"],
        ["dataset", "org/images", "--source", source, "--private", "--with-images"],
        ["dataset", "org/public", "--source", source, "--accept-license"],
    )
    assert "'research-only'" in message(refused)
    assert "--private" in message(refused)
    assert "is public" in message(public)
    assert [outcome[0] for outcome in (private, images, accepted)] == [0, 0, 0]
    repo = hub.repos["dataset", "org/bench"]
    assert repo.private
    assert {path.partition("/")[0] for path in repo.files()} == {"README.md", "snapbench.json", "recipe"}
    assert hub.repos["dataset", "org/images"].private
    assert "data/clean/test-00000-of-00001.parquet" in hub.repos["dataset", "org/images"].files()
    assert not [path for path in hub.repos["dataset", "org/public"].files() if path.startswith("data/")]
    card = repo.files()["README.md"].decode()
    assert card_errors(card, "dataset") == []
    assert "license_name: research-only" in card


def test_an_interrupted_upload_is_resumed(tmp_path, hub, environment, push):
    source = write_source(tmp_path / "source")
    command = ["dataset", "org/bench", "--source", str(source), "-c", "text_charadd", "-c", "image_rotation_s2"]
    hub.fail(r"POST .*/commit/", delay=60)
    process = subprocess.Popen(
        [sys.executable, "-c", COMMANDS, json.dumps([[TOKEN, command]])],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while not hub.requests("POST .*/commit/") and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
    process.wait()
    uploaded = len(hub.requests("PUT /_lfs/"))
    assert uploaded == 5
    repo = hub.repos["dataset", "org/bench"]
    assert repo.files() == {}
    hub.faults.clear()
    lost = next(iter(hub.blobs))
    del hub.blobs[lost]  # as if this one had not arrived
    code, _, err = push(command)
    assert code == 0, err
    assert len(hub.requests("PUT /_lfs/")) == uploaded + 1
    assert len(repo.history()) == 2
    assert len([path for path in repo.files() if path.endswith(".parquet")]) == 5


# --- the metric


LOAD_METRIC = """
import json, evaluate
metric = evaluate.load("org/snap-metric")
print(json.dumps(metric.compute(predictions=[["g1", "g2"], ["g3", "g1"]], references=[["g2"], ["g3", "g7"]])))
"""


def test_the_metric_works_from_its_space_without_this_package(hub, push, stock):
    first, again = push(["metric", "org/snap-metric"], ["metric", "org/snap-metric"])
    assert first[0] == again[0] == 0, first
    assert "nothing new" in again[1]
    repo = hub.repos["space", "org/snap-metric"]
    assert repo.sdk == "gradio"
    assert len(repo.history()) == 2
    files = repo.files()
    assert {"README.md", "app.py", "requirements.txt", "snap-metric.py"} < set(files)
    assert card_errors(files["README.md"].decode(), "space") == []
    data, body = cards.split_card(files["README.md"])
    assert (data["sdk"], data["app_file"], data["tags"]) == ("gradio", "app.py", ["evaluate", "metric"])
    assert 'evaluate.load("org/snap-metric")' in body
    assert b"snap-metric.py" in files["app.py"]
    result = stock(LOAD_METRIC)
    assert (result["recall_at_1"], result["mrr"]) == (50.0, 75.0)


# --- results


READ_RESULTS = """
import json, yaml
from huggingface_hub import ModelCard, hf_hub_download, parse_eval_result_entries
entries = parse_eval_result_entries(yaml.safe_load(open(hf_hub_download("me/model", ".eval_results/snapbench.yaml"))))
card = ModelCard.load("me/model")
print(json.dumps([[e.task_id for e in entries], [r.metric_value for r in card.data.eval_results]]))
"""


def test_results_are_published_updated_and_leave_others_alone(hub, push, stock, run_file):
    theirs = [
        {"dataset": {"id": "cais/hle", "task_id": "hle"}, "value": 20.9, "date": "2025-01-01", "notes": NASTY},
        {"dataset": {"id": "yefd/SnapBench", "task_id": "it2it_clean"}, "value": 1.0, "notes": "an older run"},
    ]
    other = yaml.safe_dump([{"dataset": {"id": "yefd/SnapBench", "task_id": "it2it_clean"}, "value": 3}])
    card = cards.join_card({"license": "mit", "tags": ["x"]}, "# Model\n\nText.\n")
    repo = hub.create(
        "model",
        "me/model",
        {
            ".eval_results/snapbench.yaml": yaml.safe_dump(theirs).encode(),
            ".eval_results/other.yaml": other.encode(),
            "README.md": card,
        },
    )
    base = ["results", run_file, "--model", "me/model"]
    plain, full, again, request = push(
        [*base, "--source-url", "https://example.org/run"],
        [*base, "--model-index", "--card"],
        [*base, "--model-index", "--card"],
        [*base, "--create-pr", "--source-url", "https://example.org/other"],
    )
    assert [outcome[0] for outcome in (plain, full, again, request)] == [0, 0, 0, 0], request
    assert "nothing new" in again[1]
    assert "/discussions/1" in request[1]
    assert len(repo.history()) == 3
    assert len(repo.history("refs/pr/1")) == 4

    files = repo.files()
    assert files[".eval_results/other.yaml"] == other.encode()
    content = files[".eval_results/snapbench.yaml"].decode()
    assert eval_result_errors(content) == []
    entries = yaml.safe_load(content)
    assert entries[0] == theirs[0]
    values = {entry["dataset"]["task_id"]: entry for entry in entries[1:]}
    assert next(iter(values)) == "it2it_clean"
    assert len(values) == len(entries) - 1 == len(results.TASKS)
    summary = make_run()["results"]["fixed"]
    assert values["it2it_clean"]["value"] == round(summary["recall_at_1"], 4)
    assert values["it2it_image_s3"]["value"] == round(summary["averages"]["it2it"]["image"]["s3"]["recall_at_1"], 4)
    assert values["drag"]["value"] == round(summary["drag"]["value"], 4)
    assert values["it2it_clean"]["dataset"]["revision"] == "c5e780a"
    assert "percent, 0 to 100" in values["it2it_clean"]["notes"]

    text = files["README.md"].decode()
    assert card_errors(text, "model") == []
    data, body = cards.split_card(files["README.md"])
    assert (data["license"], data["tags"]) == ("mit", ["x"])
    assert len(data["model-index"][0]["results"]) == len(results.TASKS)
    assert body.startswith("# Model\n\nText.\n")
    assert body.count("snapbench:start") == 1
    with Image.open(io.BytesIO(files["snapbench.png"])) as picture:
        assert picture.size == (1200, 750)

    read = stock(READ_RESULTS)
    assert read[0] == ["hle", *(task.id for task in results.TASKS)]
    assert read[1] == [value.value for value in results.read_values(make_run())]


@pytest.mark.parametrize(
    ("changes", "arguments", "hint"),
    [
        ({"label": "SnapBench-sample"}, (), "built-in sample"),
        ({"label": "SnapBench-sample"}, ("--dataset", "me/own"), "built-in sample"),
        ({"label": "custom"}, (), "--dataset"),
        ({"settings": {"seed": 0, "question": "empty"}}, (), "question='empty'"),
        ({"settings": {"seed": 0, "limit": 10}}, (), "limit=10"),
        ({"counts": {"n_queries": 60, "n_gallery": 300, "n_errored": 2}}, (), "2 queries"),
        ({"results": {"fixed": {"conditions": {"i2i": {}}}}}, (), "headline"),
        ({"results": {}}, (), "damaged run file: results.fixed"),
        ({"schema_version": 99}, (), "schema version 99"),
        ({"kind": "something"}, (), "not a SnapBench run file"),
        ({}, ("--source-url", "javascript:alert(1)"), "must be a web address"),
    ],
)
def test_what_is_no_benchmark_result_is_refused(tmp_path, capsys, changes, arguments, hint):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(make_run(**changes)))
    folder = tmp_path / "tree"
    with pytest.raises(SystemExit) as stop:
        push_to_hub.main(["results", str(path), "--model", "me/model", "--dry-run", str(folder), *arguments])
    assert stop.value.code == 1
    assert hint in capsys.readouterr().err
    assert not folder.exists()


def test_an_interaction_gap_over_other_pairs_is_not_published(tmp_path, dry_run):
    run = make_run()
    run["results"]["fixed"]["gamma_int"]["pairs"].pop("joint_mosaic_charswap")
    for name, record, there in (("all", make_run(), True), ("five", run, False)):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(record))
        arguments = ("--model", "me/model", "--model-index")
        code, tree, err = dry_run(None, *arguments, folder=name, command="results", repo=str(path))
        assert code == 0, err
        assert ("gamma_int" in (tree / ".eval_results/snapbench.yaml").read_text()) == there
        metrics = cards.split_card((tree / "README.md").read_bytes())[0]["model-index"][0]["results"]
        assert all("; 60 queries)" in result["metrics"][0]["name"] for result in metrics)
        assert "95 % interval" in metrics[0]["metrics"][0]["name"]


def test_results_on_own_data_go_under_their_own_name(tmp_path):
    path = tmp_path / "run.json"
    run = make_run("custom")
    run["source"] |= {"name": "/home/me/data", "revision": None}
    path.write_text(json.dumps(run))
    with pytest.raises(SystemExit) as stop:
        push_to_hub.main(
            ["results", str(path), "--model", "me/m", "--dataset", "me/own", "--dry-run", str(tmp_path / "t"), "--card"]
        )
    assert not stop.value.code
    entries = yaml.safe_load((tmp_path / "t/.eval_results/snapbench.yaml").read_text())
    assert {entry["dataset"]["id"] for entry in entries} == {"me/own"}
    everything = "".join(f.read_text("utf-8", "ignore") for f in (tmp_path / "t").rglob("*.*") if f.is_file())
    assert "/home/me" not in everything


@pytest.mark.parametrize("content", ["- [", "dataset: x", "- text"])
def test_a_results_file_that_cannot_be_read_is_left_alone(tmp_path, capsys, run_file, content):
    file = tmp_path / "tree" / ".eval_results" / "snapbench.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(content)
    with pytest.raises(SystemExit) as stop:
        push_to_hub.main(["results", str(run_file), "--model", "me/m", "--dry-run", str(tmp_path / "tree")])
    assert stop.value.code == 1
    assert "mend or remove" in capsys.readouterr().err
    assert file.read_text() == content


# --- trouble


def test_rights_and_names(hub, push, run_file):
    hub.create("model", "me/model", {})
    to_model = ["results", run_file, "--model", "me/model"]
    cases = [
        ("hf_wrong_token", to_model, "doesn't know this token"),
        ("hf_wrong_token", ["metric", "org/new"], "doesn't know this token"),
        ("hf_local_read", to_model, "may not write"),
        ("hf_local_read", to_model, "is as it was"),
        ("hf_local_read", ["metric", "org/new"], "may not write"),
        ("", ["metric", "org/new"], "HF_TOKEN"),
        (TOKEN, ["results", run_file, "--model", "me/absent"], "there is no model 'me/absent'"),
        (TOKEN, [*to_model, "--revision", "nowhere"], "no revision 'nowhere'"),
        (TOKEN, ["results", run_file, "--model", "model"], "user/name"),
        (TOKEN, ["results", "/nowhere/run.json", "--model", "me/model"], "no run file"),
    ]
    outcomes = push(*(command for _, command, _ in cases), tokens=[token for token, _, _ in cases])
    for outcome, (_, _, hint) in zip(outcomes, cases, strict=True):
        assert hint in message(outcome)
    assert ("space", "org/new") not in hub.repos
    assert len(hub.repos["model", "me/model"].history()) == 1


def test_network_trouble_is_retried_and_bounded(hub, push, run_file):
    repo = hub.create("model", "me/model", {})
    hub.fail("POST .*/commit/", status=503)
    hub.fail("POST .*/commit/", cut=True)
    hub.fail("POST .*/preupload/", delay=1)
    command = ["results", run_file, "--model", "me/model"]
    code, _, err = push(command)
    assert code == 0, err
    assert len(hub.requests("POST .*/commit/")) == 3
    assert len(repo.history()) == 2
    hub.fail("POST .*/commit/", lose=True)
    code, out, err = push([*command, "--source-url", "https://example.org/lost"])
    assert code == 0, err
    assert repo.refs["main"] in out  # the commit had arrived: found when the push looked again
    assert len(repo.history()) == 3
    hub.fail("POST .*/commit/", times=100, status=500)
    failed = push([*command, "--retries", "1", "--source-url", "https://example.org"])
    assert "failed 2 times" in message(failed)
    assert "try again later" in message(failed)
    assert len(repo.history()) == 3
    created = push(["metric", "org/new", "--retries", "0"])
    assert "Whether the commit arrived is unknown" in message(created)
    hub.close()
    unreachable = push([*command, "--retries", "0"])
    assert "failed 1 time (" in message(unreachable)


def test_a_commit_answered_by_an_error_may_have_arrived(hub, push, run_file):
    """Said as unknown; and a pull request is not opened a second time."""
    repo = hub.create("model", "me/model", {})
    command = ["results", run_file, "--model", "me/model"]
    hub.fail("POST .*/commit/", lose=True)
    assert "Whether the commit arrived is unknown" in message(push([*command, "--retries", "0"]))
    hub.fail("POST .*/commit/", lose=True)
    lost = push([*command, "--create-pr", "--source-url", "https://example.org"])
    assert "Whether the pull request was opened is unknown" in message(lost)
    assert len([ref for ref in repo.refs if ref.startswith("refs/pr/")]) == 1


def test_a_silent_server_is_given_up(hub, environment, run_file):
    hub.create("model", "me/model", {})
    hub.fail("GET .*", times=100, delay=20)
    script = (
        "import sys; from snapbench.publishing import destination; destination.PATIENCE = 1; "
        "from snapbench.push_to_hub import main; main(sys.argv[1:])"
    )
    command = ["results", str(run_file), "--model", "me/model", "--retries", "1"]
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", script, *command], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 1
    assert "failed 2 times" in done.stderr
    assert time.monotonic() - start < 18


def test_eval_yaml_is_a_commit_of_its_own_and_keeps_what_is_there(tmp_path, hub, push):
    source = write_source(tmp_path / "source")
    mine = {"name": "Mine", "tasks": [{"id": "other", "config": "x"}, {"id": "it2it_clean", "config": "old"}]}
    repo = hub.create("dataset", "me/bench", {"eval.yaml": yaml.safe_dump(mine).encode()})
    command = ["dataset", "me/bench", "--source", source, "--eval-yaml"]
    code, _, err = push(command)
    assert code == 0, err
    assert len(repo.history()) == 3
    content = yaml.safe_load(repo.files()["eval.yaml"])
    assert content["name"] == "Mine"
    assert content["tasks"][0] == {"id": "other", "config": "x"}
    assert [task["id"] for task in content["tasks"][1:]] == [task.id for task in results.TASKS]
    assert content["tasks"][1]["config"] == "queries"
    hub.fail("POST .*/commit/")  # the first one passes
    hub.fail("POST .*/commit/", status=400)
    refused = push(["dataset", "me/other", "--source", source, "--eval-yaml"])
    assert "me/other is as it was (commit" in message(refused)
    assert "README.md" in hub.repos["dataset", "me/other"].files()


def test_rows_that_cannot_be_made_leave_no_repository(tmp_path, hub, push):
    source = write_source(tmp_path / "source")
    (source / "q1.png").write_bytes(b"nope")
    outcome = push(["dataset", "me/bench", "--source", source])
    assert "query 'q1'" in message(outcome)
    assert ("dataset", "me/bench") not in hub.repos
    assert "no revision 'v2'" in message(push(["metric", "me/snap", "--revision", "v2"]))
    assert ("space", "me/snap") not in hub.repos


def test_the_same_dataset_again_is_nothing_new(tmp_path, hub, push):
    source = write_source(tmp_path / "source")
    card = b"---\nlicense: mit\n# a note\ntags:\n- mine\n---\n# Mine\n"
    hub.create("dataset", "me/bench", {"README.md": card})
    command = ["dataset", "me/bench", "--source", source]
    first, second = push(command), push(command)
    assert first[0] == second[0] == 0, (first, second)
    assert "(nothing new)" in second[1]


@pytest.mark.parametrize("name", ["rows", "summary", "app", "json", "evaluate", "snap.bench", "1st"])
def test_a_space_that_could_not_be_loaded_is_refused(name, capsys, tmp_path):
    with pytest.raises(SystemExit):
        push_to_hub.main(["metric", f"me/{name}", "--dry-run", str(tmp_path / "tree")])
    assert "can't be loaded as a module of that name" in capsys.readouterr().err
    assert not (tmp_path / "tree").exists()


def test_a_commit_in_between_starts_the_push_over(tmp_path, hub, push, run_file):
    repo = hub.create("model", "me/model", {})
    theirs = yaml.safe_dump([{"dataset": {"id": "a/b", "task_id": "t"}, "value": 1}]).encode()

    def interfere():
        repo.commit({**repo.files(), results.RESULTS_FILE: theirs}, "theirs", "main", repo.refs["main"])

    hub.fail("POST .*/commit/", action=interfere)
    command = ["results", run_file, "--model", "me/model"]
    code, _, err = push(command)
    assert code == 0, err
    assert len(hub.requests("POST .*/commit/")) == 2
    entries = yaml.safe_load(repo.files()[results.RESULTS_FILE])
    assert entries[0] == {"dataset": {"id": "a/b", "task_id": "t"}, "value": 1}
    assert len(entries) == 1 + len(results.TASKS)
    before = len(repo.history())
    hub.fail("POST .*/commit/", times=100, action=interfere)
    assert "others committed 3 times" in message(push([*command, "--source-url", "https://example.org"]))
    assert len(repo.history()) == before + 3


def test_a_branch_and_a_pull_request(hub, push):
    repo = hub.create("space", "org/snap", {"README.md": b"---\ntitle: Mine\nsdk: static\n---\n# Mine\n"})
    repo.refs["next"] = repo.refs["main"]
    branch, request = push(["metric", "org/snap", "--revision", "next"], ["metric", "org/snap", "--create-pr"])
    assert branch[0] == request[0] == 0, request
    assert len(repo.history("main")) == 1
    for ref in ("next", "refs/pr/1"):
        data, body = cards.split_card(repo.files(ref)["README.md"])
        assert (data["title"], data["sdk"]) == ("Mine", "gradio")
        assert body.startswith("# Mine\n")
        assert "snap.py" in repo.files(ref)


def test_push_is_a_command_from_a_checkout(tmp_path, environment):
    script = Path(push_to_hub.__file__)
    done = subprocess.run(
        [sys.executable, script, "metric", "me/snap", "--dry-run", tmp_path / "tree"],
        env=environment,
        cwd=script.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tree" / "snap.py").is_file()


# --- rules


@pytest.mark.parametrize(
    "name", [*licenses.OPEN, *licenses.RESTRICTED, "Research only (see LICENSE)", "", "Ünïcode", NASTY]
)
def test_card_licenses_are_ones_the_hub_accepts(name):
    card = cards.join_card(licenses.card_license(name), "")
    assert card_errors(card.decode(), "dataset") == []
    assert licenses.is_open(name) == (name in licenses.OPEN)


def test_one_citation_everywhere():
    from snapbench.citation import CITATION
    from snapbench.snapbench_dataset import SnapBench
    from snapbench.snapbench_metric import snapbench_metric

    assert SnapBench(config_name="queries", source="sample").info.citation == CITATION
    assert snapbench_metric._CITATION == CITATION


def test_license_lists_do_not_overlap():
    assert not licenses.OPEN & licenses.RESTRICTED
    assert licenses.OPEN | licenses.RESTRICTED <= LICENSES
    assert not [name for name in licenses.OPEN if "nc" in name.split("-") or "nd" in name.split("-")]


@pytest.mark.parametrize("text", [NASTY, "a|b", "[x](http://y)", "<!-- snapbench:end -->", "# head", "\\|", "$x$"])
def test_data_in_a_card_stays_data(text):
    shown = cards.plain(text)
    assert "\n" not in shown
    assert "<" not in shown
    row = cards.table(["a", "b"], [[shown, "c"]]).splitlines()[-1]
    assert len([bar for bar in row.replace("\\\\", "").replace("\\|", "") if bar == "|"]) == 3
    data, body = cards.split_card(cards.join_card({"title": text}, cards.with_section("", shown)))
    assert data == {"title": text}
    assert shown in body
    assert cards.with_section(body, "new").count("new") == 1


@pytest.mark.parametrize(("rows", "size"), [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (10_230, "10K<n<100K")])
def test_size_category(rows, size):
    assert size_category(rows) == size
