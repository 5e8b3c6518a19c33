"""The metric's Space: the self-contained module under the repository's name, its card, and a page to try it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from .cards import join_card, split_card, with_section, with_tags
from .destination import Changes, Destination, PushError

MODULE = "snapbench_metric"
FOLDER = Path(__file__).parent.parent / MODULE
GRADIO_VERSION = "6.31.0"
PAGE = "app.py"
REQUIREMENTS = "datasets>=3.6,<6\nevaluate>=0.4.6\nnumpy>=1.26\n"

_PRESENTATION = {
    "title": "SnapBench",
    "emoji": "📷",
    "colorFrom": "indigo",
    "colorTo": "gray",
    "sdk": "gradio",
    "sdk_version": GRADIO_VERSION,
    "app_file": PAGE,
    "pinned": False,
    "license": "apache-2.0",
    "short_description": "R@k, paired drops, drag and interaction gap",
}


def module_files(name: str) -> dict[str, bytes]:
    """The files of the Space but its card; the module has the repository's name, as ``evaluate`` looks for it."""
    files = {}
    for file in sorted(FOLDER.glob("*.py")):
        if file.name == "__init__.py":
            continue
        target = f"{name}.py" if file.stem == MODULE else file.name
        files[target] = file.read_bytes()
    files[PAGE] = files[PAGE].replace(f"{MODULE}.py".encode(), f"{name}.py".encode())
    files["requirements.txt"] = REQUIREMENTS.encode()
    return files


def check_name(name: str) -> None:
    """Raises PushError where a module of this name would be shadowed, or shadow what it and its page import."""
    own = {file.stem for file in FOLDER.glob("*.py")} - {MODULE}
    taken = own | {"datasets", "evaluate", "gradio", "numpy"} | set(sys.stdlib_module_names)
    if name in taken or not name.replace("-", "_").isidentifier():
        raise PushError(
            f"a Space called {name!r} can't be loaded as a module of that name: it must be letters, digits, '-' and "
            "'_', and no name of Python's or the metric's own modules; choose another, e.g. 'snapbench'"
        )


def build(repo_id: str) -> Callable[[Destination], Changes]:
    """The changes that publish the metric.

    Raises:
        PushError: the repository's name can't be the name of a module.
    """
    name = repo_id.rpartition("/")[2]
    check_name(name)

    def changes(destination: Destination) -> Changes:
        data, body = split_card(destination.read("README.md"))
        for key, value in _PRESENTATION.items():
            if key.startswith("sdk") or key == "app_file":
                data[key] = value
            else:
                data.setdefault(key, value)
        data["tags"] = with_tags(data.get("tags"), ("evaluate", "metric"))
        _, card = split_card((FOLDER / "README.md").read_bytes())
        use = f'```python\nimport evaluate\n\nmetric = evaluate.load("{repo_id}")\n```'
        section = f"{use}\n\n{card.strip()}"
        files: dict[str, bytes | Path] = {
            **module_files(name),
            "README.md": join_card(data, with_section(body, section)),
        }
        return Changes(files, "Publish the SnapBench metric")

    return changes
