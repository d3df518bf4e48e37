"""Elsewhere: the way to runs that other processes work on. A port; `moot.fleet` is its adapter."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from moot.kernel.followers import Frame


class Elsewhere(Protocol):
    def follow(self, run_id: str, after: int, tokens: bool) -> AsyncGenerator[list[Frame], None]:
        """Live frames from whoever works on a run, until it ends or leaves there; an empty batch is a sign of
        life. None at all if nobody works on it or can be reached: what is stored tells the rest."""
        ...

    async def cancel(self, run_id: str) -> None:
        """Tell whoever works on a run, if possible, to look at once whether it should stop."""
