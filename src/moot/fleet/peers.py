"""The way to whoever works on a run: its live frames, and a word that it should stop.

Whatever goes wrong on the way is no error: what is stored tells the same story, only later.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from moot.fleet import proof
from moot.fleet.link import Link
from moot.fleet.queries import address_of_owner
from moot.kernel.clock import monotonic, now_ms
from moot.kernel.followers import Parcel
from moot.store import DATABASE_ERRORS, Store

if TYPE_CHECKING:
    import aiohttp

CONNECT_SECONDS = 2.0
SILENCE_SECONDS = 5.0
"""A process that says nothing for so long is not there, whatever its connection looks like: it pings."""
SHUN_SECONDS = 1.0
"""How long an address that did not answer is left alone."""


class Peers:
    """See `moot.kernel.elsewhere`. Connections are opened with the first run that is followed."""

    def __init__(self, store: Store, secret: str) -> None:
        self._store = store
        self._secret = secret
        self._session: aiohttp.ClientSession | None = None
        self._links: dict[str, Link] = {}
        self._shunned: dict[str, float] = {}

    def reaches(self, address: str) -> bool:
        return self._shunned.get(address, 0) <= monotonic()

    async def follow(
        self, address: str, run_id: str, after: int, tokens: bool, ping: float | None
    ) -> AsyncGenerator[Parcel, None]:
        """What comes from there, until the run ends or leaves. None at all if it cannot be reached."""
        stream = self._link(address).follow(run_id, after, tokens)
        async with aclosing(stream.parcels(ping)) as parcels:
            async for parcel in parcels:
                yield parcel

    async def cancel(self, run_id: str) -> None:
        """Have a run stopped, and wait until it has; if that cannot be said, its owner finds it stored."""
        import aiohttp

        address = await self._address(run_id)
        if address is None:
            return
        try:
            async with self._asked(address, f"/runs/{run_id}/cancel") as response:
                await response.read()
        except (aiohttp.ClientError, OSError):
            self._shun(address)

    async def aclose(self) -> None:
        for link in list(self._links.values()):
            await link.aclose()
        if self._session is not None:
            await self._session.close()

    def _link(self, address: str) -> Link:
        import aiohttp

        link = self._links.get(address)
        if link is None or not link.is_open:
            # Too late is an OSError, and what makes no sense a ValueError.
            errors = (aiohttp.ClientError, OSError, ValueError)
            link = Link(partial(self._asked, address, "/link"), errors, partial(self._shun, address))
            self._links = {place: one for place, one in self._links.items() if one.is_open}
            self._links[address] = link
        return link

    def _shun(self, address: str) -> None:
        self._shunned[address] = monotonic() + SHUN_SECONDS

    async def _address(self, run_id: str) -> str | None:
        try:
            address = await self._store.read(lambda db: address_of_owner(db, run_id, now_ms()))
        except DATABASE_ERRORS:
            return None
        return address if address is not None and self.reaches(address) else None

    @asynccontextmanager
    async def _asked(
        self, address: str, target: str, sent: AsyncGenerator[bytes, None] | None = None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        import aiohttp

        if self._session is None:
            limits = aiohttp.ClientTimeout(
                total=None, sock_connect=CONNECT_SECONDS, sock_read=SILENCE_SECONDS
            )
            connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=30)
            self._session = aiohttp.ClientSession(
                timeout=limits, connector=connector, cookie_jar=aiohttp.DummyCookieJar()
            )
        header, nonce = proof.sign(self._secret, target)
        given: dict[str, Any] = {"data": sent, "headers": {"Authorization": header}, "allow_redirects": False}
        async with self._session.post(f"{address}{target}", **given) as response:
            answered = response.headers.get("moot-proof", "")
            if response.status != 200 or not proof.is_answer(self._secret, nonce, answered):
                raise aiohttp.ClientConnectionError("It is not one of ours, or has nothing to tell.")
            yield response
