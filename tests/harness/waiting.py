"""Waiting in tests: for what is to happen, never for a while.

    await until(lambda: len(models.requests) == 4)
    wait_until(lambda: len(models.requests()) == 4)     # outside of an event loop

`PATIENCE` is a net under what would hang, and nothing is judged by it: a machine may be ten times slower than
the one a test was written on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

PATIENCE = 240.0
"""Seconds; less than pytest gives a whole test, so that what hangs is named by its own line."""


async def until(is_so: Callable[[], bool | Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await _answer(is_so()):  # noqa: ASYNC110 - what is waited for is often in another process
            await asyncio.sleep(0.005)


async def _answer(given: bool | Awaitable[bool]) -> bool:
    return given if isinstance(given, bool) else await given


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.02)
