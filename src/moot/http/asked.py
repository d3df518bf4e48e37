"""What every route is given: the engine, the open streams, and who is asking."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Query, Request

from moot.engine import Engine
from moot.http.problems import Problem
from moot.http.stream import Streams

USER = "local"
"""Whose runs and conversations these are: one person's, while there is no login."""

REFUSALS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Problem, "description": "What is wrong with the request."}
}


# Coroutines, because FastAPI would run plain functions in threads.
async def _engine(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


async def _streams(request: Request) -> Streams:
    streams: Streams = request.app.state.streams
    return streams


OneEngine = Annotated[Engine, Depends(_engine)]
OpenStreams = Annotated[Streams, Depends(_streams)]
Limit = Annotated[int, Query(ge=1, le=200, description="How many at most.")]
Cursor = Annotated[
    str | None, Query(max_length=100, description="`nextCursor` of the page before; none: the first page.")
]
StreamTokens = Annotated[
    bool, Query(alias="streamTokens", description="Send the models' text as it comes, too.")
]
