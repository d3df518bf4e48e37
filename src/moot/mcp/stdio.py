"""`moot mcp`: a server for one client, over stdin and stdout. All else that is printed goes to stderr."""

from __future__ import annotations

from mcp.server.stdio import stdio_server

from moot.kernel.user import LOCAL_USER
from moot.mcp.server import EngineSource, build_server
from moot.settings import Settings
from moot.wiring import open_engine


async def serve_stdio(settings: Settings) -> None:
    """Until the client closes stdin. A run that goes on then is taken up by whoever asks for it next."""
    async with EngineSource(lambda: open_engine(settings)) as engine:
        server = build_server(engine, lambda context: LOCAL_USER)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
