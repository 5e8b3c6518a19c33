"""Every example in a docstring of the package runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import snapbench

# Modules that need more than the package's own dependencies, or that are scripts of their own.
LEFT_OUT = (
    "snapbench.tests",
    "snapbench.benchmarks",
    "snapbench.setup",
    "snapbench.docs",
    "snapbench.snapbench_metric.app",
)


def modules() -> list[str]:
    found = pkgutil.walk_packages(snapbench.__path__, "snapbench.", onerror=lambda name: None)
    names = (module.name for module in found if not module.name.startswith(LEFT_OUT))
    return sorted(name for name in names if not name.endswith("__main__"))


@pytest.mark.parametrize("name", modules())
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_examples_are_found():
    assert "snapbench.corruptions.conditions" in modules()
    finder = doctest.DocTestFinder()
    examples = sum(len(test.examples) for name in modules() for test in finder.find(importlib.import_module(name)))
    assert examples > 60
