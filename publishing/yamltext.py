"""YAML edited as text: only what differs is written anew, everything else stays as somebody wrote it.

Loading and dumping would turn ``no`` into ``false`` and ``1.10`` into ``1.1``, and lose comments, quotes and line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import yaml
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

# A card with every config has thousands of lines; the parser and emitter in C are ten times faster.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_BREAK = re.compile(r"\r\n|\n|\r")
_UNUSUAL = "it is written in a way that can't be changed in part; write it in plain block style"
_Edit = tuple[int, int, str]


class _Representer(yaml.representer.SafeRepresenter):
    def ignore_aliases(self, data: Any) -> bool:
        return True  # Readers of a card don't know "&id001".


def line_break(text: str) -> str:
    """The first line break of a text, as it is written there; a line feed if there is none."""
    found = _BREAK.search(text)
    return found[0] if found else "\n"


def load(text: str) -> Any:
    """The value of a YAML text.

    Raises:
        ValueError: it isn't YAML; the message says where.
    """
    try:
        return yaml.load(text, Loader=_LOADER)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ValueError(" ".join(str(error).split())) from error


def same(a: Any, b: Any) -> bool:
    """Equality of two YAML values in which 1, 1.0 and true differ, NaN is NaN, and the order of keys doesn't count."""
    return _name(a) == _name(b)


def _name(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(sorted(f'{key!r}: {_name(content)}' for key, content in value.items()))}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_name, value))}]"
    return repr(value)


def rewrite(text: str, new: Any, newline: str = "") -> str:
    """The text with as little changed as needed for it to hold a new value.

    Lists keep the text of every item that is in both; mappings that of every key whose value stays. Comments stay, but
    for those within what is written anew.

    Args:
        text: YAML of one document, or empty.
        new: a mapping or a list, of plain values.
        newline: for what is written anew; by default that of the text.

    Raises:
        ValueError: the text can't be edited without harm to the rest of it.
    """
    try:
        return _rewritten(text, new, newline or line_break(text))
    except RecursionError as error:
        raise ValueError("it is nested too deeply, or holds itself") from error
    except yaml.YAMLError as error:
        raise ValueError(_UNUSUAL) from error


def _rewritten(text: str, new: Any, newline: str) -> str:
    old = load(text)
    if same(old, new) or (old is None and not new):
        return text
    root = yaml.compose(text, Loader=_LOADER)
    edits: list[_Edit] = []
    if root is None:
        edits.append(_insertion(text, len(text), _render(_represent(new), 0, newline)))
    else:
        _refuse_aliases(root, set())
        try:
            _edit(text, root, new, newline, edits)
        except _NotInPlace:
            empty = isinstance(root, ScalarNode) or not root.value
            start, end = root.start_mark.index, _end(text, root)
            written = _render(_represent(new) if empty else _merge(root, new), 0, newline)
            edits = [(start, end, written if start == _line_start(text, start) else newline + written)]
    result, position = [], 0
    for start, end, written in sorted(edits, key=lambda edit: edit[0]):
        result += [text[position:start], written]
        position = end
    changed = "".join([*result, text[position:]])
    if not same(yaml.load(changed, Loader=_LOADER), new):
        raise ValueError(_UNUSUAL)
    return changed


class _NotInPlace(Exception):
    """The change doesn't fit into the text; what is around it is written anew."""


def _edit(text: str, node: Node, new: Any, newline: str, edits: list[_Edit]) -> None:
    """Adds the edits that give a block mapping or list its new value."""
    if not new or not isinstance(node, CollectionNode) or not node.value or node.flow_style:
        raise _NotInPlace
    if isinstance(node, MappingNode) and isinstance(new, dict):
        _edit_mapping(text, node, new, newline, edits)
    elif isinstance(node, SequenceNode) and isinstance(new, list):
        _edit_list(text, node, new, newline, edits)
    else:
        raise _NotInPlace


def _edit_mapping(text: str, node: MappingNode, new: dict[Any, Any], newline: str, edits: list[_Edit]) -> None:
    column = node.start_mark.column
    seen = set()
    for key_node, value_node in node.value:
        key = _value(key_node)
        if key in seen:
            raise ValueError(f"the key {key!r} is there twice")
        seen.add(key)
        start, end = key_node.start_mark.index, _end(text, value_node)
        if key not in new:
            edits.append((_own_line(text, start), end, ""))
        elif not same(_value(value_node), new[key]):
            inner: list[_Edit] = []
            try:
                _edit(text, value_node, new[key], newline, inner)
            except _NotInPlace:
                pair = MappingNode(node.tag, [(key_node, _merge(value_node, new[key]))], flow_style=False)
                inner = [(start, end, _render(pair, column, newline).removeprefix(" " * column))]
            edits += inner
    added = {key: value for key, value in new.items() if key not in seen}
    if added:
        edits.append(_insertion(text, _end(text, node), _render(_represent(added), column, newline)))


