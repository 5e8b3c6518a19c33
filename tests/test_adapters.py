"""The contract of all adapters: input checks, order, batches, devices, names, a user's own object, pairs of towers."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny_models
import torch
from adapter_checks import one_thread  # noqa: F401

from snapbench.adapters import adapter_spec, base, list_adapters, load_adapter, loading
from snapbench.adapters.base import Adapter, BatchedAdapter, Embedded, check_vectors
from snapbench.adapters.dual import tensor_of
from snapbench.adapters.loading import parse_device, require, resolve_device
from snapbench.adapters.registry import _changed, _Changes
from snapbench.adapters.towers import PairOfTowers

TEXTS = ["a tulip", "", "what kind of fruit is this on the table", "bridge"]


@pytest.fixture(scope="module")
def clip_folder(tmp_path_factory):
    return tiny_models.clip(tmp_path_factory.mktemp("clip"))


@pytest.fixture
def clip(clip_folder):
    return load_adapter(clip_folder, device="cpu")


def check_unit(vectors, n, dim):
    assert vectors.dtype == np.float32
    assert vectors.shape == (n, dim)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_vectors_are_unit_float32_in_the_order_of_the_input(clip):
    images = [tiny_models.photo(64, 48, seed) for seed in range(5)]
    vectors = clip.encode(images=images)
    check_unit(vectors, 5, 16)
    for i, image in enumerate(images):
        np.testing.assert_allclose(clip.encode(images=[image])[0], vectors[i], atol=1e-5)
    check_unit(clip.encode(texts=TEXTS, role="gallery"), 4, 16)
    assert isinstance(clip, Adapter)
    assert clip.encode(texts=[]).shape == (0, 16)


def test_mixed_rows_keep_their_order(clip):
    images = [tiny_models.photo(), None, tiny_models.photo(seed=3), None]
    mixed = clip.encode(images=images, texts=[None, "a tulip", None, "bridge"])
    np.testing.assert_allclose(mixed[[0, 2]], clip.encode(images=[images[0], images[2]]), atol=1e-6)
    np.testing.assert_allclose(mixed[[1, 3]], clip.encode(texts=["a tulip", "bridge"]), atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, ValueError, "needs images, texts or both"),
        ({"texts": "a tulip"}, TypeError, "texts=\\[...\\]"),
        ({"images": tiny_models.photo()}, TypeError, "single Image"),
        ({"images": np.asarray(tiny_models.photo())}, TypeError, "single ndarray"),
        ({"images": np.zeros((4, 4), np.uint8)}, TypeError, "single ndarray"),
        ({"images": b"bytes"}, TypeError, "single bytes"),
        ({"texts": {"a": "tulip"}}, TypeError, "a dict, which has no rows in order"),
        ({"texts": {"a", "b"}}, TypeError, "a set, which has no rows in order"),
        ({"texts": 3}, TypeError, "single int"),
        ({"texts": ["a", 3]}, TypeError, "texts\\[1\\] must be a str or None, got int"),
        ({"texts": ["a", None]}, ValueError, "row 1 has neither"),
        ({"texts": ["a"], "role": "document"}, ValueError, "role 'document' is unknown"),
        ({"texts": ["a"], "images": [tiny_models.photo()] * 2}, ValueError, "got 2 and 1"),
        ({"texts": ["a"], "images": [tiny_models.photo()]}, ValueError, "dual encoder.*fusion happens on scores"),
        ({"images": [b"no image"]}, ValueError, "images\\[0\\]"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(clip, arguments, error, message):
    with pytest.raises(error, match=message):
        clip.encode(**arguments)


class Lengths:
    """Vectors that say which row they are; runs out of memory on more than ``most`` rows."""

    def __init__(self, most=1000, bad=None):
        self.most = most
        self.bad = bad
        self.tried = []

    def embed(self, rows, role):
        self.tried.append(len(rows))
        if len(rows) > self.most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        vectors = torch.tensor([[1.0, len(row.text)] for row in rows])
        vectors[[row.text == self.bad for row in rows]] = float("inf")
        return Embedded(vectors.half(), 0)


def batched(encoder, batch_size):
    return BatchedAdapter(replace(adapter_spec("tiny"), dim=2), encoder, fingerprint="00", batch_size=batch_size)


def test_auto_batch_size_halves_on_out_of_memory_and_remembers():
    encoder = Lengths(most=5)
    adapter = batched(encoder, "auto")
    texts = ["x" * (1 + i * 7 % 11) for i in range(40)]
    vectors = adapter.encode(texts=texts)
    np.testing.assert_allclose(vectors[:, 1] / vectors[:, 0], [len(text) for text in texts], rtol=1e-3)
    assert encoder.tried[:4] == [32, 16, 8, 4]
    encoder.tried.clear()
    adapter.encode(texts=texts)
    assert set(encoder.tried) == {4}


def test_out_of_memory_says_the_way_out():
    with pytest.raises(MemoryError, match="batch_size='auto'"):
        batched(Lengths(most=5), 8).encode(texts=["x"] * 10)
    with pytest.raises(MemoryError, match="batch of 1; try a smaller max_pixels"):
        batched(Lengths(most=0), "auto").encode(texts=["x"] * 10)


def test_a_vector_that_is_not_finite_names_its_item():
    with pytest.raises(ValueError, match=r"vector of item 3 is not finite .*dtype='float32'"):
        batched(Lengths(bad="overflow"), 2).encode(texts=["a", "bb", "ccc", "overflow", "e"])
    with pytest.raises(ValueError, match="item 7 is all zeros"):
        check_vectors(np.zeros((1, 2)), items=[7], dim=2, label="x")


def test_vectors_of_any_kind_become_float32_on_the_cpu():
    rows = [torch.tensor([3.0, 4.0], dtype=torch.bfloat16), torch.tensor([0.0, 2.0], requires_grad=True)]
    np.testing.assert_allclose(check_vectors(rows, items=[0, 1], dim=2, label="x"), [[0.6, 0.8], [0, 1]], atol=1e-6)
    with pytest.raises(ValueError, match="3 dimensions, its spec says 2"):
        check_vectors(np.ones((1, 3)), items=[0], dim=2, label="x")
    with pytest.raises(ValueError, match=r"shape \[2, dim\] for 2 rows, got \[1, 3\]"):
        check_vectors(np.ones((1, 3)), items=[0, 1], dim=3, label="x")
    with pytest.raises(TypeError, match="dtype <U1"):
        check_vectors(np.array([["a"]]), items=[0], dim=1, label="x")


@pytest.mark.parametrize(("value", "error"), [(0, ValueError), (True, TypeError), ("big", TypeError), (2.0, TypeError)])
def test_batch_size_is_checked_before_anything_loads(value, error):
    with pytest.raises(error, match="batch_size"):
        load_adapter("clip-vit-l14", batch_size=value)


def test_device_names():
    for name in ("auto", "cpu", "cuda", "cuda:1", "mps"):
        assert parse_device(name) == name
    for name in ("gpu", "cuda:", "cpu:0", ""):
        with pytest.raises(ValueError, match="accepted: auto, cpu, cuda, cuda:<number>, mps"):
            parse_device(name)
    with pytest.raises(TypeError, match="got int"):
        parse_device(0)
    assert resolve_device("cpu") == "cpu"
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match=r"'cuda:1' is not available.*sees 0 CUDA devices"):
            resolve_device("cuda:1")


def test_dtype_is_checked(clip_folder):
    with pytest.raises(ValueError, match="dtype 'fp16' is unknown"):
        load_adapter(clip_folder, dtype="fp16")


def test_a_missing_package_is_answered_with_the_pip_line():
    with pytest.raises(ImportError, match="pip install snapbench-no-such-package"):
        require("snapbench_no_such_package", "snapbench-no-such-package")


def test_a_missing_extra_is_told_before_anything_is_downloaded():
    spec = replace(adapter_spec("clip-vit-l14"), extras=("numpy", "snapbench-no-such-package"))
    with pytest.raises(ImportError, match="needs snapbench-no-such-package; run: pip install snapbench-no-such"):
        load_adapter(spec, device="cpu")


def test_the_model_in_the_package_loads():
    adapter = load_adapter("tiny", device="cpu")
    check_unit(adapter.encode(images=[tiny_models.photo()]), 1, adapter.spec.dim)
    check_unit(adapter.encode(texts=TEXTS, role="gallery"), 4, adapter.spec.dim)


def test_unknown_names_get_the_close_matches():
    with pytest.raises(ValueError, match=r"'clip-vit-l-14' is unknown. Did you mean 'clip-vit-l14'"):
        load_adapter("clip-vit-l-14")
    with pytest.raises(FileNotFoundError, match="no such folder"):
        load_adapter("./nowhere/at/all")


def test_names_are_unique_and_specs_complete():
    specs = list_adapters()
    assert len({spec.name for spec in specs}) == len(specs)
    for spec in specs:
        assert adapter_spec(spec.name) is not None
        assert spec.license
        assert spec.pooling
        assert spec.pixels
        assert spec.hub_id or spec.folder


def test_listing_imports_neither_torch_nor_transformers():
    code = "import sys, snapbench.adapters as a; a.list_adapters(); print({'torch', 'transformers'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"


def test_without_torch_and_transformers_listing_works_and_using_says_what_to_install(tmp_path):
    for name in ("torch", "transformers"):
        (tmp_path / f"{name}.py").write_text(f"raise ModuleNotFoundError('blocked', name={name!r})")
    code = textwrap.dedent(
        f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        import snapbench.adapters as a
        print(len(a.list_adapters()))
        try:
            a.load_adapter("clip-vit-l14")
        except ImportError as error:
            print(error)
        """
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert int(out[0]) >= 2
    assert "pip install t" in out[1]


