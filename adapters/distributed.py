"""Several processes, one result: each rank encodes its share of the rows, and every rank gets all vectors in order.

``accelerate launch`` and ``torchrun`` tell a process its place in environment variables; without them there is one
process and nothing here touches torch. Vectors travel over gloo as CPU arrays, so any device will do.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class World(NamedTuple):
    """This process's place: ``rank`` of ``size``; ``local_rank`` counts within its machine and picks the GPU."""

    rank: int
    size: int
    local_rank: int


def world() -> World:
    """Reads RANK, WORLD_SIZE and LOCAL_RANK; one process where they are not set."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size <= 1:
        return World(0, 1, 0)
    rank = int(os.environ.get("RANK", "0"))
    return World(rank, size, int(os.environ.get("LOCAL_RANK", rank)))


def is_main() -> bool:
    """True in the one process that writes files and prints."""
    return world().rank == 0


def split_work(n: int, encode: Callable[[range], tuple[np.ndarray, int]]) -> tuple[np.ndarray, int]:
    """Encodes ``n`` items, split over the ranks in contiguous shares.

    Args:
        encode: items -> (float32 [len(items), dim], count of cut texts).

    Returns:
        The vectors of all items in order and the total count, the same in every process.

    Raises:
        RuntimeError: another rank failed; it names the rank and its error (the failing rank raises its own).
    """
    rank, size, _ = world()
    if size == 1:
        return encode(range(n))
    group = _group()
    bounds = [n * r // size for r in range(size + 1)]
    share: tuple[np.ndarray, int] | None = None
    failure: Exception | None = None
    try:
        share = encode(range(bounds[rank], bounds[rank + 1]))
    except Exception as error:  # told to the others first: they would wait for this rank forever
        failure = error
    gathered: list[Any] = [None] * size
    group.all_gather_object(gathered, share if failure is None else f"{type(failure).__name__}: {failure}")
    if failure is not None:
        raise failure
    for other, part in enumerate(gathered):
        if isinstance(part, str):
            raise RuntimeError(f"rank {other} of {size} failed: {part}")
    vectors = [part[0] for part in gathered if len(part[0])]
    return np.concatenate(vectors) if vectors else gathered[0][0], sum(part[1] for part in gathered)


def _group() -> Any:
    import torch.distributed as group

    if not group.is_initialized():
        group.init_process_group("gloo")
    return group


def free_memory() -> None:
    """Gives cached device memory back after an out-of-memory error."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
