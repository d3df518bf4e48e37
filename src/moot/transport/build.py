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

if TYPE_CHECKING:
    from moot.transport.connections import Connections


def transport_for(settings: Settings, simulator: Transport | None = None) -> ByPrefix:
    """The transport of a process: make it once, share it, `aclose()` it at the end."""
    providers = settings.known_providers()
    configured = {name: one.concurrency for name, one in providers.items() if one.missing is None}
    network = Network(settings, Quotas(configured))
    return ByPrefix(providers, network.transport_to, simulator, network.aclose, network.quotas)


class Network:
    """Makes the transports that share one pool of connections.

    The HTTP library is imported with the first of them: a process that only talks to the simulator,
    or prints its help, does without.
    """

    def __init__(self, settings: Settings, quotas: Quotas) -> None:
        self._settings = settings
        self.quotas = quotas
        self._connections: Connections | None = None

    def transport_to(self, provider: Provider) -> Transport:
        from moot.transport.client import Client
        from moot.transport.connections import Connections
        from moot.transport.dialects import dialect_of

        if self._connections is None:
            self._connections = Connections(self._settings.connect_seconds)
        client = Client(provider, dialect_of(provider), self._connections)
        limited = LimitedTransport(client, provider.concurrency, provider.title)
        self.quotas.add(provider.name, limited.slots)
        return RetryingTransport(
            limited,
            attempts=self._settings.attempts,
            longest_wait=self._settings.retry_wait_seconds,
        )

    async def aclose(self) -> None:
        if self._connections is not None:
            await self._connections.aclose()
