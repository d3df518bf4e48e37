"""The two times of a run: since it started, and how long some process has worked on it.

The second stands still while the run is paused: a full disk must not use up a pipeline's time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from moot.kernel.clock import monotonic, now_ms


class RunClock:
    def __init__(self, started_at: int, active_ms: int, moments: Iterable[int]) -> None:
        """`moments` are those the run's story already has; time never goes back behind them."""
        self._taken = monotonic()
        self._offset = max(now_ms() - started_at, *moments)
        self._active_ms = active_ms
        self._idle = 0.0
        self._paused_at: float | None = None
        self._going_on = asyncio.Event()
        self._going_on.set()

    @property
    def now(self) -> int:
        """Run time: milliseconds since the run started."""
        return self._offset + int((monotonic() - self._taken) * 1000)

    @property
    def active_ms(self) -> int:
        """How long some process has worked on the run."""
        here = (self._paused_at or monotonic()) - self._taken - self._idle
        return self._active_ms + int(here * 1000)

    @property
    def paused(self) -> bool:
        return self._paused_at is not None

    def pause(self) -> None:
        self._paused_at = self._paused_at or monotonic()
        self._going_on.clear()

    def go_on(self) -> None:
        if self._paused_at is not None:
            self._idle += monotonic() - self._paused_at
            self._paused_at = None
            self._going_on.set()

    async def going_on(self) -> None:
        """Wait while the run is paused."""
        await self._going_on.wait()
