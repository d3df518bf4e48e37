"""Directions and history of a request: they reach every seat, are stored with the run, and cost nothing when absent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from moot.kernel.directions import FORM
from moot.kernel.errors import Rejected
from moot.kernel.request import AskRequest
from moot.kernel.values import Message, Request
from moot.testing import SILENCE
from tests.harness.waiting import until
from tests.kernel.test_engine import ASK, engine, script

SYSTEM = "You advise a team of two."
ONCE = Message(role="system", content=f"{SYSTEM}\n\n{FORM}")


def directed(**more: Any) -> AskRequest:
    return ASK.model_copy(update={"system": SYSTEM, **more})


def seats(requests: list[Request]) -> list[Request]:
    return [request for request in requests if request.model != "title"]


async def test_a_system_prompt_and_a_temperature_reach_every_seat_and_role_but_not_the_title() -> None:
    lines = script()
    async with engine(lines) as opened:
        record = await opened.start(directed(temperature=0.3))
        assert (await opened.finished(record.id)).status == "complete"

    assert len(seats(lines.requests)) == 6
    assert {request.messages[0] for request in seats(lines.requests)} == {ONCE}
    assert {request.temperature for request in seats(lines.requests)} == {0.3}
    title = next(request for request in lines.requests if request.model == "title")
    assert [message.role for message in title.messages] == ["user"]
    assert title.temperature is None


async def test_a_request_without_directions_asks_what_it_always_asked() -> None:
    lines = script()
    async with engine(lines) as opened:
        record = await opened.start(ASK)
        assert (await opened.finished(record.id)).directions is None

    first = lines.requests[0]
    assert first == Request.of("ann", [Message(role="user", content=ASK.question)])


async def test_a_mode_with_a_system_prompt_of_its_own_gets_both_in_one_message() -> None:
    lines = script(ann="A report.", bob="A report.", cyd="A report.")
    async with engine(lines) as opened:
        record = await opened.start(
            AskRequest.of({"question": "Tabs?", "mode": "specialist_panel", "system": SYSTEM})
        )
        await opened.finished(record.id)

    for request in seats(lines.requests):
        assert [message.role for message in request.messages].count("system") == 1
        assert request.messages[0].content.startswith(f"{SYSTEM}\n\n{FORM}")


async def test_a_resumed_run_still_has_its_directions(tmp_path: Path) -> None:
    silent = script(cyd=SILENCE)
    async with engine(silent, tmp_path / "moot.db") as opened:
        record = await opened.start(directed(temperature=0.5))
        await until(lambda: len(seats(silent.requests)) == 3)

    lines = script(ann=[], bob=[])  # their answers are found, their ballots are asked for
    async with engine(lines, tmp_path / "moot.db") as opened:
        await until(lambda: "cyd" in {request.model for request in lines.requests})
    asked = [request for request in lines.requests if request.model == "cyd"]
    assert asked[0].messages == (ONCE, Message(role="user", content=ASK.question))
    assert asked[0].temperature == 0.5
    assert record.directions is not None


async def test_a_follow_up_keeps_the_directions_of_its_conversation_unless_it_has_others() -> None:
    lines = script()
    async with engine(lines) as opened:
        first = await opened.start(directed())
        await opened.finished(first.id)
        second = await opened.start(
            AskRequest.of({"question": "Why?", "mode": "vote", "conversationId": first.conversation_id})
        )
        await opened.finished(second.id)
        assert second.directions == first.directions
        third = await opened.start(
            AskRequest.of(
                {
                    "question": "Sure?",
                    "mode": "vote",
                    "conversationId": first.conversation_id,
                    "temperature": 1.0,
                }
            )
        )
        await opened.finished(third.id)
        assert third.directions == b'{"temperature":1.0}'


async def test_a_history_that_the_caller_keeps_is_put_before_the_question() -> None:
    turns = [{"role": "user", "content": "Vi or Emacs?"}, {"role": "assistant", "content": "Vi."}]
    lines = script()
    async with engine(lines) as opened:
        record = await opened.start(AskRequest.of({"question": "Why?", "mode": "vote", "history": turns}))
        await opened.finished(record.id)
    assert [message.content for message in lines.requests[0].messages] == ["Vi or Emacs?", "Vi.", "Why?"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"mode": "debate"}, "Debate takes no follow-up questions: start a new conversation"),
        ({"conversationId": "x"}, "Use either history or conversationId, not both"),
        (
            {"history": [{"role": "system", "content": "x"}]},
            "history holds user and assistant turns; use system for the rest",
        ),
        ({"temperature": 3}, "temperature must be at most 2"),
        (
            {"history": [{"role": "tool", "content": "x"}]},
            "history[0].role must be 'system', 'user' or 'assistant'",
        ),
        ({"system": "x" * 2_000_001}, "system has 2000001 characters, the limit is"),
    ],
)
async def test_what_cannot_be_obeyed_is_refused(body: dict[str, Any], message: str) -> None:
    turns = [{"role": "user", "content": "Vi or Emacs?"}]
    async with engine(script()) as opened:
        with pytest.raises(Rejected) as refused:
            await opened.start(AskRequest.of({"question": "Why?", "mode": "vote", "history": turns, **body}))
    assert str(refused.value).startswith(message)
