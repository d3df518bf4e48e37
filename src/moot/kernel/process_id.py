"""Who works on a run: an engine, named by host, process and its birth, so that its death can be seen."""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path


def new_owner() -> str:
    """A name for one engine; a process may hold several."""
    return f"{_host()}/{os.getpid()}/{_born(os.getpid())}/{secrets.token_hex(4)}"


def is_dead(owner: str) -> bool:
    """Whether that process is known to be gone; one on another machine never is, its lease must end."""
    parts = owner.rsplit("/", 3)
    if len(parts) != 4 or parts[0] != _host():
        return False
    _, pid, born, _ = parts
    return not pid.isdigit() or not _alive(int(pid)) or _born(int(pid)) != born


def _host() -> str:
    """Machine and process namespace: containers may share a name and count processes each for itself."""
    try:
        return f"{socket.gethostname()}:{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return socket.gethostname()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _born(pid: int) -> str:
    """Clock ticks at which the process started: a recycled id is another process, and so is a dead one
    that nobody has buried yet."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "0"
    return "buried" if state in "ZX" else fields[18]
