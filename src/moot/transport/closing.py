"""A stream is closed when its reader is done with it, not when the garbage collector comes by."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from moot.transport import Chunk


async def close(stream: AsyncIterator[Chunk]) -> None:
    aclose = getattr(stream, "aclose", None)
    if aclose is not None:
        await aclose()


@asynccontextmanager
async def closing(stream: AsyncIterator[Chunk]) -> AsyncIterator[AsyncIterator[Chunk]]:
    try:
        yield stream
    finally:
        await close(stream)
