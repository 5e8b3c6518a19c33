"""Two CPU processes split the work and give what one gives."""

import json
import os
import socket
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow.parquet
import pytest
import tiny_models
from small_source import write_source

from snapbench.adapters import load_adapter

SCRIPT = """
import sys
import numpy as np
from PIL import Image
from snapbench.adapters import load_adapter
from snapbench.adapters.distributed import follow

adapter = load_adapter(sys.argv[1], device="cpu")
if not follow(adapter):
    images = [Image.new("RGB", (40 + 10 * i, 40), (30 * i, 90, 200)) for i in range(5)]
    texts = ["bridge " * n for n in (1, 2, 3, 200, 1, 2, 9)]
    np.savez(sys.argv[2], images=adapter.encode(images=images), texts=adapter.encode(texts=texts),
             one=adapter.encode(texts=["a tulip"], role="gallery"), n_truncated=adapter.n_truncated)
"""

FAILING = """
import sys
from snapbench.adapters import load_adapter
from snapbench.adapters.distributed import follow

class Picky:
    def encode(self, texts=None):
        if "bad" in texts:
            raise ValueError("bad text")
        return [[1.0, len(text)] for text in texts]

adapter = load_adapter(Picky())
if not follow(adapter):
    try:
        adapter.encode(texts=["a", "b", "c", "bad"])
    except RuntimeError as error:
        print(error)
    print(adapter.encode(texts=["a", "b"]).shape)
"""


def environment(**more):
    keep = {key: value for key, value in os.environ.items() if key not in ("RANK", "WORLD_SIZE", "LOCAL_RANK")}
    return {**keep, "OMP_NUM_THREADS": "1", **more}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def run_on_two(script, *arguments):
    """Runs a script on both ranks and returns what they printed."""
    return launch_two([sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)])


def launch_two(command):
    """Starts a command twice as torchrun would and returns what each printed."""
    port = free_port()
    ranks = [
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(
                RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT=port
            ),
        )
        for rank in range(2)
    ]
    results = [rank.communicate(timeout=240) for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0], results
    return [out for out, _ in results]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tiny_models.clip(tmp_path_factory.mktemp("clip"))
    target = folder.parent / "one.npz"
    subprocess.run([sys.executable, "-c", SCRIPT, folder, target], check=True, capture_output=True, env=environment())
    return folder, dict(np.load(target))


def check(found, expected):
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, atol=1e-5, err_msg=name)


def test_two_processes_give_what_one_gives(expected, tmp_path):
    folder, one = expected
    assert one["n_truncated"] == 1
    run_on_two(SCRIPT, folder, tmp_path / "two.npz")
    check(np.load(tmp_path / "two.npz"), one)


@pytest.mark.slow
def test_under_accelerate_launch(expected, tmp_path):
    pytest.importorskip("accelerate")
    folder, one = expected
    (tmp_path / "script.py").write_text(SCRIPT)
    launch = [sys.executable, "-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2"]
    options = ["--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"]
    place = ["--main_process_port", free_port()]
    command = [*launch, *options, *place, tmp_path / "script.py", folder, tmp_path / "two.npz"]
    subprocess.run(command, check=True, capture_output=True, env=environment(), timeout=300)
    check(np.load(tmp_path / "two.npz"), one)


def test_a_failing_rank_is_reported_and_the_others_go_on():
    first, second = run_on_two(FAILING)
    assert "rank 1 of 2 failed: ValueError: bad text (items counted from 2)" in first
    assert "(2, 2)" in first
    assert not second


def test_one_process_needs_no_group(expected):
    from snapbench.adapters.distributed import DistributedAdapter, follow

    adapter = load_adapter(expected[0], device="cpu")
    assert not isinstance(adapter, DistributedAdapter)
    assert not follow(adapter)


PAIR = """
import sys
from PIL import Image
from snapbench.adapters import load_adapter
from snapbench.adapters.distributed import follow

adapter = load_adapter(f"pair:{sys.argv[1]},{sys.argv[1]}", device="cpu")
if not follow(adapter):
    try:
        adapter.encode(images=[Image.new("RGB", (9, 9)), None], texts=[None, "a"])
    except ValueError as error:
        print(error)
"""


def test_rows_of_both_kinds_are_refused_by_a_pair_however_they_are_shared_out(expected):
    """Each of two ranks would get rows of one kind, and could not tell."""
    first, _ = run_on_two(PAIR, expected[0])
    assert "has separate spaces for images and texts" in first


@pytest.mark.slow
def test_the_command_on_two_ranks_measures_what_one_process_measures(tmp_path):
    source = write_source(tmp_path / "source", n_queries=5)
    command = [sys.executable, "-m", "snapbench.cli", "run", "--adapter", "tiny", "--device", "cpu", "--limit", "4"]
    command += ["--source", str(source), "--conditions", "clean,text_charswap,image_mosaic_s2,joint_mosaic_charswap_s2"]

    def measured(name, start):
        # Caches of their own, so that the second run encodes everything again.
        start([*command, "--output", str(tmp_path / name), "--cache", str(tmp_path / f"{name}-cache")])
        (folder,) = (tmp_path / name).iterdir()
        ranks = pyarrow.parquet.read_table(folder / "ranks.parquet").to_pylist()
        record = json.loads((folder / "run.json").read_text())
        return ranks, record["results"], record["encoder"], record["counts"]

    one = measured("one", lambda line: subprocess.run(line, check=True, capture_output=True, env=environment()))
    printed = []
    two = measured("two", lambda line: printed.extend(launch_two(line)))
    assert len(one[0]) >= 4
    assert two == one
    assert "run.json" in printed[0]
    assert printed[1] == ""
