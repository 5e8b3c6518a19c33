"""Jina-Embeddings-v4 with its retrieval adapter already merged: plain Qwen2.5-VL, no remote code."""

from .prompts import QWEN_IMAGE
from .qwen_vl import QwenVLSpec

_IMAGE_TURN = f"<|im_start|>user\n{QWEN_IMAGE}Describe the image.<|im_end|>\n"

JINA_V4 = QwenVLSpec(
    name="jina-v4",
    hub_id="jinaai/jina-embeddings-v4-vllm-retrieval",
    revision=None,
    license="Qwen Research License (non-commercial)",
    dim=2048,
    matryoshka=(128, 256, 512, 1024),
    parameters="3.8B",
    max_tokens=32_768,
    max_pixels=602_112,
    pixels="to multiples of 28 within the checkpoint's minimum and 602112 pixels",
    pooling="mean over all tokens (text); mean from the start to the end of the image, prompt words left out (image)",
    padding_side="left",
    pool="vision span",
    prompts={
        "query image": _IMAGE_TURN,
        "query text": "Query: {text}",
        "query image+text": f"<|im_start|>user\n{QWEN_IMAGE}Query: {{text}}<|im_end|>\n",
        "gallery image": _IMAGE_TURN,
        "gallery text": "Passage: {text}",
        "gallery image+text": f"<|im_start|>user\n{QWEN_IMAGE}Passage: {{text}}<|im_end|>\n",
    },
    assumptions=(
        "image with text: one user turn with the image and the prefixed text, mean over all tokens; the authors define "
        "no vector for both",
        "weights: the authors' merged repository, since the adapter repository needs remote code of transformers 4; "
        "no source pins its revision, the one that was resolved is in the fingerprint",
    ),
)
