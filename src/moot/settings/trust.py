"""Which project files a person trusts: each by where it lies and what it says.

    ~/.local/share/moot/trusted.json      {"/home/ann/shop/moot.toml": {"sha256": "9f2c…", "since": "2026-…"}}

A file that says something else than what was trusted, or lies elsewhere, is not trusted.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from moot.kernel.clock import iso, now_ms
from moot.settings.files import SettingsFile, read_bounded
from moot.settings.places import data_folder
from moot.settings.problems import BadSetting

Trust = Literal["trusted", "changed", "untrusted"]
_OTHERS_MAY_WRITE = 0o022


@dataclass(frozen=True, slots=True)
class TrustedFile:
    sha256: str
    since: str


@dataclass(frozen=True, slots=True)
class TrustList:
    path: Path
    files: Mapping[str, TrustedFile]

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None) -> TrustList:
        path = data_folder(environ) / "trusted.json"
        try:
            content, mode = read_bounded(path)
        except (FileNotFoundError, NotADirectoryError):
            return cls(path, {})
        except OSError as error:
            raise BadSetting(f"{path} cannot be read: {error.strerror or error}.") from None
        again = "remove it, then trust the files you want to trust again."
        if os.name == "posix" and mode & _OTHERS_MAY_WRITE:
            raise BadSetting(f"{path} can be changed by others on this machine: {again}")
        try:
            files = {place: TrustedFile(**entry) for place, entry in json.loads(content).items()}
        except (ValueError, TypeError, AttributeError):
            raise BadSetting(f"{path} is damaged: {again}") from None
        return cls(path, files)

    def of(self, file: SettingsFile) -> Trust:
        known = self.files.get(place_of(file.path))
        if known is None:
            return "untrusted"
        return "trusted" if known.sha256 == file.sha256 else "changed"

    def adding(self, file: SettingsFile) -> TrustList:
        entry = TrustedFile(file.sha256, iso(now_ms()))
        return replace(self, files={**self.files, place_of(file.path): entry})

    def removing(self, place: str) -> TrustList:
        return replace(self, files={path: entry for path, entry in self.files.items() if path != place})

    def save(self) -> None:
        """All or nothing, for its owner's eyes only."""
        content = {
            place: {"sha256": entry.sha256, "since": entry.since} for place, entry in self.files.items()
        }
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A temporary file is made with the mode 0600.
        with tempfile.NamedTemporaryFile("w", dir=self.path.parent, prefix=".trusted.", delete=False) as new:
            json.dump(content, new, indent=2)
        os.replace(new.name, self.path)


def place_of(path: Path) -> str:
    """A file's absolute path; links on the way to its folder are followed, the file itself may be one."""
    return os.path.join(os.path.realpath(path.parent), path.name)
