"""What a process tells others of its fleet, at an address of its own, to those alone who know the secret.

POST /link                 the stories of runs this process works on, as they are ordered: see `link.py`
POST /runs/{id}/cancel     stop one
GET  /healthz  /metrics    for everybody who can reach the address

See `moot.fleet.peers` for the other side.
"""

from __future__ import annotations

import re

from starlette.types import Receive, Scope, Send

from moot.fleet import proof
from moot.http.link import Outlet
from moot.http.stream import END, Streams
from moot.kernel.engine import Engine
from moot.metrics.meters import Meters

_RUN = re.compile(r"/runs/([0-9a-f]{32})/cancel")
_CLOSE = (b"connection", b"close")
"""Not all of the request need have come when it is answered."""


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
        elif (method, path) == ("POST", "/link"):
            await self._link(receive, send, proven)
        elif asked is None or method != "POST":
            await _answer(send, 404, proven)
        else:
            await self._engine.stop_here(asked[1])
            await _answer(send, 200, proven)

    def _check(self, scope: Scope) -> str | None:
        query = scope["query_string"].decode("latin-1")
        target = f"{scope['path']}?{query}" if query else scope["path"]
        given = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        return None if self._secret is None else proof.check(self._secret, given, target)

    async def _link(self, receive: Receive, send: Send, proven: str) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _headers(proven)})
        with self.streams.place():
            await Outlet(self._engine).serve(receive, send)
        await send(END)


async def _answer(send: Send, status: int, proven: str = "", body: bytes = b"") -> None:
    await send({"type": "http.response.start", "status": status, "headers": _headers(proven)})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _headers(proven: str) -> list[tuple[bytes, bytes]]:
    plain = [(b"content-type", b"text/plain; charset=utf-8"), (b"x-content-type-options", b"nosniff"), _CLOSE]
    return [*plain, (b"moot-proof", proven.encode())] if proven else plain
