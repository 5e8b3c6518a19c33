"""From the states of a sequence to one vector.

Masks, never token ids, say what is padding: several models pool the very token that they also pad with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def last_token(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """State of the last attended token; either padding side.

    Args:
        states: [n, length, dim].
        mask: [n, length], 1 where attended.
    """
    columns = mask.shape[1] - 1 - mask.flip(1).argmax(1)
    return states[range(len(states)), columns]


def mean(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Mean state over ``mask`` [n, length], summed in float32: half precision loses bits over hundreds of tokens."""
    weights = mask.unsqueeze(-1).float()
    return (states.float() * weights).sum(1) / weights.sum(1)


def plain_positions(mask: torch.Tensor) -> torch.Tensor:
    """Positions 0, 1, 2, … of the attended tokens, the same on all three axes of Qwen's rotary embedding.

    Returns:
        int64 [3, n, length].
    """
    return (mask.cumsum(-1) - 1).clamp(min=0)[None].expand(3, -1, -1)
