"""The OpenAI-compatible door beside the native stream: its cost, its first byte, many clients at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from statistics import median

import aiohttp
import orjson

from bench.bare import MODELS, QUESTION
from bench.council import Timing, cpu_ms, many
from bench.figures import Figure, ratio
from bench.processes import configure, cpu_seconds

BODY = orjson.dumps(
    {
        "model": "moot/council",
        "stream": True,
        "messages": [{"role": "user", "content": QUESTION}],
        "moot": {"config": {"councilModels": MODELS}},
    }
)
CLIENTS = 200


async def complete(session: aiohttp.ClientSession, address: str) -> Timing:
    started = time.perf_counter()
    first, whole = 0.0, b""
    async with session.post(f"{address}/v1/chat/completions", data=BODY) as reply:
        async for piece in reply.content.iter_any():
            first = first or time.perf_counter() - started
            whole += piece
    good = whole.endswith(b"data: [DONE]\n\n") and b'"finish_reason":"stop"' in whole
    return Timing(first, time.perf_counter() - started, good)


async def _completions(address: str, count: int, at_once: int) -> list[Timing]:
    slots = asyncio.Semaphore(at_once)
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=300)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout, read_bufsize=2**20) as session:

        async def one() -> Timing:
            async with slots:
                return await complete(session, address)

        return await asyncio.gather(*(one() for _ in range(count)))


def completions(address: str, count: int, at_once: int) -> list[Timing]:
    return asyncio.run(_completions(address, count, at_once))


def completion_cpu_ms(address: str, pid: int, count: int, at_once: int = 20) -> float:
    """Processor time of the server for one of so many deliberations at this door."""
    before = cpu_seconds(pid)
    if not all(timing.ok for timing in completions(address, count, at_once)):
        raise SystemExit("a chat completion did not complete")
    return (cpu_seconds(pid) - before) * 1000 / count


def figures(base: str, address: str, pid: int, count: int) -> Iterator[Figure]:
    configure(base, chunk_words=1000)
    many(address, 20, 20)
    completions(address, 20, 20)
    against, mine, native = ratio(
        lambda: completion_cpu_ms(address, pid, count), lambda: cpu_ms(address, pid, count)
    )
    name = "CPU of a streamed chat completion over the native stream"
    yield Figure(name, against, 1.1, beside=f"{mine:.2f} / {native:.2f} ms")
    firsts = [1000 * timing.first for timing in completions(address, 40, 1)]
    yield Figure(
        "first byte of a chat completion, one at a time",
        median(firsts),
        50,
        "ms",
        f"{max(firsts):.1f} at most",
    )
    configure(base, chunk_words=1000, latency_ms=500)
    timings = completions(address, CLIENTS, CLIENTS)
    lost = sum(not timing.ok for timing in timings)
    yield Figure(f"chat completions lost of {CLIENTS} asked at once", lost, 0)
    firsts = sorted(1000 * timing.first for timing in timings)
    beside = f"{firsts[-1]:.0f} at most"
    yield Figure(f"first byte with {CLIENTS} at once, median", median(firsts), None, "ms", beside)
