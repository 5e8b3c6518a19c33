"""MOOR in closed form against the textbook, its gates, its rules for odd input, and a vector index."""

from __future__ import annotations

import numpy as np
import pytest
import reference_fusion as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from snapbench import fusion
from snapbench.fusion import moor
from snapbench.fusion.whitening import CHUNK_ROWS, path_queries

SIDES = ("q_image", "q_text", "g_image", "g_text")


def correlated(queries, items, dim, seed=0, factors=24):
    """Embeddings with the correlations of a real encoder: shared factors, a common direction, unequal noise."""
    rng = np.random.default_rng(seed)
    basis = rng.standard_normal((factors, dim)) * rng.gamma(2.0, size=dim) / np.sqrt(factors)
    photo, caption = rng.standard_normal((2, dim)) * 0.7
    gallery = rng.standard_normal((items, factors))
    chosen = gallery[rng.integers(0, items, queries)]
    rows = []
    for latent, offset, noise in (
        (chosen, photo, 0.6),
        (chosen, caption, 1.2),
        (gallery, photo, 0.5),
        (gallery, caption, 0.8),
    ):
        vectors = latent @ basis + offset + noise * rng.standard_normal((len(latent), dim))
        rows.append((vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32))
    return rows


@pytest.fixture(scope="module")
def data():
    return correlated(40, 700, 48)


@pytest.fixture(scope="module")
def state(data):
    q_image, q_text, g_image, g_text = data
    return fusion.Embeddings(q_image, q_text, fusion.Gallery(g_image, g_text))


def top(scores, k=10):
    return np.argsort(-scores, axis=1, kind="stable")[:, :k]


def same_top(ranked, expected, k=10):
    """Equal top-k, where the reference's scores are far enough apart for float32 to tell."""
    ordered = -np.sort(-expected, axis=1)[:, : k + 1]
    clear = (np.diff(-ordered, axis=1) > 3e-6).all(axis=1)
    assert clear.mean() > 0.5
    np.testing.assert_array_equal(ranked[clear], top(expected, k)[clear])


@pytest.mark.parametrize("whitened", [True, False])
@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("gate", list(reference.GATES))
def test_closed_form_equals_the_textbook(data, state, gate, uniform, whitened):
    paths = reference.four_paths(*data, whitened=whitened)
    expected, weights = reference.moor(paths, gate=reference.GATES[gate], uniform=uniform)
    rule = fusion.load_rule("moor", gate=gate, weighting="uniform" if uniform else "variance", whiten=whitened)
    found = rule.scores(state)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-5)
    same_top(top(found), expected)
    by_path = rule.weights(state)
    for column, path in enumerate(by_path.paths):
        np.testing.assert_allclose(by_path.weight[:, column], weights[path], atol=1e-5)
    np.testing.assert_allclose(by_path.text_share, 1 - weights["ii"], atol=1e-5)


@pytest.mark.slow
def test_closed_form_equals_the_textbook_at_the_papers_size():
    data = correlated(1145, 9085, 768, factors=64)
    expected, _ = reference.moor(reference.four_paths(*data))
    stats = moor.gallery_stats(data[2], data[3])
    found = moor.query_vectors(data[0], data[1], stats) @ moor.gallery_vectors(data[2], data[3], stats).T
    assert np.abs(found - expected).max() < 1e-5
    same_top(top(found), expected)
    assert (found.argmax(axis=1) == expected.argmax(axis=1)).all()


def test_the_two_public_halves_are_the_rule(data, state):
    q_image, q_text, g_image, g_text = data
    stats = moor.gallery_stats(g_image, g_text)
    scores = moor.query_vectors(q_image, q_text, stats) @ moor.gallery_vectors(g_image, g_text, stats).T
    np.testing.assert_allclose(scores, fusion.fuse("moor", state), atol=1e-6)


def test_whitened_and_plain_paths_equal_the_textbook(data, state):
    for found, whitened in ((state.whitened(), True), (state, False)):
        expected = reference.four_paths(*data, whitened=whitened)
        assert list(found) == list(expected) == list(fusion.PATHS)
        for path in fusion.PATHS:
            np.testing.assert_allclose(found[path], expected[path], atol=2e-6)


