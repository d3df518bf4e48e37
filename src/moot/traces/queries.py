"""What is asked about traces: the dialectics of a person, with their grades and ratings.

    page = await store.read(lambda db: traces.traces(db, "ann", TraceFilter(min_quality=8)))

A trace lies in four tables: its own, its run's (who, what, when), its message's (the answer), its grade's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Double,
    Select,
    and_,
    case,
    cast,
    delete,
    func,
    insert,
    not_,
    or_,
    select,
    tuple_,
    update,
)

from moot.kernel.status import WITHOUT_ANSWER
from moot.kernel.values import Call
from moot.modes.dialectic.trace import (
    LEAST_CHARACTERS,
    LEAST_ROUNDS,
    THRESHOLD,
    UsageTotals,
    exclusions,
    quality_score,
)
from moot.store.journal import COLUMNS, call_line
from moot.store.paging import Page, cursor_of, page_of, place_of
from moot.store.tables import calls, messages, reasoning_traces, runs, trace_scores

FEW = 200
LATER_SCORE = "auto_score/later/"
"""The step of a call that grades a trace after its run; a number follows."""


@dataclass(frozen=True)
class StoredTrace:
    trace_id: str
    message_id: str
    query: str
    seed: str
    started_at: int
    final_answer: str
    templates_used: list[str]
    total_rounds: int
    early_stopped: bool
    stop_reason: str
    same_model: bool
    had_error: bool
    models: Mapping[str, str]
    user_rating: int | None
    rating_note: str | None
    rated_at: int | None
    judge: str | None
    auto_score: float | None
    criteria: Mapping[str, float | None] | None
    justification: str | None
    would_benefit: bool | None
    score_error: str | None

    @property
    def quality_score(self) -> float | None:
        return quality_score(self.user_rating, self.auto_score)

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not eligible for export."""
        return exclusions(
            quality=self.quality_score,
            rounds=self.total_rounds,
            answer=self.final_answer,
            had_error=self.had_error,
        )

    @property
    def score(self) -> dict[str, Any]:
        """What was last graded; empty if nobody did."""
        if self.judge is None:
            return {}
        names = ("judge", "auto_score", "criteria", "justification", "would_benefit", "score_error")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class TraceFilter:
    """Which traces of a person; moments are milliseconds since 1970, `until` not included."""

    min_quality: float | None = None
    search: str | None = None
    since: int | None = None
    until: int | None = None
    eligible: bool | None = None


@dataclass(frozen=True, slots=True)
class Stats:
    total: int
    avg_quality: float | None
    eligible: int


_QUALITY = func.coalesce(cast(reasoning_traces.c.user_rating, Double), trace_scores.c.auto_score)
# A run may be cancelled while its judge is at work, after the trace was saved.
_HAD_ERROR = or_(reasoning_traces.c.had_error, runs.c.status.in_(WITHOUT_ANSWER))
_ELIGIBLE: ColumnElement[bool] = and_(
    func.coalesce(_QUALITY, 0.0) >= THRESHOLD,
    reasoning_traces.c.total_rounds >= LEAST_ROUNDS,
    func.length(messages.c.content) >= LEAST_CHARACTERS,
    not_(_HAD_ERROR),
)


def traces(
    connection: Connection,
    user_id: str,
    trace_filter: TraceFilter,
    *,
    limit: int = 50,
    cursor: str | None = None,
) -> Page[StoredTrace]:
    """The newest first."""
    query = _narrow(_traces(user_id), trace_filter)
    if cursor is not None:
        query = query.where(tuple_(runs.c.started_at, runs.c.id) < place_of(cursor))
    query = query.order_by(runs.c.started_at.desc(), runs.c.id.desc()).limit(limit + 1)
    rows = [StoredTrace(**row._asdict()) for row in connection.execute(query)]
    return page_of(rows, limit, lambda row: cursor_of(row.started_at, row.trace_id))


def every_trace(connection: Connection, user_id: str, trace_filter: TraceFilter) -> Iterator[StoredTrace]:
    """All of them, the oldest first; few at a time are in memory."""
    query = _narrow(_traces(user_id), trace_filter).order_by(runs.c.started_at, runs.c.id)
    for row in connection.execute(query, execution_options={"yield_per": FEW}):
        yield StoredTrace(**row._asdict())


def trace(connection: Connection, user_id: str, id: str) -> StoredTrace | None:
    row = connection.execute(_traces(user_id).where(reasoning_traces.c.trace_id == id)).first()
    return None if row is None else StoredTrace(**row._asdict())


