"""sentence-transformers models behind the adapter, and our own adapters against that library."""

import json
import shutil
from dataclasses import replace

import adapter_checks
import numpy as np
import pytest
import sentence_transformers
import tiny_models
import transformers
from adapter_checks import one_thread  # noqa: F401
from sentence_transformers.base.modules.transformer import Transformer
from sentence_transformers.sentence_transformer.modules.pooling import Pooling

from snapbench.adapters import adapter_spec, base, load_adapter

TEXTS = [*adapter_checks.EIGHT_TEXTS, "stone bridge over the river " * 40]


@pytest.fixture(scope="module")
def clip_folder(tmp_path_factory):
    return tiny_models.clip(tmp_path_factory.mktemp("clip"))


@pytest.fixture(scope="module")
def text_folder(tmp_path_factory):
    """A text model with a prompt for each side, as sentence-transformers saves it."""
    root = tmp_path_factory.mktemp("bert")
    blip = tiny_models.blip(root / "blip")
    config = transformers.BertConfig(**tiny_models.SMALL, vocab_size=300, max_position_embeddings=64)
    tokenizer = transformers.AutoTokenizer.from_pretrained(blip)
    bert = tiny_models.save(root / "bert", tiny_models.widen(transformers.BertModel(config)), tokenizer)
    word = Transformer(str(bert), max_seq_length=32)
    prompts = {"query": "query: ", "document": "passage: "}
    model = sentence_transformers.SentenceTransformer(
        modules=[word, Pooling(32, "mean")], prompts=prompts, device="cpu"
    )
    model.save(str(root / "saved"))
    return root / "saved"


def test_a_text_model(text_folder):
    adapter = load_adapter(text_folder, device="cpu")
    assert adapter.spec.modalities == {"text"}
    assert adapter.spec.dim == 32
    model = sentence_transformers.SentenceTransformer(str(text_folder), device="cpu")
    for role, encode in (("query", model.encode_query), ("gallery", model.encode_document)):
        expected = np.stack([encode(text, normalize_embeddings=True) for text in TEXTS])
        np.testing.assert_allclose(adapter.encode(texts=TEXTS, role=role), expected, atol=1e-5)
    assert adapter.n_truncated == 2
    assert np.isfinite(adapter.encode(texts=["/tmp/picture.png", "https://example.org/a.jpg"])).all()
    with pytest.raises(ValueError, match="reads text only, but images\\[0\\] was given"):
        adapter.encode(images=[tiny_models.photo()])
    assert load_adapter(f"st:{text_folder}", device="cpu").fingerprint == adapter.fingerprint


def test_a_model_that_brings_code_is_refused_and_its_code_not_run(text_folder, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(text_folder, folder)
    modules = json.loads((folder / "modules.json").read_text())
    modules[0]["type"] = "evil.Evil"
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Evil: ...\n")
    with pytest.raises(ValueError, match=r"brings code of its own \('evil\.Evil' in modules\.json\)"):
        load_adapter(folder, device="cpu")
    assert not (tmp_path / "ran").exists()


def test_a_dual_encoder_and_our_clip_agree(clip_folder, tmp_path):
    model = sentence_transformers.SentenceTransformer(
        str(clip_folder), device="cpu", processor_kwargs={"backend": "pil"}
    )
    model.save(str(tmp_path / "saved"))
    theirs = load_adapter(tmp_path / "saved", device="cpu")
    ours = load_adapter(clip_folder, device="cpu")
    assert theirs.spec.family == "sentence_transformer"
    assert not theirs.spec.joint
    images = [tiny_models.photo(100, 60), tiny_models.photo(40, 90, seed=1)]
    np.testing.assert_allclose(theirs.encode(images=images), ours.encode(images=images), atol=1e-5)
    np.testing.assert_allclose(theirs.encode(texts=TEXTS), ours.encode(texts=TEXTS), atol=1e-5)
    mixed = theirs.encode(images=[None, images[1], None], texts=["a tulip", None, "bridge"])
    np.testing.assert_allclose(mixed[1], ours.encode(images=images[1:])[0], atol=1e-5)
    np.testing.assert_allclose(mixed[2], ours.encode(texts=["bridge"])[0], atol=1e-5)
    assert theirs.n_truncated == ours.n_truncated == 1
    with pytest.raises(ValueError, match="dual encoder"):
        theirs.encode(images=images, texts=["a", "b"])


@pytest.mark.crosscheck
def test_qwen3_vl_embedding_agrees_with_the_library(tmp_path):
    """The library's own processor for this family needs torchvision."""
    pytest.importorskip("torchvision")
    limits = {"shortest_edge": 4 * 32**2, "longest_edge": 16 * 32**2}
    folder = tiny_models.qwen3_vl_processor(tiny_models.qwen(tmp_path / "qwen3", "qwen3_vl"))
    word = Transformer(
        str(folder),
        processing_kwargs={"chat_template": {"add_generation_prompt": True}},
        unpad_inputs=False,
    )
    # The library takes torchvision's image processor otherwise.
    word.processor.image_processor = transformers.AutoImageProcessor.from_pretrained(folder, backend="pil")
    query = "Retrieve images or text relevant to the user's query."
    library = sentence_transformers.SentenceTransformer(
        modules=[word, Pooling(word.get_embedding_dimension(), "lasttoken")],
        prompts={"query": query, "document": "Represent the user's input."},
        device="cpu",
    )
    spec = replace(
        adapter_spec("qwen3-vl-emb-2b"),
        folder=folder,
        dim=32,
        min_pixels=limits["shortest_edge"],
        max_pixels=limits["longest_edge"],
        first_resize=None,
    )
    ours = load_adapter(spec, device="cpu", dtype="float32")
    images = [tiny_models.photo(100, 60), tiny_models.photo(60, 150, seed=1)]
    texts = ["what kind of bridge", "a tulip"]
    for role, encode in (("query", library.encode_query), ("gallery", library.encode_document)):
        for inputs, arguments in (
            ([{"image": i, "text": t} for i, t in zip(images, texts, strict=True)], {"images": images, "texts": texts}),
            ([{"image": i} for i in images], {"images": images}),
            ([{"text": t} for t in texts], {"texts": texts}),
        ):
            expected = encode(inputs, normalize_embeddings=True)
            np.testing.assert_allclose(ours.encode(**arguments, role=role), expected, atol=1e-5)


def test_texts_that_their_prompt_makes_too_long_are_counted(text_folder):
    """32 tokens, of which the prompt and the two at the ends take some."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(text_folder)
    words = next(n for n in range(1, 40) if len(tokenizer("bridge " * n)["input_ids"]) > 31)
    text = "bridge " * (words - 1)
    assert len(tokenizer(text)["input_ids"]) <= 32 < len(tokenizer("query: " + text)["input_ids"])
    adapter = load_adapter(text_folder, device="cpu")
    for n, role in enumerate(("query", "gallery"), start=1):
        adapter.encode(texts=[text, "short"], role=role)
        assert adapter.n_truncated == n


def test_the_spec_states_the_precision_that_was_loaded(text_folder):
    assert load_adapter(text_folder, device="cpu").spec.dtype == "float32"
    assert load_adapter(text_folder, device="cpu", dtype="bfloat16").spec.dtype == "bfloat16"


def test_the_fingerprint_covers_our_code(text_folder, monkeypatch):
    first = load_adapter(text_folder, device="cpu").fingerprint
    monkeypatch.setattr(base, "_code_digest", lambda: "repaired")
    assert load_adapter(text_folder, device="cpu").fingerprint != first