def test_score_matrices_alone_give_the_same_as_embeddings_without_whitening(state):
    matrices = dict(state)
    rule = fusion.load_rule("moor-unwhitened")
    np.testing.assert_allclose(rule.scores(matrices), rule.scores(state), atol=1e-6)
    np.testing.assert_allclose(rule.weights(matrices).r, rule.weights(state).r, atol=1e-5)
    with pytest.raises(TypeError, match=r"'moor' whitens embeddings: pass fusion\.Embeddings.*got dict"):
        fusion.fuse("moor", matrices)


def test_permuting_the_gallery_only_permutes_the_scores(data):
    q_image, q_text, g_image, g_text = data
    order = np.random.default_rng(1).permutation(len(g_image))
    plain = fusion.fuse("moor", fusion.Embeddings(q_image, q_text, fusion.Gallery(g_image, g_text)))
    moved = fusion.fuse("moor", fusion.Embeddings(q_image, q_text, fusion.Gallery(g_image[order], g_text[order])))
    np.testing.assert_allclose(moved, plain[:, order], atol=1e-6)


def test_queries_are_fused_independently(data, state):
    q_image, q_text = data[:2]
    stats, vectors = state.gallery.index()
    whole = fusion.fuse("moor", state)
    one = moor.query_vectors(q_image[3], q_text[3], stats) @ vectors.T
    assert one.shape == (1, len(vectors))
    np.testing.assert_allclose(one[0], whole[3], atol=1e-6)


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("whiten", [True, False])
def test_streamed_statistics_equal_those_in_memory(data, size, whiten):
    _, _, g_image, g_text = data
    chunks = [(g_image[i : i + size], g_text[i : i + size]) for i in range(0, len(g_image), size)]
    whole = moor.gallery_stats(g_image, g_text, whiten=whiten)
    streamed = moor.stream_gallery_stats(chunks, whiten=whiten)
    assert streamed.rows == whole.rows == len(g_image)
    np.testing.assert_allclose(streamed.covariance, whole.covariance, atol=1e-7)
    np.testing.assert_allclose(streamed.mean, whole.mean, atol=1e-7)
    for a, b in ((streamed.image, whole.image), (streamed.text, whole.text)):
        np.testing.assert_allclose(a.shift, b.shift, atol=1e-7)
        np.testing.assert_allclose(a.scale, b.scale, rtol=1e-5)


def test_galleries_larger_than_a_chunk_and_memory_mapped_ones(tmp_path):
    rng = np.random.default_rng(2)
    g_image = (rng.standard_normal((CHUNK_ROWS * 2 + 5, 6)) + 3).astype(np.float32)
    np.save(tmp_path / "g.npy", g_image)
    mapped = np.load(tmp_path / "g.npy", mmap_mode="r")
    stats = moor.gallery_stats(mapped)
    vectors = moor.gallery_vectors(mapped, None, stats)
    expected = reference.whiten(g_image.astype(np.float64), g_image.astype(np.float64))
    np.testing.assert_allclose(vectors, expected, atol=1e-5)
    np.testing.assert_allclose(stats.covariance, np.cov(expected.T, bias=True), atol=1e-6)
    np.testing.assert_allclose(moor.index_gallery(mapped).vectors, vectors)


def test_a_one_shot_stream_is_refused(data):
    with pytest.raises(TypeError, match="iterable twice, got a one-shot generator"):
        moor.stream_gallery_stats((data[2], data[3]) for _ in range(1))
    with pytest.raises(ValueError, match="at least one item"):
        moor.stream_gallery_stats([])
    with pytest.raises(ValueError, match=r"dimensions \(48, 48\) \(photo, caption\), got \(48, None\)"):
        moor.stream_gallery_stats([(data[2], data[3]), (data[2], None)])


# Gates


