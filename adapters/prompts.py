"""Prompts of generative models: from rows to token ids.

A spec carries the whole input string for each role and content (:func:`prompt_table` writes the usual six). Here the
text is put in, the image token is repeated as often as the image has features, long texts are cut, and rows are padded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .base import ROLES, AdapterSpec, Role, Row
from .loading import require

if TYPE_CHECKING:
    import torch

CONTENTS = ("image", "text", "image+text")

QWEN_IMAGE = "<|vision_start|><|image_pad|><|vision_end|>"

CHATML = (
    "<|im_start|>system\n{instruction}<|im_end|>\n<|im_start|>user\n{image}{text}<|im_end|>\n<|im_start|>assistant\n"
)
"""One user turn of Qwen's chat format, image before text, opened for the answer."""

DEFAULT_INSTRUCTION = "You are a helpful assistant."


def prompt_table(template: str, *, image: str, instructions: Mapping[str, str]) -> dict[str, str]:
    """The prompts of a spec from one template.

    Args:
        template: with ``{instruction}``, ``{image}`` and ``{text}``; the latter two vanish where a content lacks them.
        image: what stands for an image, e.g. :data:`QWEN_IMAGE`.
        instructions: by ``"<role> <content>"`` or, for all contents of a role, by ``"<role>"``.

    >>> table = prompt_table("{instruction} {image}{text}", image="<i>", instructions={"query": "Find", "gallery": ""})
    >>> table["query image+text"]
    'Find <i>{text}'
    """
    prompts = {}
    for role in ROLES:
        for content in CONTENTS:
            key = f"{role} {content}"
            prompt = template.replace("{instruction}", instructions.get(key, instructions.get(role, "")))
            prompt = prompt.replace("{image}", image if "image" in content else "")
            prompts[key] = prompt if "text" in content else prompt.replace("{text}", "")
    return prompts


class Tokens(NamedTuple):
    """A padded batch: ``ids`` and ``mask`` int64 [n, length]."""

    ids: torch.Tensor
    mask: torch.Tensor
    n_truncated: int


class PromptReader:
    """Rows -> padded token ids.

    Special tokens spelt out in a text are broken by a space after their first character: data, not structure.

    Args:
        image_token: what stands for an image in the prompts.
        padding_side: where shorter rows are filled up.
        tokenize: string -> ids, where one id ``image_id`` stands for an image; the tokenizer itself by default.
        image_id: the id that is repeated for every image feature.
        limited: what ``spec.max_tokens`` counts: the whole row, or all but the image's features.
    """

    def __init__(
        self,
        spec: AdapterSpec,
        tokenizer: Any,
        *,
        image_token: str,
        padding_side: Literal["left", "right"],
        tokenize: Callable[[str], list[int]] | None = None,
        image_id: int | None = None,
        limited: Literal["whole row", "without image"] = "whole row",
    ) -> None:
        self._spec = spec
        self._tokenizer = tokenizer
        self._tokenize = tokenize or (lambda string: list(tokenizer(string)["input_ids"]))
        self._image_id = tokenizer.convert_tokens_to_ids(image_token) if image_id is None else image_id
        self._limited = limited
        self._left = padding_side == "left"
        special = {*tokenizer.all_special_tokens, image_token}
        self._special = re.compile("|".join(re.escape(token) for token in sorted(special, key=len, reverse=True)))

    def __call__(self, rows: Sequence[Row], role: Role, n_features: Sequence[int]) -> Tokens:
        """
        Args:
            n_features: how many image features each row has; 0 without an image.
        """
        torch = require("torch")
        encoded = [self._encode(row, role, n) for row, n in zip(rows, n_features, strict=True)]
        length = max(len(ids) for ids, _ in encoded)
        filler = self._tokenizer.pad_token_id
        ids = torch.full((len(rows), length), 0 if filler is None else filler)
        mask = torch.zeros_like(ids)
        for row, (own, _) in enumerate(encoded):
            place = slice(length - len(own), length) if self._left else slice(len(own))
            ids[row, place] = torch.tensor(own)
            mask[row, place] = 1
        return Tokens(ids, mask, sum(cut for _, cut in encoded))

    def _encode(self, row: Row, role: Role, n_features: int) -> tuple[list[int], bool]:
        """Token ids of a row and whether its text was cut.

        The text is shortened before it is put in, so that the end of the prompt, whose state becomes the vector, stays.
        """
        prompt = self._spec.prompts[f"{role} {row.content}"]
        text = None if row.text is None else self._defuse(row.text)
        whole = text
        limit = self._spec.max_tokens
        extra = n_features - 1 if n_features and self._limited == "whole row" else 0
        while True:
            ids = self._tokenize(prompt if text is None else prompt.replace("{text}", text, 1))
            surplus = 0 if limit is None else len(ids) + extra - limit
            if surplus <= 0 or not text:
                break
            text = self._shorten(text, surplus)
        if n_features:
            at = ids.index(self._image_id)
            ids[at : at + 1] = [self._image_id] * n_features
        # A prompt may be nothing but an empty text; a model needs one token.
        return ids or [self._tokenizer.pad_token_id], text != whole

    def _shorten(self, text: str, surplus: int) -> str:
        encoding = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        ends = [end for _, end in encoding["offset_mapping"]]
        kept = ends[: max(0, len(ends) - surplus)]
        return text[: min(kept[-1], len(text) - 1)] if kept else ""

    def _defuse(self, text: str) -> str:
        """Special tokens spelt out in a text are data, not structure: a space breaks them."""
        return self._special.sub(lambda match: f"{match[0][0]} {match[0][1:]}", text)
