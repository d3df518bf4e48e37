"""Whoever records real models must not mistake a slow machine for a model that does not answer."""

from __future__ import annotations

import asyncio
import time

from bench.real.patience import SLOWER, run_patiently

LIMIT_SECONDS = 0.005


def test_a_limit_lasts_longer_than_it_says_and_still_ends() -> None:
    took = []

    async def wait_in_vain() -> None:
        began = time.monotonic()
        try:
            async with asyncio.timeout(LIMIT_SECONDS):
                await asyncio.Event().wait()
        except TimeoutError:
            took.append(time.monotonic() - began)

    run_patiently(wait_in_vain())
    assert took[0] >= LIMIT_SECONDS * SLOWER * 0.99
