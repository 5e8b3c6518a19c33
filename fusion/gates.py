"""MOOR's gates: how much a path counts, given how well it agrees with the photo path (Section 5, Figure 7).

A gate maps r, the Pearson correlation of a path's scores with those of ``ii`` over the whole gallery, to a factor
>= 0. The bell, MOOR's own, discards both the path that says nothing (r near 0) and the one that repeats the
anchor (r near 1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from ..corruptions.conditions import check_name

GateName = Literal["bell", "linear", "sigmoid", "inverse-bell", "r2", "none"]
GateScale = Literal["raw", "peak"]

BELL_PEAK = 1 / 16
"""Height of the published bell, r^2 (1 - r)^2, at r = 1/2."""

_Float64 = npt.NDArray[np.float64]


def _bell(r: _Float64, tau: float, beta: float) -> _Float64:
    # 0**0 is 1: an exponent of 0 switches its factor off, also where the factor is 0.
    return np.clip(r, 0, None) ** tau * np.clip(1 - r, 0, None) ** beta


def _bell_peak(tau: float, beta: float) -> float:
    return float(_bell(np.array(tau / (tau + beta) if tau + beta else 0.5), tau, beta))


class _Shape(NamedTuple):
    function: Callable[[_Float64, float, float], _Float64]
    peak: Callable[[float, float], float]  # largest value on r in [0, 1]
    tau: float | None  # default; None: the gate has no such parameter
    beta: float | None


_SHAPES: dict[str, _Shape] = {
    "bell": _Shape(_bell, _bell_peak, 2.0, 2.0),
    "linear": _Shape(lambda r, t, b: np.clip(r, 0, None), lambda t, b: 1.0, None, None),
    "sigmoid": _Shape(
        lambda r, t, b: 1 / (1 + np.exp(-b * (r - t))), lambda t, b: float(1 / (1 + np.exp(-b * (1 - t)))), 0.5, 10.0
    ),
    "inverse-bell": _Shape(
        lambda r, t, b: 1 - _bell(np.clip(r, 0, 1), t, b) / _bell_peak(t, b), lambda t, b: 1.0, 2.0, 2.0
    ),
    "r2": _Shape(lambda r, t, b: np.clip(r, 0, None) ** 2, lambda t, b: 1.0, None, None),
    "none": _Shape(lambda r, t, b: np.ones_like(r), lambda t, b: 1.0, None, None),
}
GATE_NAMES: tuple[GateName, ...] = get_args(GateName)


@dataclass(frozen=True)
class Gate:
    """One gate; call it with r, get factors of the same shape.

    ============== ===========================================  ===================
    name           value                                         tau, beta
    ============== ===========================================  ===================
    bell           max(0, r)^tau max(0, 1 - r)^beta              exponents, 2 and 2
    linear         max(0, r)                                     none
    sigmoid        1 / (1 + exp(-beta (r - tau)))                0.5 and 10
    inverse-bell   1 - bell / its peak, r clipped to [0, 1]      as bell
    r2             max(0, r)^2                                   none
    none           1                                             none
    ============== ===========================================  ===================

    ASSUMED: the paper prints the bell with exponents 2 and 2 and names the other gates without formulas; it varies
    "tau" and "beta" without saying what they are, and here they are the bell's exponents.

    Attributes:
        name: the gate.
        tau: see the table; ``None`` takes the default.
        beta: see the table; ``None`` takes the default.
        scale: ``raw``, or ``peak``: scaled to the published bell's height of 1/16. The anchor's gate is 1, so a
            gate's height, not only its shape, decides how much the text paths get.

    Raises:
        ValueError: unknown name or scale, a parameter the gate does not have, or a negative one.

    >>> Gate()(np.array([-0.2, 0.0, 0.5, 1.0])).tolist()
    [0.0, 0.0, 0.0625, 0.0]
    """

    name: GateName = "bell"
    tau: float | None = None
    beta: float | None = None
    scale: GateScale = "raw"

    def __post_init__(self) -> None:
        check_name("gate", self.name, GATE_NAMES)
        check_name("scale", self.scale, get_args(GateScale))
        shape = _SHAPES[self.name]
        for argument, value, default in (("tau", self.tau, shape.tau), ("beta", self.beta, shape.beta)):
            if value is None:
                object.__setattr__(self, argument, default)
            elif default is None:
                raise ValueError(f"gate {self.name!r} has no parameter {argument}, got {value!r}; leave it out")
            elif not 0 <= value < np.inf:
                raise ValueError(f"{argument} of gate {self.name!r} must be finite and >= 0, got {value!r}")

    def __call__(self, r: npt.NDArray[np.floating[Any]]) -> _Float64:
        shape = _SHAPES[self.name]
        tau, beta = self.tau or 0.0, self.beta or 0.0
        value = shape.function(np.asarray(r, dtype=np.float64), tau, beta)
        return value * (BELL_PEAK / shape.peak(tau, beta)) if self.scale == "peak" else value


BELL = Gate()
"""MOOR's gate as published."""
