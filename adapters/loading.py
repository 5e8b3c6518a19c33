"""From a name to weights on a device: packages, folders, Hub downloads, precision. torch is imported on first use."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.metadata
import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..corruptions.conditions import check_name
from .base import AdapterSpec, world

if TYPE_CHECKING:
    import torch

DEVICES = "auto, cpu, cuda, cuda:<number>, mps"
DTYPES = ("auto", "float32", "float16", "bfloat16")

LORA_CONFIG = "adapter_config.json"

WEIGHTS = ("*.safetensors",)
PICKLED_WEIGHTS = ("pytorch_model*.bin", "*/pytorch_model*.bin")
SIDE_FILES = ("*.json", "*.txt", "*.model", "*.jinja")

_WHOLE_FILE_BYTES = 64 << 20
_HEADER_BYTES = 1 << 20
_SAMPLE_BYTES = 64 << 10
_SAMPLES = 256


class Checkpoint(NamedTuple):
    """A local folder with weights, a digest of what is in it, and the folder of an adapter to merge into them."""

    folder: Path
    digest: str
    lora: Path | None = None


def require(module: str, requirement: str | None = None) -> Any:
    """Imports a package that only some adapters need.

    Raises:
        ImportError: it is missing; the message has the pip line.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if error.name is not None and error.name.split(".")[0] != module.split(".", maxsplit=1)[0]:
            raise
        raise ImportError(
            f"this adapter needs the package {module!r}, which is not installed; "
            f"run: pip install {requirement or module}",
            name=module,
        ) from error


def require_extras(spec: AdapterSpec) -> None:
    """Makes sure that the packages of ``spec.extras`` are installed, before anything is downloaded.

    Raises:
        ImportError: some are missing; the message has the pip line.
    """
    missing = []
    for requirement in spec.extras:
        try:
            importlib.metadata.version(requirement)
        except importlib.metadata.PackageNotFoundError:
            missing.append(requirement)
    if missing:
        raise ImportError(
            f"adapter {spec.name!r} needs {' and '.join(missing)}; run: pip install {' '.join(missing)}",
            name=missing[0],
        )


def parse_device(device: str) -> str:
    """Checks the form of a device name; whether the device is there is another question.

    Raises:
        TypeError, ValueError: not one of auto, cpu, cuda, cuda:<number>, mps.
    """
    if not isinstance(device, str):
        raise TypeError(f"device must be a str, one of {DEVICES}; got {type(device).__name__}: {device!r}")
    if not re.fullmatch(r"auto|cpu|cuda(:\d+)?|mps", device):
        raise ValueError(f"device {device!r} is unknown; accepted: {DEVICES}")
    return device


def resolve_device(device: str) -> str:
    """A device that is there; ``auto`` takes this rank's GPU, else mps, else the CPU.

    Raises:
        ValueError: named but not available.
    """
    device = parse_device(device)
    torch = require("torch")
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device == "auto":
        if gpus:
            return f"cuda:{world().local_rank % gpus}"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    if device.startswith("cuda"):
        number = int(device.partition(":")[2] or 0)
        if number >= gpus:
            raise ValueError(f"device {device!r} is not available: torch {torch.__version__} sees {gpus} CUDA devices")
    if device == "mps" and not torch.backends.mps.is_available():
        raise ValueError(f"device 'mps' is not available in torch {torch.__version__} on this machine")
    return device


def resolve_dtype(dtype: str, spec: AdapterSpec) -> torch.dtype:
    """``auto`` is the authors' precision (``spec.dtype``)."""
    check_name("dtype", dtype, DTYPES)
    return getattr(require("torch"), spec.dtype if dtype == "auto" else dtype)


def find_checkpoint(spec: AdapterSpec, *, configs_only: bool = False) -> Checkpoint:
    """The folder with the spec's weights, downloaded from the Hub at its revision if need be.

    Nothing in it is executed: only weights, configs and tokenizer files are fetched. A LoRA adapter brings its base.
    With ``configs_only`` no weights are fetched and nothing is digested: enough to see what the checkpoint is.

    Raises:
        FileNotFoundError: the folder named in the spec is not there.
        ConnectionError: the Hub can't be reached and the cache does not have it, or the Hub refuses.
    """
    found = _checkpoint_at(spec, configs_only)
    config = found.folder / LORA_CONFIG
    if not config.is_file():
        return found
    base = json.loads(config.read_text(encoding="utf-8"))["base_model_name_or_path"]
    place = {"folder": Path(base)} if Path(base).is_dir() else {"folder": None, "hub_id": base, "revision": None}
    base_found = _checkpoint_at(replace(spec, **place), configs_only)
    return Checkpoint(base_found.folder, f"{base_found.digest}+{found.digest}", lora=found.folder)


