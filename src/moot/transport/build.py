"""The way to every model, stacked: who is asked, again if need be, so many at once, over HTTP.

ByPrefix ─▶ Retrying ─▶ Limited ─▶ Client      once per provider
    └─────▶ the simulator
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moot.settings import Settings
from moot.settings.providers import Provider
from moot.transport import Transport
from moot.transport.by_prefix import ByPrefix
from moot.transport.limited import LimitedTransport
from moot.transport.quotas import Quotas
from moot.transport.retrying import RetryingTransport
from moot.transport.slots import Slots

if TYPE_CHECKING:
    from moot.transport.connections import Connections


def transport_for(settings: Settings, simulator: Transport | None = None) -> ByPrefix:
    """The transport of a process: make it once, share it, `aclose()` it at the end."""
    providers = settings.known_providers()
    configured = {name: one.concurrency for name, one in providers.items() if one.missing is None}
    network = Network(settings, Quotas({**configured, **settings.model_limits}))
    return ByPrefix(providers, network, simulator)


class Network:
    """Makes the transports that share a pool of connections: one for what the settings name, one for what
    people name, in which every address is looked at.

    The HTTP library is imported with the first of them: a process that only talks to the simulator,
    or prints its help, does without.
    """

    def __init__(self, settings: Settings, quotas: Quotas) -> None:
        self._settings = settings
        self.quotas = quotas
        self._pools: dict[bool, Connections] = {}
        self._model_limits = settings.model_limits
        self._own: dict[str, Slots] = {}

    def transport_to(self, provider: Provider) -> Transport:
        from moot.transport.client import Client
        from moot.transport.connections import Connections
        from moot.transport.dialects import dialect_of

        pool = self._pools.get(provider.public_only)
        if pool is None:
            pool = Connections(self._settings.connect_seconds, public_only=provider.public_only)
            self._pools[provider.public_only] = pool
        client = Client(provider, dialect_of(provider), pool)
        limited = LimitedTransport(client, provider.concurrency, provider.title, own_slots=self._own_slots)
        self.quotas.add(provider.quota, limited.slots, provider.concurrency)
        return RetryingTransport(
            limited,
            attempts=self._settings.attempts,
            longest_wait=self._settings.retry_wait_seconds,
        )

    def _own_slots(self, model: str) -> Slots | None:
        most = self._model_limits.get(model)
        if most is not None and model not in self._own:
            self._own[model] = Slots(most, lambda _: False, share=float("inf"))
            self.quotas.add(model, self._own[model], most)
        return self._own.get(model)

    async def aclose(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()
