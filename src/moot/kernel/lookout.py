"""Lookout: sees what becomes of the runs that are worked on elsewhere, or by nobody, for all who follow them.

    sight = await lookout.news(run_id, after=7, ping=15)    # None after so many seconds without any

However many runs are followed, one query a moment looks after all of them.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from moot.kernel.clock import now_ms
from moot.store import DATABASE_ERRORS, runs
from moot.store.runs import Sight

if TYPE_CHECKING:
    from moot.kernel.engine import Engine

LOOK_SECONDS = 0.2


class _Watcher(NamedTuple):
    run_id: str
    after: int
    seen: asyncio.Future[Sight | None]


class Lookout:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._watchers: set[_Watcher] = set()
        self._newcomer = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    async def news(self, run_id: str, after: int, ping: float | None) -> Sight | None:
        """What there is to see of a run once it has more events than these, has an end, or is worked on where
        it can be followed; the first look comes at once. Raises StoreUnavailable."""
        if self._engine.closing:
            return None
        watcher = _Watcher(run_id, after, asyncio.get_running_loop().create_future())
        self._watchers.add(watcher)
        self._newcomer.set()
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._look_out())
        try:
            async with asyncio.timeout(ping):
                return await watcher.seen
        except TimeoutError:
            return None
        finally:
            self._watchers.discard(watcher)

    async def close(self) -> None:
        """Nobody will see anything any more."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait([self._work])
        for watcher in self._watchers:
            if not watcher.seen.done():
                watcher.seen.set_result(None)

    async def _look_out(self) -> None:
        while self._watchers:
            self._newcomer.clear()
            watchers = list(self._watchers)  # whoever comes meanwhile is the next look's
            ids = {watcher.run_id for watcher in watchers}
            try:
                sights = await self._engine.store.read(partial(runs.sights, run_ids=ids, now=now_ms()))
            except DATABASE_ERRORS as error:
                for watcher in watchers:
                    if not watcher.seen.done():
                        watcher.seen.set_exception(error)
            else:
                for watcher in watchers:
                    sight = sights.get(watcher.run_id, runs.NOTHING)
                    if not watcher.seen.done() and self._is_news(sight, watcher):
                        watcher.seen.set_result(sight)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._newcomer.wait()

    def _is_news(self, sight: Sight, watcher: _Watcher) -> bool:
        engine = self._engine
        return (
            sight.status != "running"
            or sight.number > watcher.after
            or engine.run_task(watcher.run_id) is not None
            or engine.reaches(sight)
        )
