"""Start-up hook: makes ``load_dataset("snapbench", ...)`` and ``evaluate.load("snapbench")`` work unasked.

It runs at every start of the interpreter, so it only inserts a finder that compares module names; everything else
waits in ``snapbench.registration`` until one of the two libraries is imported. Until both are, ``import snapbench``
prefers the installed package to a mere folder of that name. ``SNAPBENCH_AUTOLOAD=0`` switches it off.
"""

import sys


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in ("snapbench", "datasets.load", "evaluate.loading"):
            return None
        import os

        if os.environ.get("SNAPBENCH_AUTOLOAD") == "0":
            return None
        if name == "snapbench":
            # A folder without code of ours, e.g. of results in the working directory, is a namespace package (no
            # origin) to the finder before the one of an editable install.
            for finder in sys.meta_path:
                find = None if finder is Finder else getattr(finder, "find_spec", None)
                spec = find and find(name, path, target)
                if spec and spec.origin:
                    return spec
            return None
        try:
            import importlib.util

            # Looked at first: importing a script of the user's of that name would run it.
            spec = importlib.util.find_spec("snapbench")
            folders = (spec and spec.submodule_search_locations) or ()
            if not any(os.path.isfile(os.path.join(folder, "registration.py")) for folder in folders):
                raise ImportError(f"snapbench is {spec and spec.origin}, not the package")
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
