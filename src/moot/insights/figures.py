"""Insight: what deliberations cost, which models win, fail and agree, and where the time goes.

    insight = await read_insight(engine, "local", Period(days=30, timezone="Europe/Berlin"))
    insight.totals.cost, insight.by_model[0].wins.rate

Everything is counted from the stored calls and events of one person. What is missing is null, and a share
of fewer than `FEWEST_CASES` cases is not given as one.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import partial
from itertools import chain
from math import fsum
from typing import Any, Self, TypeVar
from zoneinfo import ZoneInfo

from pydantic import Field
from sqlalchemy import Connection

from moot.insights import queries
from moot.insights.queries import Day, ModelResults, ModelSpending, RunCount, RunFigures, Scope, UncountedRun
from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import Rejected
from moot.kernel.mode import Mode
from moot.kernel.request import find_mode
from moot.kernel.seat_results import stage_times
from moot.kernel.values import Wire, is_simulated
from moot.store import Store

T = TypeVar("T")
FEWEST_CASES = 5
"""Of fewer cases only the numbers are told: a rate would say more than is known."""
LONGEST_DAYS = 366
PORTION = 100
"""So many stories are read at a time."""


class Deliberations(Wire):
    """How many were started, and what became of them; a retry is one of its own."""

    total: int
    running: int
    complete: int
    degraded: int
    failed: int
    cancelled: int


class Spending(Wire):
    """A sum is null where no call reported its part; `unpriced` calls are missing from `cost`."""

    calls: int
    failed: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    unpriced: int

    @classmethod
    def of(cls, cells: Sequence[ModelSpending], **more: Any) -> Self:
        costs = [cell.cost for cell in cells if cell.cost is not None]
        calls = sum(cell.calls for cell in cells)
        return cls(
            calls=calls,
            failed=sum(kinds_of(cells).values()),
            prompt_tokens=_sum(cell.prompt_tokens for cell in cells),
            completion_tokens=_sum(cell.completion_tokens for cell in cells),
            cost=fsum(costs) if costs else None,
            unpriced=calls - sum(cell.priced for cell in cells),
            **more,
        )


class InsightTotals(Spending):
    deliberations: Deliberations


class DayInsight(Spending):
    day: str
    deliberations: Deliberations


class Times(Wire):
    """By nearest rank, in milliseconds; null without a case."""

    cases: int
    median_ms: int | None
    p90_ms: int | None

    @classmethod
    def of(cls, texts: Iterable[str | None], **more: Any) -> Self:
        """Of any number of texts with milliseconds in them."""
        took = sorted(chain.from_iterable(map(int, text.split(",")) for text in texts if text))
        if not took:
            return cls(cases=0, median_ms=None, p90_ms=None, **more)
        # Places are counted from 1: of ten values the fifth and the ninth.
        median, ninth = (len(took) + 1) // 2, (9 * len(took) + 9) // 10
        return cls(cases=len(took), median_ms=took[median - 1], p90_ms=took[ninth - 1], **more)


class StageInsight(Times):
    stage: str


class ModeInsight(Spending):
    """`took` is of whole deliberations, `stages` of their parts in the order they come. `wins` and
    `agrees` say what counts as such in this mode; null where nothing does."""

    mode: str
    deliberations: Deliberations
    took: Times
    stages: list[StageInsight]
    wins: str | None
    agrees: str | None


class Rate(Wire):
    """`rate` is null with fewer than `fewestCases` cases."""

    count: int
    cases: int
    rate: float | None

    @classmethod
    def of(cls, count: int, cases: int) -> Rate:
        return cls(count=count, cases=cases, rate=count / cases if cases >= FEWEST_CASES else None)


class WinRate(Rate):
    """`even_odds` is the rate of a model that wins no more often than the others at its tables."""

    even_odds: float | None


class ModelDay(Wire):
    day: str
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None


class ModelInsight(Spending):
    """`deliberations` are those in which it was asked, `by_day` the days on which it was."""

    model: str
    simulated: bool
    deliberations: int
    failures: dict[str, int]
    failure: Rate
    wins: WinRate
    agreement: Rate
    response: Times
    first_token: Times
    by_day: list[ModelDay]


class Insight(Wire):
    """Every day of the period is there; models and modes only if they were used, the dearest first."""

    first_day: str
    last_day: str
    timezone: str
    fewest_cases: int
    totals: InsightTotals
    by_day: list[DayInsight]
    by_mode: list[ModeInsight]
    by_model: list[ModelInsight]


class Period(Wire):
    """Which deliberations: those that started within so many days, today the last of them."""

    days: int = Field(default=30, ge=1, le=LONGEST_DAYS)
    timezone: str = "UTC"
    mode: str | None = None
    model: str | None = None
    simulated: bool | None = None


async def read_insight(engine: Engine, user: str, period: Period) -> Insight:
    """Raises Rejected for a mode or a time zone that is not known."""
    if period.mode is not None:
        find_mode(period.mode, engine.modes)
    zone = await asyncio.to_thread(zone_of, period.timezone)  # it is read from a file
    days = days_until(now_ms(), period.days, zone)
    scope = Scope(user, days, period.mode, period.model, period.simulated)
    await count_stories(engine.store, engine.modes, scope)
    counts = await engine.store.read(lambda db: _Counts(db, scope))
    return await asyncio.to_thread(_insight, counts, engine.modes, period.timezone, days)


def zone_of(name: str) -> tzinfo:
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        message = f"{name[:60]!r} is not a time zone; give a name such as Europe/Berlin, or UTC"
        raise Rejected(message, (("timezone", message),)) from None


def days_until(now: int, count: int, zone: tzinfo) -> list[Day]:
    """The last so many days of a time zone, today the last of them. A day may have 23 or 25 hours."""
    today = datetime.fromtimestamp(now / 1000, zone).date()
    first = today - timedelta(days=count - 1)
    starts = [_start(first + timedelta(days=place), zone) for place in range(count + 1)]
    return [
        Day((first + timedelta(days=place)).isoformat(), starts[place], starts[place + 1])
        for place in range(count)
    ]


def _start(day: date, zone: tzinfo) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp() * 1000)


async def count_stories(store: Store, modes: Mapping[str, Mode[Any]], scope: Scope) -> None:
    """Keep what the stories say of seats and stages, of every run that ended since somebody asked last."""
    while stories := await store.read(lambda db: queries.uncounted_runs(db, scope, PORTION)):
        figures = await asyncio.to_thread(_count_all, stories, modes)
        await store.change(partial(queries.store_figures, figures=figures))


def _count_all(stories: Sequence[UncountedRun], modes: Mapping[str, Mode[Any]]) -> list[RunFigures]:
    return [count_story(one, modes) for one in stories]


def count_story(run: UncountedRun, modes: Mapping[str, Mode[Any]]) -> RunFigures:
    """A mode that is gone leaves no more than the time the whole took."""
    events, mode = run.events, modes.get(run.mode)
    took = events[-1][1].at
    if mode is None:
        return RunFigures(run.run_id, (), (), took)
    stages = stage_times(mode, [(event.type, event.at) for _, event in events])
    if mode.seat_results is None:
        return RunFigures(run.run_id, (), stages, took)
    story = [mode.read_event(number, event.type, event.body) for number, event in events]
    return RunFigures(run.run_id, list(mode.seat_results.read(story)), stages, took)


class _Counts:
    """All that the database counts, from one look at it."""

    def __init__(self, db: Connection, scope: Scope) -> None:
        self.runs = queries.run_counts(db, scope)
        self.spending = queries.spending(db, scope)
        self.model_results = {one.model: one for one in queries.model_results(db, scope)}
        self.stages = queries.stages(db, scope)


def _insight(counts: _Counts, modes: Mapping[str, Mode[Any]], timezone: str, days: Sequence[Day]) -> Insight:
    return Insight(
        first_day=days[0].name,
        last_day=days[-1].name,
        timezone=timezone,
        fewest_cases=FEWEST_CASES,
        totals=InsightTotals.of(counts.spending, deliberations=_deliberations(counts.runs)),
        by_day=_by_day(counts, days),
        by_mode=sorted(_by_mode(counts, modes), key=_dearest_first),
        by_model=sorted(_by_model(counts), key=_dearest_first),
    )


def _by_day(counts: _Counts, days: Sequence[Day]) -> list[DayInsight]:
    run_counts = _group_by(counts.runs, "day")
    spending = _group_by(counts.spending, "day")
    return [
        DayInsight.of(spending[day.name], day=day.name, deliberations=_deliberations(run_counts[day.name]))
        for day in days
    ]


def _by_mode(counts: _Counts, modes: Mapping[str, Mode[Any]]) -> list[ModeInsight]:
    spending = _group_by(counts.spending, "mode")
    modes_used = []
    for name, run_counts in _group_by(counts.runs, "mode").items():
        seat_results = modes[name].seat_results if name in modes else None
        times = {stage: took for (mode, stage), took in counts.stages.items() if mode == name}
        whole_run = times.pop("", None)
        modes_used.append(
            ModeInsight.of(
                spending[name],
                mode=name,
                deliberations=_deliberations(run_counts),
                took=Times.of([whole_run]),
                stages=_in_order(times, modes.get(name)),
                wins=seat_results.wins if seat_results else None,
                agrees=seat_results.agrees if seat_results else None,
            )
        )
    return modes_used


def _in_order(times: Mapping[str, str], mode: Mode[Any] | None) -> list[StageInsight]:
    """The stages as they come in the mode."""
    order = [event.type.removesuffix("_start") for event in mode.events] if mode else []
    return [StageInsight.of([times[stage]], stage=stage) for stage in order if stage in times]


def _by_model(counts: _Counts) -> list[ModelInsight]:
    models_used = []
    for model, cells in _group_by(counts.spending, "model").items():
        results = counts.model_results.get(model) or ModelResults(model, 0, 0, 0.0, 0, 0)
        failures = kinds_of(cells)
        wins = Rate.of(results.wins, results.contests)
        models_used.append(
            ModelInsight.of(
                cells,
                model=model,
                simulated=is_simulated(model),
                deliberations=sum(cell.runs for cell in cells),
                failures=failures,
                failure=Rate.of(sum(failures.values()), sum(cell.calls for cell in cells)),
                wins=WinRate(
                    **dict(wins), even_odds=results.even / results.contests if results.contests else None
                ),
                agreement=Rate.of(results.agreed, results.cases),
                response=Times.of(cell.responses_ms for cell in cells),
                first_token=Times.of(cell.first_tokens_ms for cell in cells),
                by_day=_model_days(cells),
            )
        )
    return models_used


def _model_days(cells: Sequence[ModelSpending]) -> list[ModelDay]:
    spending = {day: Spending.of(group) for day, group in sorted(_group_by(cells, "day").items())}
    return [
        ModelDay(
            day=day,
            calls=one.calls,
            prompt_tokens=one.prompt_tokens,
            completion_tokens=one.completion_tokens,
            cost=one.cost,
        )
        for day, one in spending.items()
    ]


def _dearest_first(one: ModeInsight | ModelInsight) -> tuple[float, int, str]:
    return (-(one.cost or 0), -one.calls, one.model if isinstance(one, ModelInsight) else one.mode)


def _deliberations(run_counts: Iterable[RunCount]) -> Deliberations:
    counts = dict.fromkeys(("running", "complete", "degraded", "failed", "cancelled"), 0)
    for one in run_counts:
        counts[one.status] += one.runs
    return Deliberations(total=sum(counts.values()), **counts)


def _group_by(items: Iterable[T], name: str) -> defaultdict[str, list[T]]:
    groups: defaultdict[str, list[T]] = defaultdict(list)
    for one in items:
        groups[getattr(one, name)].append(one)
    return groups


def kinds_of(cells: Iterable[ModelSpending]) -> dict[str, int]:
    """How often calls failed in which way, the most frequent first."""
    kinds = Counter(kind for cell in cells if cell.kinds for kind in cell.kinds.split(","))
    return dict(sorted(kinds.items(), key=lambda item: (-item[1], item[0])))


def _sum(counts: Iterable[int | None]) -> int | None:
    reported = [count for count in counts if count is not None]
    return sum(reported) if reported else None
