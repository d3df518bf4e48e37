"""Whether the store takes what it is given, and who wants to know when that changes.

    a write fails        ──▶ new runs are refused, those at work ask nobody until what they have is stored
    it is written again  ──▶ they go on

A write that is refused for its own sake is not meant here, but one that a full disk, a lock or a server that
is away keeps from being written: what a run wants to have stored waits, in memory and in order, and is
written again until it is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from moot.kernel.clock import monotonic
from moot.kernel.errors import StoreUnavailable

log = logging.getLogger(__name__)

FIRST_PAUSE = 0.05
LONGEST_PAUSE = 5.0
"""How long to wait, at first and at most, before what could not be written is tried again."""
DOUBT_SECONDS = 5.0
"""How long a store counts as out of order after it failed and nothing waits that would show it is back."""

SILENT_SECONDS = 60.0
"""How long nothing more is logged of a database that is still away."""


class Availability:
    """Of one store, in its event loop."""

    def __init__(self) -> None:
        self._lost: str | None = None
        self._doubt: tuple[float, str] = (0.0, "")
        self._watchers: list[Callable[[str | None], None]] = []
        self._silent_until = 0.0
        self._loss: asyncio.Future[None] | None = None

    @property
    def trouble(self) -> str | None:
        """Why nothing new should be begun; None if it may."""
        until, reason = self._doubt
        return self._lost or (reason if monotonic() < until else None)

    @property
    def loss(self) -> asyncio.Future[None]:
        """Done while something waits to be written again."""
        if self._loss is None:
            self._loss = asyncio.get_running_loop().create_future()
        return self._loss

    def watch(self, changed: Callable[[str | None], None]) -> None:
        """Be told why writes wait, and with None that they do no longer."""
        self._watchers.append(changed)

    def fail(self, reason: str, cause: str = "", *, waiting: bool) -> StoreUnavailable:
        """Nothing was written of what a run wants to keep, or to begin with. `waiting`: it is kept to be
        written again."""
        failure = self.miss(reason, cause)
        self._doubt = (monotonic() + DOUBT_SECONDS, reason)
        if waiting and self._lost is None:
            self._lost = reason
            if not self.loss.done():
                self.loss.set_result(None)
            self._tell(reason)
        return failure

    def miss(self, reason: str, cause: str = "") -> StoreUnavailable:
        """The database could not be had. It is logged, but not for everyone who finds out; `cause` is for
        the log alone."""
        if monotonic() >= self._silent_until:
            self._silent_until = monotonic() + SILENT_SECONDS
            log.error("%s%s", reason, f" ({cause.splitlines()[0]})" if cause else "")
        return StoreUnavailable(reason)

    def back(self) -> None:
        """All that had waited is written."""
        if self._lost is None:
            return
        log.warning("The database can be written again; everything that was waiting is stored.")
        self._lost, self._doubt, self._silent_until = None, (0.0, ""), 0.0
        self._loss = None
        self._tell(None)

    def check(self) -> None:
        """Raises StoreUnavailable while nothing new should be begun."""
        if self.trouble is not None:
            raise StoreUnavailable(self.trouble)

    def _tell(self, reason: str | None) -> None:
        for changed in self._watchers:
            changed(reason)


def next_pause(pause: float) -> float:
    return min(2 * pause or FIRST_PAUSE, LONGEST_PAUSE)
