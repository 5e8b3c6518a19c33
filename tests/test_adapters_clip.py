"""CLIP through the adapter against a plain forward pass."""

import json

import numpy as np
import pytest
import tiny_models
import torch
import transformers
from adapter_checks import one_thread  # noqa: F401
from PIL import Image

from snapbench.adapters import load_adapter
from snapbench.adapters.dual import PixelReader
from snapbench.adapters.loading import load_image_processor

MEAN = np.array([0.48145466, 0.4578275, 0.40821073])
STD = np.array([0.26862954, 0.26130258, 0.27577711])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_models.clip(tmp_path_factory.mktemp("clip"))


@pytest.fixture(scope="module")
def model(folder):
    return transformers.CLIPModel.from_pretrained(folder).eval()


def unit(vectors):
    return torch.nn.functional.normalize(vectors.double(), dim=-1).numpy()


def reference_pixels(image):
    """Short edge to 30 pixels bicubic, centre crop, CLIP's mean and deviation."""
    width, height = image.size
    scale = 30 / min(width, height)
    size = (30, int(30 * height / width)) if width <= height else (int(30 * width / height), 30)
    assert scale > 0
    pixels = np.asarray(image.resize(size, Image.Resampling.BICUBIC), dtype=float)
    top, left = (pixels.shape[0] - 30) // 2, (pixels.shape[1] - 30) // 2
    cropped = pixels[top : top + 30, left : left + 30]
    return torch.tensor(((cropped / 255 - MEAN) / STD).transpose(2, 0, 1), dtype=torch.float32)


def reference_images(model, images):
    with torch.no_grad():
        hidden = model.vision_model(torch.stack([reference_pixels(image) for image in images])).last_hidden_state[:, 0]
        return unit(model.visual_projection(model.vision_model.post_layernorm(hidden)))


def reference_text(model, folder, text):
    """One text at a time, without padding: the state of the first end token, projected."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    ids = tokenizer(text)["input_ids"]
    ids = [*ids[:76], tokenizer.eos_token_id] if len(ids) > 77 else ids
    with torch.no_grad():
        hidden = model.text_model(torch.tensor([ids])).last_hidden_state[0, ids.index(tokenizer.eos_token_id)]
        return unit(model.text_projection(hidden))


def test_images_equal_a_plain_forward_pass(folder, model):
    images = [tiny_models.photo(100, 60), tiny_models.photo(40, 90, seed=1), tiny_models.photo(30, 30, seed=2)]
    ours = load_adapter(folder, device="cpu").encode(images=images)
    np.testing.assert_allclose(ours, reference_images(model, images), atol=1e-5)
    assert ours[0] @ ours[1] < 0.99


def test_texts_of_eight_lengths_equal_a_plain_forward_pass_each(folder, model):
    texts = ["", "a", "A Tulip", *(" ".join(["bridge over river"] * n) for n in (1, 2, 4, 8, 100))]
    adapter = load_adapter(folder, device="cpu")
    ours = adapter.encode(texts=texts)
    for text, vector in zip(texts, ours, strict=True):
        np.testing.assert_allclose(vector, reference_text(model, folder, text), atol=1e-5)
    assert adapter.n_truncated == 1
    assert ours[1] @ ours[2] < 0.99


def test_a_caption_of_300_words_is_cut_and_counted(folder):
    adapter = load_adapter(folder, device="cpu")
    adapter.encode(texts=["word " * 300, "short"])
    assert adapter.n_truncated == 1


def test_one_pixel_and_very_long_images(folder):
    adapter = load_adapter(folder, device="cpu")
    images = [Image.new("RGB", size, (200, 30, 60)) for size in ((1, 1), (3, 3), (1, 20_000), (20_000, 1))]
    assert adapter.encode(images=images).shape == (4, 16)


def test_orientation_animation_cmyk_and_arrays(folder, tmp_path):
    adapter = load_adapter(folder, device="cpu")
    image = tiny_models.photo(60, 40)
    turned = image.transpose(Image.Transpose.ROTATE_90)
    exif = Image.Exif()
    exif[0x0112] = 6
    turned.save(tmp_path / "turned.png", exif=exif)
    frames = [Image.new("RGB", (32, 32), colour) for colour in ("red", "green")]
    frames[0].save(tmp_path / "animated.gif", save_all=True, append_images=frames[1:])
    vectors = adapter.encode(
        images=[
            image,
            tmp_path / "turned.png",
            np.asarray(image),
            tmp_path / "animated.gif",
            frames[0],
            image.convert("CMYK"),
            image.convert("CMYK").convert("RGB"),
        ]
    )
    np.testing.assert_allclose(vectors[1], vectors[0], atol=1e-5)
    np.testing.assert_allclose(vectors[2], vectors[0], atol=1e-5)
    np.testing.assert_allclose(vectors[3], vectors[4], atol=1e-5)
    np.testing.assert_allclose(vectors[5], vectors[6], atol=1e-5)


@pytest.mark.parametrize("size", [(1000, 40), (999, 41), (37, 1234), (5000, 7)])
@pytest.mark.parametrize(("edge", "crop"), [(224, 224), (256, 224), (30, 40)])
def test_the_middle_of_a_very_long_image_is_what_a_resize_of_the_whole_would_give(tmp_path, size, edge, crop):
    config = {"size": {"shortest_edge": edge}, "crop_size": {"height": crop, "width": crop}}
    config["image_processor_type"] = "CLIPImageProcessor"
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(config))
    reader = PixelReader(tmp_path, "cpu", torch.float32)
    image = tiny_models.photo(*size)
    whole = load_image_processor(tmp_path)(np.asarray(image), return_tensors="np")["pixel_values"]
    levels = 255 * np.abs(reader([image]).numpy() - whole)[0] * STD[:, None, None]
    # Pillow rounds once a direction, and may take the two in another order for another size.
    assert levels.max() < 2.5
    assert levels.mean() < 0.3


def test_an_image_of_one_line_takes_no_more_memory_than_its_middle(folder):
    assert np.isfinite(load_adapter(folder, device="cpu").encode(images=[tiny_models.photo(60_000, 1)])).all()
