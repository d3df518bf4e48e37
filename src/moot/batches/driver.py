"""Driver: begins a batch's questions, some at a time, until all have come to their end.

    at_once 3      line 1 ├────┤ 4 ├───────┤ …
                   line 2 ├──────┤ 5 ├──┤ …
                   line 3 ├──┤ …

One process at a time drives a batch: it holds a lease, and another takes over when it is gone. A question has
the id of its run before it is begun, so that even two who believe they drive begin it once.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress

from moot.batches import queries
from moot.batches.outcomes import BatchOutcome, outcomes
from moot.batches.queries import BatchStatus, StoredBatch, StoredQuestion
from moot.fleet.queries import members
from moot.kernel.clock import monotonic, now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import LimitReached, Rejected
from moot.kernel.process_id import is_dead
from moot.kernel.request import AskRequest
from moot.store import DATABASE_ERRORS

log = logging.getLogger(__name__)

BUDGET = "budget"
DOLLARS = (BUDGET, "dollarsPerDay", "dollarsPerMonth")
BEAT_SECONDS = 0.5
LOOK_SECONDS = 2.0
"""How often a program looks whether its runs are left to itself."""
LONGEST_WAIT_SECONDS = 10.0
"""How long to wait, at most, before a person's limit is tried again."""
WAIT_SECONDS = {"runsAtOnce": 2.0, **dict.fromkeys(DOLLARS, 60.0)}
"""The same for limits of which a run that ends gives something back."""
SEARCH_SECONDS = 1.0
"""How often a server looks for batches that nobody drives."""


class Driver:
    """`alone`: it belongs to a program that waits for the batch. It works itself on what nobody else would,
    and stops where a server would wait for tomorrow's money."""

    def __init__(self, engine: Engine, batch: StoredBatch, *, alone: bool) -> None:
        self._engine = engine
        self._batch = batch
        self._alone = alone
        self._waiting: deque[StoredQuestion] = deque()
        self._running: set[str] = set()
        self._not_before = 0.0
        self._last_look = 0.0
        self._refusal: LimitReached | None = None
        self._wake = asyncio.Event()

    async def drive(self) -> None:
        """Until the batch is over, or another process has it. If one has it already, wait for its end."""
        while not await self._claimed():
            found = await self._engine.store.read(lambda db: queries.batch(db, self._batch.id))
            if found is None or found.status != "running" or not self._alone:
                return
            await asyncio.sleep(BEAT_SECONDS)
        try:
            await self._load()
            while await self._carefully():
                with suppress(TimeoutError):
                    async with asyncio.timeout(BEAT_SECONDS):
                        await self._wake.wait()
                self._wake.clear()
        finally:
            with suppress(*DATABASE_ERRORS):
                await self._engine.store.change(
                    lambda db: queries.release(db, self._batch.id, self._engine.owner)
                )

    async def _claimed(self) -> bool:
        now, owner = now_ms(), self._engine.owner
        return await self._engine.store.change(
            lambda db: queries.claim(db, self._batch.id, owner, now, self._until(now), is_dead)
        )

    def _until(self, now: int) -> int:
        return now + int(self._engine.settings.lease_seconds * 1000)

    async def _load(self) -> None:
        found = await self._engine.store.read(lambda db: queries.questions(db, self._batch.id))
        self._waiting = deque(one for one in found if one.state == "waiting")
        self._running = {one.run_id for one in found if one.state == "running"}

    async def _carefully(self) -> bool:
        """Whether there is more to do; a database that is away for a while is no reason to stop."""
        try:
            return await self._turn()
        except DATABASE_ERRORS as error:
            log.debug("batch %s waits for the database: %s", self._batch.id, error)
            return True

    async def _turn(self) -> bool:
        engine, id, until = self._engine, self._batch.id, self._until(now_ms())
        if not await engine.store.change(lambda db: queries.renew(db, id, engine.owner, until)):
            return False
        self._running = await engine.store.read(lambda db: queries.still_running(db, self._running))
        if self._alone:
            await self._work_on_orphans()
        while self._waiting and self._has_room():
            if not await self._begin(self._waiting[0]):
                break
            self._waiting.popleft()
        if self._waiting or self._running:
            return not await self._is_stuck()
        await self._end("complete")
        return False

    def _has_room(self) -> bool:
        if len(self._running) >= self._batch.at_once or monotonic() < self._not_before:
            return False
        return self._engine.store.is_shared or self._engine.room > 0

    async def _begin(self, question: StoredQuestion) -> bool:
        """Whether it has begun, or never will; else it is to be tried again."""
        engine, batch = self._engine, self._batch
        stored, begun, spent = await engine.store.read(
            lambda db: (
                queries.request(db, batch.id, question.line),
                queries.has_begun(db, question.run_id),
                queries.spent(db, batch.id) if batch.budget is not None else 0.0,
            )
        )
        if stored is None:
            return False  # the batch was deleted, with its person perhaps: the next turn ends
        left = None if batch.budget is None else batch.budget - spent
        try:
            if not begun:
                ask = AskRequest.model_validate_json(stored)
                await engine.start(
                    ask,
                    user=batch.user_id,
                    key=f"batch/{question.run_id}",
                    batch=True,
                    run_id=question.run_id,
                    dollars=left,
                )
        except LimitReached as refusal:
            await self._wait_for(refusal)
            return False
        except Rejected as refusal:
            error = str(refusal)
            await engine.store.change(lambda db: queries.refuse(db, batch.id, question.line, error))
            return True
        self._running.add(question.run_id)
        work = engine.run_task(question.run_id)
        if work is not None:
            work.task.add_done_callback(lambda _: self._wake.set())
        await self._note(None)
        return True

    async def _wait_for(self, refusal: LimitReached) -> None:
        """Try again later; at once, as it were, if one of ours that ends may make room."""
        longest = WAIT_SECONDS.get(refusal.limit, LONGEST_WAIT_SECONDS)
        if self._running and refusal.limit in WAIT_SECONDS:
            longest = BEAT_SECONDS
        self._not_before = monotonic() + min(refusal.retry_after, longest)
        await self._note(refusal)

    async def _is_stuck(self) -> bool:
        """Whether nothing will change by itself: then the batch is stopped."""
        refusal = self._refusal
        if refusal is None or self._running or refusal.limit not in DOLLARS:
            return False
        if refusal.limit == BUDGET or self._alone:
            await self._end("stopped", str(refusal))
            return True
        return False

    async def _note(self, refusal: LimitReached | None) -> None:
        """Let it be seen why the next question is not asked yet."""
        before, self._refusal = self._refusal, refusal
        if str(before) != str(refusal):
            reason = None if refusal is None else str(refusal)
            await self._engine.store.change(lambda db: queries.give_reason(db, self._batch.id, reason))

    async def _end(self, status: BatchStatus, reason: str | None = None) -> None:
        await self._engine.store.change(lambda db: queries.end(db, self._batch.id, status, reason, now_ms()))

    async def _work_on_orphans(self) -> None:
        """What a worker takes is theirs; where there is none, it is ours, and so is what we left before."""
        engine = self._engine
        others = self._running - engine.running.keys()
        if not others or monotonic() - self._last_look < LOOK_SECONDS:
            return
        self._last_look = monotonic()
        now = now_ms()
        if engine.store.is_shared:
            there = await engine.store.read(lambda db: members(db, now))
            if any(one.kind != "door" and one.alive_until > now for one in there):
                return
        for run_id in others:
            if engine.room > 0:
                await engine.resume(run_id, user=self._batch.user_id)


