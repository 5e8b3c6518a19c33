"""Start-up hook: makes ``load_dataset("snapbench", ...)`` and ``evaluate.load("snapbench")`` work unasked.

It runs at every start of the interpreter, so it only inserts a finder that compares two module names; everything
else waits in ``snapbench.registration`` until one of them is imported. ``SNAPBENCH_AUTOLOAD=0`` switches it off.
"""

import sys


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "datasets.load" or name == "evaluate.loading":
            from snapbench.registration import hooked_spec

            return hooked_spec(Finder, name, path, target)
        return None


def install():
    if Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)