def refuse_lora(checkpoint: Checkpoint, spec: AdapterSpec) -> None:
    """For families that read whole checkpoints only: an adapter left out would give the base model's vectors.

    Raises:
        ValueError: the checkpoint is a LoRA or DoRA adapter with its base.
    """
    if checkpoint.lora is not None:
        raise ValueError(
            f"adapter {spec.name!r}: {os.fspath(checkpoint.lora)!r} is a LoRA adapter ({LORA_CONFIG}), and only "
            "Qwen-VL embedders merge one; merge it into its base first (peft: merge_and_unload, then save_pretrained) "
            "and load the result"
        )


def _checkpoint_at(spec: AdapterSpec, configs_only: bool) -> Checkpoint:
    if spec.folder is not None:
        if not spec.folder.is_dir():
            raise FileNotFoundError(f"adapter {spec.name!r}: there is no folder {str(spec.folder)!r}")
        return Checkpoint(spec.folder, "" if configs_only else folder_digest(spec.folder))
    if spec.hub_id is None:
        raise ValueError(f"adapter {spec.name!r} names neither a folder nor a Hub id")
    folder = download(spec.hub_id, spec.revision, configs_only=configs_only)
    # A snapshot folder is named after the commit it holds.
    return Checkpoint(folder, f"{spec.hub_id}@{folder.name}")


def download(hub_id: str, revision: str | None = None, *, configs_only: bool = False) -> Path:
    """Fetches a model's snapshot (weights, configs, tokenizer) or finds it in the cache.

    Raises:
        ConnectionError: not reachable and not cached (or cached in part), or refused; says which cache was searched.
        FileNotFoundError: the repository has no weights.
    """
    hub = require("huggingface_hub")
    errors = importlib.import_module("huggingface_hub.errors")

    def fetch(*patterns: str) -> Path:
        return Path(hub.snapshot_download(hub_id, revision=revision, allow_patterns=list(patterns)))

    try:
        folder = fetch("*.json") if configs_only else fetch(*SIDE_FILES, *WEIGHTS)
        if configs_only:
            return folder
        if not any(folder.rglob("*.safetensors")):
            folder = fetch(*SIDE_FILES, *PICKLED_WEIGHTS)
    except errors.HfHubHTTPError as error:
        raise ConnectionError(
            f"the Hub refused {hub_id!r} at revision {revision or 'main'}: {str(error).splitlines()[0]}; check the id, "
            "and for a gated model run: hf auth login"
        ) from error
    except errors.HFValidationError as error:
        raise ValueError(f"{hub_id!r} is not a Hub id: {error}") from error
    except (OSError, errors.LocalEntryNotFoundError) as error:
        raise ConnectionError(_unreachable(hub_id, revision, "not in")) from error
    missing = _missing_weights(folder)
    if missing and hub.constants.HF_HUB_OFFLINE:
        raise ConnectionError(_unreachable(hub_id, revision, f"only in part ({missing}) in"))
    if missing:
        raise FileNotFoundError(
            f"{hub_id!r} at revision {revision or 'main'} holds {missing} that can be read: *.safetensors, or "
            "pytorch_model*.bin of a whole model; other pickles, such as adapter_model.bin, are never opened"
        )
    return folder


def _unreachable(hub_id: str, revision: str | None, held: str) -> str:
    hub = require("huggingface_hub")
    state = "HF_HUB_OFFLINE is set" if hub.constants.HF_HUB_OFFLINE else "the Hub can't be reached (offline?)"
    return (
        f"{hub_id!r} at revision {revision or 'main'} is {held} the cache {hub.constants.HF_HUB_CACHE}, and {state}; "
        "download it where there is a network, or name a local folder with the weights"
    )


def _missing_weights(folder: Path) -> str:
    """What a snapshot lacks, in words; empty if it has weights and every file that its indexes of shards name."""
    if not any(folder.rglob("*.safetensors")) and not any(folder.rglob("pytorch_model*.bin")):
        return "no weights"
    for index in folder.rglob("*.safetensors.index.json"):
        for name in sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())):
            if not (index.parent / name).is_file():
                return f"no {name}"
    return ""


