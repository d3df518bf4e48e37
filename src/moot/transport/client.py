"""A provider's client: one POST, and the reply read as it comes, in whichever dialect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import aiohttp
import orjson

from moot.kernel.errors import TransportError
from moot.kernel.values import Request
from moot.settings.providers import Provider
from moot.transport import Chunk, prices
from moot.transport.connections import Connections
from moot.transport.dialects import Dialect
from moot.transport.failures import Refusal, as_error, seconds_to_wait, unreadable
from moot.transport.provider_message import words_in
from moot.transport.reading import Reading

MOST_BYTES = 64 * 1024 * 1024
MOST_ERROR_BYTES = 64 * 1024
DRAIN_SECONDS = 0.05


class Client:
    """The transport to one provider. It tries once; see `retrying.py`."""

    def __init__(self, provider: Provider, dialect: Dialect, connections: Connections) -> None:
        self._provider = provider
        self._dialect = dialect
        self._connections = connections

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        reading = self._dialect.reading(request.model)
        received = 0
        try:
            async with self._reply(request) as response:
                async for data in response.content.iter_any():
                    received += len(data)
                    if received > MOST_BYTES:
                        raise unreadable(self._provider, request.model, f"more than {MOST_BYTES >> 20} MB")
                    chunk = reading.feed(data)
                    if chunk is not None:
                        yield chunk
                    if reading.done:
                        break
                await _drain(response)
        except TransportError as error:
            # A connection that breaks after the finish reason takes nothing of the answer away.
            if error.kind != "network" or reading.finish_reason is None:
                raise
        yield await self._priced(reading)

    @asynccontextmanager
    async def _reply(self, request: Request) -> AsyncIterator[aiohttp.ClientResponse]:
        """The reply with status 200; any other raises, unless the server only minds a field we can spare."""
        dialect, model = self._dialect, request.model
        while True:
            body = dialect.body(request)
            async with self._connections.send(
                self._provider, model, "POST", dialect.url, dialect.headers, orjson.dumps(body)
            ) as response:
                if response.status == 200:
                    yield response
                    return
                refusal = await refusal_in(response)
            if refusal.status not in (400, 422) or not dialect.give_way(body, request, refusal.words):
                raise as_error(refusal, self._provider, model)

    async def _priced(self, reading: Reading) -> Chunk:
        last = reading.end()
        if last.cost is not None or last.usage is None:
            return last
        cost = await prices.cost_of(self._provider, reading.model, last.usage, reading.cached_tokens)
        return last._replace(cost=cost)


async def refusal_in(response: aiohttp.ClientResponse) -> Refusal:
    body = b""
    while len(body) < MOST_ERROR_BYTES and (data := await response.content.readany()):
        body += data
    return Refusal(
        response.status,
        words_in(body),
        retry_after=seconds_to_wait(response.headers.get("Retry-After")),
        location=response.headers.get("Location", ""),
    )


async def _drain(response: aiohttp.ClientResponse) -> None:
    """A reply read to its end leaves its connection to the next call; a server that lingers does not."""
    if response.content.at_eof():
        return
    with suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(DRAIN_SECONDS):
            while not response.content.at_eof():
                await response.content.readany()
