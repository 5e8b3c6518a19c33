"""Fusion rules but MOOR: each against its slow reference, the shared interface, bad input."""

from __future__ import annotations

import doctest
import importlib
import json

import numpy as np
import pytest
import reference_fusion as reference

from snapbench import fusion
from snapbench.fusion import learned

RNG_ROWS = 12


@pytest.mark.parametrize("name", ["embeddings", "fixed", "gates", "hits", "moor", "oracle", "rules"])
def test_doctests(name):
    module = importlib.import_module(f"snapbench.fusion.{name}")
    assert doctest.testmod(module).failed == 0


@pytest.fixture(scope="module")
def scores():
    """Paths with ties, and positives."""
    rng = np.random.default_rng(3)
    paths = {name: rng.standard_normal((RNG_ROWS, 60)).astype(np.float32) for name in fusion.PATHS}
    paths["tt"] = np.round(paths["tt"], 1)
    positives = [rng.choice(60, size=3, replace=False) for _ in range(RNG_ROWS)]
    return paths, positives


@pytest.mark.parametrize(
    ("mode", "names"),
    [("it2it", "ii tt"), ("i2i", "ii"), ("i2it", "ii it"), ("t2t", "tt"), ("t2it", "ti tt")],
)
def test_fixed_is_the_mean_of_the_modes_paths(scores, mode, names):
    paths, _ = scores
    expected = sum(paths[name].astype(np.float64) for name in names.split()) / len(names.split())
    fused = fusion.fixed(paths, mode)
    assert fused.dtype == np.float32
    np.testing.assert_allclose(fused, expected, atol=1e-7)


def test_fixed_names_the_missing_path():
    with pytest.raises(ValueError, match=r"mode 'i2it' needs the paths ii, it; missing: it; got: ii, tt"):
        fusion.fixed({"ii": np.ones((1, 2)), "tt": np.ones((1, 2))}, "i2it")


@pytest.mark.parametrize("names", [("ii", "tt"), fusion.PATHS])
def test_rank_fusion_equals_the_loops(scores, names):
    paths, _ = scores
    picked = {name: paths[name] for name in names}
    np.testing.assert_allclose(fusion.rrf(paths, names=names), reference.rrf(picked), rtol=1e-12)
    np.testing.assert_array_equal(fusion.borda(paths, names=names), reference.borda(picked))
    np.testing.assert_allclose(fusion.combmnz(paths, depth=9, names=names), reference.combmnz(picked, 9), rtol=1e-12)


@pytest.mark.parametrize("name", [spec.name for spec in fusion.list_rules() if spec.inputs == "paths"])
def test_a_permuted_gallery_permutes_the_scores(scores, name):
    paths, positives = scores
    distinct = {**paths, "tt": paths["it"]}  # no ties: their order is the gallery's by rule
    order = np.random.default_rng(0).permutation(60)
    moved = {key: value[:, order] for key, value in distinct.items()}
    place = np.argsort(order)
    ids = [f"q{row}" for row in range(RNG_ROWS)]
    fused = []
    for given, labels in ((distinct, positives), (moved, [place[columns] for columns in positives])):
        rule = fusion.load_rule(name)
        if isinstance(rule, fusion.FittedRule):
            rule.fit([fusion.LabelledState("clean", given, labels, ids)])
        fused.append(rule.scores(given, ids))
    np.testing.assert_allclose(fused[0][:, order], fused[1], atol=2e-5)


def test_standardize_and_uniform(scores):
    paths, _ = scores
    expected = [(m - m.mean(1, keepdims=True)) / m.std(1, keepdims=True) for m in (paths["ii"], paths["tt"])]
    np.testing.assert_allclose(fusion.standardize(paths["ii"]), expected[0], atol=1e-5)
    np.testing.assert_allclose(fusion.fuse("wh-uniform", paths), sum(expected) / 2, atol=1e-5)
    assert not fusion.standardize(np.full((1, 7), 0.3, dtype=np.float32)).any()


def test_the_global_weight_is_the_best_of_the_grid_and_recorded(scores):
    paths, positives = scores
    ids = [f"q{row}" for row in range(RNG_ROWS)]
    rule = fusion.load_rule("wh-img")
    with pytest.raises(RuntimeError, match=r"'wh-img' is fitted on clean: call fit"):
        rule.scores(paths)
    rule.fit([fusion.LabelledState("clean", paths, positives, ids)])
    image, text = fusion.standardize(paths["ii"]), fusion.standardize(paths["tt"])
    recalls = {}
    for step in range(21):
        fused = step / 20 * image + (1 - step / 20) * text
        recalls[step / 20] = np.mean([reference.hit(row, p) for row, p in zip(fused, positives, strict=True)])
    record = rule.record()
    assert recalls[record["alpha"]] == max(recalls.values())
    assert record["chosen_on"] == ["clean"]
    assert [entry["recall_at_1"] / 100 for entry in record["grid"]] == pytest.approx(list(recalls.values()))
    best = [alpha for alpha, recall in recalls.items() if recall == max(recalls.values())]
    assert record["alpha"] == min(best, key=lambda alpha: (abs(alpha - 0.5), alpha))
    json.dumps(record, allow_nan=False)


