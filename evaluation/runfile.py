"""The run file: what was measured, on what, with what; strict JSON, and a Parquet table of ranks beside it.

``run.json`` is written last and in one step, so a folder that has one holds a finished run.
"""

from __future__ import annotations

import json
import math
import os
import platform
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..atomic import one_step

SCHEMA_VERSION = 1
RUN_FILE = "run.json"
RANKS_FILE = "ranks.parquet"
VOLATILE = ("created", "timings", "encoder", "hardware")
"""Parts of a run file that two runs of the same thing don't share: clock times and what the cache had."""

_PACKAGES = (
    "snapbench",
    "datasets",
    "evaluate",
    "huggingface_hub",
    "numpy",
    "opencv-python-headless",
    "pillow",
    "sentence-transformers",
    "torch",
    "transformers",
)


def package_versions() -> dict[str, str | None]:
    """Versions of the packages that numbers depend on; None for one that isn't installed."""

    def installed(name: str) -> str | None:
        try:
            return version(name)
        except PackageNotFoundError:
            return None

    return {"python": platform.python_version(), **{name: installed(name) for name in _PACKAGES}}


def hardware() -> dict[str, Any]:
    """Where timings were taken: machine, processor, cores, and the accelerators that torch sees (if it is loaded)."""
    torch = sys.modules.get("torch")
    cuda = torch.cuda if torch is not None and torch.cuda.is_available() else None
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "accelerators": [cuda.get_device_name(i) for i in range(cuda.device_count())] if cuda else [],
    }


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Writes strict JSON (no NaN) beside the final name, then moves it into place."""
    with one_step(path) as temporary:
        temporary.write_text(json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False) + "\n", encoding="utf-8")


def write_ranks(path: Path, table: pa.Table) -> None:
    """Writes the table of ranks beside its final name, then moves it into place."""
    with one_step(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def read_run(path: str | Path) -> dict[str, Any]:
    """Reads a run file, or the one of a run's folder.

    Raises:
        FileNotFoundError: no such file; in a folder, no finished run.
        ValueError: not a run file, or of a schema that this version doesn't read.
    """
    path = Path(path)
    if path.is_dir():
        path = path / RUN_FILE
    if not path.is_file():
        raise FileNotFoundError(f"no run file at {path}; `snapbench run` writes one at the end of a run")
    try:
        run = json.loads(path.read_text(encoding="utf-8"), parse_constant=_finite, parse_float=_finite)
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}") from error
    except RecursionError as error:
        raise ValueError(f"{path} is not JSON of a run: it is nested too deeply") from error
    if not isinstance(run, dict) or run.get("kind") != "snapbench-run":
        raise ValueError(f'{path} is not a SnapBench run file (no "kind": "snapbench-run")')
    if run.get("schema_version") != SCHEMA_VERSION:
        raise ValueError(
            f"{path} has schema version {run.get('schema_version')!r}, this version reads {SCHEMA_VERSION}; "
            "repeat the run, or use the release that wrote it (packages.snapbench in the file)"
        )
    lacking = [name for name in _MEMBERS if not isinstance(run.get(name), dict)]
    if not lacking and not isinstance(run["results"].get("fixed"), dict):
        lacking = ["results.fixed"]
    if lacking:
        raise ValueError(f"{path} is a damaged run file: {', '.join(lacking)} is missing or no object; repeat the run")
    return run


def _finite(text: str) -> float:
    """A number of strict JSON: NaN and Infinity are none, and 1e999 is too large for one."""
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text} is no finite number")
    return number


_MEMBERS = ("adapter", "source", "settings", "counts", "results", "packages", "timings")
