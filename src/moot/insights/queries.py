"""What is counted over many runs: spending, statuses, failures, how seats came out, how long things took.

    cells = await store.read(lambda db: queries.spending(db, scope))

All is of one person. A run belongs to the day it started on, with all its calls. A call that a retry
inherited is counted with the run that paid for it, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Connection,
    Float,
    Text,
    and_,
    case,
    cast,
    distinct,
    func,
    insert,
    not_,
    select,
)

from moot.kernel.seat_results import SeatResult, StageTime
from moot.kernel.status import WITH_ANSWER
from moot.kernel.values import SIMULATED_PREFIX
from moot.store import StoredEvent
from moot.store.runs import events_after
from moot.store.tables import calls, runs, seat_results, stage_times


class Day(NamedTuple):
    """A day as its name, its first moment and the first moment after it."""

    name: str
    since: int
    until: int


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose runs, of which days, in an order without gaps. With `model` or `simulated` only the calls of
    such models count, and the runs in which they were asked."""

    user_id: str
    days: Sequence[Day]
    mode: str | None = None
    model: str | None = None
    simulated: bool | None = None

    def has_model(self, model: ColumnElement[str]) -> ColumnElement[bool] | None:
        """Whether a model is one of those wanted; None if all are."""
        conditions = []
        if self.model is not None:
            conditions.append(model == self.model)
        if self.simulated is not None:
            is_simulated = model.startswith(SIMULATED_PREFIX)
            conditions.append(is_simulated if self.simulated else not_(is_simulated))
        return and_(*conditions) if conditions else None


class RunCount(NamedTuple):
    """So many runs of a day and mode are in this state."""

    day: str
    mode: str
    status: str
    runs: int


class ModelSpending(NamedTuple):
    """What one model's calls of a day and mode took. A sum is None where no call reported its part.
    `kinds` are those of the failures, the times are of the calls that were answered: one for each, in one
    text, for a database hands over a few long texts sooner than many short rows."""

    day: str
    mode: str
    model: str
    runs: int
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    priced: int
    kinds: str | None
    responses_ms: str | None
    first_tokens_ms: str | None


class ModelResults(NamedTuple):
    """Of the seats a model held where somebody won, how many won, and how many would have by even odds;
    of its cases, how many agreed."""

    model: str
    wins: int
    contests: int
    even: float
    agreed: int
    cases: int


def run_counts(connection: Connection, scope: Scope) -> list[RunCount]:
    in_scope = _runs_in_scope(scope)
    groups = (in_scope.c.day, in_scope.c.mode, in_scope.c.status)
    query = select(*groups, func.count()).group_by(*groups)
    return [RunCount(scope.days[row[0]].name, *row[1:]) for row in connection.execute(query)]


def spending(connection: Connection, scope: Scope) -> list[ModelSpending]:
    in_scope, c = _runs_in_scope(scope), calls.c
    groups = (in_scope.c.day, in_scope.c.mode, c.model)
    is_answered = c.kind.is_(None)
    query = (
        select(
            *groups,
            func.count(distinct(c.run_id)),
            func.count(),
            cast(func.sum(c.prompt_tokens), BigInteger),
            cast(func.sum(c.completion_tokens), BigInteger),
            func.sum(c.cost),
            func.count(c.cost),
            _join(c.kind),
            _join(case((is_answered, c.ended_ms - c.started_ms))),
            _join(case((is_answered, c.first_token_ms - c.started_ms))),
        )
        .join_from(in_scope, calls, c.run_id == in_scope.c.id)
        .where(c.ended_ms >= 0)
        .group_by(*groups)
    )
    models_in_scope = scope.has_model(c.model)
    query = query if models_in_scope is None else query.where(models_in_scope)
    return [ModelSpending(scope.days[row[0]].name, *row[1:]) for row in connection.execute(query)]


def _join(each: ColumnElement[Any]) -> ColumnElement[str]:
    return func.aggregate_strings(cast(each, Text), ",")


def model_results(connection: Connection, scope: Scope) -> list[ModelResults]:
    """A run that was tried again counts no more: the retry decided anew, on the same answers."""
    in_scope, c = _runs_in_scope(scope), seat_results.c
    retried_runs = select(runs.c.retry_of).where(
        runs.c.user_id == scope.user_id, runs.c.retry_of.is_not(None)
    )
    query = (
        select(
            c.model,
            func.coalesce(func.sum(case((c.won, 1), else_=0)), 0),
            func.count(c.won),
            func.coalesce(func.sum(1.0 / cast(c.among, Float)), 0.0),
            func.sum(c.agreed),
            func.sum(c.cases),
        )
        .join_from(in_scope, seat_results, c.run_id == in_scope.c.id)
        .where(in_scope.c.id.not_in(retried_runs))
        .group_by(c.model)
    )
    models_in_scope = scope.has_model(c.model)
    query = query if models_in_scope is None else query.where(models_in_scope)
    return [ModelResults(*row) for row in connection.execute(query)]


