"""A provider's limit and a model's over four workers, one of them killed, counted by the upstream itself."""

from __future__ import annotations

import asyncio

import asyncpg  # type: ignore[import-untyped]  # it carries no types

from moot.testing import ModelServer
from moot.testing.model_server import ALL
from moot.testing.replies import Reply, Script
from tests.harness.fleet import Fleet, Machine
from tests.harness.waiting import until

LIMIT, MODEL_LIMIT = 10, 3
QUESTIONS = 40
RARE = "a/ann"
PANELS = [[RARE, "b/bob", "c/cyd"], *[["d/dee", "b/bob", "c/cyd"]] * 4]


async def test_ten_calls_at_once_stay_ten_when_a_worker_of_four_is_killed_and_come_back(
    postgres_url: str,
) -> None:
    limits = {
        "concurrency": str(LIMIT),
        "model_concurrency": f"{RARE}={MODEL_LIMIT}",
        "lease_seconds": "30",  # so long may a slow machine keep a worker silent that lives
    }
    answer = Reply(text="An answer.\nVOTE: Response A", latency=0.05)
    script = Script(default=answer, hold_after=0)
    async with ModelServer(script) as models, Fleet(postgres_url, models.environment, **limits) as fleet:
        door = await fleet.door()
        workers = [await fleet.worker() for _ in range(4)]
        asking = [asyncio.create_task(fleet.ask(door, _ask(number))) for number in range(QUESTIONS)]
        await until(lambda: models.at_once[ALL] == LIMIT)
        await (await _with_calls(workers, postgres_url)).kill()
        await until(lambda: any(request.outcome == "gone" for request in models.requests))
        await until(lambda: models.at_once[ALL] == LIMIT)
        models.release()
        stories = await asyncio.gather(*asking)
    assert all(story.types[-1] == "complete" for story in stories)
    assert models.peak[ALL] == LIMIT
    assert 0 < models.peak[RARE] <= MODEL_LIMIT


async def _with_calls(workers: list[Machine], database: str) -> Machine:
    """A worker that has calls under way: while all are held, one with a share and more to do uses it."""
    connection = await asyncpg.connect(database)
    busy: list[str] = []

    async def is_known() -> bool:
        rows = await connection.fetch("SELECT owner FROM provider_shares WHERE share > 0 AND demand > share")
        busy[:] = [owner.rsplit("/", 3)[1] for (owner,) in rows]
        return bool(busy)

    await until(is_known)
    await connection.close()
    return next(worker for worker in workers if str(worker.process.pid) in busy)


def _ask(number: int) -> dict[str, object]:
    panel = PANELS[number % len(PANELS)]
    config = {"councilModels": panel, "chairmanModel": "b/bob", "timeoutMs": 300_000}
    return {"question": f"Question {number}?", "mode": "vote", "modeConfig": config}
