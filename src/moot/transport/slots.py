"""Who may call now: so many at once for a provider, and of these a share for each model.

    256 slots, a/hung takes 205      51 are left, and every other model gets in at once
    …, then b/hung takes 41          10 are left
    2 slots, a/slow                  takes both

A model gets another slot while it holds less than four times as many as are free: a single one four fifths of
them, and where there are many, something is left however many hang. Of fewer than five nothing is kept back.
A model that is suspect (see `silence.py`) holds one at a time, and whoever waits for another goes first:
where there is a single slot, that is what helps.

Otherwise it is first come, first served. How many slots there are may change at any time, where processes
share them; who has one keeps it. A model whose provider asks to be left alone gets none meanwhile.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from itertools import count

from moot.kernel.clock import monotonic

SHARE = 4


class Slots:
    def __init__(self, at_once: int, is_suspect: Callable[[str], bool], share: float = SHARE) -> None:
        """`share`: how many times as many as are free a model may hold."""
        self._share = share
        self._size = self._free = at_once
        self._slow_until: dict[str, float] = {}
        self._held: Counter[str] = Counter()
        self._is_suspect = is_suspect
        self.when_starved: Callable[[], None] | None = None
        self._arrivals = count()
        self._waiting: dict[str, deque[tuple[int, asyncio.Future[None]]]] = {}

    async def take(self, model: str) -> None:
        """Wait for a slot; whoever has one gives it back."""
        if model not in self._waiting and self._may(model):
            self._grant(model)
            return
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (next(self._arrivals), granted)
        self._waiting.setdefault(model, deque()).append(entry)
        if self._size == 0 and self.when_starved is not None:
            self.when_starved()
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled() and granted.exception() is None:
                self.give_back(model)  # it came just as we left
            else:
                self._leave(model, entry)
            raise

    def give_back(self, model: str) -> None:
        self._free += 1
        self._held[model] -= 1
        if not self._held[model]:
            del self._held[model]
        self.serve()

    @property
    def size(self) -> int:
        return self._size

    @property
    def held(self) -> int:
        return self._size - self._free

    @property
    def wanted(self) -> int:
        """Those that are held, and those that somebody waits for."""
        return self.held + sum(len(waiting) for waiting in self._waiting.values())

    def resize(self, at_once: int) -> None:
        self._free += at_once - self._size
        self._size = at_once
        self.serve()

    @property
    def slow(self) -> dict[str, float]:
        """The models that get no slot at the moment, and for how many seconds."""
        now = monotonic()
        self._slow_until = {model: until for model, until in self._slow_until.items() if until > now}
        return {model: until - now for model, until in self._slow_until.items()}

    def slow_down(self, model: str, seconds: float) -> None:
        """Give this model no slot for so long."""
        until = monotonic() + seconds
        if until > self._slow_until.get(model, 0.0):
            self._slow_until[model] = until
            asyncio.get_running_loop().call_later(seconds, self.serve)

    def refuse(self, model: str, error: Callable[[], Exception]) -> None:
        """Whoever waits for this model waits for nothing."""
        for _, granted in self._waiting.pop(model, ()):
            if not granted.done():
                granted.set_exception(error())

    def serve(self) -> None:
        """Give the free slots to those who wait and may have one."""
        while self._free > 0:
            heads = [
                (self._is_suspect(model), waiting[0][0], model)
                for model, waiting in self._waiting.items()
                if self._may(model)
            ]
            if not heads:
                return
            model = min(heads)[2]
            entry = self._waiting[model][0]
            self._leave(model, entry)
            if not entry[1].done():
                self._grant(model)
                entry[1].set_result(None)

    def _may(self, model: str) -> bool:
        if self._slow_until.get(model, 0.0) > monotonic():
            return False
        share = 1 if self._is_suspect(model) else self._share * self._free
        return self._free > 0 and self._held[model] < share

    def _grant(self, model: str) -> None:
        self._free -= 1
        self._held[model] += 1

    def _leave(self, model: str, entry: tuple[int, asyncio.Future[None]]) -> None:
        waiting = self._waiting.get(model)
        if waiting is not None and entry in waiting:
            waiting.remove(entry)
            if not waiting:
                del self._waiting[model]