@pytest.mark.parametrize("name", list(reference.GATES))
def test_gates_are_their_formulas(name):
    r = np.linspace(-1, 1, 41)
    np.testing.assert_allclose(fusion.Gate(name)(r), reference.GATES[name](r), atol=1e-12)
    inside = np.linspace(0, 1, 100001)
    assert fusion.Gate(name, scale="peak")(inside).max() == pytest.approx(1 / 16, rel=1e-6)


def test_bell_exponents_move_the_peak():
    r = np.linspace(0, 1, 1001)
    assert fusion.Gate()(r).max() == 0.0625
    assert r[fusion.Gate(tau=3, beta=1)(r).argmax()] == 0.75
    np.testing.assert_allclose(fusion.Gate(tau=1.5, beta=0.5)(r), reference.bell(r, 1.5, 0.5))
    assert fusion.Gate(tau=0, beta=0)(np.array([-1.0, 1.0])).tolist() == [1, 1]
    assert fusion.Gate(tau=0, beta=0, scale="peak")(np.array([0.3])).tolist() == [0.0625]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gate": "belle"}, "gate 'belle' is unknown. Did you mean 'bell'"),
        ({"gate": "r2", "tau": 1.0}, "gate 'r2' has no parameter tau"),
        ({"tau": -1.0}, "tau of gate 'bell' must be finite and >= 0, got -1.0"),
        ({"beta": float("nan")}, "beta of gate 'bell' must be finite"),
        ({"scale": "high"}, "scale 'high' is unknown"),
    ],
)
def test_bad_gates_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        fusion.load_rule("moor", **options)


# Paths a model lacks


def test_a_pair_of_towers_has_two_paths(data):
    q_image, q_text, g_image, g_text = data
    textbook = reference.four_paths(*data)
    expected, _ = reference.moor({name: textbook[name] for name in ("ii", "tt")})
    towers = fusion.Embeddings(q_image, q_text, fusion.Gallery(g_image, g_text, shared_space=False))
    assert list(towers) == ["ii", "tt"]
    np.testing.assert_allclose(fusion.fuse("moor", towers), expected, atol=1e-5)
    narrow = fusion.Embeddings(q_image, q_text[:, :20], fusion.Gallery(g_image, g_text[:, :20]))
    assert list(narrow) == ["ii", "tt"]
    assert fusion.load_rule("moor").weights(narrow).paths == ("ii", "tt")
    assert fusion.fuse("moor", narrow).shape == (40, 700)


def test_one_sided_queries_and_galleries(data):
    q_image, q_text, g_image, g_text = data
    photo_only = fusion.Embeddings(q_image, q_text, fusion.Gallery(g_image))
    assert list(photo_only) == ["ii", "ti"]
    no_question = fusion.Embeddings(q_image, None, fusion.Gallery(g_image, g_text))
    assert list(no_question) == ["ii", "it"]
    expected, _ = reference.moor({name: reference.four_paths(*data)[name] for name in ("ii", "it")})
    np.testing.assert_allclose(fusion.fuse("moor", no_question), expected, atol=1e-5)
    for queries in ((None, q_text), (q_image, q_text)):
        gallery = fusion.Gallery(None, g_text) if queries[0] is not None else fusion.Gallery(g_image, g_text)
        with pytest.raises(ValueError, match=r"MOOR needs its anchor, the path 'ii'"):
            fusion.fuse("moor", fusion.Embeddings(*queries, gallery))
    with pytest.raises(ValueError, match="no path is left"):
        fusion.fuse("moor", fusion.Embeddings(q_image, None, fusion.Gallery(None, g_text, shared_space=False)))


def test_one_global_weight_mixes_the_anchor_with_the_mean_of_the_others(data, state):
    textbook = reference.four_paths(*data)
    positives = [[int(row.argmax())] for row in textbook["ii"]]
    rule = fusion.load_rule("moor-global")
    rule.fit([fusion.LabelledState("clean", state, positives, [str(i) for i in range(40)])])
    alpha = rule.record()["alpha"]
    others = (textbook["tt"] + textbook["it"] + textbook["ti"]) / 3
    np.testing.assert_allclose(rule.scores(state), alpha * textbook["ii"] + (1 - alpha) * others, atol=1e-5)


# Odd input: finite results by rule, or a named error


