"""The contract of every adapter: what it says about itself, what it takes and what it gives back.

An adapter is any object with a :class:`AdapterSpec`, a fingerprint and an ``encode`` method (:class:`Adapter`).
:class:`BatchedAdapter` is ours: it checks the inputs, decodes the images, cuts the work into batches and checks the
vectors, so that a model family only has to turn a few rows into a tensor (:class:`Encoder`).

This module imports neither torch nor transformers.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar, get_args, runtime_checkable

import numpy as np

from ..corruptions.conditions import check_name

if TYPE_CHECKING:
    import torch
    from PIL import Image

Role = Literal["query", "gallery"]
ROLES: tuple[Role, ...] = get_args(Role)

Modality = Literal["image", "text"]
BOTH: frozenset[Modality] = frozenset(("image", "text"))

FIRST_BATCH_SIZE = 32
"""Where ``batch_size="auto"`` starts; it is halved when memory runs out."""

T = TypeVar("T")

RawRow = tuple[Any, "str | None"]
"""An image as given and a text."""


@dataclass(frozen=True, kw_only=True)
class AdapterSpec:
    """What is known about a model before anything is loaded.

    Attributes:
        name: the name for users, e.g. ``"gme-2b"``.
        family: the code that runs it (a module of this package).
        hub_id, revision: where the weights are; ``revision`` is a full commit, or None where none is known to pin.
        folder: a local folder with the weights instead of a Hub id.
        license: as stated by the authors; ``"unknown"`` where no card states one.
        dim: length of a vector; None when only the checkpoint says.
        modalities: what it reads.
        joint: True if image and text go into one vector in one forward pass. Dual encoders have False: their fusion
            happens on scores (paper, Section 4.1).
        shared_space: False for a pair of towers, whose image and text vectors can't be compared.
        parameters: size as the authors state it, e.g. ``"2.2B"``.
        dtype: the authors' precision, used for ``dtype="auto"``.
        max_tokens: longer rows have their text cut to this many tokens and are counted; for joint models the prompt
            and the image's features count along, unless ``assumptions`` say otherwise.
        resolution: ``"variable"`` where an image keeps its shape within a budget that can be changed.
        min_pixels, max_pixels: that budget in pixels; None leaves it to the checkpoint.
        pixels: the image preprocessing in words.
        pooling: in words, which state becomes the vector.
        prompts: the whole input string for each ``"<role> <content>"``, where content is ``image``, ``text`` or
            ``image+text``; ``{text}`` stands for the text. Empty for models without prompts.
        matryoshka: shorter lengths that the authors trained (cut, then normalised again).
        extras: pip requirements besides the package's own.
        assumptions: every choice made here where the authors define none.
    """

    name: str
    family: str
    hub_id: str | None = None
    revision: str | None = None
    folder: Path | None = None
    license: str = "unknown"
    dim: int | None = None
    modalities: frozenset[Modality] = BOTH
    joint: bool = False
    shared_space: bool = True
    parameters: str = "unknown"
    dtype: str = "float32"
    max_tokens: int | None = None
    resolution: Literal["fixed", "variable"] = "fixed"
    min_pixels: int | None = None
    max_pixels: int | None = None
    pixels: str = ""
    pooling: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict, hash=False)
    matryoshka: tuple[int, ...] = ()
    extras: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()


class Row(NamedTuple):
    """One item to encode; at least one part is set. ``item`` is its index within the input, for errors."""

    image: Image.Image | None
    text: str | None
    item: int = 0

    @property
    def content(self) -> str:
        return "+".join(kind for kind, part in (("image", self.image), ("text", self.text)) if part is not None)


class Embedded(NamedTuple):
    """What a family returns for a batch: ``vectors`` [n, dim] on any device in any float dtype, not normalised."""

    vectors: torch.Tensor
    n_truncated: int


class Encoder(Protocol):
    """The part that each model family writes."""

    def embed(self, rows: Sequence[Row], role: Role) -> Embedded: ...


@runtime_checkable
class Adapter(Protocol):
    """A model behind the one door of the benchmark.

    Attributes:
        spec: what the model is.
        fingerprint: hex digest of everything that changes vectors: weights, revision, dtype, prompts, preprocessing,
            and the adapter's own code.
        n_truncated: texts cut at the model's limit so far.
    """

    spec: AdapterSpec
    fingerprint: str

    @property
    def n_truncated(self) -> int: ...

    def encode(
        self, images: Sequence[Any] | None = None, texts: Sequence[str | None] | None = None, role: Role = "query"
    ) -> np.ndarray:
        """Encodes rows: images only, texts only, or both at once (one vector for the pair; ``spec.joint`` only).

        Args:
            images: PIL images, bytes, paths or uint8 arrays [h, w, 3], one a row; None in a row means no image.
            texts: strings, one a row; None in a row means no text. The empty string is a text.
            role: which side the rows are on; picks the prompt.

        Returns:
            float32 [n, dim] on the CPU, rows of unit length, in the order of the input.
        """
        ...


def digest(**parts: Any) -> str:
    """sha256 hex of named parts, independent of their order."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=_jsonable).encode()).hexdigest()


