"""Our adapters against the wrappers of mteb that run on current transformers; optional, since mteb and torchvision are
no dependencies.

Their image processors are put on Pillow, as ours are, and where a wrapper departs from the authors' own recipe the test
says so and takes the departure away: what is left has to be equal.
"""

from dataclasses import replace
from types import SimpleNamespace

import adapter_checks
import numpy as np
import pytest
import tiny_models
import torch
import transformers
from adapter_checks import one_thread  # noqa: F401
from torch.utils.data import DataLoader

from snapbench.adapters import adapter_spec, load_adapter
from snapbench.adapters.loading import load_image_processor

pytest.importorskip("mteb")
pytest.importorskip("torchvision")
pytestmark = [pytest.mark.crosscheck, pytest.mark.filterwarnings("ignore")]

IMAGES = [tiny_models.photo(100, 60), tiny_models.photo(60, 150, seed=1)]
TEXTS = ["what kind of bridge", "a tulip"]
BUDGET = {"min_pixels": 256 * 28**2, "max_pixels": 1280 * 28**2}


@pytest.fixture(scope="module")
def qwen_folder(tmp_path_factory):
    folder = tiny_models.qwen(tmp_path_factory.mktemp("qwen"))
    transformers.Qwen2VLProcessor(
        image_processor=load_image_processor(folder),
        tokenizer=transformers.AutoTokenizer.from_pretrained(folder),
        video_processor=transformers.Qwen2VLVideoProcessor(),
    ).save_pretrained(folder)
    return folder


def on_pillow(wrapper, folder, **budget):
    wrapper.processor.image_processor = load_image_processor(folder, **budget)
    return wrapper


def load(name, folder):
    return load_adapter(replace(adapter_spec(name), folder=folder, dim=32), device="cpu", dtype="float32")


def check_towers(theirs, ours, texts=TEXTS):
    images = adapter_checks.unit(theirs.get_image_embeddings([{"image": IMAGES}]))
    np.testing.assert_allclose(ours.encode(images=IMAGES), images, atol=1e-5)
    vectors = adapter_checks.unit(theirs.get_text_embeddings([{"text": texts}]))
    np.testing.assert_allclose(ours.encode(texts=texts), vectors, atol=1e-5)


def test_clip(tmp_path):
    from mteb.models.model_implementations.clip_models import CLIPModel

    folder = tiny_models.clip(tmp_path / "clip")
    theirs = on_pillow(CLIPModel(str(folder), revision="main", device="cpu"), folder)
    check_towers(theirs, load_adapter(folder, device="cpu"))


@pytest.mark.parametrize("tokenizer", ["sentencepiece", "gemma"])
def test_siglip(tmp_path, tokenizer):
    """Theirs passes on the mask that these tokenizers return, and keeps SigLIP 2's case; training had neither."""
    from mteb.models.model_implementations.siglip_models import SiglipModelWrapper

    folder = tiny_models.siglip(tmp_path / "siglip", tokenizer)
    theirs = on_pillow(SiglipModelWrapper(str(folder), revision="main", device="cpu"), folder)
    theirs.processor.tokenizer.model_input_names = ["input_ids"]
    check_towers(theirs, load_adapter(folder, device="cpu"))


def test_blip(tmp_path):
    from mteb.models.model_implementations.blip_models import BLIPModel

    folder = tiny_models.blip(tmp_path / "blip")
    theirs = on_pillow(BLIPModel(str(folder), revision="main", device="cpu"), folder)
    check_towers(theirs, load_adapter(replace(adapter_spec("blip-itm-l"), folder=folder, dim=24), device="cpu"))


