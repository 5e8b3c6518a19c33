"""Cards: a README with YAML in front, of which we own some keys and one marked section, and leave the rest alone.

What others wrote stays byte for byte: metadata are edited as text, the section is replaced between its comments.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .destination import PushError
from .yamltext import line_break, load, rewrite

_START = "<!-- snapbench:start (this section is generated; write outside of it) -->"
_END = "<!-- snapbench:end -->"
_MARK = re.compile(r"<!--\s*snapbench:(start|end)\b(?:[^<>]*-->)?")
# What the Hub takes for metadata, and the empty ones (---, ---), which it leaves alone.
_FRONT = re.compile(r"\A([\s\ufeff]*---(?:\r\n|\r|\n))(|.*?(?:\r\n|\r|\n))(---[ \t]*(?:\r\n|\n|\Z))", re.DOTALL)


class Metadata(dict[str, Any]):
    """A README's metadata, which remember the text they came from: only what was changed is written anew."""

    def __init__(self, data: Mapping[str, Any], front: tuple[str, str, str] = ("", "", ""), body: str = "") -> None:
        super().__init__(data)
        self.front = front
        self.body = body


def split_card(card: bytes | None) -> tuple[dict[str, Any], str]:
    """Metadata and body of a README; both empty if there is none.

    Raises:
        PushError: it isn't UTF-8, or the metadata aren't a YAML mapping.
    """
    try:
        text = (card or b"").decode()
    except UnicodeDecodeError as error:
        raise PushError(f"the README that is there isn't UTF-8 ({error}); mend or remove it") from error
    match = _FRONT.match(text)
    if match is None:
        return Metadata({}, body=text), text
    try:
        data = load(match[2])
    except ValueError as error:
        raise PushError(f"the metadata of the README that is there aren't YAML ({error}); mend or remove it") from error
    if not isinstance(data, dict | None):
        raise PushError("the metadata of the README that is there aren't a mapping; mend or remove it")
    body = text[match.end() :]
    return Metadata(data or {}, (match[1], match[2], match[3]), body), body


def join_card(data: Mapping[str, Any], body: str) -> bytes:
    """A README from metadata and body; those of :func:`split_card` keep the text of all that wasn't changed.

    Raises:
        PushError: the metadata are written in a way that can't be changed in part.
    """
    old = data if isinstance(data, Metadata) else Metadata({})
    head, text, tail = old.front
    newline = line_break(head[head.rfind("---") :] or body)
    try:
        text = rewrite(text, dict(data), newline)
    except ValueError as error:
        raise PushError(f"the metadata of the README that is there can't be changed: {error}") from error
    if text:
        head, tail = head or f"---{newline}", tail or f"---{newline}"
    if isinstance(data, Metadata) and "\n" not in old.body and "\r" not in old.body:
        body = body.replace("\n", newline)  # All of them are ours.
    if body and tail and not tail.endswith("\n"):
        tail += newline
    return f"{head}{text}{tail}{body}".encode()


def with_section(body: str, section: str) -> str:
    """The body with our section in place of the one that is there, or at the end; the rest stays byte for byte.

    Raises:
        PushError: the comments around our section aren't one start and one end behind it.
    """
    marks = list(_MARK.finditer(body))
    newline = line_break(body)
    ours = f"{_START}\n\n{section.strip()}\n\n{_END}".replace("\n", newline)
    if not marks:
        apart = "" if not body or body.endswith(newline * 2) else newline if body.endswith(newline) else newline * 2
        return f"{body}{apart}{ours}{newline}"
    if [mark[1] for mark in marks] != ["start", "end"] or not all(mark[0].endswith("-->") for mark in marks):
        found = ", ".join(f"{mark[1]} in line {body.count(chr(10), 0, mark.start()) + 1}" for mark in marks)
        raise PushError(
            "the comments around the generated section of the README that is there (snapbench:start, snapbench:end) "
            f"must be one start with one end behind it, got {found} below the metadata; mend or remove the comment"
        )
    return body[: marks[0].start()] + ours + body[marks[1].end() :]


def with_tags(old: object, new: Sequence[str]) -> list[Any]:
    """The tags that are there, and those of ``new`` that are not."""
    tags = list(old) if isinstance(old, list) else [] if old is None else [old]
    return tags + [tag for tag in new if tag not in tags]


def merge_named(old: object, new: Sequence[Mapping[str, Any]], key: str) -> list[dict[str, Any]]:
    """A list of mappings in which those of ``new`` replace those of the same name; the others stay in front."""
    entries = [old] if isinstance(old, dict) else old if isinstance(old, list) else []
    names = {entry[key] for entry in new}
    kept = [dict(entry) for entry in entries if isinstance(entry, dict) and entry.get(key) not in names]
    return kept + [dict(entry) for entry in new]


def one_line(text: object) -> str:
    """Text from data without line breaks and other control characters."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", str(text)).split())


def plain(text: object) -> str:
    """Text from data, to be shown as it is: no Markdown, no HTML, one line."""
    return re.sub(r"([\\`*_\[\]|#~])", r"\\\1", html.escape(one_line(text), quote=False))


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; the cells are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
