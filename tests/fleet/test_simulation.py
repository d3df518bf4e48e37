"""The simulated fleet does what can be reckoned by hand."""

from __future__ import annotations

import pytest
from bench.simulation import VOTE, Fleet, arrivals, everyone_at_once, simulate


@pytest.mark.parametrize(
    ("fleet", "runs", "seconds"),
    [
        (Fleet(workers=1, runs_at_once=6, limit=256), 12, 12.0),  # two waves of two stages of three seconds
        (Fleet(workers=2, runs_at_once=6, limit=256), 12, 6.0),
        (Fleet(workers=1, runs_at_once=1, limit=1), 1, 21.0),  # seven calls, one after the other
        (Fleet(workers=1, runs_at_once=6, limit=256, overhead=0.5), 6, 7.0),
    ],
)
def test_everyone_at_once_takes_as_long_as_places_and_limits_say(
    fleet: Fleet, runs: int, seconds: float
) -> None:
    report = simulate(fleet, everyone_at_once(runs, VOTE))
    assert len(report.took) == runs
    assert report.ended_at == pytest.approx(seconds)
    assert report.busiest <= fleet.limit


def test_with_room_to_spare_nobody_waits_and_with_too_little_the_wait_grows() -> None:
    asked = arrivals(rate=2.0, seconds=200, stages=VOTE)
    roomy = simulate(Fleet(workers=4, runs_at_once=100, limit=1000, spread=0.5), asked)
    scarce = simulate(Fleet(workers=4, runs_at_once=2, limit=1000, spread=0.5), asked)
    assert max(roomy.waited) == 0
    assert scarce.waited[-1] > scarce.waited[len(scarce.waited) // 2] > 0
