"""A million deliberations a day, reckoned from what was measured: the tables and plots of docs/scale.md.

python -m bench.fleet --write       measures (bench/results/fleet.json)
python -m bench.scale               draws the plots anew; the tables are made with the docs
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.plot import lines
from bench.simulation import COUNCIL, VOTE, Fleet, arrivals, everyone_at_once, simulate

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "fleet.json"
RUNS_A_DAY = 1_000_000
PEAK = 3.0
"""The busiest hour over the average."""
CALL_SECONDS = 20.0
"""What a call of a large model takes, an assumption."""
DAY = 24 * 60 * 60


def measured() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RESULTS.read_text())
    return found


def arithmetic() -> str:
    """What a day and its busiest second take, from what one council took."""
    one = measured()["council"]
    rate = RUNS_A_DAY / DAY * PEAK
    at_once = rate * one["stages"] * CALL_SECONDS
    calls_at_once = rate * one["calls"] * CALL_SECONDS
    cores = rate * (one["workerMs"] + one["doorMs"]) / 1000
    rows = [
        ("runs", "1", f"{RUNS_A_DAY:,}", f"{rate:.0f} a second"),
        ("calls", f"{one['calls']:.0f}", _many(one["calls"]), f"{rate * one['calls']:,.0f} a second"),
        (
            "tokens, read and written",
            f"{one['tokens']:,.0f}",
            _many(one["tokens"]),
            f"{rate * one['tokens']:,.0f} a second",
        ),
        ("commits", f"{one['commits']:.1f}", _many(one["commits"]), f"{rate * one['commits']:,.0f} a second"),
        (
            "WAL",
            _bytes(one["walBytes"]),
            _bytes(one["walBytes"] * RUNS_A_DAY),
            f"{_bytes(rate * one['walBytes'])} a second",
        ),
        ("kept in tables and indexes", _bytes(one["keptBytes"]), _bytes(one["keptBytes"] * RUNS_A_DAY), "–"),
        (
            "processor time of doors and workers",
            f"{one['workerMs'] + one['doorMs']:.1f} ms",
            "–",
            f"{cores:.1f} cores",
        ),
        ("runs at once", "–", "–", f"{at_once:,.0f}"),
        ("calls at once", "–", "–", f"{calls_at_once:,.0f}"),
        (
            "connections to PostgreSQL, workers of 500 runs",
            "–",
            "–",
            f"{at_once / 500 + 1:.0f} workers × {one['connections']:.0f}",
        ),
    ]
    head = ["| | one council | a day | at its busiest |", "|---|---|---|---|"]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)])


def comparison() -> str:
    """The simulation beside the fleet that was measured."""
    found = measured()
    at_once, seconds = found["runsAtOnce"], found["latencySeconds"]
    rows = ["| workers | measured, runs a second | simulated | deviation |", "|---|---|---|---|"]
    for workers, rate in found["runsPerSecond"].items():
        count = at_once * found["waves"] * int(workers)
        fleet = Fleet(int(workers), at_once, limit=256, call_seconds=seconds)
        said = simulate(fleet, everyone_at_once(count, VOTE)).runs_per_second
        rows.append(f"| {workers} | {rate:.2f} | {said:.2f} | {(said / rate - 1) * 100:+.0f}% |")
    return "\n".join(rows)


def draw() -> None:
    rate = RUNS_A_DAY / DAY * PEAK
    needed = rate * sum(COUNCIL) * CALL_SECONDS
    limits = [int(needed * share) for share in (0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.4)]
    waits = []
    for limit in limits:
        fleet = Fleet(workers=40, runs_at_once=500, limit=limit, call_seconds=CALL_SECONDS, spread=0.5)
        took = sorted(simulate(fleet, arrivals(rate, 600, COUNCIL)).took)
        waits.append((limit, took[len(took) // 2], took[int(len(took) * 0.95)]))
    lines(
        ROOT / "docs" / "scale-limit.svg",
        "Seconds a council takes, by the provider's limit on calls at once",
        {
            "half of them": [(x, half) for x, half, _ in waits],
            "95 of 100": [(x, most) for x, _, most in waits],
        },
    )
    places = [2, 3, 4, 5, 6, 8, 10]
    delays = []
    for workers in places:
        fleet = Fleet(workers=workers, runs_at_once=500, limit=10**6, call_seconds=CALL_SECONDS, spread=0.5)
        waited = sorted(simulate(fleet, arrivals(rate, 600, COUNCIL)).waited)
        delays.append((workers, waited[int(len(waited) * 0.95)]))
    lines(
        ROOT / "docs" / "scale-workers.svg",
        "Seconds 95 of 100 runs wait for a worker at most, by workers of 500 runs",
        {"95 of 100": [(float(x), y) for x, y in delays]},
    )


def _many(each: float) -> str:
    total = each * RUNS_A_DAY
    return f"{total / 1e9:,.1f} billion" if total >= 1e9 else f"{total / 1e6:,.0f} million"


def _bytes(number: float) -> str:
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if number < 1000 or unit == "TB":
            return f"{number:.3g} {unit}"
        number /= 1000
    raise AssertionError


if __name__ == "__main__":
    draw()
    print(arithmetic(), comparison(), sep="\n\n")
