"""How long a caller waits: `asyncio.timeout` for calls, which are begun and hurried all the time.

    with Patience(loop, 600, first=300) as patience:        # TimeoutError after 600 s
        await its_turn()
        patience.hurry(300)                                 # from now on it has 300 s, if there were not less

One timer serves both, where `asyncio.timeout` makes one, ends it and makes another; of a council's processor
time that was 3 %.
"""

from __future__ import annotations

import asyncio
from asyncio import AbstractEventLoop, CancelledError, TimerHandle
from contextvars import ContextVar
from types import TracebackType
from weakref import ReferenceType, ref

TICK_SECONDS = 0.001
"""Timers go by milliseconds: one that is set for less would be looked at again and again."""


class Patience:
    __slots__ = (
        "__weakref__",
        "_cancelled_before",
        "_due",
        "_expired",
        "_loop",
        "_task",
        "_timer",
        "_when",
    )

    def __init__(self, loop: AbstractEventLoop, seconds: float, *, first: float) -> None:
        """`first`: after so many seconds the timer looks for the first time."""
        self._loop = loop
        now = loop.time()
        self._when = now + seconds
        self._due = min(now + first, self._when)
        self._expired = False
        self._timer: TimerHandle | None = None
        self._task: asyncio.Task[object] | None = None

    def when(self) -> float:
        """By the clock of the loop."""
        return self._when

    def expired(self) -> bool:
        return self._expired

    def hurry(self, seconds: float) -> None:
        """From now on there is that much time, if there was not less."""
        self._when = min(self._loop.time() + seconds, self._when)
        if self._when < self._due and self._timer is not None:
            self._timer.cancel()
            self._set(self._when)

    def _set(self, due: float) -> None:
        self._due = due
        self._timer = self._loop.call_at(due, self._look)

    def _look(self) -> None:
        assert self._task is not None
        if self._loop.time() < self._when - TICK_SECONDS:
            self._set(self._when)
        else:
            self._expired = True
            self._task.cancel()

    def __enter__(self) -> Patience:
        task = asyncio.current_task(self._loop)
        assert task is not None
        self._task = task
        self._cancelled_before = task.cancelling()
        self._set(self._due)
        _PATIENCE.set(ref(self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None
        assert self._timer is not None
        self._timer.cancel()
        self._timer = None
        task, self._task = self._task, None
        # Whoever else wants the task cancelled is to have it.
        if self._expired and task.uncancel() <= self._cancelled_before and kind is CancelledError:
            raise TimeoutError from error


_PATIENCE: ContextVar[ReferenceType[Patience] | None] = ContextVar("patience", default=None)
"""The caller's, for whoever must tell a call whose time was up from one that was cancelled. Contexts live on
in timers long after the call, and must not hold it."""


def is_time_up() -> bool:
    """Whether the caller gives up because its time is up."""
    patience = _innermost()
    return patience is not None and patience.expired()


def seconds_left() -> float | None:
    """How long the caller still waits; None if it has no clock."""
    patience = _innermost()
    return None if patience is None else patience.when() - asyncio.get_running_loop().time()


def _innermost() -> Patience | None:
    found = _PATIENCE.get()
    return None if found is None else found()
