"""SigLIP, SigLIP 2 and BLIP through their adapters against plain forward passes."""

from dataclasses import replace

import adapter_checks
import numpy as np
import pytest
import tiny_models
import torch
import transformers
from adapter_checks import one_thread  # noqa: F401

from snapbench.adapters import adapter_spec, load_adapter

MEAN = np.array([0.48145466, 0.4578275, 0.40821073])
STD = np.array([0.26862954, 0.26130258, 0.27577711])
# The last one is long enough to lose its ends, if anything took a centre crop of it.
IMAGES = [tiny_models.photo(*size, seed) for seed, size in enumerate([(100, 60), (40, 90), (32, 32), (5000, 4)])]


@pytest.fixture(scope="module", params=["unigram", "sentencepiece", "gemma"])
def siglip_folder(request, tmp_path_factory):
    return tiny_models.siglip(tmp_path_factory.mktemp("siglip"), request.param)


@pytest.fixture(scope="module")
def blip_folder(tmp_path_factory):
    return tiny_models.blip(tmp_path_factory.mktemp("blip"))


def siglip_text(model, tokenizer, text):
    """64 positions, padding included, no mask; the last state through the head."""
    ids = [*tokenizer(text.lower(), add_special_tokens=False)["input_ids"][:63], tokenizer.eos_token_id]
    ids += [tokenizer.pad_token_id] * (64 - len(ids))
    tower = model.text_model
    with torch.no_grad():
        states = tower.embeddings(input_ids=torch.tensor([ids]))
        for layer in tower.encoder.layers:
            states = layer(states, attention_mask=None)
        return adapter_checks.unit(tower.head(tower.final_layer_norm(states)[:, -1]))[0]


def test_siglip_texts(siglip_folder):
    model = transformers.SiglipModel.from_pretrained(siglip_folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(siglip_folder)
    adapter = load_adapter(siglip_folder, device="cpu")
    texts = [*adapter_checks.EIGHT_TEXTS, "Stone BRIDGE " * 60]
    ours = adapter.encode(texts=texts)
    for text, vector in zip(texts, ours, strict=True):
        np.testing.assert_allclose(vector, siglip_text(model, tokenizer, text), atol=1e-5)
    assert adapter.n_truncated == sum(
        len(tokenizer(t.lower(), add_special_tokens=False)["input_ids"]) > 63 for t in texts
    )
    assert adapter.n_truncated >= 1
    np.testing.assert_array_equal(adapter.encode(texts=["A TULIP"]), adapter.encode(texts=["a tulip"]))
    adapter_checks.check_alone_equals_batch(adapter, None, texts)


def test_siglip_images(siglip_folder, tmp_path):
    model = transformers.SiglipModel.from_pretrained(siglip_folder).eval()
    adapter = load_adapter(siglip_folder, device="cpu")
    pixels = torch.stack([adapter_checks.square_pixels(image, 32, 0.5, 0.5) for image in IMAGES])
    with torch.no_grad():
        expected = adapter_checks.unit(model.vision_model(pixels).pooler_output)
    np.testing.assert_allclose(adapter.encode(images=IMAGES), expected, atol=1e-5)
    adapter_checks.check_image_files(adapter, tmp_path)
    adapter_checks.check_alone_equals_batch(adapter, IMAGES, None)


def test_siglip_needs_no_mask_and_full_padding_to_be_right(siglip_folder):
    """The two usual mistakes give other vectors, so the test above can see them."""
    model = transformers.SiglipModel.from_pretrained(siglip_folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(siglip_folder)
    right = load_adapter(siglip_folder, device="cpu").encode(texts=["a tulip"])[0]
    short = tokenizer("a tulip", return_tensors="pt")["input_ids"]
    padded = torch.nn.functional.pad(short, (0, 64 - short.shape[1]), value=tokenizer.pad_token_id)
    mask = (torch.arange(64) < short.shape[1]).long()[None]
    with torch.no_grad():
        for wrong in ({"input_ids": short}, {"input_ids": padded, "attention_mask": mask}):
            assert adapter_checks.unit(model.get_text_features(**wrong).pooler_output)[0] @ right < 0.99


def test_blip_equals_its_towers_and_its_own_score_matrix(blip_folder, tmp_path):
    model = transformers.BlipForImageTextRetrieval.from_pretrained(blip_folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(blip_folder)
    adapter = load_adapter(replace(adapter_spec("blip-itm-l"), folder=blip_folder, dim=24), device="cpu")
    pixels = torch.stack([adapter_checks.square_pixels(image, 32, MEAN, STD) for image in IMAGES])
    images = adapter.encode(images=IMAGES)
    texts = [*adapter_checks.EIGHT_TEXTS, "stone bridge over the river " * 20]
    vectors = adapter.encode(texts=texts)
    with torch.no_grad():
        expected = model.vision_proj(model.vision_model(pixels).last_hidden_state[:, 0])
        np.testing.assert_allclose(images, adapter_checks.unit(expected), atol=1e-5)
        for text, vector in zip(texts, vectors, strict=True):
            ids = tokenizer(text)["input_ids"]
            ids = [*ids[:34], tokenizer.sep_token_id] if len(ids) > 35 else ids
            state = model.text_encoder(input_ids=torch.tensor([ids])).last_hidden_state[:, 0]
            np.testing.assert_allclose(vector, adapter_checks.unit(model.text_proj(state))[0], atol=1e-5)
        tokens = tokenizer(texts, padding="max_length", max_length=35, truncation=True, return_tensors="pt")
        inputs = {"input_ids": tokens["input_ids"], "attention_mask": tokens["attention_mask"]}
        matrix = model(pixel_values=pixels[:1], use_itm_head=False, **{k: v[:1] for k, v in inputs.items()}).itm_score
    np.testing.assert_allclose(images[0] @ vectors[0], matrix[0, 0], atol=1e-5)
    assert adapter.n_truncated == 1
    assert vectors[1] @ vectors[4] < 0.999
    adapter_checks.check_image_files(adapter, tmp_path)
    adapter_checks.check_alone_equals_batch(adapter, None, texts)


def test_wrong_dimensions_are_refused(siglip_folder, blip_folder):
    with pytest.raises(ValueError, match="gives 32 dimensions, its spec says 1152"):
        load_adapter("siglip2-so400m", weights=siglip_folder)
    with pytest.raises(ValueError, match="gives 24 dimensions, its spec says 256"):
        load_adapter("blip-itm-l", weights=blip_folder)
