"""RzenEmbed (360CVGroup): the instruction stands in the user's turn, between image and text."""

from .prompts import CHATML, DEFAULT_INSTRUCTION, QWEN_IMAGE, prompt_table
from .qwen_vl import QwenVLSpec

RZENEMBED_7B = QwenVLSpec(
    name="rzenembed-7b",
    hub_id="qihoo360/RzenEmbed",
    revision="ea95c339008f9639420fcb33ba2ba606ea94be78",
    license="MIT",
    dim=3584,
    parameters="8.3B",
    max_tokens=2000,
    min_pixels=256 * 28**2,
    max_pixels=1280 * 28**2,
    first_resize=(4 * 28**2, 16384 * 28**2),
    pixels="to multiples of 28 within 4 to 16384 tokens (Pillow, bicubic), then within 256 to 1280 tokens of 28 x 28",
    pooling="last token, which is `<|endoftext|>`",
    padding_side="right",
    positions="plain",
    prompts=prompt_table(
        CHATML.replace("{instruction}", DEFAULT_INSTRUCTION).replace("{text}", "{instruction}{text}") + "<|endoftext|>",
        image=QWEN_IMAGE,
        instructions={
            "query image": "Find a day-to-day image that looks similar to the provided image.",
            "query text": "Find me an everyday image that matches the given caption: ",
            "query image+text": "Retrieve a Wikipedia image-description pair that provides evidence for the "
            "question of this image: ",
            "gallery image": "Represent the given image.",
            "gallery image+text": "Represent the given image with related text information: ",
        },
    ),
    assumptions=(
        "the authors give instructions for text-to-image and image-to-text only; the others are the MMEB strings of "
        "NIGHTS (image query), OVEN (image+text query) and EDIS (image+text candidate)",
        "positions count tokens, as in the authors' released inference code on its own transformers version",
        "a text beyond 2000 tokens is cut before the prompt's end, so that the pooled token stays",
    ),
)
