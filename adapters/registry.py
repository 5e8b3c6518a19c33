"""Names of models and what stands behind them; everything is resolved on first use.

A model is one line in :data:`ADAPTERS`: name -> "module:SPEC". The spec's family is the module whose ``load`` runs it.
Listing imports neither torch nor transformers.
"""

from __future__ import annotations

import importlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..corruptions.conditions import close_matches
from .base import Adapter, AdapterSpec, BatchedAdapter, first_batch_size, spec_fingerprint, world
from .loading import (
    check_checkpoint,
    find_checkpoint,
    parse_device,
    read_config,
    refuse_lora,
    require,
    require_extras,
    resolve_device,
    resolve_dtype,
)

ADAPTERS: dict[str, str] = {
    "tiny": "clip:TINY",
    "clip-vit-l14": "clip:CLIP_VIT_L14",
    "siglip-so400m": "siglip:SIGLIP_SO400M",
    "siglip-large-256": "siglip:SIGLIP_LARGE_256",
    "siglip2-so400m": "siglip:SIGLIP2_SO400M",
    "blip-itm-l": "blip:BLIP_ITM_L",
    "jina-v4": "jina_v4:JINA_V4",
    "qwen3-vl-emb-2b": "qwen3_vl_embedding:QWEN3_VL_EMB_2B",
    "qwen3-vl-emb-8b": "qwen3_vl_embedding:QWEN3_VL_EMB_8B",
    "e5-v": "e5_v:E5_V",
    "vlm2vec-full": "vlm2vec_full:VLM2VEC_FULL",
    "vlm2vec-v2": "vlm2vec_v2:VLM2VEC_V2",
    "ume-r1-7b": "ume_r1:UME_R1_7B",
    "gme-2b": "gme:GME_2B",
    "gme-7b": "gme:GME_7B",
    "ops-mm-2b": "ops_mm:OPS_MM_2B",
    "ops-mm-7b": "ops_mm:OPS_MM_7B",
    "rzenembed-7b": "rzenembed:RZENEMBED_7B",
}

GENERIC: dict[str, str] = {"clip": "clip:CLIP", "siglip": "siglip:SIGLIP"}
"""model_type in a checkpoint's config.json -> spec for any checkpoint of that architecture."""

BatchSize = int | Literal["auto"]


def list_adapters() -> tuple[AdapterSpec, ...]:
    """The specs of all named models, in the order of the registry."""
    return tuple(adapter_spec(name) for name in ADAPTERS)


def adapter_spec(name: str) -> AdapterSpec:
    """The spec of a named model.

    Raises:
        ValueError: unknown name; the message has the close matches.
    """
    if name not in ADAPTERS:
        raise ValueError(
            f"adapter {name!r} is unknown.{close_matches(name, ADAPTERS)} Known: {', '.join(ADAPTERS)}; besides these, "
            "a Hub id, a folder with a model, st:<sentence-transformers model>, pair:<images>,<texts>, "
            "path/to/file.py:Name or package.module:Name"
        )
    return _spec_at(ADAPTERS[name])


def load_adapter(
    model: str | os.PathLike[str] | AdapterSpec | object,
    *,
    weights: str | os.PathLike[str] | None = None,
    device: str = "auto",
    dtype: str = "auto",
    batch_size: BatchSize = "auto",
    prompts: Mapping[str, str] | None = None,
    min_pixels: int | None = None,
    max_pixels: int | None = None,
    truncate_dim: int | None = None,
) -> Adapter:
    """Loads a model behind the one ``encode`` method of the benchmark.

    Args:
        model: a name of :func:`list_adapters`; a Hub id; a folder; ``"st:<id or folder>"`` (sentence-transformers);
            ``"pair:<image model>,<text model>"``; ``"path/to/file.py:Name"`` or ``"package.module:Name"``; a spec; or
            your own object with an ``encode`` method.
        weights: a Hub id or folder to take the weights from, run by the named model's recipe (your own fine-tuned
            GME, a mirror). The spec is then named ``"<name>@<weights>"``, with no revision and no known licence.
        device: auto, cpu, cuda, cuda:<number> or mps.
        dtype: auto (the authors'), float32, float16 or bfloat16.
        batch_size: rows a forward pass, or auto: halved for good whenever memory runs out.
        prompts: replacements for some of ``spec.prompts``.
        min_pixels, max_pixels: replacements for the spec's image budget.
        truncate_dim: a shorter length that the model was trained for (``spec.matryoshka``).

    Raises:
        ValueError: unknown name, device, dtype, prompt or length; a checkpoint that does not fit the spec.
        ImportError: a missing package; the message has the pip line.
        FileNotFoundError, ConnectionError: no such folder; a Hub id that can't be had.
    """
    parse_device(device)
    first_batch_size(batch_size)
    options: dict[str, Any] = {"device": device, "dtype": dtype, "batch_size": batch_size}
    changes = _Changes(weights, prompts, min_pixels, max_pixels, truncate_dim)
    adapter = _load_any(model, changes, options)
    if world().size > 1:
        from .distributed import DistributedAdapter

        return adapter if isinstance(adapter, DistributedAdapter) else DistributedAdapter(adapter)
    return adapter


