"""What a fleet does: throughput by workers, takeover, drain, and tokens through a foreign door.

    python -m bench.fleet --write       make fleet-bench

Plain processes on one machine stand in for many. The upstream answers after three seconds and every worker
works on few runs at a time, so that these bind and not the cores. All figures are ratios within one run, or
times that the fleet's own settings set.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import time
from pathlib import Path
from statistics import median
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it carries no types
from tests.harness.fleet import Door, Fleet, Machine
from tests.harness.postgres_server import Server, running_server

from bench.figures import ROUNDS
from bench.pages import rewrite
from moot.testing import ModelServer
from moot.testing.replies import Reply, Rule, Script

PANEL = ["a/ann", "b/bob", "c/cyd"]
SECRET = "a-secret-of-the-benchmark-alone"
LATENCY = 3.0
RUNS_AT_ONCE = 6
WAVES = 2
READERS = 24
COUNCILS = 60
REASONS = [f"Reason {number} weighs {number * number % 97} grams of doubt." for number in range(57)]
ANSWER, LONG_ANSWER = " ".join(REASONS[:40]), " ".join(REASONS)
PAGE = Path(__file__).parents[1] / "docs" / "fleet.md"
RESULTS = Path(__file__).parent / "results" / "fleet.json"
TICKS = os.sysconf("SC_CLK_TCK")


def script(latency: float, **reply: Any) -> Script:
    ranking = "All are good.\nFINAL RANKING:\n1. Response B\n2. Response A\n3. Response C\n4. Response D"
    rules = [
        Rule(contains="FINAL RANKING", reply=Reply(text=ranking, latency=latency)),
        Rule(contains="VOTE:", reply=Reply(text="Good.\nVOTE: Response B", latency=latency)),
    ]
    return Script(rules=rules, default=Reply(**{"text": "An answer.", "latency": latency, **reply}))


def ask(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "question": f"Question {number}?",
        "mode": "vote",
        "modeConfig": {"councilModels": PANEL},
        **fields,
    }


def cpu_seconds(*machines: Machine) -> float:
    """Of the processes themselves, so far."""
    total = 0
    for machine in machines:
        fields = Path(f"/proc/{machine.process.pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


async def throughput(server: Server, workers: int) -> float:
    """Runs a second, the processes started and warm."""
    url = await server.new_database()
    async with (
        ModelServer(script(LATENCY)) as models,
        Fleet(url, models.environment, runs_at_once=str(RUNS_AT_ONCE), log_level="error") as fleet,
    ):
        door = await fleet.door()
        for _ in range(workers):
            await fleet.worker()
        count = RUNS_AT_ONCE * WAVES * workers
        began = time.monotonic()
        stories = await asyncio.gather(*(fleet.ask(door, ask(number)) for number in range(count)))
        took = time.monotonic() - began
        assert all(story.types[-1] == "complete" for story in stories)
    return count / took


async def takeover(server: Server) -> float:
    """Seconds from the death of a worker on another machine to the next one's having its run."""
    url = await server.new_database()
    database = await asyncpg.connect(url)
    async with ModelServer(script(LATENCY)) as models, Fleet(url, models.environment) as fleet:
        door, first = await fleet.door(), await fleet.worker(elsewhere=True)
        asking = asyncio.create_task(fleet.ask(door, ask(1)))
        while not models.requests:
            await asyncio.sleep(0.02)
        await fleet.worker()
        await first.kill()
        began = time.monotonic()
        while await database.fetchval("SELECT epoch FROM leases") < 3:
            await asyncio.sleep(0.02)
        took = time.monotonic() - began
        assert (await asking).types[-1] == "complete"
    await database.close()
    return took


async def drain(server: Server) -> tuple[float, int]:
    """Seconds from SIGTERM to the end of a worker whose calls take three, and calls made twice."""
    url = await server.new_database()
    async with ModelServer(script(LATENCY)) as models, Fleet(url, models.environment) as fleet:
        door, first = await fleet.door(), await fleet.worker()
        asking = asyncio.create_task(fleet.ask(door, ask(1)))
        while len(models.requests) < 4:  # three answers and the title
            await asyncio.sleep(0.02)
        await fleet.worker()
        began = time.monotonic()
        first.send(signal.SIGTERM)
        await first.process.wait()
        took = time.monotonic() - began
        assert (await asking).types[-1] == "complete"
        digests = [request.digest for request in models.requests]
    return took, len(digests) - len(set(digests))


