"""The generated page, the check of an adapter, and every name on its family's tiny model."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import tiny_models
from adapter_checks import one_thread  # noqa: F401

from snapbench.adapters import adapter_spec, list_adapters, load_adapter
from snapbench.adapters.check import check_adapter
from snapbench.adapters.document import TARGET, page

TINY = {
    "clip": (tiny_models.clip, 16),
    "siglip": (lambda folder: tiny_models.siglip(folder, "sentencepiece"), 32),
    "siglip2": (lambda folder: tiny_models.siglip(folder, "gemma"), 32),
    "blip": (tiny_models.blip, 24),
    "qwen2_vl": (tiny_models.qwen, 32),
    "qwen2_5_vl": (lambda folder: tiny_models.qwen(folder, "qwen2_5_vl"), 32),
    "qwen3_vl": (lambda folder: tiny_models.qwen(folder, "qwen3_vl"), 32),
    "llava_next": (tiny_models.llava_next, 32),
    "phi3_v": (tiny_models.phi3_v, 32),
}
ARCHITECTURE = {
    "siglip2-so400m": "siglip2",
    "jina-v4": "qwen2_5_vl",
    "qwen3-vl-emb-2b": "qwen3_vl",
    "qwen3-vl-emb-8b": "qwen3_vl",
}
NAMES = [spec.name for spec in list_adapters() if spec.name != "tiny"]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    root = tmp_path_factory.mktemp("tiny")
    done = {}

    def build(kind):
        if kind not in done:
            make, dim = TINY[kind]
            done[kind] = (make(root / kind), dim)
        return done[kind]

    return build


def test_the_seventeen_names():
    assert NAMES == [
        "clip-vit-l14",
        "siglip-so400m",
        "siglip-large-256",
        "siglip2-so400m",
        "blip-itm-l",
        "jina-v4",
        "qwen3-vl-emb-2b",
        "qwen3-vl-emb-8b",
        "e5-v",
        "vlm2vec-full",
        "vlm2vec-v2",
        "ume-r1-7b",
        "gme-2b",
        "gme-7b",
        "ops-mm-2b",
        "ops-mm-7b",
        "rzenembed-7b",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_loads_through_its_familys_tiny_model(name, built):
    spec = adapter_spec(name)
    kind = ARCHITECTURE.get(name, "qwen2_vl" if spec.family == "qwen_vl" else spec.family)
    folder, dim = built(kind)
    adapter = load_adapter(replace(spec, folder=folder, dim=dim), device="cpu")
    image = tiny_models.photo(80, 60)
    for arguments in ({"images": [image]}, {"texts": ["a tulip"]}, {"images": [image], "texts": ["a tulip"]}):
        if len(arguments) == 2 and not spec.joint:
            continue
        vectors = adapter.encode(**arguments)
        assert vectors.shape == (1, dim)
        np.testing.assert_allclose(np.linalg.norm(vectors), 1, atol=1e-5)


def test_specs_say_what_the_page_and_the_reader_need():
    for spec in list_adapters():
        if spec.hub_id and spec.name != "jina-v4":
            assert len(spec.revision) == 40
        if spec.joint:
            assert len(spec.prompts) == 6
            for key, prompt in spec.prompts.items():
                assert ("{text}" in prompt) == ("text" in key), (spec.name, key)
                assert "{image}" not in prompt
                assert "{instruction}" not in prompt
        if spec.joint and spec.name not in ("qwen3-vl-emb-2b", "qwen3-vl-emb-8b"):
            assert spec.assumptions


def test_the_page_is_up_to_date():
    assert TARGET.read_text(encoding="utf-8") == page(), "run: python -m snapbench.adapters.document"


def test_check_of_a_joint_model(built):
    folder, dim = built("qwen2_vl")
    spec = replace(adapter_spec("ops-mm-2b"), folder=folder, dim=dim, min_pixels=3136, max_pixels=12544)
    report = check_adapter(replace(spec, first_resize=None), device="cpu", dtype="float32")
    found = {check.name: check for check in report.checks}
    assert found["alone and in a batch, texts"].passed
    assert found["vectors, images with texts"].detail.startswith("32 dimensions")
    assert "ms per item" in found["speed, images"].detail
    assert "GiB" in found["memory"].detail
    assert "rank their own caption first" in found["matching pairs score higher"].detail


class Unsteady:
    """Vectors that depend on the neighbours."""

    def encode(self, texts=None):
        return [[1.0, len(texts) * len(text)] for text in texts]


def test_check_finds_a_model_that_depends_on_its_batch():
    report = check_adapter(Unsteady())
    assert not report.passed
    assert [check.name for check in report.checks if not check.passed] == ["alone and in a batch, texts"]


def test_the_terminals_list_keeps_names_whole_and_cuts_nothing_at_80_columns():
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "snapbench.cli", "adapters", "list"]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    assert max(map(len, out.splitlines())) <= 80
    assert "…" not in out
    rows = out.splitlines()[3:]
    assert [row.split()[0] for row in rows if row[1:2].strip() and row.startswith(" ")] == ["tiny", *NAMES]
    joined = "".join(row[18:53].strip() for row in rows)
    for spec in list_adapters():
        assert (spec.hub_id or "") in joined
        assert ", ".join(spec.extras).replace(" ", "") in joined.replace(" ", "")
        assert any(spec.name in row and spec.parameters in row for row in rows)