def test_a_constant_anchor_falls_back_to_the_anchor():
    """P40: the photo path does not vary, so nothing can be compared with it."""
    rng = np.random.default_rng(0)
    g_text, q_text = rng.standard_normal((2, 30, 8)).astype(np.float32)
    g_image = np.tile(rng.standard_normal(8).astype(np.float32), (30, 1))
    state = fusion.Embeddings(q_text[:4] + 1, q_text[:4], fusion.Gallery(g_image, g_text))
    for name in ("moor", "moor-unwhitened"):
        rule = fusion.load_rule(name)
        weights, scores = rule.weights(state), rule.scores(state)
        assert weights.fallback.all()
        assert (weights.weight == [1, 0, 0, 0]).all()
        assert (weights.r == 0).all()
        assert np.isfinite(scores).all()
        np.testing.assert_allclose(scores, scores[:, :1].repeat(30, axis=1), atol=1e-6)
    no_gate = fusion.load_rule("moor-no-gate").weights(state)
    assert not no_gate.fallback.any()
    assert (no_gate.weight[:, 0] == 0).all()


def test_the_fallback_does_not_depend_on_the_scale_of_the_scores(state):
    """The published threshold, 1e-6 on a sum of variances, would trip for all of these."""
    rule = fusion.load_rule("moor-unwhitened")
    matrices = {name: scores.astype(np.float64) for name, scores in state.items()}
    weights = rule.weights(matrices)
    for factor in (1e-4, 1e-12, 1e6):
        scaled = rule.weights({name: factor * scores for name, scores in matrices.items()})
        np.testing.assert_allclose(scaled.weight, weights.weight, rtol=1e-6)
        assert not scaled.fallback.any()


def test_one_item_galleries_zero_variance_and_zero_vectors_stay_finite(data):
    q_image, q_text, g_image, g_text = data
    flat_image, zero_image, zero_query = g_image.copy(), g_image.copy(), q_image.copy()
    flat_image[:, 5] = 0.3
    zero_image[7] = 0
    zero_query[0] = 0
    for queries, gallery in (
        ((q_image, q_text), (g_image[:1], g_text[:1])),
        ((q_image, q_text), (flat_image, g_text)),
        ((q_image, q_text), (zero_image, g_text)),
        ((zero_query, q_text), (g_image, g_text)),
        ((q_image, np.zeros_like(q_text)), (np.zeros_like(g_image), g_text)),
    ):
        state = fusion.Embeddings(*queries, fusion.Gallery(*gallery))
        for spec in fusion.list_rules():
            if spec.fitted_on == "nothing":
                assert np.isfinite(fusion.fuse(spec.name, state)).all(), spec.name
        weights = fusion.load_rule("moor").weights(state).weight
        np.testing.assert_allclose(weights.sum(axis=1), 1)
        assert (weights >= 0).all()
    assert not fusion.Embeddings(q_image, None, fusion.Gallery(zero_image))["ii"][:, 7].any()  # P38: similarity 0


