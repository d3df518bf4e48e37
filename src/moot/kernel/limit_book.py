"""What each person may do: the server's limits, save where an administrator has set others for them."""

from __future__ import annotations

from moot.kernel.clock import monotonic
from moot.kernel.limits import Limits
from moot.settings import Settings
from moot.store import Store, spending

KEPT_SECONDS = 2.0
"""So soon a change counts in every process; in the one that made it, at once."""
MOST_KEPT = 10_000


class LimitBook:
    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._kept: dict[str, tuple[float, Limits]] = {}

    @property
    def defaults(self) -> Limits:
        return self._settings.person_limits

    async def of(self, user: str) -> Limits:
        until, limits = self._kept.get(user, (0.0, None))
        if limits is None or monotonic() >= until:
            own = await self._store.read(lambda db: spending.limits_of(db, user))
            limits = self.defaults.model_copy(
                update=Limits.model_validate(own or {}).model_dump(by_alias=False, exclude_unset=True)
            )
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[user] = (monotonic() + KEPT_SECONDS, limits)
        return limits

    def forget(self, user: str) -> None:
        """Their limits have changed."""
        self._kept.pop(user, None)
