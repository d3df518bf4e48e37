"""What every route is given: the engine, the open streams, and who is asking.

The server has no login of its own. A proxy in front of it may have one, and name the person in a header.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Query, Request

from moot.http.problems import Problem
from moot.http.stream import Streams
from moot.kernel.engine import Engine
from moot.kernel.errors import Rejected
from moot.kernel.user import LOCAL_USER

LONGEST_NAME = 200


REFUSALS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Problem, "description": "What is wrong with the request."},
    503: {"model": Problem, "description": "The database cannot be had at the moment."},
}


# Coroutines, because FastAPI would run plain functions in threads.
async def _engine(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


async def _streams(request: Request) -> Streams:
    streams: Streams = request.app.state.streams
    return streams


class NoUser(Rejected):
    """Nobody said who is asking."""

    status = 401


async def _user(request: Request) -> str:
    header = request.app.state.engine.settings.user_header
    if header is None:
        return LOCAL_USER
    names = [name.strip() for name in request.headers.getlist(header)]
    name = names[0] if len(names) == 1 else ""  # of two, one may be the visitor's own
    if not name or len(name) > LONGEST_NAME:
        raise NoUser(f"The header {header} must say who is asking: come through the proxy that sets it")
    return name


OneEngine = Annotated[Engine, Depends(_engine)]
User = Annotated[str, Depends(_user)]
OpenStreams = Annotated[Streams, Depends(_streams)]
Limit = Annotated[int, Query(ge=1, le=200, description="How many at most.")]
Cursor = Annotated[
    str | None, Query(max_length=100, description="`nextCursor` of the page before; none: the first page.")
]
StreamTokens = Annotated[
    bool, Query(alias="streamTokens", description="Send the models' text as it comes, too.")
]
