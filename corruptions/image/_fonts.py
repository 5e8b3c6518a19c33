"""The fonts that operators draw with: the DejaVu files that matplotlib carries, never the system's.

With other letters the watermark at severity 3 covers another part of the photo, so a missing font is an error.
"""

from __future__ import annotations

import functools
from pathlib import Path

from PIL import ImageFont

SANS = "DejaVuSans.ttf"
BOLD = "DejaVuSans-Bold.ttf"


@functools.lru_cache(maxsize=64)
def font(name: str, size: int) -> ImageFont.FreeTypeFont:
    """The DejaVu font ``name`` at ``size`` pixels.

    Raises:
        FileNotFoundError: matplotlib's copy is gone; the message says how to get it back.
    """
    path = _folder() / name
    if not path.is_file():
        raise FileNotFoundError(
            f"font {name!r} is missing: {path} (matplotlib installs it); reinstall with "
            "pip install --force-reinstall matplotlib"
        )
    # The basic layout, whether or not the optional shaping library is there: the same pixels everywhere.
    return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)


@functools.lru_cache(maxsize=1)
def _folder() -> Path:
    import matplotlib

    return Path(matplotlib.get_data_path()) / "fonts" / "ttf"
