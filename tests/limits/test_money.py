"""A dollar is a dollar: however many ask at once, in however many processes, whatever dies meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from pydantic import SecretStr

from moot.kernel.engine import Engine
from moot.kernel.errors import LimitReached, Rejected
from moot.kernel.mode import Panel
from moot.kernel.request import AskRequest
from moot.limits.allotment import LimitChange, change_limits, read_allotment
from moot.modes import MODES
from moot.settings import Settings
from moot.store.urls import store_for
from moot.testing import ModelServer, Reply
from moot.transport.build import transport_for
from moot.transport.catalogue import Catalogue
from tests.limits.metered_models import BODY, PANEL, TITLE, bill, billed, metered_models

ASK = AskRequest.of(BODY)


@asynccontextmanager
async def engine(server: ModelServer, url: str, **settings: Any) -> AsyncIterator[Engine]:
    chosen = Settings(
        openrouter_base_url=server.url,
        openrouter_api_key=SecretStr("sk-test"),
        title_model=TITLE,
        **{"dollars_per_day": 1, "attempts": 1, **settings},
    )
    network = transport_for(chosen)
    made = Engine(
        store_for(url), network, Panel(PANEL), chosen, modes=MODES, catalogue=Catalogue(chosen), strict=True
    )
    async with made as opened:
        yield opened
    await network.aclose()


async def spent(opened: Engine, user: str = "ann") -> float:
    allotment = await read_allotment(opened, user)
    return next(one.used for one in allotment.limits if one.name == "dollarsPerDay")


async def sent(server: ModelServer, count: int) -> None:
    """Wait until the models have got so many calls."""
    while len(server.requests) < count:  # noqa: ASYNC110
        await asyncio.sleep(0.01)


async def ask(opened: Engine, user: str = "ann") -> str:
    """How it ended: the status of the run, or the limit that forbade it."""
    try:
        record = await opened.start(ASK, user=user)
    except LimitReached as refused:
        return refused.limit
    return (await opened.finished(record.id)).status


async def test_two_hundred_questions_at_once_in_two_processes_spend_no_more_than_a_dollar(
    store_url: str,
) -> None:
    async with metered_models() as server, engine(server, store_url) as one, engine(server, store_url) as two:
        outcomes: Counter[str] = Counter()
        while outcomes["complete"] == 0 or outcomes.total() < 600:
            outcomes.update(await asyncio.gather(*(ask((one, two)[n % 2]) for n in range(200))))
        assert set(outcomes) == {"complete", "dollarsPerDay"}
        assert 0.5 < billed(server) <= 1
        # All that was reserved and not needed has been given back.
        assert await spent(one) == pytest.approx(billed(server))
        # It is ann's dollar, not bob's.
        assert await ask(two, "bob") == "complete"


async def test_a_failed_run_gives_back_what_it_did_not_spend(store_url: str) -> None:
    async with metered_models() as server, engine(server, store_url) as opened:
        server.script.models = {PANEL[1]: Reply(status=500), PANEL[2]: Reply(status=500)}
        assert await ask(opened) == "failed"
        answer = next(bill(r.body) for r in server.requests if r.model == PANEL[0])
        # The failure may cut the title off, sent or not: then it counts at its reserve, which is no larger.
        assert answer <= await spent(opened) <= 2.01 * answer


async def test_a_reply_that_breaks_off_counts_though_nobody_says_what_it_cost(store_url: str) -> None:
    async with metered_models() as server, engine(server, store_url, attempts=3) as opened:
        server.script.models = {model: Reply(text="one two three", drop_after=2) for model in PANEL}
        assert await ask(opened) == "failed"
        assert billed(server) <= await spent(opened) <= 1


async def test_a_call_that_hangs_or_is_cancelled_counts_as_if_it_had_been_answered(store_url: str) -> None:
    async with metered_models(hold_after=1) as server, engine(server, store_url) as opened:
        record = await opened.start(ASK, user="ann")
        await sent(server, 4)
        await opened.cancel(record.id, user="ann")
        assert billed(server) <= await spent(opened) <= 1


async def test_whoever_deletes_a_conversation_does_not_get_the_money_back(store_url: str) -> None:
    from moot.history.conversations import delete_conversation

    async with metered_models() as server, engine(server, store_url) as opened:
        record = await opened.start(ASK, user="ann")
        await opened.finished(record.id)
        await delete_conversation(opened, "ann", record.conversation_id)
        assert await spent(opened) == pytest.approx(billed(server))


async def test_whoever_deletes_a_conversation_under_way_pays_for_what_was_sent(store_url: str) -> None:
    from moot.history.conversations import delete_conversation

    async with metered_models(hold_after=2) as server, engine(server, store_url) as opened:
        record = await opened.start(ASK, user="ann")
        await sent(server, 4)
        await delete_conversation(opened, "ann", record.conversation_id)
        server.release()
        assert billed(server) <= await spent(opened) <= 1


async def test_a_model_without_a_price_is_not_asked_on_a_limited_budget() -> None:
    async with metered_models() as server, engine(server, "sqlite://") as opened:
        unpriced = AskRequest.of({**BODY, "modeConfig": {"councilModels": [*PANEL[:2], "x/unpriced"]}})
        with pytest.raises(Rejected, match="No price is known for x/unpriced"):
            await opened.start(unpriced, user="ann")
        await change_limits(opened, "ann", LimitChange.model_validate({"dollarsPerDay": None}))
        await opened.finished((await opened.start(unpriced, user="ann")).id)


async def test_a_question_that_may_cost_more_than_the_limit_says_so() -> None:
    async with metered_models() as server, engine(server, "sqlite://", dollars_per_day=0.01) as opened:
        with pytest.raises(LimitReached, match="more than your limit of") as refused:
            await opened.start(ASK, user="ann")
        assert refused.value.limit == "dollarsPerDay"
        assert 1 <= refused.value.retry_after <= 24 * 60 * 60
        assert server.requests == []


@asynccontextmanager
async def moot_server(models: ModelServer, url: str, folder: Path) -> AsyncIterator[tuple[str, int]]:
    """A real server; its address and its process id."""
    environment = {
        **os.environ,
        **models.environment,
        "DATABASE_URL": url,
        "XDG_CONFIG_HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
        "MOOT_PORT": "0",
        "MOOT_DOLLARS_PER_DAY": "1",
        "MOOT_TITLE_MODEL": TITLE,
        "MOOT_LEASE_SECONDS": "2",
    }
    command = [str(Path(sys.executable).with_name("moot")), "serve"]
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().split()[-1], process.pid
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def post(session: aiohttp.ClientSession, address: str) -> int:
    """The answer's status; the stream is read to its end, or to the server's."""
    try:
        async with session.post(f"{address}/api/council/stream", json=BODY) as response:
            await response.read()
            if response.status == 429:
                assert int(response.headers["retry-after"]) >= 1
                assert (await response.json())["limit"] == "dollarsPerDay"
            return response.status
    except aiohttp.ClientError:
        return 0


async def wait_for_end(session: aiohttp.ClientSession, address: str) -> None:
    while True:
        async with session.get(f"{address}/api/runs?status=running") as response:
            if not (await response.json())["runs"]:
                return
        await asyncio.sleep(0.05)


async def test_a_server_killed_among_two_hundred_questions_spends_no_more_than_a_dollar(
    store_url: str, tmp_path: Path
) -> None:
    connector = aiohttp.TCPConnector(limit=0)
    async with metered_models(hold_after=6) as models, aiohttp.ClientSession(connector=connector) as session:
        async with moot_server(models, store_url, tmp_path) as (address, pid):
            asking = [asyncio.create_task(post(session, address)) for _ in range(200)]
            await sent(models, 9)
            os.kill(pid, signal.SIGKILL)
            first = Counter(await asyncio.gather(*asking))
        assert first[429] > 0
        models.release()
        async with moot_server(models, store_url, tmp_path) as (address, _):
            await wait_for_end(session, address)
            again = Counter(await asyncio.gather(*(post(session, address) for _ in range(200))))
            await wait_for_end(session, address)
            async with session.get(f"{address}/api/limits") as response:
                limits = {one["name"]: one for one in (await response.json())["limits"]}
    assert set(again) <= {200, 429}
    assert billed(models) <= 1
    assert billed(models) <= limits["dollarsPerDay"]["used"] <= 1
