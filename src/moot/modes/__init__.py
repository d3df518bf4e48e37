"""MODES: the modes that are built, in the order people see them.

Each is imported when it is first looked up: a command that needs one of them does not wait for sixteen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from moot.kernel.mode import Mode

_IDS = (
    "council",
    "vote",
    "jury",
    "debate",
    "delphi",
    "red_team",
    "chain",
    "specialist_panel",
    "blueprint",
    "peer_review",
    "tournament",
    "confidence_weighted",
    "decompose",
    "brainstorm",
    "fact_check",
    "dialectic",
)


class _Modes(Mapping[str, Mode[Any]]):
    def __getitem__(self, id: str) -> Mode[Any]:
        if id not in _IDS:
            raise KeyError(id)
        return _mode(id)

    def __contains__(self, id: object) -> bool:
        return id in _IDS

    def __iter__(self) -> Iterator[str]:
        return iter(_IDS)

    def __len__(self) -> int:
        return len(_IDS)


@cache
def _mode(id: str) -> Mode[Any]:
    mode: Mode[Any] = import_module(f"moot.modes.{id}").MODE
    return mode


MODES: Mapping[str, Mode[Any]] = _Modes()
