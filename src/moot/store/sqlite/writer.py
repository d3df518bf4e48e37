"""SQLite's one writer: a thread that commits, at every wake, all that is waiting in one transaction.

    loop thread    put ─ put ─ put ─ hand over ──────────────▶ settle (one call for the whole group)
    writer thread                      BEGIN ─ entry ─ entry ─ entry ─ COMMIT ┘

What nobody waits for, a call that came back or an event in the middle of a run, is held until nothing
more comes for a moment: what a stage leaves behind becomes one transaction, and the writer does not compete
for the interpreter lock with the loop just when that has the next calls to send.

An entry that fails for its own sake is rolled back to its savepoint and fails alone. If the database takes
nothing (a full disk, a lock that stays), nothing of the group is written: what a run appended waits and is
written again, in its order, until it is; all else fails with StoreUnavailable.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from asyncio import AbstractEventLoop, Future, TimerHandle
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from types import TracebackType
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from moot.kernel.clock import monotonic
from moot.kernel.errors import MootError, StoreUnavailable
from moot.store import Append, NewRun, migrations
from moot.store.availability import Availability, next_pause
from moot.store.groups import LARGEST_GROUP
from moot.store.sqlite.check import check, damaged
from moot.store.sqlite.file import APPLICATION_ID, Presence, has_log, look_into, require_ours
from moot.store.sqlite.journal import SQLiteJournal

T = TypeVar("T")
log = logging.getLogger(__name__)

OLDEST_SQLITE = (3, 35)
QUIET_SECONDS = 0.004
"""What nobody waits for is handed over once nothing has come for so long,"""
LONGEST_SECONDS = 0.016
"""or once it has been held for so long."""
TICK_SECONDS = 0.001
"""Timers go by milliseconds: one that is set for less would be looked at again and again."""
DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
CHECK_SECONDS = 5.0
"""How long a start may look whether a file is whole that was not closed properly."""


class WriterConnection(sqlite3.Connection):
    """SQLAlchemy may ask this connection to commit or roll back; only the writer decides on that."""

    presence: Presence | None = None
    migrated = False

    @cached_property
    def engine(self) -> Engine:
        return create_engine(
            "sqlite+pysqlite://", creator=lambda: self, poolclass=StaticPool, hide_parameters=True
        )

    def ask(self, queries: list[Query]) -> list[Any]:
        with self.engine.connect() as connection:
            return [query(connection) for query in queries]

    def close(self) -> None:
        super().close()
        if self.presence is not None:
            self.presence.leave()

    def commit(self) -> None:
        pass

    def rollback(self) -> None:
        pass


@dataclass(slots=True)
class Outcome:
    done: Future[Any]
    result: Any = None
    error: BaseException | None = None


Entry = tuple[T, Outcome]
Query = Callable[[Connection], Any]


class Savepoint:
    """Makes what happens inside all or nothing, and catches its error for whoever waits for it."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.error: BaseException | None = None

    def __enter__(self) -> Savepoint:
        self.db.execute("SAVEPOINT entries")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None:
            # SQLite may have given up the whole transaction by itself.
            if (fault := fault_of_database(error)) is not None or not self.db.in_transaction:
                raise fault or sqlite3.OperationalError(f"rolled back: {error}") from error
            self.error = error
            self.db.execute("ROLLBACK TO entries")
        self.db.execute("RELEASE entries")
        return True