def _jsonable(value: Any) -> Any:
    if isinstance(value, frozenset | set):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


@functools.cache
def _code_digest() -> str:
    """sha256 hex of the sources that turn inputs into vectors: this folder's, and the decoding of images."""
    folder = Path(__file__).parent
    code = hashlib.sha256()
    for file in (*sorted(folder.glob("*.py")), folder.parent / "images.py"):
        code.update(f"{file.name}\n".encode() + file.read_bytes())
    return code.hexdigest()


def fingerprint_of(**parts: Any) -> str:
    """Fingerprint of an adapter of this package: the named parts, and the code that runs it.

    A repaired adapter gives other vectors; under the old fingerprint a cache would go on serving those of before.
    """
    return digest(code=_code_digest(), **parts)


def spec_fingerprint(spec: AdapterSpec, **parts: Any) -> str:
    """Fingerprint of a spec: what it states about vectors, and not its name, its licence or where it lies."""
    stated = asdict(spec)
    for key in ("name", "license", "parameters", "folder", "hub_id", "revision", "extras", "assumptions"):
        del stated[key]
    return fingerprint_of(spec=stated, **parts)


def check_vectors(vectors: Any, *, items: Sequence[int], dim: int | None, label: str) -> np.ndarray:
    """Turns what a model gave for some rows into float32 [n, dim] on the CPU with rows of unit length.

    Args:
        vectors: numpy array, torch tensor (any device and float dtype) or a sequence of such rows.
        items: the index of each row within the whole input, for errors.
        dim: expected length; None accepts any.
        label: names the model in errors.

    Raises:
        TypeError: not an array of real numbers.
        ValueError: wrong shape, or a row that is not finite or has length zero (the row is named).
    """
    if isinstance(vectors, list | tuple):
        vectors = np.stack([_to_numpy(row) for row in vectors]) if vectors else np.empty((0, dim or 0))
    array = np.asarray(_to_numpy(vectors))
    if array.dtype.kind not in "fiu":
        raise TypeError(f"adapter {label!r}: encode must return an array of real numbers, got dtype {array.dtype}")
    if array.ndim != 2 or len(array) != len(items):
        raise ValueError(
            f"adapter {label!r}: encode must return shape [{len(items)}, dim] for {len(items)} rows, "
            f"got {list(array.shape)}"
        )
    if dim is not None and array.shape[1] != dim:
        raise ValueError(
            f"adapter {label!r}: vectors have {array.shape[1]} dimensions, its spec says {dim}; "
            "load the checkpoint that the spec names, or state another dim in the spec"
        )
    wide = array.astype(np.float64)
    norms = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    broken = np.flatnonzero(~np.isfinite(norms) | (norms == 0))
    if len(broken):
        row = int(broken[0])
        what = "is all zeros" if norms[row] == 0 else "is not finite"
        raise ValueError(
            f"adapter {label!r}: the vector of item {items[row]} {what} ({len(broken)} such in this batch of "
            f"{len(items)}); half precision may overflow: try dtype='float32'"
        )
    return (wide / norms[:, None]).astype(np.float32)


