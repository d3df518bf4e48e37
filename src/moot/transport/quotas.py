"""How many calls at once this process may make to each provider: all that are allowed, or its share of them.

quotas.share({"openrouter": 64})        the rest is other processes'
quotas.share({})                        nobody knows at the moment: none
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from moot.transport.slots import Slots


class Use(NamedTuple):
    """Calls under way; those together with the ones that wait; and how many there may be at the moment."""

    held: int
    wanted: int
    size: int


class Quotas:
    """`limits`: by provider, for all processes together."""

    def __init__(self, limits: Mapping[str, int]) -> None:
        self.limits = limits
        self._slots: dict[str, Slots] = {}
        self._shares: Mapping[str, int] | None = None

    def add(self, provider: str, slots: Slots) -> None:
        """A provider that is called for the first time."""
        self._slots[provider] = slots
        if self._shares is not None:
            slots.resize(self._shares.get(provider, 0))

    def share(self, shares: Mapping[str, int]) -> None:
        self._shares = shares
        for provider, slots in self._slots.items():
            slots.resize(shares.get(provider, 0))

    def uses(self) -> dict[str, Use]:
        """Of every provider, called or not."""
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
