"""A batch on a fleet: workers deliberate, people go first, and neither door nor worker is missed."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

from moot.testing import ModelServer
from tests.fleet.test_workers import ASK, CALLS, PANEL, script
from tests.harness.fleet import Fleet
from tests.harness.waiting import until


async def test_people_go_before_a_batch_and_the_death_of_the_process_that_drives_it_costs_nothing(
    postgres_url: str,
) -> None:
    batch = {
        "questions": [f"Question {number}?" for number in range(6)],
        "mode": "vote",
        "modeConfig": {"councilModels": PANEL},
        "atOnce": 6,
    }
    async with ModelServer(script(0)) as models, Fleet(postgres_url, models.environment) as fleet:
        first = await fleet.door()
        async with fleet.session.post(f"{first.url}/api/batches", json=batch) as response:
            id = (await response.json())["id"]

        async def begun() -> bool:
            return bool((await _view(fleet, first.url, id))["running"] == 6)

        async def asked() -> bool:
            return len((await _json(fleet, f"{first.url}/api/runs"))["runs"]) == 7

        async def called() -> bool:
            return bool(models.requests)

        await until(begun)
        asking = asyncio.create_task(fleet.ask(first, ASK))
        await until(asked)
        await fleet.worker("--runs", "1")
        await until(called)
        assert "Tabs or spaces?" in models.requests[0].prompt, "the last to come, a person, was not the first"
        models.release()
        assert (await asking).types[-1] == "complete"
        await first.kill()
        second = await fleet.door()
        address = f"{second.url}/api/batches/{id}/outcomes?follow=true"
        async with fleet.session.get(address) as response:
            outcomes = [json.loads(line) for line in (await response.text()).splitlines()]
        view = await _view(fleet, second.url, id)
    assert Counter(one["status"] for one in outcomes) == {"complete": 6}
    assert (view["status"], view["complete"]) == ("complete", 6)
    assert len(models.requests) == 7 * CALLS


async def _view(fleet: Fleet, url: str, id: str) -> dict[str, Any]:
    return await _json(fleet, f"{url}/api/batches/{id}")


async def _json(fleet: Fleet, address: str) -> dict[str, Any]:
    async with fleet.session.get(address) as response:
        found: dict[str, Any] = await response.json()
        return found
