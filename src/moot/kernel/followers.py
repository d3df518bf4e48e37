"""Following a run, wherever it is worked on: its story so far, then its live edge, to its end.

    worked on here             follow ─▶ Followers: one story, and a place in it for each Follower ─▶ batches
    worked on elsewhere        follow ─▶ the same, in the process that works on it
    out of reach, or ended     follow ─▶ the stored events and calls, page by page (`pages.py`)

Events come to followers only after they are committed. Tokens live here only, in the call they are a part of,
and are gathered for a moment before anyone is woken. A follower has a place in the story, no copy of it: it
takes the next batch when it has got rid of the last, and one who joins late or reads slowly misses nothing.
Quiet is told by an empty batch. How a frame looks on a wire is the door's business.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import orjson

from moot.kernel.events import (
    CallComplete,
    CallCompleteData,
    CallName,
    CallReference,
    CallStart,
    CallStartData,
    Event,
    Token,
    WarningData,
    WarningEvent,
)
from moot.kernel.lookout import LOOK_SECONDS
from moot.kernel.pages import EventPage
from moot.kernel.values import Call
from moot.store import StoredEvent, runs

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from moot.kernel.engine import Engine
    from moot.kernel.mode import Mode
    from moot.kernel.run import Run
    from moot.kernel.run_task import RunTask
    from moot.store.runs import Sight

TERMINAL = frozenset({"complete", "error"})
GATHER_SECONDS = 1 / 30
"""Tokens are shown so often: as smooth as a person can see."""
BATCH_BYTES = 32 * 1024
"""A batch ends with the frame that makes it so large."""
LONGEST_TOKEN = 8_000
"""Characters; what a call has said before is told in pieces of this length."""
MANY_PIECES = 256


class Reply(NamedTuple):
    """What a finished call said, for whoever was not there while it spoke."""

    call: CallReference
    text: str
    began: int
    attempts: int


class Frame(NamedTuple):
    """One line of a stream; `body` is the event's JSON without `type` and `at`.

    `reply` has what a finished call said: shown to whoever joins before an event tells it.
    """

    number: int | None
    type: str
    at: int
    body: bytes
    reply: Reply | None = None

    def json(self) -> bytes:
        rest = b"}" if self.body == b"{}" else b"," + self.body[1:]
        return self.json_head() + rest

    def json_head(self) -> bytes:
        return b'{"type":"%b","at":%d' % (self.type.encode(), self.at)

    @classmethod
    def of(cls, number: int, told: StoredEvent) -> Frame:
        return cls(number, told.type, told.at, told.body)

    @classmethod
    def live(cls, event: Event, at: int, reply: Reply | None = None) -> Frame:
        """Of an event that is shown but not stored."""
        return cls(None, event.type, at, event.model_dump_json().encode(), reply)


class Parcel(Sequence[Frame]):
    """Frames as the process that works on the run packed them, for a reader elsewhere: passed on as they are,
    and unpacked only for who must look inside. `last` is the highest number among them, or 0; `ends`: the
    run's last event is one of them."""

    __slots__ = ("_frames", "_unpack", "data", "ends", "last")

    def __init__(self, data: bytes, last: int, ends: bool, unpack: Callable[[bytes], list[Frame]]) -> None:
        self.data = data
        self.last = last
        self.ends = ends
        self._unpack = unpack
        self._frames: list[Frame] | None = None

    def __bool__(self) -> bool:
        return bool(self.data)

    def __len__(self) -> int:
        return len(self._unpacked())

    @overload
    def __getitem__(self, place: int) -> Frame: ...
    @overload
    def __getitem__(self, place: slice) -> list[Frame]: ...
    def __getitem__(self, place: int | slice) -> Frame | list[Frame]:
        return self._unpacked()[place]

    def _unpacked(self) -> list[Frame]:
        if self._frames is None:
            self._frames = self._unpack(self.data)
        return self._frames


Batch = list[Frame] | Parcel


class FinishedCall:
    """A finished call's place in the story: its frame is made for the first reader who asked for tokens."""

    number, type = None, CallComplete.type

    def __init__(self, call: Call, *, hidden: bool) -> None:
        self._call = call
        self._hidden = hidden

    @cached_property
    def frame(self) -> Frame:
        return call_complete(self._call, hidden=self._hidden)


