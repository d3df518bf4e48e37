"""PostgreSQL's one committer: writes, again and again, all that is waiting, a group at a time.

    loop    put ─ put ─ put ─────▶ each future, once its group is committed
    task         └─ one statement ─┘

While the server is away, what runs have appended waits for it, however long that takes; what would begin a
run waits a moment and fails. What was sent when the connection broke may have been written: one fact of the
group is looked up, and only if it is missing the group is sent again.
"""

from __future__ import annotations

import asyncio
from asyncio import Future
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it carries no types

from moot.kernel.clock import monotonic
from moot.kernel.errors import Conflict, StoreUnavailable
from moot.store import Append, NewRun
from moot.store.availability import FIRST_PAUSE, Availability
from moot.store.groups import LARGEST_GROUP, Entangled
from moot.store.postgres.journal import PostgresJournal

Entry = tuple[Append | NewRun, Future[Any]]
Write = Callable[[asyncpg.Connection, list[Any]], Awaitable[list[Any]]]

AWAY = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # shutting down, starting up
    asyncpg.InsufficientResourcesError,  # a full disk, too many connections
    asyncpg.ReadOnlySQLTransactionError,  # another server is about to take over
    asyncpg.InternalClientError,  # the connection was lost in the middle of something
)
"""The server cannot be had."""
DEADLOCKS = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
PASSING = (*AWAY, *DEADLOCKS)
"""Not the entries' fault: sent again, they may be written."""
LONGEST_PAUSE = 1.0
QUIET_SECONDS = 1.0
"""A server that is back sooner was hardly away: nobody need be told."""


class Caught:
    """Keeps the error of what happens inside, whatever it is, for whoever waits for the outcome."""

    error: Exception | None = None

    def __enter__(self) -> Caught:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error if isinstance(error, Exception) else None
        return self.error is not None


class Committer:
    def __init__(
        self,
        connect: Callable[[], Awaitable[asyncpg.Connection]],
        patience: float,
        availability: Availability,
    ) -> None:
        self._connect = connect
        self._patience = patience
        self._availability = availability
        self._connection: asyncpg.Connection | None = None
        self._journal = PostgresJournal()
        self._waiting: deque[Entry] = deque()
        self._wake = asyncio.Event()
        self._ending = False
        self._task = asyncio.create_task(self._work(), name="moot-committer")
        self._last: Future[Any] | None = None

    def put(self, item: Append | NewRun) -> Future[Any]:
        done: Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        self._last = done
        self._wake.set()
        return done

    async def settled(self) -> None:
        """Wait until all that was put so far is written or refused, or the server is known to be away."""
        if self._last is not None and not self._last.done():
            await asyncio.wait([self._last, self._availability.loss], return_when=asyncio.FIRST_COMPLETED)

    async def finish(self) -> None:
        """Write what is waiting, then disconnect."""
        self._ending = True
        self._wake.set()
        await self._task
        if self._connection is not None:
            with suppress(OSError):  # a server that is gone cannot be taken leave of
                await self._connection.close(timeout=5)

    async def _work(self) -> None:
        while self._waiting or not self._ending:
            if not self._waiting:
                self._wake.clear()
                await self._wake.wait()
            group = [self._waiting.popleft() for _ in range(min(len(self._waiting), LARGEST_GROUP))]
            # Appends first: whoever queued one and then begins a run expects to find it written.
            await self._attempt(self._journal.append, [e for e in group if isinstance(e[0], Append)])
            await self._attempt(self._journal.begin, [e for e in group if isinstance(e[0], NewRun)])
            group.clear()  # what is written need not stay in memory until more comes

    async def _attempt(self, write: Write, entries: list[Entry]) -> None:
        """Write the entries as one; if that cannot be done, halve them until what cannot be done is alone."""
        if not entries:
            return
        with Caught() as caught:
            for (_, done), result in zip(entries, await self._persist(write, entries), strict=True):
                if not done.done():
                    done.set_result(result)
            return
        self._journal.forget()
        if len(entries) == 1 or isinstance(caught.error, StoreUnavailable):
            self._journal.refusals.add(item for item, _ in entries)
            _fail(entries, caught.error)
            return
        middle = len(entries) // 2
        await self._attempt(write, entries[:middle])
        await self._attempt(write, entries[middle:])

    async def _persist(self, write: Write, entries: list[Entry]) -> list[Any]:
        """Write, and write again for as long as it is not the entries' fault that they are not written."""
        items = [item for item, _ in entries]
        self._journal.in_doubt = None
        began, pause = monotonic(), 0.0
        while True:
            try:
                written = await self._send(write, items, again=pause > 0)
            except (*AWAY, asyncpg.PostgresError, asyncpg.InterfaceError, Entangled) as error:
                self._journal.forget()
                if isinstance(error, asyncpg.InternalClientError):
                    self._abandon()  # which does not know itself that it is of no use any more
                if not self._is_passing(error, len(items)):
                    raise
                self._go_without(items, monotonic() - began, error)
            else:
                self._journal.in_doubt = None  # nor need it stay in memory
                self._availability.back()
                return written
            pause = min(2 * pause or FIRST_PAUSE / 5, LONGEST_PAUSE)
            await asyncio.sleep(pause)

    def _go_without(self, items: list[Append | NewRun], seconds: float, error: Exception) -> None:
        """The server has not been there for so long. Raises StoreUnavailable if nobody should wait longer."""
        beginning = isinstance(items[0], NewRun)
        if self._ending or (beginning and seconds >= self._patience):
            raise self._availability.fail(reason_of(error), str(error), waiting=False) from error
        if not beginning and seconds >= QUIET_SECONDS:
            reason = self._availability.fail(reason_of(error), str(error), waiting=True)
            openings = [entry for entry in self._waiting if isinstance(entry[0], NewRun)]
            self._waiting = deque(entry for entry in self._waiting if isinstance(entry[0], Append))
            _fail(openings, reason)

    async def _send(self, write: Write, items: list[Any], *, again: bool) -> list[Any]:
        connection = await self._connected()
        written = await self._journal.what_was_written(connection) if again else None
        if written is not None:
            return written
        try:
            return await write(connection, items)
        except (asyncpg.UniqueViolationError, Conflict):
            # Perhaps we ran into ourselves: the server was still writing when the connection broke.
            written = await self._journal.what_was_written(connection) if again else None
            if written is None:
                raise
            return written

    def _is_passing(self, error: Exception, entries: int) -> bool:
        if isinstance(error, Entangled):  # a single one can only be entangled with another process
            return entries == 1
        return isinstance(error, PASSING) or self._connection is None or self._connection.is_closed()

    def _abandon(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(asyncpg.InternalClientError):
                connection.terminate()

    async def _connected(self) -> asyncpg.Connection:
        if self._connection is None or self._connection.is_closed():
            self._connection = await self._connect()
        return self._connection


def reason_of(error: BaseException) -> str:
    """What people are told: the server's own words may name its address and its users."""
    if isinstance(error, asyncpg.DiskFullError):
        return "The database could not be written: its disk is full."
    return "The database does not answer."


def _fail(entries: list[Entry], error: Exception | None) -> None:
    for _, done in entries:
        if error is not None and not done.done():
            done.set_exception(error)
