"""The access log: a line for every request once it is answered, and an id by which its other lines are found.

The route stands in it as it is declared, `/api/links/{token}`: paths and queries hold what people look for,
and what lets them in. The id is also in the answer's `X-Request-Id`; a trusted proxy may give its own.
"""

from __future__ import annotations

import logging
import re
from uuid import uuid4

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moot.http.peer import Peer
from moot.kernel.clock import monotonic
from moot.kernel.log import REQUESTS, person_id, request_id, run_id
from moot.settings import Settings

log = logging.getLogger(REQUESTS)
PROBES = ("/healthz", "/readyz", "/metrics")
"""Machines ask for these all the time."""
_FOREIGN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class AccessLog:
    """A pure ASGI middleware, outside of all others."""

    def __init__(self, app: ASGIApp, *, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, id = monotonic(), 0, self._id(scope)
        # A connection's requests follow each other in one context: nothing of the one before may stay.
        request_id.set(id)
        person_id.set(None)
        run_id.set(None)

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], (b"x-request-id", id.encode())]}
            await send(message)

        try:
            await self._app(scope, receive, answer)
        finally:
            level = logging.DEBUG if scope["path"] in PROBES else logging.INFO
            if log.isEnabledFor(level):
                fields = {
                    "method": scope["method"] if scope["method"].isalpha() else "?",
                    "route": _route(scope),
                    "status": status or 500,  # which is said outside of us
                    "duration_ms": round((monotonic() - began) * 1000, 1),
                }
                log.log(level, "request", extra={"fields": fields})

    def _id(self, scope: Scope) -> str:
        given = Headers(scope=scope).get("x-request-id", "")
        if _FOREIGN_ID.fullmatch(given) and Peer.of(scope, self._settings).by_proxy:
            return given
        return uuid4().hex


def _route(scope: Scope) -> str:
    """What answered, as it is declared; a question mark where nothing did."""
    return str(getattr(scope.get("route"), "path", "?"))