class Writer(Thread):
    def __init__(
        self, path: str, patience: float, loop: AbstractEventLoop, availability: Availability
    ) -> None:
        super().__init__(name="moot-writer", daemon=True)
        self.path = path
        self.patience = patience
        self.loop = loop
        self.availability = availability
        self.opened: Future[bool] = loop.create_future()
        self.closed: Future[None] = loop.create_future()
        self.waiting: SimpleQueue[list[Entry[Append | NewRun | Query]] | None] = SimpleQueue()
        self.held: list[Entry[Append | NewRun | Query]] = []
        self.timer: TimerHandle | None = None
        self.quiet_from = self.latest = 0.0

    def put(self, item: Append | NewRun | Query) -> Future[Any]:
        done: Future[Any] = self.loop.create_future()
        self.held.append((item, Outcome(done)))
        if not isinstance(item, Append) or item.is_urgent or len(self.held) >= LARGEST_GROUP:
            self._hand_over()
        else:
            self._hold()
        return done

    def _hold(self) -> None:
        now = self.loop.time()
        self.quiet_from = now + QUIET_SECONDS
        if self.timer is None:
            self.latest = now + LONGEST_SECONDS
            self.timer = self.loop.call_at(self.quiet_from, self._look)

    def _look(self) -> None:
        """Hand over if nothing has come meanwhile. To look again costs less than a timer for every entry."""
        due = min(self.quiet_from, self.latest)
        if self.loop.time() < due - TICK_SECONDS:
            self.timer = self.loop.call_at(due, self._look)
        else:
            self._hand_over()

    def finish(self) -> None:
        """Commit what is waiting, then end."""
        self._hand_over()
        self.waiting.put(None)

    def _hand_over(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        if self.held:
            self.waiting.put(self.held)
            self.held = []

    def run(self) -> None:
        try:
            db = open_database(self.path, self.patience)
        except MootError as error:
            self._settle([Outcome(self.opened, error=error)])
            return
        self._settle([Outcome(self.opened, db.migrated)])
        self._work(db, SQLiteJournal(db))
        db.close()
        self._settle([Outcome(self.closed)])

    def _work(self, db: WriterConnection, journal: SQLiteJournal) -> None:
        backlog: list[Entry[Any]] = []
        pause, retry_at, going_on = 0.0, 0.0, True
        while going_on:
            group, going_on = self._next_group(retry_at - monotonic() if backlog else None)
            if not backlog:
                backlog = self._commit(db, journal, group, waiting=False)
            else:
                # What a run appended waits for what it appended before; all else may fit in by itself.
                backlog += [entry for entry in group if isinstance(entry[0], Append)]
                self._commit(db, journal, [e for e in group if not isinstance(e[0], Append)], waiting=True)
                if going_on and monotonic() < retry_at:
                    continue
                backlog = self._commit(db, journal, backlog, waiting=True)
            pause = next_pause(pause) if backlog else 0.0
            retry_at = monotonic() + pause
            group.clear()
        if backlog:
            log.error("%d entries could not be stored before the end.", len(backlog))
            self._settle([outcome for _, outcome in backlog], "The database could not be written to the end.")

    def _commit(
        self, db: WriterConnection, journal: SQLiteJournal, group: list[Entry[Any]], *, waiting: bool
    ) -> list[Entry[Any]]:
        """Write a group; what of it is to be written again. `waiting`: something waits already."""
        if not group:
            return []
        fault = commit(db, journal, group)
        if fault is None:
            if waiting and any(isinstance(item, Append) for item, _ in group):
                self._notify(self.availability.back)
            outcomes = [outcome for _, outcome in group]
            group.clear()  # what is written need not stay in memory until this thread has its next turn
            self._settle(outcomes)
            return []
        again = [entry for entry in group if isinstance(entry[0], Append)]
        rest = [outcome for item, outcome in group if not isinstance(item, Append)]
        reason = f"The database could not be written: {fault}."
        self._notify(partial(self.availability.fail, reason, waiting=not rest))
        self._settle(rest, reason)
        # What else was in the group may have been too much; without it there may be room.
        return self._commit(db, journal, again, waiting=waiting) if rest else again

    def _next_group(self, seconds: float | None) -> tuple[list[Entry[Any]], bool]:
        """What has come, or comes within so many seconds; and whether more may."""
        group: list[Entry[Any]] = []
        with suppress(Empty):
            entries = self.waiting.get(timeout=None if seconds is None else max(seconds, 0.0))
            while entries is not None:
                group += entries
                if len(group) >= LARGEST_GROUP:
                    return group, True
                entries = self.waiting.get_nowait()
            return group, False
        return group, True

    def _settle(self, outcomes: list[Outcome], unavailable: str | None = None) -> None:
        if unavailable is not None:
            for outcome in outcomes:
                outcome.error = StoreUnavailable(unavailable)
        self._notify(partial(settle, outcomes))

    def _notify(self, tell: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop is gone, and with it everyone who would want to know
            self.loop.call_soon_threadsafe(tell)


def settle(outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.done.done():  # whoever asked has been cancelled; the entry is written all the same
            continue
        if outcome.error is None:
            outcome.done.set_result(outcome.result)
        else:
            outcome.done.set_exception(outcome.error)


def commit(db: WriterConnection, journal: SQLiteJournal, group: list[Entry[Any]]) -> sqlite3.Error | None:
    """Write all of a group in one transaction; the error, if the database took nothing of it.

    Appends come first: only they may be queued without waiting for what was queued before, and whoever
    queued one and then begins or changes something expects to find it written.
    """
    appends = [entry for entry in group if isinstance(entry[0], Append)]
    openings = [entry for entry in group if isinstance(entry[0], NewRun)]
    queries = [entry for entry in group if not isinstance(entry[0], Append | NewRun)]
    try:
        db.execute("BEGIN IMMEDIATE")
        attempt(journal, journal.append, appends)
        attempt(journal, journal.begin, openings)
        for query in queries:
            attempt(journal, db.ask, [query])
        db.execute("COMMIT")
    except sqlite3.Error as error:
        with suppress(sqlite3.Error):  # SQLite may have rolled back by itself
            db.execute("ROLLBACK")
        journal.forget()
        return error
    return None


_FAULTS_OF_ENTRIES = {
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_MISUSE,
    sqlite3.SQLITE_RANGE,
    sqlite3.SQLITE_TOOBIG,
}


def fault_of_database(error: BaseException) -> sqlite3.Error | None:
    """The error, if it is not the entry's fault that it was not written: out of disk, locked, damaged."""
    found = getattr(error, "orig", error)  # SQLAlchemy hands on what it was told
    if not isinstance(found, sqlite3.Error):
        return None
    code = getattr(found, "sqlite_errorcode", sqlite3.SQLITE_ERROR)  # none: Python's own objections
    return None if code & 0xFF in _FAULTS_OF_ENTRIES else found


def attempt(journal: SQLiteJournal, write: Callable[[list[T]], list[Any]], entries: list[Entry[T]]) -> None:
    """Write the entries as one; if that cannot be done, halve them until what cannot be done is alone."""
    if not entries:
        return
    with Savepoint(journal.db) as savepoint:
        results = write([item for item, _ in entries])
        for (_, outcome), result in zip(entries, results, strict=True):
            outcome.result = result
    if savepoint.error is None:
        return
    journal.forget()
    if len(entries) == 1:
        journal.refusals.add(item for item, _ in entries)
        entries[0][1].error = savepoint.error
        return
    middle = len(entries) // 2
    attempt(journal, write, entries[:middle])
    attempt(journal, write, entries[middle:])


def open_database(path: str, patience: float) -> WriterConnection:
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise MootError(f"SQLite {sqlite3.sqlite_version} is too old: moot needs 3.35 or newer.")
    try:
        if path == ":memory:":
            return _connect(path, patience)
        require_ours(path)
        _make_private(Path(path))
        return _connect_file(path, patience)
    except (sqlite3.Error, SQLAlchemyError, OSError) as error:
        cause = error.__cause__ if isinstance(error, SQLAlchemyError) else error
        if isinstance(cause, sqlite3.Error) and cause.sqlite_errorcode & 0xFF in DAMAGE:
            raise damaged(path, str(cause)) from error
        raise MootError(
            f"Cannot open the database {path!r}: {_plainly(cause)}. Check the path and its permissions."
        ) from error


def _plainly(cause: BaseException | None) -> str:
    """Without the number and the path that Python puts around it."""
    said = cause.strerror if isinstance(cause, OSError) else None
    return said or str(cause)


def _connect_file(path: str, patience: float) -> WriterConnection:
    """Connect; but if whoever had the file open last did not close it, look first whether it is whole."""
    with ExitStack() as on_failure:
        presence = Presence(path, patience)
        on_failure.callback(presence.leave)
        if presence.alone and has_log(path):
            _require_whole(path)
        presence.share()
        db = _connect(path, patience)
        db.presence = presence
        on_failure.pop_all()
    return db


def _require_whole(path: str) -> None:
    found = check(path, thorough=False, seconds=CHECK_SECONDS)
    if found.findings:
        raise damaged(path, found.findings[0])
    if not found.finished:
        log.warning(
            "%s was not closed properly, and is too large to be checked in %g s: run `moot doctor`.",
            path,
            CHECK_SECONDS,
        )


def _connect(path: str, patience: float) -> WriterConnection:
    with ExitStack() as on_failure:
        db = sqlite3.connect(
            path,
            timeout=patience,
            isolation_level=None,
            factory=WriterConnection,
            cached_statements=512,
        )
        on_failure.callback(db.close)
        _set_up(db, patience)
        db.migrated = _migrate(db)
        on_failure.pop_all()
    return db


def _make_private(path: Path) -> None:
    """Questions and answers are nobody else's: a new file is for its owner only (SQLite adopts that for
    the two files it puts beside it). One that is there is not touched: see `file.py`."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _set_up(db: sqlite3.Connection, patience: float) -> None:
    pause, give_up_at = Event(), monotonic() + patience
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            # While another process makes the same new file this fails at once, whatever the timeout.
            if "locked" not in str(error) or monotonic() > give_up_at:
                raise
        pause.wait(0.02)
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA foreign_keys = ON")
    # What is not in it the system has. Four times as much saves no processor time, and fills within a minute.
    db.execute("PRAGMA cache_size = -4000")
    db.execute("PRAGMA temp_store = MEMORY")
    db.execute("PRAGMA journal_size_limit = 67108864")


def _migrate(db: WriterConnection) -> bool:
    """Whether there was something to do."""
    if _is_usable(db) and _mark(db) == APPLICATION_ID:
        return False
    db.execute("BEGIN EXCLUSIVE")
    try:
        migrates = not _is_usable(db)  # another process may have done it while we waited
        if migrates:
            with db.engine.connect() as connection:
                migrations.upgrade(connection)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("COMMIT")
        return migrates
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def _is_usable(db: sqlite3.Connection) -> bool:
    return migrations.is_usable(_revision(db), lambda: _only(db, "schema_floor", migrations.LOWEST))


def _revision(db: sqlite3.Connection) -> str | None:
    return _only(db, "alembic_version", migrations.CURRENT)


def revision_of(path: str) -> str | None:
    """Of a file that is not opened. Raises MootError if it is not ours."""
    require_ours(path)
    if not Path(path).exists():
        return None
    with closing(look_into(path)) as db:
        return _revision(db)


def _only(db: sqlite3.Connection, table: str, query: str) -> str | None:
    """What a table of one row says, if there is one."""
    made = db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    found: tuple[str] | None = db.execute(query).fetchone() if made else None
    return None if found is None else found[0]


def _mark(db: sqlite3.Connection) -> int:
    mark: tuple[int] = db.execute("PRAGMA application_id").fetchone()
    return mark[0]
