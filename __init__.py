"""SnapBench for Hugging Face: how multimodal retrieval holds up on degraded photos and sloppy questions.

Importing this package makes ``load_dataset("snapbench", ...)`` and ``evaluate.load("snapbench")`` work, as the
start-up hook does unasked, and imports neither torch nor transformers nor datasets: public names are resolved on
first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .adapters import Adapter, list_adapters, load_adapter
    from .corruptions import corrupt, corrupt_image, corrupt_text
    from .evaluation import run
    from .images import ImageDecodeError
    from .snapbench_dataset import load
    from .sources import SourceError, load_source

_PUBLIC = {
    "Adapter": "adapters",
    "ImageDecodeError": "images",
    "SourceError": "sources",
    "corrupt": "corruptions",
    "corrupt_image": "corruptions",
    "corrupt_text": "corruptions",
    "list_adapters": "adapters",
    "load": "snapbench_dataset",
    "load_adapter": "adapters",
    "load_source": "sources",
    "run": "evaluation",
}

__all__ = [
    "Adapter",
    "ImageDecodeError",
    "SourceError",
    "__version__",
    "corrupt",
    "corrupt_image",
    "corrupt_text",
    "list_adapters",
    "load",
    "load_adapter",
    "load_source",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})


def _register() -> None:
    from .registration import register

    register()


_register()
