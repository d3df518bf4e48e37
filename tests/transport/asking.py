"""Builders for the transport's tests: a request, a stack that talks to a scripted server, what was heard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import SecretStr

from moot.kernel.errors import TransportError
from moot.kernel.values import Message, Request
from moot.settings import Settings
from moot.settings.providers import Provider
from moot.testing import ModelServer
from moot.transport import Chunk, Transport
from moot.transport.build import transport_for
from moot.transport.by_prefix import ByPrefix
from moot.transport.client import Client
from moot.transport.connections import Connections
from moot.transport.dialects import dialect_of

KEY = "sk-canary-7f3a90c1d2e4b5a6"


def a_request(model: str = "openai/o3", prompt: str = "Tabs or spaces?", **more: Any) -> Request:
    return Request.of(model, [Message(role="user", content=prompt)], **more)


@dataclass(frozen=True)
class Heard:
    """A stream, whole. The text is that of the last attempt."""

    chunks: tuple[Chunk, ...]

    @property
    def attempts(self) -> int:
        return max(chunk.attempt for chunk in self.chunks)

    @property
    def text(self) -> str:
        return "".join(chunk.text for chunk in self.chunks if chunk.attempt == self.attempts)

    @property
    def reasoning(self) -> str:
        return "".join(chunk.reasoning for chunk in self.chunks)

    @property
    def last(self) -> Chunk:
        return self.chunks[-1]


async def hear(transport: Transport, request: Request | None = None) -> Heard:
    return Heard(tuple([chunk async for chunk in transport.stream(request or a_request())]))


async def failure(transport: Transport, request: Request | None = None) -> TransportError:
    with pytest.raises(TransportError) as caught:
        await hear(transport, request)
    return caught.value


@asynccontextmanager
async def openrouter(server: ModelServer, **settings: Any) -> AsyncIterator[ByPrefix]:
    """The whole stack, taking the scripted server for OpenRouter; it tries once unless told otherwise."""
    given = {"openrouter_base_url": server.url, "openrouter_api_key": KEY, "attempts": 1, **settings}
    async with stack(**given) as transport:
        yield transport


@asynccontextmanager
async def client(server: ModelServer, provider: Provider | None = None) -> AsyncIterator[Client]:
    """A client alone: no retries, no limit."""
    provider = provider or Provider.openrouter(server.url, SecretStr(KEY), 256)
    connections = Connections()
    try:
        yield Client(provider, dialect_of(provider), connections)
    finally:
        await connections.aclose()


@asynccontextmanager
async def stack(**settings: Any) -> AsyncIterator[ByPrefix]:
    transport = transport_for(Settings(**settings))
    try:
        yield transport
    finally:
        await transport.aclose()
