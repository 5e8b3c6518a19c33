"""HTML whose text is escaped unless it was built here: a caption from the data can't become markup."""

from __future__ import annotations

import html

from ...terminal import clean_text


class Html(str):
    """A finished piece of HTML. Any other string is text and gets escaped."""

    __slots__ = ()


Child = object
"""Html, text, a number, None (nothing), or a list of these."""

_VOID = frozenset(("br", "img", "link", "meta"))


def escape(text: object) -> Html:
    """Text as HTML, safe in content and in quoted attributes.

    >>> escape('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return Html(html.escape(clean_text(text), quote=True))


def join(*children: Child) -> Html:
    """Children one after another, text escaped."""
    return Html("".join(_render(child) for child in children))


def tag(name: str, /, *children: Child, **attributes: object) -> Html:
    """An element.

    Args:
        name: of the element.
        children: content.
        attributes: ``class_`` gives ``class`` and ``aria_label`` gives ``aria-label``; None leaves one out, True gives
            it without a value.

    >>> tag("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    parts = [name]
    for key, value in attributes.items():
        attribute = key.rstrip("_").replace("_", "-")
        if value is True:
            parts.append(attribute)
        elif value is not None and value is not False:
            parts.append(f'{attribute}="{_number(value) if isinstance(value, float) else escape(value)}"')
    opening = f"<{' '.join(parts)}>"
    return Html(opening if name in _VOID else f"{opening}{join(*children)}</{name}>")


def _render(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, (list, tuple)):
        return join(*child)
    return escape(child)


def _number(value: float) -> str:
    """At most two decimals: pixels and percent need no more."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
