"""Conversations: list and search, read, rename, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import StringConstraints

from moot.history import conversations as history
from moot.history.views import ConversationSummary, ConversationView, read_transcript
from moot.http.bodies import body_schema, read_body
from moot.http.dependencies import REFUSALS, Cursor, Limit, OneEngine, User
from moot.kernel.values import Wire

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
        str | None, Query(max_length=500, description="Words that the title or a message must contain.")
    ] = None,
) -> ConversationPage:
    """List conversations, latest activity first; with `search`, those that mention the words."""
    page = await history.list_conversations(
        engine, user, limit=limit, cursor=cursor, mode=mode, search=search
    )
    return ConversationPage(
        conversations=[ConversationSummary.of(one) for one in page.items], next_cursor=page.next_cursor
    )


@router.get("/api/conversations/{conversation_id}")
async def read_conversation(conversation_id: str, engine: OneEngine, user: User) -> ConversationView:
    """Read every message; an answer comes with the whole result of its newest run."""
    return ConversationView.of_transcript(await read_transcript(engine, conversation_id, user))


@router.patch("/api/conversations/{conversation_id}", openapi_extra=body_schema(Rename))
async def rename_conversation(
    conversation_id: str, request: Request, engine: OneEngine, user: User
) -> ConversationSummary:
    """Rename a conversation."""
    title = (await read_body(request, Rename)).title
    return ConversationSummary.of(await history.rename_conversation(engine, user, conversation_id, title))


@router.delete("/api/conversations/{conversation_id}", status_code=204)
async def delete_conversation(conversation_id: str, engine: OneEngine, user: User) -> Response:
    """Delete a conversation with all its runs; those in progress are stopped."""
    await history.delete_conversation(engine, user, conversation_id)
    return Response(status_code=204)
