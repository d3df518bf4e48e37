"""A key saved at a door is used by whichever worker has the run, from the next question on."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic import SecretStr

from moot.kernel.request import AskRequest
from moot.keys.saved_keys import KeyChange, save_key
from moot.settings import Settings
from moot.testing import ModelServer
from moot.wiring import open_engine
from tests.harness.fleet import Fleet
from tests.harness.waiting import until
from tests.keys.servers import LINES, SECRET_KEY, VOTE, keys_at

ASK = {"question": "Tabs?", "mode": "vote", "modeConfig": VOTE}


def settings(url: str, **more: Any) -> Settings:
    return Settings(
        database_url=url,
        **{"secret_key": SECRET_KEY, "embedder": "off", "attempts": 1, "private_endpoints": "allow", **more},
    )


def change(key: str, url: str) -> KeyChange:
    return KeyChange(key=SecretStr(key), base_url=url)


async def test_a_key_saved_at_a_door_is_used_by_a_worker_at_once(postgres_url: str) -> None:
    environment = {
        "MOOT_SECRET_KEY": SECRET_KEY,
        "MOOT_PRIVATE_ENDPOINTS": "allow",
        "MOOT_EMBEDDER": "off",
    }
    async with ModelServer(models=LINES) as models, Fleet(postgres_url, environment) as fleet:
        await fleet.worker()
        door = settings(postgres_url, deliberate=False)
        async with open_engine(door, deliberates=False) as engine:
            for key in ("sk-first-0123456789", "sk-second-0123456789"):
                await save_key(engine, "ann", "lab", change(key, models.url))
                run = await engine.start(AskRequest.of(ASK), user="ann")
                assert (await engine.finished(run.id)).status == "complete"
                assert keys_at(models) == {key}
                models.reset()


async def test_a_run_that_is_taken_over_goes_on_with_its_owners_key(store_url: str) -> None:
    async with ModelServer(models=LINES, hold_after=2) as models:
        async with open_engine(settings(store_url)) as engine:
            await save_key(engine, "ann", "lab", change("sk-anns-0123456789", models.url))
            await save_key(engine, "bob", "lab", change("sk-bobs-0123456789", models.url))
            run = await engine.start(AskRequest.of(ASK), user="ann")
            await until(lambda: len(models.requests) >= 3)
        models.release()
        async with open_engine(settings(store_url), adopts=True) as engine:
            assert (await engine.finished(run.id)).status == "complete"
        assert keys_at(models) == {"sk-anns-0123456789"}


async def test_calls_that_begin_together_read_their_owners_keys_once(store_url: str) -> None:
    async with open_engine(settings(store_url)) as engine:
        await save_key(engine, "ann", "lab", change("sk-anns-0123456789", "https://lab.example/v1"))
        engine.keys.forget("ann")
        first, *others = await asyncio.gather(*(engine.keys.of("ann") for _ in range(4)))
        assert all(one is first for one in others)
        engine.keys.forget("ann")
        assert await engine.keys.of("ann") is not first


async def test_a_worker_without_the_secret_key_says_so(postgres_url: str) -> None:
    async with ModelServer(models=LINES) as models:
        async with open_engine(settings(postgres_url, deliberate=False), deliberates=False) as door:
            await save_key(door, "ann", "lab", change("sk-anns-0123456789", models.url))
            other = settings(postgres_url, secret_key="of another machine which nobody told ours")
            async with open_engine(other.model_copy(), adopts=True) as worker:
                run = await door.start(AskRequest.of(ASK), user="ann")
                record = await worker.finished(run.id)
        assert record.status == "failed"
        assert "MOOT_SECRET_KEY" in (record.error or "")
        assert models.requests == []
