"""The shelf on which traces stand: read, listed, rated and graded later, for every door.

    document = await read_trace(engine, "local", trace_id)      # the whole trace, snake_case
    await rate_trace(engine, "local", trace_id, Rating(rating=9))

What belongs to somebody else is not there.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict
from sqlalchemy import Connection

from moot.deliberation.parsing import Shown
from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, NotFound
from moot.kernel.fences import Filling, fill
from moot.kernel.followers import Followers
from moot.kernel.mode import problem
from moot.kernel.model_call import ModelCall
from moot.kernel.values import Call, Request, Wire
from moot.modes.dialectic import prompts
from moot.modes.dialectic.config import DialecticConfig
from moot.modes.dialectic.events import score_values
from moot.modes.dialectic.grades import no_grade, read_grade
from moot.modes.dialectic.trace import DialecticResult, UsageTotals, document
from moot.store import RunRecord, StoredEvent, runs
from moot.store.paging import Page
from moot.traces import queries
from moot.traces.queries import Stats, StoredTrace, TraceFilter

JUDGE_SECONDS = 60.0
LONGEST_NOTE = 2000


def _rating(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise problem("rating must be a whole number from 1 to 10")
    if not 1 <= value <= 10:
        raise problem("rating must be between 1 and 10")
    return value


def _note(value: str | None) -> str | None:
    if value is not None and len(value) > LONGEST_NOTE:
        raise problem(f"note must have at most {LONGEST_NOTE} characters")
    return value or None


class Rating(Wire):
    """What a person thinks of a trace, from 1 to 10."""

    rating: Annotated[int, BeforeValidator(_rating)]
    note: Annotated[str | None, AfterValidator(_note)] = None


class TraceSummary(BaseModel):
    """A trace without its rounds. Its names are the trace's own, in snake_case."""

    model_config = ConfigDict(frozen=True)

    id: str
    timestamp: str
    query: str
    final_answer: str
    templates_used: list[str]
    total_rounds: int
    early_stopped: bool
    stop_reason: str
    quality_score: float | None
    user_rating: int | None
    rating_note: str | None
    auto_score: float | None
    score_error: str | None
    models: dict[str, str]
    eligible: bool
    reasons: list[str]

    @classmethod
    def of(cls, trace: StoredTrace) -> TraceSummary:
        return cls(
            id=trace.trace_id,
            timestamp=datetime.fromtimestamp(trace.started_at / 1000, UTC).isoformat(),
            query=trace.query,
            final_answer=trace.final_answer,
            templates_used=trace.templates_used,
            total_rounds=trace.total_rounds,
            early_stopped=trace.early_stopped,
            stop_reason=trace.stop_reason,
            quality_score=trace.quality_score,
            user_rating=trace.user_rating,
            rating_note=trace.rating_note,
            auto_score=trace.auto_score,
            score_error=trace.score_error,
            models=dict(trace.models),
            eligible=not trace.reasons,
            reasons=list(trace.reasons),
        )


async def list_traces(
    engine: Engine, user: str, trace_filter: TraceFilter, *, limit: int = 50, cursor: str | None = None
) -> Page[TraceSummary]:
    """The newest first."""
    page = await engine.store.read(
        lambda db: queries.traces(db, user, trace_filter, limit=limit, cursor=cursor)
    )
    return Page([TraceSummary.of(trace) for trace in page.items], page.next_cursor)


async def trace_stats(engine: Engine, user: str) -> Stats:
    """Count traces: how many, how good, how many eligible for export."""
    return await engine.store.read(lambda db: queries.stats(db, user))


async def trace_ids(engine: Engine, user: str, prefix: str) -> list[str]:
    """The ids that begin so, a few of them if there are many; one that is just this comes alone."""
    return await engine.store.read(lambda db: queries.ids_beginning(db, user, prefix))


async def stored_trace(engine: Engine, user: str, id: str) -> StoredTrace:
    """Raises NotFound."""
    trace = await engine.store.read(lambda db: queries.trace(db, user, id))
    if trace is None:
        raise no_trace(id)
    return trace


async def read_trace(engine: Engine, user: str, id: str) -> dict[str, Any]:
    """The whole trace, as a file has it too."""
    return (await whole_trace(engine, user, id)).document


class WholeTrace(NamedTuple):
    stored: StoredTrace
    result: DialecticResult
    document: dict[str, Any]


async def whole_trace(engine: Engine, user: str, id: str) -> WholeTrace:
    """A trace with its rounds, and as a file has it; what it cost counts every call, a later judge's too."""

    def read(
        db: Connection,
    ) -> tuple[StoredTrace, RunRecord, list[tuple[int, StoredEvent]], UsageTotals] | None:
        trace, record = queries.trace(db, user, id), runs.run(db, id)
        if trace is None or record is None:
            return None
        return trace, record, runs.events_after(db, id, 0), queries.spending(db, id)

    parts = await engine.store.read(read)
    if parts is None:
        raise no_trace(id)
    trace, record, events, spending = parts
    mode = engine.modes[record.mode]
    result = mode.result([mode.read_event(number, event.type, event.body) for number, event in events])
    assert isinstance(result, DialecticResult)
    grades = (trace.user_rating, trace.rating_note, trace.score)
    return WholeTrace(trace, result, document(result, trace.started_at, *grades, spending))


def no_trace(id: str) -> NotFound:
    return NotFound(f"There is no trace {id}")


async def rate_trace(engine: Engine, user: str, id: str, rating: Rating | None) -> TraceSummary:
    """Rate a trace, again if need be; with None the rating is taken back."""
    grade, note = (None, None) if rating is None else (rating.rating, rating.note)
    if not await engine.store.change(lambda db: queries.rate(db, user, id, grade, note, now_ms())):
        raise no_trace(id)
    return TraceSummary.of(await stored_trace(engine, user, id))


async def score_trace(engine: Engine, user: str, id: str) -> TraceSummary:
    """Let the run's judge grade the answer now, in place of what it said before. Unreadable is null."""
    trace = await stored_trace(engine, user, id)
    record = await engine.run(id, user)
    if record.status == "running":
        raise Conflict(f"The run {id} is still in progress: its own judge comes first")
    if not trace.final_answer:
        raise Conflict(
            f"The trace {id} has no final answer that could be graded: the run was {record.status}"
        )
    config = DialecticConfig.model_validate_json(record.config)

    def fill_fenced(template: str, **fillings: Filling) -> str:
        return fill(template, trace.seed, **fillings)

    request = Request.of(
        config.judge_model,
        prompts.judgement(fill_fenced, trace.query, trace.final_answer),
        temperature=config.judge_temperature,
        max_tokens=512,
    )
    call = await _ask_judge(engine, user, request, record.started_at)
    grade = (
        no_grade(call.reason or "")
        if call.text is None
        else read_grade(call.text, Shown([trace.query, trace.final_answer]))
    )
    values = score_values(id, config.judge_model, grade)
    await engine.store.change(lambda db: queries.keep_score(db, id, call, values))
    return TraceSummary.of(await stored_trace(engine, user, id))


async def _ask_judge(engine: Engine, user: str, request: Request, started_at: int) -> Call:
    """The judge's reply or failure, as a call of the run that has long ended: with its time and its cost."""
    model_call = ModelCall(
        Followers(),
        lambda: now_ms() - started_at,
        queries.LATER_SCORE,
        None,
        request,
        request.digest(),
        False,
    )
    return await model_call.listen(engine.transport_of(user), JUDGE_SECONDS, JUDGE_SECONDS)
