"""The MCP door: agents and assistants deliberate by a tool.

    moot mcp                 over stdio, for programs that start their servers themselves
    POST /mcp                over streamable HTTP, at a server that runs

A client may give up after a minute, a deliberation may take ten: `deliberate` waits for so many seconds and
then gives the run's id, under which `get_run` finds the answer whenever it is there.
"""
