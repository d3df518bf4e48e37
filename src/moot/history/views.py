"""What people are shown of stored runs and conversations: the same for the API, the CLI and exports.

    transcript = await read_transcript(engine, conversation_id, "local")
    view = ConversationView.of_transcript(transcript)   # camelCase, the whole result with every message

A result is folded from the stored events, so that what is read back equals what was streamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, Literal, NamedTuple

import orjson
from sqlalchemy import Connection

from moot.history.conversations import ListedConversation, no_conversation
from moot.history.erased import conversation_of, messages_of
from moot.kernel.clock import iso
from moot.kernel.engine import Engine
from moot.kernel.events import Event, ModelFailed, SchemaComplete, WarningEvent, last_data
from moot.kernel.mode import Mode
from moot.kernel.request import find_mode
from moot.kernel.run import Run
from moot.kernel.status import WITHOUT_ANSWER, Status
from moot.kernel.user import LOCAL_USER
from moot.kernel.values import Call, FailureKind, Maybe, Usage, Wire
from moot.store import RunRecord, StoredEvent, conversations, runs
from moot.store.conversations import Conversation, StoredMessage


@dataclass(frozen=True)
class Deliberation:
    """A run with all it told and, where they were asked for, its calls."""

    record: RunRecord
    mode: Mode[Any]
    stored_events: Sequence[tuple[int, StoredEvent]]
    story: Sequence[Event]
    calls: Sequence[Call] = ()

    @property
    def simulated(self) -> bool:
        return bool(getattr(self.story[0], "simulated", None))

    @property
    def result(self) -> dict[str, Any]:
        return self.mode.result(self.story).model_dump(mode="json")

    @property
    def answer(self) -> str | None:
        return self.mode.answer(self.story)

    @property
    def wants_schema(self) -> bool:
        """Whether the caller gave a schema for the answer."""
        return "schema" in orjson.loads(self.record.directions or b"{}")

    @property
    def json_answer(self) -> str | None:
        """The answer in the caller's schema, as text."""
        told = last_data(self.story, SchemaComplete)
        return told.answer if told else None

    @property
    def notices(self) -> list[str]:
        """What was missing or replaced, in the order it was told."""
        notices = (_notice(event) for event in self.story)
        return list(dict.fromkeys(notice for notice in notices if notice))

    @property
    def is_anonymous(self) -> bool:
        """Whether it is not yet told which model sits where."""
        until = self.mode.anonymous_until
        return until is not None and not any(isinstance(event, until) for event in self.story)


@dataclass(frozen=True)
class Turn:
    """A message; an assistant's comes with the newest run that worked on it."""

    message: StoredMessage
    deliberation: Deliberation | None


@dataclass(frozen=True)
class Transcript:
    conversation: Conversation
    turns: Sequence[Turn]


async def read_deliberation(engine: Engine, record: RunRecord, *, calls: bool = True) -> Deliberation:
    """A run with its events and its calls."""
    return _deliberation(engine, await engine.store.read(lambda db: _read_run(db, record, calls=calls)))


def deliberation_of(run: Run[Any]) -> Deliberation | None:
    """A run that has come to its end in this process, with its story and its calls: they are in memory and
    need not be read. Its events as they are stored are not among it. None while it goes on."""
    if run.ending is None:
        return None
    record = replace(run.record, status=run.ending.status, error=run.ending.error)
    return Deliberation(record, run.mode, (), run.events, run.calls)


async def read_transcript(
    engine: Engine, conversation_id: str, user: str = LOCAL_USER, *, calls: bool = False
) -> Transcript:
    """A conversation with the story of every message; with `calls`, all that the models wrote too.

    Raises NotFound.
    """

    def read(db: Connection) -> tuple[Conversation | None, list[StoredMessage], list[_StoredRun]]:
        newest = {run.message_id: run for run in runs.runs_of_conversation(db, user, conversation_id)}
        conversation = conversations.conversation(db, user, conversation_id)
        if conversation is None and newest:
            conversation = conversation_of(next(iter(newest.values())))
        return (
            conversation,
            _with_erased(conversations.messages(db, conversation_id), newest.values())
            if conversation
            else [],
            [_read_run(db, run, calls=calls) for run in newest.values()],
        )

    conversation, messages, stored_runs = await engine.store.read(read)
    if conversation is None:
        raise no_conversation(conversation_id)
    by_message = {run.record.message_id: _deliberation(engine, run) for run in stored_runs}
    return Transcript(conversation, [Turn(message, by_message.get(message.id)) for message in messages])


