"""What is counted over many runs, on both databases, against a count by hand."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, insert, inspect

from moot.insights import queries
from moot.insights.figures import count_stories, days_until, zone_of
from moot.insights.queries import Day, ModelSpending, RunFigures, Scope
from moot.kernel.seat_results import SeatResult, StageTime
from moot.kernel.status import Status
from moot.kernel.values import Call, Usage
from moot.modes import MODES
from moot.store import Ending, Store, conversations, migrations, tables
from moot.store.urls import store_for
from tests.harness.chance import examples
from tests.store.builders import a_call, a_failure, a_retry, an_append, an_event, an_opening

EXAMPLES = itertools.count()
HOUR = 3_600_000
DAYS = [Day(f"day {n}", n * 24 * HOUR, (n + 1) * 24 * HOUR) for n in range(3)]


@dataclass(frozen=True)
class Held:
    """A run as a test wants it."""

    user: str = "ann"
    mode: str = "vote"
    started_at: int = HOUR
    status: Status = "complete"
    calls: tuple[Call, ...] = ()

    @property
    def day(self) -> str | None:
        return next((day.name for day in DAYS if day.since <= self.started_at < day.until), None)


async def hold(store: Store, run_id: str, held: Held) -> None:
    opening = an_opening(run_id, user_id=held.user, mode=held.mode, started_at=held.started_at)
    await store.begin(opening)
    for number, call in enumerate(held.calls):
        await store.append(an_append(run_id, call=a_call(f"step {number}", call.seat, **_changes(call))))
    if held.status != "running":
        await store.append(an_append(run_id, event=an_event("complete"), ending=Ending(held.status)))


def _changes(call: Call) -> dict[str, Any]:
    names = ("model", "kind", "text", "cost", "usage", "started_ms", "ended_ms", "first_token_ms")
    return {name: getattr(call, name) for name in names}


async def spent(store: Store, **scope: Any) -> list[ModelSpending]:
    found = Scope(**{"user_id": "ann", "days": DAYS, **scope})
    return await store.read(lambda db: queries.spending(db, found))


def priced(model: str, cost: float | None, tokens: int | None = 4) -> Call:
    return a_call("x", model=model, cost=cost, usage=Usage(prompt_tokens=tokens, completion_tokens=tokens))


some_calls = st.builds(
    lambda model, cost, tokens, failed: (
        a_call("x", model=model, text=None, kind="timeout", cost=None, usage=Usage(), first_token_ms=None)
        if failed
        else priced(model, cost, tokens)
    ),
    st.sampled_from(["a/a", "b/b", "sim/ada"]),
    st.none() | st.floats(0, 10),
    st.none() | st.integers(0, 10**9),
    st.booleans(),
)
some_runs = st.builds(
    Held,
    user=st.sampled_from(["ann", "bob"]),
    mode=st.sampled_from(["vote", "council", "chain"]),
    started_at=st.integers(-30, 100).map(lambda hours: hours * HOUR),
    status=st.sampled_from(["running", "complete", "degraded", "failed", "cancelled"]),
    calls=st.lists(some_calls, max_size=4).map(tuple),
)


@given(
    held=st.lists(some_runs, max_size=6),
    mode=st.none() | st.just("vote"),
    simulated=st.none() | st.booleans(),
)
@examples(25)
async def test_every_call_and_run_of_a_person_is_counted_once_on_its_day(
    store: Store, held: list[Held], mode: str | None, simulated: bool | None
) -> None:
    example = next(EXAMPLES)
    held = [Held(f"{one.user} {example}", one.mode, one.started_at, one.status, one.calls) for one in held]
    for number, one in enumerate(held):
        await hold(store, f"{example}.{number}", one)
    scope = Scope(f"ann {example}", DAYS, mode, simulated=simulated)
    cells = await store.read(lambda db: queries.spending(db, scope))
    states = await store.read(lambda db: queries.run_counts(db, scope))

    ours = [one for one in held if one.user == scope.user_id and one.day and mode in (None, one.mode)]
    made = [(one, call) for one in ours for call in one.calls]
    if simulated is not None:
        made = [(one, call) for one, call in made if call.model.startswith("sim/") == simulated]
        ours = [one for one in ours if any(one is other for other, _ in made)]
    assert Counter({(s.day, s.mode, s.status): s.runs for s in states}) == Counter(
        (one.day, one.mode, one.status) for one in ours
    )
    assert {(c.day, c.mode, c.model): c.calls for c in cells} == Counter(
        (one.day, one.mode, call.model) for one, call in made
    )
    assert sum(c.priced for c in cells) == sum(call.cost is not None for _, call in made)
    assert fsum(c.cost or 0 for c in cells) == pytest.approx(fsum(call.cost or 0 for _, call in made))
    assert sum(c.prompt_tokens or 0 for c in cells) == sum(call.usage.prompt_tokens or 0 for _, call in made)
    failed = sum(call.kind is not None for _, call in made)
    assert sum(len(c.kinds.split(",")) for c in cells if c.kinds) == failed
    assert sum(len(c.responses_ms.split(",")) for c in cells if c.responses_ms) == len(made) - failed


BERLIN = days_until(1774900800000, 4, zone_of("Europe/Berlin"))  # to 30 March 2026: the 29th has 23 hours


async def test_a_run_is_counted_on_its_day_though_the_clocks_were_changed(store: Store) -> None:
    for number, moment in enumerate(moment for day in BERLIN for moment in (day.since, day.until - 1)):
        await hold(store, f"r{number}", Held(started_at=moment))
    scope = Scope("ann", BERLIN)
    found = await store.read(lambda db: queries.run_counts(db, scope))
    assert {one.day: one.runs for one in found} == dict.fromkeys((day.name for day in BERLIN), 2)


async def test_what_nobody_reported_is_missing_and_not_zero(store: Store) -> None:
    await hold(store, "r1", Held(calls=(priced("a/a", None, None), priced("b/b", 0.0, 0))))
    one, other = sorted(await spent(store), key=lambda cell: cell.model)
    assert (one.prompt_tokens, one.completion_tokens, one.cost, one.priced) == (None, None, None, 0)
    assert (other.prompt_tokens, other.completion_tokens, other.cost, other.priced) == (0, 0, 0.0, 1)


async def test_an_answer_that_a_retry_inherits_is_counted_where_it_was_paid_for(store: Store) -> None:
    await hold(store, "r1", Held(status="failed", calls=(priced("a/a", 0.5), a_failure("x"))))
    await store.begin(a_retry("r2", of="r1", started_at=25 * HOUR))
    await store.append(an_append("r2", call=a_call("new", model="a/a", cost=0.25)))
    await store.append(an_append("r2", event=an_event("complete"), ending=Ending("complete")))
    cells = {cell.day: cell for cell in await spent(store)}
    assert (cells["day 0"].calls, cells["day 0"].cost) == (2, 0.5)
    assert (cells["day 1"].calls, cells["day 1"].cost) == (1, 0.25)


async def test_times_are_of_answered_calls_alone(store: Store) -> None:
    answered = a_call("x", started_ms=100, first_token_ms=130, ended_ms=400)
    unstreamed = a_call("x", started_ms=100, first_token_ms=None, ended_ms=200)
    await hold(store, "r1", Held(calls=(answered, unstreamed, a_failure("x"))))
    [cell] = await spent(store)
    assert sorted((cell.responses_ms or "").split(",")) == ["100", "300"]
    assert cell.first_tokens_ms == "30"
    assert cell.kinds == "timeout"


async def test_a_model_is_counted_with_the_deliberations_it_sat_in(store: Store) -> None:
    await hold(store, "r1", Held(calls=(priced("a/a", 1.0), priced("a/a", 1.0), priced("b/b", 2.0))))
    await hold(store, "r2", Held(calls=(priced("b/b", 4.0),)))
    scope = Scope("ann", DAYS, model="a/a")
    [cell] = await spent(store, model="a/a")
    assert (cell.runs, cell.calls, cell.cost) == (1, 2, 2.0)
    assert [one.runs for one in await store.read(lambda db: queries.run_counts(db, scope))] == [1]


def a_reading(
    run_id: str, *seats: SeatResult, stages: Sequence[StageTime] = (), took_ms: int = 10
) -> RunFigures:
    return RunFigures(run_id, seats, stages, took_ms)


ANN = SeatResult(1, "a/a", won=True)
BOB = SeatResult(2, "b/b", won=False)
BOBS_VOTE = SeatResult(2, "b/b", agreed=1, cases=1)


async def test_wins_are_counted_with_what_even_odds_would_give(store: Store) -> None:
    for run_id in ("r1", "r2"):
        await hold(store, run_id, Held())
    await store.change(lambda db: queries.store_figures(db, [a_reading("r1", ANN, BOB, BOBS_VOTE)]))
    three = (ANN, BOB, SeatResult(3, "b/b", won=False), SeatResult(3, "b/b", agreed=2, cases=4))
    await store.change(lambda db: queries.store_figures(db, [a_reading("r2", *three)]))
    scope = Scope("ann", DAYS)
    found = {one.model: one for one in await store.read(lambda db: queries.model_results(db, scope))}
    assert tuple(found["a/a"]) == ("a/a", 2, 2, pytest.approx(1 / 2 + 1 / 3), 0, 0)
    assert tuple(found["b/b"]) == ("b/b", 0, 3, pytest.approx(1 / 2 + 2 / 3), 3, 5)
    only = Scope("ann", DAYS, model="a/a")
    assert await store.read(lambda db: queries.model_results(db, only)) == []  # it made no call


async def test_a_run_that_was_tried_again_is_reckoned_once_and_no_retry_is_timed(store: Store) -> None:
    await hold(store, "r1", Held(status="degraded"))
    await store.begin(a_retry("r2", of="r1"))
    await store.append(an_append("r2", event=an_event("complete"), ending=Ending("complete")))
    read = [
        a_reading("r1", ANN, BOB, stages=[StageTime("vote", 7)], took_ms=9),
        a_reading("r2", BOB._replace(won=True), ANN._replace(won=False), stages=[StageTime("vote", 1)]),
    ]
    await store.change(lambda db: queries.store_figures(db, read))
    scope = Scope("ann", DAYS)
    found = await store.read(lambda db: queries.model_results(db, scope))
    assert {one.model: one.wins for one in found} == {"a/a": 0, "b/b": 1}
    assert await store.read(lambda db: queries.stages(db, scope)) == {
        ("vote", ""): "9",
        ("vote", "vote"): "7",
    }


async def test_a_story_is_read_once_whoever_reads_it(store: Store) -> None:
    for run_id, held in (("r1", Held()), ("r2", Held(status="failed")), ("r3", Held(status="running"))):
        await hold(store, run_id, held)
    scope = Scope("ann", DAYS)
    uncounted_runs = await store.read(lambda db: queries.uncounted_runs(db, scope, 9))
    assert sorted(one.run_id for one in uncounted_runs) == ["r1", "r2"]
    reading = [a_reading("r1", ANN), a_reading("r2"), a_reading("gone", BOB)]
    for _ in range(2):
        await store.change(lambda db: queries.store_figures(db, reading))
    assert await store.read(lambda db: queries.uncounted_runs(db, scope, 9)) == []
    assert [one.contests for one in await store.read(lambda db: queries.model_results(db, scope))] == [1]
    # What failed took a time, but not the time it takes.
    assert await store.read(lambda db: queries.stages(db, scope)) == {("vote", ""): "10"}


async def test_a_conversation_that_is_deleted_takes_its_figures_along(store: Store) -> None:
    await hold(store, "r1", Held(calls=(priced("a/a", 1.0),)))
    await store.change(lambda db: queries.store_figures(db, [a_reading("r1", ANN)]))
    conversation = an_opening("r1").conversation_id
    await store.change(lambda db: conversations.delete_conversation(db, "ann", conversation))
    scope = Scope("ann", DAYS)
    assert await spent(store) == []
    assert await store.read(lambda db: queries.model_results(db, scope)) == []
    assert await store.read(lambda db: queries.stages(db, scope)) == {}


def of_older_schema(path: Path) -> None:
    """A file as an older moot left it, with a run in it."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0004")
        opening = an_opening("r1", mode="chain", started_at=HOUR)
        then = {column["name"] for column in inspect(connection).get_columns("runs")}
        names = [
            column.name for column in tables.runs.c if column.name in then and hasattr(opening, column.name)
        ]
        run = {name: getattr(opening, name) for name in names}
        run |= {"id": "r1", "config": "{}", "history": "[]", "status": "complete", "finished_at": 2 * HOUR}
        connection.execute(insert(tables.runs), run)
        told = [("chain_start", 0), ("chain_step_start", 5), ("chain_step_start", 30), ("complete", 90)]
        for number, (type, at) in enumerate(told, 1):
            event = {
                "run_id": "r1",
                "number": number,
                "key": f"{number}",
                "type": type,
                "at": at,
                "body": "{}",
            }
            connection.execute(insert(tables.events), event)
    engine.dispose()


async def test_the_runs_of_an_older_database_are_counted_too(tmp_path: Path) -> None:
    await asyncio.to_thread(of_older_schema, tmp_path / "old.db")
    store = store_for(f"sqlite:///{tmp_path / 'old.db'}")
    await store.open()
    scope = Scope("ann", DAYS)
    await count_stories(store, MODES, scope)
    times = await store.read(lambda db: queries.stages(db, scope))
    assert times[("chain", "")] == "90"
    assert sorted(times[("chain", "chain_step")].split(",")) == ["25", "60"]
    await store.close()
