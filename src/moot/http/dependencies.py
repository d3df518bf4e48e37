"""What every route is given: the engine, the open streams, and who is asking.

Who is asking was found out at the gate (`gate.py`); who may come to which route says `access.py`.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Query, Request

from moot.accounts.identity import Identity
from moot.http.gate import IDENTITY, identify
from moot.http.peer import Peer
from moot.http.problems import Problem
from moot.http.stream import Streams
from moot.kernel.engine import Engine

REFUSALS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Problem, "description": "What is wrong with the request."},
    503: {"model": Problem, "description": "The database is not available at the moment."},
}


# Coroutines, because FastAPI would run plain functions in threads.
async def _engine(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


async def _streams(request: Request) -> Streams:
    streams: Streams = request.app.state.streams
    return streams


async def _caller(request: Request) -> Identity:
    who: Identity | None = getattr(request.state, IDENTITY, None)
    # A route that is open to all may still want to know.
    return who or await identify(request.app.state.engine, request.scope)


async def _user(who: Annotated[Identity, Depends(_caller)]) -> str:
    return who.id


async def _peer(request: Request) -> Peer:
    return Peer.of(request.scope, request.app.state.engine.settings)


OneEngine = Annotated[Engine, Depends(_engine)]
Caller = Annotated[Identity, Depends(_caller)]
User = Annotated[str, Depends(_user)]
"""The id under which all that is theirs is kept."""
ThePeer = Annotated[Peer, Depends(_peer)]
OpenStreams = Annotated[Streams, Depends(_streams)]
Limit = Annotated[int, Query(ge=1, le=200, description="Maximum number of entries.")]
Cursor = Annotated[
    str | None,
    Query(max_length=100, description="`nextCursor` of the previous page; leave it out for the first."),
]
StreamTokens = Annotated[
    bool, Query(alias="streamTokens", description="Also send the models' text as it is written.")
]