def test_flat_dimensions_equal_the_textbook_but_for_its_absolute_threshold(data):
    """A dimension without variance takes over the whitened query: scores near 1e-5, variances near 1e-10."""
    flat = [side.copy() for side in data]
    flat[2][:, 5], flat[3][:, 9] = 0.3, -0.1
    paths = reference.four_paths(*flat)
    state = fusion.Embeddings(flat[0], flat[1], fusion.Gallery(flat[2], flat[3]))
    found = fusion.fuse("moor", state)
    expected, _ = reference.moor(paths, threshold=0)
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max())
    assert (found.argmax(axis=1) == expected.argmax(axis=1)).all()
    assert np.abs(reference.moor(paths)[0] - expected).max() > 1e-6  # the published rule leaves MOOR here


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 5), st.sampled_from([0.0, 1e-20, 1.0, 1e4]))
def test_weights_are_a_distribution_whatever_the_embeddings(seed, items, dim, size):
    rng = np.random.default_rng(seed)
    sides = [(size * np.round(rng.standard_normal((rows, dim)), 1)).astype(np.float32) for rows in (3, 3, items, items)]
    state = fusion.Embeddings(sides[0], sides[1], fusion.Gallery(sides[2], sides[3]))
    for name in ("moor", "moor-unwhitened", "moor-uniform", "moor-sigmoid"):
        rule = fusion.load_rule(name)
        weights = rule.weights(state)
        np.testing.assert_allclose(weights.weight.sum(axis=1), 1, rtol=1e-12)
        assert (weights.weight >= 0).all()
        assert (np.abs(weights.r) <= 1).all()
        scores = rule.scores(state)
        assert np.isfinite(scores).all()
        assert np.abs(scores).max() <= 1 + 1e-5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q_image": (4, 9)}, r"q_image of shape \(4, 9\) does not fit the gallery's vectors of shape \[\*, 8\]"),
        ({"q_text": (3, 8)}, r"same queries, got shapes \(4, 8\) and \(3, 8\)"),
        ({"g_text": (9, 8)}, r"same items, got shapes \(10, 8\) and \(9, 8\)"),
        ({"g_image": (0, 8), "g_text": (0, 8)}, "at least one item"),
        ({"q_image": (2, 2, 8)}, r"q_image must be a matrix .* got shape \(2, 2, 8\)"),
    ],
)
def test_shapes_that_do_not_fit_are_shown(change, message):
    shapes = {"q_image": (4, 8), "q_text": (4, 8), "g_image": (10, 8), "g_text": (10, 8), **change}
    q_image, q_text, g_image, g_text = (np.ones(shapes[name]) for name in SIDES)
    with pytest.raises(ValueError, match=message):
        fusion.fuse("moor", fusion.Embeddings(q_image, q_text, fusion.Gallery(g_image, g_text)))


def test_values_that_cannot_be_used_are_named(data):
    bad = data[2].copy()
    bad[3, 2] = np.nan
    with pytest.raises(ValueError, match="g_image must be finite, got nan at row 3, column 2"):
        moor.gallery_stats(bad, data[3])
    stats = moor.gallery_stats(data[2], data[3])
    with pytest.raises(ValueError, match="too large to be normalised in float32: row 1"):
        moor.query_vectors(np.float32([[1] * 48, [1e30] * 48]), None, stats)
    with pytest.raises(ValueError, match="g_text must be given"):
        moor.gallery_vectors(data[2], None, stats)
    with pytest.raises(ValueError, match=r"g_image of shape \(700, 20\) does not fit"):
        moor.gallery_vectors(data[2][:, :20], data[3], stats)


def test_half_precision_embeddings_rank_as_their_float64_copies(data):
    """P37: near-equal cosines keep the order that float64 gives them."""
    halves = [side.astype(np.float16) for side in data]
    expected, _ = reference.moor(reference.four_paths(*halves))
    found = fusion.fuse("moor", fusion.Embeddings(halves[0], halves[1], fusion.Gallery(halves[2], halves[3])))
    np.testing.assert_allclose(found, expected, atol=1e-5)
    same_top(top(found), expected)


# Any vector index


@pytest.mark.crosscheck
def test_an_exact_faiss_index_serves_moor(data, state):
    faiss = pytest.importorskip("faiss")
    stats, vectors = state.gallery.index()
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    scores, found = index.search(moor.query_vectors(data[0], data[1], stats), 10)
    expected, _ = reference.moor(reference.four_paths(*data))
    np.testing.assert_allclose(scores, np.take_along_axis(expected, found, axis=1), atol=1e-5)
    same_top(found, expected)
    same_top(top(fusion.fuse("moor", state)), expected)


def test_path_queries_are_the_weightless_halves(data, state):
    stats, vectors = state.gallery.index()
    queries = path_queries(data[0], data[1], stats)
    weights = moor.path_weights(data[0], data[1], stats)
    rebuilt = sum(
        weights.weight[:, [column]] * (queries[path] @ vectors[:, stats.part(path)].T)
        for column, path in enumerate(weights.paths)
    )
    np.testing.assert_allclose(rebuilt, fusion.fuse("moor", state), atol=1e-6)
