"""Runs: encode with a cache, score, rank, summarise, write the run file."""

from .runfile import read_run
from .runner import RunResult, RunSettings, run

__all__ = ["RunResult", "RunSettings", "read_run", "run"]
