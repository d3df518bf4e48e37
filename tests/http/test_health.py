"""Whether the process lives, and whether it can work."""

from __future__ import annotations

from urllib.parse import urlsplit

import asyncpg  # type: ignore[import-untyped]  # it carries no types

from tests.harness.postgres_server import Server
from tests.http.door import Door, script


async def test_a_server_is_alive_and_ready(store_url: str) -> None:
    async with Door(script(), database=store_url) as door:
        assert await door.get("/healthz") == {"status": "ok"}
        assert await door.get("/readyz") == {"status": "ready"}


async def test_without_its_database_it_is_alive_and_not_ready(
    postgres_server: Server, postgres_url: str
) -> None:
    name = urlsplit(postgres_url).path[1:]
    admin = await asyncpg.connect(postgres_server.url)
    async with Door(script(), database=postgres_url) as door:
        await admin.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        await admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
        assert await door.get("/healthz") == {"status": "ok"}
        status, problem = await door.call("GET", "/readyz")
        assert (status, problem["error"]) == (503, "The database does not answer.")
        await admin.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
        assert (await door.call("GET", "/readyz"))[0] == 200
    await admin.close()