@pytest.mark.parametrize(
    ("grid", "alpha"), [((0.1, 0.45, 0.3), 0.45), ((0.9, 0.6, 0.7), 0.6), ((0.6, 0.4), 0.4), ((0.0, 0.5, 1.0), 0.5)]
)
def test_equally_good_global_weights_go_to_the_one_nearest_one_half_then_to_the_smaller(grid, alpha):
    always = {"ii": np.array([[2.0, 1.0, 0.0]]), "tt": np.array([[2.0, 1.0, 0.0]])}
    rule = fusion.load_rule("wh-img", grid=grid)
    rule.fit([fusion.LabelledState("clean", always, [[0]], ["q"])])
    assert rule.alpha == alpha


@pytest.mark.parametrize("k", [1, 3, 60])
def test_hits_break_ties_by_gallery_order(scores, k):
    paths, positives = scores
    expected = [reference.hit(row, p, k) for row, p in zip(paths["tt"], positives, strict=True)]
    assert fusion.hits(paths["tt"], positives, k).tolist() == expected
    assert fusion.hits(np.zeros((1, 3)), [[2, 1]], 1).tolist() == [False]
    assert fusion.hits(np.full((1, 3), -1.0), [[0]], 1).tolist() == [True]
    assert fusion.hits(np.array([[0.0, 5.0, 5.0]]), [[2, 1]], 1).tolist() == [True]


# Learned gates


def test_features_by_hand(scores):
    paths, _ = scores
    found = learned.features(paths)
    for row in range(RNG_ROWS):
        image, text = paths["ii"][row].astype(np.float64), paths["tt"][row].astype(np.float64)
        expected = [np.corrcoef(image, text)[0, 1], image.var(), text.var()]
        zs = [(s - s.mean()) / s.std() for s in (image, text)]
        expected += [sorted(z)[-1] - sorted(z)[-2] for z in zs]
        for z in zs:
            p = np.exp(z) / np.exp(z).sum()
            expected.append(-(p * np.log(p)).sum() / np.log(len(p)))
        np.testing.assert_allclose(found[row], expected, rtol=1e-4, atol=1e-5)


def test_folds_keep_the_variants_of_a_query_together_and_are_even():
    folds = learned.assign_folds([f"q{index % 23}" for index in range(100)])
    assert len(folds) == 23
    assert sorted(np.bincount(list(folds.values()))) == [4, 4, 5, 5, 5]
    assert folds == learned.assign_folds([f"q{index}" for index in reversed(range(23))])
    with pytest.raises(ValueError, match=r"number of distinct queries \(3\), got 5"):
        learned.assign_folds(["a", "b", "c"])


@pytest.mark.parametrize("name", ["lr-meta", "gbm-meta"])
def test_learned_predictions_are_out_of_fold(name):
    """Changing one query's labels must not change the weight of any variant of that query."""
    rng = np.random.default_rng(1)
    ids = [f"q{index}" for index in range(20)]
    states = []
    for condition in ("clean", "text_charswap"):
        paths = {key: rng.standard_normal((20, 30)).astype(np.float32) for key in ("ii", "tt")}
        states.append(fusion.LabelledState(condition, paths, [[int(c)] for c in rng.integers(0, 30, 20)], ids))
    changed = [state._replace(positives=[[29 - state.positives[0][0]], *state.positives[1:]]) for state in states]
    weights = []
    for given in (states, changed):
        rule = fusion.load_rule(name)
        rule.fit(iter(given))
        weights.append([rule.weights(state.inputs, ids) for state in states])
        assert rule.record()["fitted_on"] == ["clean", "text_charswap"]
    for before, after in zip(*weights, strict=True):
        assert before[0] == after[0]
        assert ((before >= 0) & (before <= 1)).all()
    assert any((before[1:] != after[1:]).any() for before, after in zip(*weights, strict=True))
    seen = rule.weights(states[0].inputs, ids)
    strangers = rule.weights(states[0].inputs, [f"new{index}" for index in range(20)])
    assert (seen != strangers).any()
    with pytest.raises(ValueError, match="needs query_ids"):
        rule.scores(states[0].inputs)


def test_the_fractional_regression_recovers_its_own_model():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4000, 2))
    y = 1 / (1 + np.exp(-(0.8 * x[:, 0] - 0.4 * x[:, 1])))
    np.testing.assert_allclose(learned._fit_logistic(x, y)(x), y, atol=0.01)