def _to_numpy(value: Any) -> Any:
    """Detaches a torch tensor from its device; anything else passes."""
    if hasattr(value, "detach") and hasattr(value, "cpu"):
        value = value.detach().cpu()
        return (value.float() if value.is_floating_point() else value).numpy()
    return value


def check_rows(
    spec: AdapterSpec, images: Sequence[Any] | None, texts: Sequence[str | None] | None, role: str
) -> list[RawRow]:
    """Pairs up images and texts after checking that the model can read them.

    Raises:
        TypeError: a single image or string, or something without an order, instead of a sequence; a text that is not a
            string.
        ValueError: unknown role, nothing given, different lengths, an empty row, a modality the model can't read, both
            at once for a model without a joint vector, or rows of both kinds for a model without a shared space.
    """
    check_name("role", role, ROLES)
    if images is None and texts is None:
        raise ValueError("encode needs images, texts or both; got neither")
    # Listed once: indexing a pandas Series goes by its labels, not by the order of its rows.
    given_images = None if images is None else _listed("images", images)
    given_texts = None if texts is None else _listed("texts", texts)
    n = len(given_images if given_images is not None else given_texts or ())
    if given_images is not None and given_texts is not None and n != len(given_texts):
        raise ValueError(f"images and texts must have one entry a row each, got {n} and {len(given_texts)}")
    rows: list[RawRow] = list(zip(given_images or [None] * n, given_texts or [None] * n, strict=True))
    for i, (image, text) in enumerate(rows):
        if text is not None and not isinstance(text, str):
            raise TypeError(f"texts[{i}] must be a str or None, got {type(text).__name__}")
        if image is None and text is None:
            raise ValueError(f"row {i} has neither an image nor a text")
        for modality, part in (("image", image), ("text", text)):
            if part is not None and modality not in spec.modalities:
                raise ValueError(
                    f"adapter {spec.name!r} reads {' and '.join(sorted(spec.modalities))} only, but {modality}s[{i}] "
                    f"was given; use an adapter that reads {modality}s, or a mode without them"
                )
        if image is not None and text is not None and not spec.joint:
            raise ValueError(
                f"adapter {spec.name!r} is a dual encoder and has no vector for an image with its text (row {i}); "
                "encode images and texts in two calls: their fusion happens on scores"
            )
    if not spec.shared_space and len({image is None for image, _ in rows}) > 1:
        raise ValueError(f"adapter {spec.name!r} has separate spaces for images and texts; encode them in two calls")
    return rows


def _listed(argument: str, value: Any) -> list[Any]:
    """The entries in order; arrays are read along their first axis."""
    rows = hasattr(value, "__iter__") or hasattr(value, "__getitem__")
    single = isinstance(value, str | bytes | bytearray | os.PathLike) or not rows
    # A picture as an array or tensor has two or three axes, a batch of them four, a column of strings one.
    if single or getattr(value, "ndim", 1) in (0, 2, 3):
        raise TypeError(
            f"{argument} must be a sequence with one entry a row, got a single {type(value).__name__}; "
            f"put it into a list: {argument}=[...]"
        )
    if isinstance(value, Mapping | Set):
        raise TypeError(
            f"{argument} must be a sequence with one entry a row, got a {type(value).__name__}, which has no rows in "
            f"order; make a list of what is meant, e.g. {argument}=list(...)"
        )
    return list(value)


class BatchedAdapter:
    """An :class:`Adapter` around one :class:`Encoder`: input checks, decoding, batches, output checks.

    Args:
        batch_size: rows a forward pass; ``"auto"`` starts at 32 and is halved for good whenever memory runs out.
    """

    def __init__(
        self, spec: AdapterSpec, encoder: Encoder, *, fingerprint: str, batch_size: int | Literal["auto"] = "auto"
    ) -> None:
        self.spec = spec
        self.fingerprint = fingerprint
        self.n_truncated = 0
        self.encoder = encoder
        self._batches = Batches(batch_size, label=spec.name)

    def encode(
        self, images: Sequence[Any] | None = None, texts: Sequence[str | None] | None = None, role: Role = "query"
    ) -> np.ndarray:
        """See :meth:`Adapter.encode`."""
        rows = check_rows(self.spec, images, texts, role)
        # Rows of one content and similar length share a batch, which saves padding; long ones first, so that memory
        # runs out at once if it does.
        order = sorted(range(len(rows)), key=lambda i: (rows[i][0] is None, -len(rows[i][1] or "")))
        parts: list[np.ndarray] = []
        for batch, embedded in self._batches(
            order, lambda batch: self.encoder.embed([decode_row(rows[i], i) for i in batch], role)
        ):
            parts.append(check_vectors(embedded.vectors, items=batch, dim=self.spec.dim, label=self.spec.name))
            self.n_truncated += embedded.n_truncated
        return in_order(parts, order, self.spec)


