"""A model server that follows a script: real HTTP on 127.0.0.1, no model behind it.

    async with ModelServer(models={"openai/o3": ["tabs", "spaces"]}, hold_after=1) as server:
        settings = Settings(openrouter_base_url=server.url, openrouter_api_key="sk-test")
        …
        assert [received.outcome for received in server.requests] == ["answered", "held"]
        server.release()

It speaks chat completions (any path that ends in /chat/completions) and Anthropic's Messages (…/messages)
and lists its models; …/embeddings turns texts into vectors that are near when they share words. From
another process it is steered over HTTP:

    PUT  /__script     a new script, as JSON       GET  /__requests   every call so far
    POST /__release    let go of what is held      POST /__reset      forget the calls so far
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from types import TracebackType
from typing import Any

from moot.testing.connection import Connection, HTTPRequest
from moot.testing.rendering import document, error_document, events
from moot.testing.replies import Received, Reply, Script

VECTOR_SIZE = 256


def vector_of(text: str) -> list[float]:
    """Each word counts at a place of its own."""
    vector = [0.0] * VECTOR_SIZE
    for word in re.findall(r"\w+", text.casefold()):
        vector[int(sha256(word.encode()).hexdigest()[:8], 16) % VECTOR_SIZE] += 1.0
    return vector if any(vector) else [1.0, *vector[1:]]


ALL = ""
"""Stands for every model together."""


class ModelServer:
    """The server. Its arguments are those of a Script; `requests` is what it received, in order; `at_once`
    how many calls it has at the moment, by model and in all, `peak` how many it had at most."""

    def __init__(self, script: Script | None = None, *, port: int = 0, **lines: Any) -> None:
        self.script = script or Script(**lines)
        self.requests: list[Received] = []
        self.connections = 0
        self.at_once: Counter[str] = Counter()
        self.peak: Counter[str] = Counter()
        self._port = port
        self._open: set[Connection] = set()
        self._held: dict[asyncio.Future[None], Received] = {}
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """The base URL for a client, version included."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """What a moot process needs in its environment to take this server for OpenRouter."""
        return {"OPENROUTER_BASE_URL": self.url, "OPENROUTER_API_KEY": "sk-scripted"}

    async def __aenter__(self) -> ModelServer:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: Connection(self._answer, self._open), "127.0.0.1", self._port, backlog=4096
        )
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for connection in list(self._open):
            connection.abort()
        await self._server.wait_closed()
        await asyncio.sleep(0)  # the aborted connections end here

    def release(self, upto: int | None = None) -> None:
        """Answer what is held: everything, also what is yet to come, or the calls numbered up to this."""
        self.script.hold_after = upto
        for hold, received in self._held.items():
            if (upto is None or received.number <= upto) and not hold.done():
                hold.set_result(None)

    def reset(self) -> None:
        self.requests.clear()

    async def _answer(self, request: HTTPRequest, connection: Connection) -> None:
        self.connections += connection.take_first()
        if request.path.endswith(("/chat/completions", "/messages")):
            await self._answer_call(request, connection)
        elif request.path.endswith("/embeddings"):
            asked = request.json()
            line = self.script.models.get(asked["model"])
            if isinstance(line, Reply) and line.hang:
                await connection.wait(None)
            connection.send_document(*self._embed(asked))
        else:
            status, content = self._control(request)
            connection.send_document(status, json.dumps(content).encode())

    def _embed(self, asked: dict[str, Any]) -> tuple[int, bytes]:
        """Vectors, or the error that the script has in their place."""
        line = self.script.models.get(asked["model"])
        if isinstance(line, Reply):
            return line.status, error_document(line.status, line.message)
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        data = [{"index": index, "embedding": vector_of(text)} for index, text in enumerate(texts)]
        return 200, json.dumps({"data": data}).encode()

    def _control(self, request: HTTPRequest) -> tuple[int, Any]:
        match request.method, request.path:
            case "GET", "/__requests":
                return 200, [{**asdict(received), "model": received.model} for received in self.requests]
            case "PUT", "/__script":
                self.script = Script.parse(request.json())
            case "POST", "/__release":
                self.release(request.json().get("upto"))
            case "POST", "/__reset":
                self.reset()
            case "GET", path if path.endswith("/models"):
                return 200, {"data": [{"id": name} for name in self.script.models] + self.script.listed}
            case "GET", "/api/tags":
                return 200, {"models": [{"name": name} for name in self.script.models]}
            case _:
                return 404, {"error": {"message": f"There is no {request.path} here.", "code": 404}}
        return 200, {}

    async def _answer_call(self, request: HTTPRequest, connection: Connection) -> None:
        body = request.json()
        digest = sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]
        received = Received(len(self.requests) + 1, request.path, request.headers, body, digest)
        self.requests.append(received)
        self._enter(received.model)
        try:
            await self._hold(received, connection)
            reply = self._reply_to(received)
            await connection.wait(reply.latency)
            whole = await _speak(reply, received, connection)
        except ConnectionError:
            received.outcome = "gone"
            raise
        finally:
            self.at_once[ALL] -= 1
            self.at_once[received.model] -= 1
        received.outcome = "answered" if whole else "broken"

    def _enter(self, model: str) -> None:
        for name in (ALL, model):
            self.at_once[name] += 1
            self.peak[name] = max(self.peak[name], self.at_once[name])

    def _reply_to(self, received: Received) -> Reply:
        try:
            return self.script.reply_to(received)
        except AssertionError as error:  # a ballot for an answer that was not shown
            return Reply(status=400, message=str(error))

    async def _hold(self, received: Received, connection: Connection) -> None:
        limit = self.script.hold_after
        if limit is None or received.number <= limit:
            return
        received.outcome = "held"
        hold: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._held[hold] = received
        try:
            await connection.wait_for(hold)
        finally:
            del self._held[hold]
        received.outcome = "waiting"


async def _speak(reply: Reply, received: Received, connection: Connection) -> bool:
    """Say it; whether a whole reply was said."""
    anthropic = received.path.endswith("/messages")
    if reply.hang:
        await connection.wait(None)
    if unwanted := [name for name in reply.refuse if name in received.body]:
        reply = Reply(status=400, message=f"Unsupported parameter: {unwanted[0]}")
    if reply.status != 200:
        message = reply.message or f"scripted {reply.status}"
        headers = {"retry-after": reply.retry_after, "location": reply.location}
        connection.send_document(reply.status, error_document(reply.status, message), headers=headers)
        return True
    if reply.malformed:
        connection.send_document(200, b"<html><body>Bad gateway</body></html>", "text/html")
        return True
    if reply.whole or not received.body.get("stream"):
        connection.send_document(200, document(reply, received.model, anthropic))
        return True
    return await _stream(reply, events(reply, received.model, anthropic), connection)


async def _stream(reply: Reply, said: Iterable[bytes], connection: Connection) -> bool:
    connection.begin_stream(reply.gzip)
    if reply.hang_after_headers:
        await connection.wait(None)
    connection.send_piece(b": OPENROUTER PROCESSING\n\n" * reply.comments)
    if reply.raw is not None:
        said = [reply.raw.encode()]
    if reply.gzip:
        said = [gzip.compress(b"".join(said))]
    if reply.cut:
        said = _cut(b"".join(said), reply.cut)
    elif not reply.tokens_per_second and reply.drop_after is None and reply.stall_after is None:
        said = [b"".join(said)]
    pace = 1 / reply.tokens_per_second if reply.tokens_per_second else 0
    clock = asyncio.get_running_loop().time
    began = clock()
    for number, piece in enumerate(said):
        if number == reply.drop_after:
            connection.abort()
            return False
        if number == reply.stall_after:
            await connection.wait(None)
        connection.send_piece(piece)
        if pace or reply.cut:
            await connection.wait(max(0.0, began + (number + 1) * pace - clock()))
    connection.end_stream()
    return True


def _cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


async def serve(script: Script, port: int) -> None:
    """Serve until cancelled, and say on which address."""
    async with ModelServer(script, port=port) as server:
        print(f"model server on {server.url}", flush=True)
        with suppress(asyncio.CancelledError):
            await asyncio.get_running_loop().create_future()
