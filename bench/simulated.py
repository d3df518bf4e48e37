"""Simulated models behind real HTTP, each call answered a fixed time after it came.

`python -m bench.simulated --port 9001 --latency-ms 50`; `GET /__calls` gives when each call came and when its
reply was sent, in seconds; `POST /__reset` forgets them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time

from aiohttp import web

from moot.simulator import reply
from moot.wire import Message, Request

SECONDS: float = 0.05
CALLS: list[tuple[float, float]] = []


async def complete(request: web.Request) -> web.StreamResponse:
    came = time.monotonic()
    body = await request.json()
    messages = tuple(Message(role=m["role"], content=m["content"]) for m in body["messages"])
    name = body["model"].rpartition("/")[2]
    said = reply(Request(model=f"sim/{name}", messages=messages, temperature=None, max_tokens=None))
    chunk = {"choices": [{"index": 0, "delta": {"content": said.text}, "finish_reason": "stop"}]}
    payload = b"data: %b\n\ndata: [DONE]\n\n" % json.dumps(chunk).encode()
    await asyncio.sleep(max(0.0, came + SECONDS - time.monotonic()))
    CALLS.append((came, time.monotonic()))
    return web.Response(body=payload, content_type="text/event-stream")


async def calls(request: web.Request) -> web.Response:
    return web.json_response(CALLS)


async def reset(request: web.Request) -> web.Response:
    CALLS.clear()
    return web.json_response({})


def main() -> None:
    global SECONDS
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--latency-ms", type=float, default=50)
    given = options.parse_args()
    SECONDS = given.latency_ms / 1000
    app = web.Application(client_max_size=64 * 2**20)
    app.router.add_post("/v1/chat/completions", complete)
    app.router.add_get("/__calls", calls)
    app.router.add_post("/__reset", reset)
    web.run_app(app, host="127.0.0.1", port=given.port, print=None, access_log=None)


if __name__ == "__main__":
    import uvloop

    uvloop.install()
    main()
