"""Hears from PostgreSQL that a run waits for somebody: a connection of its own, made again when it breaks.

What it does not hear is found by looking, which whoever waits does now and then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import asyncpg  # type: ignore[import-untyped]  # it carries no types

from moot.store.queue import CHANNEL

BROKEN = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
"""What a connection says whose server has gone away, the last one if that was in the middle of something."""


class Listener:
    def __init__(self, connect: Callable[[], Awaitable[asyncpg.Connection]]) -> None:
        self._connect = connect
        self._connection: asyncpg.Connection | None = None
        self._heard = asyncio.Event()

    async def wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._listen()
                await self._heard.wait()
        self._heard.clear()

    async def close(self) -> None:
        if self._connection is not None:
            with suppress(*BROKEN):
                await self._connection.close(timeout=5)

    async def _listen(self) -> None:
        if self._connection is not None and not self._connection.is_closed():
            return
        try:
            self._connection = await self._connect()
            await self._connection.add_listener(CHANNEL, self._hear)
        except BROKEN:
            self._connection = None
            await asyncio.sleep(float("inf"))  # until it is time to look

    def _hear(self, *_: object) -> None:
        self._heard.set()
