"""Keeper: holds the leases of this process's runs, and takes up runs that nobody works on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from moot.kernel.clock import now_ms
from moot.kernel.errors import StoreUnavailable
from moot.kernel.events import Error
from moot.kernel.process_id import is_dead
from moot.store import Append, Ending, RunRecord, StoredEvent, runs

if TYPE_CHECKING:
    from moot.kernel.engine import Engine

log = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
SEARCH_BEATS = 5
"""Orphans are looked for at the start and then every so many beats."""
PURGE_BEATS = 3600


class LeaseKeeper:
    """`adopts`: look for orphans. A program that asks one question does not: it would work on, and pay for,
    what others left."""

    def __init__(self, engine: Engine, adopts: bool) -> None:
        self._engine = engine
        self._adopts = adopts
        self._lease_ms = int(engine.settings.lease_seconds * 1000)

    async def keep(self) -> None:
        beat = 0
        while True:
            if self._adopts and beat % SEARCH_BEATS == 0:
                await self._carefully(self._search())
            if self._adopts and beat % PURGE_BEATS == 0:
                await self._carefully(self._purge())
            await self._carefully(self._beat())
            beat += 1
            await asyncio.sleep(BEAT_SECONDS)

    async def adopt(self, run_id: str) -> bool:
        """Take a run over if its owner is gone and this version knows its mode."""
        store, now, owner = self._engine.store, now_ms(), self._engine.owner
        found = await store.read(lambda db: runs.run(db, run_id))
        if found is None or found.mode not in self._engine.modes:
            return False
        record = await store.change(
            lambda db: runs.claim(db, run_id, owner, now, now + self._lease_ms, is_dead)
        )
        if record is None:
            return False
        journal = await store.read(lambda db: runs.recall(db, run_id))
        try:
            self._engine.take_up(record, journal)
        except ValidationError as error:
            log.error("run %s was stored in a form this version cannot read: %s", run_id, error)
            await self._give_up(record)
            return False
        if record.cancel_requested:
            self._engine.stop_cancelled(run_id)
        return True

    async def _give_up(self, record: RunRecord) -> None:
        message = "The run was stored by another version and cannot be continued."
        event = StoredEvent.of(Error(message=message), record.active_ms)
        ending = Ending(status="failed", error=message)
        await self._engine.store.append(
            Append(record.id, record.epoch, record.active_ms, now_ms(), event=event, ending=ending)
        )

    async def _carefully(self, work: Coroutine[Any, Any, None]) -> None:
        """Whatever happens, the leases must be kept."""
        try:
            await work
        except StoreUnavailable:
            pass  # which the store has said
        except Exception:
            log.exception("looking after the runs failed; it will be tried again")

    async def _purge(self) -> None:
        await self._engine.store.change(lambda db: runs.purge_idempotency(db, now_ms()))

    async def release(self) -> None:
        """Let go of every lease at shutdown, so that the next process need not wait; it does, where that
        cannot be stored."""
        owner = self._engine.owner
        await self._carefully(self._engine.store.change(lambda db: runs.release(db, owner)))

    async def _search(self) -> None:
        if self._engine.store.availability.trouble is not None:
            return  # a claim may fit where the replies it leads to do not
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
            if run_id not in self._engine.running:
                continue
            if run_id not in pulse.ours:
                self._engine.lost(run_id)
            elif run_id in pulse.cancelled:
                self._engine.stop_cancelled(run_id)
