"""A run in a process of its own, with a slow encoder, to be killed, interrupted or run beside another.

python slow_run.py SOURCE OUTPUT CACHE SECONDS_A_CALL
"""

import sys
import time

from small_source import ColorsAndWords

from snapbench.corruptions.conditions import parse_condition
from snapbench.evaluation import RunSettings, encode, run

CONDITIONS = tuple(
    parse_condition(name)
    for name in ("clean", "image_lowlight_s3", "image_mosaic_s2", "text_charswap", "joint_mosaic_charswap_s2")
)


class Slow(ColorsAndWords):
    def encode(self, images=(), texts=(), role="query"):
        time.sleep(float(sys.argv[4]))
        return super().encode(images, texts, role)


if __name__ == "__main__":
    encode.CHUNK, encode.FLUSH_ROWS = 4, 4
    result = run(
        Slow(), sys.argv[1], settings=RunSettings(conditions=CONDITIONS), output=sys.argv[2], cache=sys.argv[3]
    )
    print(result.path)
