"""Runs that ended before there was anything to keep: they are read from the run itself.

Such a run leaves no conversation and no messages behind, as if it had never been asked. People still want to
find it in their history, with how it ended and a way to retry it.
"""

from __future__ import annotations

from sqlalchemy import Connection, select, tuple_

from moot.kernel.status import WITHOUT_ANSWER
from moot.kernel.title import trimmed
from moot.store import RunRecord, tables
from moot.store.conversations import Conversation, StoredMessage


def erased_conversations(
    connection: Connection,
    user_id: str,
    *,
    limit: int,
    before: tuple[int, str] | None = None,
    since: int | None = None,
    mode: str | None = None,
    search: str = "",
) -> list[Conversation]:
    """Conversations of which only runs are left, each as its newest run tells it; the latest first."""
    r, newer = tables.runs.c, tables.runs.alias("newer")
    kept = select(tables.conversations.c.id).where(tables.conversations.c.id == r.conversation_id)
    later = select(newer.c.id).where(
        newer.c.conversation_id == r.conversation_id,
        tuple_(newer.c.started_at, newer.c.id) > tuple_(r.started_at, r.id),
    )
    query = select(r.conversation_id, r.question, r.mode, r.started_at).where(
        r.user_id == user_id, r.status.in_(WITHOUT_ANSWER), ~kept.exists(), ~later.exists()
    )
    if before is not None:
        query = query.where(tuple_(r.started_at, r.conversation_id) < before)
    if since is not None:
        query = query.where(r.started_at >= since)
    if mode is not None:
        query = query.where(r.mode == mode)
    for word in search.replace("\x00", " ").split():
        query = query.where(r.question.icontains(word, autoescape=True))
    query = query.order_by(r.started_at.desc(), r.conversation_id.desc()).limit(limit)
    return [
        Conversation(id, user_id, trimmed(question), mode, at, at)
        for id, question, mode, at in connection.execute(query)
    ]


def conversation_of(run: RunRecord) -> Conversation:
    """The conversation that went with a run."""
    title = trimmed(run.question)
    return Conversation(run.conversation_id, run.user_id, title, run.mode, run.started_at, run.started_at)


def messages_of(run: RunRecord) -> tuple[StoredMessage, StoredMessage]:
    """The question and the answer that never came."""
    place, at = run.conversation_id, run.started_at
    return (
        StoredMessage(run.user_message_id, place, "user", run.question, "complete", None, at),
        StoredMessage(run.message_id, place, "assistant", "", run.status, run.error, at),
    )