def _edit_list(text: str, node: SequenceNode, new: list[Any], newline: str, edits: list[_Edit]) -> None:
    column = node.start_mark.column
    items = node.value
    dashes = [_dash(text, item.start_mark.index, column) for item in items]
    ends = [_end(text, item) for item in items]

    names = [_name(_value(item)) for item in items]

    def written(value: Any, old: Node | None = None) -> str:
        """An item from its dash on; one that has only moved is copied."""
        if (name := _name(value)) in names:
            place = names.index(name)
            copied = text[dashes[place] : ends[place]]
            return copied if copied.endswith(("\n", "\r")) else copied + newline
        item = _represent(value) if old is None else _merge(old, value)
        return _render(SequenceNode(node.tag, [item], flow_style=False), column, newline).removeprefix(" " * column)

    for i1, i2, j1, j2 in _gaps(names, [_name(value) for value in new]):
        both = min(i2 - i1, j2 - j1)
        for i, j in zip(range(i1, i1 + both), range(j1, j1 + both), strict=True):
            inner: list[_Edit] = []
            try:
                if _name(new[j]) in names:
                    raise _NotInPlace
                _edit(text, items[i], new[j], newline, inner)
            except _NotInPlace:
                inner = [(dashes[i], ends[i], written(new[j], items[i]))]
            edits += inner
        edits += [(_own_line(text, dashes[i]), ends[i], "") for i in range(i1 + both, i2)]
        if j1 + both < j2:
            place = ends[i1 + both - 1] if i1 + both else _own_line(text, dashes[0])
            added = "".join(" " * column + written(value) for value in new[j1 + both : j2])
            edits.append(_insertion(text, place, added))


def _gaps(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """The stretches of two lists between the items that are in both, taken in the order of the new one."""
    i = j = 0
    for place, name in [*enumerate(new), (len(new), None)]:
        if name is None or name in old[i:]:
            match = len(old) if name is None else old.index(name, i)
            yield i, match, j, place
            i, j = match + 1, place + 1


def _merge(old: Node, new: Any) -> Node:
    """A node of the new value that spells as before whatever is in both."""
    if same(_value(old), new):
        return old
    if isinstance(old, MappingNode) and isinstance(new, dict):
        known = {_value(key): (key, value) for key, value in old.value}
        pairs = []
        for key, value in new.items():
            key_node, value_node = known.get(key, (_represent(key), None))
            pairs.append((key_node, _represent(value) if value_node is None else _merge(value_node, value)))
        return MappingNode(old.tag, pairs, flow_style=old.flow_style and bool(old.value))
    if isinstance(old, SequenceNode) and isinstance(new, list):
        known = {_name(_value(item)): item for item in old.value}
        others = [*old.value, *[None] * len(new)]
        nodes = []
        for value, other in zip(new, others, strict=False):
            item = known.get(_name(value), other)
            nodes.append(_represent(value) if item is None else _merge(item, value))
        return SequenceNode(old.tag, nodes, flow_style=old.flow_style and bool(old.value))
    return _represent(new)


def _value(node: Node) -> Any:
    return yaml.constructor.SafeConstructor().construct_object(node, deep=True)


def _represent(value: Any) -> Node:
    return _Representer(default_flow_style=False, sort_keys=False).represent_data(value)


def _render(node: Node, column: int, newline: str) -> str:
    """A block's text, each line indented."""
    text = yaml.serialize(node, Dumper=_DUMPER, allow_unicode=True, width=1000)
    return "".join(" " * column + line + newline if line else newline for line in text.removesuffix("\n").split("\n"))


def _insertion(text: str, place: int, written: str) -> _Edit:
    unfinished = place and text[place - 1] not in "\r\n"
    return place, place, (line_break(written) if unfinished else "") + written


def _end(text: str, node: Node) -> int:
    """Where the line after a node starts; comments behind a block belong to what follows."""
    while isinstance(node, CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(node, MappingNode) else last
    end = node.end_mark.index
    if end > node.start_mark.index and text[end - 1] in "\r\n":
        return end  # A literal's end is the start of a line already.
    found = _BREAK.search(text, end)
    return found.end() if found else len(text)


def _line_start(text: str, place: int) -> int:
    return max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1


def _own_line(text: str, place: int) -> int:
    """The start of the line, if nothing but blanks is in front."""
    start = _line_start(text, place)
    if text[start:place].strip():
        raise _NotInPlace
    return start


def _dash(text: str, place: int, column: int) -> int:
    """Where the dash of a list's item is, which may be lines above the item."""
    while True:
        start = _line_start(text, place)
        if text[start + column : start + column + 1] == "-":
            return start + column
        if not start:
            raise _NotInPlace
        place = start - 1


def _refuse_aliases(node: Node, seen: set[int]) -> None:
    if id(node) in seen:
        raise ValueError("it uses aliases (*name); write out what they stand for")
    seen.add(id(node))
    if isinstance(node, CollectionNode):
        for child in node.value:
            for part in child if isinstance(child, tuple) else (child,):
                _refuse_aliases(part, seen)
