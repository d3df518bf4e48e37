"""Grading a trace after its run: what the judge said and cost is kept like any call's, in both databases."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from moot.history.views import Totals
from moot.kernel.errors import Conflict, NotFound
from moot.kernel.request import AskRequest
from moot.kernel.values import Call
from moot.store import runs
from moot.testing import Reply
from moot.traces import queries as traces
from moot.traces.collection import Rating, rate_trace, read_trace, score_trace
from tests.harness.chamber import QUESTION, Chamber
from tests.harness.resuming import until_told

CONFIG: dict[str, Any] = {
    "proposerModel": "a/ann",
    "skepticModel": "b/bob",
    "synthesizerModel": "c/cyd",
    "judgeModel": "d/dee",
    "maxRounds": 1,
    "useTemplates": False,
}
DOWN = Reply(status=500, message="the judge is out")


def cast(*grades: Any) -> dict[str, Any]:
    def dear(text: str) -> Reply:
        return Reply(text=text, cost=0.01)

    return {
        "t/title": dear("A Short Title"),
        "a/ann": dear("## Answer\nTabs."),
        "b/bob": dear("🔴 C1 | The premise | line 1\nScore: 4/10"),
        "c/cyd": dear("## Answer\nTabs, finally."),
        "d/dee": [dear(grade) if isinstance(grade, str) else grade for grade in grades],
    }


async def calls(chamber: Chamber, id: str) -> list[Call]:
    return await chamber.store.read(lambda db: runs.calls_of(db, id))


async def test_a_later_grade_is_journaled_and_counted(store_url: str) -> None:
    models = cast("no number", "Score: 7\nJustification: \x00", DOWN, "Score: 9")
    async with Chamber(models, database=store_url, embedder="off") as chamber:
        id = (await chamber.deliberate("dialectic", **CONFIG)).record.id
        before = await calls(chamber, id)
        assert len(before) == 5
        assert (await read_trace(chamber.engine, "local", id))["ext"]["cost_usd"] == pytest.approx(0.05)

        graded = await score_trace(chamber.engine, "local", id)
        assert (graded.auto_score, graded.score_error) == (7.0, None)
        [call] = [one for one in await calls(chamber, id) if one not in before]
        assert (call.step, call.model, call.cost) == ("auto_score/later/0", "d/dee", 0.01)
        assert call.text is not None
        assert call.text.startswith("Score: 7")
        assert call.started_ms >= max(one.ended_ms for one in before)
        assert Totals.of(await calls(chamber, id)).cost == pytest.approx(0.06)
        told = (await read_trace(chamber.engine, "local", id))["ext"]
        assert told["cost_usd"] == pytest.approx(0.06)
        assert told["tokens"]["completion"] == sum(
            one.usage.completion_tokens or 0 for one in await calls(chamber, id)
        )

        failed = await score_trace(chamber.engine, "local", id)
        assert failed.auto_score is None
        assert "the judge is out" in (failed.score_error or "")
        last = await score_trace(chamber.engine, "local", id)
        assert last.auto_score == 9.0
        replayed = [frame.type async for batch in chamber.engine.follow(id, tokens=True) for frame in batch]
        assert (replayed[-1], replayed.count("call_complete")) == ("complete", 5), "the story has ended"
        later = [one for one in await calls(chamber, id) if one not in before]
        assert [one.step for one in later] == [f"auto_score/later/{number}" for number in range(3)]
        assert (later[1].text, later[1].kind) == (None, "other")


async def test_two_who_grade_at_once_lose_no_call(store_url: str) -> None:
    async with Chamber(
        cast("Score: 5", "Score: 7", "Score: 7"), database=store_url, embedder="off"
    ) as chamber:
        id = (await chamber.deliberate("dialectic", **CONFIG)).record.id
        both = await asyncio.gather(*(score_trace(chamber.engine, "local", id) for _ in range(2)))
        assert [one.auto_score for one in both] == [7.0, 7.0]
        assert Totals.of(await calls(chamber, id)).cost == pytest.approx(0.07)


async def test_while_the_runs_own_judge_is_at_work_nobody_else_is_asked() -> None:
    async with Chamber(cast(Reply(hang=True)), embedder="off") as chamber:
        ask = {"question": QUESTION, "mode": "dialectic", "modeConfig": CONFIG}
        id = (await chamber.engine.start(AskRequest.of(ask))).id
        await until_told(chamber, id, "trace_saved")
        with pytest.raises(Conflict, match="is still in progress"):
            await score_trace(chamber.engine, "local", id)
        with pytest.raises(NotFound):
            await score_trace(chamber.engine, "somebody", id)
        await chamber.engine.cancel(id)
        assert len(await calls(chamber, id)) == 4


async def test_what_belongs_to_somebody_else_is_not_there() -> None:
    async with Chamber(cast("Score: 5"), embedder="off") as chamber:
        engine, id = chamber.engine, (await chamber.deliberate("dialectic", **CONFIG)).record.id
        for door in (
            read_trace(engine, "somebody", id),
            rate_trace(engine, "somebody", id, Rating(rating=1)),
            rate_trace(engine, "somebody", id, None),
            score_trace(engine, "somebody", id),
        ):
            with pytest.raises(NotFound, match=f"There is no trace {id}"):
                await door
        theirs = await chamber.store.read(lambda db: traces.traces(db, "somebody", traces.TraceFilter()))
        assert theirs.items == []
        assert (await read_trace(engine, "local", id))["user_rating"] is None
        assert len(await calls(chamber, id)) == 5
