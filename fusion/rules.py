"""Every fusion rule under its name, behind one interface.

>>> rule = load_rule("rrf", k=10)
>>> rule.scores({"ii": np.array([[0.9, 0.1]]), "tt": np.array([[0.2, 0.1]])}).argmax(axis=1).tolist()
[0]
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..corruptions.conditions import check_name, close_matches
from . import moor
from .base import Rule, RuleSpec
from .embeddings import Embeddings
from .fixed import fixed
from .gates import Gate, GateName, GateScale
from .global_weight import GlobalWeight, Uniform, whitened_pair
from .learned import LearnedWeight
from .paths import FloatArray, Path, Paths, pick_paths
from .rank_based import PAIR, borda, combmnz, rrf


@dataclass
class Fixed(Rule):
    """The paper's fixed fusion of the main mode."""

    def scores(self, inputs: Paths, query_ids: Sequence[str] | None = None) -> FloatArray:
        return fixed(inputs)


@dataclass
class RRF(Rule):
    """Reciprocal rank fusion; options as :func:`~.rank_based.rrf`."""

    k: float = 60
    names: tuple[Path, ...] = PAIR

    def scores(self, inputs: Paths, query_ids: Sequence[str] | None = None) -> FloatArray:
        return rrf(inputs, k=self.k, names=self.names)


@dataclass
class Borda(Rule):
    """Borda count; options as :func:`~.rank_based.borda`."""

    names: tuple[Path, ...] = PAIR

    def scores(self, inputs: Paths, query_ids: Sequence[str] | None = None) -> FloatArray:
        return borda(inputs, names=self.names)


@dataclass
class CombMNZ(Rule):
    """CombMNZ; options as :func:`~.rank_based.combmnz`."""

    depth: int = 100
    names: tuple[Path, ...] = PAIR

    def scores(self, inputs: Paths, query_ids: Sequence[str] | None = None) -> FloatArray:
        return combmnz(inputs, depth=self.depth, names=self.names)


@dataclass
class Moor(Rule):
    """MOOR and its ablations; options as :class:`~.gates.Gate` and :func:`~.moor.path_weights`.

    Score matrices are accepted only without whitening, which happens on embeddings.
    """

    gate: GateName = "bell"
    tau: float | None = None
    beta: float | None = None
    scale: GateScale = "raw"
    weighting: moor.Weighting = "variance"
    whiten: bool = True

    def __post_init__(self) -> None:
        self._gate = Gate(self.gate, self.tau, self.beta, self.scale)

    def weights(self, inputs: Paths) -> moor.PathWeights:
        """Path weights, correlations and gate values of each query, for the report."""
        if isinstance(inputs, Embeddings):
            stats = inputs.gallery.index(whiten=self.whiten).stats
            return moor.vector_weights(inputs.vectors(whiten=self.whiten), stats, self._gate, self.weighting)
        if self.whiten:
            raise TypeError(
                f"rule {self.spec.name!r} whitens embeddings: pass fusion.Embeddings, "
                f"or whiten=False to fuse scores as they are; got {type(inputs).__name__}"
            )
        return moor.matrix_weights(inputs, gate=self._gate, weighting=self.weighting)

    def scores(self, inputs: Paths, query_ids: Sequence[str] | None = None) -> FloatArray:
        weights = self.weights(inputs)
        by_path = dict(zip(weights.paths, weights.weight.T, strict=True))
        if isinstance(inputs, Embeddings):
            stats, gallery = inputs.gallery.index(whiten=self.whiten)
            return moor.weighted_vectors(inputs.vectors(whiten=self.whiten), by_path, stats) @ gallery.T
        fused = np.zeros(np.shape(inputs["ii"]) if np.ndim(inputs["ii"]) == 2 else (1, len(inputs["ii"])), np.float32)
        for path, scores in zip(weights.paths, pick_paths(inputs, weights.paths, "MOOR"), strict=True):
            fused += by_path[path].astype(np.float32)[:, None] * scores
        return fused


_PAIRED = "the paths mixed are ii and tt, standardised per query"
_GATE = "the paper names this gate without a formula"
_MOOR = "Section 5"
_TABLE = "Appendix C, Table 13"


def _moor(name: str, summary: str, source: str, *assumptions: str, **options: Any) -> tuple[RuleSpec, Any]:
    return RuleSpec(name, summary, "embeddings", "nothing", source, assumptions), partial(Moor, **options)


