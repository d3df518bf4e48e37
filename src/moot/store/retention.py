"""What is deleted because it is old, or because its person is: a few conversations at a time, so that nobody
who asks something meanwhile has to wait.

    ids = await store.read(lambda db: outdated_conversations(db, before, BATCH))
    await store.change(lambda db: delete_outdated(db, ids, before, now_ms()))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, exists, func, select, text, union

from moot.store.conversations import delete_conversation
from moot.store.personal import forget
from moot.store.tables import batches, conversations, deletions, runs
from moot.store.upsert import insert_new

BATCH = 20
"""Conversations in one transaction."""
ONE_AT_A_TIME = text("SELECT pg_try_advisory_xact_lock(7163298540)")


def outdated_conversations(connection: Connection, before: int, most: int) -> list[tuple[str, str]]:
    """Persons and ids of conversations that nobody has added to since, and of which nothing goes on; with
    those of which only runs are left."""
    c, r = conversations.c, runs.c
    goes_on = exists().where(r.conversation_id == c.id, r.status == "running")
    kept = select(c.user_id, c.id).where(c.updated_at < before, ~goes_on)
    other = runs.alias("other")
    shown = exists().where(c.id == r.conversation_id)
    newer = exists().where(
        other.c.conversation_id == r.conversation_id,
        (other.c.status == "running") | (other.c.started_at >= before),
    )
    erased = select(r.user_id, r.conversation_id).where(r.started_at < before, ~shown, ~newer)
    return _pairs(connection, union(kept, erased).limit(most))


def delete_outdated(connection: Connection, found: Sequence[tuple[str, str]], before: int, now: int) -> int:
    """Delete those of them that are still outdated; how many. None while another process is at it."""
    if connection.dialect.name == "postgresql" and not connection.execute(ONE_AT_A_TIME).scalar_one():
        return 0
    r = runs.c
    deleted = 0
    for user_id, id in found:
        touched = select(conversations.c.id).where(
            conversations.c.id == id, conversations.c.updated_at >= before
        )
        begun = select(r.id).where(
            r.conversation_id == id, (r.status == "running") | (r.started_at >= before)
        )
        if connection.execute(touched).first() is None and connection.execute(begun).first() is None:
            deleted += delete_conversation(connection, user_id, id)
    return deleted


def delete_outdated_batches(connection: Connection, before: int) -> int:
    """Delete batches that ended before, with their questions; how many."""
    c = batches.c
    outdated = select(c.id).where(c.status != "running", func.coalesce(c.finished_at, c.created_at) < before)
    return connection.execute(delete(batches).where(c.id.in_(outdated.limit(BATCH)))).rowcount


def conversations_of(connection: Connection, user_id: str, most: int, *, after: str = "") -> list[str]:
    """Ids of a person's conversations, in order, with those of which only runs are left."""
    c, r = conversations.c, runs.c
    query = union(
        select(c.id.label("id")).where(c.user_id == user_id, c.id > after),
        select(r.conversation_id).where(r.user_id == user_id, r.conversation_id > after),
    )
    return list(connection.scalars(query.order_by("id").limit(most)))


def delete_conversations_of(connection: Connection, user_id: str, most: int) -> int:
    """Delete some of a person's conversations; how many there were to delete."""
    found = conversations_of(connection, user_id, most)
    for id in found:
        delete_conversation(connection, user_id, id)
    return len(found)


def running_runs_of(connection: Connection, user_id: str) -> list[str]:
    query = select(runs.c.id).where(runs.c.user_id == user_id, runs.c.status == "running")
    return list(connection.scalars(query))


def request_deletion(connection: Connection, user_id: str, now: int) -> None:
    """From here on, whoever looks after this database deletes what is this person's."""
    insert_new(connection, deletions, {"user_id": user_id, "requested_at": now})


def requested_deletions(connection: Connection) -> list[tuple[str, int]]:
    return _pairs(connection, select(deletions.c.user_id, deletions.c.requested_at))


def finish_deletion(connection: Connection, user_id: str, *, forever: bool) -> None:
    """All that was not a conversation goes. Unless it is `forever`, it is looked for again: somebody may have
    been asking at the very moment."""
    request = select(deletions.c.requested_at).where(deletions.c.user_id == user_id)
    requested_at = connection.scalar(request)
    forget(connection, user_id)
    if requested_at is not None and not forever:
        connection.execute(deletions.insert(), {"user_id": user_id, "requested_at": requested_at})


def _pairs(connection: Connection, query: Any) -> list[tuple[Any, Any]]:
    return [(first, second) for first, second in connection.execute(query)]
