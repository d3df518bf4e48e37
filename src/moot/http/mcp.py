"""MCP over streamable HTTP, at /mcp. Each request stands alone: a run's id is all that a client need keep."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from moot.http.gate import IDENTITY
from moot.http.stream import Streams
from moot.kernel.engine import Engine

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"


class McpDoor:
    """The protocol's server begins with the first request: who does not use it does not pay for it."""

    def __init__(self, engine: Engine, streams: Streams) -> None:
        self._engine = engine
        self._streams = streams
        self._manager: StreamableHTTPSessionManager | None = None
        self._ready = asyncio.Event()
        self._keeping: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._keep())
        await self._ready.wait()
        assert self._manager is not None
        await self._manager.handle_request(scope, receive, send)

    async def _keep(self) -> None:
        """Until this process stops."""
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from moot.mcp.server import build_server

        async def engine() -> Engine:
            return self._engine

        server = build_server(engine, _user)
        limit = self._engine.settings.max_body_bytes
        self._manager = StreamableHTTPSessionManager(server, stateless=True, max_request_body_size=limit)
        with self._streams.place():
            async with self._manager.run():
                self._ready.set()
                await asyncio.Event().wait()


def _user(context: ServerRequestContext[Any, Any]) -> str:
    assert context.request is not None
    return str(context.request.scope["state"][IDENTITY].id)


def route(engine: Engine, streams: Streams) -> Route:
    door: Any = McpDoor(engine, streams)
    return Route(PATH, endpoint=door, methods=["POST"], include_in_schema=False)
