"""The queue of runs that wait: who is next, and that nobody gets a run twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import count
from typing import Any

import pytest
from sqlalchemy import text

from moot.store import Store, queue, runs
from moot.store.postgres import PostgresStore
from tests.harness.waiting import PATIENCE, until
from tests.store.builders import NEVER, an_opening

MODES = ("vote", "debate")
MOMENTS = count(1_000_000)


@pytest.fixture
async def shared(postgres_url: str) -> AsyncIterator[Store]:
    store = PostgresStore(postgres_url)
    await store.open()
    yield store
    await store.close()


async def wait_for(
    store: Store, *names: str, priority: int = queue.PEOPLE, mode: str = "vote", at: int | None = None
) -> None:
    """Runs `ann1`, `ann2`, `bob1` … of the people `ann` and `bob`, who ask in this order."""
    for name in names:
        who: dict[str, Any] = {"user_id": name[:3], "priority": priority, "mode": mode}
        await store.begin(an_opening(name, owner=None, lease_until=0, started_at=at or next(MOMENTS), **who))


async def take(store: Store, most: int = 100, owner: str = "me") -> list[str]:
    return await store.change(lambda db: queue.take(db, owner, NEVER, most, MODES))


async def test_people_take_turns_however_much_one_of_them_asks(shared: Store) -> None:
    await wait_for(shared, "ann1", "ann2", "ann3", "ann4", "bob1", "cyd1", "bob2")
    assert await take(shared) == ["ann1", "bob1", "cyd1", "ann2", "bob2", "ann3", "ann4"]


async def test_nobody_is_overtaken_for_ever_by_newcomers(shared: Store) -> None:
    await wait_for(shared, "ann1", "ann2", "ann3", at=1_000_000)
    served = []
    for number in range(30):
        await wait_for(shared, f"n{number:02}x", at=1_000_001 + number * queue.STEP_MS // 2)
        served += await take(shared, 1)
    assert [served.index(run) for run in ("ann1", "ann2", "ann3")] == [0, 3, 6]


async def test_batches_wait_until_no_person_does(shared: Store) -> None:
    await wait_for(shared, "bob1", "bob2", priority=queue.BATCH)
    await wait_for(shared, "ann1")
    assert await take(shared, 1) == ["ann1"]
    assert await take(shared) == ["bob1", "bob2"]


async def test_many_who_take_at_once_never_get_the_same_run(shared: Store) -> None:
    names = [f"p{number:02}{turn}" for turn in range(4) for number in range(15)]
    await wait_for(shared, *names)
    hands = await asyncio.gather(*(take(shared, 7, f"worker {number}") for number in range(12)))
    taken = [run for hand in hands for run in hand]
    assert sorted(taken + await take(shared)) == sorted(names)


async def test_a_run_is_taken_under_the_next_epoch_and_let_go_of_to_the_front(shared: Store) -> None:
    await wait_for(shared, "ann1", "bob1")
    assert await take(shared, 1) == ["ann1"]
    record = await shared.read(lambda db: runs.run(db, "ann1"))
    assert record is not None
    assert (record.owner, record.epoch) == ("me", 2)
    assert await shared.read(lambda db: runs.orphans(db, 0, lambda _: False)) == []
    await shared.change(lambda db: queue.let_go(db, "me"))
    assert await take(shared, 1, "you") == ["ann1"]


async def test_runs_of_newer_code_and_of_unknown_modes_are_left_alone(shared: Store) -> None:
    await wait_for(shared, "ann1", "bob1")
    await wait_for(shared, "cyd1", mode="a_mode_of_tomorrow")
    newer = "UPDATE {} SET version = 2 WHERE run_id = 'bob1'"
    for table in ("waiting_runs", "leases"):
        await shared.change(lambda db, table=table: db.execute(text(newer.format(table))))  # type: ignore[misc]
    assert await take(shared) == ["ann1"]
    claimed = await shared.change(lambda db: runs.claim(db, "bob1", "me", 5, NEVER, lambda _: False))
    assert claimed is None


async def test_a_run_that_waits_is_no_orphan_until_somebody_took_it_and_died(shared: Store) -> None:
    await wait_for(shared, "ann1")
    assert await shared.read(lambda db: runs.orphans(db, NEVER, lambda _: False)) == []
    await take(shared)
    orphans = await shared.read(lambda db: runs.orphans(db, NEVER, lambda _: False))
    assert [orphan.run_id for orphan in orphans] == ["ann1"]


async def test_who_listens_hears_of_a_run_at_once(shared: Store) -> None:
    listening = asyncio.create_task(shared.run_waits(10 * PATIENCE))

    async def is_heard() -> bool:
        return bool(await shared.read(lambda db: db.scalar(text(_LISTENERS))))

    await until(is_heard)
    await wait_for(shared, "ann1")
    async with asyncio.timeout(PATIENCE):
        await listening


_LISTENERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"
)