def test_offline_says_so_and_which_cache_was_searched(tmp_path):
    code = textwrap.dedent(
        """
        import snapbench.adapters as a
        try:
            a.load_adapter("clip-vit-l14")
        except ConnectionError as error:
            print(error)
        """
    )
    env = {"HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(tmp_path), "PATH": ""}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout
    assert str(tmp_path) in out
    assert "HF_HUB_OFFLINE is set" in out
    assert len(out.splitlines()) == 1


def test_a_checkpoint_of_another_dimension_or_architecture_is_refused(clip_folder, tmp_path):
    with pytest.raises(ValueError, match="gives 16 dimensions, its spec says 768"):
        load_adapter("clip-vit-l14", weights=clip_folder)
    (tmp_path / "config.json").write_text('{"model_type": "qwen2_vl"}')
    with pytest.raises(ValueError, match="does not say how its vectors are made; name the recipe"):
        load_adapter(tmp_path)
    with pytest.raises(ValueError, match=r"runs models of type clip.*'qwen2_vl'"):
        load_adapter("clip-vit-l14", weights=tmp_path)


def test_missing_weights_are_refused_not_drawn_at_random(clip_folder, tmp_path):
    from safetensors.torch import load_file, save_file

    for path in clip_folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    weights = load_file(tmp_path / "model.safetensors")
    del weights["text_projection.weight"]
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ValueError, match=r"lacks 1 weights of CLIPModel, e.g. text_projection.weight"):
        load_adapter(tmp_path)


