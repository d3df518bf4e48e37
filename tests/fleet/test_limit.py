"""A provider's limit and a model's over four workers, one of them killed, counted by the upstream itself."""

from __future__ import annotations

import asyncio

import pytest

from moot.testing import ModelServer
from moot.testing.model_server import ALL
from moot.testing.replies import Reply, Script
from tests.fleet.test_workers import until
from tests.harness.fleet import Fleet

LIMIT, MODEL_LIMIT = 10, 3
QUESTIONS = 40
RARE = "a/ann"
PANELS = [[RARE, "b/bob", "c/cyd"], *[["d/dee", "b/bob", "c/cyd"]] * 4]


@pytest.mark.timeout(180)
async def test_ten_calls_at_once_stay_ten_when_a_worker_of_four_is_killed_and_come_back(
    postgres_url: str,
) -> None:
    limits = {"concurrency": str(LIMIT), "model_concurrency": f"{RARE}={MODEL_LIMIT}"}
    script = Script(default=lambda _: Reply(text="An answer.\nVOTE: Response A", latency=0.3))
    async with ModelServer(script) as models, Fleet(postgres_url, models.environment, **limits) as fleet:
        door = await fleet.door()
        workers = [await fleet.worker() for _ in range(4)]
        asking = [asyncio.create_task(fleet.ask(door, _ask(number))) for number in range(QUESTIONS)]

        async def full() -> bool:
            return models.at_once[ALL] == LIMIT

        async def fewer() -> bool:
            return models.at_once[ALL] < LIMIT

        await until(full)
        await workers[0].kill()
        await until(fewer)
        took = await until(full)
        stories = await asyncio.gather(*asking)
    assert all(story.types[-1] == "complete" for story in stories)
    assert models.peak[ALL] == LIMIT
    assert 0 < models.peak[RARE] <= MODEL_LIMIT
    print(f"back at {LIMIT} after {took:.1f} s")
    assert took < 10


def _ask(number: int) -> dict[str, object]:
    panel = PANELS[number % len(PANELS)]
    config = {"councilModels": panel, "chairmanModel": "b/bob"}
    return {"question": f"Question {number}?", "mode": "vote", "modeConfig": config}
