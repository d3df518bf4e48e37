"""So many calls at once per provider; the others wait in line, first come, first served.

The first chunk of every stream is empty and says that the call holds its slot: from here on it is
sent, and the caller's clock may start.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from moot.kernel.values import Request
from moot.transport import Chunk, Transport
from moot.transport.closing import closing


class LimitedTransport:
    def __init__(self, inner: Transport, at_once: int, provider: str = "") -> None:
        self._inner = inner
        self._provider = provider
        self._slots = asyncio.Semaphore(at_once)

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        async with self._slots:
            yield Chunk(provider=self._provider)
            async with closing(self._inner.stream(request)) as chunks:
                async for chunk in chunks:
                    yield chunk
