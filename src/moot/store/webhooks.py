"""What is kept of webhooks: where each goes, and what is still to be delivered.

A delivery is stored with the run it will tell of, in the transaction that begins it. It is due as soon as
that run has ended: whatever ends it, in whichever process, nothing more has to be written for that.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, and_, delete, insert, or_, select, update

from moot.store.tables import runs, webhook_deliveries, webhooks

WAITING, DELIVERED, GIVEN_UP = "waiting", "delivered", "given_up"


@dataclass(frozen=True, slots=True)
class StoredWebhook:
    """`user_id` is None if it is told of everybody's runs. `events`: the statuses it wants to hear of."""

    id: str
    user_id: str | None
    url: str
    events: tuple[str, ...]
    created_at: int


@dataclass(frozen=True, slots=True)
class StoredDelivery:
    """`webhook_id` is None if the run's own request named the address. `due_at`: not before. `reason`: why
    the last attempt failed."""

    id: str
    webhook_id: str | None
    run_id: str
    user_id: str
    for_everyone: bool
    url: str
    host: str
    events: tuple[str, ...]
    created_at: int
    status: str
    attempts: int
    due_at: int
    reason: str | None
    ended_at: int | None


def webhooks_of(connection: Connection, user_id: str | None) -> list[StoredWebhook]:
    """Those of one person; with None, those that are told of everybody's runs."""
    query = select(webhooks).where(
        webhooks.c.user_id.is_(None) if user_id is None else webhooks.c.user_id == user_id
    )
    return _webhooks(connection, query)


def webhooks_for(connection: Connection, user_id: str) -> list[StoredWebhook]:
    """All that are told of this person's runs."""
    query = select(webhooks).where(or_(webhooks.c.user_id == user_id, webhooks.c.user_id.is_(None)))
    return _webhooks(connection, query)


def _webhooks(connection: Connection, query: Select[Any]) -> list[StoredWebhook]:
    found = connection.execute(query.order_by(webhooks.c.created_at, webhooks.c.id))
    return [
        StoredWebhook(row.id, row.user_id, row.url, tuple(row.events.split(",")), row.created_at)
        for row in found
    ]


def add_webhook(connection: Connection, one: StoredWebhook, most: int) -> bool:
    """Whether there was room for it."""
    if len(webhooks_of(connection, one.user_id)) >= most:
        return False
    values = {"id": one.id, "user_id": one.user_id, "url": one.url, "created_at": one.created_at}
    connection.execute(insert(webhooks).values(**values, events=",".join(one.events)))
    return True


def remove_webhook(connection: Connection, user_id: str | None, id: str) -> bool:
    """Whether it was there. What it was still to be told goes with it."""
    whose = webhooks.c.user_id.is_(None) if user_id is None else webhooks.c.user_id == user_id
    return connection.execute(delete(webhooks).where(webhooks.c.id == id, whose)).rowcount > 0


def due(connection: Connection, now: int) -> bool:
    """Whether anything is to be delivered now."""
    query = select(webhook_deliveries.c.id).select_from(_ENDED).where(_is_due(now)).limit(1)
    return connection.execute(query).first() is not None


def take(
    connection: Connection, now: int, lease_until: int, most: int, busy: Collection[str]
) -> list[tuple[StoredDelivery, str]]:
    """Deliveries that are due, with the status of their runs; for so long nobody else is given them. Not to
    hosts that are `busy`, so that a slow one does not hold up others."""
    c = webhook_deliveries.c
    query = (
        select(webhook_deliveries, runs.c.status.label("run_status"))
        .select_from(_ENDED)
        .where(_is_due(now), c.host.not_in(busy))
        .order_by(c.due_at, c.id)
        .limit(most)
        .with_for_update(of=webhook_deliveries, skip_locked=True)
    )
    taken = [(_delivery(row), str(row.run_status)) for row in connection.execute(query)]
    ids = [delivery.id for delivery, _ in taken]
    leased = {"lease_until": lease_until, "attempts": c.attempts + 1}
    connection.execute(update(webhook_deliveries).where(c.id.in_(ids)).values(**leased))
    return taken


def settle(
    connection: Connection, id: str, status: str, now: int, *, due_at: int = 0, reason: str | None = None
) -> None:
    """What came of an attempt."""
    ended = None if status == WAITING else now
    values = {"status": status, "due_at": due_at, "reason": reason, "lease_until": 0, "ended_at": ended}
    connection.execute(update(webhook_deliveries).where(webhook_deliveries.c.id == id).values(**values))


def drop(connection: Connection, id: str) -> None:
    """Nobody wanted to hear of this."""
    connection.execute(delete(webhook_deliveries).where(webhook_deliveries.c.id == id))


def purge(connection: Connection, before: int) -> None:
    """Forget what came to its end long ago."""
    c = webhook_deliveries.c
    connection.execute(delete(webhook_deliveries).where(c.status != WAITING, c.ended_at < before))


def deliveries_of(connection: Connection, user_id: str | None, limit: int) -> list[StoredDelivery]:
    """The newest first, of one person's webhooks and runs; with None, of those for everybody's."""
    c = webhook_deliveries.c
    whose = c.for_everyone if user_id is None else and_(c.user_id == user_id, ~c.for_everyone)
    query = select(webhook_deliveries).where(whose).order_by(c.created_at.desc(), c.id.desc()).limit(limit)
    return [_delivery(row) for row in connection.execute(query)]


_ENDED = webhook_deliveries.join(runs, runs.c.id == webhook_deliveries.c.run_id)


def _is_due(now: int) -> Any:
    c = webhook_deliveries.c
    return and_(c.status == WAITING, c.due_at <= now, c.lease_until <= now, runs.c.status != "running")


def _delivery(row: Any) -> StoredDelivery:
    values = {name: getattr(row, name) for name in StoredDelivery.__slots__}
    return StoredDelivery(**{**values, "events": tuple(row.events.split(","))})
