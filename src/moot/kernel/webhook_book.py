"""Who wants to hear of a person's runs, and where webhooks may go."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from moot.kernel.clock import monotonic
from moot.kernel.errors import Rejected
from moot.settings import Settings
from moot.store import NewDelivery, Store, webhooks
from moot.store.webhooks import StoredWebhook

RunEvent = Literal["complete", "degraded", "failed", "cancelled"]
EVENTS: tuple[RunEvent, ...] = ("complete", "degraded", "failed", "cancelled")
KEPT_SECONDS = 2.0
"""So soon a change counts in every process; in the one that made it, at once."""
MOST_KEPT = 10_000
LONGEST_URL = 2000


class WebhookBook:
    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._kept: dict[str, tuple[float, list[StoredWebhook]]] = {}

    async def deliveries_for(self, user: str, run_id: str, url: str | None) -> tuple[NewDelivery, ...]:
        """What is to be told of a run that begins: to its person's webhooks, the server's, and to the address
        that its request names. Where nothing can be signed there are none, and nothing is looked for."""
        if self._settings.webhook_secret is None:
            return ()
        found = [
            NewDelivery(
                f"{one.id}.{run_id}", one.id, one.user_id is None, one.url, _host(one.url), one.events
            )
            for one in await self._of(user)
        ]
        if url is not None:
            found.append(NewDelivery(f"run.{run_id}", None, False, url, _host(url), EVENTS))
        return tuple(found)

    async def _of(self, user: str) -> list[StoredWebhook]:
        until, known = self._kept.get(user, (0.0, None))
        if known is None or monotonic() >= until:
            known = await self._store.read(lambda db: webhooks.webhooks_for(db, user))
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[user] = (monotonic() + KEPT_SECONDS, known)
        return known

    def forget(self) -> None:
        """They have changed."""
        self._kept.clear()

    def check(self, url: str, path: str = "url") -> str:
        """An address that webhooks may go to. What its name leads to is looked at when it is connected to.
        Raises Rejected."""
        if self._settings.webhook_secret is None:
            raise _refused(
                path, "cannot be used: this server sends no webhooks until MOOT_WEBHOOK_SECRET is set"
            )
        try:
            parts = urlsplit(url)
            port_is_good = parts.port is None or parts.port > 0
        except ValueError:
            raise _refused(path, "must be an address such as https://example.com/hook") from None
        is_plain = url.isascii() and url.isprintable() and " " not in url and len(url) <= LONGEST_URL
        if not (is_plain and port_is_good and parts.hostname) or parts.scheme not in ("https", "http"):
            raise _refused(path, "must be an address such as https://example.com/hook")
        if parts.username or parts.password or parts.fragment:
            raise _refused(path, "must have no user, password or fragment")
        if parts.scheme == "http" and not self._settings.allows_private_webhooks:
            raise _refused(path, "must begin with https://, so that nobody can listen in")
        return url


def _host(url: str) -> str:
    return urlsplit(url).netloc.lower()


def _refused(path: str, said: str) -> Rejected:
    message = f"{path} {said}"
    return Rejected(message, ((path, message),))
