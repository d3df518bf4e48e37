"""moot migrate: by hand, by many at once, and only to look."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from moot.store import migrations
from tests.cli.command import Command
from tests.harness.postgres_server import Server


@pytest.fixture(params=["sqlite", "postgres"])
async def empty_url(
    request: pytest.FixtureRequest, tmp_path: Path, postgres_server: Server
) -> AsyncIterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'new.db'}"
        return
    url = await postgres_server.empty_database()
    yield url
    await postgres_server.drop(url)


async def test_many_who_start_at_once_migrate_once(tmp_path: Path, empty_url: str) -> None:
    moot = Command(tmp_path, {"DATABASE_URL": empty_url})
    before = await asyncio.to_thread(moot, "migrate", "--check")
    assert before.code == 1
    assert f"is at nothing, and this version needs {migrations.HEAD}" in before.out
    done = await asyncio.gather(*(asyncio.to_thread(moot, "migrate") for _ in range(4)))
    assert [one.code for one in done] == [0] * 4, done
    said = Counter(one.out for one in done)
    assert said[f"The database was migrated from nothing to {migrations.HEAD}.\n"] == 1, said
    after = await asyncio.to_thread(moot, "migrate", "--check")
    assert (after.code, after.out) == (0, f"The database is at {migrations.HEAD}: up to date.\n")


def test_a_database_that_cannot_be_had_is_said(tmp_path: Path) -> None:
    done = Command(tmp_path)("migrate", "--check", DATABASE_URL="postgresql://nobody@127.0.0.1:9/none")
    assert done.code == 1
    assert "Cannot open the PostgreSQL database" in done.err
