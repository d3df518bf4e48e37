"""The engine: what is kept, who works on what, and how followers see it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from moot.kernel.engine import Engine
from moot.kernel.errors import Rejected, TransportError
from moot.kernel.mode import Mode, Panel
from moot.kernel.request import AskRequest
from moot.kernel.values import Row
from moot.modes import MODES
from moot.settings import Settings
from moot.store import RunRecord, conversations, runs
from moot.store.urls import store_for
from moot.testing import SILENCE, Scripted, vote_for
from moot.transport import Transport
from tests.harness.long_text import long_text
from tests.harness.waiting import PATIENCE, until

PANEL = ("ann", "bob", "cyd")


def voice(answer: str) -> Any:
    """A model that gives this answer, and votes for tabs."""
    ballot = vote_for("tabs")
    return lambda request: ballot(request) if "VOTE:" in request.messages[-1].content else answer


VOTES: dict[str, Any] = {"ann": voice("tabs"), "bob": voice("spaces"), "cyd": voice("both")}
ASK = AskRequest.of(
    {"question": "Tabs or spaces?", "mode": "vote", "modeConfig": {"councilModels": list(PANEL)}}
)


def script(**changes: Any) -> Scripted:
    lines = {**VOTES, "title": "A Title", **changes}
    return Scripted({model: list(line) if isinstance(line, list) else line for model, line in lines.items()})


@asynccontextmanager
async def engine(
    transport: Transport,
    database: Path | None = None,
    *,
    adopts: bool = True,
    modes: dict[str, Mode[Any]] | None = None,
    **settings: Any,
) -> AsyncIterator[Engine]:
    url = f"sqlite:///{database}" if database else "sqlite://"
    chosen = Settings(title_model="title", lease_seconds=2, **settings)
    made = Engine(
        store_for(url), transport, Panel(PANEL), chosen, adopts=adopts, modes=modes or MODES, strict=True
    )
    async with made as opened:
        yield opened


async def told(opened: Engine, record: RunRecord, **options: Any) -> list[dict[str, Any]]:
    return [orjson.loads(f.json()) async for batch in opened.follow(record.id, **options) for f in batch]


async def joining(
    opened: Engine, record: RunRecord, when: Callable[[list[dict[str, Any]]], bool]
) -> list[dict[str, Any]]:
    """What someone is shown at once who joins as soon as it is that."""
    first: list[dict[str, Any]] = []

    async def is_so() -> bool:
        joined = opened.follow(record.id, tokens=True)
        first[:] = [orjson.loads(frame.json()) for frame in await anext(joined)]
        await joined.aclose()  # type: ignore[attr-defined]
        return when(first)

    await until(is_so)
    return first


def types(frames: list[dict[str, Any]]) -> list[str]:
    return [frame["type"] for frame in frames]


async def stored_calls(opened: Engine, record: RunRecord, count: int) -> None:
    async def are_stored() -> bool:
        return len(await opened.store.read(lambda db: runs.calls_of(db, record.id))) >= count

    await until(are_stored)


async def messages(opened: Engine, record: RunRecord) -> list[Any]:
    return await opened.store.read(lambda db: conversations.messages(db, record.conversation_id))


async def test_every_position_gives_exactly_the_rest_live_and_stored() -> None:
    async with engine(script()) as opened:
        record = await opened.start(ASK)
        whole = await told(opened, record)
        for after in range(len(whole) + 1):
            assert await told(opened, record, after=after) == whole[after:]


async def test_a_late_joiner_gets_the_text_so_far_and_a_replay_the_calls_again() -> None:
    transport = script(cyd=["both", SILENCE])
    async with engine(transport) as opened:
        record = await opened.start(ASK)
        await stored_calls(opened, record, 6)
        first = await joining(opened, record, lambda frames: types(frames).count("call_complete") == 6)
        [*_, under_way] = [f["data"] for f in first if f["type"] == "call_start"]
        assert under_way == (
            {"step": "vote", "seat": 3, "model": "cyd", "attempt": 1, "call": under_way["call"]}
        )
        said = [f["data"] for f in first if f["type"] == "token" and f["data"]["step"] == "vote"]
        assert sorted(data["seat"] for data in said) == [1, 2]
        assert all("VOTE: Response" in data["text"] for data in said)
        await opened.cancel(record.id)
        replay = await told(opened, record, tokens=True)
        assert types(replay)[0] == "vote_start"
        assert types(replay).count("call_complete") == 6
        assert types(replay)[-1] == "error"


async def test_tokens_are_live_joined_and_never_stored() -> None:
    async with engine(script(ann=["tabs are simply best", vote_for("tabs")])) as opened:
        record = await opened.start(ASK)
        frames = await told(opened, record, tokens=True)
        text = "".join(
            f["data"]["text"]
            for f in frames
            if f["type"] == "token" and f["data"]["seat"] == 1 and f["data"]["step"] == "collect"
        )
        assert text == "tabs are simply best"
        assert "token" not in types(await told(opened, record))


async def test_a_run_whose_owner_is_gone_can_be_cancelled_and_keeps_its_answers(tmp_path: Path) -> None:
    async with engine(script(bob=["spaces", SILENCE]), tmp_path / "m.db") as opened:
        record = await opened.start(ASK)
        await stored_calls(opened, record, 6)
    async with engine(script(), tmp_path / "m.db", adopts=False) as opened:
        await opened.cancel(record.id)
        frames = await told(opened, record)
        assert frames[-1]["message"] == "Cancelled."
        kept = await messages(opened, record)
        assert [message.status for message in kept] == ["complete", "cancelled"]


async def test_a_cancel_during_shutdown_is_not_forgotten(tmp_path: Path) -> None:
    async with engine(script(bob=[SILENCE]), tmp_path / "m.db") as opened:
        record = await opened.start(ASK)
        await stored_calls(opened, record, 3)
        cancelling = asyncio.create_task(opened.cancel(record.id))
        for _ in range(500):
            if (await opened.run(record.id)).cancel_requested:
                break
    await asyncio.wait([cancelling])
    async with engine(script(), tmp_path / "m.db") as opened:
        assert (await opened.finished(record.id)).status == "cancelled"


async def test_two_engines_of_one_process_do_not_touch_each_others_runs(tmp_path: Path) -> None:
    transport = script(bob=["spaces", SILENCE])
    async with engine(transport, tmp_path / "m.db") as working:
        record = await working.start(ASK)
        await stored_calls(working, record, 6)
        async with engine(script(), tmp_path / "m.db") as other:
            assert not await other.resume(record.id)
        async with engine(script(), tmp_path / "m.db") as other:
            assert not await other.resume(record.id)
        assert record.id in working.running
        assert (await working.run(record.id)).epoch == 1


async def test_a_program_that_asks_one_question_leaves_orphans_alone(tmp_path: Path) -> None:
    async with engine(script(bob=["spaces", SILENCE]), tmp_path / "m.db") as opened:
        record = await opened.start(ASK)
        await stored_calls(opened, record, 6)
    other = script()
    async with engine(other, tmp_path / "m.db", adopts=False) as opened:
        await asyncio.sleep(0.05)
        assert record.id not in opened.running
        assert other.requests == []
        assert await opened.resume(record.id)
        assert (await opened.finished(record.id)).status == "complete"


async def test_a_run_stored_in_a_form_that_cannot_be_read_ends_and_the_others_go_on(tmp_path: Path) -> None:
    async with engine(script(bob=SILENCE), tmp_path / "m.db") as opened:
        odd = await opened.start(ASK)
        good = await opened.start(ASK)
        await stored_calls(opened, odd, 3)
        await opened.store.change(
            lambda db: db.exec_driver_sql(
                f"UPDATE runs SET config = '{{\"councilModels\": [\"x\"]}}' WHERE id = '{odd.id}'"
            )
        )
    async with engine(script(), tmp_path / "m.db") as opened:
        assert (await opened.finished(odd.id)).status == "failed"
        assert (await opened.finished(good.id)).status == "complete"


async def test_a_mode_that_cannot_fold_its_story_fails_once_and_for_all() -> None:
    def broken(story: Any) -> str | None:
        raise KeyError("bug")

    async with engine(script(), modes={"vote": replace(MODES["vote"], answer=broken)}) as opened:
        record = await opened.start(ASK)
        frames = await told(opened, record)
        assert frames[-1]["message"] == f"Internal error (run {record.id})."
        assert (await opened.finished(record.id)).epoch == 1


async def test_a_row_that_cannot_be_stored_fails_the_run_once_and_for_all() -> None:
    def odd(event: Any) -> list[Row]:
        return [Row("collect", 1, "text", parsed_data={"kinds": {"a set is": "no JSON"}.keys()})]

    transport = script()
    async with engine(transport, modes={"vote": replace(MODES["vote"], rows=odd)}) as opened:
        record = await opened.start(ASK)
        frames = await asyncio.wait_for(told(opened, record), PATIENCE)
        assert frames[-1]["message"] == f"Internal error (run {record.id})."
        ended = await opened.finished(record.id)
        assert (ended.status, ended.epoch) == ("failed", 1)


async def test_a_bug_in_one_seat_ends_the_run_also_for_those_who_have_not_begun() -> None:
    async def seat(number: int) -> None:
        if number == 1:
            raise KeyError("bug")
        await asyncio.Event().wait()

    async def pipeline(run: Any) -> None:
        await run.together([seat(number) for number in range(1, 5)])

    async with engine(script(), modes={"vote": replace(MODES["vote"], pipeline=pipeline)}) as opened:
        record = await opened.start(ASK)
        assert (await told(opened, record))[-1]["message"] == f"Internal error (run {record.id})."


async def test_much_text_is_worked_on_beside_the_event_loop_and_little_within_it() -> None:
    places: list[bool] = []

    async def pipeline(run: Any) -> None:
        for _ in range(2):
            places.append(await run.aside(threading.current_thread) is threading.main_thread())
            await run.ask("more", "ann", f"Round {len(places)}")

    long = script(ann=long_text(50_000))
    async with engine(long, modes={"vote": replace(MODES["vote"], pipeline=pipeline)}) as opened:
        await opened.finished((await opened.start(ASK)).id)
    assert places == [True, False]


async def test_whoever_leaves_while_a_run_begins_does_not_stop_it() -> None:
    async with engine(script()) as opened:
        starting = asyncio.create_task(opened.start(ASK))
        await asyncio.sleep(0)
        starting.cancel()
        await asyncio.wait([starting])

        async def statuses() -> list[str]:
            found = await opened.store.read(lambda db: runs.runs_list(db, "local"))
            return [record.status for record in found.items]

        async def is_complete() -> bool:
            return await statuses() == ["complete"]

        await until(is_complete)


async def test_a_follower_ends_with_the_engine(tmp_path: Path) -> None:
    async with engine(script(bob=[SILENCE]), tmp_path / "m.db") as opened:
        record = await opened.start(ASK)
        following = asyncio.create_task(told(opened, record))
        await joining(opened, record, lambda frames: "stage1_start" in types(frames))
    assert types(await following)[:2] == ["vote_start", "stage1_start"]


async def test_warnings_stand_in_seat_order_whoever_fails_first() -> None:
    class Slow:
        def __init__(self) -> None:
            self.inner = script()

        async def stream(self, request: Any) -> AsyncIterator[Any]:
            if "VOTE:" in request.messages[-1].content and request.model in ("ann", "cyd"):
                await asyncio.sleep(0.05 if request.model == "ann" else 0)
                raise TransportError("other", f"{request.model} is down.")
            async for chunk in self.inner.stream(request):
                yield chunk

    async with engine(Slow()) as opened:
        record = await opened.start(ASK)
        frames = await told(opened, record)
    winner = next(f["data"] for f in frames if f["type"] == "winner_declared")
    assert winner["warnings"] == ["ann is down.", "cyd is down."]


async def test_a_call_waits_for_its_place_within_the_runs_time() -> None:
    class Full:
        async def stream(self, request: Any) -> AsyncIterator[Any]:
            await asyncio.Event().wait()
            yield

    async with engine(Full(), pipeline_seconds=15.6) as opened:
        record = await opened.start(ASK)
        frames = await told(opened, record)
    failure = next(f["data"] for f in frames if f["type"] == "model_failed")
    assert failure["kind"] == "timeout"
    assert "was not asked: no free slot within 5" in failure["reason"]


async def test_the_budget_refuses_the_next_call_and_says_so() -> None:
    async with engine(script(), max_calls=4) as opened:
        record = await opened.start(ASK)
        frames = await told(opened, record)
    assert frames[-1]["message"] == "All votes failed to parse."
    refused = [f["data"] for f in frames if f["type"] == "model_failed"]
    assert [r["kind"] for r in refused] == ["budget"] * 3
    assert refused[0]["reason"] == "ann was not asked: The budget of 4 model calls is used up."


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "Question is required"),
        ({"question": " "}, "Question is required"),
        ({"question": "x", "mode": "voting"}, "Unknown mode: voting"),
        ({"question": "x", "modes": "vote"}, "Unknown field: modes"),
        ({"question": "x" * 40_000}, "The question has 40000 characters, the limit is 32000"),
        (
            {"question": "x", "mode": "vote", "councilModels": ["a"]},
            "councilModels at the top level is for council only; use modeConfig",
        ),
        (
            {"question": "x", "councilModels": ["a", "b"], "modeConfig": {"councilModels": ["a", "b"]}},
            "councilModels is given both at the top level and in modeConfig",
        ),
        ({"question": "x", "conversationId": "nope"}, "There is no conversation nope"),
        ({"question": 5}, "question must be text"),
    ],
)
async def test_a_bad_request_is_refused_in_words(body: dict[str, Any], message: str) -> None:
    async with engine(script()) as opened:
        with pytest.raises(Rejected) as refused:
            await opened.start(AskRequest.of(body))
    assert str(refused.value) == message
