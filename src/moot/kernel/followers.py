"""Following a run, wherever it is worked on: its story so far, then its live edge, to its end.

    worked on here             follow ─▶ Followers ─▶ a Follower's queue ─▶ batches
    elsewhere, or ended        follow ─▶ the stored events and calls, read again and again

Events come to followers only after they are committed, and stay until the run ends, so that one who
joins late or reads slowly misses none. Tokens live here only: a slow follower loses tokens. Quiet is
told by an empty batch. How a frame looks on a wire is the door's business.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from moot.kernel.events import (
    CallComplete,
    CallCompleteData,
    CallReference,
    CallStart,
    CallStartData,
    Event,
    Token,
    WarningData,
    WarningEvent,
)
from moot.kernel.values import Call
from moot.store import StoredEvent, runs

if TYPE_CHECKING:
    from moot.kernel.engine import Engine
    from moot.kernel.mode import Mode
    from moot.kernel.run import Run

TERMINAL = frozenset({"complete", "error"})
POLL_SECONDS = 0.2
"""How often the story of a run in another process is read."""
TOKENS_KEPT = 4096
"""How many token frames wait for a slow follower before further ones are dropped."""


class Frame(NamedTuple):
    """One line of a stream; `body` is the event's JSON without `type` and `at`.

    `said` is what a finished call replied: shown to whoever joins before an event tells it.
    """

    number: int | None
    type: str
    at: int
    body: bytes
    said: str = ""

    def json(self) -> bytes:
        rest = b"}" if self.body == b"{}" else b"," + self.body[1:]
        return b'{"type":"%b","at":%d%b' % (self.type.encode(), self.at, rest)

    def with_words(self) -> list[Frame]:
        """As a reader is told of it who was not there while the call spoke."""
        if not self.said:
            return [self]
        data = orjson.loads(self.body)["data"]
        reference = {name: data[name] for name in CallReference.model_fields}
        call = LiveCall(CallReference(**reference))
        began = max(self.at - data["responseTimeMs"], 0)
        return [call.start(began), call.token(self.at, self.said), self]

    @classmethod
    def of(cls, number: int, event: StoredEvent) -> Frame:
        return cls(number, event.type, event.at, event.body)

    @classmethod
    def live(cls, event: Event, at: int, said: str = "") -> Frame:
        """Of an event that is shown but not stored."""
        return cls(None, event.type, at, event.model_dump_json().encode(), said)


@dataclass(slots=True)
class LiveCall:
    """A call under way, with the text so far for whoever joins late."""

    reference: CallReference
    attempt: int = 1
    pieces: list[str] = field(default_factory=list)
    _token_head: bytes = b""

    def start(self, at: int) -> Frame:
        data = CallStartData(**dict(self.reference), attempt=self.attempt)
        return Frame.live(CallStart(data=data), at)

    def token(self, at: int, text: str) -> Frame:
        # A `Token`, as a test makes sure, put together by hand: there are more of these than of all other
        # frames together, and all but the text is the same for the whole call.
        if not self._token_head:
            self._token_head = b'{"data":%b,"text":' % self.reference.model_dump_json().encode()[:-1]
        return Frame(None, Token.type, at, b"%b%b}}" % (self._token_head, orjson.dumps(text)))


@dataclass(slots=True)
class _Piece:
    """Token text that waits for a follower; what arrives meanwhile is joined to it."""

    call: LiveCall
    at: int
    texts: list[str]

    def frame(self) -> Frame:
        return self.call.token(self.at, "".join(self.texts))


class Follower:
    """One reader's queue."""

    def __init__(self, frames: Iterable[Frame], tokens: bool) -> None:
        self.tokens = tokens
        self._queue: deque[Frame | _Piece] = deque(frames)
        self._wake = asyncio.Event()
        self._closed = False
        if self._queue:
            self._wake.set()

    def push(self, frame: Frame) -> None:
        self._queue.append(frame)
        self._wake.set()

    def push_token(self, call: LiveCall, at: int, text: str) -> None:
        last = self._queue[-1] if self._queue else None
        if isinstance(last, _Piece) and last.call is call:
            last.texts.append(text)
        elif len(self._queue) < TOKENS_KEPT:
            self._queue.append(_Piece(call, at, [text]))
        self._wake.set()

    def close(self) -> None:
        """Nothing more will come from this process."""
        self._closed = True
        self._wake.set()

    async def batches(self, ping: float | None = None) -> AsyncIterator[list[Frame]]:
        """What has come since the last batch, to the end; an empty batch after `ping` quiet seconds."""
        while True:
            try:
                async with asyncio.timeout(ping):
                    await self._wake.wait()
            except TimeoutError:
                yield []
                continue
            self._wake.clear()
            batch = [entry.frame() if isinstance(entry, _Piece) else entry for entry in self._queue]
            self._queue.clear()
            if batch:
                yield batch
            if self._closed or (batch and batch[-1].type in TERMINAL):
                return


