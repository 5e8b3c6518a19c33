"""Makes ``load_dataset("snapbench", ...)`` and ``evaluate.load("snapbench")`` resolve to this package.

Neither library loads third-party code by name, so the function of each that finds modules is wrapped: the bare name
``snapbench`` is ours, as ``csv`` is theirs, and everything else passes through (``./snapbench`` stays the user's).
``import snapbench`` calls :func:`register`; the start-up hook in ``autoload/`` imports us when one of the two libraries
is imported. Neither is imported here.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

NAME = "snapbench"


def _find_dataset(load: ModuleType, **arguments: object) -> Any:
    _refuse(arguments, "revision", 'To pin data on the Hub, name them with source="org/name@revision".')
    for argument in ("data_files", "data_dir"):
        _refuse(arguments, argument, "Name the data with source=...")
    from .rows import code_hash

    return load.DatasetModule("snapbench.snapbench_dataset", code_hash(), {"dataset_name": NAME})


def _find_metric(loading: ModuleType, **arguments: object) -> Any:
    _refuse(arguments, "revision", "The metric is the installed package's.")
    from . import __version__

    return loading.ImportableModule("snapbench.snapbench_metric.snapbench_metric", __version__)


def _refuse(arguments: dict[str, object], name: str, way_out: str) -> None:
    if arguments.get(name) is not None:
        raise ValueError(f"{name} isn't used for {NAME!r}, got {arguments[name]!r}. {way_out}")


_Patch = tuple[str, Callable[..., Any], tuple[str, ...]]

_PATCHES: dict[str, _Patch] = {
    "datasets.load": ("dataset_module_factory", _find_dataset, ("datasets.inspect", "datasets.commands.test")),
    "evaluate.loading": ("evaluation_module_factory", _find_metric, ("evaluate.inspect",)),
}
"""Module -> function to wrap, what answers for our name, and modules that may have copied the function."""


def patch(module: ModuleType) -> None:
    """Wraps the finding function of a freshly imported (or long loaded) module; once is enough."""
    function, find, copies = _PATCHES[module.__name__]
    original = getattr(module, function)
    if getattr(original, "is_snapbench", False):
        return

    @functools.wraps(original)
    def wrapper(path: Any, *args: Any, **kwargs: Any) -> Any:
        return find(module, **kwargs) if path == NAME else original(path, *args, **kwargs)

    wrapper.is_snapbench = True  # type: ignore[attr-defined]
    setattr(module, function, wrapper)
    for name in copies:
        copy = sys.modules.get(name)
        if getattr(copy, function, None) is original:
            setattr(copy, function, wrapper)


def register() -> None:
    """Patches what is already imported, and hooks the rest.

    A failure is a RuntimeWarning: ``import snapbench`` and the two libraries go on without the short names.
    """
    for name in _PATCHES:
        module = sys.modules.get(name)
        if module is not None:
            _patch_or_warn(module)
    if not all(_is_patched(name) for name in _PATCHES) and _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


class _Finder:
    """Answers for the modules to patch, with the spec that the finders behind it find, patched after import."""

    is_snapbench = True

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        return find_spec(name, path, target) if name in _PATCHES else None


def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
    """The spec of a module to patch, with a loader that patches it; what the start-up hook answers, too."""
    for finder in sys.meta_path:
        # Ours would ask here again.
        spec = None if _is_ours(finder) or not hasattr(finder, "find_spec") else finder.find_spec(name, path, target)
        if spec is not None:
            break
    else:
        return None
    execute = getattr(spec.loader, "exec_module", None)
    if execute is None:
        return spec

    def exec_module(module: ModuleType) -> None:
        execute(module)
        if module.__name__ == name:
            _patch_or_warn(module)
            if all(_is_patched(patched) for patched in _PATCHES):
                sys.meta_path[:] = [finder for finder in sys.meta_path if not _is_ours(finder)]

    spec.loader.exec_module = exec_module  # type: ignore[union-attr,method-assign]
    return spec


def _is_ours(finder: object) -> bool:
    """Whether this is the finder of this module or the start-up hook's.

    Not by identity: a test runner that imports the repository's root under its folder's name loads this module twice,
    and two finders that ask each other never come to an end.
    """
    return getattr(finder, "is_snapbench", False) or getattr(finder, "__module__", "") == "_snapbench_autoload"


def _patch_or_warn(module: ModuleType) -> None:
    try:
        patch(module)
    except Exception as error:  # A changed library must stay importable, whatever we stumble over in it.
        warnings.warn(
            f"snapbench could not register with {module.__name__}: {type(error).__name__}: {error}. "
            "snapbench.load(...) works without it.",
            RuntimeWarning,
            stacklevel=2,
        )


def _is_patched(name: str) -> bool:
    module = sys.modules.get(name)
    return module is not None and getattr(getattr(module, _PATCHES[name][0], None), "is_snapbench", False)
