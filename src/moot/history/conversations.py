"""A person's conversations: listed, searched, found by how their id begins, renamed, deleted."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import Connection

from moot.history import queries
from moot.history.erased import conversation_of, erased_conversations
from moot.history.queries import Standing
from moot.history.runs import find_run, only
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, NotFound
from moot.store import conversations, runs
from moot.store.conversations import Conversation
from moot.store.paging import Page, cursor_of, place_of


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """A conversation with how it stands."""

    conversation: Conversation
    standing: Standing


async def list_conversations(
    engine: Engine,
    user: str,
    *,
    limit: int = 50,
    cursor: str | None = None,
    mode: str | None = None,
    search: str | None = None,
) -> Page[ListedConversation]:
    """Those most lately added to first; with `search`, those that mention the words. What failed or was
    stopped is among them, even where nothing but its run is left."""

    def read(db: Connection) -> Page[ListedConversation]:
        kept = conversations.conversations(db, user, limit=limit, cursor=cursor, mode=mode, search=search)
        erased = erased_conversations(
            db,
            user,
            limit=limit + 1,
            before=place_of(cursor) if cursor is not None else None,
            since=kept.items[-1].updated_at if kept.next_cursor else None,
            mode=mode,
            search=search or "",
        )
        both = sorted([*kept.items, *erased], key=lambda one: (one.updated_at, one.id), reverse=True)
        standings = queries.standings(db, user, [one.id for one in both[:limit]])
        items = [ListedConversation(one, standings[one.id]) for one in both[:limit] if one.id in standings]
        is_last = kept.next_cursor is None and len(both) <= limit
        return Page(items, None if is_last else cursor_of(both[limit - 1].updated_at, both[limit - 1].id))

    return await engine.store.read(read)


async def read_conversation(engine: Engine, user: str, id: str) -> ListedConversation:
    """Raises NotFound."""

    def read(db: Connection) -> ListedConversation | None:
        conversation = conversations.conversation(db, user, id)
        standing = queries.standings(db, user, [id]).get(id)
        if standing is None:
            return None
        if conversation is None:
            run = runs.run(db, standing.run_id, user_id=user)
            conversation = conversation_of(run) if run is not None else None
        return ListedConversation(conversation, standing) if conversation is not None else None

    listed = await engine.store.read(read)
    if listed is None:
        raise no_conversation(id)
    return listed


async def find_conversation(engine: Engine, user: str, prefix: str) -> Conversation:
    """The conversation whose id begins so, or to which the run belongs whose id does. Raises NotFound, or
    Rejected if there are several."""
    ids = await engine.store.read(lambda db: queries.conversation_ids(db, user, prefix))
    if ids:
        return (await read_conversation(engine, user, only(ids, "conversation", prefix))).conversation
    try:
        run = await find_run(engine, user, prefix)
    except NotFound:
        raise no_conversation(prefix) from None
    return (await read_conversation(engine, user, run.conversation_id)).conversation


async def rename_conversation(engine: Engine, user: str, id: str, title: str) -> ListedConversation:
    """Raises NotFound, also where nothing but a run is left: that has no title of its own."""
    if not await engine.store.change(lambda db: conversations.rename(db, user, id, title)):
        raise no_conversation(id)
    return await read_conversation(engine, user, id)


async def delete_conversation(engine: Engine, user: str, id: str) -> None:
    """Delete a conversation with all its runs; those in progress are stopped. Raises NotFound."""
    for run in await engine.store.read(lambda db: runs.runs_of_conversation(db, user, id)):
        if run.status == "running":
            with suppress(Conflict):  # it may have ended meanwhile
                await engine.cancel(run.id, user=user)
    if not await engine.store.change(lambda db: conversations.delete_conversation(db, user, id)):
        raise no_conversation(id)


def no_conversation(id: str) -> NotFound:
    return NotFound(f"There is no conversation {id}")