class LiveCall:
    """A call under way, with its text so far. What is new of it is encoded once for all who hear it."""

    __slots__ = (
        *("_at", "_fresh", "_gathered", "_head", "_latest", "_span", "_text"),
        *("attempt", "reference", "started"),
    )

    def __init__(self, reference: CallReference, attempt: int = 1) -> None:
        self.reference = reference
        self.attempt = attempt
        self._head = b""
        self.restart(0)

    def restart(self, at: int) -> None:
        """It is sent, for the first time or again: what came before is void."""
        self.started = self._at = at
        self._text: list[str] = []
        self._fresh: list[str] = []
        self._gathered = 0
        self._span = (0, 0)
        self._latest: Frame | None = None

    def add(self, at: int, text: str) -> None:
        if not self._fresh:
            self._at = at
        self._fresh.append(text)
        if len(self._fresh) >= MANY_PIECES:
            self._gather()

    def start(self, at: int) -> Frame:
        data = CallStartData(**dict(self.reference), attempt=self.attempt)
        return Frame.live(CallStart(data=data), at)

    def token(self, at: int, text: str) -> Frame:
        # A `Token`, as a test makes sure, put together by hand: there are more of these than of all other
        # frames together, and all but the text is the same for the whole call.
        if not self._head:
            self._head = b'{"data":%b,"text":' % self.reference.model_dump_json().encode()[:-1]
        return Frame(None, Token.type, at, b"%b%b}}" % (self._head, orjson.dumps(text)))

    def said_after(self, heard: int) -> tuple[Frame, int] | None:
        """The next piece for one who has heard so many characters, and how many these are then."""
        if self._fresh:
            self._gather()
        if heard >= self._gathered:
            return None
        if self._span == (heard, self._gathered) and self._gathered - heard <= LONGEST_TOKEN:
            if self._latest is None:
                self._latest = self.token(self._at, self._text[-1])
            return self._latest, self._gathered
        text = "".join(self._text)[heard : heard + LONGEST_TOKEN]
        return self.token(self._at, text), heard + len(text)

    def _gather(self) -> None:
        text = "".join(self._fresh)
        self._fresh.clear()
        self._text.append(text)
        self._span = (self._gathered, self._gathered + len(text))
        self._gathered += len(text)
        self._latest = None


class Follower:
    """One reader's place in the story."""

    def __init__(self, story: Followers, start: int, tokens: bool) -> None:
        self.tokens = tokens
        self._story = story
        self._next = start
        self._notices: list[Frame] = []
        self._heard: dict[CallName, tuple[int, int]] = {}
        self._lines: Iterator[Frame] = self._unread()
        self._waiter: asyncio.Future[bool] | None = None
        self._closed = False

    def wake(self) -> None:
        """There may be something to read."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(True)

    def notify(self, frame: Frame) -> None:
        self._notices.append(frame)
        self.wake()

    def close(self) -> None:
        """Nothing more will come from this process."""
        self._closed = True
        self.wake()

    def leave(self) -> None:
        """Nobody reads here any more. What was to be read knows the reader, and would keep it in memory."""
        self._lines = iter(())
        self._story.leave(self)

    async def batches(self, ping: float | None = None) -> AsyncIterator[list[Frame]]:
        """What has come since the last batch, to the end; an empty batch after `ping` quiet seconds."""
        while True:
            batch = self._batch()
            if batch:
                yield batch
                if batch[-1].type in TERMINAL:
                    return
            elif self._closed:
                return
            elif not await self._news(ping):
                yield []

    async def _news(self, ping: float | None) -> bool:
        """Wait until there is something to read; false after so many quiet seconds."""
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        timer = None if ping is None else loop.call_later(ping, _time_up, self._waiter)
        try:
            return await self._waiter
        finally:
            self._waiter = None
            if timer is not None:
                timer.cancel()

    def _batch(self) -> list[Frame]:
        batch: list[Frame] = []
        size = 0
        for frame in self._lines:
            batch.append(frame)
            size += len(frame.body)
            if size >= BATCH_BYTES:
                return batch
        self._lines = self._unread()
        return batch

    def _unread(self) -> Iterator[Frame]:
        """From this reader's place to the live edge; each frame is made when it is taken."""
        frames = self._story.frames
        while self._next < len(frames):
            place = frames[self._next]
            self._next += 1
            if place.type == CallComplete.type and not self.tokens:
                continue
            frame = place.frame if isinstance(place, FinishedCall) else place
            if frame.reply is None:
                yield frame
            else:
                yield from self._finished(frame, frame.reply)
            if frame.type in TERMINAL:
                return
        while self._notices:
            yield self._notices.pop(0)
        for call in self._story.calls if self.tokens else ():
            while (line := self._under_way(call)) is not None:
                yield line

    def _under_way(self, call: LiveCall) -> Frame | None:
        """What this reader has to hear next of a call."""
        name = call.reference.name
        attempt, heard = self._heard.get(name, (0, 0))
        if attempt != call.attempt:
            self._heard[name] = (call.attempt, 0)
            return call.start(call.started)
        said = call.said_after(heard)
        if said is None:
            return None
        self._heard[name] = (attempt, said[1])
        return said[0]

    def _finished(self, frame: Frame, reply: Reply) -> Iterator[Frame]:
        """The rest of what a call said, then that it is finished."""
        call = LiveCall(reply.call, reply.attempts)
        attempt, heard = self._heard.pop(reply.call.name, (0, 0))
        if reply.text and attempt != reply.attempts:
            heard = 0
            yield call.start(reply.began)
        for place in range(heard, len(reply.text), LONGEST_TOKEN):
            yield call.token(frame.at, reply.text[place : place + LONGEST_TOKEN])
        yield frame