async def work_through(
    engine: Engine, batch: StoredBatch, told: Collection[str] = ()
) -> AsyncGenerator[BatchOutcome, None]:
    """Drive a program's own batch to its end; what comes of its questions, but for runs in `told`."""
    task = asyncio.create_task(Driver(engine, batch, alone=True).drive())
    try:
        async for outcome in outcomes(engine, batch.user_id, batch.id, told=told, driving=task):
            yield outcome
        await task
    finally:
        task.cancel()
        await asyncio.wait([task])


@asynccontextmanager
async def driving(engine: Engine) -> AsyncIterator[None]:
    """Inside, this process drives the batches that were sent to servers, where no other does."""
    searching = asyncio.create_task(_search(engine))
    try:
        yield
    finally:
        searching.cancel()
        await asyncio.wait([searching])


async def _search(engine: Engine) -> None:
    tasks: dict[str, asyncio.Task[None]] = {}
    try:
        while True:
            with suppress(*DATABASE_ERRORS):
                found = await engine.store.read(lambda db: queries.unattended(db, now_ms(), is_dead))
                for id in found:
                    if id not in tasks:
                        await _attend(engine, id, tasks)
            for id in [id for id, task in tasks.items() if task.done()]:
                _report(id, tasks.pop(id))
            await asyncio.sleep(SEARCH_SECONDS)
    finally:
        for task in tasks.values():
            task.cancel()
        if tasks:
            await asyncio.wait(tasks.values())


async def _attend(engine: Engine, id: str, tasks: dict[str, asyncio.Task[None]]) -> None:
    batch = await engine.store.read(lambda db: queries.batch(db, id))
    if batch is not None:
        tasks[id] = asyncio.create_task(Driver(engine, batch, alone=False).drive())


def _report(id: str, task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("driving batch %s failed; it will be tried again", id, exc_info=error)
