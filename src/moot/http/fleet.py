"""What a process tells others of its fleet, at an address of its own, to those alone who know the secret.

GET  /runs/{id}/events?after=7&tokens=1     the live frames of a run this process works on; 404 if it does not
POST /runs/{id}/cancel                      stop one
GET  /healthz  /metrics                     for everybody who can reach the address

See `moot.fleet.peers` for the other side.
"""

from __future__ import annotations

import asyncio
import re
from urllib.parse import parse_qs

from anyio import CancelScope, create_task_group
from starlette.types import Receive, Scope, Send

from moot.fleet import proof, wire
from moot.http.stream import Streams
from moot.kernel.engine import Engine
from moot.metrics.meters import Meters

PING_SECONDS = 2.0
GATHER_SECONDS = 0.02
"""Tokens that come within so short a time travel together: a reader sees no difference, processors do."""
_RUN = re.compile(r"/runs/([0-9a-f]{32})/(events|cancel)")


class FleetApp:
    """A pure ASGI application. Without a secret it only says that it lives, and what it counts."""

    def __init__(self, engine: Engine, secret: str | None) -> None:
        self._engine = engine
        self._secret = secret
        if not isinstance(engine.meter, Meters):
            engine.meter = Meters(engine)
        self._meters = engine.meter
        self.streams = Streams()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        path, method = scope["path"], scope["method"]
        if (method, path) == ("GET", "/healthz"):
            await _answer(send, 200, body=b'{"status":"ok"}')
            return
        if (method, path) == ("GET", "/metrics"):
            await _answer(send, 200, body=(await self._meters.text(len(self.streams))).encode())
            return
        proven, asked = self._check(scope), _RUN.fullmatch(path)
        if proven is None:
            await _answer(send, 403)
        elif asked is None or (method, asked[2]) not in (("GET", "events"), ("POST", "cancel")):
            await _answer(send, 404, proven)
        elif asked[2] == "cancel":
            await self._engine.stop_here(asked[1])
            await _answer(send, 200, proven)
        else:
            await self._stream(asked[1], scope, receive, send, proven)

    def _check(self, scope: Scope) -> str | None:
        query = scope["query_string"].decode("latin-1")
        target = f"{scope['path']}?{query}" if query else scope["path"]
        given = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        return None if self._secret is None else proof.check(self._secret, given, target)

    async def _stream(self, run_id: str, scope: Scope, receive: Receive, send: Send, proven: str) -> None:
        if self._engine.run_task(run_id) is None:
            await _answer(send, 404, proven)
            return
        asked = parse_qs(scope["query_string"].decode("latin-1"))
        after, tokens = int(asked["after"][0]), asked["tokens"] == ["1"]  # proven: it is one of ours
        await send({"type": "http.response.start", "status": 200, "headers": _headers(proven)})
        with self.streams.place():
            async with create_task_group() as group:
                group.start_soon(_leave_with_the_reader, receive, group.cancel_scope)
                async for batch in self._engine.follow_here(run_id, after, tokens, PING_SECONDS):
                    body = b"".join([wire.written(frame) for frame in batch]) or wire.PING
                    await send({"type": "http.response.body", "body": body, "more_body": True})
                    await asyncio.sleep(GATHER_SECONDS)
                group.cancel_scope.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _leave_with_the_reader(receive: Receive, stream: CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.cancel()


async def _answer(send: Send, status: int, proven: str = "", body: bytes = b"") -> None:
    await send({"type": "http.response.start", "status": status, "headers": _headers(proven)})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _headers(proven: str) -> list[tuple[bytes, bytes]]:
    plain = [(b"content-type", b"text/plain; charset=utf-8"), (b"x-content-type-options", b"nosniff")]
    return [*plain, (b"moot-proof", proven.encode())] if proven else plain