async def tokens_cpu(server: Server, *, foreign: bool) -> float:
    """Milliseconds of processor time for a run that is deliberated and read live, all processes together."""
    url = await server.new_database()
    async with (
        ModelServer(script(0.0, text=LONG_ANSWER, tokens_per_second=200.0)) as models,
        Fleet(url, models.environment, fleet_secret=SECRET, log_level="error") as fleet,
    ):
        machines: list[Machine] = []
        door: Door = await fleet.door(deliberates=not foreign)
        machines.append(door)
        if foreign:
            machines.append(await fleet.worker())
        await fleet.ask(door, ask(0, streamTokens=True))  # what is loaded with the first run is loaded now
        before = cpu_seconds(*machines)
        stories = await asyncio.gather(
            *(fleet.ask(door, ask(number, streamTokens=True)) for number in range(1, READERS + 1))
        )
        spent = cpu_seconds(*machines) - before
        assert all(story.types[-1] == "complete" for story in stories)
        tokens = sum(story.types.count("token") + story.types.count("tokens") for story in stories)
        assert tokens > READERS * 100, f"{tokens} frames of live text"
    return spent * 1000 / READERS


async def footprint(server: Server) -> dict[str, float]:
    """What one council takes: calls, tokens, commits, bytes, connections, processor time."""
    url = await server.new_database()
    database = await asyncpg.connect(url)
    async with (
        ModelServer(script(0.0, text=ANSWER)) as models,
        Fleet(url, models.environment, log_level="error") as fleet,
    ):
        door, worker = await fleet.door(), await fleet.worker()
        await fleet.ask(door, council(0))
        models.requests.clear()
        before, cpu = await _state(database), (cpu_seconds(worker), cpu_seconds(door))
        for start in range(0, COUNCILS, 10):
            stories = await asyncio.gather(*(fleet.ask(door, council(start + at)) for at in range(10)))
            assert all(story.types[-1] == "complete" for story in stories)
        connections = await database.fetchval(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        await asyncio.sleep(1.5)  # the server's own counts are a second late
        after = await _state(database)
        spent = cpu_seconds(worker) - cpu[0], cpu_seconds(door) - cpu[1]
        read = sum(len(request.prompt) for request in models.requests)
        calls = len(models.requests)
    await database.close()
    each = [(late - early) / COUNCILS for early, late in zip(before, after, strict=True)]
    return {
        "calls": calls / COUNCILS,
        "stages": 3,
        "tokens": (read + calls * len(ANSWER)) / 4 / COUNCILS,
        "commits": each[0],
        "walBytes": each[1],
        "keptBytes": each[2],
        "connections": connections / 2,
        "workerMs": spent[0] * 1000 / COUNCILS,
        "doorMs": spent[1] * 1000 / COUNCILS,
    }


def council(number: int) -> dict[str, Any]:
    config = {"councilModels": [*PANEL, "d/dee"], "chairmanModel": PANEL[0]}
    return {"question": f"Question {number}?", "mode": "council", "modeConfig": config}


async def _state(database: asyncpg.Connection) -> tuple[float, float, float]:
    """Commits, bytes of the log, bytes of tables and indexes, so far."""
    found = await database.fetchrow(
        "SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()), "
        "pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'), pg_database_size(current_database())"
    )
    return float(found[0]), float(found[1]), float(found[2])


async def measure(server: Server) -> dict[str, Any]:
    rates = {workers: await throughput(server, workers) for workers in (1, 2, 4)}
    took = await takeover(server)
    drained, twice = await drain(server)
    pairs = [
        (await tokens_cpu(server, foreign=False), await tokens_cpu(server, foreign=True))
        for _ in range(ROUNDS)
    ]
    return {
        "runsAtOnce": RUNS_AT_ONCE,
        "latencySeconds": LATENCY,
        "runsPerSecond": {str(workers): rate for workers, rate in rates.items()},
        "takeoverSeconds": took,
        "drainSeconds": drained,
        "callsMadeTwice": twice,
        "waves": WAVES,
        "council": await footprint(server),
        "directMs": median(direct for direct, _ in pairs),
        "foreignMs": median(foreign for _, foreign in pairs),
        "foreignOverDirect": median(foreign / direct for direct, foreign in pairs),
    }


def table(found: dict[str, Any]) -> str:
    rates = {int(workers): rate for workers, rate in found["runsPerSecond"].items()}
    lines = ["| measured | figure |", "|---|---|"]
    for workers, rate in rates.items():
        lines.append(
            f"| votes a second, workers: {workers}, of {found['runsAtOnce']} runs at once, "
            f"{found['latencySeconds']:g} s a call | {rate:.2f} ({rate / rates[1]:.2f} ×) |"
        )
    lines += [
        f"| takeover from a worker that died on another machine | {found['takeoverSeconds']:.1f} s |",
        f"| drain of a worker with calls of {found['latencySeconds']:g} s | {found['drainSeconds']:.1f} s, "
        f"{found['callsMadeTwice']} calls made twice |",
        "| processor time of a run that is read live, all processes: door and worker apart, over one process "
        f"for both, median of {ROUNDS} | {found['foreignOverDirect']:.2f} × |",
    ]
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m bench.fleet", description=__doc__)
    options.add_argument("--write", action="store_true", help="put the table into docs/fleet.md")
    given = options.parse_args()
    with running_server() as server:
        found = asyncio.run(measure(server))
    print(table(found))
    if given.write:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n")
        rewrite(PAGE, "fleet-bench", table(found))


if __name__ == "__main__":
    main()
