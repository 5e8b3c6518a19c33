"""The corruption engine: 15 image operators at three severities and 8 text operators.

>>> from snapbench.corruptions import corrupt_image, corrupt_text
>>> corrupt_text("What kind of plant is this?", "word_repeat", entity="plant").text
'What kind of plant plant is this?'
"""

from .apply import corrupt, corrupt_image, corrupt_text
from .registry import ImageOperator, TextCorruption, TextOperator, image_operator, text_operator

__all__ = [
    "ImageOperator",
    "TextCorruption",
    "TextOperator",
    "corrupt",
    "corrupt_image",
    "corrupt_text",
    "image_operator",
    "text_operator",
]
