"""GME-Qwen2-VL (Alibaba). Its remote code needs transformers 4; this is the same computation on Qwen2VLModel."""

from dataclasses import replace

from .prompts import CHATML, DEFAULT_INSTRUCTION, QWEN_IMAGE, prompt_table
from .qwen_vl import QwenVLSpec

GME_2B = QwenVLSpec(
    name="gme-2b",
    hub_id="Alibaba-NLP/gme-Qwen2-VL-2B-Instruct",
    revision="ce765ae71b8cdb208203cd8fb64a170b1b84293a",
    license="Apache-2.0",
    dim=1536,
    parameters="2.2B",
    dtype="float16",
    max_tokens=1800,
    min_pixels=256 * 28**2,
    max_pixels=1280 * 28**2,
    first_resize=(4 * 28**2, 16384 * 28**2),
    pixels="to multiples of 28 within 4 to 16384 tokens (Pillow, bicubic), then within 256 to 1280 tokens of 28 x 28",
    pooling="last token, which is `<|endoftext|>`",
    padding_side="right",
    positions="plain",
    prompts=prompt_table(
        CHATML + "<|endoftext|>",
        image=QWEN_IMAGE,
        instructions={"query": DEFAULT_INSTRUCTION, "gallery": DEFAULT_INSTRUCTION},
    ),
    assumptions=(
        "queries keep the default instruction: the authors name retrieval instructions for text queries only, e.g. "
        "'Find an image that matches the given text.'",
        "positions count tokens, as in the authors' released inference code on its own transformers version",
        "a text beyond 1800 tokens is cut before the prompt's end, so that the pooled token stays",
    ),
)

GME_7B = replace(
    GME_2B,
    name="gme-7b",
    hub_id="Alibaba-NLP/gme-Qwen2-VL-7B-Instruct",
    revision="477027a6480f8630363be77751f169cc3434b673",
    dim=3584,
    parameters="7.7B",
)
