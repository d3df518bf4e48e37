"""The library's doors: ask from a Python program.

outcome = await moot.deliberate("Tabs or spaces?", mode="vote")
outcome.answer

async for event in moot.stream("Tabs or spaces?", mode="debate"):
    print(event["type"])
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from moot.kernel.engine import Engine
from moot.kernel.errors import RunFailed
from moot.kernel.request import AskRequest, parse
from moot.kernel.status import WITHOUT_ANSWER, Status
from moot.kernel.user import LOCAL_USER
from moot.settings import Settings
from moot.transport import Transport
from moot.wiring import open_engine, open_reader

if TYPE_CHECKING:
    from moot.batches.outcomes import BatchOutcome
    from moot.insights.figures import Insight

__all__ = ["Outcome", "batch", "deliberate", "deliberate_sync", "insight", "open_engine", "stream"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a deliberation. `result` is the mode's whole result, camelCase as on the wire.
    `json_answer` is the answer in the caller's schema, where one was given."""

    run_id: str
    conversation_id: str
    mode: str
    status: Status
    answer: str
    result: dict[str, Any]
    simulated: bool
    json_answer: Any = None

    @property
    def degraded(self) -> bool:
        return self.status == "degraded"


async def deliberate(
    question: str,
    mode: str = "council",
    *,
    config: Mapping[str, Any] | None = None,
    conversation_id: str | None = None,
    schema: Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    transport: Transport | None = None,
    engine: Engine | None = None,
) -> Outcome:
    """Ask, wait, and get the outcome. Raises Rejected for a bad request, RunFailed without a result.

    With `engine` the question goes to one that is already open; else one is opened for it.
    """
    if engine is None:
        async with open_engine(settings, transport=transport) as inner:
            return await deliberate(
                question, mode, config=config, conversation_id=conversation_id, schema=schema, engine=inner
            )
    record = await engine.start(_ask(question, mode, config, conversation_id, schema))
    return await _outcome(engine, record.id)


async def stream(
    question: str,
    mode: str = "council",
    *,
    config: Mapping[str, Any] | None = None,
    conversation_id: str | None = None,
    schema: Mapping[str, Any] | None = None,
    tokens: bool = False,
    settings: Settings | None = None,
    transport: Transport | None = None,
    engine: Engine | None = None,
) -> AsyncIterator[dict[str, Any]]:
    """Every event as it is told, as the dict it is on the wire; with `tokens`, the live text too."""
    if engine is None:
        async with open_engine(settings, transport=transport) as inner:
            events = stream(
                question,
                mode,
                config=config,
                conversation_id=conversation_id,
                schema=schema,
                tokens=tokens,
                engine=inner,
            )
            async for event in events:
                yield event
        return
    record = await engine.start(_ask(question, mode, config, conversation_id, schema))
    async for batch in engine.follow(record.id, tokens=tokens):
        for frame in batch:
            yield orjson.loads(frame.json())


async def batch(
    questions: Iterable[str | Mapping[str, Any]],
    mode: str = "council",
    *,
    config: Mapping[str, Any] | None = None,
    name: str | None = None,
    budget: float | None = None,
    at_once: int = 4,
    settings: Settings | None = None,
    transport: Transport | None = None,
    engine: Engine | None = None,
) -> AsyncIterator[BatchOutcome]:
    """Ask many questions, some at a time, and get what comes of each as it is ready. A question is a text or
    a dict as a request has it. With a `name`, what was asked under it before is not asked or paid for again.
    `budget`: dollars for all of them. Raises Rejected, before the first is asked, if one of them is wrong.
    """
    if engine is None:
        async with open_engine(settings, transport=transport) as inner:
            options: dict[str, Any] = {"config": config, "name": name, "budget": budget, "at_once": at_once}
            async for outcome in batch(questions, mode, **options, engine=inner):
                yield outcome
        return
    from moot.batches.collection import open_batch
    from moot.batches.driver import work_through
    from moot.batches.lines import checked_lines

    defaults = {"mode": mode} if config is None else {"mode": mode, "modeConfig": config}
    lines = await checked_lines(engine, enumerate(questions, 1), defaults, budget=budget, place="Question {}")
    called = name or uuid.uuid4().hex
    stored = await open_batch(engine, LOCAL_USER, lines, name=called, budget=budget, at_once=at_once)
    async for outcome in work_through(engine, stored):
        yield outcome


def deliberate_sync(question: str, mode: str = "council", **options: Any) -> Outcome:
    """`deliberate` for programs without an event loop."""
    return asyncio.run(deliberate(question, mode, **options))


async def insight(
    days: int = 30,
    *,
    mode: str | None = None,
    model: str | None = None,
    simulated: bool | None = None,
    timezone: str = "UTC",
    settings: Settings | None = None,
    engine: Engine | None = None,
) -> Insight:
    """What was spent over so many days, how models fared, where the time went: as `GET /api/insight` has it.

    Raises Rejected for a period, a mode or a time zone that there is not.
    """
    from moot.insights.figures import Period, read_insight

    period = parse(
        Period,
        {"days": days, "timezone": timezone, "mode": mode, "model": model, "simulated": simulated},
    )
    if engine is not None:
        return await read_insight(engine, LOCAL_USER, period)
    async with open_reader(settings or Settings.load()) as reader:
        return await read_insight(reader, LOCAL_USER, period)


async def _outcome(engine: Engine, run_id: str) -> Outcome:
    """What a run comes to at its end, as API, CLI and export give it. Raises RunFailed."""
    from moot.history.views import parsed, read_deliberation

    record = await engine.finished(run_id)
    if record.status in WITHOUT_ANSWER:
        raise RunFailed(record.error or "The run failed.")
    deliberation = await read_deliberation(engine, record, calls=False)
    return Outcome(
        run_id=record.id,
        conversation_id=record.conversation_id,
        mode=record.mode,
        status=record.status,
        answer=deliberation.answer or "",
        result=deliberation.result,
        simulated=deliberation.simulated,
        json_answer=parsed(deliberation.json_answer),
    )


def _ask(
    question: str,
    mode: str,
    config: Mapping[str, Any] | None,
    conversation_id: str | None,
    schema: Mapping[str, Any] | None,
) -> AskRequest:
    body = {
        "question": question,
        "mode": mode,
        "modeConfig": config,
        "conversationId": conversation_id,
        "schema": schema,
    }
    return AskRequest.of({key: value for key, value in body.items() if value is not None})
