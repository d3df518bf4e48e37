"""A person's webhooks, and the server's: add, list, remove, try out; and what was delivered."""

from __future__ import annotations

import uuid
from functools import partial

from pydantic import Field, SecretStr

from moot.kernel.clock import iso, now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, NotFound
from moot.kernel.values import Wire
from moot.kernel.webhook_book import EVENTS, RunEvent
from moot.store import webhooks as stored
from moot.store.webhooks import StoredDelivery, StoredWebhook
from moot.webhooks.message import test_message
from moot.webhooks.signature import person_secret, webhook_secret

MOST = 10


class NewWebhook(Wire):
    url: str = Field(description="Where to send it.")
    events: list[RunEvent] = Field(
        default=list(EVENTS), min_length=1, max_length=4, description="Which endings to report."
    )


class Webhook(Wire):
    id: str
    url: str
    events: list[str]
    created_at: str

    @classmethod
    def of(cls, one: StoredWebhook) -> Webhook:
        return cls(id=one.id, url=one.url, events=list(one.events), created_at=iso(one.created_at))


class WebhookWithSecret(Webhook):
    """`secret` is shown this once."""

    secret: str


class Delivery(Wire):
    """`webhook_id` is null if the run's own request named the address. `next_attempt_at` is null when there
    is none."""

    id: str
    webhook_id: str | None
    run_id: str
    url: str
    status: str
    attempts: int
    reason: str | None
    next_attempt_at: str | None
    created_at: str

    @classmethod
    def of(cls, one: StoredDelivery) -> Delivery:
        due = iso(one.due_at) if one.status == stored.WAITING and one.due_at else None
        return cls(
            id=one.id,
            webhook_id=one.webhook_id,
            run_id=one.run_id,
            url=one.url,
            status=one.status,
            attempts=one.attempts,
            reason=one.reason,
            next_attempt_at=due,
            created_at=iso(one.created_at),
        )


class Trial(Wire):
    """The result of a test message."""

    delivered: bool
    reason: str | None


async def add_webhook(engine: Engine, user: str | None, new: NewWebhook) -> WebhookWithSecret:
    """With None for a person, one that is told of everybody's runs. Raises Rejected."""
    url = engine.webhooks.check(new.url)
    events = tuple(event for event in EVENTS if event in new.events)
    one = StoredWebhook(uuid.uuid4().hex, user, url, events, now_ms())
    if not await engine.store.change(partial(stored.add_webhook, one=one, most=MOST)):
        raise Conflict(f"There are {MOST} webhooks already: remove one first")
    engine.webhooks.forget()
    secret = webhook_secret(_server_secret(engine), one.id)
    return WebhookWithSecret(**Webhook.of(one).model_dump(by_alias=False), secret=secret)


async def list_webhooks(engine: Engine, user: str | None) -> list[Webhook]:
    return [Webhook.of(one) for one in await engine.store.read(partial(stored.webhooks_of, user_id=user))]


async def remove_webhook(engine: Engine, user: str | None, id: str) -> None:
    if not await engine.store.change(partial(stored.remove_webhook, user_id=user, id=id)):
        raise _none(id)
    engine.webhooks.forget()


async def try_webhook(engine: Engine, user: str | None, id: str) -> Trial:
    """Send it a message of the type `webhook.test`, once."""
    from moot.webhooks.delivery import NotTaken, sender  # it loads aiohttp, which a start need not wait for

    found = [one for one in await list_webhooks(engine, user) if one.id == id]
    if not found:
        raise _none(id)
    secret = webhook_secret(_server_secret(engine), id)
    async with sender(engine) as sends:
        try:
            await sends.send(found[0].url, secret, f"test.{uuid.uuid4().hex}", test_message())
        except NotTaken as refusal:
            return Trial(delivered=False, reason=str(refusal))
    return Trial(delivered=True, reason=None)


async def list_deliveries(engine: Engine, user: str | None, limit: int = 50) -> list[Delivery]:
    """The newest first."""
    found = await engine.store.read(partial(stored.deliveries_of, user_id=user, limit=limit))
    return [Delivery.of(one) for one in found]


def secret_for_requests(engine: Engine, user: str) -> str:
    """What signs the messages to addresses that this person's requests name."""
    return person_secret(_server_secret(engine), user)


def _server_secret(engine: Engine) -> SecretStr:
    secret = engine.settings.webhook_secret
    if secret is None:
        raise Conflict("This server sends no webhooks: set MOOT_WEBHOOK_SECRET first")
    return secret


def _none(id: str) -> NotFound:
    return NotFound(f"There is no webhook {id}")