def stages(connection: Connection, scope: Scope) -> dict[tuple[str, str], str]:
    """The times per mode and stage, joined; whole runs are under no name. Only what came to its end counts,
    and no retry: it finds answers where others wait for them."""
    in_scope, c = _runs_in_scope(scope), stage_times.c
    query = (
        select(in_scope.c.mode, c.stage, _join(c.took_ms))
        .join_from(in_scope, stage_times, c.run_id == in_scope.c.id)
        .where(in_scope.c.status.in_(WITH_ANSWER), in_scope.c.retry_of.is_(None))
        .group_by(in_scope.c.mode, c.stage)
    )
    return {(mode, stage): took for mode, stage, took in connection.execute(query)}


def _runs_in_scope(scope: Scope) -> CTE:
    """The runs in question, each with the place of its day."""
    started_at, days = runs.c.started_at, scope.days
    query = (
        select(_place(started_at, days).label("day"), runs.c.id, runs.c.mode, runs.c.status, runs.c.retry_of)
        .where(runs.c.user_id == scope.user_id)
        .where(started_at >= days[0].since, started_at < days[-1].until)
    )
    if scope.mode is not None:
        query = query.where(runs.c.mode == scope.mode)
    models_in_scope = scope.has_model(calls.c.model)
    if models_in_scope is not None:
        own_calls = select(calls.c.run_id).where(
            calls.c.run_id == runs.c.id, calls.c.ended_ms >= 0, models_in_scope
        )
        query = query.where(own_calls.exists())
    return query.cte("asked")


def _place(moment: ColumnElement[int], days: Sequence[Day]) -> ColumnElement[int]:
    """Which of the days a moment belongs to, counted from 0. They are of one length, save where clocks are
    changed: a case for each stretch of days alike."""
    alike = groupby(enumerate(days), key=lambda entry: entry[1].until - entry[1].since)
    stretches = [(length, list(entries)) for length, entries in alike]
    return case(
        *(
            (moment < entries[-1][1].until, entries[0][0] + (moment - entries[0][1].since) // length)
            for length, entries in stretches
        )
    )


class UncountedRun(NamedTuple):
    """A run that has ended, and of whose story nothing was counted yet."""

    run_id: str
    mode: str
    events: Sequence[tuple[int, StoredEvent]]


class RunFigures(NamedTuple):
    """What the story of a run says about its seats and stages."""

    run_id: str
    seats: Sequence[SeatResult]
    stages: Sequence[StageTime]
    took_ms: int


def uncounted_runs(connection: Connection, scope: Scope, limit: int) -> list[UncountedRun]:
    whole_run = select(stage_times.c.run_id).where(
        stage_times.c.run_id == runs.c.id, stage_times.c.number == 0
    )
    since, until = scope.days[0].since, scope.days[-1].until
    query = (
        select(runs.c.id, runs.c.mode)
        .where(runs.c.user_id == scope.user_id, runs.c.status != "running")
        .where(runs.c.started_at >= since, runs.c.started_at < until, not_(whole_run.exists()))
        .limit(limit)
    )
    if scope.mode is not None:
        query = query.where(runs.c.mode == scope.mode)
    ended_runs = connection.execute(query).all()
    return [UncountedRun(run_id, mode, events_after(connection, run_id, 0)) for run_id, mode in ended_runs]


def store_figures(connection: Connection, figures: Sequence[RunFigures]) -> None:
    """Whatever another has kept meanwhile stays, and a run that is gone stays gone."""
    whole_run = select(stage_times.c.run_id).where(
        stage_times.c.run_id == runs.c.id, stage_times.c.number == 0
    )
    ids = [one.run_id for one in figures]
    lock = select(runs.c.id).where(runs.c.id.in_(ids)).order_by(runs.c.id).with_for_update()
    there = set(connection.scalars(lock)) - set(connection.scalars(lock.where(whole_run.exists())))
    new = [one for one in figures if one.run_id in there]
    times = [line for one in new for line in _time_lines(one)]
    results = [line for one in new for line in _result_lines(one)]
    for table, lines in ((stage_times, times), (seat_results, results)):
        if lines:
            connection.execute(insert(table), lines)


def _time_lines(figures: RunFigures) -> list[dict[str, Any]]:
    times = [StageTime("", figures.took_ms), *figures.stages]
    return [{"run_id": figures.run_id, "number": number, **one._asdict()} for number, one in enumerate(times)]


def _result_lines(figures: RunFigures) -> list[dict[str, Any]]:
    among = sum(one.won is not None for one in figures.seats)
    return [
        {
            "run_id": figures.run_id,
            "number": number,
            **one._asdict(),
            "among": None if one.won is None else among,
        }
        for number, one in enumerate(figures.seats)
    ]
