"""E5-V through its adapter against a plain forward pass."""

from dataclasses import replace

import adapter_checks
import numpy as np
import pytest
import tiny_models
import torch
import transformers
from adapter_checks import one_thread  # noqa: F401
from PIL import Image

from snapbench.adapters import adapter_spec, load_adapter

TURN = "<|start_header_id|>user<|end_header_id|>\n\n{}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n \n"
T = "what kind of bridge"
PROMPTS = {
    "image": "<image>\nSummary above image in one word: ",
    "text": T + "\nSummary above sentence in one word: ",
    "image+text": "<image>\n" + T + "\nSummary above image and sentence in one word: ",
}
MEAN = np.array([0.48145466, 0.4578275, 0.40821073])
STD = np.array([0.26862954, 0.26130258, 0.27577711])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_models.llava_next(tmp_path_factory.mktemp("llava"))


def load(folder, **options):
    spec = replace(adapter_spec("e5-v"), folder=folder, dim=32)
    return load_adapter(spec, device="cpu", dtype="float32", **options)


def reference_features(model, image):
    """A wide 2:1 image on the 28 x 56 grid fills it: one view of the whole and two tiles, a newline after each row."""
    assert image.width == 2 * image.height
    whole = image.resize((28, 28), Image.Resampling.BICUBIC)
    wide = image.resize((56, 28), Image.Resampling.BICUBIC)
    views = [whole, wide.crop((0, 0, 28, 28)), wide.crop((28, 0, 56, 28))]
    pixels = np.stack([((np.asarray(view) / 255 - MEAN) / STD).transpose(2, 0, 1) for view in views])
    tower = model.vision_tower(torch.tensor(pixels, dtype=torch.float32), output_hidden_states=True)
    base, left, right = model.multi_modal_projector(tower.hidden_states[-2][:, 1:])
    newline = model.image_newline[None]
    return torch.cat([base, left[:2], right[:2], newline, left[2:], right[2:], newline])


def reference(folder, string, image):
    model = transformers.AutoModel.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        if image is not None:
            features = reference_features(model, image)
            string = string.replace("<image>", "<image>" * len(features))
        ids = torch.tensor(tokenizer(string)["input_ids"])
        assert ids[0] == tokenizer.bos_token_id
        states = model.language_model.embed_tokens(ids)
        if image is not None:
            states[ids == tokenizer.convert_tokens_to_ids("<image>")] = features
        return adapter_checks.unit(model.language_model(inputs_embeds=states[None]).last_hidden_state[0, -1])


@pytest.mark.parametrize("role", ["query", "gallery"])
@pytest.mark.parametrize("content", PROMPTS)
def test_every_content_equals_a_plain_forward_pass(folder, role, content):
    image = tiny_models.photo(120, 60)
    ours = load(folder).encode(
        images=[image] if "image" in content else None, texts=[T] if "text" in content else None, role=role
    )
    expected = reference(folder, TURN.format(PROMPTS[content]), image if "image" in content else None)
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
    assert np.isfinite(adapter.encode(images=[tiny_models.photo(1, 190), tiny_models.photo(190, 1)])).all()


def test_the_wrong_checkpoint_is_refused(folder):
    with pytest.raises(ValueError, match="gives 32 dimensions, its spec says 4096"):
        load_adapter("e5-v", weights=folder)


def test_padding_side_does_not_matter(folder):
    adapter_checks.check_padding_side_does_not_matter(load(folder))
