"""The door for a user's own model: any object with one ``encode`` method.

    class Mine:
        def encode(self, images=None, texts=None, role="query"):
            ...
            return array  # [n, dim]

It gets decoded RGB images and strings and returns one row each, in order; rows need not have unit length. What it may
say about itself, all optional: ``name``, ``dim``, ``modalities`` (e.g. ``("text",)``; read off the parameters of
``encode`` otherwise), ``joint`` (False for a dual encoder; True is assumed where ``encode`` takes images and texts),
``shared_space``, ``license`` and ``fingerprint`` (a string that changes whenever its vectors may). Without a
fingerprint its vectors are never taken from a cache that another process wrote.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import itertools
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import numpy as np

from ..corruptions.conditions import close_matches
from .base import (
    BOTH,
    AdapterSpec,
    Batches,
    Modality,
    RawRow,
    Role,
    check_rows,
    check_vectors,
    decode_row,
    digest,
    in_order,
)


class OwnAdapter:
    """A user's object seen as an :class:`~snapbench.adapters.base.Adapter`."""

    def __init__(self, model: Any, *, origin: str = "", batch_size: int | Literal["auto"] = "auto") -> None:
        self._model = model
        self._parameters = _encode_parameters(model)
        self.spec = _spec_of(model, self._parameters, origin)
        self._batches = Batches(batch_size, label=self.spec.name)
        stated = getattr(model, "fingerprint", None)
        self.fingerprint = digest(own=str(stated) if stated else uuid.uuid4().hex, spec=self.spec.name)
        self.cacheable = bool(stated)
        self.n_truncated = 0

    def encode(
        self, images: Sequence[Any] | None = None, texts: Sequence[str | None] | None = None, role: Role = "query"
    ) -> np.ndarray:
        """See :meth:`~snapbench.adapters.base.Adapter.encode`."""
        rows = check_rows(self.spec, images, texts, role)
        # A user's method need not know about rows that lack a part: each call has one content.
        order = sorted(range(len(rows)), key=lambda i: [part is None for part in rows[i]])
        parts: list[np.ndarray] = []
        for _, same in itertools.groupby(order, key=lambda i: [part is None for part in rows[i]]):
            batches = self._batches(list(same), lambda batch: self._encode_batch(rows, batch, role))
            parts += [vectors for _, vectors in batches]
        return in_order(parts, order, self.spec)

    def _encode_batch(self, rows: Sequence[RawRow], items: Sequence[int], role: Role) -> np.ndarray:
        decoded = [decode_row(rows[i], i) for i in items]
        arguments: dict[str, Any] = {"role": role}
        if decoded[0].image is not None:
            arguments["images"] = [row.image for row in decoded]
        if decoded[0].text is not None:
            arguments["texts"] = [row.text for row in decoded]
        given = {key: value for key, value in arguments.items() if key in self._parameters}
        return check_vectors(self._model.encode(**given), items=items, dim=self.spec.dim, label=self.spec.name)


def _encode_parameters(model: Any) -> frozenset[str]:
    encode = getattr(model, "encode", None)
    if not callable(encode):
        raise TypeError(
            f"an adapter must have a method encode(images=None, texts=None, role='query'), "
            f"{type(model).__name__} has none"
        )
    parameters = inspect.signature(encode).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return frozenset(("images", "texts", "role"))
    names = frozenset(parameter.name for parameter in parameters if parameter.kind is not parameter.POSITIONAL_ONLY)
    if not names & {"images", "texts"}:
        raise TypeError(
            f"{type(model).__name__}.encode must take images= or texts= by name, got ({', '.join(sorted(names))})"
        )
    return names


def _spec_of(model: Any, parameters: frozenset[str], origin: str) -> AdapterSpec:
    known = {"images": "image", "texts": "text"}
    read: Any = getattr(model, "modalities", [known[name] for name in known if name in parameters])
    modalities: frozenset[Modality] = frozenset(read)
    if not modalities or not modalities <= BOTH:
        raise ValueError(f"{type(model).__name__}.modalities must be among image and text, got {read!r}")
    name = getattr(model, "name", None) or origin or type(model).__name__
    dim = getattr(model, "dim", None)
    return AdapterSpec(
        name=str(name),
        family="own",
        license=str(getattr(model, "license", "unknown")),
        dim=None if dim is None else int(dim),
        modalities=modalities,
        joint=bool(getattr(model, "joint", modalities == BOTH)),
        shared_space=bool(getattr(model, "shared_space", True)),
        pooling="the object's own",
        pixels="the object's own",
    )


def load_own(target: str) -> Any:
    """The object behind ``"path/to/file.py:Name"`` or ``"package.module:Name"``; a class is called without arguments.

    Raises:
        FileNotFoundError, ImportError: no such file or module.
        AttributeError: the name is not in it; the message has the close matches.
    """
    place, _, name = target.rpartition(":")
    module = _module_from_file(Path(place)) if place.endswith(".py") else _module_by_name(place, target)
    if not hasattr(module, name):
        names = [key for key in vars(module) if not key.startswith("_")]
        raise AttributeError(f"{place!r} has no {name!r}.{close_matches(name, names)} It has: {', '.join(names)}")
    found = getattr(module, name)
    return found() if inspect.isclass(found) else found


def _module_from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r} to load an adapter from")
    path = path.resolve()
    # A name of its own, so that a file called json.py replaces nothing; registered, since dataclasses look it up.
    module_name = f"_snapbench_own_{digest(path=path)[:16]}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{str(path)!r} can't be loaded as a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[module_name]
        raise
    return module


def _module_by_name(place: str, target: str) -> ModuleType:
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name is None or not place.startswith(error.name):
            raise
        raise ImportError(
            f"there is no module {place!r} (from {target!r}); name an importable one, or path/to/file.py:Name"
        ) from error
