"""Delivery: what is due is sent, at least once, until it is taken or has been refused too often.

Any process of the fleet that works on runs delivers; a lease keeps two from sending the same thing at once.
A process that dies while it sends leaves a lease that runs out, and another sends it again under the same id.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import aiohttp

from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.store import DATABASE_ERRORS, runs, webhooks
from moot.store.webhooks import DELIVERED, GIVEN_UP, WAITING, StoredDelivery
from moot.transport.public_addresses import PrivateAddress, public_connector
from moot.webhooks.message import run_ended
from moot.webhooks.signature import person_secret, signed_headers, webhook_secret

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
SEND_SECONDS = 15.0
LEASE_MS = 30_000
"""Longer than sending takes, with what comes before and after it."""
AT_ONCE = 32
AT_ONCE_TO_A_HOST = 4
WAITS = (5, 30, 120, 600, 1800, 3600, 7200, 14400, 28800)
"""Seconds between attempts: ten of them in sixteen hours."""
KEPT_MS = 7 * 24 * 60 * 60 * 1000
PURGE_SECONDS = 3600.0


class NotTaken(Exception):
    """The receiver did not take it. `final`: it never will."""

    def __init__(self, reason: str, *, final: bool = False) -> None:
        super().__init__(reason)
        self.final = final


@asynccontextmanager
async def delivering(engine: Engine) -> AsyncIterator[None]:
    """Inside, this process delivers what is due."""
    async with sender(engine) as send:
        work = asyncio.create_task(Deliverer(engine, send).work())
        try:
            yield
        finally:
            work.cancel()
            await asyncio.wait([work])


class Sender:
    """Sends to addresses that others have named: to public ones alone unless the server's owner allows
    others, following no redirect, within a few seconds, reading nothing but the status."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def send(self, url: str, secret: str, id: str, body: bytes) -> None:
        """Raises NotTaken."""
        headers = signed_headers(secret, id, now_ms() // 1000, body)
        try:
            async with self._session.post(url, data=body, headers=headers, allow_redirects=False) as answer:
                status = answer.status
        except aiohttp.InvalidURL:
            raise NotTaken("Its address cannot be used.", final=True) from None
        except aiohttp.ClientConnectorError as error:
            if isinstance(error.os_error, PrivateAddress):
                raise NotTaken("Its address is not public.", final=True) from None
            raise NotTaken("It could not be reached.") from None
        except TimeoutError:
            raise NotTaken(f"It did not answer within {SEND_SECONDS:g} s.") from None
        except (aiohttp.ClientError, OSError, ValueError):
            raise NotTaken("It could not be reached.") from None
        if not 200 <= status < 300:
            raise NotTaken(f"It answered {status}.", final=status == 410)


@asynccontextmanager
async def sender(engine: Engine) -> AsyncIterator[Sender]:
    options: dict[str, Any] = {"limit": 0, "force_close": True}
    private = engine.settings.allows_private_webhooks
    connector = aiohttp.TCPConnector(**options) if private else public_connector(**options)
    headers = {"content-type": "application/json", "user-agent": "moot-webhooks"}
    timeout = aiohttp.ClientTimeout(total=SEND_SECONDS)
    # No cookies, and no proxy from the environment: it would be connected to instead of the address.
    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(
        connector=connector, headers=headers, timeout=timeout, cookie_jar=jar, trust_env=False
    ) as session:
        yield Sender(session)


class Deliverer:
    def __init__(self, engine: Engine, sender: Sender) -> None:
        self._engine = engine
        self._sender = sender
        self._sending: dict[asyncio.Task[None], str] = {}

    async def work(self) -> None:
        purged = 0.0
        try:
            while True:
                await _carefully(self._take())
                if now_ms() - purged >= PURGE_SECONDS * 1000:
                    purge = partial(webhooks.purge, before=now_ms() - KEPT_MS)
                    await _carefully(self._engine.store.change(purge))
                    purged = now_ms()
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            for task in self._sending:
                task.cancel()
            if self._sending:
                await asyncio.wait(self._sending)

    async def _take(self) -> None:
        store, now, room = self._engine.store, now_ms(), AT_ONCE - len(self._sending)
        if room <= 0 or not await store.read(partial(webhooks.due, now=now)):
            return
        counts = Counter(self._sending.values())
        busy = [host for host, count in counts.items() if count >= AT_ONCE_TO_A_HOST]
        most = min(room, AT_ONCE_TO_A_HOST)
        taken = await store.change(
            partial(webhooks.take, now=now, lease_until=now + LEASE_MS, most=most, busy=busy)
        )
        for delivery, status in taken:
            task = asyncio.create_task(_carefully(self._deliver(delivery, status)))
            self._sending[task] = delivery.host
            task.add_done_callback(lambda done: self._sending.pop(done, None))

    async def _deliver(self, delivery: StoredDelivery, status: str) -> None:
        store = self._engine.store
        if status not in delivery.events:
            await store.change(partial(webhooks.drop, id=delivery.id))
            return
        record = await store.read(partial(runs.run, run_id=delivery.run_id))
        if record is None:
            return  # it was deleted, and this with it
        attempt = delivery.attempts + 1
        if attempt > len(WAITS) + 1:  # whoever tried last did not live to say what came of it
            await self._put_off(delivery, attempt, "No attempt finished.", final=True)
            return
        try:
            body = await run_ended(self._engine, record, with_answer=not delivery.for_everyone)
            await self._sender.send(delivery.url, self._secret(delivery), delivery.id, body)
        except NotTaken as refusal:
            await self._put_off(delivery, attempt, str(refusal), final=refusal.final)
            return
        await store.change(partial(webhooks.settle, id=delivery.id, status=DELIVERED, now=now_ms()))

    async def _put_off(self, delivery: StoredDelivery, attempt: int, reason: str, *, final: bool) -> None:
        store, now = self._engine.store, now_ms()
        if final or attempt > len(WAITS):
            await store.change(
                partial(webhooks.settle, id=delivery.id, status=GIVEN_UP, now=now, reason=reason)
            )
            log.warning(
                "webhook delivery %s was given up after %d attempts: %s", delivery.id, attempt, reason
            )
            return
        due_at = now + int(WAITS[attempt - 1] * 1000)
        await store.change(
            partial(webhooks.settle, id=delivery.id, status=WAITING, now=now, due_at=due_at, reason=reason)
        )

    def _secret(self, delivery: StoredDelivery) -> str:
        master = self._engine.settings.webhook_secret
        assert master is not None
        if delivery.webhook_id is None:
            return person_secret(master, delivery.user_id)
        return webhook_secret(master, delivery.webhook_id)


async def _carefully(work: Coroutine[Any, Any, None]) -> None:
    """Whatever happens to one, the others are delivered; what was taken is due again when its lease ends."""
    try:
        await work
    except DATABASE_ERRORS:
        pass  # which the store has said
    except Exception:
        log.exception("delivering webhooks failed; it will be tried again")
