"""Whether somebody sits in front of this machine's own screen."""

from __future__ import annotations

import os
import sys


def has_desktop() -> bool:
    """Whether a browser that is opened here would be seen by whoever typed the command."""
    if "SSH_CONNECTION" in os.environ:
        return False
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