def _time_up(waiter: asyncio.Future[bool]) -> None:
    if not waiter.done():
        waiter.set_result(False)


class Followers:
    """The story of one run in this process, and all who follow it."""

    def __init__(self, frames: Iterable[Frame] = ()) -> None:
        self.frames: list[Frame | FinishedCall] = list(frames)
        self._followers: set[Follower] = set()
        self._calls: dict[int, LiveCall] = {}
        self._notice: Frame | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._shown_at = 0.0
        self._has_listeners = False
        """Whether somebody wants tokens."""

    @property
    def ended(self) -> bool:
        return any(frame.type in TERMINAL for frame in self.frames[-1:])

    @property
    def calls(self) -> list[LiveCall]:
        """Those under way."""
        return list(self._calls.values())

    def follow(self, after: int, tokens: bool) -> Follower:
        """A new follower: the events after `after`; with tokens, what the calls since then have said too."""
        start = next((i + 1 for i, frame in enumerate(self.frames) if frame.number == after), 0)
        follower = Follower(self, start, tokens)
        if self._notice is not None:
            follower.notify(self._notice)
        self._followers.add(follower)
        self._has_listeners = self._has_listeners or tokens
        return follower

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for follower in self._followers:
            follower.close()

    def leave(self, follower: Follower) -> None:
        self._followers.discard(follower)
        self._has_listeners = any(one.tokens for one in self._followers)

    def tell(self, frame: Frame) -> None:
        self.frames.append(frame)
        for follower in self._followers:
            follower.wake()

    def notify(self, frame: Frame, *, over: bool = False) -> None:
        """Show what is no part of the story; also to whoever joins until it is over."""
        self._notice = None if over else frame
        for follower in self._followers:
            follower.notify(frame)

    def call_started(self, call: LiveCall, at: int) -> None:
        """Also said when a call is tried again: what a viewer has of the last attempt is void."""
        self._calls[id(call)] = call
        call.restart(at)
        self._show_soon()

    def token(self, call: LiveCall, at: int, text: str) -> None:
        call.add(at, text)
        if self._timer is None:
            self._show_soon()

    def call_ended(self, call: LiveCall) -> None:
        self._calls.pop(id(call), None)

    def call_completed(self, call: FinishedCall) -> None:
        self.frames.append(call)
        self._show()

    def _show_soon(self) -> None:
        """Let what is said gather for a moment, unless nothing was shown for as long."""
        if self._timer is None and self._has_listeners:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(max(self._shown_at + GATHER_SECONDS, loop.time()), self._show)

    def _show(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._has_listeners:
            return
        self._shown_at = asyncio.get_running_loop().time()
        for follower in self._followers:
            if follower.tokens:
                follower.wake()


def live_warning(code: str, message: str, at: int) -> Frame:
    """A warning that is shown and not stored."""
    warning = WarningEvent(data=WarningData(message=message, code=code, step=None))
    return Frame.live(warning, at)


async def follow(
    engine: Engine, run_id: str, after: int, tokens: bool, ping: float | None
) -> AsyncIterator[Batch]:
    """The story after event number `after`, in batches, to its end; see `Engine.follow`."""
    opening = engine.opening_of(run_id) if after == 0 else None
    if opening is not None:
        yield [Frame.of(1, opening)]
    reader = _Reader(engine, run_id, after if opening is None else 1, tokens, ping)
    # Without a way to others there is nobody to ask before what is stored.
    looks = engine.elsewhere is not None or opening is not None
    while not (engine.closing or reader.over):
        work, sight = engine.run_task(run_id), None
        if work is None and looks:
            sight = await engine.lookout.news(run_id, reader.after, ping)
            if sight is None:
                if ping is not None:
                    yield []
                continue
        looks = True
        async for batch in reader.live(work, sight) if work or sight else reader.stored():
            yield batch


class _Reader:
    """How far somebody is in the story of a run, wherever it comes from."""

    def __init__(self, engine: Engine, run_id: str, after: int, tokens: bool, ping: float | None) -> None:
        self.after = after
        self.over = False
        self._engine = engine
        self._run_id = run_id
        self._tokens = tokens
        self._ping = ping
        self._seen = Seen() if tokens else None

    async def live(self, work: RunTask | None, sight: Sight | None) -> AsyncIterator[Batch]:
        """What whoever works on the run tells, here or elsewhere, for as long as they do; if nobody does or
        they have left, what is stored."""
        engine = self._engine
        if work is not None:
            async for batch in follow_here(work.run, self.after, self._tokens, self._ping):
                yield batch
                self._pass(batch)
            if not self.over:
                await asyncio.wait([work.task])
            return
        if sight is not None and sight.address is not None and engine.reaches(sight):
            assert engine.elsewhere is not None
            parcels = engine.elsewhere.follow(
                sight.address, self._run_id, self.after, self._tokens, self._ping
            )
            async with aclosing(parcels):
                async for parcel in parcels:
                    yield parcel
                    self._pass(parcel)
            if self.over:
                return
        async for frames in self.stored():
            yield frames
        if not self.over and sight is not None and engine.reaches(sight):
            await asyncio.sleep(LOOK_SECONDS)  # it has nothing to tell, not yet or not any more

    async def stored(self) -> AsyncIterator[list[Frame]]:
        """What has been stored by now."""
        more = True
        while more:
            page = await self._engine.pages.after(self._run_id, self.after)
            frames = await _stored(self._engine, self._run_id, page, self.after, self._seen)
            if frames:
                yield frames
                self.after = page.events[-1][0]
            more = page.more
        self.over = not page.is_running

    def _pass(self, batch: Batch) -> None:
        if isinstance(batch, Parcel):
            last, self.over = batch.last, batch.ends
        else:
            last = max((frame.number or 0 for frame in batch), default=0)
            self.over = bool(batch) and batch[-1].type in TERMINAL
        self.after = max(self.after, last)


async def follow_here(
    run: Run[Any], after: int, tokens: bool, ping: float | None
) -> AsyncIterator[list[Frame]]:
    """What a run of this process tells from now on, until it ends or leaves."""
    follower = run.live.follow(after, tokens)
    try:
        async for batch in follower.batches(ping):
            yield batch
    finally:
        follower.leave()


async def _stored(engine: Engine, run_id: str, page: EventPage, after: int, seen: Seen | None) -> list[Frame]:
    """The frames of a page that follows the event `after`; with those of the calls that ended meanwhile."""
    frames = [Frame.of(number, event) for number, event in page.events]
    if not frames or seen is None or page.record is None:
        return frames
    before = after if seen.since is None else 0

    def read(db: Connection) -> tuple[list[tuple[int, StoredEvent]], list[Call]]:
        heard = runs.events_after(db, run_id, before - 1, limit=1) if before else []
        return heard, runs.calls_of(db, run_id, texts=False)

    heard, calls = await engine.store.read(read)
    if seen.since is None:
        seen.since = heard[0][1].at if heard else 0
    # A call made after the run, by whoever lets a trace be graded, is no part of its story.
    end = float("inf") if page.is_running and not page.more else frames[-1].at
    during = [call for call in calls if call.ended_ms <= end and seen.is_new(call)]
    seen.since = frames[-1].at
    return replay(page.events, during, engine.modes[page.record.mode])


class Seen:
    """The calls a follower was told of, and the run time of its last event; None before that is known."""

    def __init__(self) -> None:
        self.since: int | None = None
        self._keys: set[tuple[str, int | None, str]] = set()

    def is_new(self, call: Call) -> bool:
        key = (call.step, call.seat, call.digest)
        if call.ended_ms < (self.since or 0) or key in self._keys:
            return False
        self._keys.add(key)
        return True


def replay(events: Iterable[tuple[int, StoredEvent]], calls: Iterable[Call], mode: Mode[Any]) -> list[Frame]:
    """What was told and which calls had ended, as it came."""
    finished = [call_complete(call, hidden=mode.hides(call.seat)) for call in calls]
    return in_order([Frame.of(number, event) for number, event in events], finished)


def call_complete(call: Call, *, hidden: bool = False) -> Frame:
    """The frame that says what a call took and cost; made again from the stored call on replay."""
    name = CallReference(
        step=call.step, seat=call.seat, model=None if hidden else call.model, call=call.short_name
    )
    data = CallCompleteData(
        **dict(name), response_time_ms=call.response_time_ms, usage=call.usage, cost=call.cost
    )
    # A call that a retry inherited ended before the run began.
    at = max(call.ended_ms, 0)
    reply = Reply(name, call.text or "", max(at - call.response_time_ms, 0), call.attempts)
    return Frame.live(CallComplete(data=data), at, reply)


def in_order(events: Sequence[Frame], calls: Iterable[Frame]) -> list[Frame]:
    """Events and finished calls as they came: the opening first, a call before the event that tells of it."""
    frames = sorted([*calls, *events], key=lambda frame: (frame.number != 1, frame.at))
    # Events keep the order of their numbers whatever their times say.
    numbered = iter(events)
    return [frame if frame.number is None else next(numbered) for frame in frames]
