"""Elsewhere: the way to runs that other processes work on. A port; `moot.fleet` is its adapter."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from moot.kernel.followers import Parcel


class Elsewhere(Protocol):
    def reaches(self, address: str) -> bool:
        """Whether it is worth trying there."""
        ...

    def follow(
        self, address: str, run_id: str, after: int, tokens: bool, ping: float | None
    ) -> AsyncGenerator[Parcel, None]:
        """Live frames from who works on a run there, until it ends or leaves; an empty parcel after so many
        quiet seconds. None at all if it is not there: what is stored tells the rest."""
        ...

    async def cancel(self, run_id: str) -> None:
        """Tell whoever works on a run, if possible, to look at once whether it should stop."""