def _with_erased(messages: list[StoredMessage], newest: Iterable[RunRecord]) -> list[StoredMessage]:
    """The messages, and those that went with a run, where it was asked."""
    there = {message.id for message in messages}
    erased = [message for run in newest if run.message_id not in there for message in messages_of(run)]
    return sorted([*messages, *erased], key=lambda message: message.created_at) if erased else messages


class _StoredRun(NamedTuple):
    record: RunRecord
    stored_events: list[tuple[int, StoredEvent]]
    calls: list[Call]


def _read_run(db: Connection, record: RunRecord, *, calls: bool) -> _StoredRun:
    stored_events = runs.events_after(db, record.id, 0)
    return _StoredRun(record, stored_events, runs.calls_of(db, record.id) if calls else [])


def _deliberation(engine: Engine, stored_run: _StoredRun) -> Deliberation:
    record, stored_events, calls = stored_run
    mode = find_mode(record.mode, engine.modes)
    story = [mode.read_event(number, event.type, event.body) for number, event in stored_events]
    return Deliberation(record, mode, stored_events, story, calls)


def _notice(event: Event) -> str | None:
    match event:
        case ModelFailed(data=failure):
            return f"{failure.model or f'Seat {failure.seat}'}: {failure.reason}"
        case WarningEvent(data=warning):
            return warning.message
    return None


class RunSummary(Wire):
    """A run in a list."""

    run_id: str
    conversation_id: str
    message_id: str
    mode: str
    question: str
    status: Status
    error: str | None
    retry_of: Maybe[str]
    started_at: str
    finished_at: str | None

    @classmethod
    def of(cls, record: RunRecord) -> RunSummary:
        return cls(**_summary(record))


def _summary(record: RunRecord) -> dict[str, Any]:
    return {
        "run_id": record.id,
        "conversation_id": record.conversation_id,
        "message_id": record.message_id,
        "mode": record.mode,
        "question": record.question,
        "status": record.status,
        "error": record.error,
        "retry_of": record.retry_of,
        "started_at": iso(record.started_at),
        "finished_at": None if record.finished_at is None else iso(record.finished_at),
    }


class CallFailure(Wire):
    kind: FailureKind
    reason: str


class CallView(Wire):
    """One call, answered or failed; times are milliseconds since the run started. `inherited`: found by
    a retry, not paid for again. `text`: what was said, where the run itself has no answer to show."""

    step: str
    seat: int | None
    model: str | None
    started_ms: int
    response_time_ms: int
    first_token_ms: int | None
    attempts: int
    usage: Usage
    cost: float | None
    finish_reason: str | None
    failure: CallFailure | None
    inherited: bool
    text: Maybe[str]

    @classmethod
    def of(cls, call: Call, deliberation: Deliberation) -> CallView:
        failure = None
        if call.text is None:
            failure = CallFailure(kind=call.kind or "other", reason=call.reason or "")
        return cls(
            step=call.step,
            seat=call.seat,
            model=None if deliberation.is_anonymous and call.seat is not None else call.model,
            started_ms=call.started_ms,
            response_time_ms=call.response_time_ms,
            first_token_ms=call.first_token_ms,
            attempts=call.attempts,
            usage=call.usage,
            cost=call.cost,
            finish_reason=call.finish_reason,
            failure=failure,
            inherited=call.inherited,
            text=call.text if deliberation.record.status in WITHOUT_ANSWER else None,
        )