class Batches:
    """Cuts items into batches. With ``"auto"`` they start at 32 rows and are halved for good when memory runs out.

    Args:
        batch_size: rows a batch, or ``"auto"``.
        label: names the model in errors.
    """

    def __init__(self, batch_size: int | Literal["auto"], *, label: str) -> None:
        self._size = first_batch_size(batch_size)
        self._halve = batch_size == "auto"
        self._label = label

    def __call__(self, items: Sequence[int], encode: Callable[[Sequence[int]], T]) -> Iterator[tuple[Sequence[int], T]]:
        """Each batch with what ``encode`` gave for it.

        Raises:
            MemoryError: out of memory on a batch that can't be smaller, or must not; says the way out.
        """
        done = 0
        while done < len(items):
            batch = items[done : done + self._size]
            encoded: list[T] = []
            try:
                encoded.append(encode(batch))
            except (RuntimeError, MemoryError) as error:
                if not _out_of_memory(error):
                    raise
                self._shrink(len(batch), error)
            if encoded:
                done += len(batch)
                yield batch, encoded[0]
            else:
                _free_memory()  # Not above: the error's traceback holds the tensors of the failed pass.

    def _shrink(self, tried: int, error: BaseException) -> None:
        if not self._halve or tried == 1:
            way_out = "a smaller max_pixels or dtype" if tried == 1 else "batch_size='auto' or a smaller one"
            raise MemoryError(
                f"adapter {self._label!r} ran out of memory on a batch of {tried}; try {way_out}"
            ) from error
        self._size = max(1, tried // 2)


def first_batch_size(batch_size: object) -> int:
    """Checks ``batch_size`` (a positive int or ``"auto"``) and returns the number to start with."""
    if batch_size == "auto":
        return FIRST_BATCH_SIZE
    if isinstance(batch_size, bool) or not isinstance(batch_size, int):
        raise TypeError(f"batch_size must be an int or 'auto', got {type(batch_size).__name__}: {batch_size!r}")
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1 or 'auto', got {batch_size}")
    return batch_size


def _out_of_memory(error: BaseException) -> bool:
    text = str(error).lower()
    return isinstance(error, MemoryError) or "out of memory" in text or "can't allocate memory" in text


def _free_memory() -> None:
    """Gives cached device memory back."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()


class World(NamedTuple):
    """This process's place: ``rank`` of ``size``; ``local_rank`` counts within its machine and picks the GPU."""

    rank: int
    size: int
    local_rank: int


def world() -> World:
    """Reads RANK, WORLD_SIZE and LOCAL_RANK, as ``accelerate launch`` and ``torchrun`` set them."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size <= 1:
        return World(0, 1, 0)
    rank = int(os.environ.get("RANK", "0"))
    return World(rank, size, int(os.environ.get("LOCAL_RANK", rank)))


def decode_row(row: RawRow, index: int) -> Row:
    """Decodes the image of a row; ``index`` names it in errors."""
    from ..images import decode_image

    image, text = row
    return Row(None if image is None else decode_image(image, record=f"images[{index}]"), text, index)


def in_order(parts: Sequence[np.ndarray], order: Sequence[int], spec: AdapterSpec) -> np.ndarray:
    """Joins batches whose rows are the items of ``order``, and sorts the rows by item."""
    return np.concatenate(parts)[np.argsort(order)] if parts else np.empty((0, spec.dim or 0), np.float32)
