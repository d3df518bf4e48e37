"""A wheel and an sdist carry the built page, so that whoever installs moot needs no Node."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildPage(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        missing = not (root / "src" / "moot" / "web" / "static" / "index.html").is_file()
        if version != "editable" and missing and (root / "web").is_dir():
            subprocess.run(["sh", str(root / "tools" / "build-page")], check=True)
