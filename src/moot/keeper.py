"""Keeper: holds the leases of this process's runs, and takes up runs that nobody works on."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from moot.clock import now_ms
from moot.owner import is_dead
from moot.store import runs

if TYPE_CHECKING:
    from moot.engine import Engine

log = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
SEARCH_BEATS = 5
"""Orphans are looked for at the start and then every so many beats."""


class Keeper:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lease_ms = int(engine.settings.lease_seconds * 1000)

    async def keep(self) -> None:
        beat = 0
        while True:
            try:
                if beat % SEARCH_BEATS == 0:
                    await self._search()
                await self._beat()
            except (OSError, SQLAlchemyError) as error:
                # The database may be away for a while; the runs go on until a write fails.
                log.warning("the database does not answer: %s", error)
            beat += 1
            await asyncio.sleep(BEAT_SECONDS)

    async def adopt(self, run_id: str) -> bool:
        """Take a run over if its owner is gone."""
        now, owner = now_ms(), self._engine.owner
        record = await self._engine.store.change(
            lambda db: runs.claim(db, run_id, owner, now, now + self._lease_ms, is_dead)
        )
        if record is None or record.mode not in self._engine.modes:
            return False
        journal = await self._engine.store.read(lambda db: runs.recall(db, run_id))
        self._engine.take_up(record, journal)
        if record.cancel_requested:
            self._engine.stop_cancelled(run_id)
        return True

    async def release(self) -> None:
        """Let go of every lease at shutdown, so that the next process need not wait."""
        owner = self._engine.owner
        await self._engine.store.change(lambda db: runs.release(db, owner))

    async def _search(self) -> None:
        now = now_ms()
        orphans = await self._engine.store.read(lambda db: runs.orphans(db, now, is_dead))
        for orphan in orphans:
            if orphan.run_id not in self._engine.running:
                await self.adopt(orphan.run_id)

    async def _beat(self) -> None:
        held = [(run.id, run.record.epoch, run.active_ms) for run in self._engine.running.values()]
        if not held:
            return
        until = now_ms() + self._lease_ms
        pulse = await self._engine.store.change(lambda db: runs.heartbeat(db, held, until))
        for run_id, _, _ in held:
            if run_id not in pulse.ours:
                self._engine.lost(run_id)
            elif run_id in pulse.cancelled:
                self._engine.stop_cancelled(run_id)
