"""The models, served: the runtime that computes, and in front of it a door that gives every call its seed.

Several names stand for one model, `real/qwen-1`, `real/qwen-2`: modes that want a judge who is no contestant
get one, and the same question is answered differently under each name. What is drawn depends on the name,
the messages and the seed of the record, so that an unchanged prompt is answered as it was before, but for
what batching changes in the last digits.
"""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import aiohttp
import orjson
from aiohttp import web

from bench.processes import free_port, process
from bench.real.weights import fetch, runtime

NAMES = 5
MOST_TOKENS = 450


class Door:
    """Stands before the runtimes: `addresses` says which model is served where."""

    def __init__(self, addresses: dict[str, str], seed: str) -> None:
        self._addresses = addresses
        self._seed = seed

    async def models(self, _: web.Request) -> web.Response:
        names = [f"{model}-{number}" for model in self._addresses for number in range(1, NAMES + 1)]
        return web.json_response({"data": [{"id": name, "object": "model"} for name in names]})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        body = orjson.loads(await request.read())
        lot = orjson.dumps([self._seed, body["model"], body["messages"]])
        body["seed"] = int.from_bytes(sha256(lot).digest()[:4], "big") % 2**31
        body["max_tokens"] = min(body.get("max_tokens") or MOST_TOKENS, MOST_TOKENS)
        address = self._addresses[body["model"].rpartition("-")[0]]
        reply = web.StreamResponse()
        async with request.app[SESSION].post(f"{address}/v1/chat/completions", json=body) as answer:
            reply.set_status(answer.status)
            reply.content_type = answer.content_type
            await reply.prepare(request)
            async for piece in answer.content.iter_any():
                await reply.write(piece)
        await reply.write_eof()
        return reply


SESSION = web.AppKey("session", aiohttp.ClientSession)


@contextlib.asynccontextmanager
async def served(models: list[str], folder: Path, seed: str, threads: int) -> AsyncIterator[str]:
    """The models of these names; yields the address to ask."""
    async with contextlib.AsyncExitStack() as stack:
        addresses = {}
        for model in models:
            port = free_port()
            addresses[model] = f"http://127.0.0.1:{port}"
            script = str(Path(__file__).with_name("llama.py"))
            file = fetch(model, folder / "weights")
            arguments = ["nice", "-n", "3", str(runtime(folder)), script, str(file), str(port)]
            command = [*arguments, str(MOST_TOKENS), str(threads)]
            stack.enter_context(process(command, f"{addresses[model]}/health"))
        session = await stack.enter_async_context(
            aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=1800),
                connector=aiohttp.TCPConnector(
                    force_close=True
                ),  # the runtime closes connections it has used
            )
        )
        yield await stack.enter_async_context(_door(Door(addresses, seed), session))


@contextlib.asynccontextmanager
async def _door(door: Door, session: aiohttp.ClientSession) -> AsyncIterator[str]:
    app = web.Application(client_max_size=2**26)
    app[SESSION] = session
    app.add_routes([web.get("/v1/models", door.models), web.post("/v1/chat/completions", door.complete)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        await runner.cleanup()


def commit() -> str:
    """Which code is being tried."""
    shown = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return shown.stdout.strip()