def folder_digest(folder: Path) -> str:
    """sha256 hex of a folder's files by relative name and content.

    Of a file over 64 MiB, its size, its first MiB and 256 evenly spaced blocks of 64 KiB, the last one at its end,
    stand for the content: hashing tens of gigabytes at every start would take minutes.
    """
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}\0{size}\0".encode())
        with path.open("rb") as file:
            if size <= _WHOLE_FILE_BYTES:
                digest.update(file.read())
            else:
                digest.update(file.read(_HEADER_BYTES))
                for i in range(_SAMPLES):
                    file.seek((size - _SAMPLE_BYTES) * i // (_SAMPLES - 1))
                    digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()


def read_config(folder: Path, spec: AdapterSpec) -> dict[str, Any]:
    """The checkpoint's config.json.

    Raises:
        FileNotFoundError: none there.
    """
    path = folder / "config.json"
    if not path.is_file():
        raise FileNotFoundError(
            f"adapter {spec.name!r}: {os.fspath(folder)!r} has no config.json, so it holds no model of transformers"
        )
    config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return config


def check_checkpoint(spec: AdapterSpec, config: dict[str, Any], *, model_types: tuple[str, ...], dim: int) -> None:
    """Refuses the wrong checkpoint before its weights are read.

    Raises:
        ValueError: another architecture or another dimension than the spec's.
    """
    if config.get("model_type") not in model_types:
        raise ValueError(
            f"adapter {spec.name!r} runs models of type {' or '.join(model_types)}, "
            f"but the checkpoint's config.json says {config.get('model_type')!r}"
        )
    if spec.dim not in (None, dim):
        raise ValueError(
            f"adapter {spec.name!r}: the checkpoint gives {dim} dimensions, its spec says {spec.dim}; load the "
            "checkpoint that the spec names, or state another dim in the spec"
        )


def load_model(model_class: Any, folder: Path, *, device: str, dtype: torch.dtype) -> Any:
    """Loads a transformers model for inference and makes sure that every weight came from the checkpoint.

    Raises:
        ValueError: weights are missing or of another shape: they would be random.
    """
    with _no_load_report():
        model, report = model_class.from_pretrained(
            folder, dtype=dtype, local_files_only=True, trust_remote_code=False, output_loading_info=True
        )
    return _complete(model, report, str(folder)).to(device)


def load_weights(folder: Path) -> dict[str, torch.Tensor]:
    """All weights in a folder's safetensors files, on the CPU.

    Raises:
        FileNotFoundError: there are none.
    """
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise FileNotFoundError(f"{folder} has no weights in safetensors files")
    load_file = require("safetensors.torch", "safetensors").load_file
    return {key: tensor for file in files for key, tensor in load_file(file).items()}


def model_from_weights(
    model_class: Any, config: Any, weights: dict[str, torch.Tensor], *, device: str, dtype: torch.dtype
) -> Any:
    """A transformers model from weights at hand, for checkpoints that no class of the library reads as a whole.

    Raises:
        ValueError: weights are missing or of another shape.
    """
    with _no_load_report():
        model, report = model_class.from_pretrained(
            None, config=config, state_dict=weights, dtype=dtype, output_loading_info=True
        )
    return _complete(model, report, "the checkpoint").to(device)


def _complete(model: Any, report: dict[str, Any], place: str) -> Any:
    wrong = sorted(report["missing_keys"]) + sorted(str(key[0]) for key in report["mismatched_keys"])
    if wrong:
        raise ValueError(
            f"{place} lacks {len(wrong)} weights of {type(model).__name__}, e.g. {', '.join(wrong[:3])}; "
            "they would be random, so the checkpoint is refused"
        )
    return model.eval()


@contextlib.contextmanager
def _no_load_report() -> Iterator[None]:
    """Silences the table of weights that a checkpoint has and a base model does not want, e.g. a language-model head;
    weights that the model lacks are an error of ours."""
    logging = importlib.import_module("transformers.utils.logging")
    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)


def load_image_processor(folder: Path, **options: Any) -> Any:
    """The checkpoint's image processor with the Pillow backend.

    Pinned, because the torchvision backend gives slightly other pixels, and which one transformers takes by itself
    depends on what is installed.
    """
    transformers = require("transformers")
    return transformers.AutoImageProcessor.from_pretrained(
        folder, backend="pil", local_files_only=True, trust_remote_code=False, **options
    )


def load_tokenizer(folder: Path, **options: Any) -> Any:
    """The checkpoint's tokenizer."""
    transformers = require("transformers")
    return transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False, **options)
