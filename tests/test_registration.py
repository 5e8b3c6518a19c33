"""The bare name, in fresh processes: from anywhere, with no network, with nothing of ours imported first."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest
from layouts import write_github

import snapbench
from snapbench import registration

PACKAGE = Path(snapbench.__file__).parent

# Sockets are refused and counted: a library that falls back after a failed attempt is caught, too.
NO_NETWORK = """
import socket
attempts = []
def refuse(*arguments, **keywords):
    attempts.append(arguments[-1:])
    raise OSError("this test allows no network")
for name in ("connect", "connect_ex", "sendto"):
    setattr(socket.socket, name, refuse)
socket.create_connection = socket.getaddrinfo = socket.gethostbyname = refuse
"""

LITERAL_CALLS = """
import logging, sys
logging.lastResort.setLevel(logging.WARNING)
from datasets import get_dataset_config_names, load_dataset
assert "joint_mosaic_charswap" in get_dataset_config_names("snapbench")
rows = load_dataset("snapbench", "joint_mosaic_charswap")["test"]
assert sorted(set(rows["severity"])) == [1, 2, 3], rows
stream = load_dataset("snapbench", "image_lowlight_s3", split="test", streaming=True)
row = next(iter(stream))
assert (row["image_operator"], row["severity"], row["image"].mode) == ("low_light", 3, "RGB"), row
assert load_dataset("snapbench", split="test")[0]["condition"] == "clean"
import evaluate
metric = evaluate.load("snapbench")
result = metric.compute(predictions=[["g1", "g2"]], references=[["g2"]])
assert (result["recall_at_1"], result["recall_at_5"]) == (0.0, 100.0), result
assert type(metric).__module__ == "snapbench.snapbench_metric.snapbench_metric", type(metric)
ours = [f for f in sys.meta_path if getattr(f, "__module__", "") in ("_snapbench_autoload", "snapbench.registration")]
assert not ours, ours
assert not attempts, attempts
print("fine")
"""


def python(script: str, folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a script in a fresh process, in a folder of its own, with caches of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SNAPBENCH_", "HF_"))}
    folder.mkdir(parents=True, exist_ok=True)
    return subprocess.run(
        [sys.executable, *options, "-c", NO_NETWORK + script],
        cwd=environment.pop("cwd", str(folder)),
        env={**kept, "HF_HOME": str(folder / "hf"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_literal_calls_from_the_root_with_no_network(tmp_path: Path) -> None:
    source = str(write_github(tmp_path / "data"))
    done = python(LITERAL_CALLS, tmp_path / "a", cwd="/", SNAPBENCH_SOURCE=source)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr


def test_literal_calls_beside_a_folder_of_our_name_say_that_it_is_the_sample(tmp_path: Path) -> None:
    # A folder and a script named like us, which plain load_dataset would stumble over; and the hub declared offline.
    (tmp_path / "snapbench").mkdir()
    (tmp_path / "snapbench" / "snapbench.py").write_text("raise RuntimeError\n")
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}
    done = python(LITERAL_CALLS, tmp_path, "-I", **offline)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
    said = [line for line in done.stderr.splitlines() if "sample" in line]
    assert len(said) == 1, done.stderr
    assert 'source="yefd/SnapBench"' in said[0]


@pytest.mark.parametrize("files", [(), ("results.py",)], ids=["empty", "with a script"])
def test_a_folder_of_our_name_in_the_working_directory(files: tuple[str, ...], tmp_path: Path) -> None:
    # Python searches the working directory here; -I in the test above keeps it from that.
    (tmp_path / "snapbench").mkdir()
    for name in files:
        (tmp_path / "snapbench" / name).write_text("raise RuntimeError\n")
    done = python(LITERAL_CALLS, tmp_path)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
    done = python("import snapbench; print(snapbench.__version__)", tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{snapbench.__version__}\n"), done.stderr


@pytest.mark.parametrize("name", ["snapbench.py", "snapbench/__init__.py"])
def test_code_of_the_user_of_our_name_is_not_run(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("print('run')\nimport datasets\nprint(datasets.__name__)\n")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SNAPBENCH_", "HF_"))}
    done = subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, env=kept, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "run\ndatasets\n"), done.stderr
    done = python("import datasets; print(datasets.__name__)", tmp_path)
    assert (done.returncode, done.stdout) == (0, "datasets\n"), done.stderr
    assert f"RuntimeWarning: snapbench could not register with datasets.load: ImportError('snapbench is {path}" in (
        done.stderr
    )


def test_switched_off_and_registered_late(tmp_path: Path) -> None:
    script = """
import datasets, datasets.inspect, evaluate, sys
assert "snapbench" not in sys.modules
try:
    datasets.load_dataset("snapbench")
