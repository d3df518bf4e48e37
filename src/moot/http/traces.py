"""Traces of dialectics: list, read, rate, grade, take away for fine-tuning."""

from __future__ import annotations

import asyncio
import shutil
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from fastapi import APIRouter, Query, Request
from starlette.responses import StreamingResponse

from moot.http.bodies import body_schema, read_body
from moot.http.dependencies import REFUSALS, Cursor, OneEngine, User
from moot.http.download import file_pieces
from moot.kernel.clock import LATEST
from moot.kernel.values import Wire
from moot.traces import collection
from moot.traces.collection import Rating, TraceSummary
from moot.traces.export import MANIFEST, TRAIN, VALIDATION, ExportRequest, export
from moot.traces.queries import TraceFilter

router = APIRouter(tags=["traces"], responses=REFUSALS)
Moment = Annotated[int | None, Query(ge=0, le=LATEST, description="Milliseconds since 1970.")]


class TracePage(Wire):
    """`next_cursor` is null on the last page."""

    traces: list[TraceSummary]
    next_cursor: str | None


class TraceStats(Wire):
    total: int
    avg_quality: float | None
    eligible: int


ARCHIVE = "traces.zip"


@router.get("/api/traces")
async def list_traces(
    engine: OneEngine,
    user: User,
    limit: Annotated[int, Query(ge=1, le=100, description="Maximum number of entries.")] = 50,
    cursor: Cursor = None,
    min_quality: Annotated[float | None, Query(alias="minQuality", ge=1, le=10)] = None,
    search: Annotated[
        str | None, Query(max_length=500, description="Text of the question or answer.")
    ] = None,
    since: Annotated[Moment, Query(alias="from")] = None,
    until: Annotated[Moment, Query(alias="to")] = None,
    eligible: bool | None = None,
) -> TracePage:
    """List traces, newest first, without their rounds."""
    trace_filter = TraceFilter(
        min_quality=min_quality, search=search, since=since, until=until, eligible=eligible
    )
    page = await collection.list_traces(engine, user, trace_filter, limit=limit, cursor=cursor)
    return TracePage(traces=list(page.items), next_cursor=page.next_cursor)


@router.get("/api/traces/stats")
async def trace_stats(engine: OneEngine, user: User) -> TraceStats:
    """Count traces: how many, how good, how many eligible for export."""
    stats = await collection.trace_stats(engine, user)
    return TraceStats(total=stats.total, avg_quality=stats.avg_quality, eligible=stats.eligible)


@router.get("/api/traces/{trace_id}", response_model=None)
async def get_trace(trace_id: str, engine: OneEngine, user: User) -> dict[str, Any]:
    """Read a whole trace, with the field names of its file: snake_case, our additions under `ext`."""
    return await collection.read_trace(engine, user, trace_id)


@router.post("/api/traces/{trace_id}/rate", openapi_extra=body_schema(Rating))
async def rate(trace_id: str, request: Request, engine: OneEngine, user: User) -> TraceSummary:
    """Rate a trace from 1 to 10, with a note if you like; a new rating replaces the old one."""
    return await collection.rate_trace(engine, user, trace_id, await read_body(request, Rating))


@router.delete("/api/traces/{trace_id}/rate")
async def unrate(trace_id: str, engine: OneEngine, user: User) -> TraceSummary:
    """Remove the rating: the judge's score counts again."""
    return await collection.rate_trace(engine, user, trace_id, None)


@router.post("/api/traces/{trace_id}/score")
async def score(trace_id: str, engine: OneEngine, user: User) -> TraceSummary:
    """Let the judge grade the answer now."""
    return await collection.score_trace(engine, user, trace_id)


@router.post("/api/traces/export", response_class=StreamingResponse, openapi_extra=body_schema(ExportRequest))
async def export_traces(request: Request, engine: OneEngine, user: User) -> StreamingResponse:
    """Export good traces as a zip: train.jsonl, validation.jsonl, manifest.json with what was left out."""
    export_request = await read_body(request, ExportRequest, empty=b"{}")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        await export(engine, user, export_request, folder)
        await asyncio.to_thread(_pack, folder)
        cleanup = stack.pop_all()
    headers = {"content-disposition": f'attachment; filename="traces-{export_request.format}.zip"'}
    return StreamingResponse(
        file_pieces(folder / ARCHIVE, cleanup), headers=headers, media_type="application/zip"
    )


def _pack(folder: Path) -> None:
    with ZipFile(folder / ARCHIVE, "w", ZIP_DEFLATED) as archive:
        for name in (TRAIN, VALIDATION, MANIFEST):
            # Always the same moment: the same traces give the same bytes.
            with (
                archive.open(ZipInfo(name), "w", force_zip64=True) as entry,
                (folder / name).open("rb") as file,
            ):
                shutil.copyfileobj(file, entry)
