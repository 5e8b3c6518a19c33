"""Our adapters against the wrappers of mteb that run on current transformers; optional, since mteb and torchvision are
no dependencies."""

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
pytestmark = pytest.mark.filterwarnings("ignore")

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


def on_pillow(wrapper, folder):
    wrapper.processor.image_processor = load_image_processor(folder, **BUDGET)
    return wrapper


def load(name, folder):
    return load_adapter(replace(adapter_spec(name), folder=folder, dim=32), device="cpu", dtype="float32")


def test_clip(tmp_path):
    from mteb.models.model_implementations.clip_models import CLIPModel

    folder = tiny_models.clip(tmp_path / "clip")
    theirs = CLIPModel(str(folder), revision="main", device="cpu")
    theirs.processor.image_processor = load_image_processor(folder)
    ours = load_adapter(folder, device="cpu")
    images = adapter_checks.unit(theirs.get_image_embeddings([{"image": IMAGES}]))
    texts = adapter_checks.unit(theirs.get_text_embeddings([{"text": TEXTS}]))
    np.testing.assert_allclose(ours.encode(images=IMAGES), images, atol=1e-5)
    np.testing.assert_allclose(ours.encode(texts=TEXTS), texts, atol=1e-5)


def test_ops_mm(qwen_folder):
    from mteb.models.model_implementations.ops_mm_models import OpsMMEmbeddingWrapper

    theirs = on_pillow(OpsMMEmbeddingWrapper(str(qwen_folder), device="cpu", trust_remote_code=False), qwen_folder)
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
    theirs = on_pillow(RzenEmbedWrapper(str(qwen_folder), device="cpu"), qwen_folder)
    theirs.get_task_instruction = lambda *_: instruction
    rows = DataLoader(Rows(), batch_size=2, collate_fn=columns)
    expected = theirs.encode(rows, task_metadata=SimpleNamespace(), hf_split="test", hf_subset="default")
    vectors = load("rzenembed-7b", qwen_folder).encode(images=IMAGES, texts=TEXTS)
    np.testing.assert_allclose(vectors, adapter_checks.unit(torch.as_tensor(expected)), atol=1e-5)
