"""Stop a run after any number of calls and resume it: the same story, and no finished call paid twice.

The engine is strict here: an event told again with other content fails the run.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from moot.kernel.errors import Conflict
from moot.kernel.request import AskRequest
from moot.kernel.run import Run, enough, seats
from moot.kernel.values import Prompt, Rewording
from moot.modes import MODES
from moot.modes.council import config as council_config
from moot.modes.council import events as council_events
from moot.store import runs
from moot.testing import Received, Reply
from tests.harness.chamber import TITLE_MODEL, Chamber
from tests.harness.waiting import until

PANEL = ["a/ann", "b/bob", "c/cyd"]
CALLS = {"council": 7, "vote": 6, "debate": 9}


def voice(received: Received) -> str | Reply:
    """A model that answers any prompt of the three modes, the same way each time."""
    if "VOTE:" in received.prompt:
        return "VOTE: Response B"
    if "DECISION:" in received.prompt:
        return f"DECISION: REVISE\nREASONING: better\n\nREVISED RESPONSE:\nnew of {received.model}"
    if "FINAL RANKING" in received.prompt:
        return "FINAL RANKING:\n1. Response C\n2. Response A\n3. Response B"
    return f"answer of {received.model}"


def chamber(database: Path) -> Chamber:
    return Chamber(dict.fromkeys(PANEL, voice), database=f"sqlite:///{database}")


def config(mode: str) -> dict[str, Any]:
    return {"models": PANEL} if mode == "debate" else {"councilModels": PANEL}


async def until_stored(room: Chamber, run_id: str, calls: int) -> None:
    async def are_stored() -> bool:
        stored = await room.store.read(lambda db: runs.calls_of(db, run_id))
        return len([call for call in stored if call.model != TITLE_MODEL]) >= calls

    await until(are_stored)


@pytest.mark.parametrize(
    ("mode", "stop"), [(mode, n) for mode, calls in CALLS.items() for n in range(calls + 1)]
)
async def test_a_run_stopped_after_any_call_ends_the_same(mode: str, stop: int, tmp_path: Path) -> None:
    ask = AskRequest.of({"question": "Tabs or spaces?", "mode": mode, "modeConfig": config(mode)})
    async with chamber(tmp_path / "moot.db") as room:
        answered: Counter[str] = Counter()

        def until_stop(received: Received) -> str | Reply:
            answered[received.digest] += 1
            if answered.total() > stop:
                answered[received.digest] -= 1
                return Reply(hang=True)
            return voice(received)

        room.server.script.models = {**dict.fromkeys(PANEL, until_stop), TITLE_MODEL: "A Short Title"}
        record = await room.engine.start(ask)
        await until_stored(room, record.id, stop)

    async with chamber(tmp_path / "moot.db") as room:
        held = await room.held(record)
        asked_again = Counter(r.digest for r in room.server.requests if r.model != TITLE_MODEL)
        whole = await room.deliberate(mode, **config(mode))
    assert held.record.status == "complete"
    assert [frame["type"] for frame in held.frames] == [frame["type"] for frame in whole.frames]
    finished = {digest for digest, count in answered.items() if count}
    assert not finished & set(asked_again), "a finished call was paid twice"
    assert len(finished) + asked_again.total() == CALLS[mode]


async def test_a_retry_of_a_cancelled_run_inherits_its_seed_and_answers(tmp_path: Path) -> None:
    async with chamber(tmp_path / "moot.db") as room:
        hanging: dict[str, Any] = {
            **dict.fromkeys(PANEL, voice),
            "c/cyd": Reply(hang=True),
            TITLE_MODEL: "Title",
        }
        room.server.script.models = hanging
        record = await room.engine.start(
            AskRequest.of({"question": "Tabs or spaces?", "mode": "debate", "modeConfig": config("debate")})
        )
        await until_stored(room, record.id, 2)
        await room.engine.cancel(record.id)
        cancelled = await room.held(record)
        assert cancelled.frames[-1]["message"] == "Cancelled."
        assert (cancelled.message, cancelled.rows) == (None, [])

        room.server.script.models = {**dict.fromkeys(PANEL, voice), TITLE_MODEL: "Title"}
        room.server.requests.clear()
        retried = await room.held(await room.engine.retry(record.id))
    assert retried.record.status == "complete"
    assert retried.frames[0]["retryOf"] == record.id
    assert (retried.record.message_id, retried.record.seed) == (record.message_id, record.seed)
    first_answers = [r for r in retried.requests if "DECISION" not in r.prompt and "VOTE" not in r.prompt]
    assert [r.model for r in first_answers] == ["c/cyd"]


async def test_a_complete_run_cannot_be_retried_or_cancelled(tmp_path: Path) -> None:
    async with chamber(tmp_path / "moot.db") as room:
        held = await room.deliberate("vote", **config("vote"))
        with pytest.raises(Conflict, match="only a failed, cancelled or degraded run can be retried"):
            await room.engine.retry(held.record.id)
        with pytest.raises(Conflict, match="The run is complete and cannot be cancelled"):
            await room.engine.cancel(held.record.id)


async def test_a_degraded_run_is_retried_for_what_failed_only(tmp_path: Path) -> None:
    async with chamber(tmp_path / "moot.db") as room:
        down = Reply(status=500, message="down")
        room.server.script.models = {**dict.fromkeys(PANEL, voice), "c/cyd": down, TITLE_MODEL: "Title"}
        degraded = await room.deliberate("vote", **config("vote"))
        assert degraded.record.status == "degraded"
        room.server.script.models = {**dict.fromkeys(PANEL, voice), TITLE_MODEL: "Title"}
        room.server.requests.clear()
        retried = await room.held(await room.engine.retry(degraded.record.id))
    assert retried.record.status == "complete"
    collected = [r.model for r in retried.requests if "VOTE:" not in r.prompt]
    assert collected == ["c/cyd"]
    assert [stage for _, stage in retried.stages].count("collect") == 3


async def test_a_conversation_takes_one_run_at_a_time(tmp_path: Path) -> None:
    async with chamber(tmp_path / "moot.db") as room:
        held = await room.deliberate("vote", **config("vote"))
        room.server.script.models = {**dict.fromkeys(PANEL, Reply(hang=True))}
        ask = AskRequest.of(
            {"question": "And?", "mode": "vote", "conversationId": held.record.conversation_id}
        )
        record = await room.engine.start(ask)
        with pytest.raises(Conflict):
            await room.engine.start(ask)
        await room.engine.cancel(record.id)


async def test_a_run_is_retried_once_then_its_retry_is(tmp_path: Path) -> None:
    async with chamber(tmp_path / "moot.db") as room:
        room.server.script.models = {
            **dict.fromkeys(PANEL, voice),
            "c/cyd": Reply(status=500),
            TITLE_MODEL: "Title",
        }
        degraded = await room.deliberate("vote", **config("vote"))
        room.server.script.models = {**dict.fromkeys(PANEL, voice), TITLE_MODEL: "Title"}
        retried = await room.held(await room.engine.retry(degraded.record.id))
        with pytest.raises(Conflict, match=f"was retried already: retry {retried.record.id}"):
            await room.engine.retry(degraded.record.id)
        replay = [
            frame async for batch in room.engine.follow(retried.record.id, tokens=True) for frame in batch
        ]
    assert [frame.type for frame in replay][-1] == "complete"
    inherited = [call for call in retried.calls if call.inherited]
    assert {call.model for call in inherited if call.step == "collect"} == {"a/ann", "b/bob"}
    assert all(call.response_time_ms >= 0 for call in inherited)


OLD, NEW = "Tabs or spaces?", "Tabs or spaces? Repeat 7f3a90c1."


def council_asking(prompt: Prompt) -> Any:
    """The modes, council asking its members in these words and then one of them again."""

    async def pipeline(run: Run[council_config.CouncilConfig]) -> None:
        answers = enough(await run.ask_all("stage1", seats(run.config.council_models), prompt), 2)
        await run.emit(council_events.Stage1Complete(data=answers))
        last = await run.ask("stage3", run.config.chairman_model, "Conclude.")
        await run.emit(council_events.Stage3Complete(data=council_events.Stage3Response.of(last, run.notice)))

    return {**MODES, "council": replace(MODES["council"], pipeline=pipeline)}


def chamber_asking(database: Path, prompt: Prompt) -> Chamber:
    return Chamber(
        dict.fromkeys(PANEL, voice), database=f"sqlite:///{database}", modes=council_asking(prompt)
    )


REWORDINGS = [
    pytest.param(NEW, PANEL, id="without its original, every reply is paid for again"),
    pytest.param(Rewording(NEW, original=OLD), ["c/cyd"], id="with its original, every reply is found"),
]


@pytest.mark.parametrize(("prompt", "models"), REWORDINGS)
async def test_a_run_is_resumed_after_its_prompt_was_reworded(
    prompt: Prompt, models: list[str], tmp_path: Path
) -> None:
    async with chamber_asking(tmp_path / "moot.db", OLD) as room:
        room.server.script.models = {**room.server.script.models, "c/cyd": Reply(hang=True)}
        record = await room.engine.start(
            AskRequest.of({"question": OLD, "mode": "council", "modeConfig": config("council")})
        )
        await until_stored(room, record.id, 2)
    async with chamber_asking(tmp_path / "moot.db", prompt) as room:
        held = await room.held(record)
    assert held.record.status == "complete"
    first_stage = [request for request in held.requests if request.prompt != "Conclude."]
    assert sorted(request.model for request in first_stage) == models
    assert {request.prompt for request in first_stage} == {NEW}


@pytest.mark.parametrize(("prompt", "models"), REWORDINGS)
async def test_a_run_is_retried_after_its_prompt_was_reworded(
    prompt: Prompt, models: list[str], tmp_path: Path
) -> None:
    async with chamber_asking(tmp_path / "moot.db", OLD) as room:
        room.server.script.models = {**room.server.script.models, "c/cyd": Reply(status=500)}
        degraded = await room.deliberate("council", OLD, **config("council"))
        assert degraded.record.status == "degraded"
    async with chamber_asking(tmp_path / "moot.db", prompt) as room:
        held = await room.held(await room.engine.retry(degraded.record.id))
    assert held.record.status == "complete"
    assert sorted(request.model for request in held.requests) == models
