"""VLM2Vec-Full: Phi-3.5-vision, fully fine-tuned."""

from .base import AdapterSpec
from .phi3_v import IMAGE_TOKEN

VLM2VEC_FULL = AdapterSpec(
    name="vlm2vec-full",
    family="phi3_v",
    hub_id="TIGER-Lab/VLM2Vec-Full",
    revision="e9afa98002097ac2471827ba23ea1f2ddd229480",
    license="Apache-2.0",
    dim=3072,
    joint=True,
    parameters="4.1B",
    dtype="bfloat16",
    max_tokens=256,
    pixels="a grid of at most 4 squares of 336 x 336 (bilinear, padded with white) and a 336 x 336 view of it",
    pooling="last token",
    prompts={
        "query image": IMAGE_TOKEN + " Find a day-to-day image that looks similar to the provided image.",
        "query text": "Find me an everyday image that matches the given caption: {text}",
        "query image+text": IMAGE_TOKEN + " Represent the given image with the following question: {text}",
        "gallery image": IMAGE_TOKEN + " Represent the given image.",
        "gallery text": "{text}",
        "gallery image+text": IMAGE_TOKEN + " Represent the given image with related text information: {text}",
    },
    assumptions=(
        "runs on a port of the authors' image part, written after its description; checked against a plain forward "
        "pass on random weights, not against the authors' code, which current transformers can't run",
        "each role and content takes the authors' demo string or the MMEB string closest to it (NIGHTS, EDIS)",
        "the limit of 256 tokens counts the prompt without the image's features",
    ),
)
