"""Slow, obvious references for the fusion room: formulas as the paper writes them, loops, float64."""

from __future__ import annotations

import numpy as np

STD_EPS = 1e-6
NORM_EPS = 1e-12


def l2(x):
    return x / (np.linalg.norm(x, axis=1, keepdims=True) + NORM_EPS)


def whiten(x, gallery):
    """Standardise ``x`` by the gallery's statistics, then unit rows."""
    return l2((x - gallery.mean(axis=0)) / (gallery.std(axis=0) + STD_EPS))


def four_paths(q_image, q_text, g_image, g_text, *, whitened=True):
    """Every path compares a query side with a gallery side, both by the statistics of that gallery side."""
    query = {"i": q_image, "t": q_text}
    gallery = {"i": g_image, "t": g_text}
    paths = {}
    for name in ("ii", "tt", "it", "ti"):
        q, g = query[name[0]].astype(np.float64), gallery[name[1]].astype(np.float64)
        paths[name] = whiten(q, g) @ whiten(g, g).T if whitened else l2(q) @ l2(g).T
    return paths


def pearson(a, b):
    """Row-wise Pearson correlation of two score matrices."""
    a = a - a.mean(axis=1, keepdims=True)
    b = b - b.mean(axis=1, keepdims=True)
    return (a * b).sum(axis=1) / (np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1)) + NORM_EPS)


def bell(r, tau=2.0, beta=2.0):
    return np.maximum(0, r) ** tau * np.maximum(0, 1 - r) ** beta


GATES = {
    "bell": bell,
    "linear": lambda r: np.maximum(0, r),
    "r2": lambda r: np.maximum(0, r) ** 2,
    "sigmoid": lambda r: 1 / (1 + np.exp(-10 * (r - 0.5))),
    "inverse-bell": lambda r: 1 - 16 * np.clip(r, 0, 1) ** 2 * (1 - np.clip(r, 0, 1)) ** 2,
    "none": np.ones_like,
}


def moor(paths, *, gate=bell, uniform=False, threshold=STD_EPS):
    """MOOR over four score matrices as the paper has it, with the published fallback on an absolute threshold.

    Returns:
        Scores, and the normalised weights by path.
    """
    anchor = paths["ii"]
    weights = {}
    for name, scores in paths.items():
        g = np.ones(len(anchor)) if name == "ii" else gate(pearson(anchor, scores))
        weights[name] = g * (1.0 if uniform else scores.var(axis=1))
    total = sum(weights.values())
    fused = sum(weights[name][:, None] * paths[name] for name in paths)
    fused = np.where((total < threshold)[:, None], anchor, fused / np.where(total > 0, total, 1)[:, None])
    return fused, {name: weight / total for name, weight in weights.items()}


def order(scores):
    """Gallery columns of one query, best first, ties by column."""
    return sorted(range(len(scores)), key=lambda column: (-scores[column], column))


def rrf(paths, k=60):
    fused = np.zeros(next(iter(paths.values())).shape)
    for scores in paths.values():
        for row, query in enumerate(scores):
            for rank, column in enumerate(order(query), start=1):
                fused[row, column] += 1 / (k + rank)
    return fused


def borda(paths):
    fused = np.zeros(next(iter(paths.values())).shape)
    for scores in paths.values():
        for row, query in enumerate(scores):
            for rank, column in enumerate(order(query), start=1):
                fused[row, column] += len(query) - rank
    return fused


def combmnz(paths, depth=100):
    first = next(iter(paths.values()))
    fused, lists = np.zeros(first.shape), np.zeros(first.shape)
    for scores in paths.values():
        for row, query in enumerate(scores.astype(np.float64)):
            low, high = min(query), max(query)
            kept = order(query)[:depth]
            for column, score in enumerate(query):
                fused[row, column] += (score - low) / (high - low) if high > low else 0.0
                lists[row, column] += column in kept
    return fused * lists


def hit(scores, positives, k=1):
    """Is a positive among the first ``k``, ties by gallery column?"""
    return bool(set(order(scores)[:k]) & set(positives))


def solved_weights(image, text, positives, k=1, steps=2001):
    """The weights of a fine grid at which a positive is among the first ``k``."""
    grid = np.linspace(0, 1, steps)
    return np.array([alpha for alpha in grid if hit(alpha * image + (1 - alpha) * text, positives, k)])
