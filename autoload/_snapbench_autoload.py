"""Start-up hook: makes ``load_dataset("snapbench", ...)`` and ``evaluate.load("snapbench")`` work unasked.

It runs at every start of the interpreter, so it only inserts a finder that compares two module names; everything
else waits in ``snapbench.registration`` until one of them is imported. ``SNAPBENCH_AUTOLOAD=0`` switches it off.
"""

import sys


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in ("datasets.load", "evaluate.loading"):
            import os

            if os.environ.get("SNAPBENCH_AUTOLOAD") != "0":
                try:
                    # Importing snapbench registers it; its own finder answers from now on.
                    from snapbench.registration import find_spec

                    return find_spec(name, path, target)
                except Exception as error:
                    import warnings

                    warnings.warn(f"snapbench could not register with {name}: {error!r}", RuntimeWarning, stacklevel=2)
        return None


def install():
    if Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)
