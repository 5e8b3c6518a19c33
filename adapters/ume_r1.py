"""UME-R1-7B in its discriminative mode: the state at <disc_emb>, one forward pass."""

from .prompts import CHATML, DEFAULT_INSTRUCTION, QWEN_IMAGE, prompt_table
from .qwen_vl import QwenVLSpec

_TURN = CHATML.replace("{instruction}", DEFAULT_INSTRUCTION).replace("{text}", "{instruction}{text}")

UME_R1_7B = QwenVLSpec(
    name="ume-r1-7b",
    hub_id="zhibinlan/UME-R1-7B",
    revision="b5c08e3273d979e0f22445306717c39ca8d45df0",
    license="Apache-2.0",
    dim=3584,
    parameters="8.3B",
    pixels="to multiples of 28 within the checkpoint's own limits",
    pooling="state at `<disc_emb>`, where the prompt ends",
    padding_side="left",
    prompts=prompt_table(
        # Attention looks back only, so nothing after <disc_emb> can change its state and the prompt may end there.
        _TURN[: _TURN.index("{text}")] + "{text}\n<disc_emb>",
        image=QWEN_IMAGE,
        instructions={
            "query image": "Find a day-to-day image that looks similar to the provided image.",
            "query text": "Find me an everyday image that matches the given caption: ",
            "query image+text": "Represent the given image with the following question: ",
            "gallery image": "Represent the given image.",
            "gallery image+text": "Represent the given image with related text information: ",
        },
    ),
    assumptions=(
        "the discriminative vector: the generative one writes up to 8192 tokens an item, out of reach for a gallery "
        "under dozens of conditions; the authors' headline numbers use it",
        "each role and content takes the MMEB string closest to it (NIGHTS, text-to-image, question, target, EDIS)",
        "a row without an image has none; the authors' evaluation script adds a white 56 x 56 one",
    ),
)