def test_options_that_a_model_does_not_have_are_refused(clip_folder):
    with pytest.raises(ValueError, match=r"prompt 'query text' .* takes no prompts"):
        load_adapter(clip_folder, prompts={"query text": "{text}"})
    with pytest.raises(ValueError, match="fixed resolution"):
        load_adapter(clip_folder, max_pixels=100)
    with pytest.raises(ValueError, match="truncate_dim 8 is not a length"):
        load_adapter(clip_folder, truncate_dim=8)
    with pytest.raises(ValueError, match="truncate_dim applies to named models"):
        load_adapter(TextOnly(), truncate_dim=8)


def test_the_fingerprint_follows_everything_that_changes_vectors(clip_folder, tmp_path):
    first = load_adapter(clip_folder, device="cpu").fingerprint
    assert load_adapter(str(clip_folder), device="cpu", batch_size=3).fingerprint == first
    assert load_adapter(clip_folder, device="cpu", dtype="bfloat16").fingerprint != first
    for path in clip_folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert load_adapter(tmp_path, device="cpu").fingerprint == first
    (tmp_path / "extra.json").write_text("{}")
    assert load_adapter(tmp_path, device="cpu").fingerprint != first


def test_both_return_kinds_of_a_tower_are_read():
    features = torch.ones(2, 3)

    class Output:
        pooler_output = features

    assert tensor_of(features) is features
    assert tensor_of(Output()) is features
    with pytest.raises(TypeError, match="got dict"):
        tensor_of({})


