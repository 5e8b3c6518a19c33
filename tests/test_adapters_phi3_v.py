"""VLM2Vec-Full through its adapter against a plain forward pass."""

import json
from dataclasses import replace

import adapter_checks
import numpy as np
import pytest
import tiny_models
import torch
import transformers
from adapter_checks import one_thread  # noqa: F401
from PIL import Image
from safetensors.torch import load_file

from snapbench.adapters import adapter_spec, load_adapter
from snapbench.adapters.phi3_v import to_grid

SIDE = 28
T = "what kind of bridge"
PROMPTS = {
    ("query", "image"): "<|image_1|> Find a day-to-day image that looks similar to the provided image.",
    ("query", "text"): "Find me an everyday image that matches the given caption: " + T,
    ("query", "image+text"): "<|image_1|> Represent the given image with the following question: " + T,
    ("gallery", "image"): "<|image_1|> Represent the given image.",
    ("gallery", "text"): T,
    ("gallery", "image+text"): "<|image_1|> Represent the given image with related text information: " + T,
}
MEAN = np.array([0.48145466, 0.4578275, 0.40821073])
STD = np.array([0.26862954, 0.26130258, 0.27577711])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_models.phi3_v(tmp_path_factory.mktemp("phi"), side=SIDE)


def load(folder, **changes):
    spec = replace(adapter_spec("vlm2vec-full"), folder=folder, dim=32, **changes)
    return load_adapter(spec, device="cpu", dtype="float32")


def reference_grid(image):
    """120 x 110 pixels on a grid of at most four squares of 28: two across, so 56 x 51, padded to 56 x 56."""
    assert image.size == (120, 110)
    padded = np.full((56, 56, 3), 255.0)
    padded[2:53] = np.asarray(image.resize((56, 51), Image.Resampling.BILINEAR), dtype=float)
    return padded


def reference_features(weights, image):
    prefix = "model.vision_embed_tokens."
    size = {"hidden_size": 64, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 1}
    tower = transformers.CLIPVisionModel(transformers.CLIPVisionConfig(**size, image_size=28, patch_size=7)).eval()
    names = tower.state_dict().keys() - {"embeddings.position_ids", "vision_model.embeddings.position_ids"}
    published = {name: f"{prefix}img_processor.vision_model.{name.removeprefix('vision_model.')}" for name in names}
    tower.load_state_dict({name: weights[key] for name, key in published.items()}, strict=False)
    pixels = torch.tensor(((reference_grid(image) / 255 - MEAN) / STD).transpose(2, 0, 1), dtype=torch.float32)
    view = torch.nn.functional.interpolate(pixels[None], size=(28, 28), mode="bicubic")[0]

    def patches(square):
        return tower(square[None], output_hidden_states=True).hidden_states[-2][0, 1:].reshape(4, 4, 64)

    def feature(states, y, x):
        """Four neighbouring patches, line by line, one after another."""
        return torch.cat([states[2 * y + i, 2 * x + j] for i in (0, 1) for j in (0, 1)])

    line_end = weights[prefix + "sub_GN"].flatten()
    rows = []
    squares = [[patches(pixels[:, 28 * i : 28 * i + 28, 28 * j : 28 * j + 28]) for j in range(2)] for i in range(2)]
    for i in range(2):
        for y in range(2):
            for j in range(2):
                rows += [feature(squares[i][j], y, x) for x in range(2)]
            rows.append(line_end)
    rows.append(weights[prefix + "glb_GN"].flatten())
    whole = patches(view)
    for y in range(2):
        rows += [feature(whole, y, x) for x in range(2)]
        rows.append(line_end)
    first, second = ([weights[f"{prefix}img_projection.{n}.{part}"] for part in ("weight", "bias")] for n in (0, 2))
    hidden = torch.nn.functional.gelu(torch.stack(rows) @ first[0].T + first[1])
    return hidden @ second[0].T + second[1]


