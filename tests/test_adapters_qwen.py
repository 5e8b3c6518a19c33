"""The Qwen-VL embedders through their adapters against plain forward passes, one row at a time without padding."""

import json
import re
import warnings
from dataclasses import replace

import adapter_checks
import numpy as np
import pytest
import tiny_models
import torch
import transformers
from adapter_checks import one_thread  # noqa: F401
from PIL import Image
from safetensors.torch import load_file, save_file

from snapbench.adapters import adapter_spec, list_adapters, load_adapter
from snapbench.adapters.registry import _check_prompt
from snapbench.adapters.vision import smart_size

V = "<|vision_start|><|image_pad|><|vision_end|>"
CHAT = "<|im_start|>system\n{}<|im_end|>\n<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
HELPFUL = "You are a helpful assistant."
T = "what kind of bridge"

GME = {
    (role, content): CHAT.format(HELPFUL, part) + "<|endoftext|>"
    for role in ("query", "gallery")
    for content, part in (("image", V), ("text", T), ("image+text", V + T))
}
MMEB = {
    ("query", "image"): "Find a day-to-day image that looks similar to the provided image.",
    ("query", "text"): "Find me an everyday image that matches the given caption: " + T,
    ("query", "image+text"): "Represent the given image with the following question: " + T,
    ("gallery", "image"): "Represent the given image.",
    ("gallery", "text"): T,
    ("gallery", "image+text"): "Represent the given image with related text information: " + T,
}
OVEN = "Retrieve a Wikipedia image-description pair that provides evidence for the question of this image: " + T
QWEN3 = {"query": "Retrieve images or text relevant to the user's query.", "gallery": "Represent the user's input."}


def with_image(content, text):
    return V + text if "image" in content else text


STRINGS = {
    "gme-2b": GME,
    "ops-mm-2b": GME,
    "rzenembed-7b": {
        key: CHAT.format(HELPFUL, with_image(key[1], OVEN if key == ("query", "image+text") else text))
        + "<|endoftext|>"
        for key, text in MMEB.items()
    },
    "ume-r1-7b": {
        key: f"<|im_start|>system\n{HELPFUL}<|im_end|>\n<|im_start|>user\n{with_image(key[1], text)}\n<disc_emb>"
        for key, text in MMEB.items()
    },
    "vlm2vec-v2": {
        key: T if key == ("gallery", "text") else ("<|image_pad|>\n" if "image" in key[1] else "") + text + "\n"
        for key, text in MMEB.items()
    },
    "qwen3-vl-emb-2b": {
        (role, content): CHAT.format(QWEN3[role], part)
        for role in ("query", "gallery")
        for content, part in (("image", V), ("text", T), ("image+text", V + T))
    },
    "jina-v4": {
        (role, content): text
        for role, prefix in (("query", "Query: "), ("gallery", "Passage: "))
        for content, text in (
            ("image", f"<|im_start|>user\n{V}Describe the image.<|im_end|>\n"),
            ("text", prefix + T),
            ("image+text", f"<|im_start|>user\n{V}{prefix}{T}<|im_end|>\n"),
        )
    },
}
ARCHITECTURE = {"jina-v4": "qwen2_5_vl", "qwen3-vl-emb-2b": "qwen3_vl"}
PLAIN = {"gme-2b", "rzenembed-7b", "vlm2vec-v2"}
SMALL_BUDGET = {"min_pixels": 8 * 28**2, "max_pixels": 20 * 28**2}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("qwen")
    folders = {kind: tiny_models.qwen(root / kind, kind) for kind in ("qwen2_vl", "qwen2_5_vl")}
    # The published Qwen3 tokenizer closes a prompt with a token of its own.
    return {**folders, "qwen3_vl": tiny_models.qwen(root / "qwen3_vl", "qwen3_vl", last="<|endoftext|>")}


def small_spec(name, folders, **changes):
    spec = adapter_spec(name)
    budget = SMALL_BUDGET if spec.max_pixels else {}
    first = {"first_resize": (4 * 28**2, 30 * 28**2)} if isinstance(spec.first_resize, tuple) else {}
    folder = folders[ARCHITECTURE.get(name, "qwen2_vl")]
    return replace(spec, **{"folder": folder, "dim": 32, **budget, **first, **changes})


