"""Fusion of score paths: the fixed rule, MOOR, its rivals and the oracle (paper, Section 5 and Appendix C)."""

from .fixed import MODE_PATHS, fixed
from .paths import PATHS, Path, Paths

__all__ = ["MODE_PATHS", "PATHS", "Path", "Paths", "fixed"]