except Exception as error:
    print(type(error).__name__)
import snapbench
print(datasets.load_dataset_builder("snapbench").config.name, len(datasets.get_dataset_config_names("snapbench")) > 90)
print(evaluate.load("snapbench").compute(predictions=[["a"]], references=[["a"]])["recall_at_1"])
# Everything else passes through.
open("x.csv", "w").write("a\\n1\\n")
print(datasets.load_dataset("csv", data_files="x.csv", split="train")[0])
try:
    datasets.load_dataset("./snapbench")
except Exception as error:
    print("not ours")
"""
    done = python(script, tmp_path, SNAPBENCH_AUTOLOAD="0", HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1")
    lines = done.stdout.splitlines()
    assert lines[1:4] == ["queries True", "100.0", "{'a': 1}"], done.stderr
    assert lines[0] in ("DatasetNotFoundError", "ConnectionError", "FileNotFoundError")
    assert lines[4] == "not ours"


def test_import_is_light_and_in_any_order(tmp_path: Path) -> None:
    script = """
import snapbench, sys
heavy = {"torch", "transformers", "datasets", "evaluate", "numpy", "PIL", "cv2", "sklearn"} & set(sys.modules)
assert not heavy, heavy
assert {"load", "load_source", "load_adapter", "run", "corrupt_image"} <= set(dir(snapbench))
try:
    snapbench.laod
except AttributeError as error:
    print(error)
import evaluate
print(evaluate.load("snapbench").compute(predictions=[["a"]], references=[["b"]])["recall_at_1"])
from datasets import get_dataset_config_names
print(len(get_dataset_config_names("snapbench")) > 90)
assert not attempts
"""
    done = python(script, tmp_path, "-W", "error::RuntimeWarning")
    expected = "module 'snapbench' has no attribute 'laod'\n0.0\nTrue\n"
    assert (done.returncode, done.stdout) == (0, expected), done.stderr


def test_broken_package_is_a_warning_and_imports_go_on(tmp_path: Path) -> None:
    (tmp_path / "path" / "snapbench").mkdir(parents=True)
    (tmp_path / "path" / "snapbench" / "__init__.py").write_text("raise OSError('no such thing')\n")
    (tmp_path / "path" / "snapbench" / "registration.py").touch()
    done = python("import datasets; print(datasets.__name__)", tmp_path, PYTHONPATH=str(tmp_path / "path"))
    assert (done.returncode, done.stdout) == (0, "datasets\n"), done.stderr
    assert "RuntimeWarning: snapbench could not register with datasets.load: OSError('no such thing')" in done.stderr


def test_changed_library_is_a_warning() -> None:
    module = types.ModuleType("datasets.load")
    with pytest.warns(RuntimeWarning, match=r"could not register with datasets.load: AttributeError.*snapbench.load"):
        registration._patch_or_warn(module)


def test_two_copies_of_the_module_end(tmp_path: Path) -> None:
    code = f"""
import importlib.util, sys
import snapbench
spec = importlib.util.spec_from_file_location("copy_of_registration", {str(PACKAGE / "registration.py")!r})
copy = importlib.util.module_from_spec(spec)
spec.loader.exec_module(copy)
copy.register()
from datasets import load_dataset
print(load_dataset.__name__)
"""
    done = python(code, tmp_path)
    assert (done.returncode, done.stdout) == (0, "load_dataset\n"), done.stderr


def test_hook_is_small_and_complete() -> None:
    hook = PACKAGE / "autoload" / "_snapbench_autoload.py"
    tree = ast.parse(hook.read_text(encoding="utf-8"))
    at_start = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert [alias.name for node in at_start for alias in node.names] == ["sys"]
    # One file for Python up to 3.14, the other from 3.15 on (PEP 829), under one base name so that only one runs.
    old, new = (PACKAGE / "autoload" / f"snapbench-autoload.{kind}" for kind in ("pth", "start"))
    assert old.read_text().split() == ["import", "_snapbench_autoload;", "_snapbench_autoload.install()"]
    assert new.read_text().split() == ["_snapbench_autoload:install"]
    assert {"install", "Finder"} <= {
        node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }


def test_a_checkout_may_have_any_name(tmp_path):
    """An archive from a forge unpacks to name-branch, which is no name of a module."""
    root = Path(__file__).resolve().parents[1]
    checkout = tmp_path / "snapbench-main.1"
    (checkout / "tests").mkdir(parents=True)
    for name in ("__init__.py", "conftest.py", "pyproject.toml"):
        shutil.copy(root / name, checkout)
    (checkout / "tests" / "test_one.py").write_text("def test_one(): pass\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