class _Changes(NamedTuple):
    """What a call of :func:`load_adapter` replaces in a spec."""

    weights: str | os.PathLike[str] | None
    prompts: Mapping[str, str] | None
    min_pixels: int | None
    max_pixels: int | None
    truncate_dim: int | None


_UNCHANGED = _Changes(None, None, None, None, None)


def _load_any(model: object, changes: _Changes, options: dict[str, Any]) -> Adapter:
    for argument, value in (("model", model), ("weights", changes.weights)):
        if isinstance(value, str) and not value.removeprefix("st:").strip():
            raise ValueError(f"{argument} must be a name, a Hub id or a folder ('.' for this one), got {value!r}")
    found = _find(os.fspath(model), options) if isinstance(model, str | os.PathLike) else model
    if isinstance(found, AdapterSpec):
        return _load(_changed(found, changes), changes.truncate_dim, **options)
    for argument, value in changes._asdict().items():
        if value is not None:
            raise ValueError(
                f"{argument} applies to named models, folders and Hub ids only, got {value!r} for {model!r}"
            )
    if isinstance(found, Adapter):
        return found
    from .own import OwnAdapter

    return OwnAdapter(found() if isinstance(found, type) else found, batch_size=options["batch_size"])


def _load(spec: AdapterSpec, truncate_dim: int | None, *, device: str, dtype: str, batch_size: BatchSize) -> Adapter:
    family = importlib.import_module(f".{spec.family}", __package__)
    transformers = require("transformers")
    require_extras(spec)
    device = resolve_device(device)
    torch_dtype = resolve_dtype(dtype, spec)
    checkpoint = find_checkpoint(spec)
    if not getattr(family, "MERGES_LORA", False):
        refuse_lora(checkpoint, spec)
    config = read_config(checkpoint.folder, spec)
    dim = family.checkpoint_dim(config)
    check_checkpoint(spec, config, model_types=family.MODEL_TYPES, dim=dim)
    # The checkpoint was held against the whole length; from here on the shorter one counts.
    spec = replace(spec, dim=dim if truncate_dim is None else truncate_dim)
    encoder = family.load(spec, checkpoint, device, torch_dtype)
    fingerprint = spec_fingerprint(
        spec, checkpoint=checkpoint.digest, dtype=str(torch_dtype), transformers=transformers.__version__
    )
    return BatchedAdapter(spec, encoder, fingerprint=fingerprint, batch_size=batch_size)


def _find(model: str, options: dict[str, Any]) -> AdapterSpec | Adapter:
    """What a string stands for: a spec to load, or an adapter that is loaded by another way."""
    from .own import OwnAdapter, load_own

    if model in ADAPTERS:
        return adapter_spec(model)
    if model.startswith("pair:"):
        from .towers import PairOfTowers

        image, comma, text = model[len("pair:") :].partition(",")
        if not (comma and image and text):
            raise ValueError(f"a pair of towers is written pair:<image model>,<text model>, got {model!r}")
        return PairOfTowers(_load_any(image, _UNCHANGED, options), _load_any(text, _UNCHANGED, options))
    if model.startswith("st:"):
        return _sentence_transformer(model[len("st:") :], options)
    if re.fullmatch(r".+(\.py|[A-Za-z_][\w.]*):[A-Za-z_]\w*", model):
        return OwnAdapter(load_own(model), origin=model, batch_size=options["batch_size"])
    if Path(model).is_dir():
        return _recognised(replace(_ANY, name=model, folder=Path(model)), options)
    known = {spec.hub_id: spec for spec in list_adapters() if spec.hub_id}
    if model in known:
        return known[model]
    if re.fullmatch(r"[\w.-]+/[\w.-]+", model) and not model.startswith("."):
        return _recognised(replace(_ANY, name=model, hub_id=model), options)
    if "/" in model or os.sep in model:
        raise FileNotFoundError(f"adapter {model!r}: there is no such folder")
    return adapter_spec(model)


_ANY = AdapterSpec(name="", family="")


