"""The trace a request belongs to, as its header `traceparent` says: the run it starts belongs to it too."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from moot.kernel.tracer import given_traceparent


class TraceContext:
    """A pure ASGI middleware; it is there only if something is traced."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A connection's requests follow each other in one context: nothing of the one before may stay.
        given_traceparent.set(Headers(scope=scope).get("traceparent") if scope["type"] == "http" else None)
        await self._app(scope, receive, send)
