"""The root is the package itself. Pytest would import it under the name of its folder, which may be no module's."""

from __future__ import annotations

from pathlib import Path

import pytest


class RootIsAFolder:
    """A plugin, since the hooks of a conftest.py don't hear of its own folder."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        return pytest.Dir.from_parent(parent, path=path) if path == Path(__file__).parent else None


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(RootIsAFolder())
