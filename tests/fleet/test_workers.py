"""Doors that answer, workers that deliberate: real processes, a real PostgreSQL, scripted models."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it carries no types
import pytest

from moot.testing import ModelServer
from moot.testing.replies import Rule, Script
from tests.cli.command import Command
from tests.harness.fleet import Fleet
from tests.harness.waiting import until

PANEL = ["a/ann", "b/bob", "c/cyd"]
ASK = {"question": "Tabs or spaces?", "mode": "vote", "modeConfig": {"councilModels": PANEL}}
CALLS = 7  # three answers, three votes and the title
TOLD = ["vote_start", "stage1_start", "stage1_complete", "vote_round_start", "vote_round_complete"]


def script(hold_after: int | None = None) -> Script:
    rules = [
        Rule(contains="VOTE:", reply="It is the best.\nVOTE: Response B"),
        Rule(contains="brief title", reply="Tabs Or Spaces"),
    ]
    return Script(rules=rules, default="An answer.", hold_after=hold_after)


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(postgres_url)
    yield connection
    await connection.close()


async def test_a_door_leaves_deliberating_to_workers_and_shows_all_of_it(postgres_url: str) -> None:
    async with ModelServer(script()) as models, Fleet(postgres_url, models.environment) as fleet:
        door = await fleet.door()
        asking = asyncio.create_task(fleet.ask(door, ASK))
        await fleet.worker()
        story = await asking
        again = await fleet.follow(door, story.run_id, after=2)
        run = await fleet.run(door, story.run_id)
    assert story.types[0] == "vote_start"
    assert story.types[-1] == "complete"
    assert story.numbers == list(range(1, len(story.numbers) + 1))
    assert [frame for frame in story.frames if frame[0] and frame[0] > 2] == again.frames
    assert run["status"] == "complete"
    assert len(models.requests) == CALLS


async def test_a_worker_that_dies_on_another_machine_is_followed_by_another(
    postgres_url: str, database: asyncpg.Connection
) -> None:
    async with ModelServer(script(5)) as models, Fleet(postgres_url, models.environment) as fleet:
        door, first = await fleet.door(), await fleet.worker(elsewhere=True)
        asking = asyncio.create_task(fleet.ask(door, ASK))

        async def stored() -> bool:
            return bool(await database.fetchval("SELECT count(*) = 5 FROM calls"))

        async def taken_over() -> bool:
            return bool(await database.fetchval("SELECT epoch = 3 FROM leases"))

        await until(stored)
        await fleet.worker()
        await first.kill()
        await until(taken_over)
        models.release()
        story = await asking
    assert story.types[-1] == "complete"
    assert story.numbers == list(range(1, len(story.numbers) + 1))
    received = Counter(request.digest for request in models.requests)
    assert len(received) == CALLS
    paid_once = {request.digest for request in models.requests[:5]}
    assert all(received[digest] == 1 for digest in paid_once), "a finished call was paid twice"


async def test_a_worker_told_to_stop_ends_its_calls_and_leaves_the_run_to_another(
    postgres_url: str, database: asyncpg.Connection
) -> None:
    async with ModelServer(script(0)) as models, Fleet(postgres_url, models.environment) as fleet:
        door, first = await fleet.door(), await fleet.worker()
        asking = asyncio.create_task(fleet.ask(door, ASK))

        async def under_way() -> bool:
            return len(models.requests) == 4  # three answers and the title

        await until(under_way)
        await fleet.worker()
        stopping = asyncio.create_task(first.stop())
        assert "stops once" in await first.line()
        models.release()
        assert await stopping == 0
        story = await asking
        lives = await database.fetchval("SELECT epoch FROM leases")
    assert story.types[-1] == "complete"
    assert lives == 3  # begun by a door, taken by the first, then by the second
    assert Counter(request.digest for request in models.requests).most_common(1)[0][1] == 1
    assert len(models.requests) == CALLS


async def test_a_run_that_waits_can_be_cancelled_though_nobody_works(postgres_url: str) -> None:
    async with ModelServer(script()) as models, Fleet(postgres_url, models.environment) as fleet:
        door = await fleet.door()
        asked = await fleet.ask(door, ASK, until="vote_start")
        async with fleet.session.post(f"{door.url}/api/runs/{asked.run_id}/cancel") as response:
            assert (await response.json())["status"] == "cancelled"
        await fleet.worker()
        told = await fleet.ask(door, ASK)
        assert told.types[-1] == "complete"
        assert (await fleet.run(door, asked.run_id))["status"] == "cancelled"
    assert len(models.requests) == CALLS


def test_workers_and_lone_doors_need_a_database_that_machines_can_share(tmp_path: Any) -> None:
    moot = Command(tmp_path)
    for words in (["worker"], ["serve", "--no-deliberate", "--port", "0"]):
        done = moot(*words)
        assert done.code == 2
        assert "SQLite stays on one machine" in done.err
