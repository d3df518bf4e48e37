"""The way to whoever works on a run: its live frames, and a word that it should stop.

Whatever goes wrong on the way is no error: what is stored tells the same story, only later.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from moot.fleet import proof, wire
from moot.fleet.queries import address_of_owner
from moot.kernel.clock import monotonic, now_ms
from moot.kernel.followers import TERMINAL, Frame
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
        self._shunned: dict[str, float] = {}

    async def follow(self, run_id: str, after: int, tokens: bool) -> AsyncGenerator[list[Frame], None]:
        """Batches from the process that works on the run until it ends there; an empty one is a sign of life.
        None at all if nobody can be reached."""
        import aiohttp

        target = f"/runs/{run_id}/events?after={after}&tokens={int(tokens)}"
        address = await self._address(run_id)
        if address is None:
            return
        reading = wire.Reading()
        try:
            async with self._asked("GET", address, target) as response:
                async for data in response.content.iter_any():
                    frames = reading.feed(data)
                    yield frames
                    if frames and frames[-1].type in TERMINAL:
                        return
        except (aiohttp.ClientError, OSError, ValueError):  # too late is an OSError
            self._shunned[address] = monotonic() + SHUN_SECONDS

    async def cancel(self, run_id: str) -> None:
        """Have a run stopped, and wait until it has; if that cannot be said, its owner finds it stored."""
        import aiohttp

        address = await self._address(run_id)
        if address is None:
            return
        try:
            async with self._asked("POST", address, f"/runs/{run_id}/cancel") as response:
                await response.read()
        except (aiohttp.ClientError, OSError):
            self._shunned[address] = monotonic() + SHUN_SECONDS

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _address(self, run_id: str) -> str | None:
        try:
            address = await self._store.read(lambda db: address_of_owner(db, run_id, now_ms()))
        except DATABASE_ERRORS:
            return None
        return None if address is None or self._shunned.get(address, 0) > monotonic() else address

    @asynccontextmanager
    async def _asked(self, method: str, address: str, target: str) -> AsyncIterator[aiohttp.ClientResponse]:
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
        async with self._session.request(
            method, f"{address}{target}", headers={"Authorization": header}, allow_redirects=False
        ) as response:
            answered = response.headers.get("moot-proof", "")
            if response.status != 200 or not proof.is_answer(self._secret, nonce, answered):
                raise aiohttp.ClientConnectionError("It is not one of ours, or has nothing to tell.")
            yield response
