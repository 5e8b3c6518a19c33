"""The metric written out slowly, from its definitions and nothing else: the tests hold the fast one to it.

Plain loops over rows and queries, one resample at a time. It shares no code with ``snapbench_metric``; operators and
primitives come from ``snapbench.corruptions.conditions``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from snapbench.corruptions.conditions import PRIMITIVES, TEXT_LEVELS, parse_condition

UNDEFINED = "undefined"
"""Stands for a block with a null value and a reason, whatever the reason."""


@dataclass(frozen=True)
class Row:
    query: str
    condition: str
    mode: str
    ranking: tuple[str, ...]
    positives: tuple[str, ...]
    domain: str = "nature"


def first_rank(row: Row) -> int:
    for place, item in enumerate(row.ranking):
        if item in row.positives:
            return place + 1
    return 0


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def binomial_p(lost: int, gained: int) -> float:
    n = lost + gained
    weights = [Fraction(math.comb(n, i), 2**n) for i in range(n + 1)]
    return float(min(Fraction(1), 2 * sum(weights[: min(lost, gained) + 1])))


def name(operator: str) -> str:
    return operator.replace("_", "")


class Reference:
    def __init__(self, rows: Sequence[Row], *, ks: Sequence[int], primary_k: int, n_resamples: int, seed: int) -> None:
        self.ks, self.k, self.seed, self.n_resamples = ks, primary_k, seed, n_resamples
        self.queries = sorted({row.query for row in rows})
        self.rank = {(row.mode, row.condition, row.query): first_rank(row) for row in rows}
        self.domain = {row.query: row.domain for row in rows}
        self.modes: dict[str, list[str]] = {}
        for row in rows:
            conditions = self.modes.setdefault(row.mode, [])
            if row.condition not in conditions:
                conditions.append(row.condition)
        self.samples = self.draw(self.queries, seed)

    def draw(self, queries: list[str], seed: Any) -> list[list[str]]:
        rng = np.random.Generator(np.random.PCG64(seed))
        return [[queries[i] for i in rng.integers(0, len(queries), len(queries))] for _ in range(self.n_resamples)]

    def hit(self, mode: str, condition: str, query: str, k: int) -> bool:
        return 1 <= self.rank[mode, condition, query] <= k

    def recall(self, mode: str, condition: str, sample: list[str], k: int | None = None) -> float:
        return 100 * sum(self.hit(mode, condition, q, k or self.k) for q in sample) / len(sample)

    def drop(self, condition: str, sample: list[str]) -> float:
        return self.recall("it2it", "clean", sample) - self.recall("it2it", condition, sample)

    def has(self, mode: str, conditions: Sequence[str]) -> bool:
        return all(c in self.modes.get(mode, []) for c in conditions)

    def interval(
        self, of: Callable[[list[str]], float], *, difference: bool, samples: list[list[str]] | None = None
    ) -> list[float] | None:
        values = [of(sample) for sample in (self.samples if samples is None else samples)]
        if max(values) - min(values) < 1e-9 and not (difference and abs(values[0]) < 1e-9):
            return None
        return [percentile(values, 0.025), percentile(values, 0.975)]

    def estimate(self, of: Callable[[list[str]], float]) -> dict[str, Any]:
        return {
            "value": of(self.queries),
            "interval": self.interval(of, difference=True),
            "n": len(self.queries),
        }

    def compare(self, base: tuple[str, str], other: tuple[str, str]) -> dict[str, Any]:
        pairs = [(self.hit(*base, q, self.k), self.hit(*other, q, self.k)) for q in self.queries]
        lost, gained = pairs.count((True, False)), pairs.count((False, True))
        return {
            **self.estimate(lambda sample: self.recall(*other, sample) - self.recall(*base, sample)),
            "p_value": binomial_p(lost, gained),
            "kept": pairs.count((True, True)),
            "lost": lost,
            "gained": gained,
            "missed": pairs.count((False, False)),
        }

    def values(self, mode: str, condition: str) -> dict[str, Any]:
        ranks = [self.rank[mode, condition, q] for q in self.queries]
        return {
            **{f"recall_at_{k}": self.recall(mode, condition, self.queries, k) for k in self.ks},
            "mrr": 100 * sum(1 / r for r in ranks if r) / len(ranks),
            "interval": self.interval(lambda sample: self.recall(mode, condition, sample), difference=False),
        }

    def conditions(self) -> dict[str, Any]:
        return {
            mode: {
                c: {
                    **self.values(mode, c),
                    "n": len(self.queries),
                    "n_missing": 0,
                    "delta": None if c == "clean" else self.compare((mode, "clean"), (mode, c)),
                }
                for c in conditions
            }
            for mode, conditions in self.modes.items()
        }

    def average(self, mode: str, tree: Any) -> Any:
        """``tree``: nested lists of condition ids; each level is averaged without weights."""

        def leaves(node: Any) -> list[str]:
            return [node] if isinstance(node, str) else [leaf for child in node for leaf in leaves(child)]

        def mean(node: Any, of: Callable[[str], float]) -> float:
            return of(node) if isinstance(node, str) else sum(mean(child, of) for child in node) / len(node)

        if not self.has(mode, leaves(tree)):
            return UNDEFINED

        def recall(sample: list[str]) -> float:
            return mean(tree, lambda c: self.recall(mode, c, sample))

        return {
            f"recall_at_{self.k}": recall(self.queries),
            "interval": self.interval(recall, difference=False),
            "delta": self.estimate(lambda sample: recall(sample) - self.recall(mode, "clean", sample)),
        }

    def averages(self, mode: str) -> dict[str, Any]:
        kinds = {parse_condition(c).kind for c in self.modes[mode] if c != "image_reencode"}
        result: dict[str, Any] = {"text": UNDEFINED, "image": UNDEFINED, "primitives": UNDEFINED}
        if "text" in kinds:
            levels = {level: [f"text_{name(op)}" for op in ops] for level, ops in TEXT_LEVELS.items()}
            result["text"] = {level: self.average(mode, ids) for level, ids in levels.items()}
            result["text"]["all"] = self.average(mode, list(levels.values()))
        if "image" in kinds:

            def cell(primitive: str, severity: int) -> list[str]:
                return [f"image_{name(op)}_s{severity}" for op in PRIMITIVES[primitive]]

            result["primitives"] = {
                p: {
                    **{f"s{s}": self.average(mode, cell(p, s)) for s in (1, 2, 3)},
                    "all": self.average(mode, [cell(p, s) for s in (1, 2, 3)]),
                }
                for p in PRIMITIVES
            }
            result["image"] = {
                **{f"s{s}": self.average(mode, [cell(p, s) for p in PRIMITIVES]) for s in (1, 2, 3)},
                "all": self.average(mode, [[cell(p, s) for p in PRIMITIVES] for s in (1, 2, 3)]),
            }
        return result

    def joint_pairs(self) -> list[tuple[str, str]]:
        found = []
        for c in self.modes.get("it2it", []):
            condition = parse_condition(c)
            pair = (condition.image_operator, condition.text_operator)
            if condition.kind == "joint" and pair not in found:
                found.append(pair)
        return found

    def by_cell(self, of: Callable[[str, str, str, list[str]], float], extra: dict[str, Callable[..., float]]) -> Any:
        pairs = self.joint_pairs()
        if not pairs:
            return UNDEFINED

        def ids(pair: tuple[str, str], s: int) -> tuple[str, str, str]:
            image, text = map(name, pair)
            return f"image_{image}_s{s}", f"text_{text}", f"joint_{image}_{text}_s{s}"

        def mean(cells: list[tuple[tuple[str, str], int]]) -> Any:
            if not all(self.has("it2it", ("clean", *ids(*cell))) for cell in cells):
                return UNDEFINED

            def over_cells(function: Callable[..., float], sample: list[str]) -> float:
                return sum(function(*ids(*cell), sample) for cell in cells) / len(cells)

            more = {key: over_cells(function, self.queries) for key, function in extra.items()}
            return {**more, **self.estimate(lambda sample: over_cells(of, sample))}

        return {
            "pairs": {
                f"joint_{name(p[0])}_{name(p[1])}": {
                    **{f"s{s}": mean([(p, s)]) for s in (1, 2, 3)},
                    "mean": mean([(p, s) for s in (1, 2, 3)]),
                }
                for p in pairs
            },
            "severities": {f"s{s}": mean([(p, s) for p in pairs]) for s in (1, 2, 3)},
            "mean": mean([(p, s) for p in pairs for s in (1, 2, 3)]),
            "n_pairs": len(pairs),
        }

    def gamma(self) -> Any:
        def observed(image: str, text: str, joint: str, sample: list[str]) -> float:
            return self.drop(joint, sample)

        def expected(image: str, text: str, joint: str, sample: list[str]) -> float:
            return self.drop(image, sample) + self.drop(text, sample)

        def gap(*cell: Any) -> float:
            return observed(*cell) - expected(*cell)

        return self.by_cell(gap, {"observed": observed, "expected": expected})

    def second_modality(self) -> Any:
        def text_after_image(image: str, text: str, joint: str, sample: list[str]) -> float:
            return self.drop(joint, sample) - self.drop(image, sample)

        def image_after_text(image: str, text: str, joint: str, sample: list[str]) -> float:
            return self.drop(joint, sample) - self.drop(text, sample)

        if not self.joint_pairs():
            return UNDEFINED
        return {
            "text_after_image": self.by_cell(text_after_image, {}),
            "image_after_text": self.by_cell(image_after_text, {}),
        }

    def stability(self) -> Any:
        joint = [c for c in self.modes.get("it2it", []) if parse_condition(c).kind == "joint"]
        if not joint:
            return UNDEFINED

        def shares(conditions: list[str]) -> Any:
            if not conditions:
                return UNDEFINED
            counts = {"kept": 0, "lost": 0, "gained": 0, "missed": 0}
            for c in conditions:
                for q in self.queries:
                    before, after = self.hit("it2it", "clean", q, self.k), self.hit("it2it", c, q, self.k)
                    bucket = ("kept" if after else "lost") if before else ("gained" if after else "missed")
                    counts[bucket] += 1
            n = len(conditions) * len(self.queries)
            shares = {bucket: 100 * count / n for bucket, count in counts.items()}
            return {**shares, "n": n, "n_conditions": len(conditions)}

        by_severity = {f"s{s}": shares([c for c in joint if c.endswith(f"_s{s}")]) for s in (1, 2, 3)}
        return {**by_severity, "all": shares(joint)}

    def rank_displacement(self) -> Any:
        corrupted = [c for c in self.modes.get("it2it", []) if c != "clean"]
        if not corrupted or not all(self.rank["it2it", c, q] for c in ["clean", *corrupted] for q in self.queries):
            return UNDEFINED

        def shift(ids: list[str], sample: list[str]) -> float:
            moved = [self.rank["it2it", c, q] - self.rank["it2it", "clean", q] for c in ids for q in sample]
            return sum(moved) / len(moved)

        def mean(ids: list[str]) -> Any:
            return self.estimate(lambda sample: shift(ids, sample)) if self.has("it2it", ids) else UNDEFINED

        return {
            "conditions": {c: mean([c]) for c in corrupted},
            "primitives": {
                p: {
                    **{f"s{s}": mean([f"image_{name(op)}_s{s}" for op in ops]) for s in (1, 2, 3)},
                    "all": mean([f"image_{name(op)}_s{s}" for op in ops for s in (1, 2, 3)]),
                }
                for p, ops in PRIMITIVES.items()
            },
        }

    def domains(self) -> Any:
        result = {}
        for domain in sorted(set(self.domain.values())):
            queries = [q for q in self.queries if self.domain[q] == domain]
            samples = self.draw(queries, [self.seed, *domain.encode()])

            def recall(sample: list[str]) -> float:
                return self.recall("it2it", "clean", sample)

            result[domain] = {
                f"recall_at_{self.k}": recall(queries),
                "interval": self.interval(recall, difference=False, samples=samples),
                "n": len(queries),
            }
        return result

    def everything(self) -> dict[str, Any]:
        has_drag = self.has("it2it", ["clean"]) and self.has("i2i", ["clean"])
        return {
            "ks": list(self.ks),
            "primary_k": self.k,
            "n_total": len(self.queries),
            "n_scored": len(self.queries),
            "n_missing": 0,
            "n_excluded": 0,
            "mode": "it2it",
            "condition": "clean",
            **self.values("it2it", "clean"),
            "conditions": self.conditions(),
            "averages": {mode: self.averages(mode) for mode in self.modes},
            "drag": self.compare(("i2i", "clean"), ("it2it", "clean")) if has_drag else UNDEFINED,
            "gamma_int": self.gamma(),
            "second_modality": self.second_modality(),
            "stability": self.stability(),
            "rank_displacement": self.rank_displacement(),
            "domains": self.domains(),
        }


def differences(ours: Any, reference: Any, path: str = "") -> list[str]:
    """Where two results differ by more than 1e-9 (relative), key by key; reasons must be there and are not compared."""
    if reference is UNDEFINED or reference == UNDEFINED:
        fine = (
            isinstance(ours, dict) and ours.keys() == {"value", "reason"} and ours["value"] is None and ours["reason"]
        )
        return [] if fine else [f"{path}: {ours!r} is not undefined"]
    if isinstance(reference, dict):
        keys = set(ours) - {"interval_reason"}
        found = [f"{path}: keys {sorted(keys ^ set(reference))}"] if keys != set(reference) else []
        if "interval" in reference and (reference["interval"] is None) != ("interval_reason" in ours):
            found.append(f"{path}: interval_reason")
        return found + [
            d for key in reference if key in ours for d in differences(ours[key], reference[key], f"{path}/{key}")
        ]
    if isinstance(reference, list) and isinstance(ours, list) and len(ours) == len(reference):
        return [
            d for i, pair in enumerate(zip(ours, reference, strict=True)) for d in differences(*pair, f"{path}/{i}")
        ]
    if isinstance(reference, int | float) and isinstance(ours, int | float):
        close = math.isclose(ours, reference, rel_tol=1e-9, abs_tol=1e-9)
        return [] if close and type(ours) is type(reference) else [f"{path}: {ours!r} is not {reference!r}"]
    return [] if ours == reference else [f"{path}: {ours!r} is not {reference!r}"]
