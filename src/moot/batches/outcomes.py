"""What came of each question of a batch, one line of JSON each, as they come to their end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from typing import Literal

from moot.batches import queries
from moot.batches.collection import find_batch
from moot.batches.queries import StoredQuestion
from moot.history.verdict import Verdict
from moot.history.views import read_deliberation
from moot.kernel.clock import monotonic
from moot.kernel.engine import Engine
from moot.kernel.errors import NotFound
from moot.kernel.request import AskRequest
from moot.kernel.status import Status
from moot.kernel.values import Wire

LOOK_SECONDS = 0.25
RESTS = 20
"""After a look at a large batch that took long: so many times as long."""

OutcomeStatus = Status | Literal["refused", "deleted"]


class BatchOutcome(Wire):
    """`line` and `id` are those of the question. `status` is that of its run; refused: it was never asked,
    and `error` says why; deleted: its conversation was. The other fields are those of the verdict."""

    line: int
    id: str | None
    question: str
    run_id: str
    conversation_id: str | None
    mode: str | None
    status: OutcomeStatus
    answer: str | None
    outcome: str | None
    passed: bool | None
    agreement: float | None
    notices: list[str]
    simulated: bool
    calls: int
    cost: float | None
    error: str | None


async def outcomes(
    engine: Engine,
    user: str,
    id: str,
    *,
    told: Collection[str] = (),
    follow: bool = True,
    driving: asyncio.Task[None] | None = None,
) -> AsyncIterator[BatchOutcome]:
    """What has come of the batch's questions so far, but for runs in `told`; with `follow`, to its end.
    Raises NotFound, and what went wrong with the task that is `driving` it."""
    known = set(told)
    while True:
        if driving is not None and driving.done():
            driving.result()
        began = monotonic()
        status = (await find_batch(engine, user, id)).status  # before the questions: none ends after it
        found = await engine.store.read(lambda db: queries.questions(db, id))
        is_over = status != "running" and all(one.state != "running" for one in found)
        took = monotonic() - began
        for question in found:
            if question.state not in ("waiting", "running") and question.run_id not in known:
                known.add(question.run_id)
                yield await _outcome(engine, user, id, question)
        if is_over or not follow:
            return
        await asyncio.sleep(max(LOOK_SECONDS, took * RESTS))


async def _outcome(engine: Engine, user: str, id: str, question: StoredQuestion) -> BatchOutcome:
    stored = await engine.store.read(lambda db: queries.request(db, id, question.line))
    if stored is None:
        raise NotFound(f"There is no batch {id}")
    ask = AskRequest.model_validate_json(stored)
    try:
        record = await engine.run(question.run_id, user)
    except NotFound:
        return _without_run(question, ask)
    deliberation = await read_deliberation(engine, record)
    verdict = Verdict.of(deliberation)
    return BatchOutcome(
        line=question.line,
        id=question.custom_id,
        question=record.question,
        run_id=record.id,
        conversation_id=record.conversation_id,
        mode=record.mode,
        status=record.status,
        answer=verdict.answer,
        outcome=verdict.outcome,
        passed=verdict.passed,
        agreement=verdict.agreement,
        notices=verdict.notices,
        simulated=verdict.simulated,
        calls=verdict.calls,
        cost=verdict.cost,
        error=record.error,
    )


def _without_run(question: StoredQuestion, ask: AskRequest) -> BatchOutcome:
    return BatchOutcome(
        line=question.line,
        id=question.custom_id,
        question=ask.question,
        run_id=question.run_id,
        conversation_id=None,
        mode=ask.mode,
        status="refused" if question.error else "deleted",
        answer=None,
        outcome=None,
        passed=None,
        agreement=None,
        notices=[],
        simulated=False,
        calls=0,
        cost=None,
        error=question.error,
    )
