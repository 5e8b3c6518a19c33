"""Fusion of score paths: the fixed rule, MOOR, its rivals and the oracle (paper, Section 5 and Appendix C).

One interface for all rules::

    gallery = fusion.Gallery(g_image, g_text)                 # once
    state = fusion.Embeddings(q_image, q_text, gallery)       # one a condition
    rule = fusion.load_rule("moor")
    rule.fit([...])                                           # only where rule.spec.fitted_on says so
    scores = rule.scores(state, query_ids)                    # [n_queries, n_gallery]

For a vector index: ``fusion.moor.query_vectors`` and ``fusion.moor.gallery_vectors``.
"""

from . import moor
from .base import FittedRule, LabelledState, Rule, RuleSpec
from .embeddings import Embeddings, Gallery
from .fixed import MODE_PATHS, fixed
from .gates import GATE_NAMES, Gate
from .global_weight import standardize
from .hits import hits
from .moor import PathWeights
from .oracle import Oracle, gap_closed, oracle
from .paths import PATHS, Path, Paths
from .rank_based import borda, combmnz, rrf
from .rules import Moor, fuse, list_rules, load_rule

__all__ = [
    "GATE_NAMES",
    "MODE_PATHS",
    "PATHS",
    "Embeddings",
    "FittedRule",
    "Gallery",
    "Gate",
    "LabelledState",
    "Moor",
    "Oracle",
    "Path",
    "PathWeights",
    "Paths",
    "Rule",
    "RuleSpec",
    "borda",
    "combmnz",
    "fixed",
    "fuse",
    "gap_closed",
    "hits",
    "list_rules",
    "load_rule",
    "moor",
    "oracle",
    "rrf",
    "standardize",
]