def test_ume_r1(qwen_folder, tmp_path):
    """Theirs writes thoughts and reads the state at <gen_emb>; the state at <disc_emb> is in the same forward pass.
    Theirs gives texts a white image, the authors' evaluation's way; here the texts have images."""
    from mteb.models.model_implementations.ume_r1 import UMER1Wrapper

    theirs = on_pillow(UMER1Wrapper(str(qwen_folder), device="cpu"), qwen_folder)
    theirs.model = transformers.Qwen2VLForConditionalGeneration.from_pretrained(qwen_folder).eval()  # theirs rounds
    theirs.processor.chat_template = tiny_models.QWEN_CHAT_TEMPLATE
    ours = load("ume-r1-7b", qwen_folder)
    marker = theirs.processor.tokenizer.convert_tokens_to_ids("<disc_emb>")
    system = {"role": "system", "content": "You are a helpful assistant."}  # the published template's own
    for content, texts in (("image+text", TEXTS), ("image", ["", ""])):
        prompt = ours.spec.prompts[f"query {content}"]
        instruction = prompt[prompt.index("<|vision_end|>") + len("<|vision_end|>") :].split("{text}")[0]
        instruction = instruction.removesuffix("\n<disc_emb>")
        turns = theirs._build_messages({"image": IMAGES, "text": [instruction + text for text in texts]})
        inputs = theirs.processor.apply_chat_template(
            [[system, *turn] for turn in turns],
            tokenize=True,
            add_generation_prompt=True,
            return_dict=True,
            processor_kwargs={"padding": True, "return_tensors": "pt"},
        )
        with torch.no_grad():
            states = theirs.model(**inputs, output_hidden_states=True).hidden_states[-1]
        expected = adapter_checks.unit(states[inputs["input_ids"] == marker])
        vectors = ours.encode(images=IMAGES, texts=texts if content == "image+text" else None)
        np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_ops_mm(qwen_folder):
    from mteb.models.model_implementations.ops_mm_models import OpsMMEmbeddingWrapper

    theirs = OpsMMEmbeddingWrapper(str(qwen_folder), device="cpu", trust_remote_code=False)
    on_pillow(theirs, qwen_folder, **BUDGET)
    spec = replace(adapter_spec("ops-mm-2b"), folder=qwen_folder, dim=32, first_resize=None)  # theirs has one step
    ours = load_adapter(spec, device="cpu", dtype="float32")
    for arguments in ({"images": IMAGES}, {"texts": TEXTS}, {"images": IMAGES, "texts": TEXTS}):
        expected = theirs.embed_batch(**arguments).numpy()
        np.testing.assert_allclose(ours.encode(**arguments), expected, atol=1e-5)


class Rows(torch.utils.data.Dataset):
    features = ("image", "text")

    def __len__(self):
        return len(TEXTS)

    def __getitem__(self, i):
        return {"image": IMAGES[i], "text": TEXTS[i]}


def columns(rows):
    return {key: [row[key] for row in rows] for key in rows[0]}


def test_rzenembed(qwen_folder):
    from mteb.models.model_implementations.rzen_embed_model import RzenEmbedWrapper

    instruction = adapter_spec("rzenembed-7b").prompts["query image+text"]
    instruction = instruction[instruction.index("<|vision_end|>") + len("<|vision_end|>") : instruction.index("{text}")]
    theirs = on_pillow(RzenEmbedWrapper(str(qwen_folder), device="cpu"), qwen_folder, **BUDGET)
    theirs.get_task_instruction = lambda *_: instruction
    rows = DataLoader(Rows(), batch_size=2, collate_fn=columns)
    expected = theirs.encode(rows, task_metadata=SimpleNamespace(), hf_split="test", hf_subset="default")
    vectors = load("rzenembed-7b", qwen_folder).encode(images=IMAGES, texts=TEXTS)
    np.testing.assert_allclose(vectors, adapter_checks.unit(torch.as_tensor(expected)), atol=1e-5)


def test_qwen3_vl_embedding(tmp_path):
    pytest.importorskip("qwen_vl_utils")
    import sentence_transformers
    from mteb.models.model_implementations.qwen3_vl_embedding_models import Qwen3VLEmbeddingWrapper
    from sentence_transformers.base.modules.transformer import Transformer
    from sentence_transformers.sentence_transformer.modules.pooling import Pooling

    folder = tiny_models.qwen3_vl_processor(tiny_models.qwen(tmp_path / "qwen3", "qwen3_vl"))
    options = {"chat_template": {"add_generation_prompt": True}}
    word = Transformer(str(folder), processing_kwargs=options, unpad_inputs=False)
    modules = [word, Pooling(word.get_embedding_dimension(), "lasttoken")]
    sentence_transformers.SentenceTransformer(modules=modules, device="cpu").save(str(tmp_path / "saved"))
    theirs = Qwen3VLEmbeddingWrapper(str(tmp_path / "saved"), device="cpu")
    spec = adapter_spec("qwen3-vl-emb-2b")
    budget = {"min_pixels": spec.min_pixels, "max_pixels": spec.max_pixels}
    on_pillow(theirs.model[0], folder, **budget)
    rows = DataLoader(Rows(), batch_size=2, collate_fn=columns)
    ours = load("qwen3-vl-emb-2b", folder)
    for role, instruction in (
        ("query", "Retrieve images or text relevant to the user's query"),  # they add the full stop, as the authors do
        ("gallery", "Represent the user's input"),
    ):
        theirs.get_instruction = lambda *_, given=instruction: given
        expected = theirs.encode(rows, task_metadata=SimpleNamespace(name="any"), hf_split="test", hf_subset="default")
        vectors = ours.encode(images=IMAGES, texts=TEXTS, role=role)
        np.testing.assert_allclose(vectors, adapter_checks.unit(torch.as_tensor(expected)), atol=1e-5)
