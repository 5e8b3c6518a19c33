"""VLM2Vec-V2.0: a DoRA adapter on Qwen2-VL-2B-Instruct, prompted without chat template and without image brackets."""

from .qwen_vl import QwenVLSpec

_IMAGE = "<|image_pad|>\n"

VLM2VEC_V2 = QwenVLSpec(
    name="vlm2vec-v2",
    hub_id="VLM2Vec/VLM2Vec-V2.0",
    revision="e39ff079b8275ef876d3656da8c0bddbff3c4dde",
    license="Apache-2.0",
    dim=1536,
    parameters="2.2B",
    min_pixels=3_136,
    max_pixels=1_003_520,
    least_side=28,
    pixels="to multiples of 28 within 3136 to 1003520 pixels; an image with a side under 28 pixels becomes 56 x 56",
    pooling="last token",
    padding_side="left",
    positions="plain",
    prompts={
        "query image": _IMAGE + "Find a day-to-day image that looks similar to the provided image.\n",
        "query text": "Find me an everyday image that matches the given caption: {text}\n",
        "query image+text": _IMAGE + "Represent the given image with the following question: {text}\n",
        "gallery image": _IMAGE + "Represent the given image.\n",
        "gallery text": "{text}",
        "gallery image+text": _IMAGE + "Represent the given image with related text information: {text}\n",
    },
    assumptions=(
        "each role and content takes the MMEB string closest to it (NIGHTS, text-to-image, question, target, EDIS)",
        "positions count tokens: the prompts have no vision brackets, so the authors' code found no image to place",
        "the base model's revision is not pinned by the adapter; the one that was resolved is in the fingerprint",
    ),
)