class TextOnly:
    name = "lengths"
    fingerprint = "lengths-1"

    def encode(self, texts=None, role="query"):
        return [[1.0, len(text)] for text in texts]


class Both:
    dim = 4

    def encode(self, images=None, texts=None, role="query"):
        n = len(images or texts)
        sums = [np.asarray(image, dtype=float).mean() for image in images] if images else [0.0] * n
        lengths = [len(text) for text in texts] if texts else [0] * n
        return np.array([[1.0, s, t, role == "query"] for s, t in zip(sums, lengths, strict=True)])


def test_a_users_own_object():
    adapter = load_adapter(Both())
    assert adapter.spec.joint
    assert adapter.spec.dim == 4
    images = [tiny_models.photo(seed=seed) for seed in range(3)]
    mixed = adapter.encode(images=[images[0], None, images[2]], texts=["a", "bb", None])
    check_unit(mixed, 3, 4)
    np.testing.assert_allclose(mixed[1], adapter.encode(texts=["bb"])[0])
    np.testing.assert_allclose(mixed[2], adapter.encode(images=[images[2]])[0])
    np.testing.assert_allclose(mixed[0], adapter.encode(images=images[:1], texts=["a"])[0])
    assert adapter.fingerprint != load_adapter(Both()).fingerprint


def test_an_own_object_that_reads_texts_only():
    adapter = load_adapter(TextOnly)
    assert adapter.spec.modalities == {"text"}
    assert not adapter.spec.joint
    assert adapter.fingerprint == load_adapter(TextOnly()).fingerprint
    check_unit(adapter.encode(texts=["a", "bb"]), 2, 2)
    with pytest.raises(ValueError, match=r"'lengths' reads text only, but images\[0\] was given"):
        adapter.encode(images=[tiny_models.photo()])


def test_objects_that_are_no_adapters():
    with pytest.raises(TypeError, match="must have a method encode"):
        load_adapter(object())

    class Wrong:
        def encode(self, sentences):
            return sentences

    with pytest.raises(TypeError, match=r"Wrong.encode must take images= or texts= by name, got \(sentences\)"):
        load_adapter(Wrong())


OWN_FILE = """
class Mine:
    def encode(self, texts=None, role="query"):
        return [[1.0, len(text)] for text in texts]
"""


def test_an_own_object_by_its_place(tmp_path, monkeypatch):
    file = tmp_path / "my_model.py"
    file.write_text(OWN_FILE)
    adapter = load_adapter(f"{file}:Mine")
    check_unit(adapter.encode(texts=["a"]), 1, 2)
    monkeypatch.syspath_prepend(tmp_path)
    check_unit(load_adapter("my_model:Mine").encode(texts=["a"]), 1, 2)
    with pytest.raises(AttributeError, match=r"has no 'Mein'. Did you mean 'Mine'"):
        load_adapter(f"{file}:Mein")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load_adapter("nowhere.py:Mine")
    with pytest.raises(ImportError, match=r"no module 'nowhere.at_all'"):
        load_adapter("nowhere.at_all:Mine")


def test_a_pair_of_towers(clip_folder, tmp_path):
    file = tmp_path / "my_model.py"
    file.write_text(OWN_FILE)
    pair = load_adapter(f"pair:{clip_folder},{file}:Mine", device="cpu")
    assert not pair.spec.shared_space
    check_unit(pair.encode(images=[tiny_models.photo()]), 1, 16)
    check_unit(pair.encode(texts=TEXTS), 4, 2)
    with pytest.raises(ValueError, match="dual encoder"):
        pair.encode(images=[tiny_models.photo()], texts=["a"])
    with pytest.raises(ValueError, match="separate spaces"):
        pair.encode(images=[tiny_models.photo(), None], texts=[None, "a"])
    with pytest.raises(ValueError, match="image tower 'lengths' reads no images"):
        PairOfTowers(load_adapter(TextOnly()), load_adapter(TextOnly()))
    with pytest.raises(ValueError, match="is written pair:<image model>,<text model>"):
        load_adapter("pair:tiny")


