"""Runs for the tests of the store, told in a few words.

await store.begin(an_opening("r1"))
await store.append(an_append("r1", event=an_event("vote_start")))
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from moot.kernel.values import Call, Row, Usage
from moot.store import Append, NewRun, Store, StoredEvent, runs

NEVER = 10**13
"""A moment long after every test."""


def an_event(key: str, body: bytes = b'{"data":1}', *, at: int = 7) -> StoredEvent:
    return StoredEvent(key, key.split("/")[0], at, body)


def an_opening(run_id: str, **changes: Any) -> NewRun:
    """A run of a new conversation of its own; `changes` replace fields."""
    opening = NewRun(
        run_id=run_id,
        user_id="ann",
        conversation_id=f"conversation of {run_id}",
        user_message_id=f"question of {run_id}",
        message_id=f"answer of {run_id}",
        mode="vote",
        question=f"What about {run_id}?",
        config=b'{"councilModels":["a/a"]}',
        history=b"[]",
        seed="seed",
        started_at=1_000_000,
        owner="me",
        lease_until=NEVER,
        opening=an_event("vote_start", b'{"mode":"vote"}', at=0),
        title=f"Title of {run_id}",
        new_conversation=True,
    )
    return replace(opening, **changes)


def a_follow_up(run_id: str, first: str, **changes: Any) -> NewRun:
    """Another turn of the conversation that the run `first` began."""
    return an_opening(run_id, conversation_id=f"conversation of {first}", new_conversation=False, **changes)


def a_retry(run_id: str, of: str, **changes: Any) -> NewRun:
    shown = an_opening(of)
    return an_opening(
        run_id,
        conversation_id=shown.conversation_id,
        user_message_id=shown.user_message_id,
        message_id=shown.message_id,
        question=shown.question,
        title=shown.title,
        retry_of=of,
        **{"new_conversation": False, **changes},
    )


async def taken_over(store: Store, run_id: str) -> int:
    """Let another process take up a run; the epoch from then on."""
    record = await store.change(lambda db: runs.claim(db, run_id, "other", 1, NEVER, lambda owner: True))
    assert record is not None
    return record.epoch


def an_append(run_id: str, *, epoch: int = 1, **parts: Any) -> Append:
    return Append(run_id, epoch, active_ms=5, lease_until=NEVER, **parts)


def a_call(step: str, seat: int | None = None, **changes: Any) -> Call:
    call = Call(
        step=step,
        seat=seat,
        digest=f"digest of {step}",
        model="a/a",
        started_ms=10,
        ended_ms=250,
        first_token_ms=20,
        attempts=2,
        text=f"answer to {step}",
        reasoning="because",
        usage=Usage(prompt_tokens=3, completion_tokens=4, reasoning_tokens=1),
        cost=0.25,
        finish_reason="stop",
    )
    return replace(call, **changes)


def a_failure(step: str, seat: int | None = None) -> Call:
    return a_call(step, seat, text=None, kind="timeout", reason="a/a took too long.", cost=None)


def a_row(content: str, **changes: Any) -> Row:
    row = Row(
        stage_type="collect",
        stage_order=1,
        content=content,
        seat=1,
        model="a/a",
        role="respondent",
        parsed_data={"score": 1.5, "labels": ["Response A"]},
        response_time_ms=240,
    )
    return replace(row, **changes)
