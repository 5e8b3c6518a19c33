"""Ships the start-up hook (autoload/) beside the package; everything else is declared in pyproject.toml.

setuptools has no declarative way to place files next to the package in both wheels and editable installs.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HOOK_FILES = (
    "autoload/_snapbench_autoload.py",
    "autoload/snapbench-autoload.pth",
    "autoload/snapbench-autoload.start",
)


class BuildWithHook(build_py):
    def run(self) -> None:
        super().run()
        editable = self.editable_mode
        target = Path(self.distribution.get_command_obj("install").install_purelib if editable else self.build_lib)
        target.mkdir(parents=True, exist_ok=True)
        for file in HOOK_FILES:
            shutil.copy(file, target)

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """The root's modules but those that serve the checkout only."""
        return [
            module
            for module in super().find_package_modules(package, package_dir)
            if module[1] not in ("conftest", "setup")
        ]


setup(cmdclass={"build_py": BuildWithHook})