def _recognised(place: AdapterSpec, options: dict[str, Any]) -> AdapterSpec | Adapter:
    """Recognises a checkpoint by its files.

    Raises:
        ValueError: an architecture that does not say by itself how its vectors are made.
    """
    folder = find_checkpoint(place, configs_only=True).folder
    if (folder / "modules.json").is_file():
        return _sentence_transformer(place.name, options)
    config_path = folder / "config.json"
    model_type = None
    if config_path.is_file():
        model_type = json.loads(config_path.read_text(encoding="utf-8")).get("model_type")
    if model_type not in GENERIC:
        raise ValueError(
            f"{place.name!r} holds a model of type {model_type!r}, which does not say how its vectors are made; "
            "name the recipe, e.g. load_adapter('gme-2b', weights=...). Recognised by themselves: "
            f"sentence-transformers models and {', '.join(GENERIC)}"
        )
    return replace(_spec_at(GENERIC[model_type]), name=place.name, folder=place.folder, hub_id=place.hub_id)


def _sentence_transformer(model: str, options: dict[str, Any]) -> Adapter:
    from .sentence_transformer import load_sentence_transformer

    place = replace(_ANY, name=model, **({"folder": Path(model)} if Path(model).is_dir() else {"hub_id": model}))
    checkpoint = find_checkpoint(place)
    refuse_lora(checkpoint, place)
    return load_sentence_transformer(model, checkpoint, **options)


def _changed(spec: AdapterSpec, changes: _Changes) -> AdapterSpec:
    weights, prompts, min_pixels, max_pixels, truncate_dim = changes
    if weights is not None:
        # Nothing that is said of the authors' weights holds for others.
        place = Path(weights)
        folder, hub_id = (place, None) if place.is_dir() else (None, os.fspath(weights))
        name = f"{spec.name}@{hub_id or place.resolve().name}"
        spec = replace(spec, name=name, folder=folder, hub_id=hub_id, revision=None, license="unknown")
    if prompts is not None:
        if not isinstance(prompts, Mapping):
            raise TypeError(f"prompts must map names of prompts to strings, got {type(prompts).__name__}")
        for key in prompts:
            if key not in spec.prompts:
                known = ", ".join(map(repr, spec.prompts)) or "none: this model takes no prompts"
                raise ValueError(
                    f"prompt {key!r} of adapter {spec.name!r} is unknown.{close_matches(key, spec.prompts)} "
                    f"Known: {known}"
                )
            _check_prompt(spec, key, prompts[key])
        spec = replace(spec, prompts={**spec.prompts, **prompts})
    if min_pixels is not None or max_pixels is not None:
        spec = _with_budget(spec, min_pixels, max_pixels)
    if truncate_dim is not None and truncate_dim not in spec.matryoshka:
        raise ValueError(
            f"truncate_dim {truncate_dim!r} is not a length that adapter {spec.name!r} was trained for; "
            f"known: {', '.join(map(str, spec.matryoshka)) or 'none'}"
        )
    return spec


def _check_prompt(spec: AdapterSpec, key: str, prompt: object) -> None:
    """A prompt without its text would give every text one vector; without its image, the model would see none."""
    if not isinstance(prompt, str):
        raise TypeError(f"prompt {key!r} must be a str, got {type(prompt).__name__}: {prompt!r}")
    content = key.rpartition(" ")[2].split("+")
    marks = {"text": "{text}"}
    image_token = getattr(importlib.import_module(f".{spec.family}", __package__), "IMAGE_TOKEN", None)
    if image_token is not None:
        marks["image"] = image_token
    for part, mark in marks.items():
        wanted = int(part in content)
        if prompt.count(mark) != wanted:
            raise ValueError(
                f"prompt {key!r} of adapter {spec.name!r} must hold {mark} {'once' if wanted else 'not at all'}, "
                f"got {prompt!r}; the model's own is {spec.prompts[key]!r}"
            )


def _with_budget(spec: AdapterSpec, min_pixels: int | None, max_pixels: int | None) -> AdapterSpec:
    if spec.resolution == "fixed":
        raise ValueError(f"adapter {spec.name!r} has a fixed resolution; min_pixels and max_pixels can't be set")
    for argument, value in (("min_pixels", min_pixels), ("max_pixels", max_pixels)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise TypeError(f"{argument} must be an int, got {type(value).__name__}: {value!r}")
        if value is not None and value < 1:
            raise ValueError(f"{argument} must be at least 1, got {value}; leave it out to keep the model's own")
    least = spec.min_pixels if min_pixels is None else min_pixels
    most = spec.max_pixels if max_pixels is None else max_pixels
    if least is not None and most is not None and least > most:
        raise ValueError(f"min_pixels must not exceed max_pixels, got {least} and {most}")
    return replace(spec, min_pixels=least, max_pixels=most)


def _spec_at(target: str) -> AdapterSpec:
    module, _, attribute = target.partition(":")
    spec = getattr(importlib.import_module(f".{module}", __package__), attribute)
    if not isinstance(spec, AdapterSpec):
        raise TypeError(f"{target} must be an AdapterSpec, got {type(spec).__name__}")
    return spec
