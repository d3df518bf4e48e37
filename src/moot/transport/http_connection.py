"""One connection to a provider: a request goes out, its reply comes in as it arrives. HTTP/1.1, and no more
of it than calls to models need.

    connection.send(head + body)
    reply = await connection.reply(error)
    while data := await reply.read():           # whatever has come meanwhile, b"" at the end
        …
    reply.close()                               # read to its end or not: the connection is free, or gone

httptools reads the protocol, in C. What arrives is handed out at once if nothing was a moment ago, else it is
gathered for a moment: a model that sends two hundred words a second does not wake its reader for each, and
whoever watches sees no difference (`followers.GATHER_SECONDS`).
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Mapping
from typing import cast

import httptools

from moot.kernel.errors import TransportError

GATHER_SECONDS = 1 / 30
LARGEST_HEAD = 64 * 1024
HIGH_WATER = 512 * 1024
"""So much may wait to be read; beyond it, the provider waits."""
_PLAIN = (b"", b"identity")


class Broken(Exception):
    """What came is no HTTP, or not all of it came. `str()` says what is wrong."""


CLOSED = "the connection was closed"
NO_HTTP = "what it sent is not HTTP"
UNREADABLE = "what it sent is compressed and cannot be read"
LARGEST_PIECE = 1024 * 1024
"""So much is unpacked at a time: a few bytes may hold gigabytes."""


class Reply:
    """A reply from its head on. `headers` by their names in lower case."""

    __slots__ = ("_connection", "_error", "_unzip", "headers", "status")

    def __init__(
        self,
        connection: HTTPConnection,
        status: int,
        headers: Mapping[bytes, bytes],
        error: Callable[[str], TransportError],
    ) -> None:
        """`error` says in full what it means that something is wrong with the reply."""
        self._connection = connection
        self._error = error
        self.status = status
        self.headers = headers
        encoding = headers.get(b"content-encoding", b"").strip().lower()
        # We ask for none; some compress all the same.
        self._unzip = None if encoding in _PLAIN else zlib.decompressobj(zlib.MAX_WBITS | 32)

    def header(self, name: bytes) -> str | None:
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    @property
    def ended(self) -> bool:
        """Whether all of it has come and was read."""
        return self._connection.ended

    async def read(self) -> bytes:
        """What has come since, at least one byte; none at the end. Raises TransportError."""
        try:
            if self._unzip is None:
                return await self._connection.read()
            while not (plain := self._unzip.decompress(self._unzip.unconsumed_tail, LARGEST_PIECE)):
                data = await self._connection.read()
                if not data:
                    return b""
                if plain := self._unzip.decompress(data, LARGEST_PIECE):
                    break
            return plain
        except Broken as error:
            raise self._error(str(error)) from None
        except zlib.error:
            raise self._error(UNREADABLE) from None

    async def read_all(self, most: int) -> bytes:
        """All of it, or the first so many bytes and perhaps some more. Raises TransportError."""
        whole = bytearray()
        while len(whole) < most and (data := await self.read()):
            whole += data
        return bytes(whole)

    def close(self) -> None:
        """Leave the connection to the next request, or end it if more may come."""
        self._connection.release()


class HTTPConnection(asyncio.Protocol):
    """`idle` is called when it is free for another request."""

    __slots__ = (
        "_buffered",
        "_complete",
        "_error",
        "_fields",
        "_has_head",
        "_head_bytes",
        "_idle",
        "_in_use",
        "_loop",
        "_parser",
        "_parts",
        "_paused",
        "_reusable",
        "_timer",
        "_transport",
        "_waiter",
        "_woken",
        "idle_since",
        "on_body",
        "on_header",
    )

    def __init__(self, loop: asyncio.AbstractEventLoop, idle: Callable[[HTTPConnection], None]) -> None:
        self._loop = loop
        self._idle = idle
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._woken = 0.0
        self._head_bytes = 0
        self._buffered = 0
        self._paused = False
        self._in_use = self._has_head = self._complete = self._reusable = False
        self._error: str | None = None
        self.idle_since = 0.0
        # What httptools calls; bound once, to what takes no Python to run.
        self._parts: list[bytes] = []
        self._fields: dict[bytes, bytes] = {}
        self.on_body = self._parts.append
        self.on_header = self._fields.__setitem__
        self._parser = httptools.HttpResponseParser(self)

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    @property
    def ended(self) -> bool:
        return self._complete and not self._parts

    def send(self, request: bytes) -> None:
        """Send a request. It is not kept: while a model thinks, nobody needs what it was asked."""
        assert self._transport is not None
        assert not self._in_use
        self._in_use, self._has_head, self._complete, self._reusable = True, False, False, False
        self._head_bytes = 0
        self._transport.write(request)

    async def reply(self, error: Callable[[str], TransportError]) -> Reply:
        """The reply to what was sent, once its head has come. Raises Broken."""
        try:
            while not self._has_head:
                await self._news()
        finally:
            if not self._has_head:
                self.release()
        self._woken = 0.0  # the first word after the head is told at once
        fields = {name.lower(): value for name, value in self._fields.items()}
        return Reply(self, self._parser.get_status_code(), fields, error)

    async def read(self) -> bytes:
        while not self._parts:
            if self._complete:
                return b""
            await self._news()
        data = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        self._parts.clear()
        self._buffered = 0
        if self._paused and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        return data

    def release(self) -> None:
        if not self._in_use:
            return
        self._in_use = False
        if self.ended and self._reusable and self.is_open:
            self._idle(self)
        else:
            self.abort()

    def abort(self) -> None:
        self._stop_timer()
        if self._transport is not None:
            self._transport.abort()

    async def _news(self) -> None:
        """Wait until more has come. Raises Broken."""
        if self._error is not None:
            raise Broken(self._error)
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None
            self._stop_timer()

    def _wake(self) -> None:
        self._woken = self._loop.time()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is none by name

    def data_received(self, data: bytes) -> None:
        if not self._has_head:
            self._head_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._fail(NO_HTTP)
            return
        if not self._has_head and self._head_bytes > LARGEST_HEAD:
            self._fail(NO_HTTP)
            return
        self._buffered += len(data)
        if self._buffered > HIGH_WATER and not self._paused and not self._complete and self._transport:
            self._paused = True
            self._transport.pause_reading()
        if self._waiter is not None:
            self._tell()

    def _tell(self) -> None:
        """Wake whoever waits: at once, or with what else comes within a moment."""
        if self._complete or self._error or self._loop.time() >= self._woken + GATHER_SECONDS:
            self._wake()
        elif self._timer is None and self._parts:
            self._timer = self._loop.call_at(self._woken + GATHER_SECONDS, self._wake)

    def eof_received(self) -> None:
        self._end()

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        self._end()

    def _end(self) -> None:
        """No more will come. A reply without a length is whole when its connection ends."""
        self._reusable = False
        if self._in_use and not self._complete:
            if self._has_head and not self._fields_name_an_end():
                self._complete = True
            elif self._error is None:
                self._error = CLOSED
            self._wake()

    def _fields_name_an_end(self) -> bool:
        names = {name.lower() for name in self._fields}
        return b"content-length" in names or b"transfer-encoding" in names

    def _fail(self, what: str) -> None:
        self._error = self._error or what
        self._reusable = False
        self.abort()
        self._wake()

    # What the parser calls.

    def on_message_begin(self) -> None:
        if self._complete or not self._in_use:
            raise Broken(NO_HTTP)  # nobody asked for another
        self._fields.clear()

    def on_headers_complete(self) -> None:
        self._has_head = self._parser.get_status_code() >= 200  # those below announce another

    def on_message_complete(self) -> None:
        if self._has_head:
            self._complete = True
            self._reusable = self._parser.should_keep_alive()
