"""Corrupting a photo, a question, or the rows of a dataset."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args, overload

import numpy as np
from PIL import Image

from ..images import Storage, decode_image, encode_image
from .conditions import COMPOSITION_ORDER, REENCODE, Condition, check_name, check_severity, parse_config
from .registry import ImageOperator, Pixels, TextCorruption, TextStatus, check_pixels, image_operator, text_operator
from .seeding import generator

Order = Literal["paper", "given"]
ImageInput = Image.Image | np.ndarray | bytes | str | os.PathLike[str]
Row = dict[str, Any]

_NEEDED = ("query_id", "image", "text", "entity")
"""Columns that rows must have."""

_Array = TypeVar("_Array", bound=np.ndarray)


@overload
def corrupt_image(
    image: _Array,
    operator: str | Sequence[tuple[str, int]],
    severity: int | None = None,
    *,
    query_id: str = "",
    seed: int = 0,
    order: Order = "paper",
) -> np.ndarray: ...
@overload
def corrupt_image(
    image: Image.Image | bytes | str | os.PathLike[str],
    operator: str | Sequence[tuple[str, int]],
    severity: int | None = None,
    *,
    query_id: str = "",
    seed: int = 0,
    order: Order = "paper",
) -> Image.Image: ...
def corrupt_image(
    image: ImageInput,
    operator: str | Sequence[tuple[str, int]],
    severity: int | None = None,
    *,
    query_id: str = "",
    seed: int = 0,
    order: Order = "paper",
) -> Image.Image | np.ndarray:
    """Applies one image operator or several (paper, Section 3.2, Table 8 and Appendix B.3).

    The output depends on the arguments alone: the same pixels in any process, thread and order of calls. Draws are
    keyed by (seed, query_id, operator) and shared by the severities.

    Args:
        image: A Pillow image, an array, file contents or a path; whatever it is, it is decoded by the policy of
            :func:`snapbench.images.decode_image` (upright, alpha over white, 8 bits, RGB). It is never changed.
        operator: A name, e.g. ``"low_light"``, or a sequence of (name, severity): photos that are uploaded have
            several artefacts at once. An operator named twice draws anew the second time.
        severity: 1, 2 or 3 with a name; left out with a sequence.
        query_id: Key of the draws, besides the seed; photos of one query share them.
        seed: Another seed, other draws.
        order: ``paper`` applies a sequence as Transform, Remove, Degrade, Add, and within a primitive as given;
            ``given`` as it stands.

    Returns:
        An RGB image for everything but an array, which gives a uint8 array [h, w, 3]. Smaller than the input for
        ``cropping`` and ``downscale``, of its size otherwise; at least 1 x 1.

    Raises:
        ImageDecodeError: The image can't be decoded.
        TypeError: An argument of the wrong type.
        ValueError: Unknown operator (with the close matches), severity outside 1, 2, 3, empty sequence, unknown order.

    Example:
        >>> from PIL import Image
        >>> photo = Image.new("RGB", (100, 80), "orange")
        >>> corrupt_image(photo, "cropping", 3).size
        (40, 32)
        >>> corrupt_image(photo, [("low_light", 2), ("downscale", 1)]).size
        (20, 16)
    """
    check_name("order", order, get_args(Order))
    steps = _steps(operator, severity, order)
    # Operators are resolved before the image is decoded: a misspelt name must not cost anything.
    generators = [generator(seed, query_id, key) for _, _, key in steps]
    if isinstance(image, np.ndarray) and image.dtype == np.uint8 and image.ndim == 3 and image.shape[2] == 3:
        pixels: Pixels = check_pixels(image)
    else:
        pixels = np.asarray(decode_image(image, record=f"query {query_id!r}" if query_id else ""))
    for (step, level, _), rng in zip(steps, generators, strict=True):
        pixels = step(pixels, level, rng)
    return pixels if isinstance(image, np.ndarray) else Image.fromarray(pixels)


def corrupt_text(text: str, operator: str, *, entity: str, query_id: str = "", seed: int = 0) -> TextCorruption:
    """Applies one text operator (paper, Section 3.2 and Table 9).

    Args:
        text: The clean question.
        operator: A name, e.g. ``"char_swap"``.
        entity: The coarse entity that the question asks about; operators that edit it look for it as a whole word.
        query_id: Key of the draws, besides the seed.
        seed: Another seed, other draws.

    Returns:
        The text to use with its status; the clean text and a reason where the operator can't apply.

    Raises:
        TypeError: An argument of the wrong type.
        ValueError: Unknown operator, with the close matches.

    Example:
        >>> corrupt_text("What kind of plant is this?", "sent_replace", entity="plant").text
        'What is this?'
    """
    return text_operator(operator)(text, entity, generator(seed, query_id, operator))


def corrupt(condition: str, *, seed: int = 0, storage: Storage = "published") -> RowCorruptor:
    """What maps clean query rows to those of a condition: ``dataset.map(corrupt("image_mosaic_s2"), num_proc=2)``.

    A config of several conditions (``image_mosaic``, ``joint_mosaic_charswap``) turns a row into one for each and
    needs ``batched=True``. The callable can be pickled and hashed by ``datasets``, and works on streams too, which hold
    images undecoded meanwhile: ``stream.cast_column("image", Image(decode=False)).map(...).cast(stream.features)``.
    (Without it a corrupted image comes out as ``{"bytes", "path"}``, and a cast alone encodes clean ones anew.)

    Texts are always computed here. The configs of a source that publishes corrupted texts (the paper's release does)
    use those instead, so that for it ``load_dataset("snapbench", condition)`` gives other texts than a map.

    Args:
        condition: The id of a condition or the name of a config of query rows.
        seed: Of the draws.
        storage: How the image is encoded: ``published`` (JPEG quality 92, the protocol of the paper's release) or
            ``lossless``. Rows whose image isn't corrupted keep it as it is.

    Returns:
        A callable from a row (or a batch of rows) with the columns query_id, image, text and entity to a copy of it
        with image, text, condition, image_operator, severity, text_operator and text_status set.

    Raises:
        TypeError: An argument of the wrong type.
        ValueError: Unknown condition (with the close matches), one without queries, or unknown storage. The callable:
            a row that is corrupted already, has no image or lacks a column, named by its query id.
    """
    config = parse_config(condition)
    if config.table != "queries":
        raise ValueError(f"condition {condition!r} holds no queries; name a condition such as 'image_mosaic_s2'")
    check_name("storage", storage, get_args(Storage))
    generator(seed, "", "")
    from ..rows import code_hash  # Rows are made of corruptions; only their key is needed, and only here.

    return RowCorruptor(config.conditions, seed, storage, code_hash())


@dataclass(frozen=True)
class RowCorruptor:
    """What :func:`corrupt` returns.

    ``code`` (see :func:`snapbench.rows.code_hash`) takes no part in the work: it is here because ``datasets`` keys its
    cache of a map by the pickled callable, which holds the name of its class and not what an operator does.
    """

    conditions: tuple[Condition, ...]
    seed: int
    storage: Storage
    code: str

    def __call__(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """One row, or a batch of rows as ``batched=True`` hands it over: a mapping of lists."""
        if "query_id" not in row:
            raise ValueError(f"query_id must be a column of the rows, got the columns {sorted(row)}")
        several = len(self.conditions) > 1
        if isinstance(row["query_id"], str):
            if several:
                raise ValueError(
                    f"condition stands for {', '.join(c.id for c in self.conditions)}, so that a row becomes several; "
                    "call map with batched=True, or name one of them"
                )
            return _updated(row, self._changes(row, self.conditions[0]))
        # Columns that stay as they are aren't looked at: datasets decodes a column when it is, and encodes it anew.
        columns = list(row) if several else [column for column in (*_NEEDED, "condition") if column in row]
        unread = {"image": None} if self.conditions[0].image_operator is None and "image" in columns else {}
        columns = [column for column in columns if column not in unread]
        rows = [
            dict(zip(columns, values, strict=True), **unread) for values in zip(*(row[c] for c in columns), strict=True)
        ]
        changes = [self._changes(one, condition) for condition in self.conditions for one in rows]
        batch = {column: [one[column] for one in changes] for column in (changes[0] if changes else ())}
        kept = {column: list(row[column]) * len(self.conditions) for column in columns if column not in batch}
        return {**kept, **batch} if several else _updated(row, batch)

    def _changes(self, row: Mapping[str, Any], condition: Condition) -> Row:
        """The columns that the condition sets."""
        query_id = row["query_id"]
        if row.get("condition", "clean") != "clean":
            raise ValueError(
                f"row {query_id!r} is corrupted already (condition {row['condition']!r}); corrupt takes clean rows"
            )
        for column in _NEEDED:
            if column not in row:
                raise ValueError(f"row {query_id!r} must have the column {column!r}, got {sorted(row)}")
        changes: Row = {
            "condition": condition.id,
            "image_operator": condition.image_operator or "",
            "severity": condition.severity or 0,
            "text_operator": condition.text_operator or "",
            "text_status": "unchanged",
        }
        if condition.image_operator is not None:
            image = self._image(row["image"], query_id, condition.image_operator, condition.severity)
            changes["image"] = {"bytes": image, "path": None}
        if condition.text_operator is not None:
            changes["text"], changes["text_status"] = self._text(row, condition.text_operator)
        return changes

    def _image(self, image: Any, query_id: str, operator: str, severity: int | None) -> bytes:
        if isinstance(image, Mapping):  # An image column that isn't decoded.
            image = image.get("bytes") or image.get("path")
        decoded = decode_image(image, record=f"query {query_id!r}")
        if operator == REENCODE:
            return encode_image(decoded, "published")
        return encode_image(corrupt_image(decoded, operator, severity, query_id=query_id, seed=self.seed), self.storage)

    def _text(self, row: Mapping[str, Any], operator: str) -> tuple[str, TextStatus]:
        result = corrupt_text(row["text"], operator, entity=row["entity"], query_id=row["query_id"], seed=self.seed)
        return result.text, result.status


def _updated(row: Mapping[str, Any], changes: Row) -> Mapping[str, Any]:
    """A copy of the row with the changes; the lazy rows of datasets stay lazy, so that nothing is coded anew."""
    result = copy.copy(row)
    result.update(changes)  # type: ignore[attr-defined]
    return result


def _steps(
    operator: str | Sequence[tuple[str, int]], severity: int | None, order: Order
) -> list[tuple[ImageOperator, int, str]]:
    """(operator, severity, key of its draws) in the order of application."""
    if isinstance(operator, str):
        if severity is None:
            raise TypeError(f"severity must be 1, 2 or 3 for operator {operator!r}, got None")
        return [(image_operator(operator), check_severity(severity), operator)]
    if not isinstance(operator, Sequence):
        raise TypeError(
            f"operator must be a name or a sequence of (name, severity), got {type(operator).__name__}: {operator!r}"
        )
    if severity is not None:
        raise ValueError(f"severity must be left out when operator is a sequence of (name, severity), got {severity!r}")
    if not operator:
        raise ValueError("operator must name at least one operator, got an empty sequence")
    steps: list[tuple[ImageOperator, int, str]] = []
    seen: dict[str, int] = {}
    for pair in operator:
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise TypeError(f"operator must hold pairs of (name, severity), got {pair!r}")
        name, level = pair
        step = image_operator(name)
        seen[name] = seen.get(name, 0) + 1
        steps.append((step, check_severity(level), name if seen[name] == 1 else f"{name}#{seen[name]}"))
    if order == "paper":
        steps.sort(key=lambda step: COMPOSITION_ORDER.index(step[0].primitive))
    return steps
