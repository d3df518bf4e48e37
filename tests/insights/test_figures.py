"""Insight as people are shown it: days of a time zone, shares, times, and the sums that must agree."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from itertools import pairwise
from math import fsum
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

import moot
from moot.insights.figures import FEWEST_CASES, Period, Rate, Times, days_until, read_insight, zone_of
from moot.kernel.errors import Rejected
from moot.kernel.seat_results import stage_times
from moot.modes import MODES
from moot.simulator.transport import Simulator
from moot.testing import Reply
from moot.testing.replies import Line
from tests.harness.chamber import Chamber
from tests.laws.test_databases import PANEL, QUESTION

HOUR = 3_600_000


def at(text: str, zone: tzinfo = UTC) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1000)


@pytest.mark.parametrize(
    ("now", "zone", "names", "hours"),
    [
        ("2026-03-01T00:00:00", "UTC", ["2026-02-27", "2026-02-28", "2026-03-01"], [24, 24, 24]),
        ("2026-02-28T23:59:59", "UTC", ["2026-02-26", "2026-02-27", "2026-02-28"], [24, 24, 24]),
        ("2026-03-29T23:00:00", "Europe/Berlin", ["2026-03-28", "2026-03-29", "2026-03-30"], [24, 23, 24]),
        ("2026-10-25T12:00:00", "Europe/Berlin", ["2026-10-23", "2026-10-24", "2026-10-25"], [24, 24, 25]),
        ("2026-01-01T19:00:00", "Asia/Kolkata", ["2025-12-31", "2026-01-01", "2026-01-02"], [24, 24, 24]),
    ],
)
def test_days_begin_where_the_reader_is_and_may_be_longer_or_shorter(
    now: str, zone: str, names: list[str], hours: list[int]
) -> None:
    days = days_until(at(now), 3, zone_of(zone))
    assert [day.name for day in days] == names
    assert [(day.until - day.since) // HOUR for day in days] == hours
    assert days[-1].since <= at(now) < days[-1].until


@given(
    st.integers(0, 2_000_000_000),
    st.integers(1, 366),
    st.sampled_from(["UTC", "America/Sao_Paulo", "Asia/Gaza"]),
)
def test_days_follow_each_other_without_a_gap_and_today_is_the_last(
    seconds: int, count: int, zone: str
) -> None:
    now = seconds * 1000
    days = days_until(now, count, zone_of(zone))
    assert len(days) == count
    assert all(day.since < day.until for day in days)
    assert all(one.until == other.since for one, other in pairwise(days))
    assert days[-1].since <= now < days[-1].until


@pytest.mark.parametrize(
    "name", ["Europe", "Mars/Olympus", "", "../../etc/passwd", "/etc/passwd", "\x00", "x" * 500]
)
def test_what_is_no_time_zone_is_refused_by_name(name: str) -> None:
    with pytest.raises(Rejected, match="not a time zone"):
        zone_of(name)


@pytest.mark.parametrize(
    ("joined", "times"),
    [
        ([], (0, None, None)),
        ([None, None], (0, None, None)),
        (["7"], (1, 7, 7)),
        (["9,7"], (2, 7, 9)),
        (["3", None, "1,2"], (3, 2, 3)),
        (["10,9,8,7,6,5,4,3,2,1"], (10, 5, 9)),
        (["11,10,9,8,7,6,5,4,3,2,1"], (11, 6, 10)),
    ],
)
def test_times_are_values_that_occurred(
    joined: list[str | None], times: tuple[int, int | None, int | None]
) -> None:
    found = Times.of(joined)
    assert (found.cases, found.median_ms, found.p90_ms) == times


@pytest.mark.parametrize(
    ("count", "cases", "rate"),
    [(0, 0, None), (3, FEWEST_CASES - 1, None), (0, FEWEST_CASES, 0.0), (5, 5, 1.0), (1, 8, 0.125)],
)
def test_a_share_of_few_cases_is_told_in_numbers_only(count: int, cases: int, rate: float | None) -> None:
    assert Rate.of(count, cases).rate == rate


def test_a_stage_lasts_until_the_next_and_the_last_until_the_end() -> None:
    told = [
        ("decompose_start", 0),
        ("plan_start", 5),
        ("plan_complete", 20),
        ("wave_start", 20),
        ("task_start", 21),
        ("task_start", 22),
        ("wave_start", 50),
        ("assembly_start", 90),
        ("complete", 100),
    ]
    assert [tuple(one) for one in stage_times(MODES["decompose"], told)] == [
        ("plan", 15),
        ("wave", 30),
        ("wave", 40),
        ("assembly", 10),
    ]
    assert stage_times(MODES["council"], [("stage1_start", 0), ("error", 30)])[0].took_ms == 30
    assert stage_times(MODES["vote"], [("vote_start", 0), ("error", 30)]) == []


async def test_sums_by_day_by_model_and_by_mode_agree_in_every_mode(store_url: str, tmp_path: Path) -> None:
    async with Chamber(
        transport=Simulator(speed=0),
        database=store_url,
        panel=PANEL,
        title_model="sim/ada",
        embedder_folder=tmp_path / "no-weights",
    ) as chamber:
        held = {mode: await chamber.deliberate(mode, QUESTION) for mode in MODES}
        insight = await read_insight(chamber.engine, "local", Period(days=2))
        theirs = await read_insight(chamber.engine, "somebody else", Period(days=2))
    calls = [call for one in held.values() for call in one.calls]
    totals = insight.totals
    assert totals.calls == len(calls)
    assert totals.deliberations.complete == totals.deliberations.total == len(MODES)
    for parts in (insight.by_day, insight.by_mode, insight.by_model):
        assert sum(part.calls for part in parts) == totals.calls
        assert sum(part.failed for part in parts) == totals.failed
        assert sum(part.unpriced for part in parts) == totals.unpriced
        assert fsum(part.cost or 0 for part in parts) == pytest.approx(totals.cost)
        for name in ("prompt_tokens", "completion_tokens"):
            assert sum(getattr(part, name) or 0 for part in parts) == getattr(totals, name)
    for ordered in (insight.by_day, insight.by_mode):
        assert sum(part.deliberations.total for part in ordered) == totals.deliberations.total
    assert {one.mode: one.calls for one in insight.by_mode} == {
        mode: len(one.calls) for mode, one in held.items()
    }
    assert all(one.stages and one.took.cases == 1 for one in insight.by_mode)
    assert all(one.simulated for one in insight.by_model)
    assert sum(one.wins.count for one in insight.by_model) <= sum(
        one.wins is not None for one in insight.by_mode
    )
    assert theirs.totals.calls == theirs.totals.deliberations.total == 0
    assert (theirs.by_model, theirs.by_mode) == ([], [])


async def test_what_a_failed_call_and_a_retry_leave_in_the_figures() -> None:
    down = Reply(status=404, message="no such model")
    models: dict[str, list[Line]] = {
        "a/ann": ["tabs", Reply(vote_for="tabs"), Reply(vote_for="tabs")],
        "b/bob": ["both", Reply(vote_for="tabs"), Reply(vote_for="tabs")],
        "c/cyd": [down, "no", Reply(vote_for="tabs")],
    }
    async with Chamber({**models}) as chamber:
        first = await chamber.deliberate("vote", councilModels=["a/ann", "b/bob", "c/cyd"])
        assert first.record.status == "degraded"
        before = await read_insight(chamber.engine, "local", Period())
        again = await chamber.engine.retry(first.record.id, user="local")
        await chamber.engine.finished(again.id)
        after = await read_insight(chamber.engine, "local", Period())
        only = await read_insight(chamber.engine, "local", Period(model="c/cyd"))
    one = {model.model: model for model in before.by_model}
    two = {model.model: model for model in after.by_model}
    assert one["c/cyd"].failures == {"not_found": 1}
    assert (one["a/ann"].wins.count, one["a/ann"].wins.cases, one["a/ann"].wins.even_odds) == (1, 1, 0.5)
    assert (one["b/bob"].agreement.count, one["b/bob"].agreement.cases) == (1, 1)
    # Both answers were inherited; the votes are new, for a third answer is on the table.
    assert two["a/ann"].calls == one["a/ann"].calls + 1
    assert two["a/ann"].wins.cases == 1
    assert two["a/ann"].wins.even_odds == pytest.approx(1 / 3)
    assert after.totals.deliberations.total == 2
    assert after.by_mode[0].took.cases == 1
    assert [model.model for model in only.by_model] == ["c/cyd"]
    assert only.totals.calls == two["c/cyd"].calls


async def test_a_program_asks_the_library(tmp_path: Path) -> None:
    settings = moot.Settings(database_url=f"sqlite:///{tmp_path / 'moot.db'}")
    insight = await moot.insight(7, settings=settings)
    assert len(insight.by_day) == 7
    assert insight.totals.cost is None
    with pytest.raises(Rejected, match="days"):
        await moot.insight(0, settings=settings)
    with pytest.raises(Rejected, match="Unknown mode: duel"):
        await moot.insight(mode="duel", settings=settings)


def test_zones_with_a_name_are_known() -> None:
    assert zone_of("Europe/Berlin") == ZoneInfo("Europe/Berlin")
