"""Speed and memory of whole runs: cold, warm, the bookkeeping around an encoder, and memory by number of queries.

    python benchmarks/run.py            # the sample with the tiny model, then an encoder of 5 ms an input
    python benchmarks/run.py --memory   # peak memory at 1,000 and 10,000 queries (made up, small pictures)

Each measurement is a process of its own. Absolute seconds depend on the machine; the ratios are what to look at.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np


class SleepingEncoder:
    """Takes 5 ms an input, as a small model on a GPU does, and leaves the processor to the workers."""

    name = "sleeping"
    fingerprint = "sleeping 5 ms"
    joint = False
    dim = 64

    def encode(self, images: Any = None, texts: Any = None, role: str = "query") -> np.ndarray:
        rows = images if images is not None else texts
        time.sleep(0.005 * len(rows))
        rng = np.random.default_rng(len(rows))
        return rng.normal(size=(len(rows), self.dim))


def measure(adapter: str, source: str, folder: str, force: bool) -> None:
    """One run in this process; prints its timings as JSON."""
    from snapbench.evaluation import RunSettings, run
    from snapbench.evaluation.runner import default_conditions

    conditions = default_conditions() if source == "sample" else default_conditions()[:3]
    model = SleepingEncoder() if adapter == "sleeping" else adapter
    settings = RunSettings(conditions=conditions)
    started = time.perf_counter()
    result = run(
        model, source, settings=settings, output=Path(folder, "runs"), cache=Path(folder, "cache"), force=force
    )
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - started,
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                **result.record["timings"],
                **result.record["encoder"],
            }
        )
    )


def in_process(*arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, "--measure", *arguments], check=True, capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def write_queries(folder: Path, n: int) -> None:
    """``n`` queries and 500 gallery items over 50 small pictures."""
    from PIL import Image

    (folder / "images").mkdir(parents=True)
    rng = np.random.default_rng(0)
    for index in range(50):
        pixels = rng.integers(0, 256, (48, 64, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"images/{index}.png")
    gallery = [{"gallery_id": f"g{i}", "image": f"images/{i % 50}.png", "caption": f"Thing {i}."} for i in range(500)]
    queries = [
        {
            "query_id": f"q{i}",
            "image": f"images/{i % 50}.png",
            "text": f"What thing is this, number {i}?",
            "entity": "thing",
            "domain": "",
        }
        for i in range(n)
    ]
    labels = [{"query_id": f"q{i}", "gallery_id": f"g{i % 500}", "relevance": 1} for i in range(n)]
    for name, records in (("queries", queries), ("gallery", gallery), ("labels", labels)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--measure", nargs=4, metavar=("ADAPTER", "SOURCE", "FOLDER", "FORCE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        adapter, source, folder, force = arguments.measure
        measure(adapter, source, folder, force == "force")
        return
    with tempfile.TemporaryDirectory() as folder:
        if arguments.memory:
            for n in (1_000, 10_000):
                write_queries(Path(folder, str(n)), n)
                found = in_process("sleeping", f"{folder}/{n}", f"{folder}/out{n}", "")
                print(f"{n:>6,} queries: peak {found['peak_mb']:.0f} MB, {found['distinct']:,} inputs encoded")
            return
        cold = in_process("tiny", "sample", folder, "")
        warm = in_process("tiny", "sample", folder, "force")
        for name, found in (("cold", cold), ("warm", warm)):
            print(
                f"{name}: {found['seconds']:.1f} s ({found['encoded']:,} of {found['inputs']:,} inputs encoded, "
                f"{found['distinct']:,} distinct), peak {found['peak_mb']:.0f} MB"
            )
        print(f"warm / cold: {warm['seconds'] / cold['seconds']:.2f}")
        sleeping = in_process("sleeping", "sample", f"{folder}/sleeping", "")
        around = sleeping["encode_seconds"] - sleeping["adapter_seconds"]
        print(
            f"encoder of 5 ms an input: {sleeping['adapter_seconds']:.1f} s in the encoder, {around:.1f} s around it "
            f"({100 * around / sleeping['adapter_seconds']:.1f} %)"
        )


if __name__ == "__main__":
    main()
