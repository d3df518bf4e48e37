"""A process's place in the fleet: it says once a second that it is there, and takes leave at the end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from typing import Literal

from moot.fleet import queries, shares
from moot.fleet.peers import Peers
from moot.fleet.queries import Member
from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.kernel.process_id import is_dead
from moot.store import DATABASE_ERRORS
from moot.transport.by_prefix import ByPrefix
from moot.transport.quotas import Quotas

log = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
SHORTEST_BEAT_SECONDS = 0.05
Kind = Literal["door", "worker", "both"]


@asynccontextmanager
async def membership(engine: Engine, kind: Kind, address: str | None) -> AsyncIterator[None]:
    """Inside, other processes find this one, and it finds them; where the database is not shared, nothing."""
    if not engine.store.is_shared:
        yield
        return
    secret = engine.settings.fleet_secret
    peers = None if secret is None else Peers(engine.store, secret.get_secret_value())
    engine.elsewhere = peers
    place = _Place(engine, kind, address)
    await place.beat()
    with suppress(*DATABASE_ERRORS):
        await engine.store.change(lambda db: queries.forget(db, now_ms()))
    beating = asyncio.create_task(place.keep())
    try:
        yield
    finally:
        beating.cancel()
        await asyncio.wait([beating])
        with suppress(*DATABASE_ERRORS):
            await engine.store.change(lambda db: queries.leave(db, engine.owner))
        if peers is not None:
            engine.elsewhere = None
            await peers.aclose()


class _Place:
    """What is told and renewed at every beat."""

    def __init__(self, engine: Engine, kind: Kind, address: str | None) -> None:
        transport = engine.transport
        self._quotas = transport.quotas if isinstance(transport, ByPrefix) and kind != "door" else None
        self._lapse: asyncio.TimerHandle | None = None
        self._engine = engine
        self._kind = kind
        self._address = address
        self._started = now_ms()
        self._version = version("moot")  # it is read from a file

    async def keep(self) -> None:
        while True:
            await self._pause()
            await self.beat()

    async def _pause(self) -> None:
        """Until the next beat, which comes early where a person's first call waits for a share."""
        await asyncio.sleep(SHORTEST_BEAT_SECONDS)
        if self._quotas is None:
            await asyncio.sleep(BEAT_SECONDS - SHORTEST_BEAT_SECONDS)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(BEAT_SECONDS - SHORTEST_BEAT_SECONDS):
                await self._quotas.starved.wait()
        self._quotas.starved.clear()

    async def beat(self) -> None:
        now, settings = now_ms(), self._engine.settings
        until = now + int(settings.lease_seconds * 1000)
        member = Member(
            owner=self._engine.owner,
            kind=self._kind,
            address=self._address,
            version=self._version,
            runs_at_once=0 if self._kind == "door" else settings.runs_at_once,
            started_at=self._started,
            alive_until=until,
        )
        try:
            await self._engine.store.change(lambda db: queries.beat(db, member))
            if self._quotas is not None:
                await self._renew(self._quotas)
        except DATABASE_ERRORS as error:
            log.debug("this process could not be registered with the fleet", exc_info=error)

    async def _renew(self, quotas: Quotas) -> None:
        """Where this fails again and again, the shares lapse: here first, for our clock began earlier."""
        began, owner = asyncio.get_running_loop().time(), self._engine.owner
        limits, uses, slow = quotas.limits, quotas.uses(), quotas.slow()
        seconds = self._engine.settings.lease_seconds  # who is silent for so long loses its runs, too
        granted, pauses = await self._engine.store.change(
            lambda db: (
                shares.renew(db, owner, limits, uses, is_dead, seconds),
                shares.exchange_pauses(db, slow),
            )
        )
        if self._lapse is not None:
            self._lapse.cancel()
        loop = asyncio.get_running_loop()
        self._lapse = loop.call_at(began + seconds, quotas.share, {})
        quotas.share(granted if loop.time() < began + seconds else {})
        for (provider, model), seconds in pauses.items():
            quotas.slow_down(provider, model, seconds)
