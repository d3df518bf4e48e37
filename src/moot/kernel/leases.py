"""Keeper: holds the leases of this process's runs, and takes up runs that nobody works on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from moot.kernel.clock import monotonic, now_ms
from moot.kernel.errors import StoreUnavailable
from moot.kernel.events import Error
from moot.kernel.housekeeping import keep_house
from moot.kernel.process_id import is_dead
from moot.store import Append, Ending, Journal, RunRecord, StoredEvent, queue, runs
from moot.store.spending import spent_by

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from moot.kernel.engine import Engine

log = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
SEARCH_BEATS = 5
"""Orphans are looked for at the start and then every so many beats."""
SHARED_SEARCH_BEATS = 2
"""The same where a process of another machine may have died."""
HOUSE_ROUNDS_AN_HOUR = 60
LARGEST_HAND = 8
"""How many runs are taken from the queue at once: the next ones may be for another process."""
LOOK_SECONDS = 1.0
"""How often the queue is looked at though nobody said that a run waits."""


class LeaseKeeper:
    """`adopts`: look for orphans and for runs that wait. A program that asks one question does not: it would
    work on, and pay for, what others left."""

    def __init__(self, engine: Engine, adopts: bool) -> None:
        self._engine = engine
        self._adopts = adopts
        self._lease_ms = int(engine.settings.lease_seconds * 1000)
        self._search_beats = SHARED_SEARCH_BEATS if engine.store.is_shared else SEARCH_BEATS
        self._cut_off_at: float | None = None
        self._taking = asyncio.Lock()

    def work(self) -> list[Coroutine[Any, Any, None]]:
        """What is done for as long as the engine is open."""
        hands_out = self._adopts and self._engine.store.is_shared
        return [
            self.keep(),
            *([self.hand_out()] if hands_out else []),
            *([self.keep_house()] if self._adopts else []),
        ]

    async def keep(self) -> None:
        beat = 0
        while True:
            if self._adopts and beat % self._search_beats == 0:
                await self._carefully(self._search())
            await self._carefully(self._beat())
            beat += 1
            await asyncio.sleep(BEAT_SECONDS)

    async def keep_house(self) -> None:
        rounds = 0
        while True:
            thoroughly = rounds % HOUSE_ROUNDS_AN_HOUR == 0
            await self._carefully(keep_house(self._engine, thoroughly=thoroughly))
            rounds += 1
            await asyncio.sleep(3600 / HOUSE_ROUNDS_AN_HOUR)

    async def hand_out(self) -> None:
        """Take runs that wait, while there is room for them."""
        while True:
            most = min(self._engine.room, LARGEST_HAND)
            if most > 0 and self._engine.store.availability.trouble is None:
                await self._carefully(self._take(most))
            if not await self._carefully(self._engine.next_hand(LOOK_SECONDS)):
                await asyncio.sleep(LOOK_SECONDS)

    async def adopt(self, run_id: str) -> bool:
        """Take a run over if its owner is gone and this version knows its mode. This is all that an engine of
        another kind, which hands out runs by their ids, would have to call."""
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
        await self._engine.keys.refresh(record.user_id)
        if not await self._take_up(record, journal):
            return False
        if self._engine.meter is not None:
            self._engine.meter.taken_over()
        return True

    async def _take(self, most: int) -> None:
        engine, until = self._engine, now_ms() + self._lease_ms
        async with self._taking:
            taken = await engine.store.change(
                lambda db: queue.take(db, engine.owner, until, most, engine.modes)
            )
            found = await engine.store.read(partial(_recalled, run_ids=taken)) if taken else []
            for user in {record.user_id for record, _ in found}:
                await engine.keys.refresh(user)
            for record, journal in found:
                if record.owner == engine.owner:
                    await self._take_up(record, journal)
        if len(taken) == most:
            engine.look_again()

    async def wait_for_take_up(self) -> None:
        """Wait while runs whose leases are already ours are still being read."""
        async with self._taking:
            pass

    async def _take_up(self, record: RunRecord, journal: Journal) -> bool:
        try:
            self._engine.take_up(record, journal)
        except ValidationError as error:
            log.error("run %s was stored in a form this version cannot read", record.id, exc_info=error)
            await self._give_up(record, journal)
            return False
        if record.cancel_requested:
            self._engine.stop_cancelled(record.id)
        return True

    async def _give_up(self, record: RunRecord, journal: Journal) -> None:
        message = "The run was stored by another version and cannot be continued."
        event = StoredEvent.of(Error(message=message), record.active_ms)
        spent = spent_by(journal.calls.values(), journal.holds, journal.lost)
        ending = Ending(status="failed", error=message, spent=spent)
        await self._engine.store.append(
            Append(record.id, record.epoch, record.active_ms, now_ms(), event=event, ending=ending)
        )

    async def _carefully(self, work: Coroutine[Any, Any, None]) -> bool:
        """Whatever happens, the leases must be kept; whether nothing did."""
        try:
            await work
            return True
        except StoreUnavailable:  # which the store has said
            self._cut_off_at = monotonic()
        except Exception:
            log.exception("looking after the runs failed; it will be tried again")
        return False

    async def release(self) -> None:
        """Let go of every lease at shutdown, so that the next process need not wait; it does, where that
        cannot be stored."""
        owner, store = self._engine.owner, self._engine.store
        release = queue.let_go if store.is_shared else runs.release
        await self._carefully(store.change(lambda db: release(db, owner)))

    async def _search(self) -> None:
        engine, now = self._engine, now_ms()
        if engine.store.availability.trouble is not None or engine.room <= 0:
            return  # a claim may fit where the replies it leads to do not
        if self._was_cut_off() or not await engine.store.read(
            lambda db: runs.has_been_there(db, now - self._lease_ms)
        ):
            return
        for orphan in await engine.store.read(lambda db: runs.orphans(db, now, is_dead)):
            if orphan.run_id not in engine.running:
                await self.adopt(orphan.run_id)

    def _was_cut_off(self) -> bool:
        """Whether the database was away a moment ago: others may only now come to renew their leases."""
        return self._cut_off_at is not None and monotonic() - self._cut_off_at < self._lease_ms / 1000

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


def _recalled(db: Connection, run_ids: Sequence[str]) -> list[tuple[RunRecord, Journal]]:
    """Those that are still there, with what they already did."""
    records, journals = runs.records(db, run_ids), runs.recall_all(db, run_ids)
    return [(records[run_id], journals[run_id]) for run_id in run_ids if run_id in records]
