"""PostgreSQL: one committer for the hot path, a pool of connections for all else.

    store = PostgresStore("postgresql://moot@localhost/moot")
    await store.open()

The address is asyncpg's to read: everything it may contain (sslmode, several hosts, a socket) works.
"""

from __future__ import annotations

import asyncio
from asyncio import Future
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import asyncpg  # type: ignore[import-untyped]  # it carries no types
from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.exc import DBAPIError, DisconnectionError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoFreeConnection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, NullPool, PoolProxiedConnection

from moot.kernel.clock import monotonic
from moot.kernel.errors import MootError, StoreUnavailable
from moot.store import Append, BeginOutcome, NewRun, migrations
from moot.store.availability import Availability
from moot.store.postgres.committer import DEADLOCKS, PASSING, Committer, reason_of
from moot.store.postgres.listener import Listener

T = TypeVar("T")

PATIENCE_SECONDS = 5.0
"""How long the beginning of a run waits for a server that is away."""
TRUSTED_SECONDS = 1.0
"""A connection that was used so recently is used again without asking whether it still works."""
MOST_DEADLOCKS = 5
"""How often a change is tried that the server undoes because it and another wait for each other."""

_MIGRATING = 0x6D6F6F74  # "moot": the advisory lock held while migrating


class _Undone(StoreUnavailable):
    """The server has undone a change, through no fault of its own: it may be tried again."""


class PostgresStore:
    def __init__(self, url: str, *, patience: float = PATIENCE_SECONDS) -> None:
        self._url = url
        self._patience = patience
        self.availability = Availability()
        self.migrated = False
        self._committer: Committer | None = None
        self._listener = Listener(self._connect)
        # Connections are tried before use: after a restart of the server the old ones are dead.
        self._engine: AsyncEngine = create_async_engine(
            "postgresql+asyncpg://", async_creator=self._connect, hide_parameters=True
        )
        _look_before_use(self._engine.sync_engine)
        # All that one read sees is of one moment, as on SQLite: a story, and whether it has ended.
        self._readers = self._engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )

    async def open(self) -> None:
        try:
            async with self._engine.connect() as connection:
                usable = await connection.run_sync(_is_usable)
            if not usable:
                # On a loop of its own: Alembic reads files.
                self.migrated = await asyncio.to_thread(asyncio.run, self._migrate())
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, SQLAlchemyError) as error:
            await self._engine.dispose()
            # The address may hold a password: only the driver's own words are repeated.
            raise MootError(f"Cannot open the PostgreSQL database: {error}. Check its address.") from error
        self._committer = Committer(self._connect, self._patience, self.availability)

    async def close(self) -> None:
        if self._committer is None:
            return
        committer, self._committer = self._committer, None
        await committer.finish()
        await self._listener.close()
        await self._engine.dispose()

    async def begin(self, opening: NewRun) -> BeginOutcome:
        self.availability.check()
        begun: BeginOutcome = await self._opened().put(opening)
        return begun

    def append(self, entry: Append) -> Future[int | None]:
        return self._opened().put(entry)

    def glance(self, query: str, values: Sequence[str]) -> None:
        """The way to the database is a network's."""
        return None

    async def read(self, query: Callable[[Connection], T]) -> T:
        self._opened()
        with self._away():
            async with self._readers.connect() as connection:
                return await connection.run_sync(query)

    async def change(self, query: Callable[[Connection], T]) -> T:
        await self._opened().settled()
        for _ in range(MOST_DEADLOCKS):
            with suppress(_Undone), self._away():
                async with self._engine.begin() as connection:
                    return await connection.run_sync(query)
        raise self.availability.miss("The database is too busy.")

    @property
    def is_shared(self) -> bool:
        return True

    async def run_waits(self, seconds: float) -> None:
        await self._listener.wait(seconds)

    @contextmanager
    def _away(self) -> Iterator[None]:
        """A server that cannot be had is StoreUnavailable, however the libraries in between say it."""
        try:
            yield
        except (*PASSING, asyncpg.PostgresError, asyncpg.InterfaceError, SQLAlchemyError) as error:
            found = cause_of(error)
            if isinstance(found, DEADLOCKS):
                raise _Undone("The database is too busy.") from error
            if found is None:
                raise
            raise self.availability.miss(reason_of(found), str(found)) from error

    def _opened(self) -> Committer:
        if self._committer is None:
            raise RuntimeError("The store is not open: call open() first, and nothing after close().")
        return self._committer

    async def revision(self) -> str | None:
        try:
            async with self._engine.connect() as connection:
                return await connection.run_sync(_revision)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, SQLAlchemyError) as error:
            raise MootError(f"Cannot open the PostgreSQL database: {error}. Check its address.") from error
        finally:
            await self._engine.dispose()

    async def _migrate(self) -> bool:
        engine = create_async_engine(
            "postgresql+asyncpg://", async_creator=self._connect, poolclass=NullPool, hide_parameters=True
        )
        async with engine.begin() as connection:
            return await connection.run_sync(_migrate)

    async def _connect(self) -> asyncpg.Connection:
        try:
            return await asyncpg.connect(self._url, timeout=10, command_timeout=60)
        except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            # Whatever a server says to somebody who comes in, there is no getting in.
            raise ConnectionError(str(error)) from error


def _look_before_use(engine: Engine) -> None:
    """What `pool_pre_ping` does, without its round trip for a connection that was used a moment ago: the
    driver knows when a server has closed it. That it no longer reaches the server is found out by asking."""

    def used(_: Any, record: ConnectionPoolEntry) -> None:
        record.info["used"] = monotonic()

    def look(connection: Any, record: ConnectionPoolEntry, _: PoolProxiedConnection) -> None:
        if connection.driver_connection.is_closed():
            raise DisconnectionError("The server has closed it.")
        if monotonic() - record.info["used"] > TRUSTED_SECONDS:
            try:
                engine.dialect.do_ping(connection)
            except (*PASSING, engine.dialect.loaded_dbapi.Error) as error:
                raise DisconnectionError("It does not answer.") from error

    event.listen(engine, "connect", used)
    event.listen(engine, "checkin", used)
    event.listen(engine, "checkout", look)


def cause_of(error: BaseException) -> BaseException | None:
    """What of an error says that the server cannot be had; None if it is about something else."""
    if isinstance(error, (*PASSING, NoFreeConnection)):
        return error
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return error
    cause = error.orig if isinstance(error, DBAPIError) else error.__cause__
    return None if cause is None else cause_of(cause)


def _migrate(connection: Connection) -> bool:
    """Whether there was something to do."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATING})
    if _is_usable(connection):  # another process may have done it while we waited
        return False
    migrations.upgrade(connection)
    return True


def _is_usable(connection: Connection) -> bool:
    return migrations.is_usable(_revision(connection), lambda: _floor(connection))


def _floor(connection: Connection) -> str | None:
    made = connection.scalar(text("SELECT to_regclass('schema_floor') IS NOT NULL"))
    return connection.scalar(text(migrations.LOWEST)) if made else None


def _revision(connection: Connection) -> str | None:
    made = connection.scalar(text("SELECT to_regclass('alembic_version') IS NOT NULL"))
    return connection.scalar(text(migrations.CURRENT)) if made else None
