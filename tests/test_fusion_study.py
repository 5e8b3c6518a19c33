"""The command that writes docs/fusion.md, on a source of six queries."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from small_source import ColorsAndWords, write_source

from snapbench import fusion
from snapbench.adapters import load_adapter
from snapbench.sources import load_source


@pytest.fixture(scope="module")
def study_module():
    path = Path(__file__).resolve().parents[1] / "benchmarks" / "fusion_study.py"
    spec = importlib.util.spec_from_file_location("fusion_study", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_group_weights_sum_to_one_and_cover_the_states(study_module):
    columns = {group.name: group for group in study_module.groups()}
    assert list(columns) == ["clean", "text", "image s1", "image s2", "image s3", "joint", "54 states"]
    for group in columns.values():
        assert sum(group.weights.values()) == pytest.approx(1)
    assert [len(group.weights) for group in columns.values()] == [1, 8, 15, 15, 15, 18, 54]


def test_bootstrap_intervals_hold_the_mean_and_keep_pairs(study_module):
    boot = study_module.Bootstrap(50, seed=0)
    values = np.random.default_rng(0).uniform(0, 100, 50)
    mean, low, high = boot.mean(values)
    assert low < mean == values.mean() < high
    assert boot.mean(np.full(50, 3.0)) == pytest.approx((3, 3, 3))
    fixed = values / 2
    assert boot.gap(fixed + 0.25 * (values - fixed), fixed, values) == pytest.approx((25, 25, 25))
    assert boot.gap(values, values, values) is None


@pytest.mark.slow
def test_the_page_holds_every_rule_and_its_numbers(study_module, tmp_path):
    source = load_source(write_source(tmp_path / "source", 6))
    adapter = load_adapter(ColorsAndWords())
    study = study_module.Study(adapter, source, seed=0)
    text = study_module.page(study, adapter, "a command")
    for spec in fusion.list_rules():
        assert text.count(f"| {spec.name} |") >= 2
    assert "{" not in text
    assert "nan" not in text
    clean = fusion.hits(fusion.fixed(study.inputs(study.states[0])), study.positives).mean()
    assert f"| fixed | {100 * clean:.1f} |" in text
