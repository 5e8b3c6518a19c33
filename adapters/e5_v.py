"""E5-V: LLaVA-NeXT on Llama-3, asked to sum an image or a sentence up in one word."""

from .base import AdapterSpec
from .prompts import prompt_table

_TURN = (
    "<|start_header_id|>user<|end_header_id|>\n\n{image}{text}{instruction}<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\n \n"
)

_SUMMARY = {
    "image": "Summary above image in one word: ",
    "text": "\nSummary above sentence in one word: ",
    "image+text": "\nSummary above image and sentence in one word: ",
}

E5_V = AdapterSpec(
    name="e5-v",
    family="llava_next",
    hub_id="royokong/e5-v",
    revision="0c1f22679417b3ae925d779442221c40cd1861ab",
    license="none stated on the Hub (the authors' code: Apache-2.0; base: Llama 3 Community License)",
    dim=4096,
    joint=True,
    parameters="8.4B",
    dtype="float16",
    pixels="one view of 336 x 336 and up to four tiles of 336 x 336 in the best-fitting grid, padded",
    pooling="last token",
    prompts=prompt_table(
        _TURN,
        image="<image>\n",
        instructions={f"{role} {content}": text for role in ("query", "gallery") for content, text in _SUMMARY.items()},
    ),
    assumptions=(
        "image with text: the authors' image and sentence prompts joined, the same on both sides; they define one for "
        "composed retrieval only ('Modify this image with …'), which is another task",
    ),
)
