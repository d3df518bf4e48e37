"""A process's place in the fleet: it says once a second that it is there, and takes leave at the end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from typing import Literal

from moot.fleet import queries
from moot.fleet.peers import Peers
from moot.fleet.queries import Member
from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.store import DATABASE_ERRORS

log = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
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
    def __init__(self, engine: Engine, kind: Kind, address: str | None) -> None:
        self._engine = engine
        self._kind = kind
        self._address = address
        self._started = now_ms()

    async def keep(self) -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            await self.beat()

    async def beat(self) -> None:
        now, settings = now_ms(), self._engine.settings
        until = now + int(settings.lease_seconds * 1000)
        member = Member(
            owner=self._engine.owner,
            kind=self._kind,
            address=self._address,
            version=version("moot"),
            runs_at_once=0 if self._kind == "door" else settings.runs_at_once,
            started_at=self._started,
            alive_until=until,
        )
        try:
            await self._engine.store.change(lambda db: queries.beat(db, member, now))
        except DATABASE_ERRORS as error:
            log.debug("the fleet could not be told that this process is there: %s", error)
