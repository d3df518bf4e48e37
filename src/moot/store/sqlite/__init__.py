"""SQLite: one file, one writer thread, a few readers.

    store = SQLiteStore("moot.db")          # or ":memory:"
    await store.open()

WAL with synchronous=FULL: what was acknowledged survives a power cut. The event loop only queues.
"""

from __future__ import annotations

import asyncio
import sqlite3
from asyncio import Future
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool

from moot.kernel.errors import StoreUnavailable
from moot.store import Append, BeginOutcome, NewRun
from moot.store.availability import Availability
from moot.store.sqlite.writer import Writer, fault_of_database, revision_of

T = TypeVar("T")
READERS = 3
PATIENCE_SECONDS = 30.0
"""How long to wait for another process that is writing to the same file."""


class SQLiteStore:
    def __init__(self, path: str, *, patience: float = PATIENCE_SECONDS) -> None:
        self.path = path
        self._patience = patience
        self.availability = Availability()
        self.migrated = False
        self._writer: Writer | None = None
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="moot-reader")
        self._engine = reading_engine(path, patience)
        self._glancing: sqlite3.Connection | None = None

    async def open(self) -> None:
        writer = Writer(self.path, self._patience, asyncio.get_running_loop(), self.availability)
        writer.start()
        self.migrated = await writer.opened
        self._writer = writer

    async def revision(self) -> str | None:
        return None if self.path == ":memory:" else await asyncio.to_thread(revision_of, self.path)

    async def close(self) -> None:
        if self._writer is None:
            return
        writer, self._writer = self._writer, None
        if self._glancing is not None:
            self._glancing.close()
            self._glancing = None
        writer.finish()
        await writer.closed
        await asyncio.to_thread(self._put_away, writer)

    async def begin(self, opening: NewRun) -> BeginOutcome:
        self.availability.check()
        begun: BeginOutcome = await self._opened().put(opening)
        return begun

    def append(self, entry: Append) -> Future[int | None]:
        return self._opened().put(entry)

    async def read(self, query: Callable[[Connection], T]) -> T:
        if self.path == ":memory:":  # there is only the writer's connection
            return await self.change(query)
        self._opened()
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, query)

    def glance(self, query: str, values: Sequence[str]) -> Sequence[Sequence[Any]] | None:
        """In the event loop's own thread: what every run asks is in the system's cache, and takes a tenth of
        the way to a reader's thread and back. It waits for no lock."""
        if self.path == ":memory:":
            return None
        try:
            if self._glancing is None:
                self._glancing = _connect_to_read(self.path, patience=0)
            return self._glancing.execute(query, values).fetchall()
        except sqlite3.Error:
            return None

    async def change(self, query: Callable[[Connection], T]) -> T:
        result: T = await self._opened().put(query)
        return result

    @property
    def is_shared(self) -> bool:
        return False

    async def run_waits(self, seconds: float) -> None:
        await asyncio.sleep(seconds)  # here none ever does

    def _opened(self) -> Writer:
        if self._writer is None:
            raise RuntimeError(
                f"The store {self.path!r} is not open: call open() first, and nothing after close()."
            )
        return self._writer

    def _read(self, query: Callable[[Connection], T]) -> T:
        try:
            with self._engine.connect() as connection:
                return query(connection)
        except (sqlite3.Error, SQLAlchemyError) as error:
            fault = fault_of_database(error)
            if fault is None or fault.sqlite_errorcode == sqlite3.SQLITE_READONLY:  # a reader may not write
                raise
            raise StoreUnavailable(f"The database could not be read: {fault}.") from error

    def _put_away(self, writer: Writer) -> None:
        writer.join()
        self._readers.shutdown()
        self._engine.dispose()


def reading_engine(path: str, patience: float) -> Engine:
    """Connections that cannot write, each query on one snapshot."""

    engine = create_engine(
        "sqlite+pysqlite://",
        creator=lambda: _connect_to_read(path, patience),
        poolclass=QueuePool,
        pool_size=READERS,
        max_overflow=0,
        hide_parameters=True,
    )
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine


def _connect_to_read(path: str, patience: float) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA query_only = ON")
    return db