class Followers:
    """All followers of one run."""

    def __init__(self, frames: Iterable[Frame] = ()) -> None:
        self.frames = list(frames)
        self._followers: set[Follower] = set()
        self._calls: dict[int, LiveCall] = {}
        self._notice: Frame | None = None

    @property
    def ended(self) -> bool:
        return any(frame.type in TERMINAL for frame in self.frames[-1:])

    def follow(self, after: int, tokens: bool, at: int) -> Follower:
        """A new follower: the events after `after`, and one token frame per call, finished or under way."""
        start = next((i + 1 for i, frame in enumerate(self.frames) if frame.number == after), 0)
        past = [frame for frame in self.frames[start:] if frame.number is not None]
        if tokens:
            past = [line for frame in self.frames[start:] for line in frame.with_words()]
            for call in self._calls.values():
                past.append(call.start(at))
                if call.pieces:
                    past.append(call.token(at, "".join(call.pieces)))
        if self._notice is not None:
            past.append(self._notice)
        follower = Follower(past, tokens)
        self._followers.add(follower)
        return follower

    def close(self) -> None:
        for follower in self._followers:
            follower.close()

    def leave(self, follower: Follower) -> None:
        self._followers.discard(follower)

    def tell(self, frame: Frame) -> None:
        self.frames.append(frame)
        for follower in self._followers:
            follower.push(frame)

    def notify(self, frame: Frame, *, over: bool = False) -> None:
        """Show what is no part of the story; also to whoever joins until it is over."""
        self._notice = None if over else frame
        for follower in self._followers:
            follower.push(frame)

    def call_started(self, call: LiveCall, at: int) -> None:
        """Also said when a call is tried again: what a viewer has of the last attempt is void."""
        self._calls[id(call)] = call
        call.pieces.clear()
        if any(follower.tokens for follower in self._followers):
            self._push_to_token_readers(call.start(at))

    def token(self, call: LiveCall, at: int, text: str) -> None:
        call.pieces.append(text)
        for follower in self._followers:
            if follower.tokens:
                follower.push_token(call, at, text)

    def call_ended(self, call: LiveCall) -> None:
        self._calls.pop(id(call), None)

    def call_completed(self, frame: Frame) -> None:
        self.frames.append(frame)
        self._push_to_token_readers(frame)

    def _push_to_token_readers(self, frame: Frame) -> None:
        for follower in self._followers:
            if follower.tokens:
                follower.push(frame)


def live_warning(code: str, message: str, at: int) -> Frame:
    """A warning that is shown and not stored."""
    warning = WarningEvent(data=WarningData(message=message, code=code, step=None))
    return Frame.live(warning, at)


async def follow(
    engine: Engine, run_id: str, after: int, tokens: bool, ping: float | None
) -> AsyncIterator[list[Frame]]:
    """The story after event number `after`, in batches, to its end; see `Engine.follow`."""
    quiet, seen = 0.0, Seen()
    while not engine.closing:
        work = engine.run_task(run_id)
        if work is not None:
            async for batch in _follow_here(work.run, after, tokens, ping):
                yield batch
                after = max([after, *(frame.number or 0 for frame in batch)])
            if work.run.live.ended:
                return
            await asyncio.wait([work.task])
            continue
        frames, running = await _stored(engine, run_id, after, seen if tokens else None)
        if frames:
            yield frames
            after = max([after, *(frame.number or 0 for frame in frames)])
        if not running:
            return
        await asyncio.sleep(POLL_SECONDS)
        quiet = 0.0 if frames else quiet + POLL_SECONDS
        if ping is not None and quiet >= ping:
            quiet = 0.0
            yield []


async def _follow_here(
    run: Run[Any], after: int, tokens: bool, ping: float | None
) -> AsyncIterator[list[Frame]]:
    follower = run.live.follow(after, tokens, run.now())
    try:
        async for batch in follower.batches(ping):
            yield batch
    finally:
        run.live.leave(follower)


async def _stored(engine: Engine, run_id: str, after: int, seen: Seen | None) -> tuple[list[Frame], bool]:
    """The frames after `after`, and whether the run is still going on."""
    events, record = await engine.store.read(
        lambda db: (runs.events_after(db, run_id, max(after - 1, 0)), runs.run(db, run_id))
    )
    new = [(number, event) for number, event in events if number > after]
    frames = [Frame.of(number, event) for number, event in new]
    if frames and seen is not None and record is not None:
        since = events[0][1].at if after else 0
        calls = await engine.store.read(lambda db: runs.calls_of(db, run_id))
        # A call made after the run, by whoever lets a trace be graded, is no part of its story.
        end = float("inf") if record.status == "running" else events[-1][1].at
        during = [call for call in calls if call.ended_ms <= end and seen.is_new(call, since)]
        frames = replay(new, during, engine.modes[record.mode])
    return frames, record is not None and record.status == "running"


class Seen:
    """The calls a follower has been told of."""

    def __init__(self) -> None:
        self._keys: set[tuple[str, int | None, str]] = set()

    def is_new(self, call: Call, since: int) -> bool:
        key = (call.step, call.seat, call.digest)
        if call.ended_ms < since or key in self._keys:
            return False
        self._keys.add(key)
        return True


def replay(events: Iterable[tuple[int, StoredEvent]], calls: Iterable[Call], mode: Mode[Any]) -> list[Frame]:
    """What was told and which calls had ended, as it came."""
    finished = [call_complete(call, hidden=mode.hides(call.seat)) for call in calls]
    return in_order([Frame.of(number, event) for number, event in events], finished)


def call_complete(call: Call, *, hidden: bool = False) -> Frame:
    """The frame that says what a call took and cost; made again from the stored call on replay."""
    data = CallCompleteData(
        step=call.step,
        seat=call.seat,
        model=None if hidden else call.model,
        call=call.short_name,
        response_time_ms=call.response_time_ms,
        usage=call.usage,
        cost=call.cost,
    )
    # A call that a retry inherited ended before the run began.
    return Frame.live(CallComplete(data=data), max(call.ended_ms, 0), call.text or "")


def in_order(events: Sequence[Frame], calls: Iterable[Frame]) -> list[Frame]:
    """Events and finished calls as they came: the opening first, a call before the event that tells of it."""
    frames = sorted([*calls, *events], key=lambda frame: (frame.number != 1, frame.at))
    # Events keep the order of their numbers whatever their times say.
    numbered = iter(events)
    return [frame if frame.number is None else next(numbered) for frame in frames]
