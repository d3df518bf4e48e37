"""A receiver of webhooks: a real server that answers as it is told, and keeps what it got."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Self

from aiohttp import web
from standardwebhooks import Webhook


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    def verified(self, secret: str) -> Any:
        """The message, if the library of Standard Webhooks finds that its signature is right."""
        return Webhook(secret).verify(self.body, self.headers)


class Receiver:
    """Answers with `statuses` one after the other, then with 200. `hangs`: it takes a message and says nothing."""

    def __init__(self, *statuses: int, hangs: bool = False, port: int = 0) -> None:
        self._statuses = list(statuses)
        self._hangs = hangs
        self._port = port
        self.received: list[Received] = []

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._receive)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self.port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _receive(self, request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.received.append(Received(request.path, headers, await request.read()))
        if self._hangs:
            await asyncio.sleep(3600)
        status = self._statuses.pop(0) if self._statuses else 200
        return web.Response(status=status, headers={"location": "/elsewhere"} if status == 302 else {})
