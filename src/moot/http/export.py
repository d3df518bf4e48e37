"""A conversation as a file to take away."""

from __future__ import annotations

import asyncio
from typing import Literal

from fastapi import APIRouter, Response

from moot.history.export import attachment, document, markdown
from moot.history.views import read_transcript
from moot.http.dependencies import REFUSALS, OneEngine, User

router = APIRouter(tags=["conversations"], responses=REFUSALS)


@router.get("/api/conversations/{conversation_id}/export", response_class=Response)
async def export_conversation(
    conversation_id: str, engine: OneEngine, user: User, format: Literal["markdown", "json"] = "markdown"
) -> Response:
    """Export a conversation: Markdown to read, or JSON with every call and event."""
    transcript = await read_transcript(engine, conversation_id, user, calls=True)
    title = transcript.conversation.title
    # A conversation may hold megabytes, and others are waiting for their events.
    if format == "json":
        content = await asyncio.to_thread(document, transcript)
        headers = {"content-disposition": attachment(title, "json")}
        return Response(content, headers=headers, media_type="application/json")
    text = await asyncio.to_thread(markdown, transcript)
    headers = {"content-disposition": attachment(title, "md")}
    return Response(text, headers=headers, media_type="text/markdown")