def test_a_lora_adapter_is_refused_where_none_is_merged(clip_folder, tmp_path):
    """Left out in silence, it would give the base model's vectors under the adapter's name."""
    (tmp_path / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": str(clip_folder)}))
    for model in (tmp_path, f"st:{tmp_path}"):
        with pytest.raises(ValueError, match=r"is a LoRA adapter .*merge it into its base first"):
            load_adapter(model, device="cpu")
    with pytest.raises(ValueError, match="is a LoRA adapter"):
        load_adapter(replace(adapter_spec("clip-vit-l14"), folder=tmp_path), device="cpu")


def test_the_fingerprint_follows_the_code_of_the_adapters_but_not_for_an_own_object(clip_folder, tmp_path, monkeypatch):
    """A cache keyed by it must not serve the vectors of an adapter that was repaired since."""
    package = Path(base.__file__).parents[1]
    copied = tmp_path / "adapters"
    shutil.copytree(package / "adapters", copied, ignore=shutil.ignore_patterns("tiny", "__pycache__"))
    shutil.copy(package / "images.py", tmp_path)

    def fingerprints():
        base._code_digest.cache_clear()
        own = load_adapter(TextOnly())
        pair = PairOfTowers(load_adapter(clip_folder, device="cpu"), own)
        return [pair.fingerprint, load_adapter(clip_folder, device="cpu").fingerprint, own.fingerprint]

    before = fingerprints()
    monkeypatch.setattr(base, "__file__", str(copied / "base.py"))
    assert fingerprints() == before
    (copied / "dual.py").write_text((copied / "dual.py").read_text() + "\n# repaired\n")
    after = fingerprints()
    base._code_digest.cache_clear()
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, False, True]


def test_other_weights_are_not_passed_off_as_the_authors(tmp_path):
    folder = tiny_models.clip(tmp_path / "my-clip", dim=96)
    spec = load_adapter("tiny", weights=folder, device="cpu").spec
    assert (spec.name, spec.hub_id, spec.revision, spec.license) == ("tiny@my-clip", None, None, "unknown")
    assert spec.folder == folder
    changed = _changed(adapter_spec("gme-2b"), _Changes("me/mine", None, None, None, None))
    assert (changed.name, changed.hub_id, changed.revision) == ("gme-2b@me/mine", "me/mine", None)
    assert (changed.license, changed.prompts) == ("unknown", adapter_spec("gme-2b").prompts)


class Rows(list):
    """Like a pandas Series whose index is not 0, 1, 2, …: iterated in order, indexed by label."""

    def __getitem__(self, label):
        if isinstance(label, slice):
            return Rows(super().__getitem__(label))
        return super().__getitem__(len(self) - 1 - label)


class Indexed:
    """Rows by index only, as some data sets give them."""

    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, index):
        return self.rows[index]


@pytest.mark.parametrize("kind", [Rows, Indexed, tuple, np.array, iter])
def test_rows_come_in_the_order_of_iteration_whatever_holds_them(kind):
    texts = ["a", "bb", "ccc"]
    for adapter in (
        batched(Lengths(), 2),
        load_adapter(TextOnly()),
        PairOfTowers(load_adapter(Both()), batched(Lengths(), 2)),
    ):
        vectors = adapter.encode(texts=kind(texts))
        np.testing.assert_allclose(vectors[:, 1] / vectors[:, 0], [1, 2, 3], rtol=1e-3)


def test_a_stack_of_images_is_a_row_each(clip):
    images = [tiny_models.photo(seed=seed) for seed in range(3)]
    stack = np.stack([np.asarray(image) for image in images])
    np.testing.assert_array_equal(clip.encode(images=stack), clip.encode(images=images))


