"""The metric of SnapBench: pure functions (numpy only) and the evaluate module that wraps them."""

from .arithmetic import (
    PairedDifference,
    first_positive_ranks,
    first_positive_ranks_of_indices,
    hits_at_k,
    interaction_gap,
    mcnemar_p,
    mean_reciprocal_rank,
    paired_difference,
    recall_at_k,
)
from .scores import FirstPositives, Rankings, first_positive_ranks_from_scores, rankings_from_scores
from .summary import Outcome, summarize

__all__ = [
    "FirstPositives",
    "Outcome",
    "PairedDifference",
    "Rankings",
    "first_positive_ranks",
    "first_positive_ranks_from_scores",
    "first_positive_ranks_of_indices",
    "hits_at_k",
    "interaction_gap",
    "mcnemar_p",
    "mean_reciprocal_rank",
    "paired_difference",
    "rankings_from_scores",
    "recall_at_k",
    "summarize",
]
