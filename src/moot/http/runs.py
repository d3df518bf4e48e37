"""Asking, and what became of it: start a run, follow it, stop it, try it again, read it back."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Header, Query, Request, Response
from starlette.responses import StreamingResponse

from moot.history import runs as history
from moot.history.verdict import Verdict
from moot.history.views import RunSummary, RunView, read_deliberation
from moot.http.bodies import body_schema
from moot.http.dependencies import REFUSALS, Cursor, Limit, OneEngine, OpenStreams, StreamTokens, User
from moot.http.dialectic_envelope import ROLES, DebateEvents
from moot.http.stream import EventStream, idempotency_key, last_event_id
from moot.kernel.errors import Rejected
from moot.kernel.request import AskRequest
from moot.kernel.status import Status
from moot.kernel.values import Wire

ASK_PATH = "/api/council/stream"
STREAM: dict[int | str, dict[str, Any]] = {
    **REFUSALS,
    200: {
        "description": "The run's events; see `/api/events/schema` for each by mode and type.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    },
}
Format = Annotated[
    Literal["debate_event"] | None,
    Query(description="Dialectic only: send its six events in the envelope of its first clients."),
]

router = APIRouter(tags=["runs"], responses=REFUSALS)


class RunPage(Wire):
    """`next_cursor` is null on the last page."""

    runs: list[RunSummary]
    next_cursor: str | None


@router.post(
    ASK_PATH,
    response_class=StreamingResponse,
    responses=STREAM,
    openapi_extra=body_schema(AskRequest),
)
async def start_run(
    request: Request,
    engine: OneEngine,
    user: User,
    streams: OpenStreams,
    format: Format = None,
    key: Annotated[str | None, Header(alias="Idempotency-Key")] = None,
) -> EventStream:
    """Start a deliberation in any mode and follow it. The same key and body again give the same run."""
    key = idempotency_key(key)
    ask = AskRequest.read(await request.body())
    if format is not None:
        _check_format(ask.mode or engine.settings.default_mode)
    record = await engine.start(ask, user=user, key=key)
    return EventStream(
        engine,
        streams,
        record.id,
        tokens=ask.stream_tokens,
        envelope=None if format is None else _envelope(record.config),
    )


@router.get("/api/runs")
async def list_runs(
    engine: OneEngine, user: User, limit: Limit = 50, cursor: Cursor = None, status: Status | None = None
) -> RunPage:
    """List runs, newest first."""
    page = await history.list_runs(engine, user, limit=limit, cursor=cursor, status=status)
    return RunPage(runs=[RunSummary.of(record) for record in page.items], next_cursor=page.next_cursor)


@router.get("/api/runs/{run_id}")
async def read_run(run_id: str, engine: OneEngine, user: User) -> RunView:
    """Read a run with its result so far, every call, and what it cost."""
    return RunView.of_deliberation(await read_deliberation(engine, await engine.run(run_id, user)))


@router.get("/api/runs/{run_id}/verdict")
async def read_verdict(run_id: str, engine: OneEngine, user: User) -> Verdict:
    """Read the verdict of a run, in one small schema for all modes: outcome, agreement, dissent, cost."""
    return Verdict.of(await read_deliberation(engine, await engine.run(run_id, user)))


@router.get("/api/runs/{run_id}/events", response_class=StreamingResponse, responses={**STREAM, 204: {}})
async def follow_run(
    run_id: str,
    engine: OneEngine,
    user: User,
    streams: OpenStreams,
    stream_tokens: StreamTokens = False,
    format: Format = None,
    from_header: Annotated[str | None, Header(alias="Last-Event-ID")] = None,
    from_query: Annotated[str | None, Query(alias="lastEventId")] = None,
) -> Response:
    """Follow a run: its events after `Last-Event-ID`, to its end; 204 if that was the end."""
    # A browser that comes back repeats the address and adds the header, which is newer.
    after = last_event_id(from_query if from_header is None else from_header)
    record = await engine.run(run_id, user)
    if not await engine.has_more(record, after):
        return Response(status_code=204)
    if format is not None:
        _check_format(record.mode)
        return EventStream(engine, streams, run_id, envelope=_envelope(record.config, after))
    return EventStream(engine, streams, run_id, after=after, tokens=stream_tokens)


@router.post("/api/runs/{run_id}/cancel")
async def cancel_run(run_id: str, engine: OneEngine, user: User) -> RunSummary:
    """Stop a run for good. One that another process works on stops within seconds."""
    await engine.cancel(run_id, user=user)
    return RunSummary.of(await engine.run(run_id, user))


@router.post("/api/runs/{run_id}/retry", response_class=StreamingResponse, responses=STREAM)
async def retry_run(
    run_id: str, engine: OneEngine, user: User, streams: OpenStreams, stream_tokens: StreamTokens = False
) -> EventStream:
    """Retry the missing calls of a failed, cancelled or degraded run, and follow the new run."""
    record = await engine.retry(run_id, user=user)
    return EventStream(engine, streams, record.id, tokens=stream_tokens)


def _check_format(mode: str) -> None:
    if mode != "dialectic":
        message = f"format=debate_event is for dialectic, not for {mode}"
        raise Rejected(message, (("format", message),))


def _envelope(config: bytes, after: int = 0) -> DebateEvents:
    fields = orjson.loads(config)
    return DebateEvents({role: fields[f"{role}Model"] for role in ROLES}, after)
