"""Meter: counts what an engine does. A port; `moot.metrics` is its adapter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from moot.kernel.seat_results import StageTime
    from moot.kernel.status import Status
    from moot.kernel.values import Call


class Meter(Protocol):
    def call(self, mode: str, call: Call) -> None:
        """A call has come to its end, one way or the other."""

    def run_ended(self, mode: str, status: Status, stages: Sequence[StageTime]) -> None: ...

    def taken_over(self) -> None:
        """A run that another process had begun goes on here."""