def load(name, folders, **changes):
    return load_adapter(small_spec(name, folders, **changes), device="cpu", dtype="float32")


def reference_size(width, height, factor, least, most, at_least):
    w, h = (max(at_least, round(side / factor) * factor) for side in (width, height))
    if w * h > most:
        ratio = (width * height / most) ** 0.5
        return max(factor, int(width / ratio // factor) * factor), max(factor, int(height / ratio // factor) * factor)
    if w * h < least:
        ratio = (least / (width * height)) ** 0.5
        return -int(-width * ratio // factor) * factor, -int(-height * ratio // factor) * factor
    return w, h


def reference_patches(image, patch, mean, deviation):
    """Patches of 2 x 2 blocks one after another, each doubled in time."""
    pixels = (np.asarray(image, dtype=float) / 255 - mean) / deviation
    rows = []
    across, down = image.width // patch, image.height // patch
    for top in range(0, down, 2):
        for left in range(0, across, 2):
            for y in (top, top + 1):
                for x in (left, left + 1):
                    tile = pixels[y * patch : (y + 1) * patch, x * patch : (x + 1) * patch].transpose(2, 0, 1)
                    rows.append(np.repeat(tile[:, None], 2, axis=1).reshape(-1))
    return torch.tensor(np.array(rows), dtype=torch.float32), torch.tensor([[1, down, across]])


def reference(name, spec, string, image):
    """One row: the image's features laid over its tokens, explicit positions, the pooled state."""
    model = transformers.AutoModel.from_pretrained(spec.folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(spec.folder)
    patch = 16 if name.startswith("qwen3") else 14
    pad = tokenizer.convert_tokens_to_ids("<|image_pad|>")
    extra = {}
    features = None
    if image is not None:
        if name == "vlm2vec-v2" and min(image.size) < 28:
            image = image.resize((56, 56))
        limits = json.loads((spec.folder / "preprocessor_config.json").read_text())["size"]
        budget = (spec.min_pixels or limits["shortest_edge"], spec.max_pixels or limits["longest_edge"])
        steps = [(budget, False)]
        if spec.first_resize:
            steps.insert(0, (budget if spec.first_resize == "budget" else spec.first_resize, True))
        for (least, most), own in steps:
            # The authors' own resize rounds a side up to one token at least; the processor's rounds it to none.
            size = reference_size(*image.size, 2 * patch, least, most, at_least=2 * patch if own else 0)
            image = image.resize(size, Image.Resampling.BICUBIC)
        if patch == 16:
            standard = (0.5, 0.5)
        else:
            standard = (
                np.array([0.48145466, 0.4578275, 0.40821073]),
                np.array([0.26862954, 0.26130258, 0.27577711]),
            )
        pixels, grid = reference_patches(image, patch, *standard)
        with torch.no_grad():
            seen = model.visual(pixels, grid_thw=grid)
        features = seen.pooler_output
        string = string.replace("<|image_pad|>", "<|image_pad|>" * len(features))
    ids = torch.tensor(tokenizer(string)["input_ids"])
    states = model.language_model.embed_tokens(ids).detach().clone()
    positions = torch.arange(len(ids)).repeat(3, 1)
    if image is not None:
        states[ids == pad] = features
        if name not in PLAIN:
            start = int((ids == pad).int().argmax())
            down, across = int(grid[0, 1]) // 2, int(grid[0, 2]) // 2
            for n in range(down * across):
                positions[:, start + n] = torch.tensor([start, start + n // across, start + n % across])
            rest = len(ids) - start - down * across
            positions[:, len(ids) - rest :] = start + max(down, across) + torch.arange(rest)
        if patch == 16:
            extra = {"visual_pos_masks": (ids == pad)[None], "deepstack_visual_embeds": seen.deepstack_features}
    with torch.no_grad():
        out = model.language_model(inputs_embeds=states[None], position_ids=positions[:, None], **extra)
    states = out.last_hidden_state[0]
    if name != "jina-v4":
        return adapter_checks.unit(states[-1])
    if image is not None and T not in string:
        first = int((ids == tokenizer.convert_tokens_to_ids("<|vision_start|>")).int().argmax())
        states = states[first : first + 2 + len(features)]
    return adapter_checks.unit(states.mean(0))


@pytest.mark.parametrize("name", STRINGS)
def test_every_role_and_content_equals_a_plain_forward_pass(name, folders):
    spec = small_spec(name, folders)
    adapter = load(name, folders)
    image = tiny_models.photo(150, 70, seed=4)
    for (role, content), string in STRINGS[name].items():
        ours = adapter.encode(
            images=[image] if "image" in content else None, texts=[T] if "text" in content else None, role=role
        )
        expected = reference(name, spec, string, image if "image" in content else None)
        np.testing.assert_allclose(ours[0], expected, atol=1e-5, err_msg=f"{role} {content}")


@pytest.mark.parametrize("name", STRINGS)
def test_a_row_does_not_depend_on_its_neighbours(name, folders):
    adapter = load(name, folders)
    images = [tiny_models.photo(60 + 25 * i, 110 - 9 * i, seed=i) for i in range(8)]
    adapter_checks.check_alone_equals_batch(adapter, images, adapter_checks.EIGHT_TEXTS)
    adapter_checks.check_alone_equals_batch(adapter, None, adapter_checks.EIGHT_TEXTS)
    mixed = adapter.encode(
        images=[images[0], None, images[2], None], texts=[None, "a tulip", "bridge", "stone bridge over the river"]
    )
    np.testing.assert_allclose(mixed[0], adapter.encode(images=images[:1])[0], atol=1e-5)
    np.testing.assert_allclose(mixed[1], adapter.encode(texts=["a tulip"])[0], atol=1e-5)
    np.testing.assert_allclose(mixed[2], adapter.encode(images=images[2:3], texts=["bridge"])[0], atol=1e-5)


@pytest.mark.parametrize("name", STRINGS)
def test_padding_side_does_not_matter_but_positions_do(name, folders):
    spec = adapter_spec(name)
    other = "left" if spec.padding_side == "right" else "right"
    images = [tiny_models.photo(150, 70), tiny_models.photo(60, 60, seed=1)]
    texts = ["a tulip", "what kind of old stone bridge is this"]
    ours = load(name, folders).encode(images=images, texts=texts)
    swapped = load(name, folders, padding_side=other).encode(images=images, texts=texts)
    np.testing.assert_allclose(swapped, ours, atol=1e-5)
    wrong = load(name, folders, positions="grid" if spec.positions == "plain" else "plain")
    assert (wrong.encode(images=images, texts=texts) * ours).sum(1).max() < 0.999


def test_gme_resizes_twice_with_its_real_budget(folders):
    """100 x 60 pixels become 644 x 336 in two steps; one step would give 588 x 364."""
    spec = replace(adapter_spec("gme-2b"), folder=folders["qwen2_vl"], dim=32)
    adapter = load_adapter(spec, device="cpu", dtype="float32")
    image = tiny_models.photo(100, 60)
    expected = reference("gme-2b", spec, GME["query", "image"], image)
    np.testing.assert_allclose(adapter.encode(images=[image])[0], expected, atol=1e-5)
    thin = tiny_models.photo(600, 9)
    expected = reference("gme-2b", spec, GME["query", "image"], thin)
    np.testing.assert_allclose(adapter.encode(images=[thin])[0], expected, atol=1e-5)
    assert smart_size(112, 56, factor=28, min_pixels=200_704, max_pixels=1_003_520) == (644, 336)
    assert smart_size(100, 60, factor=28, min_pixels=200_704, max_pixels=1_003_520) == (588, 364)


@pytest.mark.parametrize("name", ["gme-2b", "vlm2vec-v2", "qwen3-vl-emb-2b", "jina-v4"])
def test_image_files(name, folders, tmp_path):
    adapter = load(name, folders)
    adapter_checks.check_image_files(adapter, tmp_path)
    # A side of 28 pixels is the least that VLM2Vec-V2 does not turn into a square first.
    long = (6000, 28) if name == "vlm2vec-v2" else (1000, 4)
    with pytest.raises(ValueError, match=rf"item 1: an image of {long[0]} x {long[1]} pixels is more than 200 times"):
        adapter.encode(images=[tiny_models.photo(), tiny_models.photo(*long)])


def test_a_thin_image_becomes_a_square_in_vlm2vec(folders):
    spec, string = small_spec("vlm2vec-v2", folders), STRINGS["vlm2vec-v2"]["query", "image"]
    for size in ((90, 20), (5000, 4)):
        image = tiny_models.photo(*size)
        expected = reference("vlm2vec-v2", spec, string, image)
        np.testing.assert_allclose(load("vlm2vec-v2", folders).encode(images=[image])[0], expected, atol=1e-5)


def test_long_text_is_cut_before_the_prompt_ends(folders):
    adapter = load("gme-2b", folders, max_tokens=60)
    long = "old stone bridge " * 200
    vectors = adapter.encode(texts=[long, "short", long + "more"])
    assert adapter.n_truncated == 2
    np.testing.assert_allclose(vectors[0], vectors[2], atol=1e-5)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folders["qwen2_vl"])
    lengths = {n: len(tokenizer(GME["query", "text"].replace(T, long[:n]))["input_ids"]) for n in range(300)}
    kept = [long[:n] for n, length in lengths.items() if 58 <= length <= 60]
    assert (adapter.encode(texts=kept) @ vectors[0]).max() > 1 - 1e-5
    images = [tiny_models.photo(150, 70)]
    assert np.isfinite(adapter.encode(images=images, texts=[long])).all()


def test_special_tokens_in_a_text_are_data(folders):
    adapter = load("gme-2b", folders)
    texts = ["a <|image_pad|> tulip", "<|im_end|>\n<|im_start|>system\n", "{text} {image}"]
    assert np.isfinite(adapter.encode(texts=texts)).all()
    assert np.isfinite(adapter.encode(images=[tiny_models.photo()] * 3, texts=texts)).all()


def test_an_empty_text_alone_is_null_for_qwen3(folders):
    adapter = load("qwen3-vl-emb-2b", folders)
    np.testing.assert_allclose(adapter.encode(texts=[""]), adapter.encode(texts=["NULL"]), atol=1e-6)


def test_prompts_and_budget_can_be_replaced_and_change_the_fingerprint(folders):
    spec = small_spec("gme-2b", folders)
    first = load_adapter(spec, device="cpu", dtype="float32")
    other = load_adapter(spec, device="cpu", dtype="float32", prompts={"query text": "{text}<|endoftext|>"})
    larger = load_adapter(spec, device="cpu", dtype="float32", max_pixels=40 * 28**2)
    assert len({first.fingerprint, other.fingerprint, larger.fingerprint}) == 3
    assert (first.encode(texts=[T]) * other.encode(texts=[T])).sum() < 0.999
    np.testing.assert_allclose(first.encode(texts=[T], role="gallery"), other.encode(texts=[T], role="gallery"))
    with pytest.raises(ValueError, match=r"'query texts' of adapter 'gme-2b' is unknown. Did you mean 'query text'"):
        load_adapter(spec, prompts={"query texts": ""})
    with pytest.raises(ValueError, match="min_pixels must not exceed max_pixels"):
        load_adapter(spec, min_pixels=10**9)


def test_shorter_vectors_are_cut_and_normalised_again(folders):
    spec = small_spec("qwen3-vl-emb-2b", folders, matryoshka=(8,))
    whole = load_adapter(spec, device="cpu", dtype="float32").encode(texts=[T])[:, :8]
    short = load_adapter(spec, device="cpu", dtype="float32", truncate_dim=8)
    assert short.spec.dim == 8
    np.testing.assert_allclose(short.encode(texts=[T]), whole / np.linalg.norm(whole), atol=1e-6)
    with pytest.raises(ValueError, match="gives 32 dimensions, its spec says 2048"):
        load_adapter("qwen3-vl-emb-2b", weights=folders["qwen3_vl"], truncate_dim=64)
    longer = replace(spec, dim=16)  # The length of another size of the model; 8 is shorter than both.
    with pytest.raises(ValueError, match="gives 32 dimensions, its spec says 16"):
        load_adapter(longer, truncate_dim=8)


def test_wrong_checkpoints_are_refused_before_weights_are_read(folders):
    for name in STRINGS:
        folder = folders[ARCHITECTURE.get(name, "qwen2_vl")]
        with pytest.raises(ValueError, match=f"gives 32 dimensions, its spec says {adapter_spec(name).dim}"):
            load_adapter(name, weights=folder)


def copy(folder, target):
    target.mkdir()
    for path in folder.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    return target


def test_checkpoints_of_transformers_4_give_the_same_vectors(folders, tmp_path):
    """It wrote a flat config, pixel limits by name, and weights without a prefix for the language model."""
    source = folders["qwen2_vl"]
    images = [tiny_models.photo(150, 70)]
    ours = load("ops-mm-2b", folders).encode(images=images, texts=[T])

    flat = copy(source, tmp_path / "flat")
    assert "model.layers.0.input_layernorm.weight" in load_file(flat / "model.safetensors")
    config = json.loads((source / "config.json").read_text())
    text = config.pop("text_config")
    rope = text.pop("rope_parameters")
    scaling = {"type": "mrope", "mrope_section": rope["mrope_section"]}
    config = {**text, **config, "rope_theta": rope["rope_theta"], "rope_scaling": scaling}
    (flat / "config.json").write_text(json.dumps(config))
    limits = json.loads((source / "preprocessor_config.json").read_text())
    size = limits.pop("size")
    limits |= {"min_pixels": size["shortest_edge"], "max_pixels": size["longest_edge"]}
    (flat / "preprocessor_config.json").write_text(json.dumps(limits))
    again = load("ops-mm-2b", folders, folder=flat).encode(images=images, texts=[T])
    np.testing.assert_allclose(again, ours, atol=1e-6)
    own_limits = {"min_pixels": None, "max_pixels": None, "first_resize": None}
    np.testing.assert_allclose(
        load("ops-mm-2b", folders, folder=flat, **own_limits).encode(images=images),
        load("ops-mm-2b", folders, **own_limits).encode(images=images),
        atol=1e-6,
    )


def dora_adapter(folder, base, prefix):
    """A DoRA adapter on one projection of each tower, under the key names of ``prefix``, and the merged weights."""
    generator = torch.Generator().manual_seed(5)
    weights = load_file(base / "model.safetensors")
    paths = {
        "model.layers.1.self_attn.q_proj": prefix["language"] + "layers.1.self_attn.q_proj",
        "visual.blocks.0.attn.qkv": prefix["visual"] + "blocks.0.attn.qkv",
    }
    adapter, merged = {}, {}
    for path, key in paths.items():
        weight = weights[f"{path}.weight"]
        a = torch.randn(4, weight.shape[1], generator=generator)
        b = torch.randn(weight.shape[0], 4, generator=generator)
        magnitude = torch.rand(weight.shape[0], generator=generator) + 0.5
        adapter |= {
            f"{key}.lora_A.weight": a,
            f"{key}.lora_B.weight": b,
            f"{key}.lora_magnitude_vector": magnitude,
        }
        full = weight + 16 / 4 * b @ a
        merged[path] = torch.stack([m * row / row.norm() for m, row in zip(magnitude, full, strict=True)])
    folder.mkdir()
    save_file(adapter, folder / "adapter_model.safetensors")
    config = {
        "base_model_name_or_path": str(base),
        "peft_type": "LORA",
        "r": 4,
        "lora_alpha": 16,
        "use_dora": True,
        "bias": "none",
        "target_modules": ["layers.1.self_attn.q_proj", "blocks.0.attn.qkv"],
    }
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return merged


OLD_KEYS = {"language": "base_model.model.model.", "visual": "base_model.model.visual."}
NEW_KEYS = {"language": "base_model.model.model.language_model.", "visual": "base_model.model.model.visual."}


@pytest.mark.parametrize("prefix", [OLD_KEYS, NEW_KEYS], ids=["old keys", "new keys"])
def test_a_dora_adapter_is_merged_into_its_base(folders, tmp_path, prefix):
    base = folders["qwen2_vl"]
    merged = dora_adapter(tmp_path / "adapter", base, prefix)
    ours = load("vlm2vec-v2", folders, folder=tmp_path / "adapter")
    whole = copy(base, tmp_path / "whole")
    weights = load_file(base / "model.safetensors") | {f"{path}.weight": weight for path, weight in merged.items()}
    save_file(weights, whole / "model.safetensors", {"format": "pt"})
    expected = load("vlm2vec-v2", folders, folder=whole)
    images = [tiny_models.photo(100, 60)]
    np.testing.assert_allclose(ours.encode(images=images), expected.encode(images=images), atol=1e-5)
    plain = load("vlm2vec-v2", folders)
    assert (ours.encode(images=images) * plain.encode(images=images)).sum() < 0.99
    assert len({ours.fingerprint, plain.fingerprint, expected.fingerprint}) == 3


@pytest.mark.crosscheck
def test_merging_a_dora_adapter_equals_peft(folders, tmp_path):
    peft = pytest.importorskip("peft")
    dora_adapter(tmp_path / "adapter", folders["qwen2_vl"], NEW_KEYS)
    base = transformers.Qwen2VLForConditionalGeneration.from_pretrained(folders["qwen2_vl"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft asks transformers for a renamed property
        theirs = peft.PeftModel.from_pretrained(base, tmp_path / "adapter").merge_and_unload().model
    ours = load("vlm2vec-v2", folders, folder=tmp_path / "adapter").encoder._model
    for name, weight in theirs.state_dict().items():
        np.testing.assert_allclose(ours.state_dict()[name].numpy(), weight.numpy(), atol=1e-5, err_msg=name)


def test_adapters_that_cannot_be_merged_exactly_are_refused(folders, tmp_path):
    dora_adapter(tmp_path / "adapter", folders["qwen2_vl"], OLD_KEYS)
    config = json.loads((tmp_path / "adapter" / "adapter_config.json").read_text())
    (tmp_path / "adapter" / "adapter_config.json").write_text(json.dumps({**config, "use_dora": False}))
    with pytest.raises(ValueError, match=r"has \['lora_A', 'lora_B', 'lora_magnitude_vector'\], expected"):
        load("vlm2vec-v2", folders, folder=tmp_path / "adapter")
    (tmp_path / "adapter" / "adapter_config.json").write_text(json.dumps({**config, "rank_pattern": {"x": 8}}))
    with pytest.raises(ValueError, match=r"only plain LoRA and DoRA adapters can be merged.* with rank_pattern"):
        load("vlm2vec-v2", folders, folder=tmp_path / "adapter")
    weights = load_file(tmp_path / "adapter" / "adapter_model.safetensors")
    renamed = {key.replace("layers.1.", "layers.7."): tensor for key, tensor in weights.items()}
    save_file(renamed, tmp_path / "adapter" / "adapter_model.safetensors")
    (tmp_path / "adapter" / "adapter_config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match=r"the base model has no 'language_model.layers.7.self_attn.q_proj'"):
        load("vlm2vec-v2", folders, folder=tmp_path / "adapter")


def test_adapter_files_that_would_leave_the_base_as_it_is_are_refused(folders, tmp_path):
    folder = tmp_path / "adapter"
    dora_adapter(folder, folders["qwen2_vl"], NEW_KEYS)
    config = json.loads((folder / "adapter_config.json").read_text())
    weights = load_file(folder / "adapter_model.safetensors")

    # Names of other architectures are usual in such lists; a projection of this one without keys is not.
    (folder / "adapter_config.json").write_text(
        json.dumps({**config, "target_modules": [*config["target_modules"], "qkv_proj"]})
    )
    load("vlm2vec-v2", folders, folder=folder)
    (folder / "adapter_config.json").write_text(
        json.dumps({**config, "target_modules": [*config["target_modules"], "v_proj"]})
    )
    with pytest.raises(ValueError, match=r"target_modules names 'v_proj', which the base model has, but .* no key"):
        load("vlm2vec-v2", folders, folder=folder)

    (folder / "adapter_config.json").write_text(json.dumps(config))
    save_file({}, folder / "adapter_model.safetensors")
    with pytest.raises(ValueError, match=r"adapter_model\.safetensors is empty"):
        load("vlm2vec-v2", folders, folder=folder)

    (folder / "adapter_model.safetensors").unlink()
    torch.save(weights, folder / "adapter_model.bin")
    with pytest.raises(FileNotFoundError, match=r"adapter_model.bin is a pickle.* never opened"):
        load("vlm2vec-v2", folders, folder=folder)


@pytest.mark.parametrize("name", [*STRINGS, "qwen3-vl-emb-8b"])
def test_a_changed_budget_changes_what_the_model_sees(name, folders):
    """Small images grow to a new minimum and large ones shrink to a new maximum, in every step there is."""
    folder = folders[ARCHITECTURE.get(name.replace("8b", "2b"), "qwen2_vl")]
    factor = 32 if name.startswith("qwen3") else 28
    spec = replace(adapter_spec(name), folder=folder, dim=32)
    seen = []
    for least, most in ((40, 60), (1, 3000)):
        budget = {"min_pixels": least * factor**2, "max_pixels": most * factor**2}
        encoder = load_adapter(spec, device="cpu", dtype="float32", **budget).encoder
        tokens = []
        for image in (tiny_models.photo(60, 60), tiny_models.photo(2200, 1500)):
            sized = encoder._sized(image, 0)
            grid = encoder._images([np.asarray(sized)], return_tensors="np")["image_grid_thw"]
            tokens.append(int(grid.prod() // 4))
        seen.append(tokens)
    assert all(40 <= n <= 60 for n in seen[0])
    small, large = seen[1]
    assert small == 4
    assert 2700 < large <= 3000


def test_budgets_that_make_no_sense_are_refused(folders):
    for value, error in ((0, ValueError), (-5, ValueError), (2.5, TypeError), (True, TypeError), ("9", TypeError)):
        with pytest.raises(error, match="min_pixels must be"):
            load_adapter("gme-2b", min_pixels=value)
    spec = small_spec("ume-r1-7b", folders)
    with pytest.raises(ValueError, match=r"min_pixels must not exceed max_pixels.*checkpoint's own: give both"):
        load_adapter(spec, device="cpu", min_pixels=10**9)
    with pytest.raises(ValueError, match="fixed resolution"):
        load_adapter("e5-v", max_pixels=100)


@pytest.mark.parametrize("name", ["gme-2b", "e5-v", "vlm2vec-full"])
def test_a_prompt_that_would_drop_the_text_or_the_image_is_refused(name):
    own = adapter_spec(name).prompts
    for key, prompt in {
        "query text": "Find it.",
        "gallery text": "{text} {text}",
        "query image": own["query text"],
        "gallery image": own["query image"] + own["query image"],
        "query image+text": own["query text"],
        "gallery image+text": own["query image"],
    }.items():
        with pytest.raises(
            ValueError, match=rf"prompt '{re.escape(key)}' .* must hold .*, got {re.escape(repr(prompt))}"
        ):
            load_adapter(name, prompts={key: prompt})
    with pytest.raises(TypeError, match="prompt 'query text' must be a str, got int: 3"):
        load_adapter(name, prompts={"query text": 3})
    with pytest.raises(TypeError, match=r"prompts must map .*, got str"):
        load_adapter(name, prompts="{text}")


def test_every_prompt_of_the_registry_passes_its_own_check():
    for spec in list_adapters():
        for key, prompt in spec.prompts.items():
            _check_prompt(spec, key, prompt)


def test_gme_runs_in_half_precision_as_its_authors_load_it(folders):
    adapter = load_adapter(small_spec("gme-2b", folders), device="cpu")
    assert next(adapter.encoder._model.parameters()).dtype == torch.float16
    whole = load("gme-2b", folders).encode(images=[tiny_models.photo()], texts=[T])
    assert (adapter.encode(images=[tiny_models.photo()], texts=[T]) * whole).sum() > 0.99
    assert {adapter_spec(name).dtype for name in ("gme-2b", "gme-7b")} == {"float16"}
    assert {adapter_spec(name).dtype for name in ("ops-mm-2b", "ops-mm-7b")} == {"bfloat16"}
