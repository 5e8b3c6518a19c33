"""Any sentence-transformers model: text-only, image-only, or both through its multimodal interface.

Queries go through ``encode_query`` and the gallery through ``encode_document``, so a model's own prompts apply. Inputs
are wrapped in dicts, image first: a bare string that looks like a path to a picture would be opened as one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from .base import AdapterSpec, BatchedAdapter, Embedded, Modality, Role, Row, fingerprint_of
from .loading import Checkpoint, load_image_processor, require, resolve_device, resolve_dtype

_MODALITIES: tuple[Modality, ...] = ("image", "text")


def load_sentence_transformer(
    name: str, checkpoint: Checkpoint, *, device: str, dtype: str, batch_size: int | Literal["auto"]
) -> BatchedAdapter:
    """Loads a folder with a sentence-transformers model; no remote code.

    Raises:
        ImportError: sentence-transformers is missing.
        ValueError: the model brings code of its own, or reads neither images nor texts.
    """
    library = require("sentence_transformers", "sentence-transformers")
    _refuse_code(name, checkpoint.folder)
    transformers = require("transformers")
    spec = AdapterSpec(name=name, family="sentence_transformer", pooling="the model's own", pixels="the model's own")
    model = library.SentenceTransformer(
        str(checkpoint.folder),
        device=resolve_device(device),
        local_files_only=True,
        trust_remote_code=False,
        model_kwargs={"dtype": "auto" if dtype == "auto" else resolve_dtype(dtype, spec)},
    )
    _pin_pixels(model, checkpoint.folder)
    reads = frozenset(modality for modality in _MODALITIES if model.supports(modality))
    if not reads:
        raise ValueError(f"{name!r} reads neither images nor texts, but {model.modalities}")
    spec = replace(
        spec,
        dtype=str(next(iter(model.parameters())).dtype).removeprefix("torch."),
        folder=checkpoint.folder,
        dim=model.get_embedding_dimension(),
        modalities=reads,
        joint=reads == set(_MODALITIES) and model.supports(_MODALITIES),
        max_tokens=model.max_seq_length if "text" in reads else None,
        prompts={key: text for key, text in model.prompts.items() if text},
    )
    fingerprint = fingerprint_of(
        checkpoint=checkpoint.digest,
        dtype=spec.dtype,
        prompts=spec.prompts,
        sentence_transformers=library.__version__,
        transformers=transformers.__version__,
    )
    return BatchedAdapter(spec, SentenceTransformerEncoder(spec, model), fingerprint=fingerprint, batch_size=batch_size)


def _modules(folder: Path) -> list[dict[str, Any]]:
    modules: list[dict[str, Any]] = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    return modules


def _refuse_code(name: str, folder: Path) -> None:
    foreign = [
        kind for module in _modules(folder) if not (kind := str(module["type"])).startswith("sentence_transformers.")
    ]
    if foreign:
        raise ValueError(
            f"{name!r} brings code of its own ({', '.join(map(repr, foreign))} in modules.json), which is never run; "
            "wrap the model in a class with an encode method and name that (file.py:Class)"
        )


def _pin_pixels(model: Any, folder: Path) -> None:
    """Puts the Pillow image processor in: the one that the library takes depends on what is installed."""
    processor: Any = getattr(model[0], "processor", None)
    if getattr(processor, "image_processor", None) is not None:
        first = _modules(folder)[0]
        processor.image_processor = load_image_processor(folder / first["path"])


class SentenceTransformerEncoder:
    """Rows -> the model's own embeddings."""

    def __init__(self, spec: AdapterSpec, model: Any) -> None:
        self._spec = spec
        self._model = model

    def embed(self, rows: Sequence[Row], role: Role) -> Embedded:
        torch = require("torch")
        encode = self._model.encode_query if role == "query" else self._model.encode_document
        vectors: list[Any] = [None] * len(rows)
        # Models without chat messages take one kind of content a call.
        for content in dict.fromkeys(row.content for row in rows):
            chosen = [i for i, row in enumerate(rows) if row.content == content]
            inputs = [
                {key: part for key, part in (("image", rows[i].image), ("text", rows[i].text)) if part is not None}
                for i in chosen
            ]
            embedded = encode(inputs, batch_size=len(inputs), convert_to_tensor=True, show_progress_bar=False)
            for i, vector in zip(chosen, embedded, strict=True):
                vectors[i] = vector
        prompt = self._prompt(role)
        texts = [prompt + row.text for row in rows if row.text is not None]
        return Embedded(torch.stack(vectors), self._count_long(texts))

    def _prompt(self, role: Role) -> str:
        """What the library puts before a text: the role's prompt, else the model's default one."""
        names = ("query",) if role == "query" else ("document", "passage", "corpus")
        prompts = self._model.prompts
        name = next((name for name in names if name in prompts), self._model.default_prompt_name)
        return prompts.get(name) or ""

    def _count_long(self, texts: list[str]) -> int:
        limit = self._spec.max_tokens
        if limit is None or not texts:
            return 0
        tokens = self._model.tokenizer(texts, truncation=True, max_length=limit + 1)["input_ids"]
        return sum(len(ids) > limit for ids in tokens)
