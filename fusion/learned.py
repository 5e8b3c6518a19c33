"""Learned gates LR-Meta and GBM-Meta: a per-query weight predicted from score statistics (Appendix C, Table 13).

The target is the oracle's weight (:mod:`.oracle`), the features are those of MOOR: agreement, variance, margin and
entropy. Five folds by query, so that all variants of a query stay together; a query's weight always comes from the
model that has seen none of its variants.

ASSUMED, as no source states it: agreement is the Pearson correlation of both paths' scores (what MOOR calls rank
consistency); margin is the lead of the first over the second in standard deviations; entropy is that of the
softmax of standardised scores, divided by its maximum; LR-Meta is a fractional logistic regression on standardised
features, GBM-Meta scikit-learn's gradient boosting with its defaults, clipped to [0, 1]. Both mix standardised
scores.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .base import FittedRule, LabelledState
from .global_weight import Arms, mix, standardize
from .oracle import oracle
from .paths import FloatArray, Paths, pick_paths

FEATURES = (
    "agreement",
    "variance_image",
    "variance_text",
    "margin_image",
    "margin_text",
    "entropy_image",
    "entropy_text",
)

_Float64 = npt.NDArray[np.float64]


def features(inputs: Paths) -> _Float64:
    """Score statistics of each query, ``[n_queries, 7]`` in the order of ``FEATURES``; constant paths give zeros.

    Raises:
        ValueError: see :func:`~.paths.pick_paths`.
    """
    return _features(*_pairs(inputs))


def _pairs(inputs: Paths) -> tuple[Arms, Arms]:
    """The photo-only and the question-only scores, as given and standardised."""
    image, text = pick_paths(inputs, ("ii", "tt"), "learned fusion")
    return (image, text), (standardize(image), standardize(text))


def _features(pair: Arms, standard: Arms) -> _Float64:
    columns = [np.einsum("ij,ij->i", *standard) / pair[0].shape[1]]
    columns += [scores.var(axis=1, dtype=np.float64) for scores in pair]
    columns += [_margin(scores) for scores in standard]
    columns += [_entropy(scores) for scores in standard]
    return np.stack(columns, axis=1).astype(np.float64)


def _margin(scores: FloatArray) -> FloatArray:
    if scores.shape[1] < 2:
        return np.zeros(len(scores))
    top = np.partition(scores, -2, axis=1)[:, -2:]
    return top[:, 1] - top[:, 0]


def _entropy(scores: FloatArray) -> FloatArray:
    if scores.shape[1] < 2:
        return np.zeros(len(scores))
    shifted = scores - scores.max(axis=1, keepdims=True)
    weight = np.exp(shifted)
    total = weight.sum(axis=1, dtype=np.float64)
    mean = np.einsum("ij,ij->i", weight, shifted) / total
    return (np.log(total) - mean) / np.log(scores.shape[1])


def assign_folds(query_ids: Iterable[str], folds: int = 5, seed: int = 0) -> dict[str, int]:
    """Fold of every distinct query id: even in size, independent of order, the same on every machine.

    Raises:
        ValueError: fewer than two folds, or fewer queries than folds.
    """
    distinct = sorted(set(query_ids), key=lambda name: hashlib.sha256(f"{seed}|{name}".encode()).digest())
    if folds < 2 or len(distinct) < folds:
        raise ValueError(
            f"folds must be at least 2 and at most the number of distinct queries ({len(distinct)}), got {folds}"
        )
    return {name: index % folds for index, name in enumerate(distinct)}


@dataclass
class LearnedWeight(FittedRule):
    """LR-Meta or GBM-Meta.

    Queries that ``fit`` has not seen are out of every fold; they get the mean of the folds' predictions.

    Attributes:
        estimator: ``lr`` or ``gbm``.
        folds: number of folds.
        seed: of the folds and of gradient boosting.
    """

    estimator: Literal["lr", "gbm"] = "lr"
    folds: int = 5
    seed: int = 0
    _models: list[Any] = field(default_factory=list, init=False, repr=False)
    _fold: dict[str, int] = field(default_factory=dict, init=False, repr=False)

    def fit(self, states: Iterable[LabelledState]) -> None:
        rows, targets, conditions = [], [], []
        ids: list[str] = []
        for state in states:  # only features and targets are kept, so states may come from a generator
            pair, standard = _pairs(state.inputs)
            _check_ids(state.query_ids, len(pair[0]))
            rows.append(_features(pair, standard))
            targets.append(oracle({"ii": standard[0], "tt": standard[1]}, state.positives).alpha)
            ids += list(state.query_ids)
            conditions.append(state.condition)
        self._fold = assign_folds(ids, self.folds, self.seed)
        x, y = np.concatenate(rows), np.concatenate(targets)
        fold = np.array([self._fold[name] for name in ids])
        self._models = [
            _fit_logistic(x[fold != held], y[fold != held])
            if self.estimator == "lr"
            else _fit_boosting(x[fold != held], y[fold != held], self.seed)
            for held in range(self.folds)
        ]
        self._record = {
            "estimator": self.estimator,
            "folds": self.folds,
            "seed": self.seed,
            "fitted_on": list(dict.fromkeys(conditions)),
            "rows": len(x),
        }

    def weights(self, inputs: Paths, query_ids: Sequence[str]) -> _Float64:
        """The predicted weight of each query's photo path, out of fold, in [0, 1]."""
        self.check_fitted()
        return self._predict(features(inputs), query_ids)

    def scores(self, inputs: Paths, query_ids: Sequence[str] | None = None) -> FloatArray:
        self.check_fitted()
        if query_ids is None:
            raise ValueError(
                f"rule {self.spec.name!r} needs query_ids: without them a query could be scored by a model fitted on it"
            )
        pair, standard = _pairs(inputs)
        return mix(standard, self._predict(_features(pair, standard), query_ids))

    def _predict(self, x: _Float64, query_ids: Sequence[str]) -> _Float64:
        _check_ids(query_ids, len(x))
        predicted = np.stack([model(x) for model in self._models])
        fold = np.array([self._fold.get(name, -1) for name in query_ids])
        own = predicted[fold, np.arange(len(x))]
        return np.clip(np.where(fold >= 0, own, predicted.mean(axis=0)), 0, 1)


def _check_ids(query_ids: Sequence[str], rows: int) -> None:
    if len(query_ids) != rows:
        raise ValueError(f"query_ids must have one id a query: {rows} queries, got {len(query_ids)} ids")


def _fit_logistic(x: _Float64, y: _Float64) -> Any:
    """Fractional logistic regression: every query counts as y successes and 1 - y failures."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression())
    outcome = np.repeat([1, 0], len(x))
    model.fit(np.concatenate([x, x]), outcome, logisticregression__sample_weight=np.concatenate([y, 1 - y]))
    return lambda rows: model.predict_proba(rows)[:, 1]


def _fit_boosting(x: _Float64, y: _Float64, seed: int) -> Any:
    from sklearn.ensemble import GradientBoostingRegressor

    return GradientBoostingRegressor(random_state=seed).fit(x, y).predict
