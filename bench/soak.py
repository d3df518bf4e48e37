"""`make soak`: what a server's memory does over two thousand deliberations with answers of 200 kB.

python -m bench.soak --runs 2000

Each is read to its end and its conversation deleted, so that the disk does not fill up. The figure is the
server's resident memory; its first hundred runs, while what is made once is made, are not counted. It exits
with 1 if the memory at the end is more than a tenth above that after the first hundred.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time

import aiohttp
import orjson

from bench.processes import configure, moot_server, resident_mb, upstream

ANSWER_WORDS = 33_000
AT_ONCE = 4
WARM_UP = 100
SAMPLES = 20
MOST_GROWTH = 0.10
BODY = orjson.dumps(
    {
        "question": "Tabs or spaces?",
        "mode": "vote",
        "modeConfig": {"councilModels": ["a/ann", "b/bob", "c/cyd"]},
    }
)


async def deliberate(session: aiohttp.ClientSession, address: str) -> int:
    """One run, read to its end and deleted; how many bytes were read."""
    received = 0
    start, end = b"", b""
    async with session.post(f"{address}/api/council/stream", data=BODY) as reply:
        reply.raise_for_status()
        async for piece in reply.content.iter_any():
            received += len(piece)
            start, end = start or piece, (end + piece)[-200:]
    if b"event: complete" not in end:
        raise SystemExit(f"a run did not complete: {end!r}")
    opening = json.loads(start.partition(b"data: ")[2].partition(b"\n")[0])
    async with session.delete(f"{address}/api/conversations/{opening['conversationId']}") as removed:
        removed.raise_for_status()
    return received


async def soak(address: str, pid: int, runs: int) -> list[tuple[int, float]]:
    """Resident megabytes after so many runs."""
    sampled: list[tuple[int, float]] = []
    step = max(runs // SAMPLES, 1)
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=300)) as session:
        done = received = 0
        began = time.perf_counter()
        while done < runs:
            at_once = min(AT_ONCE, runs - done)
            received += sum(await asyncio.gather(*(deliberate(session, address) for _ in range(at_once))))
            done += at_once
            if done % step < at_once:
                sampled.append((done, resident_mb(pid)))
                rate = done / (time.perf_counter() - began)
                print(
                    f"{done:6} runs  {sampled[-1][1]:7.1f} MB   {received / done / 1e6:.2f} MB read each, "
                    f"{rate:.1f} runs/s",
                    flush=True,
                )
    return sampled


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    options.add_argument("--runs", type=int, default=2000)
    runs = options.parse_args().runs
    with tempfile.TemporaryDirectory(prefix="moot-soak-") as folder, upstream() as base:
        configure(base, tokens=ANSWER_WORDS, chunk_words=500)
        with moot_server(base, folder) as (address, pid):
            sampled = asyncio.run(soak(address, pid, runs))
    first = next((mb for done, mb in sampled if done >= WARM_UP), sampled[0][1])
    last, most = sampled[-1][1], max(mb for _, mb in sampled)
    growth = last / first - 1
    print(f"after {WARM_UP} runs {first:.1f} MB, then {last:.1f} MB ({growth:+.1%}), at most {most:.1f} MB")
    if growth > MOST_GROWTH:
        raise SystemExit("memory grows")


if __name__ == "__main__":
    main()
