"""moot mcp: a server for assistants and agents, over stdin and stdout."""

from __future__ import annotations

import asyncio

from moot.cli.session import exit_on_error, load_settings


def mcp() -> None:
    """Serve one MCP client over stdin and stdout.

    MCP clients start it themselves: the command is `moot`, its argument `mcp`. For many clients at once,
    use /mcp of `moot serve`.
    """
    with exit_on_error():
        settings = load_settings()

        from moot.mcp.stdio import serve_stdio

        asyncio.run(serve_stdio(settings))