def test_the_learned_gate_learns_where_there_is_something_to_learn():
    """The path with the larger lead is wrong: the gate must learn to give it the smaller weight."""
    rng = np.random.default_rng(5)
    image, text = rng.standard_normal((2, 200, 40)).astype(np.float32)
    for good, bad in ((image[:100], text[:100]), (text[100:], image[100:])):
        good[:, 0] += 4
        bad[:, 1] += 12
    ids = [f"q{index}" for index in range(200)]
    paths = {"ii": image, "tt": text}
    rule = fusion.load_rule("lr-meta")
    rule.fit([fusion.LabelledState("clean", paths, [[0]] * 200, ids)])
    weights = rule.weights(paths, ids)
    assert weights[:100].mean() > weights[100:].mean() + 0.1


# The interface


def test_every_rule_is_listed_with_its_needs():
    specs = {spec.name: spec for spec in fusion.list_rules()}
    assert len(specs) == 17
    assert {name for name, spec in specs.items() if spec.fitted_on == "clean"} == {"moor-global", "wh-img"}
    assert {name for name, spec in specs.items() if spec.fitted_on == "conditions"} == {"lr-meta", "gbm-meta"}
    for name, spec in specs.items():
        rule = fusion.load_rule(name)
        assert rule.spec is spec
        assert isinstance(rule, fusion.FittedRule) == (spec.fitted_on != "nothing")


def test_unknown_names_and_options_get_close_matches(scores):
    paths, _ = scores
    with pytest.raises(ValueError, match=r"fusion rule 'more' is unknown\. Did you mean 'moor'"):
        fusion.fuse("more", paths)
    with pytest.raises(TypeError, match=r"'combmnz' has no option 'depths'\. Did you mean 'depth'"):
        fusion.fuse("combmnz", paths, depths=3)
    with pytest.raises(TypeError, match=r"'borda' has no option 'zzz'\. Its options: names"):
        fusion.load_rule("borda", zzz=3)
    with pytest.raises(RuntimeError, match="'gbm-meta' is fitted on conditions"):
        fusion.fuse("gbm-meta", paths)
    assert fusion.fuse("rrf", paths, k=1).max() > fusion.fuse("rrf", paths).max()


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ({"ii": np.ones((2, 3)), "tt": np.ones((2, 4))}, r"'ii' has shape \(2, 3\), 'tt' has shape \(2, 4\)"),
        ({"ii": np.ones((2, 3)), "xx": np.ones((2, 3))}, "path 'xx' is unknown"),
        ({"tt": np.ones((2, 3))}, "missing: ii"),
        ({"ii": np.ones((2, 2, 2)), "tt": np.ones((2, 3))}, r"path 'ii' must be a matrix"),
        ({"ii": np.array([[1.0, np.nan]]), "tt": np.ones((1, 2))}, "must be finite, got nan at row 0, column 1"),
        ({"ii": np.array([[1.0, 2]]), "tt": np.array([[np.inf, -np.inf]])}, "must be finite, got inf at row 0"),
        ({"ii": np.ones((2, 0)), "tt": np.ones((2, 0))}, r"got shape \(2, 0\)"),
    ],
)
@pytest.mark.parametrize("name", ["fixed", "rrf", "borda", "combmnz", "wh-uniform"])
def test_paths_that_do_not_fit_are_named(paths, message, name):
    """P57: lists over different items are refused by shape, never filled with zeros."""
    with pytest.raises(ValueError, match=message):
        fusion.fuse(name, paths)


@pytest.mark.parametrize("name", ["fixed", "rrf", "borda", "combmnz", "wh-uniform", "moor-unwhitened"])
@pytest.mark.parametrize("shape", [(3, 1), (1, 5), (5,)])
def test_constant_paths_small_galleries_and_single_queries_stay_finite(name, shape):
    fused = fusion.fuse(name, {"ii": np.full(shape, 0.25), "tt": np.full(shape, -1.0)})
    assert fused.shape == ((1, 5) if shape == (5,) else shape)
    assert np.isfinite(fused).all()


def test_half_precision_paths_are_fused_in_float32():
    """P37: rounding to half precision may be the input's, but is not added to."""
    low, high = np.float16([[0.5, 0.50048828125]]), np.float16([[0.25, 0.25]])
    fused = fusion.fixed({"ii": low, "tt": high})
    assert fused.dtype == np.float32
    assert fused[0, 0] < fused[0, 1]


@pytest.mark.parametrize(
    ("positives", "message"),
    [([[0]], "2 queries, got 1 entries"), ([[0], []], "query 1"), ([[0], [9]], r"0\.\.2"), ([[0], ["a"]], "query 1")],
)
def test_labels_that_do_not_fit_are_named(positives, message):
    with pytest.raises(ValueError, match=message):
        fusion.hits(np.zeros((2, 3)), positives)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("rrf", {"k": -1}, "k must be >= 0, got -1"),
        ("combmnz", {"depth": 0}, "depth must be at least 1, got 0"),
        ("wh-img", {"grid": (0.0, 1.5)}, r"weights in 0\.\.1"),
    ],
)
def test_option_values_are_checked(scores, name, options, message):
    with pytest.raises(ValueError, match=message):
        fusion.fuse(name, scores[0], **options)
