"""A pair of towers: one model for images, another for texts. Image and text vectors live in separate spaces, so only
i2i, t2t and their late fusion exist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .base import Adapter, AdapterSpec, Role, check_rows, fingerprint_of


class PairOfTowers:
    """Two adapters as one dual encoder with ``shared_space=False``.

    Raises:
        ValueError: the first can't read images or the second can't read texts.
    """

    def __init__(self, image: Adapter, text: Adapter) -> None:
        for tower, modality in ((image, "image"), (text, "text")):
            if modality not in tower.spec.modalities:
                raise ValueError(f"the {modality} tower {tower.spec.name!r} reads no {modality}s")
        self._image = image
        self._text = text
        self.spec = AdapterSpec(
            name=f"pair:{image.spec.name},{text.spec.name}",
            family="towers",
            license=" + ".join(dict.fromkeys((image.spec.license, text.spec.license))),
            shared_space=False,
            parameters=f"{image.spec.parameters} + {text.spec.parameters}",
            pixels=image.spec.pixels,
            pooling=f"image: {image.spec.pooling}; text: {text.spec.pooling}",
            assumptions=(*image.spec.assumptions, *text.spec.assumptions),
        )
        self.cacheable = all(getattr(tower, "cacheable", True) for tower in (image, text))
        self.fingerprint = fingerprint_of(image=image.fingerprint, text=text.fingerprint)

    @property
    def n_truncated(self) -> int:
        return self._image.n_truncated + self._text.n_truncated

    def encode(
        self, images: Sequence[Any] | None = None, texts: Sequence[str | None] | None = None, role: Role = "query"
    ) -> np.ndarray:
        """See :meth:`~snapbench.adapters.base.Adapter.encode`; one modality a call."""
        rows = check_rows(self.spec, images, texts, role)
        if any(image is not None for image, _ in rows) or texts is None:
            return self._image.encode(images=[image for image, _ in rows], role=role)
        return self._text.encode(texts=[text for _, text in rows], role=role)
