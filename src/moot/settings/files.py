"""A moot.toml on disk: its bytes are read once, and what is hashed is what is parsed.

A repository may hold anything under that name, a link to a device too: only a regular file of a sensible
size is read.
"""

from __future__ import annotations

import os
import stat
import tomllib
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from moot.settings.problems import BadSetting

LARGEST_BYTES = 65_536
MOST_DOTS = 200
"""In a line: the standard library's parser takes a minute for a key of thirty thousand parts."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    path: Path
    values: dict[str, Any]
    sha256: str

    @classmethod
    def read(cls, path: Path, *, own: bool = False) -> SettingsFile | None:
        """None if there is no such file. `own`: it is a person's own, and not for others to write."""
        try:
            content, mode = read_bounded(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise BadSetting(f"{path} cannot be read: {error.strerror or error}.") from None
        if own and os.name == "posix" and mode & stat.S_IWOTH:
            raise BadSetting(
                f"{path} can be changed by everyone on this machine, who could send your keys elsewhere: "
                f"run `chmod o-w {path}`."
            )
        return cls(path, _parsed(path, content), sha256(content).hexdigest())

    def tables(self) -> dict[str, Any]:
        """Its `[providers.<name>]`, whatever they are."""
        tables = self.values.get("providers")
        return tables if isinstance(tables, dict) else {}


def read_bounded(path: Path) -> tuple[bytes, int]:
    """A regular file's content and mode. Raises OSError, BadSetting."""
    # Not to wait for whoever may write into a pipe.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise BadSetting(f"{path} cannot be read: it is not a regular file.")
        content = file.read(LARGEST_BYTES + 1)
    if len(content) > LARGEST_BYTES:
        raise BadSetting(f"{path} cannot be read: it has more than {LARGEST_BYTES} bytes.")
    return content, mode


def _parsed(path: Path, content: bytes) -> dict[str, Any]:
    try:
        if any(line.count(b".") > MOST_DOTS for line in content.split(b"\n")):
            raise RecursionError
        return tomllib.loads(content.decode())
    except RecursionError:
        raise BadSetting(f"{path} cannot be read: it is nested too deeply.") from None
    except ValueError as error:  # no UTF-8, no TOML, a number of a thousand digits
        raise BadSetting(f"{path} cannot be read: {error}.") from None
