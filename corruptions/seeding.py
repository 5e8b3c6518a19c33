"""Random draws that depend on what is corrupted and on nothing else."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, query_id: str, operator: str) -> np.random.Generator:
    """A Generator keyed by a digest of (seed, query id, operator).

    The severity is left out on purpose: an operator draws the same numbers at every severity, so that crops are
    nested and noise is one field scaled, and severities differ in strength, not in luck. Neither ``hash()`` (which
    differs between processes) nor any global state takes part.

    Raises:
        TypeError: seed is not an int, or query_id or operator is not a str.
    """
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"seed must be an int, got {type(seed).__name__}: {seed!r}")
    if not isinstance(query_id, str):
        raise TypeError(f"query_id must be a str, got {type(query_id).__name__}: {query_id!r}")
    # Lengths are part of the key: ("a", "bc") and ("ab", "c") must not collide.
    key = f"{seed}|{len(query_id)}:{query_id}|{operator}".encode()
    return np.random.Generator(np.random.PCG64(int.from_bytes(hashlib.sha256(key).digest(), "big")))
