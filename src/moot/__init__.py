"""Many language models deliberate, one answer comes out, and everyone can see why.

    outcome = await moot.deliberate("Tabs or spaces?", mode="vote")

All names below are loaded when they are first used: `import moot` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moot.kernel.engine import Engine
    from moot.kernel.errors import MootError, NoAnswer, Rejected, RunFailed, TransportError
    from moot.library import Outcome, batch, deliberate, deliberate_sync, insight, stream
    from moot.settings import Settings
    from moot.wiring import open_engine

__all__ = [
    "Engine",
    "MootError",
    "NoAnswer",
    "Outcome",
    "Rejected",
    "RunFailed",
    "Settings",
    "TransportError",
    "batch",
    "deliberate",
    "deliberate_sync",
    "insight",
    "open_engine",
    "stream",
]

_HOMES = {
    "Engine": "kernel.engine",
    "MootError": "kernel.errors",
    "NoAnswer": "kernel.errors",
    "Outcome": "library",
    "Rejected": "kernel.errors",
    "RunFailed": "kernel.errors",
    "Settings": "settings",
    "TransportError": "kernel.errors",
    "batch": "library",
    "deliberate": "library",
    "deliberate_sync": "library",
    "insight": "library",
    "open_engine": "wiring",
    "stream": "library",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'moot' has no attribute {name!r}")
    return getattr(import_module(f"moot.{_HOMES[name]}"), name)
