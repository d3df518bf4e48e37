"""How many calls at once this process may make to each provider: all that are allowed, or its share of them.

quotas.share({"openrouter": 64})        the rest is other processes'
quotas.share({})                        nobody knows at the moment: none
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

from moot.transport.slots import Slots


class Use(NamedTuple):
    """Calls under way; those together with the ones that wait; and how many there may be at the moment."""

    held: int
    wanted: int
    size: int


class Quotas:
    """`standing`: the limits of those the settings name, which always have a share. Those that people have
    added have one while somebody calls them: `starved` is set when one has none and somebody waits."""

    def __init__(self, standing: Mapping[str, int]) -> None:
        self._standing = standing
        self._added: dict[str, int] = {}
        self._slots: dict[str, Slots] = {}
        self._shares: Mapping[str, int] | None = None
        self.starved = asyncio.Event()

    @property
    def limits(self) -> dict[str, int]:
        """By provider, and by model where that has one of its own, for all processes together."""
        wanted = {name: limit for name, limit in self._added.items() if self._slots[name].wanted}
        return {**self._standing, **wanted}

    def add(self, provider: str, slots: Slots, limit: int) -> None:
        """A provider that is called for the first time."""
        self._slots[provider] = slots
        if provider not in self._standing:
            self._added[provider] = limit
            slots.when_starved = self.starved.set
        if self._shares is not None:
            slots.resize(self._shares.get(provider, 0))

    def remove(self, provider: str) -> bool:
        """Forget one that nobody calls; whether nobody does."""
        slots = self._slots.get(provider)
        if slots is None or provider not in self._added or slots.wanted:
            return False
        del self._slots[provider], self._added[provider]
        return True

    def share(self, shares: Mapping[str, int]) -> None:
        self._shares = shares
        for provider, slots in self._slots.items():
            slots.resize(shares.get(provider, 0))

    def uses(self) -> dict[str, Use]:
        """Of every provider that is to have a share."""
        return {provider: self._use(provider) for provider in self.limits}

    def _use(self, provider: str) -> Use:
        slots = self._slots.get(provider)
        if slots is not None:
            return Use(slots.held, slots.wanted, slots.size)
        return Use(0, 0, (self._shares or {}).get(provider, 0))

    def slow(self) -> dict[tuple[str, str], float]:
        """Which providers want to be left alone, with which models, and for how many seconds."""
        return {
            (provider, model): seconds
            for provider, slots in self._slots.items()
            for model, seconds in slots.slow.items()
        }

    def slow_down(self, provider: str, model: str, seconds: float) -> None:
        if provider in self._slots:
            self._slots[provider].slow_down(model, seconds)
