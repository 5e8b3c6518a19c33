"""Several processes, one result: rank 0 runs the benchmark, the others encode their shares of what it asks for.

``accelerate launch`` and ``torchrun`` tell a process its place in environment variables. Under them
:func:`~snapbench.adapters.load_adapter` returns a :class:`DistributedAdapter`; every rank but the first then calls
:func:`follow`. Inputs and vectors travel over gloo as CPU objects, so any device will do.
"""

from __future__ import annotations

import atexit
import datetime
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .base import Adapter, Role, check_rows, world
from .loading import require

_PATIENCE = datetime.timedelta(days=7)
"""How long ranks wait for rank 0, which has other work than encoding; its end closes the connection at once."""


class _Request(NamedTuple):
    images: list[Any] | None
    texts: list[str | None] | None
    role: Role


class DistributedAdapter:
    """An adapter whose rows are split over all ranks in contiguous shares, and whose vectors come back in order."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self.spec = adapter.spec
        self.fingerprint = adapter.fingerprint
        self.cacheable = getattr(adapter, "cacheable", True)
        self.n_truncated = 0
        self._group = _group()
        if world().rank == 0:
            atexit.register(self._end)

    def encode(
        self, images: Sequence[Any] | None = None, texts: Sequence[str | None] | None = None, role: Role = "query"
    ) -> np.ndarray:
        """See :meth:`~snapbench.adapters.base.Adapter.encode`; rank 0 only.

        Raises:
            RuntimeError: called on another rank, or another rank failed; the message has its error.
        """
        if world().rank:
            raise RuntimeError(f"rank {world().rank} can't encode by itself; it must call follow(adapter)")
        rows = check_rows(self.spec, images, texts, role)
        request = _Request(
            None if images is None else [image for image, _ in rows],
            None if texts is None else [text for _, text in rows],
            role,
        )
        self._send(request)
        return self._share(request)

    def follow(self) -> None:
        """Encodes this rank's share of everything that rank 0 asks for, until it ends."""
        try:
            while (request := self._send(None)) is not None:
                try:
                    self._share(request)
                except Exception:  # every rank's error went to rank 0, which decides whether to go on
                    continue
        finally:
            self._close()

    def _end(self) -> None:
        """Sends the others home, unless the caller has closed the group already."""
        if self._group.is_initialized():
            try:
                self._send(None)
            finally:
                self._close()

    def _close(self) -> None:
        # Left open, gloo's threads are sometimes still running at the interpreter's end, and abort the process.
        self._group.destroy_process_group()

    def _send(self, request: _Request | None) -> _Request | None:
        """Hands rank 0's request to all; the other ranks' argument is ignored."""
        box: list[Any] = [request]
        self._group.broadcast_object_list(box, src=0)
        received: _Request | None = box[0]
        return received

    def _share(self, request: _Request) -> np.ndarray:
        rank, size, _ = world()
        n = len(request.images if request.images is not None else request.texts)  # type: ignore[arg-type]
        share = slice(n * rank // size, n * (rank + 1) // size)
        before = self._adapter.n_truncated
        answer: Any
        failure: Exception | None = None
        try:
            vectors = self._adapter.encode(
                images=None if request.images is None else request.images[share],
                texts=None if request.texts is None else request.texts[share],
                role=request.role,
            )
            answer = (vectors, self._adapter.n_truncated - before)
        except Exception as error:  # told to the others first: they would wait for this rank forever
            failure = error
            answer = f"{type(error).__name__}: {error} (items counted from {share.start})"
        answers: list[Any] = [None] * size
        self._group.all_gather_object(answers, answer)
        if failure is not None:
            raise failure
        for other, part in enumerate(answers):
            if isinstance(part, str):
                raise RuntimeError(f"rank {other} of {size} failed: {part}")
        self.n_truncated += sum(count for _, count in answers)
        parts = [vectors for vectors, _ in answers if len(vectors)]
        return np.concatenate(parts) if parts else answers[0][0]


def follow(adapter: Adapter) -> bool:
    """Serves rank 0 until it ends, on every other rank.

    Returns:
        True after serving: this process has nothing else to do. False at once on rank 0 and in a single process.
    """
    if not isinstance(adapter, DistributedAdapter) or world().rank == 0:
        return False
    adapter.follow()
    return True


def _group() -> Any:
    require("torch")
    import torch.distributed as group

    if not group.is_initialized():
        # The main process may run on after the others have left; addresses come from the launcher.
        group.init_process_group("gloo", rank=world().rank, world_size=world().size, timeout=_PATIENCE)
    return group
