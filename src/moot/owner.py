"""Who works on a run: a process, by host, id and moment of birth, so that its death can be seen."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def this_process() -> str:
    return f"{socket.gethostname()}/{os.getpid()}/{_born(os.getpid())}"


def is_dead(owner: str) -> bool:
    """Whether that process is known to be gone; one on another machine never is, its lease must end."""
    parts = owner.rsplit("/", 2)
    if len(parts) != 3 or parts[0] != socket.gethostname():
        return False
    _, pid, born = parts
    return not pid.isdigit() or not _alive(int(pid)) or _born(int(pid)) != born


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _born(pid: int) -> str:
    """Clock ticks at which the process started: a recycled id is another process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return "0"
