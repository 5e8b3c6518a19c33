"""Merges a LoRA or DoRA adapter into its base model.

Written out because published adapters carry key names of older transformers, which current loaders skip with only a
warning: the result would be the base model's vectors. Here every key must find its weight.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from .loading import LORA_CONFIG, require

_UNUSUAL = (
    "rank_pattern",
    "alpha_pattern",
    "modules_to_save",
    "fan_in_fan_out",
    "lora_bias",
    "trainable_token_indices",
)


def module_of(key: str) -> tuple[str, str]:
    """Module path within a Qwen-VL base model, and which part a key of an adapter file holds.

    >>> module_of("base_model.model.model.layers.0.mlp.up_proj.lora_A.weight")
    ('language_model.layers.0.mlp.up_proj', 'lora_A')
    >>> module_of("base_model.model.model.visual.blocks.1.attn.qkv.lora_magnitude_vector")
    ('visual.blocks.1.attn.qkv', 'lora_magnitude_vector')
    """
    path = re.sub(r"^base_model\.model\.(?:model\.)?", "", key).removesuffix(".weight")
    module, _, part = path.rpartition(".")
    if not module.startswith(("language_model.", "visual.")):
        module = f"language_model.{module}"
    return module, part


def merge(model: Any, folder: Path) -> None:
    """Adds the adapter in ``folder`` to the weights of ``model``, in float32.

    Raises:
        FileNotFoundError: no safetensors file in the folder.
        ValueError: a kind of adapter that this does not merge exactly, keys that fit no weight, or a target module of
            the base model that no key is for.
    """
    torch = require("torch")
    config = json.loads((folder / LORA_CONFIG).read_text(encoding="utf-8"))
    unusual = [key for key in _UNUSUAL if config.get(key)]
    if config.get("peft_type") != "LORA" or config.get("bias", "none") != "none" or unusual:
        raise ValueError(
            f"{folder}: only plain LoRA and DoRA adapters can be merged, got peft_type {config.get('peft_type')!r}"
            f"{' with ' + ', '.join(unusual) if unusual else ''}; merge it with peft and load the result"
        )
    rank = config["r"]
    scale = config["lora_alpha"] / (rank**0.5 if config.get("use_rslora") else rank)
    file = folder / "adapter_model.safetensors"
    if not file.is_file():
        raise FileNotFoundError(
            f"{folder} has no adapter_model.safetensors; an adapter_model.bin is a pickle, which could run code and is "
            "never opened: load it with peft where you trust it, and save it again with save_pretrained"
        )
    tensors = require("safetensors.torch", "safetensors").load_file(file)
    if not tensors:
        raise ValueError(f"{folder}: adapter_model.safetensors is empty; the result would be the base model's vectors")
    parts: dict[str, dict[str, Any]] = {}
    for key, tensor in tensors.items():
        module, part = module_of(key)
        parts.setdefault(module, {})[part] = tensor
    expected = {"lora_A", "lora_B"} | ({"lora_magnitude_vector"} if config.get("use_dora") else set())
    for path, found in parts.items():
        if set(found) != expected:
            raise ValueError(f"{folder}: {path} has {sorted(found)}, expected {sorted(expected)}")
        try:
            weight = model.get_submodule(path).weight
        except AttributeError as error:
            raise ValueError(f"{folder}: the base model has no {path!r}; is it the adapter's base?") from error
        with torch.no_grad():
            merged = weight.float() + scale * (found["lora_B"].float() @ found["lora_A"].float()).to(weight.device)
            if "lora_magnitude_vector" in found:
                length = merged.norm(dim=1)
                merged *= (found["lora_magnitude_vector"].float().flatten().to(weight.device) / length)[:, None]
            weight.copy_(merged)
    _check_targets(config.get("target_modules"), list(tensors), model, folder)


def _check_targets(targets: Any, keys: list[str], model: Any, folder: Path) -> None:
    """Every target that the base model has must have keys; a target that it lacks is none, as peft reads them.

    Training scripts list the projections of several architectures at once, so a name that fits nothing is no fault.
    """

    def named(target: str, modules: list[str]) -> bool:
        return any(module == target or module.endswith(f".{target}") for module in modules)

    # A key without its part, e.g. ".lora_A.weight".
    found = [key.removesuffix(".weight").rpartition(".")[0] for key in keys]
    modules = [name for name, _ in model.named_modules()]
    for target in targets if isinstance(targets, list) else ():
        if named(target, modules) and not named(target, found):
            raise ValueError(
                f"{folder}: target_modules names {target!r}, which the base model has, but adapter_model.safetensors "
                "has no key for it; is the file complete?"
            )
