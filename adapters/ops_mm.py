"""Ops-MM-embedding-v1 (OpenSearch-AI): GME's string, but padded left and with Qwen's own image positions."""

from dataclasses import replace

from .gme import GME_2B
from .qwen_vl import QwenVLSpec

OPS_MM_2B: QwenVLSpec = replace(
    GME_2B,
    name="ops-mm-2b",
    hub_id="OpenSearch-AI/Ops-MM-embedding-v1-2B",
    revision="69c23ac5595bb7fb3a9959df96fe155b3650c01e",
    dtype="bfloat16",
    max_tokens=None,
    first_resize="budget",
    pixels="to multiples of 28 within 256 to 1280 tokens of 28 x 28 (Pillow, bicubic)",
    padding_side="left",
    positions="grid",
    assumptions=(
        "both sides keep the default instruction; the authors' demo puts 'Find an image that matches the given text.' "
        "into its image+text call and nothing into the others",
    ),
)

OPS_MM_7B: QwenVLSpec = replace(
    OPS_MM_2B,
    name="ops-mm-7b",
    hub_id="OpenSearch-AI/Ops-MM-embedding-v1-7B",
    revision="e9179f601f9bf21d2fd20136c11eb4ae2ea42859",
    dim=3584,
    parameters="8.3B",
)
