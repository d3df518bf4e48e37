"""The owner's end of a link: the stories of the runs that one door follows, all on one connection.

    door ── orders ──▶ Outlet ── a task for each stream ──▶ pieces, gathered for a moment ──▶ door

See `moot.fleet.link` for the other end, `moot.fleet.wire` for what goes over it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing, suppress

from anyio import CancelScope, create_task_group
from anyio.abc import TaskGroup
from starlette.types import Receive, Send

from moot.fleet import wire
from moot.fleet.wire import Order, Piece
from moot.http.stream import sse
from moot.kernel.engine import Engine
from moot.kernel.followers import TERMINAL, Frame

PING_SECONDS = 2.0
GATHER_SECONDS = 1 / 60
"""What runs tell within so short a time travels together: a reader sees no difference, processors do."""


class Outlet:
    """Serves until the door hangs up, or it is cancelled."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._streams: dict[int, _Stream] = {}
        self._written: list[bytes] = []
        self._news = asyncio.Event()

    async def serve(self, receive: Receive, send: Send) -> None:
        async with create_task_group() as group:
            group.start_soon(self._obey, receive, group)
            await self._send_all(send)

    async def _obey(self, receive: Receive, group: TaskGroup) -> None:
        orders = wire.Orders()
        with suppress(ValueError):  # it speaks another language: it is left
            while (message := await receive())["type"] != "http.disconnect":
                for order in orders.feed(message.get("body", b"")):
                    self._take(order, group)
                if not message.get("more_body"):
                    break
        group.cancel_scope.cancel()

    def _take(self, order: Order, group: TaskGroup) -> None:
        stream = self._streams.get(order.stream)
        if order.verb == "follow" and stream is None:
            self._streams[order.stream] = begun = _Stream()
            group.start_soon(self._tell, order, begun)
        elif order.verb == "took" and stream is not None:
            stream.took(order.size)
        elif stream is not None:
            stream.scope.cancel()

    async def _tell(self, order: Order, stream: _Stream) -> None:
        try:
            with stream.scope:
                if self._engine.run_task(order.run_id) is None:
                    await self._engine.wait_for_take_up()
                if self._engine.run_task(order.run_id) is not None:
                    batches = self._engine.follow_here(order.run_id, order.after, order.tokens, None)
                    async with aclosing(batches):  # type: ignore[type-var]
                        async for batch in batches:
                            self._write(piece := packed(order.stream, batch))
                            await stream.sent(len(piece.data))
                self._write(Piece(order.stream, 0, wire.GONE, b""))
        finally:
            self._streams.pop(order.stream, None)

    def _write(self, piece: Piece) -> None:
        self._written.append(piece.written())
        self._news.set()

    async def _send_all(self, send: Send) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(PING_SECONDS):
                    await self._news.wait()
            self._news.clear()
            body = b"".join(self._written) or wire.PING
            self._written.clear()
            await send({"type": "http.response.body", "body": body, "more_body": True})
            await asyncio.sleep(GATHER_SECONDS)


class _Stream:
    """How far ahead of its reader a stream is."""

    def __init__(self) -> None:
        self.scope = CancelScope()
        self._ahead = 0
        self._read = asyncio.Event()

    async def sent(self, size: int) -> None:
        """Wait while the reader is far behind."""
        self._ahead += size
        while self._ahead > wire.WINDOW_BYTES:
            self._read.clear()
            await self._read.wait()

    def took(self, size: int) -> None:
        self._ahead -= size
        self._read.set()


def packed(stream: int, batch: Sequence[Frame]) -> Piece:
    last = max((frame.number or 0 for frame in batch), default=0)
    state = wire.ENDED if batch[-1].type in TERMINAL else wire.MORE
    return Piece(stream, last, state, b"".join(map(sse, batch)))
