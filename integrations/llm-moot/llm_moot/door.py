"""The way to moot: its HTTP API on a server, or the same application in this process.

    async with open_door(token) as door:
        async with door.request("POST", "/v1/chat/completions", body) as answer: …

Whoever leaves an answer before its end stops the run.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import llm

from llm_moot.catalogue import server

SILENCE_SECONDS = 60
"""A server sends at least a ping every fifteen seconds."""
PRIVATE = {"host": "127.0.0.1", "public_url": None, "user_header": None, "accounts": "auto"}
"""In this process nobody signs in: whoever runs it is the local person, as on moot's own command line."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    pieces: AsyncIterator[bytes]

    async def whole(self) -> bytes:
        return b"".join([piece async for piece in self.pieces])


class Sender(Protocol):
    def __call__(self, method: str, path: str, body: bytes) -> AbstractAsyncContextManager[Answer]: ...


@dataclass(frozen=True, slots=True)
class Door:
    send: Sender

    def request(self, method: str, path: str, body: Any = None) -> AbstractAsyncContextManager[Answer]:
        return self.send(method, path, b"" if body is None else json.dumps(body).encode())

    async def read(self, path: str) -> Any:
        async with self.request("GET", path) as answer:
            await refuse(answer)
            return json.loads(await answer.whole())


async def refuse(answer: Answer) -> None:
    """Raises ModelError with moot's own words if that is what came."""
    if answer.status == 200:
        return
    text = (await answer.whole()).decode(errors="replace")
    try:
        said = json.loads(text)
        error = said.get("error", said)
        words = error["message"] if isinstance(error, dict) else str(error)
    except (ValueError, KeyError, AttributeError):
        words = text[:200] or "no reason was given"
    raise llm.ModelError(words if answer.status < 500 else f"{words} (moot answered {answer.status})")


@asynccontextmanager
async def open_door(token: str | None) -> AsyncIterator[Door]:
    """Raises ModelError if there is no moot to be had."""
    url = server()
    async with _elsewhere(url, token) if url else _here() as send:
        yield Door(send)


@asynccontextmanager
async def _elsewhere(url: str, token: str | None) -> AsyncIterator[Sender]:
    import aiohttp

    timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=SILENCE_SECONDS)
    headers = {"Authorization": f"Bearer {token}"} if token else {}

    @asynccontextmanager
    async def send(method: str, path: str, body: bytes) -> AsyncIterator[Answer]:
        async with session.request(method, url + path, data=body or None) as response:
            yield Answer(response.status, response.content.iter_any())

    try:
        async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
            yield send
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        said = str(error) or type(error).__name__
        raise llm.ModelError(f"moot at {url} cannot be reached: {said}. See MOOT_URL.") from None


@asynccontextmanager
async def _here() -> AsyncIterator[Sender]:
    from moot.http import create_app
    from moot.kernel.errors import MootError
    from moot.settings import Settings
    from moot.wiring import open_engine

    try:
        async with open_engine(Settings.load().model_copy(update=PRIVATE)) as engine:
            app = create_app(engine)

            @asynccontextmanager
            async def send(method: str, path: str, body: bytes) -> AsyncIterator[Answer]:
                async with _asked(app, method, path, body) as answer:
                    yield answer

            yield send
    except MootError as error:
        raise llm.ModelError(str(error)) from None


@asynccontextmanager
async def _asked(app: Any, method: str, path: str, body: bytes) -> AsyncIterator[Answer]:
    """An ASGI application's answer. It is told when its reader leaves, and waited for."""
    sent: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    left = asyncio.Event()
    received = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if received:
            return received.pop()
        await left.wait()
        return {"type": "http.disconnect"}

    async def work() -> None:
        try:
            await app(_scope(method, path), receive, sent.put)
        finally:
            sent.put_nowait(None)

    async def pieces() -> AsyncIterator[bytes]:
        while (message := await sent.get()) is not None:
            yield message.get("body", b"")

    working = asyncio.create_task(work())
    try:
        head = await sent.get()
        if head is None:
            await working  # which raises what went wrong
        yield Answer(head["status"] if head else 500, pieces())
    finally:
        left.set()
        await working


def _scope(method: str, path: str) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")],
        "client": ("127.0.0.1", 0),
        "server": ("127.0.0.1", 0),
    }