def ids_beginning(connection: Connection, user_id: str, prefix: str) -> list[str]:
    """The ids that begin so, a few of them if there are many; one that is just this comes alone."""
    mine = _traces(user_id).with_only_columns(reasoning_traces.c.trace_id)
    begin = mine.where(reasoning_traces.c.trace_id.startswith(prefix, autoescape=True)).limit(10)
    ids = list(connection.execute(begin).scalars())
    return [prefix] if prefix in ids else ids


def rate(
    connection: Connection, user_id: str, id: str, rating: int | None, note: str | None, now: int
) -> bool:
    """Rate a trace, or with None take the rating back; whether there was such a trace."""
    c = reasoning_traces.c
    own = select(runs.c.id).where(runs.c.id == id, runs.c.user_id == user_id)
    rating_now = {"user_rating": rating, "rating_note": note, "rated_at": None if rating is None else now}
    changing = update(reasoning_traces).where(c.trace_id == id, c.trace_id.in_(own)).values(rating_now)
    return connection.execute(changing).rowcount > 0


def keep_score(connection: Connection, id: str, call: Call, values: Mapping[str, Any]) -> None:
    """Put a later grade in place of what there was and its call among the run's, both or neither. A trace
    that has gone meanwhile has no grade, yet its run has paid."""
    mine = select(reasoning_traces.c.message_id).where(reasoning_traces.c.trace_id == id)
    # Two that grade at once come one after the other, and take different numbers.
    message_id = connection.execute(mine.with_for_update()).scalar()
    earlier = select(func.count()).where(calls.c.run_id == id, calls.c.step.startswith(LATER_SCORE))
    step = f"{LATER_SCORE}{connection.scalar(earlier)}"
    # PostgreSQL's text cannot hold the character 0; a model's reply can.
    line = [
        value.replace("\x00", "\ufffd") if isinstance(value, str) else value
        for value in call_line(id, replace(call, step=step))
    ]
    connection.execute(insert(calls).values(dict(zip(COLUMNS["calls"], line, strict=True))))
    connection.execute(delete(trace_scores).where(trace_scores.c.trace_id == id))
    if message_id is not None:
        connection.execute(insert(trace_scores).values(id=f"{id}.score", message_id=message_id, **values))


def spending(connection: Connection, id: str) -> UsageTotals:
    """What all calls of a trace's run took, those that a retry inherited too."""

    def sum_if_known(column: ColumnElement[Any]) -> ColumnElement[Any]:
        return case((func.count(column) == func.count(), cast(func.sum(column), column.type)))

    sums = select(*map(sum_if_known, (calls.c.cost, calls.c.prompt_tokens, calls.c.completion_tokens)))
    return UsageTotals(*connection.execute(sums.where(calls.c.run_id == id)).one())


def stats(connection: Connection, user_id: str) -> Stats:
    rows = _traces(user_id).with_only_columns(
        func.count(), func.avg(_QUALITY), func.count().filter(_ELIGIBLE)
    )
    total, average, eligible = connection.execute(rows).one()
    return Stats(total, None if average is None else float(average), eligible)


def _traces(user_id: str) -> Select[Any]:
    t, s = reasoning_traces.c, trace_scores.c
    return (
        select(
            t.trace_id,
            t.message_id,
            runs.c.question.label("query"),
            runs.c.seed,
            runs.c.started_at,
            messages.c.content.label("final_answer"),
            t.templates_used,
            t.total_rounds,
            t.early_stopped,
            t.stop_reason,
            t.same_model,
            _HAD_ERROR.label("had_error"),
            t.models,
            t.user_rating,
            t.rating_note,
            t.rated_at,
            s.judge,
            s.auto_score,
            s.criteria,
            s.justification,
            s.would_benefit,
            s.score_error,
        )
        .select_from(reasoning_traces)
        .join(runs, runs.c.id == t.trace_id)
        .join(messages, messages.c.id == t.message_id)
        .join(trace_scores, s.trace_id == t.trace_id, isouter=True)
        .where(runs.c.user_id == user_id)
    )


def _narrow(query: Select[Any], trace_filter: TraceFilter) -> Select[Any]:
    if trace_filter.min_quality is not None:
        query = query.where(trace_filter.min_quality <= _QUALITY)
    if trace_filter.search:
        in_question = runs.c.question.icontains(trace_filter.search, autoescape=True)
        query = query.where(
            or_(in_question, messages.c.content.icontains(trace_filter.search, autoescape=True))
        )
    if trace_filter.since is not None:
        query = query.where(runs.c.started_at >= trace_filter.since)
    if trace_filter.until is not None:
        query = query.where(runs.c.started_at < trace_filter.until)
    if trace_filter.eligible is not None:
        query = query.where(_ELIGIBLE if trace_filter.eligible else not_(_ELIGIBLE))
    return query