def reference(folder, string, image):
    weights = load_file(folder / "model.safetensors")
    model = transformers.Phi3Model(tiny_models.phi3_config(json.loads((folder / "config.json").read_text()))).eval()
    model.load_state_dict({key: weights[f"model.{key}"] for key in model.state_dict()})
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)

    def embedded(text):
        return model.embed_tokens(torch.tensor(tokenizer(text)["input_ids"]))

    with torch.no_grad():
        if image is None:
            states = embedded(string)
        else:
            before, after = string.split("<|image_1|>")
            features = reference_features(weights, image)
            assert len(features) == (2 * 2 + 1) * 4 + 1 + (2 + 1) * 2  # the published count, at 4 features a square
            states = torch.cat([embedded(before), features, embedded(after)])
        return adapter_checks.unit(model(inputs_embeds=states[None]).last_hidden_state[0, -1])


@pytest.mark.parametrize(("role", "content"), PROMPTS)
def test_every_role_and_content_equals_a_plain_forward_pass(folder, role, content):
    image = tiny_models.photo(120, 110)
    ours = load(folder).encode(
        images=[image] if "image" in content else None, texts=[T] if "text" in content else None, role=role
    )
    expected = reference(folder, PROMPTS[role, content], image if "image" in content else None)
    np.testing.assert_allclose(ours[0], expected, atol=1e-5)


def test_a_row_does_not_depend_on_its_neighbours(folder, tmp_path):
    adapter = load(folder)
    images = [tiny_models.photo(60 + 25 * i, 110 - 9 * i, seed=i) for i in range(8)]
    adapter_checks.check_alone_equals_batch(adapter, images, adapter_checks.EIGHT_TEXTS)
    adapter_checks.check_alone_equals_batch(adapter, None, adapter_checks.EIGHT_TEXTS)
    mixed = adapter.encode(images=[None, images[1]], texts=["a tulip", None])
    np.testing.assert_allclose(mixed[0], adapter.encode(texts=["a tulip"])[0], atol=1e-5)
    np.testing.assert_allclose(mixed[1], adapter.encode(images=images[1:2])[0], atol=1e-5)
    adapter_checks.check_image_files(adapter, tmp_path)


@pytest.mark.parametrize(
    ("size", "grid"),
    [((400, 300), (2, 2)), ((300, 400), (2, 2)), ((1000, 100), (4, 1)), ((50, 400), (1, 4)), ((9, 9), (2, 2))],
)
def test_the_grid_of_an_image(size, grid):
    assert to_grid(Image.new("RGB", size), side=336, most=4).size == (336 * grid[0], 336 * grid[1])


def test_long_text_is_cut_and_does_not_count_the_image(folder):
    adapter = load(folder, max_tokens=40)
    image = tiny_models.photo(120, 110)
    adapter.encode(images=[image], texts=["a tulip"])
    assert adapter.n_truncated == 0
    adapter.encode(images=[image], texts=["old stone bridge " * 50])
    assert adapter.n_truncated == 1


def test_the_wrong_checkpoint_is_refused(folder):
    with pytest.raises(ValueError, match="gives 32 dimensions, its spec says 3072"):
        load_adapter("vlm2vec-full", weights=folder)


def test_rotary_frequencies_follow_the_published_scaling(folder):
    """Short factors below 4096 positions; cosines and sines scaled by sqrt(1 + ln(scale) / ln(original length))."""
    rotary = load(folder).encoder._model.rotary_emb
    cos, _ = rotary(torch.zeros(1, 5, 32), torch.arange(5)[None])
    frequency = 1 / (np.array([1.0, 1.1, 1.2, 1.3]) * 10_000 ** (np.arange(4) / 4))
    scale = np.sqrt(1 + np.log(8192 / 4096) / np.log(4096))
    np.testing.assert_allclose(cos[0, 3, :4], np.cos(3 * frequency) * scale, atol=1e-5)


def test_padding_side_does_not_matter(folder):
    adapter_checks.check_padding_side_does_not_matter(load(folder))
