"""What a source's licence allows: publish freely, or only in private, and how the Hub spells it."""

from __future__ import annotations

import re

OPEN = frozenset(
    [
        *("apache-2.0", "mit", "bsd", "bsd-2-clause", "bsd-3-clause", "isc", "unlicense", "wtfpl", "zlib"),
        *("cc0-1.0", "cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0"),
        *("cdla-sharing-1.0", "cdla-permissive-1.0", "cdla-permissive-2.0", "odc-by", "odbl", "pddl"),
        *("etalab-2.0", "gfdl"),
    ]
)
"""Licences that let anyone publish changed copies. Everything else, also what we don't know, is restricted."""

RESTRICTED = frozenset(
    [
        *("cc-by-nc-2.0", "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nc-sa-2.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0"),
        *("cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0", "cc-by-nd-4.0", "c-uda", "unknown"),
    ]
)
"""Licences with an id on the Hub that forbid commercial use or changed copies, or say nothing."""


def is_open(license_id: str) -> bool:
    """Whether anybody may publish corrupted copies of data under this licence."""
    return license_id in OPEN


def card_license(license_id: str) -> dict[str, str]:
    """The licence as metadata of a card.

    >>> card_license("cc-by-nc-4.0")
    {'license': 'cc-by-nc-4.0'}
    >>> card_license("research only!")
    {'license': 'other', 'license_name': 'research-only'}
    """
    if license_id in OPEN | RESTRICTED:
        return {"license": license_id}
    name = re.sub(r"[^a-z0-9.]+", "-", license_id.lower()).strip("-.")
    return {"license": "other", "license_name": name or "unnamed"}
