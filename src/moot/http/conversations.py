"""Conversations: list and search, read, rename, delete."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import StringConstraints

from moot.history.views import ConversationSummary, ConversationView, read_transcript
from moot.http.dependencies import REFUSALS, Cursor, Limit, OneEngine, User, body_of
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, NotFound
from moot.kernel.request import read_body
from moot.kernel.values import Wire
from moot.store import conversations, runs

router = APIRouter(tags=["conversations"], responses=REFUSALS)


class ConversationPage(Wire):
    """`next_cursor` is null on the last page."""

    conversations: list[ConversationSummary]
    next_cursor: str | None


class Rename(Wire):
    title: Annotated[
        str,
        StringConstraints(
            strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$"
        ),
    ]


@router.get("/api/conversations")
async def list_conversations(
    engine: OneEngine,
    user: User,
    limit: Limit = 50,
    cursor: Cursor = None,
    mode: str | None = None,
    search: Annotated[
        str | None, Query(max_length=500, description="Words that the title or one message must have.")
    ] = None,
) -> ConversationPage:
    """List conversations, those most lately added to first; with `search`, those that mention the words."""
    page = await engine.store.read(
        lambda db: conversations.conversations(db, user, limit=limit, cursor=cursor, mode=mode, search=search)
    )
    return ConversationPage(
        conversations=[ConversationSummary.of(one) for one in page.items], next_cursor=page.next_cursor
    )


@router.get("/api/conversations/{conversation_id}")
async def read_conversation(conversation_id: str, engine: OneEngine, user: User) -> ConversationView:
    """Read every message, the assistant's with the whole result of its newest run."""
    return ConversationView.of_transcript(await read_transcript(engine, conversation_id, user))


@router.patch("/api/conversations/{conversation_id}", openapi_extra=body_of(Rename))
async def rename_conversation(
    conversation_id: str, request: Request, engine: OneEngine, user: User
) -> ConversationSummary:
    """Give a conversation another title."""
    title = read_body(Rename, await request.body()).title
    await engine.store.change(lambda db: conversations.rename(db, user, conversation_id, title))
    found = await engine.store.read(lambda db: conversations.conversation(db, user, conversation_id))
    if found is None:
        raise NotFound(f"There is no conversation {conversation_id}")
    return ConversationSummary.of(found)


@router.delete("/api/conversations/{conversation_id}", status_code=204)
async def delete_conversation(conversation_id: str, engine: OneEngine, user: User) -> Response:
    """Cancel what runs in a conversation, then remove it with all its runs."""
    for record in await engine.store.read(lambda db: runs.runs_of_conversation(db, user, conversation_id)):
        if record.status == "running":
            await _cancel(engine, record.id, user)
    removed = await engine.store.change(
        lambda db: conversations.delete_conversation(db, user, conversation_id)
    )
    if not removed:
        raise NotFound(f"There is no conversation {conversation_id}")
    return Response(status_code=204)


async def _cancel(engine: Engine, run_id: str, user: str) -> None:
    with suppress(Conflict):  # it may have ended meanwhile
        await engine.cancel(run_id, user=user)
