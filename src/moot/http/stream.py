"""A run as a stream of server-sent events.

    id: 7
    event: vote_round_complete
    data: {"type":"vote_round_complete","at":4210,"data":{…}}

The stream follows a run, it does not carry it: a reader who leaves stops nothing, and one who comes
back with `Last-Event-ID` gets exactly the rest.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing, contextmanager, suppress
from types import TracebackType

from starlette.responses import StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from moot.http.dialectic_envelope import DebateEvents
from moot.kernel.engine import Engine
from moot.kernel.errors import Rejected, StoreUnavailable
from moot.kernel.followers import Batch, Frame, Parcel

PING_SECONDS = 15.0
PIECE_BYTES = 32 * 1024
"""So much is sent at a time at most: what a reader that does not read holds of it."""
PING = b": ping\n\n"
END = {"type": "http.response.body", "body": b"", "more_body": False}
HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}
_STREAMS = "moot.streams"
_EVENT_ID = re.compile("[0-9]{1,9}")
_KEY = re.compile("[ -~]{1,255}")


class Place:
    """Where a stream stands until it ends, or is left: then what goes on in it is cancelled, and it ends
    without an error."""

    def __enter__(self) -> Place:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._cancelled_before = task.cancelling()
        self._left = self._over = False
        return self

    def leave(self) -> None:
        # Not while the task runs, which may be about to come to the end by itself.
        asyncio.get_running_loop().call_soon(self._cancel)

    def _cancel(self) -> None:
        if not (self._left or self._over):
            self._left = True
            self._task.cancel()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._over = True
        # Whoever else wants the task cancelled is to have it, as with `asyncio.timeout`.
        mine = self._left and self._task.uncancel() <= self._cancelled_before
        return mine and kind is asyncio.CancelledError


class Streams:
    """All open streams of this process. They are closed when it stops, or it would wait for them."""

    def __init__(self) -> None:
        self._open: set[Place] = set()
        self._closed = False

    def __len__(self) -> int:
        return len(self._open)

    def close(self) -> None:
        self._closed = True
        for place in self._open:
            place.leave()

    @contextmanager
    def place(self) -> Iterator[Place]:
        """Where a stream stands until it ends or is closed."""
        with Place() as place:
            if self._closed:
                place.leave()
            self._open.add(place)
            try:
                yield place
            finally:
                self._open.discard(place)


class BodyStream(StreamingResponse):
    """Server-sent events as they come, each body in one write, until they end or the reader leaves."""

    media_type = "text/event-stream"
    last_words = b""
    """Sent if this process stops in the middle."""

    def __init__(self, bodies: AsyncGenerator[bytes, None], streams: Streams) -> None:
        self._bodies = bodies
        self._streams = streams
        self._left = False
        super().__init__(bodies, headers=HEADERS)

    async def reader_left(self) -> None:
        """What is to be done when the reader leaves before the end."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Begins when the route has ended, if there is one: see `AfterRoutes`."""
        if _STREAMS in scope:
            scope[_STREAMS].append(self)
        else:
            await self.begin(receive, send)

    async def begin(self, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        is_whole = False
        with self._streams.place() as place:
            leaving = asyncio.create_task(self._leave_with_the_reader(receive, place))
            try:
                await self._send_all(send)
                is_whole = True
                await send(END)  # at once: the reader need not wait until this is tidied up
            finally:
                leaving.cancel()
        if is_whole:
            return
        if self._left:
            await self.reader_left()
            return
        # The process stops: the reader gets a whole answer and comes back for the rest.
        await send({**END, "body": self.last_words})

    async def _leave_with_the_reader(self, receive: Receive, place: Place) -> None:
        await self.listen_for_disconnect(receive)
        self._left = True
        place.leave()

    async def _send_all(self, send: Send) -> None:
        async with aclosing(self._bodies) as bodies:
            async for body in bodies:
                await send({"type": "http.response.body", "body": body, "more_body": True})
                del body  # the next may take minutes


class AfterRoutes:
    """A pure ASGI middleware, inside of all others: a stream begins when its route has ended.

    What stands between a route and the server, some twenty calls and what they keep, would else last as long
    as somebody reads, and every piece would pass through it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        streams: list[BodyStream] = []
        inner = {**scope, _STREAMS: streams}
        try:
            await self._app(inner, receive, send)
        finally:
            scope["route"] = inner.get("route")
        del inner
        for stream in streams:
            await stream.begin(receive, send)


class EventStream(BodyStream):
    """The frames of a run from after event `after` on."""

    def __init__(
        self,
        engine: Engine,
        streams: Streams,
        run_id: str,
        *,
        after: int = 0,
        tokens: bool = False,
        envelope: DebateEvents | None = None,
    ) -> None:
        bodies = (
            _bodies(engine, run_id, after, tokens)
            if envelope is None
            else _enveloped(engine, run_id, envelope)
        )
        super().__init__(bodies, streams)


def sse(frame: Frame) -> bytes:
    """A frame as a server-sent event; a reader comes back with the id of the last that had one."""
    return b"".join(_parts(frame))


def _parts(frame: Frame) -> Iterator[bytes]:
    number = b"" if frame.number is None else b"id: %d\n" % frame.number
    head = b"%bevent: %b\ndata: %b" % (number, frame.type.encode(), frame.json_head())
    if frame.body == b"{}":
        yield head + b"}\n\n"
    elif len(frame.body) <= PIECE_BYTES:
        yield b"%b,%b\n\n" % (head, frame.body[1:])
    else:
        yield head + b","
        yield from _slices(frame.body, 1)
        yield b"\n\n"


def _slices(data: bytes, start: int = 0) -> Iterator[bytes]:
    return (data[place : place + PIECE_BYTES] for place in range(start, len(data), PIECE_BYTES))


def _pieces(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The parts joined; each piece is made when the last is sent, so that who does not read costs one."""
    held: list[bytes] = []
    size = 0
    for part in parts:
        if held and size + len(part) > PIECE_BYTES:
            yield b"".join(held)
            held, size = [], 0
        held.append(part)
        size += len(part)
    if held:
        yield b"".join(held)


def _written(batch: Batch) -> Iterator[bytes]:
    if not batch:
        return iter((PING,))
    if isinstance(batch, Parcel):  # what its owner wrote are events as we would write them
        return _slices(batch.data)
    return _pieces(part for frame in batch for part in _parts(frame))


async def _bodies(engine: Engine, run_id: str, after: int, tokens: bool) -> AsyncGenerator[bytes, None]:
    with suppress(StoreUnavailable):  # which is logged; the reader comes back for the rest
        async for batch in engine.follow(run_id, after=after, tokens=tokens, ping=PING_SECONDS):
            for piece in _written(batch):
                yield piece
            del batch, piece  # the next may take minutes


async def _enveloped(engine: Engine, run_id: str, envelope: DebateEvents) -> AsyncGenerator[bytes, None]:
    """All frames from the first on: what the envelope says of one depends on those before it."""
    with suppress(StoreUnavailable):
        async for batch in engine.follow(run_id, tokens=True, ping=PING_SECONDS):
            if not batch:
                yield PING
            for piece in _pieces(part for frame in batch for part in _slices(envelope.take(frame))):
                yield piece


def last_event_id(header: str | None) -> int:
    """The number of the last event a reader has seen; 0 if it has seen none. Raises Rejected."""
    if header is None:
        return 0
    if _EVENT_ID.fullmatch(header) is None:
        message = f"Last-Event-ID must be the number of an event, not {header[:40]!r}"
        raise Rejected(message, (("Last-Event-ID", message),))
    return int(header)


def idempotency_key(header: str | None) -> str | None:
    """The key under which a request starts at most one run. Raises Rejected."""
    if header is not None and _KEY.fullmatch(header) is None:
        message = "Idempotency-Key must have 1 to 255 printable ASCII characters"
        raise Rejected(message, (("Idempotency-Key", message),))
    return header
