"""One connection of the scripted model server: just enough HTTP/1.1, and every way to break it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HTTPRequest:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict[str, Any]:
        content = json.loads(self.body or b"{}")
        assert isinstance(content, dict)
        return content


class Connection(asyncio.StreamReaderProtocol):
    """Reads requests and hands them on, one after the other. When the client goes away, whatever waits
    in its name ends with a ConnectionResetError."""

    def __init__(
        self, answer: Callable[[HTTPRequest, Connection], Awaitable[None]], open_ones: set[Connection]
    ) -> None:
        self._incoming = asyncio.StreamReader(limit=MOST_BYTES)
        super().__init__(self._incoming, self._serve)
        self._answer = answer
        self._open_ones = open_ones
        self._first = True
        self._gone = False
        self._waiting: asyncio.Future[None] | None = None
        self._out: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._out = transport
        self._open_ones.add(self)
        super().connection_made(transport)

    def eof_received(self) -> bool:
        super().eof_received()
        return False  # a client that has hung up does not listen either

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self._gone = True
        self._open_ones.discard(self)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(ConnectionResetError("the client has gone"))

    def take_first(self) -> bool:
        """True once: for the first request on this connection."""
        first, self._first = self._first, False
        return first

    async def wait(self, seconds: float | None) -> None:
        """Wait so long, or for ever, or until the client goes away."""
        if seconds == 0:
            await asyncio.sleep(0)
            return
        loop = asyncio.get_running_loop()
        over: asyncio.Future[None] = loop.create_future()
        timer = None if seconds is None else loop.call_later(seconds, _finish, over)
        try:
            await self.wait_for(over)
        finally:
            if timer is not None:
                timer.cancel()

    async def wait_for(self, over: asyncio.Future[None]) -> None:
        if self._gone:
            raise ConnectionResetError("the client has gone")
        self._waiting = over
        await over
        self._waiting = None

    def send_document(
        self,
        status: int,
        body: bytes,
        kind: str = "application/json",
        headers: Mapping[str, str | None] | None = None,
    ) -> None:
        more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items() if value is not None)
        head = f"HTTP/1.1 {status} -\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n{more}\r\n"
        self._out.write(head.encode() + body)

    def begin_stream(self, compressed: bool = False) -> None:
        encoding = b"content-encoding: gzip\r\n" if compressed else b""
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n"
        self._out.write(head + encoding + b"\r\n")

    def send_piece(self, data: bytes) -> None:
        if data:
            self._out.write(b"%x\r\n%s\r\n" % (len(data), data))

    def end_stream(self) -> None:
        self._out.write(b"0\r\n\r\n")

    def abort(self) -> None:
        self._out.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while not self._gone:
                await self._answer(await _read(reader), self)
        self._out.close()


async def _read(reader: asyncio.StreamReader) -> HTTPRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ", 2)
    fields = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in fields}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return HTTPRequest(method, target.split("?")[0], headers, body)


def _finish(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)
