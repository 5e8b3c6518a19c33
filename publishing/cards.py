"""Cards: a README with YAML in front, of which we own some keys and one marked section, and leave the rest alone."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from .destination import PushError

_START = "<!-- snapbench:start (this section is generated; write outside of it) -->"
_END = "<!-- snapbench:end -->"
# A card with every config has thousands of lines; the safe loader and dumper in C are ten times faster.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


def split_card(card: bytes | None) -> tuple[dict[str, Any], str]:
    """Metadata and body of a README; both empty if there is none.

    Raises:
        PushError: the metadata aren't YAML.
    """
    text = (card or b"").decode("utf-8-sig", "replace")
    match = _FRONT.match(text)
    if match is None:
        return {}, text
    try:
        data = yaml.load(match[1], Loader=_LOADER) or {}
    except yaml.YAMLError as error:
        raise PushError(
            f"the metadata of the README that is there aren't YAML ({str(error).splitlines()[0]}); mend or remove it"
        ) from error
    if not isinstance(data, dict):
        raise PushError("the metadata of the README that is there aren't a mapping; mend or remove it")
    return data, text[match.end() :]


def join_card(data: Mapping[str, Any], body: str) -> bytes:
    """A README from metadata and body."""
    front = yaml.dump(dict(data), Dumper=_DUMPER, sort_keys=False, allow_unicode=True, width=1000)
    return f"---\n{front}---\n{body}".encode()


def with_section(body: str, section: str) -> str:
    """The body with our section in place of the one that is there, or at the end."""
    ours = f"{_START}\n\n{section.strip()}\n\n{_END}\n"
    before, start, rest = body.partition(_START)
    _, end, after = rest.partition(_END)
    if start and end:
        return before + ours + after.lstrip("\n")
    return (body.rstrip() + "\n\n" if body.strip() else "") + ours


def with_tags(old: object, new: Sequence[str]) -> list[Any]:
    """The tags that are there, and those of ``new`` that are not."""
    tags = [old] if isinstance(old, str) else list(old) if isinstance(old, list) else []
    return tags + [tag for tag in new if tag not in tags]


def merge_named(old: object, new: Sequence[Mapping[str, Any]], key: str) -> list[dict[str, Any]]:
    """A list of mappings in which those of ``new`` replace those of the same name; the others stay in front."""
    entries = [old] if isinstance(old, dict) else old if isinstance(old, list) else []
    names = {entry[key] for entry in new}
    kept = [dict(entry) for entry in entries if isinstance(entry, dict) and entry.get(key) not in names]
    return kept + [dict(entry) for entry in new]


def plain(text: object) -> str:
    """Text from data, to be shown as it is: no Markdown, no HTML, no line break."""
    shown = " ".join(str(text).split())
    return re.sub(r"([\\`*_\[\]|#~])", r"\\\1", html.escape(shown, quote=False))


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; the cells are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
