"""A door's link to one process of the fleet: one connection for all its runs that somebody follows here.

    stream = link.follow(run_id, after=7, tokens=True)
    async for parcel in stream.parcels(ping=15):
        …

A link is opened with the first run that is followed and closed when there has been none for a while. When it
breaks, every stream on it ends: what is stored tells the rest, or the next owner does.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from moot.fleet import wire
from moot.fleet.wire import Order, Piece
from moot.kernel.followers import Parcel

if TYPE_CHECKING:
    import aiohttp

IDLE_SECONDS = 10.0
NO_NEWS = Parcel(b"", 0, ends=False, unpack=wire.unpacked)

Opening = Callable[[AsyncGenerator[bytes, None]], "AbstractAsyncContextManager[aiohttp.ClientResponse]"]
"""Opens the connection; what it is given are the bytes that go the other way."""


class Stream:
    """One run's part of a link, for one reader. What has come waits here, a window's worth at most."""

    def __init__(self, link: Link, number: int) -> None:
        self._link = link
        self._number = number
        self._pieces: deque[Piece] = deque()
        self._over = False
        self._took = 0
        self._waiter: asyncio.Future[bool] | None = None

    def put(self, piece: Piece) -> None:
        if piece.data:
            self._pieces.append(piece)
        self._over = self._over or piece.state != wire.MORE
        self._wake(True)

    def end(self) -> None:
        """Nothing more will come."""
        self._over = True
        self._wake(True)

    async def parcels(self, ping: float | None) -> AsyncGenerator[Parcel, None]:
        """What comes, to the end of the run or of the link; an empty one after so many quiet seconds."""
        try:
            while True:
                while self._pieces:
                    piece = self._pieces.popleft()
                    yield Parcel(piece.data, piece.last, piece.state == wire.ENDED, wire.unpacked)
                    self._count(len(piece.data))
                if self._over:
                    return
                if not await self._news(ping):
                    yield NO_NEWS
        finally:
            self._link.leave(self._number, told=not self._over)

    def _count(self, size: int) -> None:
        """The owner waits for a reader that is slow; this one was not."""
        self._took += size
        if self._took >= wire.WINDOW_BYTES // 2 and not self._over:
            self._link.send(Order("took", self._number, size=self._took))
            self._took = 0

    async def _news(self, ping: float | None) -> bool:
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        timer = None if ping is None else loop.call_later(ping, self._wake, False)
        try:
            return await self._waiter
        finally:
            self._waiter = None
            if timer is not None:
                timer.cancel()

    def _wake(self, news: bool) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(news)


class Link:
    """`errors`: what it may break with; `broken` is called if it does."""

    def __init__(
        self, opening: Opening, errors: tuple[type[Exception], ...], broken: Callable[[], None]
    ) -> None:
        self._streams: dict[int, Stream] = {}
        self._count = 0
        self._orders: list[Order] = []
        self._ordered = asyncio.Event()
        self._closed = False
        self._idle: asyncio.TimerHandle | None = None
        self._errors = errors
        self._broken = broken
        self._work = asyncio.create_task(self._read(opening))

    @property
    def is_open(self) -> bool:
        return not self._closed

    def follow(self, run_id: str, after: int, tokens: bool) -> Stream:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        self._count += 1
        stream = self._streams[self._count] = Stream(self, self._count)
        self.send(Order("follow", self._count, run_id=run_id, after=after, tokens=tokens))
        return stream

    def leave(self, number: int, *, told: bool) -> None:
        """A stream has no reader any more; `told`: the owner is, as more would come."""
        self._streams.pop(number, None)
        if told:
            self.send(Order("leave", number))
        if not self._streams and not self._closed:
            self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._close)

    def send(self, order: Order) -> None:
        self._orders.append(order)
        self._ordered.set()

    async def aclose(self) -> None:
        self._work.cancel()
        await asyncio.wait([self._work])

    def _close(self) -> None:
        self._closed = True
        self._work.cancel()

    async def _sent(self) -> AsyncGenerator[bytes, None]:
        """The bytes that go to the owner, as long as the link is open."""
        while True:
            await self._ordered.wait()
            self._ordered.clear()
            orders, self._orders = self._orders, []
            yield b"".join([order.written() for order in orders])

    async def _read(self, opening: Opening) -> None:
        pieces = wire.Pieces()
        try:
            async with opening(self._sent()) as response:
                async for data in response.content.iter_any():
                    for piece in pieces.feed(data):
                        stream = self._streams.get(piece.stream)
                        if stream is not None:
                            stream.put(piece)
        except self._errors:
            self._broken()
        finally:
            self._closed = True
            if self._idle is not None:
                self._idle.cancel()
            for stream in self._streams.values():
                stream.end()