def test_auto_batch_size_halves_for_an_own_object_too():
    class Greedy:
        tried = ()

        def encode(self, texts=None):
            self.tried = (*self.tried, len(texts))
            if len(texts) > 5:
                raise MemoryError
            return [[1.0, len(text)] for text in texts]

    texts = ["x" * (1 + i % 7) for i in range(40)]
    model = Greedy()
    vectors = load_adapter(model).encode(texts=texts)
    np.testing.assert_allclose(vectors[:, 1] / vectors[:, 0], [len(text) for text in texts], rtol=1e-3)
    assert model.tried == (32, 16, 8, *[4] * 10)
    with pytest.raises(MemoryError, match="'Greedy' ran out of memory on a batch of 8; try batch_size='auto'"):
        load_adapter(Greedy(), batch_size=8).encode(texts=texts)


def test_rows_of_both_kinds_need_a_shared_space():
    class Apart(Both):
        joint = shared_space = False

    with pytest.raises(ValueError, match="separate spaces"):
        load_adapter(Apart()).encode(images=[tiny_models.photo(), None], texts=[None, "a"])


def test_a_pair_may_be_cached_only_if_both_towers_may(clip):
    assert PairOfTowers(clip, load_adapter(TextOnly())).cacheable
    assert not PairOfTowers(clip, load_adapter(Both())).cacheable


@pytest.mark.parametrize("name", ["", "  ", "st:", "st: "])
def test_no_name_is_not_this_folder(name, clip_folder, monkeypatch):
    monkeypatch.chdir(clip_folder)
    with pytest.raises(ValueError, match=r"model must be a name, .*'.' for this one"):
        load_adapter(name)
    if not name.startswith("st:"):
        with pytest.raises(ValueError, match="weights must be a name"):
            load_adapter("tiny", weights=name)


def test_two_large_files_that_differ_anywhere_in_a_tensor_are_told_apart(tmp_path):
    """Two fine-tunes of one model: same name, size, time of change and header, other weights."""
    size = loading._WHOLE_FILE_BYTES + (10 << 20)
    found = set()
    for name, start in (("base", None), ("tuned", 40 << 20), ("end", size - 100), ("again", None)):
        (tmp_path / name).mkdir()
        with (tmp_path / name / "model.safetensors").open("wb") as file:
            file.truncate(size)
            if start is not None:
                file.seek(start)
                file.write(b"\1" * min(1 << 20, size - start))
        os.utime(tmp_path / name / "model.safetensors", (1, 1) if name != "again" else (2, 2))
        found.add(loading.folder_digest(tmp_path / name))
    assert len(found) == 3


def offline(cache, model):
    """The error of loading a Hub id from a cache without a network, as "Class: message"."""
    code = f"""
import snapbench.adapters as a
try:
    a.load_adapter({model!r}, device="cpu")
except Exception as error:
    print(type(error).__name__, error, sep=": ")
"""
    env = {"HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(cache), "PATH": ""}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout


def test_a_snapshot_that_is_cached_in_part_says_so(clip_folder, tmp_path):
    commit = "0" * 40
    snapshot = tmp_path / "models--me--mine" / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (tmp_path / "models--me--mine" / "refs").mkdir()
    (tmp_path / "models--me--mine" / "refs" / "main").write_text(commit)
    for path in clip_folder.glob("*.json"):
        shutil.copy(path, snapshot)
    error = offline(tmp_path, "me/mine")
    assert error.startswith("ConnectionError: 'me/mine' at revision main is only in part (no weights) in the cache")
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    (snapshot / "model.safetensors.index.json").write_text(json.dumps(index))
    (snapshot / "model-1.safetensors").write_bytes(b"")
    assert "only in part (no model-2.safetensors) in the cache" in offline(tmp_path, "me/mine")


def test_an_architecture_without_a_recipe_is_refused_before_its_weights_are_fetched(tmp_path):
    """Here they can't be had at all, and the refusal does not mind."""
    snapshot = tmp_path / "models--me--mine" / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (tmp_path / "models--me--mine" / "refs").mkdir()
    (tmp_path / "models--me--mine" / "refs" / "main").write_text("0" * 40)
    (snapshot / "config.json").write_text('{"model_type": "qwen2_vl"}')
    assert offline(tmp_path, "me/mine").startswith("ValueError: 'me/mine' holds a model of type 'qwen2_vl'")