class Totals(Wire):
    """What this run itself used. A sum is null when no call reported its part; `unpriced` calls are
    missing from `cost`."""

    calls: int
    failed: int
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    cost: float | None
    unpriced: int

    @classmethod
    def of(cls, calls: Sequence[Call]) -> Totals:
        costs = [call.cost for call in calls if call.cost is not None]
        return cls(
            calls=len(calls),
            failed=sum(call.text is None for call in calls),
            prompt_tokens=_sum(call.usage.prompt_tokens for call in calls),
            completion_tokens=_sum(call.usage.completion_tokens for call in calls),
            reasoning_tokens=_sum(call.usage.reasoning_tokens for call in calls),
            cost=fsum(costs) if costs else None,
            unpriced=len(calls) - len(costs),
        )


def parsed(json: str | None) -> Any:
    return None if json is None else orjson.loads(json)


def _sum(counts: Iterable[int | None]) -> int | None:
    reported = [count for count in counts if count is not None]
    return sum(reported) if reported else None


class RunView(RunSummary):
    """A run with its result so far, its calls and what they cost. `json_answer`: the answer in the caller's
    schema, where one was given."""

    user_message_id: str
    config: dict[str, Any]
    active_ms: int
    simulated: bool
    warnings: list[str]
    answer: str | None
    json_answer: Maybe[Any]
    result: dict[str, Any]
    events: int
    calls: list[CallView]
    totals: Totals

    @classmethod
    def of_deliberation(cls, deliberation: Deliberation) -> RunView:
        return cls(
            **_summary(deliberation.record),
            user_message_id=deliberation.record.user_message_id,
            config=orjson.loads(deliberation.record.config),
            active_ms=deliberation.record.active_ms,
            simulated=deliberation.simulated,
            warnings=deliberation.notices,
            answer=deliberation.answer,
            json_answer=parsed(deliberation.json_answer),
            result=deliberation.result,
            events=len(deliberation.stored_events),
            calls=[CallView.of(call, deliberation) for call in deliberation.calls],
            totals=Totals.of([call for call in deliberation.calls if not call.inherited]),
        )


class ConversationHeading(Wire):
    id: str
    title: str
    mode: str
    created_at: str
    updated_at: str


class ConversationSummary(ConversationHeading):
    """A conversation in a list, with the status of its newest run; `simulated`: by no language model."""

    run_id: str
    status: Status
    simulated: bool

    @classmethod
    def of(cls, listed: ListedConversation) -> ConversationSummary:
        standing = listed.standing
        return cls(
            **_heading(listed.conversation),
            run_id=standing.run_id,
            status=standing.status,
            simulated=standing.simulated,
        )


def _heading(conversation: Conversation) -> dict[str, Any]:
    return {
        "id": conversation.id,
        "title": conversation.title,
        "mode": conversation.mode,
        "created_at": iso(conversation.created_at),
        "updated_at": iso(conversation.updated_at),
    }


class MessageView(Wire):
    """A message; the fields from `run_id` on stand with an assistant's only."""

    id: str
    role: Literal["user", "assistant"]
    content: str
    status: Status
    error: str | None
    created_at: str
    run_id: Maybe[str]
    simulated: Maybe[bool]
    warnings: Maybe[list[str]]
    result: Maybe[dict[str, Any]]
    events: Maybe[int]

    @classmethod
    def of(cls, turn: Turn) -> MessageView:
        message, deliberation = turn.message, turn.deliberation
        return cls(
            id=message.id,
            role=message.role,
            content=message.content,
            status=message.status,
            error=message.error,
            created_at=iso(message.created_at),
            run_id=deliberation.record.id if deliberation else None,
            simulated=deliberation.simulated if deliberation else None,
            warnings=deliberation.notices if deliberation else None,
            result=deliberation.result if deliberation else None,
            events=len(deliberation.stored_events) if deliberation else None,
        )


class ConversationView(ConversationHeading):
    """A conversation with the whole result of every message."""

    messages: list[MessageView]

    @classmethod
    def of_transcript(cls, transcript: Transcript) -> ConversationView:
        return cls(
            **_heading(transcript.conversation),
            messages=[MessageView.of(turn) for turn in transcript.turns],
        )
