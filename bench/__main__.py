"""`make bench`: overhead, load, cost and start-up of the council pipeline, as ratios in one run.

The critical path is the sum of the slowest call of each stage: three times the models' latency.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import aiohttp
import orjson

from bench import insight, modes, page
from bench.bare import MODELS, QUESTION
from bench.processes import configure, cpu_seconds, moot_server, upstream

BODY = orjson.dumps({"question": QUESTION, "councilModels": MODELS})


class Timing:
    """When a stream's first event came, how long it took, whether it ended well."""

    def __init__(self, first: float, wall: float, last: str) -> None:
        self.first, self.wall, self.ok = first, wall, last == "complete"


async def deliberate(session: aiohttp.ClientSession, address: str) -> Timing:
    started = time.perf_counter()
    first, last = 0.0, ""
    async with session.post(f"{address}/api/council/stream", data=BODY) as reply:
        async for line in reply.content:
            if line.startswith(b"event: "):
                first = first or time.perf_counter() - started
                last = line[7:].strip().decode()
    return Timing(first, time.perf_counter() - started, last)


async def many(address: str, count: int, at_once: int) -> tuple[list[Timing], float]:
    slots = asyncio.Semaphore(at_once)
    timeout = aiohttp.ClientTimeout(total=120)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout, read_bufsize=2**20) as session:

        async def one() -> Timing:
            async with slots:
                return await deliberate(session, address)

        await deliberate(session, address)
        started = time.perf_counter()
        timings = await asyncio.gather(*(one() for _ in range(count)))
        return timings, time.perf_counter() - started


def bare(base: str, count: int, at_once: int) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.bare", f"{base}/v1", str(count), str(at_once)],
        capture_output=True,
        check=True,
        timeout=300,
    )
    return dict(json.loads(done.stdout))


def line(what: str, figure: str, goal: str, met: bool) -> bool:
    print(f"{what:<58} {figure:>16}   {goal:<10} {'ok' if met else 'MISSED'}", flush=True)
    return met


def overhead(base: str, address: str, latency_ms: int, count: int, goal: float | None) -> bool:
    """With replies in one piece as a goal; word by word, three streams of 300 chunks that all come at one
    moment, beside what the bare script needs for them."""
    configure(base, latency_ms=latency_ms, chunk_words=1 if goal is None else 1000)
    timings, _ = asyncio.run(many(address, count, 1))
    ratio = statistics.median(t.wall for t in timings) / (3 * latency_ms / 1000)
    by_hand = bare(base, count, 1)["median_s"] / (3 * latency_ms / 1000)
    chunks = ", a chunk a word" if goal is None else ""
    name = f"wall over critical path, {latency_ms} ms a call{chunks} (bare {by_hand:.3f})"
    return line(name, f"{ratio:.3f}", "" if goal is None else f"<= {goal}", goal is None or ratio <= goal)


def first_event(base: str, address: str) -> bool:
    configure(base, latency_ms=50)
    timings, _ = asyncio.run(many(address, 30, 1))
    median = statistics.median(t.first for t in timings) * 1000
    return line("request to first event, median", f"{median:.1f} ms", "< 20 ms", median < 20)


def load(base: str, address: str, count: int) -> bool:
    # Replies in one piece: word by word, three thousand streams that end at one moment measure the event
    # loop's ceiling for chunks, which the bare script meets just as well.
    configure(base, latency_ms=3000, chunk_words=1000)
    timings, wall = asyncio.run(many(address, count, count))
    failed = sum(not t.ok for t in timings)
    ratio = wall / 9
    by_hand = bare(base, count, count)["wall_s"] / 9
    name = f"{count} at once, 3 s a call: wall over path, {failed} failed (bare {by_hand:.2f})"
    return line(name, f"{ratio:.2f}", "<= 1.5", ratio <= 1.5 and failed == 0)


def cost(base: str, address: str, pid: int, count: int) -> bool:
    configure(base)
    by_hand = bare(base, count, 20)["cpu_ms"]
    asyncio.run(many(address, 20, 20))
    before = cpu_seconds(pid)
    asyncio.run(many(address, count, 20))
    mine = (cpu_seconds(pid) - before) * 1000 / (count + 1)
    name = f"CPU a deliberation over bare aiohttp ({mine:.2f} / {by_hand:.2f} ms)"
    return line(name, f"{mine / by_hand:.2f}", "<= 3", mine / by_hand <= 3)


def start_up() -> bool:
    moot = str(Path(sys.executable).with_name("moot"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(5):
        subprocess.run([moot, "--help"], capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 5
    return line("CPU of `moot --help`", f"{spent:.2f} s", "< 0.3 s", spent < 0.3)


def every_mode(folder: str) -> bool:
    met = [
        line(
            f"{mode}: wall over critical path, 50 ms a call",
            f"{ratio:.3f}",
            "<= 1.1",
            ratio <= 1.1 and end == "complete",
        )
        for mode, ratio, end in modes.table(folder)
    ]
    return all(met)


def on_the_page(base: str, address: str) -> bool:
    with page.browser() as opened:
        if opened is None:
            return line("the page (needs chromium)", "not run", "", False)
        painted = page.first_paint(opened, address)
        frames = page.smoothness(opened, base, address)
    name = (
        f"frames a second, {frames.columns} seats at 50 words a second (longest {frames.slowest_ms:.0f} ms)"
    )
    return all(
        [
            line("first paint of the page, nothing cached", f"{painted:.0f} ms", "< 1000 ms", painted < 1000),
            line(name, f"{frames.a_second:.1f}", ">= 50", frames.a_second >= 50 and frames.columns == 6),
        ]
    )


def insights(folder: str) -> bool:
    found = insight.measure(folder)
    name = (
        f"insight over {insight.DELIBERATIONS} deliberations (first time {found.first:.1f} s, "
        f"loop held {found.stall * 1000:.0f} ms)"
    )
    return line(name, f"{found.median * 1000:.0f} ms", "< 300 ms", found.median < 0.3)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--at-once", type=int, default=1000)
    parser.add_argument("--deliberations", type=int, default=400)
    chosen = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        upstream() as base,
        moot_server(base, folder) as (address, pid),
    ):
        ready = cpu_seconds(pid)
        met = [
            start_up(),
            line("CPU of `moot serve` until ready", f"{ready:.2f} s", "< 1.5 s", ready < 1.5),
            first_event(base, address),
            overhead(base, address, 50, 40, 1.10),
            overhead(base, address, 50, 40, None),
            overhead(base, address, 1000, 5, 1.01),
            cost(base, address, pid, chosen.deliberations),
            load(base, address, chosen.at_once),
            on_the_page(base, address),
        ]
    with tempfile.TemporaryDirectory() as folder:
        met.append(every_mode(folder))
        met.append(insights(folder))
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
