"""Many questions asked as one: send them, see how they get on, take their outcomes, stop them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from pydantic import Field
from starlette.responses import StreamingResponse

from moot.batches import collection
from moot.batches.collection import BatchView
from moot.batches.lines import checked_lines
from moot.batches.outcomes import outcomes
from moot.http.bodies import body_schema, read_body
from moot.http.dependencies import REFUSALS, Cursor, Limit, OneEngine, User
from moot.http.stream import idempotency_key
from moot.kernel.engine import Engine
from moot.kernel.values import Maybe, Wire

router = APIRouter(tags=["batches"], responses=REFUSALS)

JSON_LINES = "application/jsonl"
OUTCOMES: dict[int | str, dict[str, Any]] = {
    **REFUSALS,
    200: {
        "description": "One outcome on each line.",
        "content": {JSON_LINES: {"schema": {"type": "string"}}},
    },
}


class BatchRequest(Wire):
    """`questions`: each a text or an object as for a single run, with an `id` of your own if you like. `mode`
    and `modeConfig` are for those that name no other mode."""

    questions: list[str | dict[str, Any]] = Field(min_length=1)
    mode: Maybe[str]
    mode_config: Maybe[dict[str, Any]]
    name: Maybe[Annotated[str, Field(max_length=200)]]
    budget: Maybe[Annotated[float, Field(gt=0, description="Dollars for the whole batch.")]]
    at_once: int = Field(4, ge=1, le=500, description="How many questions are worked on at a time.")


class BatchPage(Wire):
    """`next_cursor` is null on the last page."""

    batches: list[BatchView]
    next_cursor: str | None


@router.post("/api/batches", status_code=201, openapi_extra=body_schema(BatchRequest))
async def start_batch(
    request: Request,
    engine: OneEngine,
    user: User,
    key: Annotated[str | None, Header(alias="Idempotency-Key")] = None,
) -> BatchView:
    """Ask many questions. All are checked first, then asked a few at a time, after people's own questions.
    The same key and body again give the same batch."""
    key = idempotency_key(key)
    given = await read_body(request, BatchRequest)
    defaults = {"mode": given.mode, "modeConfig": given.mode_config}
    lines = await checked_lines(
        engine,
        enumerate(given.questions, 1),
        {name: value for name, value in defaults.items() if value is not None},
        user=user,
        budget=given.budget,
        place="Question {}",
    )
    batch = await collection.create_batch(
        engine,
        user,
        lines,
        name=given.name,
        budget=given.budget,
        at_once=given.at_once,
        served=True,
        key=key,
    )
    return await collection.read_batch(engine, user, batch.id)


@router.get("/api/batches")
async def list_batches(engine: OneEngine, user: User, limit: Limit = 50, cursor: Cursor = None) -> BatchPage:
    """List batches, newest first."""
    found, next_cursor = await collection.list_batches(engine, user, limit=limit, cursor=cursor)
    return BatchPage(batches=found, next_cursor=next_cursor)


@router.get("/api/batches/{batch_id}")
async def read_batch(batch_id: str, engine: OneEngine, user: User) -> BatchView:
    """Read the progress and spending of a batch."""
    return await collection.read_batch(engine, user, batch_id)


@router.get("/api/batches/{batch_id}/outcomes", response_class=StreamingResponse, responses=OUTCOMES)
async def read_outcomes(
    batch_id: str,
    engine: OneEngine,
    user: User,
    follow: Annotated[bool, Query(description="Wait until the batch has ended.")] = False,
) -> StreamingResponse:
    """Read the outcomes so far, one line of JSON each; with `follow`, new ones as they come."""
    await collection.find_batch(engine, user, batch_id)
    return StreamingResponse(_lines(engine, user, batch_id, follow), media_type=JSON_LINES)


@router.post("/api/batches/{batch_id}/cancel")
async def cancel_batch(batch_id: str, engine: OneEngine, user: User) -> BatchView:
    """Stop a batch, with the questions that are being answered."""
    return await collection.cancel_batch(engine, user, batch_id)


async def _lines(engine: Engine, user: str, batch_id: str, follow: bool) -> AsyncIterator[bytes]:
    async for outcome in outcomes(engine, user, batch_id, follow=follow):
        yield outcome.model_dump_json().encode() + b"\n"
