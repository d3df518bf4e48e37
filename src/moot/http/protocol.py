"""HTTP/1.1 as uvicorn speaks it, save that a request must arrive in time.

    connected, or the next request begins ──15 s──▶ the end of its head ──60 s──▶ the end of its body

Whoever is too late is answered 408, if anything had come, and the connection is closed: half a request costs
whoever sends it nothing, and would stay open for ever. Between two requests uvicorn's own limit holds.

More than 64 KiB that are no body are answered 431: httptools keeps a head, and the trailers behind a body,
until they are whole, however long they are.
"""

from __future__ import annotations

import asyncio
from asyncio import TimerHandle
from http import HTTPStatus

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from moot.http.problems import problem

HEAD_SECONDS = 15.0
BODY_SECONDS = 60.0
LARGEST_HEAD = 65_536
MOST_FRAMING = 8
"""Bytes around each byte of a body: `1\\r\\nx\\r\\n` has five."""
LINGER_SECONDS = 2.0
"""How long a refused client's bytes are still taken, and thrown away."""
LINK = b"/link"
_LATE = "The request did not arrive in time"
_LONG = f"The head of the request has more than {LARGEST_HEAD} bytes"
_BREAK_OFF = "moot.break_off"


def break_off(scope: Scope) -> None:
    """Close the connection of a request whose answer has begun, so that nobody takes it for whole."""
    extension = scope.get("extensions", {}).get(_BREAK_OFF)
    if extension is not None:  # another server closes what does not come to its end, with a line in its log
        extension["close"]()


class TimelyProtocol(HttpToolsProtocol):
    """One connection."""

    _timer: TimerHandle | None = None
    _begun = False
    _refused = False
    _beside_body = 0
    """Bytes since the request began, or since its head ended, that are not those of a body."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        self._beside_body += len(data)
        super().data_received(data)
        if self._beside_body > LARGEST_HEAD and not self.transport.is_closing():
            self._refuse_head()
            return
        # Bytes that begin no request, line ends alone, must not keep a connection open either.
        if self._timer is None and self.timeout_keep_alive_task is None and not self._is_answering:
            self._wait(HEAD_SECONDS)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {_BREAK_OFF: {"close": self._break_off}}
        self._begun = True
        self._beside_body = 0
        self._wait(HEAD_SECONDS)

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._beside_body = 0
        self._wait(BODY_SECONDS)

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._beside_body -= (1 + MOST_FRAMING) * len(body)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._begun = False
        self._beside_body = 0
        self._arrived()

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self, seconds: float) -> None:
        self._arrived()
        self._timer = self.loop.call_later(seconds, self._expire, seconds)

    def _arrived(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self, seconds: float) -> None:
        self._timer = None
        cycle, body_is_due = self.cycle, self._is_answering and self.cycle.more_body
        if self.pipeline or (self._is_answering and not body_is_due):
            self._wait(seconds)  # an earlier request is still being answered, and is not to suffer
            return
        if body_is_due:  # whoever waits for it is told, as when a reader leaves
            cycle.disconnected = True
            cycle.message_event.set()
        if self._begun and not (body_is_due and cycle.response_started):
            self._refuse(408, _LATE)
        else:
            self._close()

    def _refuse_head(self) -> None:
        self._arrived()
        if not self._is_answering and not self.pipeline:
            self._refuse(431, _LONG)
        else:
            self._close()

    def _refuse(self, status: int, error: str) -> None:
        """Answer, and close when the client has had time to read it: a connection that is closed while bytes
        still come in is reset, and whoever sends them sees an error in place of the answer."""
        if self.transport.get_write_buffer_size() or not self.transport.can_write_eof():
            self._close()
            return
        self._refused = True
        self.transport.write(_answer(status, error))
        self.transport.write_eof()
        self._timer = self.loop.call_later(LINGER_SECONDS, self.transport.abort)

    def _break_off(self) -> None:
        self.cycle.disconnected = True
        self._close()

    def _close(self) -> None:
        if self.transport.get_write_buffer_size():
            self.transport.abort()  # it does not read either
        else:
            self.transport.close()


class FleetProtocol(TimelyProtocol):
    """The same between processes of a fleet, where the body of one request goes on as long as its answer."""

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        if self.url == LINK:
            self._arrived()


def _answer(status: int, error: str) -> bytes:
    body = bytes(problem(status, [("", error)]).body)
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body
