"""A batch's questions are asked some at a time, each once, within its budget and its person's limits."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import delete

from moot.batches import queries
from moot.batches.collection import (
    BatchView,
    cancel_batch,
    create_batch,
    list_batches,
    open_batch,
    read_batch,
)
from moot.batches.driver import Driver, driving, work_through
from moot.batches.lines import checked_lines
from moot.batches.outcomes import outcomes
from moot.history.conversations import delete_conversation
from moot.kernel.engine import Engine
from moot.kernel.errors import KeyReused, Rejected
from moot.kernel.mode import Panel
from moot.modes import MODES
from moot.settings import Settings
from moot.store.tables import batches
from moot.store.urls import store_for
from moot.testing import ModelServer, Reply
from moot.transport.build import transport_for
from moot.transport.catalogue import Catalogue
from tests.limits.metered_models import BODY, PANEL, TITLE, billed, metered_models

CALLS = 7
"""Of a vote: three answers, three votes and the title."""
DEFAULTS = {"mode": "vote", "modeConfig": BODY["modeConfig"]}


@asynccontextmanager
async def engine(
    server: ModelServer, url: str, *, adopts: bool = True, **settings: Any
) -> AsyncIterator[Engine]:
    chosen = Settings(
        database_url=url,
        openrouter_base_url=server.url,
        openrouter_api_key=SecretStr("sk-test"),
        title_model=TITLE,
        **{"attempts": 1, **settings},
    )
    network = transport_for(chosen)
    made = Engine(
        store_for(url),
        network,
        Panel(PANEL),
        chosen,
        modes=MODES,
        catalogue=Catalogue(chosen),
        adopts=adopts,
        strict=True,
    )
    async with made as opened:
        yield opened
    await network.aclose()


async def a_batch(
    opened: Engine, count: int, *, at_once: int = 2, budget: float | None = None, name: str = "test"
) -> queries.StoredBatch:
    questions = [f"Question {number}?" for number in range(count)]
    lines = await checked_lines(opened, enumerate(questions, 1), DEFAULTS, budget=budget)
    return await open_batch(opened, "ann", lines, name=name, budget=budget, at_once=at_once)


async def a_served_batch(opened: Engine, count: int, user: str = "ann", **options: Any) -> str:
    lines = await checked_lines(opened, enumerate([f"Question {n}?" for n in range(count)], 1), DEFAULTS)
    return (await create_batch(opened, user, lines, **{"at_once": 2, "served": True, **options})).id


async def over(opened: Engine, id: str, user: str = "ann") -> BatchView:
    async for _ in outcomes(opened, user, id):
        pass
    return await read_batch(opened, user, id)


async def test_every_question_is_asked_once_and_no_more_at_a_time_than_was_said(store_url: str) -> None:
    async with metered_models() as server, engine(server, store_url) as opened:
        most = 0
        found = []
        async for outcome in work_through(opened, await a_batch(opened, 7)):
            most = max(most, len(opened.running))
            found.append(outcome)
        view = await read_batch(
            opened, "ann", (await list_batches(opened, "ann", limit=1, cursor=None))[0][0].id
        )
    assert sorted(one.line for one in found) == [1, 2, 3, 4, 5, 6, 7]
    assert {one.status for one in found} == {"complete"}
    assert all(one.answer and one.cost and one.calls == CALLS for one in found)
    assert most <= 2
    assert len(server.requests) == 7 * CALLS
    assert (view.status, view.complete, view.waiting, view.running) == ("complete", 7, 0, 0)
    assert view.spent == pytest.approx(billed(server))


async def test_what_was_asked_under_a_name_is_not_asked_again_and_new_lines_are(store_url: str) -> None:
    async with metered_models() as server, engine(server, store_url) as opened:
        first = [one async for one in work_through(opened, await a_batch(opened, 3))]
        again = [one async for one in work_through(opened, await a_batch(opened, 3))]
        assert len(server.requests) == 3 * CALLS
        assert sorted(one.run_id for one in first) == sorted(one.run_id for one in again)
        more = [one async for one in work_through(opened, await a_batch(opened, 4))]
        assert (len(more), len(server.requests)) == (4, 4 * CALLS)
        other = [one async for one in work_through(opened, await a_batch(opened, 1, name="another"))]
        assert (len(other), len(server.requests)) == (1, 5 * CALLS)


async def test_a_budget_is_never_exceeded_and_more_of_it_goes_on(store_url: str) -> None:
    async with metered_models() as server, engine(server, store_url, reply_tokens=1000) as opened:
        batch = await a_batch(opened, 12, at_once=3, budget=0.15)
        found = [one async for one in work_through(opened, batch)]
        view = await read_batch(opened, "ann", batch.id)
        assert view.status == "stopped"
        assert "of the budget is left" in (view.reason or "")
        assert 0 < len(found) < 12
        assert 0 < billed(server) <= 0.15
        assert view.spent == pytest.approx(billed(server))
        batch = await a_batch(opened, 12, at_once=3, budget=100)
        assert len([one async for one in work_through(opened, batch)]) == 12
    assert len(server.requests) == 12 * CALLS


async def test_a_budget_needs_prices(store_url: str) -> None:
    async with metered_models() as server, engine(server, store_url) as opened:
        lines = [
            (1, {"question": "Why?", "mode": "vote", "modeConfig": {"councilModels": ["a/x", "b/y", "c/z"]}})
        ]
        with pytest.raises(Rejected, match=r"Line 1: A budget needs prices: No price is known for a/x"):
            await checked_lines(opened, lines, {}, budget=1)
        assert len(await checked_lines(opened, lines, {})) == 1


async def test_a_persons_limit_on_runs_at_once_slows_a_batch_down(store_url: str) -> None:
    async with metered_models() as server, engine(server, store_url, runs_at_once_per_person=1) as opened:
        found = [one async for one in work_through(opened, await a_batch(opened, 3, at_once=3))]
    assert [one.status for one in found] == ["complete"] * 3


async def test_a_persons_dollars_stop_a_batch_of_a_program(store_url: str) -> None:
    limits: dict[str, Any] = {"dollars_per_day": 0.15, "reply_tokens": 1000}
    async with metered_models() as server, engine(server, store_url, **limits) as opened:
        batch = await a_batch(opened, 12)
        found = [one async for one in work_through(opened, batch)]
        view = await read_batch(opened, "ann", batch.id)
    assert (view.status, view.waiting) == ("stopped", 12 - len(found))
    assert "per day is left" in (view.reason or "")
    assert 0 < billed(server) <= 0.15


async def test_a_failed_question_is_an_outcome_like_any_other(store_url: str) -> None:
    async with metered_models() as server, engine(server, store_url) as opened:
        server.script.models = {PANEL[1]: Reply(status=400), PANEL[2]: Reply(status=400)}
        found = [one async for one in work_through(opened, await a_batch(opened, 2))]
    assert [(one.status, one.answer) for one in found] == [("failed", None)] * 2
    assert all(one.error for one in found)


async def test_two_who_drive_the_same_batch_ask_every_question_once(store_url: str) -> None:
    async with metered_models() as server, engine(server, store_url) as one, engine(server, store_url) as two:
        batch = await a_batch(one, 6)
        first = Driver(one, batch, alone=True)
        # As one does that was suspended past its lease: it begins what another has begun.
        await first._load()
        assert [outcome.status async for outcome in work_through(two, batch)] == ["complete"] * 6
        assert await first._begin(first._waiting[0])
        await asyncio.gather(*(one.finished(run_id) for run_id in first._running))
    assert len(server.requests) == 6 * CALLS


async def test_a_question_whose_conversation_was_deleted_is_not_asked_again(store_url: str) -> None:
    async with metered_models() as server, engine(server, store_url) as opened:
        found = [one async for one in work_through(opened, await a_batch(opened, 2))]
        assert found[0].conversation_id is not None
        await delete_conversation(opened, "ann", found[0].conversation_id)
        again = [one async for one in work_through(opened, await a_batch(opened, 2))]
    assert sorted(one.status for one in again) == ["complete", "deleted"]
    assert len(server.requests) == 2 * CALLS


async def test_a_batch_that_is_deleted_between_two_steps_of_its_driver_begins_nothing_more(
    store_url: str,
) -> None:
    async with metered_models() as server, engine(server, store_url) as opened:
        batch = await a_batch(opened, 2)
        driver = Driver(opened, batch, alone=True)
        assert await driver._claimed()
        await driver._load()
        await opened.store.change(lambda db: db.execute(delete(batches).where(batches.c.id == batch.id)))
        assert not await driver._begin(driver._waiting[0])
        assert not await driver._turn()
    assert server.requests == []


async def test_servers_drive_what_is_sent_to_them_and_one_goes_on_for_another(store_url: str) -> None:
    async with metered_models(hold_after=3) as server:
        async with engine(server, store_url, runs_at_once=50) as first, driving(first):
            id = await a_served_batch(first, 4)
            while len(server.requests) < 4:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        server.release()
        async with engine(server, store_url) as second, driving(second):
            view = await over(second, id)
    assert (view.status, view.complete) == ("complete", 4)
    received = Counter(request.digest for request in server.requests)
    assert [received[one.digest] for one in server.requests[:3]] == [1, 1, 1], (
        "an answered call was made twice"
    )
    assert len(received) == 4 * CALLS


async def test_where_no_worker_takes_the_runs_of_a_batch_its_driver_works_on_them(postgres_url: str) -> None:
    async with metered_models() as server, engine(server, postgres_url, adopts=False) as opened:
        found = [one async for one in work_through(opened, await a_batch(opened, 2))]
    assert [one.status for one in found] == ["complete", "complete"]
    assert len(server.requests) == 2 * CALLS


async def test_a_cancelled_batch_stops_what_goes_on_and_asks_nothing_more(store_url: str) -> None:
    async with metered_models(hold_after=0) as server, engine(server, store_url) as opened:
        id = await a_served_batch(opened, 5)
        async with driving(opened):
            while (await read_batch(opened, "ann", id)).running < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            await cancel_batch(opened, "ann", id)
            view = await over(opened, id)
        found = [one async for one in outcomes(opened, "ann", id, follow=False)]
    assert (view.status, view.cancelled, view.waiting) == ("cancelled", 2, 3)
    assert [one.status for one in found] == ["cancelled"] * 2


async def test_the_same_key_gives_the_same_batch(store_url: str) -> None:
    async with metered_models() as server, engine(server, store_url) as opened:
        first = await a_served_batch(opened, 2, key="k")
        assert await a_served_batch(opened, 2, key="k") == first
        assert await a_served_batch(opened, 2, user="bob", key="k") != first
        with pytest.raises(KeyReused):
            await a_served_batch(opened, 3, key="k")
