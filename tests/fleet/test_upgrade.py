"""A rolling upgrade: the schema is newer already, some workers are not."""

from __future__ import annotations

import asyncpg  # type: ignore[import-untyped]  # it carries no types

from moot.testing import ModelServer
from tests.fleet.test_workers import ASK, CALLS, script
from tests.harness.fleet import Fleet
from tests.harness.waiting import until
from tests.laws.test_newer_schema import FUTURE


async def test_an_older_worker_starts_on_a_newer_schema_and_leaves_newer_runs_alone(
    postgres_url: str,
) -> None:
    database = await asyncpg.connect(postgres_url)
    async with ModelServer(script()) as models, Fleet(postgres_url, models.environment) as fleet:
        door = await fleet.door()
        newer = await fleet.ask(door, ASK, until="vote_start")
        for statement in FUTURE:
            await database.execute(statement)
        for table in ("waiting_runs", "leases"):
            await database.execute(f"UPDATE {table} SET version = 2 WHERE run_id = $1", newer.run_id)
        await fleet.worker()
        story = await fleet.ask(door, ASK)
        assert story.types[-1] == "complete"
        assert len(models.requests) == CALLS
        # A newer worker that dies leaves its runs to newer ones, too.
        await database.execute("DELETE FROM waiting_runs")
        await database.execute("UPDATE leases SET owner = 'gone/1/1/1', lease_until = 1 WHERE version = 2")
        again = await fleet.ask(door, {**ASK, "question": "And now?"})
        assert again.types[-1] == "complete"
        lease = await database.fetchrow("SELECT owner, epoch FROM leases WHERE run_id = $1", newer.run_id)
        assert tuple(lease) == ("gone/1/1/1", 1)
        assert len(models.requests) == 2 * CALLS
        # With newer code, which here is said to be this one, it is taken up within seconds.
        await database.execute("UPDATE leases SET version = 1")

        async def taken_up() -> bool:
            return bool((await fleet.run(door, newer.run_id))["status"] == "complete")

        await until(taken_up)
    assert len(models.requests) == 3 * CALLS
    await database.close()
