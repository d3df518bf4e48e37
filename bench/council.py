"""The council as load: how long it takes, what it costs the server, what it holds in memory."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

import aiohttp
import orjson

from bench.bare import MODELS, QUESTION
from bench.processes import cpu_seconds, resident_mb


@dataclass(frozen=True)
class Timing:
    """When a stream's first event came, how long it took, whether it ended well."""

    first: float
    wall: float
    ok: bool


async def deliberate(session: aiohttp.ClientSession, address: str, tokens: bool = False) -> Timing:
    body = orjson.dumps({"question": QUESTION, "councilModels": MODELS, "streamTokens": tokens})
    started = time.perf_counter()
    first, end = 0.0, b""
    async with session.post(f"{address}/api/council/stream", data=body) as reply:
        async for piece in reply.content.iter_any():
            first = first or time.perf_counter() - started
            end = (end + piece)[-300:]
    return Timing(first, time.perf_counter() - started, b"event: complete" in end)


def many(address: str, count: int, at_once: int, *, tokens: bool = False) -> tuple[list[Timing], float]:
    """So many deliberations; each of them, and the time for all."""
    return asyncio.run(_many(address, count, at_once, tokens))


async def _many(address: str, count: int, at_once: int, tokens: bool) -> tuple[list[Timing], float]:
    slots = asyncio.Semaphore(at_once)
    timeout = aiohttp.ClientTimeout(total=180)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout, read_bufsize=2**20) as session:

        async def one() -> Timing:
            async with slots:
                return await deliberate(session, address, tokens)

        started = time.perf_counter()
        timings = await asyncio.gather(*(one() for _ in range(count)))
        return timings, time.perf_counter() - started


def cpu_ms(address: str, pid: int, count: int, at_once: int = 20, *, tokens: bool = False) -> float:
    """Processor time of the server for one of so many deliberations."""
    before = cpu_seconds(pid)
    timings, _ = many(address, count, at_once, tokens=tokens)
    if not all(timing.ok for timing in timings):
        raise SystemExit("a deliberation did not complete")
    return (cpu_seconds(pid) - before) * 1000 / count


def bare(base: str, count: int, at_once: int, *, whole: bool = False) -> dict[str, float]:
    """The yardstick in a process of its own; `whole`: it does not stream its replies."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.bare", f"{base}/v1", str(count), str(at_once), str(int(whole))],
        capture_output=True,
        check=True,
        timeout=300,
    )
    return dict(json.loads(done.stdout))


def most_memory(address: str, pid: int, count: int) -> tuple[float, float, list[Timing], float]:
    """Resident megabytes before and at most, while so many deliberations are under way at once."""
    before, peak, over = resident_mb(pid), [0.0], threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            peak[0] = max(peak[0], resident_mb(pid))

    watching = threading.Thread(target=watch)
    watching.start()
    timings, wall = many(address, count, count)
    over.set()
    watching.join()
    return before, peak[0], timings, wall
