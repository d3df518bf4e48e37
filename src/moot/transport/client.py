"""A provider's client: one POST, and the reply read as it comes, in whichever dialect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress

import orjson

from moot.kernel.errors import TransportError
from moot.kernel.values import Request
from moot.settings.providers import Provider
from moot.transport import Chunk, prices
from moot.transport.connections import Connections, HTTPRequest
from moot.transport.dialects import Dialect
from moot.transport.failures import Refusal, as_error, seconds_to_wait, unreachable, unreadable
from moot.transport.http_connection import Reply
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
        self._request: HTTPRequest | None = None

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        reading = self._dialect.reading(request.model)
        reply = await self._reply(request)
        received = 0
        try:
            while not reading.done and (data := await reply.read()):
                received += len(data)
                if received > MOST_BYTES:
                    raise unreadable(self._provider, request.model, f"more than {MOST_BYTES >> 20} MB")
                chunk = reading.feed(data)
                if chunk is not None:
                    yield chunk
            if not reply.ended:
                await _drain(reply)
        except TransportError as error:
            # A connection that breaks after the finish reason takes nothing of the answer away.
            if error.kind != "network" or reading.finish_reason is None:
                raise
        finally:
            reply.close()
        yield await self._priced(reading)

    async def _reply(self, request: Request) -> Reply:
        """The reply with status 200; any other raises, unless the server only minds a field we can spare."""
        provider, dialect, model = self._provider, self._dialect, request.model
        while True:
            body = dialect.body(request)
            reply = await self._connections.send(provider, model, self._call(model), orjson.dumps(body))
            if reply.status == 200:
                return reply
            refusal = await refusal_in(reply)
            if refusal.status not in (400, 422) or not dialect.give_way(body, request, refusal.words):
                raise as_error(refusal, provider, model)

    def _call(self, model: str) -> HTTPRequest:
        if self._request is None:
            self._request = request_to(
                self._provider, model, "POST", self._dialect.url, self._dialect.headers
            )
        return self._request

    async def _priced(self, reading: Reading) -> Chunk:
        last = reading.end()
        if last.cost is not None or last.usage is None:
            return last
        cost = await prices.cost_of(self._provider, reading.model, last.usage, reading.cached_tokens)
        return last._replace(cost=cost)


def request_to(
    provider: Provider, model: str, method: str, url: str, headers: Mapping[str, str]
) -> HTTPRequest:
    """Raises TransportError if the address is none."""
    try:
        return HTTPRequest(method, url, headers)
    except ValueError:
        raise unreachable(provider, model, "its address is not valid", retry=False) from None


async def refusal_in(reply: Reply) -> Refusal:
    """What a reply says that is none; it is read as far as that takes, and closed."""
    try:
        body = await reply.read_all(MOST_ERROR_BYTES)
        if not reply.ended:
            await _drain(reply)
    finally:
        reply.close()
    return Refusal(
        reply.status,
        words_in(body),
        retry_after=seconds_to_wait(reply.header(b"retry-after")),
        location=reply.header(b"location") or "",
    )


async def _drain(reply: Reply) -> None:
    """A reply read to its end leaves its connection to the next call; a server that lingers does not."""
    with suppress(TimeoutError, TransportError):
        async with asyncio.timeout(DRAIN_SECONDS):
            while await reply.read():
                pass
