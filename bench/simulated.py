"""Simulated models behind real HTTP, each call answered a fixed time after it came.

`python -m bench.simulated --port 9001 --latency-ms 50`; `GET /__calls` gives when each call came and when its
reply was sent, in seconds; `POST /__reset` forgets them. It has little HTTP of its own: what it spends on it
would count as ours.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time

from moot.kernel.values import Message, Request
from moot.simulator.replies import reply
from moot.testing.connection import Connection, HTTPRequest


class Models:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._calls: list[tuple[float, float]] = []

    async def answer(self, request: HTTPRequest, connection: Connection) -> None:
        if request.path.endswith("/chat/completions"):
            await self._complete(request, connection)
            return
        if request.path == "/__reset":
            self._calls.clear()
        connection.send_document(200, json.dumps(self._calls).encode())

    async def _complete(self, request: HTTPRequest, connection: Connection) -> None:
        came = time.monotonic()
        payload = said(request)
        await asyncio.sleep(max(0.0, came + self._seconds - time.monotonic()))
        connection.send_document(200, payload, "text/event-stream")
        self._calls.append((came, time.monotonic()))


def said(request: HTTPRequest) -> bytes:
    body = request.json()
    messages = tuple(Message(role=m["role"], content=m["content"]) for m in body["messages"])
    name = body["model"].rpartition("/")[2]
    text = reply(Request.of(f"sim/{name}", messages)).text
    chunk = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]}
    return b"data: %b\n\ndata: [DONE]\n\n" % json.dumps(chunk).encode()


async def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--latency-ms", type=float, default=50)
    given = options.parse_args()
    models = Models(given.latency_ms / 1000)
    loop = asyncio.get_running_loop()
    connections: set[Connection] = set()
    server = await loop.create_server(
        lambda: Connection(models.answer, connections), "127.0.0.1", given.port, backlog=4096
    )
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
