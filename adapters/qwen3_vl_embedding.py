"""Qwen3-VL-Embedding: the instruction is the system message, one user turn holds image and text."""

from dataclasses import replace

from .prompts import CHATML, QWEN_IMAGE, prompt_table
from .qwen_vl import QwenVLSpec

QWEN3_VL_EMB_2B = QwenVLSpec(
    name="qwen3-vl-emb-2b",
    hub_id="Qwen/Qwen3-VL-Embedding-2B",
    revision="9f2f7e710d6d81056aa5c0a4f04764fec6bb7bda",
    license="Apache-2.0",
    dim=2048,
    matryoshka=(64, 128, 256, 512, 1024),
    parameters="2.1B",
    max_tokens=8192,
    min_pixels=4 * 32**2,
    max_pixels=1800 * 32**2,
    first_resize="budget",
    pixels="to multiples of 32 within 4096 to 1843200 pixels (Pillow, bicubic)",
    pooling="last token; the tokenizer may append one to the prompt",
    padding_side="right",
    empty_text="NULL",
    prompts=prompt_table(
        CHATML,
        image=QWEN_IMAGE,
        instructions={
            "query": "Retrieve images or text relevant to the user's query.",
            "gallery": "Represent the user's input.",
        },
    ),
    assumptions=(
        "one query instruction for all modes, from the authors' examples; the paper's own wording per mode is not "
        "published",
    ),
)

QWEN3_VL_EMB_8B = replace(
    QWEN3_VL_EMB_2B,
    name="qwen3-vl-emb-8b",
    hub_id="Qwen/Qwen3-VL-Embedding-8B",
    revision="2c4565515e0f265c6511776e7193b22c0968ddc7",
    dim=4096,
    matryoshka=(64, 128, 256, 512, 1024, 2048),
    parameters="8.1B",
)
