"""Share links: give a finished run to read, see what was given, take it back; and what a reader gets."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import Field
from starlette.responses import StreamingResponse

from moot.accounts import shares
from moot.accounts.shares import Share
from moot.http.bodies import body_schema, read_body
from moot.http.dependencies import REFUSALS, OneEngine, OpenStreams, User
from moot.http.runs import STREAM
from moot.http.stream import EventStream, last_event_id
from moot.kernel.clock import iso
from moot.kernel.status import Status
from moot.kernel.values import Wire

router = APIRouter(tags=["shares"], responses=REFUSALS)


class NewShare(Wire):
    """`days`: how long the link works; null: until it is revoked."""

    days: int | None = Field(None, ge=1, le=3650)


class ShareView(Wire):
    """`path`: the link, after the address of the server."""

    id: str
    run_id: str
    question: str
    path: str
    created_at: str
    expires_at: str | None

    @classmethod
    def of(cls, one: Share) -> ShareView:
        return cls(
            id=one.id,
            run_id=one.run_id,
            question=one.question,
            path=shares.path_of(one.token),
            created_at=iso(one.created_at),
            expires_at=None if one.expires_at is None else iso(one.expires_at),
        )


class ShareList(Wire):
    shares: list[ShareView]


class SharedRun(Wire):
    """A run as seen by people with its link; the rest is in its events."""

    mode: str
    question: str
    status: Status
    started_at: str


@router.get("/api/shares")
async def list_shares(
    engine: OneEngine,
    user: User,
    run_id: Annotated[str | None, Query(alias="runId", description="Only links to this run.")] = None,
) -> ShareList:
    """List your share links that still work, newest first."""
    return ShareList(shares=[ShareView.of(one) for one in await shares.list_shares(engine, user, run_id)])


@router.post("/api/runs/{run_id}/shares", status_code=201, openapi_extra=body_schema(NewShare))
async def share_run(run_id: str, request: Request, engine: OneEngine, user: User) -> ShareView:
    """Create a link that lets anyone read a finished run of yours, and nothing else."""
    given = await read_body(request, NewShare, empty=b"{}")
    return ShareView.of(await shares.share_run(engine, user, run_id, given.days))


@router.delete("/api/shares/{share_id}", status_code=204)
async def revoke_share(share_id: str, engine: OneEngine, user: User) -> Response:
    """Revoke a share link. It stops working at once."""
    await shares.revoke_share(engine, user, share_id)
    return Response(status_code=204)


@router.get("/api/shared/{token}")
async def read_shared_run(token: str, engine: OneEngine) -> SharedRun:
    """Read what a shared run is about. No login is needed."""
    record = await shares.shared_run(engine, token)
    return SharedRun(
        mode=record.mode,
        question=record.question,
        status=record.status,
        started_at=iso(record.started_at),
    )


@router.get("/api/shared/{token}/events", response_class=StreamingResponse, responses={**STREAM, 204: {}})
async def follow_shared_run(
    token: str,
    engine: OneEngine,
    streams: OpenStreams,
    from_header: Annotated[str | None, Header(alias="Last-Event-ID")] = None,
    from_query: Annotated[str | None, Query(alias="lastEventId")] = None,
) -> Response:
    """Read a shared run's events after `Last-Event-ID`, as its own stream has them."""
    after = last_event_id(from_query if from_header is None else from_header)
    record = await shares.shared_run(engine, token)
    if not await engine.has_more(record, after):
        return Response(status_code=204)
    return EventStream(engine, streams, record.id, after=after)
