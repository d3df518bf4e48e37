"""Runs one adapter in its own environment: `python worker.py ADAPTER BASE_URL FOLDER`; prints JSON.

An adapter has `setup(base, folder)` and `deliberate()`, perhaps `close()`. Only this process is measured.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import sys
import time

OUT = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever a library prints must not get into what is measured
ONE_BY_ONE, TOGETHER, AT_ONCE = 15, 60, 16


async def main(adapter: str, base: str, folder: str) -> None:
    peer = importlib.import_module(adapter)
    await peer.setup(base, folder)
    for _ in range(3):
        answer = await peer.deliberate()
    if len(answer) < 500:
        raise SystemExit(f"no answer: {answer!r}")
    if sys.stdin.readline().strip() == "one by one":
        walls = []
        for _ in range(ONE_BY_ONE):
            started = time.perf_counter()
            await peer.deliberate()
            walls.append(time.perf_counter() - started)
        print(json.dumps({"wall_s": sorted(walls)[len(walls) // 2]}), file=OUT, flush=True)
    sys.stdin.readline()
    slots = asyncio.Semaphore(AT_ONCE)

    async def one() -> None:
        async with slots:
            await peer.deliberate()

    rounds = []
    for _ in range(5):
        before = time.process_time()
        await asyncio.gather(*(one() for _ in range(TOGETHER // 5)))
        rounds.append((time.process_time() - before) * 1000 / (TOGETHER // 5))
    print(json.dumps({"cpu_ms": sorted(rounds)[2]}), file=OUT, flush=True)
    if hasattr(peer, "close"):
        await peer.close()


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    loop_factory = None
    if sys.argv[1].startswith("bare_"):
        import uvloop

        loop_factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main(*sys.argv[1:4]))
