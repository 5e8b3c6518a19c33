"""The contract of a fusion rule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from .hits import Positives
from .paths import FloatArray, Paths

Inputs = Literal["paths", "embeddings"]
FittedOn = Literal["nothing", "clean", "conditions"]


@dataclass(frozen=True)
class RuleSpec:
    """What a rule is and what it needs.

    Attributes:
        name: as in ``snapbench run --fusion``.
        summary: one sentence.
        inputs: ``paths`` rules take any mapping of score matrices, :class:`~.embeddings.Embeddings` included;
            ``embeddings`` rules need the latter.
        fitted_on: ``nothing``; ``clean``: call ``fit`` with the clean state; ``conditions``: with every state.
        source: where the paper describes it.
        assumptions: choices that no source states.
    """

    name: str
    summary: str
    inputs: Inputs
    fitted_on: FittedOn
    source: str
    assumptions: tuple[str, ...] = ()


class LabelledState(NamedTuple):
    """One observed state with its labels, to fit a rule on."""

    condition: str
    inputs: Paths
    positives: Positives
    query_ids: Sequence[str]


@dataclass
class Rule(ABC):
    """A fusion rule with its options; create one with :func:`~.rules.load_rule`."""

    spec: RuleSpec

    @abstractmethod
    def scores(self, inputs: Paths, query_ids: Sequence[str] | None = None) -> FloatArray:
        """Fused scores ``[n_queries, n_gallery]``, float32 or float64, higher is better.

        Args:
            inputs: score matrices by path, or :class:`~.embeddings.Embeddings`.
            query_ids: one a query; only learned rules need them, to keep predictions out of fold.
        """

    def record(self) -> dict[str, Any]:
        """What was chosen, for the run file: strict-JSON values."""
        return {}


@dataclass
class FittedRule(Rule):
    """A rule that must be fitted before it scores."""

    _record: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    @abstractmethod
    def fit(self, states: Iterable[LabelledState]) -> None:
        """Chooses what the rule learns from labels; goes through ``states`` once, so a generator will do."""

    def record(self) -> dict[str, Any]:
        self.check_fitted()
        return dict(self._record)

    def check_fitted(self) -> None:
        """Raises RuntimeError where ``fit`` has not been called."""
        if not self._record:
            raise RuntimeError(
                f"rule {self.spec.name!r} is fitted on {self.spec.fitted_on}: call fit(states) with the labelled "
                "states before scores() or record()"
            )
