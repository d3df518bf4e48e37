"""A person's conversations: listed, searched, found by how their id begins, renamed, deleted."""

from __future__ import annotations

from contextlib import suppress

from moot.history import queries
from moot.history.runs import find_run, only
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, NotFound
from moot.store import conversations, runs
from moot.store.conversations import Conversation
from moot.store.paging import Page


async def list_conversations(
    engine: Engine,
    user: str,
    *,
    limit: int = 50,
    cursor: str | None = None,
    mode: str | None = None,
    search: str | None = None,
) -> Page[Conversation]:
    """Those most lately added to first; with `search`, those that mention the words."""
    return await engine.store.read(
        lambda db: conversations.conversations(db, user, limit=limit, cursor=cursor, mode=mode, search=search)
    )


async def read_conversation(engine: Engine, user: str, id: str) -> Conversation:
    """Raises NotFound."""
    conversation = await engine.store.read(lambda db: conversations.conversation(db, user, id))
    if conversation is None:
        raise no_conversation(id)
    return conversation


async def find_conversation(engine: Engine, user: str, prefix: str) -> Conversation:
    """The conversation whose id begins so, or to which the run belongs whose id does. Raises NotFound, or
    Rejected if there are several."""
    ids = await engine.store.read(lambda db: queries.conversation_ids(db, user, prefix))
    if ids:
        return await read_conversation(engine, user, only(ids, "conversation", prefix))
    try:
        run = await find_run(engine, user, prefix)
        return await read_conversation(engine, user, run.conversation_id)
    except NotFound:  # neither, or a run whose conversation went with its error
        raise no_conversation(prefix) from None


async def rename_conversation(engine: Engine, user: str, id: str, title: str) -> Conversation:
    """Raises NotFound."""
    await engine.store.change(lambda db: conversations.rename(db, user, id, title))
    return await read_conversation(engine, user, id)


async def delete_conversation(engine: Engine, user: str, id: str) -> None:
    """Cancel what runs in a conversation, then remove it with all its runs. Raises NotFound."""
    for run in await engine.store.read(lambda db: runs.runs_of_conversation(db, user, id)):
        if run.status == "running":
            with suppress(Conflict):  # it may have ended meanwhile
                await engine.cancel(run.id, user=user)
    if not await engine.store.change(lambda db: conversations.delete_conversation(db, user, id)):
        raise no_conversation(id)


def no_conversation(id: str) -> NotFound:
    return NotFound(f"There is no conversation {id}")
