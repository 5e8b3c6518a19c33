"""Runs that are killed, interrupted, crowded or out of space: nothing is lost, nothing half-written is left."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from slow_run import CONDITIONS
from small_source import ColorsAndWords, write_source

from snapbench.evaluation import RunSettings, read_run, run
from snapbench.evaluation.cache import info
from snapbench.evaluation.runfile import VOLATILE
from snapbench.sources import load_source

SCRIPT = Path(__file__).with_name("slow_run.py")


@pytest.fixture
def source(tmp_path: Path):
    return load_source(write_source(tmp_path / "data"))


@pytest.fixture
def whole(tmp_path: Path, source) -> dict:
    """What an undisturbed run measures."""
    settings = RunSettings(conditions=CONDITIONS)
    return measured(
        run(ColorsAndWords(), source, settings=settings, output=tmp_path / "a", cache=tmp_path / "c").record
    )


def measured(record: dict) -> dict:
    return {key: value for key, value in record.items() if key not in VOLATILE}


def command(tmp_path: Path, source, seconds: float, output: str = "b") -> list[str]:
    places = (source.root, tmp_path / output, tmp_path / "cache", seconds)
    return [sys.executable, str(SCRIPT), *map(str, places)]


def start(arguments: list[str]) -> subprocess.Popen:
    # A shell's background jobs ignore Ctrl-C, and so would what they start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, before)


def wait_for_shards(tmp_path: Path, process: subprocess.Popen, count: int) -> None:
    deadline = time.monotonic() + 100
    while len(list((tmp_path / "cache").glob("*/*.safetensors"))) < count:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def finish(arguments: list[str]) -> dict:
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return read_run(done.stdout.strip())


def test_killed_twice_it_continues_and_ends_the_same(tmp_path, source, whole):
    for shards in (2, 5):
        process = start(command(tmp_path, source, 0.3))
        wait_for_shards(tmp_path, process, shards)
        process.kill()
        process.communicate()
        assert not list((tmp_path / "b").glob("*/run.json"))
    resumed = finish(command(tmp_path, source, 0))
    assert measured(resumed) == whole
    assert resumed["encoder"]["encoded"] < resumed["encoder"]["distinct"]


@pytest.mark.slow
def test_killed_at_ten_random_moments_each_ends_the_same(tmp_path, source, whole):
    moments = np.random.default_rng(0).uniform(0, 6, size=10)
    for number, seconds in enumerate(moments):
        folder = tmp_path / str(number)
        folder.mkdir()
        process = start(command(folder, source, 0.25))
        time.sleep(seconds)
        process.kill()
        process.communicate()
        assert measured(finish(command(folder, source, 0))) == whole, seconds


def test_interrupted_by_the_keyboard_it_keeps_what_it_has(tmp_path, source, whole):
    process = start(
        [
            *(sys.executable, "-m", "snapbench.cli", "run", "--adapter", f"{SCRIPT.with_name('small_source.py')}:Slow"),
            *("--source", str(source.root), "--output", str(tmp_path / "b"), "--cache", str(tmp_path / "cache")),
            *("--conditions", ",".join(condition.id for condition in CONDITIONS)),
        ]
    )
    # The first role's vectors are written when its stream ends; then the queries' are in the making.
    wait_for_shards(tmp_path, process, 2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "start the same command again" in errors
    assert info(tmp_path / "cache").vectors > 0
    assert not list((tmp_path / "b").glob("*/run.json"))
    resumed = finish(command(tmp_path, source, 0))
    assert measured(resumed)["results"] == whole["results"]
    assert resumed["encoder"]["encoded"] < resumed["encoder"]["distinct"]


def test_two_processes_share_a_cache_and_lose_nothing(tmp_path, source, whole):
    processes = [start(command(tmp_path, source, 0.05, output)) for output in ("b", "d")]
    for process in processes:
        out, errors = process.communicate(timeout=100)
        assert process.returncode == 0, errors
        assert measured(read_run(out.strip())) == whole
    assert finish(command(tmp_path, source, 0, "e"))["encoder"]["encoded"] == 0


def test_a_full_disk_is_an_error_and_leaves_no_half_run(tmp_path, source, whole):
    limit = "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000)); " + (
        f"sys.path.insert(0, {str(SCRIPT.parent)!r}); sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], "
        "run_name='__main__')"
    )
    arguments = command(tmp_path, source, 0)
    done = subprocess.run([arguments[0], "-c", limit, *arguments[1:]], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert not list((tmp_path / "b").glob("*/run.json*"))
    assert not list((tmp_path / "b").glob("*/*.part"))
    assert measured(finish(arguments)) == whole
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 8000


def test_an_output_folder_that_cant_be_made_is_known_before_any_work(tmp_path, source):
    (tmp_path / "file").write_text("")
    model = ColorsAndWords()
    with pytest.raises(OSError, match="file"):
        run(model, source, output=tmp_path / "file" / "below", cache=tmp_path / "cache")
    assert model.rows == 0