_RULES: dict[str, tuple[RuleSpec, Callable[..., Rule]]] = {
    spec.name: (spec, factory)
    for spec, factory in (
        (RuleSpec("fixed", "Mean of the raw photo and question cosines.", "paths", "nothing", "Section 4.1"), Fixed),
        _moor("moor", "Gate x variance weights per query, bell gate.", _MOOR),
        _moor("moor-linear", "MOOR with the gate max(0, r).", "Figure 7", _GATE, gate="linear"),
        _moor("moor-sigmoid", "MOOR with a sigmoid gate.", "Figure 7", _GATE, "tau 0.5, beta 10", gate="sigmoid"),
        _moor("moor-inverse-bell", "MOOR with the bell upside down.", "Figure 7", _GATE, gate="inverse-bell"),
        _moor("moor-r2", "MOOR with the gate max(0, r)^2.", "Figure 7", gate="r2"),
        _moor("moor-no-gate", "MOOR with variance weights alone.", "Figure 7", gate="none"),
        _moor("moor-uniform", "MOOR with gates alone, without variances.", "Table 12", weighting="uniform"),
        _moor("moor-unwhitened", "MOOR between plain unit vectors.", "Table 12", whiten=False),
        (
            RuleSpec(
                "moor-global",
                "Whitened paths under one weight, chosen on clean.",
                "embeddings",
                "clean",
                "Table 12",
                ("the weight is the anchor's; the other paths share the rest evenly", "grid 0, 0.05, ... 1"),
            ),
            partial(GlobalWeight, arms=whitened_pair),
        ),
        (
            RuleSpec("wh-uniform", "Mean of standardised scores.", "paths", "nothing", _TABLE, (_PAIRED,)),
            Uniform,
        ),
        (
            RuleSpec(
                "wh-img",
                "Standardised scores under one weight, chosen on clean.",
                "paths",
                "clean",
                _TABLE,
                (_PAIRED, "grid 0, 0.05, ... 1", "chosen on the clean state"),
            ),
            GlobalWeight,
        ),
        (
            RuleSpec("rrf", "Reciprocal rank fusion.", "paths", "nothing", _TABLE, ("k 60", "the lists are ii and tt")),
            RRF,
        ),
        (
            RuleSpec("combmnz", "CombMNZ.", "paths", "nothing", _TABLE, ("list depth 100", "the lists are ii and tt")),
            CombMNZ,
        ),
        (RuleSpec("borda", "Borda count.", "paths", "nothing", _TABLE, ("the lists are ii and tt",)), Borda),
        (
            RuleSpec(
                "lr-meta",
                "Per-query weight from logistic regression, out of fold.",
                "paths",
                "conditions",
                _TABLE,
                (_PAIRED, "features and estimator: see fusion/learned.py"),
            ),
            partial(LearnedWeight, estimator="lr"),
        ),
        (
            RuleSpec(
                "gbm-meta",
                "Per-query weight from gradient boosting, out of fold.",
                "paths",
                "conditions",
                _TABLE,
                (_PAIRED, "features and estimator: see fusion/learned.py"),
            ),
            partial(LearnedWeight, estimator="gbm"),
        ),
    )
}


def list_rules() -> tuple[RuleSpec, ...]:
    """Every rule: name, what it needs, where it comes from and what it assumes."""
    return tuple(spec for spec, _ in _RULES.values())


def load_rule(name: str, **options: Any) -> Rule:
    """A rule by name.

    Args:
        name: one of :func:`list_rules`.
        **options: the rule's own, e.g. ``k`` of ``rrf`` or ``tau`` and ``beta`` of ``moor``.

    Raises:
        TypeError: an option the rule does not have; the message carries the close matches.
        ValueError: unknown name (with close matches) or a value that is not allowed.
    """
    spec, factory = _RULES[check_name("fusion rule", name, _RULES)]
    made = factory.func if isinstance(factory, partial) else factory
    known = [field.name for field in dataclasses.fields(made) if field.init and field.name not in ("spec", "arms")]  # type: ignore[arg-type]
    for option in options:
        if option not in known:
            raise TypeError(
                f"fusion rule {name!r} has no option {option!r}.{close_matches(option, known)} "
                f"Its options: {', '.join(known) or 'none'}"
            )
    return factory(spec, **options)


def fuse(name: str, inputs: Paths, query_ids: Sequence[str] | None = None, **options: Any) -> FloatArray:
    """Fused scores of a rule that needs no fitting, in one call.

    Args:
        name: one of :func:`list_rules`.
        inputs: score matrices by path, or :class:`~.embeddings.Embeddings`.
        query_ids: see :meth:`~.base.Rule.scores`.
        **options: see :func:`load_rule`.

    Raises:
        RuntimeError: the rule must be fitted first; use :func:`load_rule` and ``fit``.
        TypeError: see :func:`load_rule`; or score matrices where embeddings are needed.
        ValueError: see :func:`load_rule`; or inputs that do not fit together.
    """
    return load_rule(name, **options).scores(inputs, query_ids)
