"""A small chaos, the same in every suite; `make chaos` is the large one."""

from __future__ import annotations

import asyncio

from tests.fleet.chaos import Plan, unleash

SMALL = Plan(
    runs=15,
    at_once=15,
    workers=2,
    kill_every=1.0,
    kills=1,
    suspend_at=None,
    kill_door_at=1.5,
    restart_database_at=2.0,
    latency=0.5,
    standbys=0,
)


async def test_a_fleet_that_loses_a_worker_a_door_and_its_database_loses_nothing_else() -> None:
    figures = await asyncio.to_thread(unleash, SMALL)
    assert figures.faults == []
    assert sum(figures.runs.values()) == SMALL.runs
    assert (figures.kills, figures.doors_killed, figures.restarts) == (1, 1, 1)
