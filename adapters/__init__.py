"""Embedding models behind one ``encode`` method. Importing and listing need neither torch nor transformers."""

from .base import Adapter, AdapterSpec, Role
from .registry import adapter_spec, list_adapters, load_adapter

__all__ = ["Adapter", "AdapterSpec", "Role", "adapter_spec", "list_adapters", "load_adapter"]
