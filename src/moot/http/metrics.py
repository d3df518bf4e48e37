"""What this process counts, for Prometheus; see `moot.metrics`."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from moot.http.dependencies import REFUSALS, OpenStreams
from moot.metrics.exposition import CONTENT_TYPE
from moot.metrics.meters import Meters

router = APIRouter(tags=["health"], responses=REFUSALS)


@router.get("/metrics", response_class=Response)
async def metrics(request: Request, streams: OpenStreams) -> Response:
    """Read this process's counts and times, and the fleet's queue, in Prometheus's text format."""
    meters: Meters = request.app.state.meters
    return Response(await meters.text(len(streams)), headers={"content-type": CONTENT_TYPE})
