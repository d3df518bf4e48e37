"""A moot behind its HTTP door: a real server on a free port, a real client, and scripted models.

async with Door(Scripted(ann=["tabs", vote_for("tabs")], …)) as door:
    told = await door.ask(mode="vote", modeConfig={"councilModels": ["ann", "bob", "cyd"]})
    assert told.types == [...]
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import aiohttp
from fastapi import FastAPI

from moot.http import create_app
from moot.http.page import BUILT
from moot.http.serve import Server, address, listening
from moot.http.stream import Streams
from moot.kernel.engine import Engine
from moot.kernel.mode import Mode, Panel
from moot.modes import MODES
from moot.settings import Settings
from moot.store.urls import store_for
from moot.templates.index import TemplateIndex
from moot.testing import Scripted
from moot.transport import Transport
from tests.harness.waiting import PATIENCE

QUESTION = "Tabs or spaces?"
PANEL = ("ann", "bob", "cyd", "dee")


class Sent(NamedTuple):
    """An event as a browser would dispatch it."""

    id: str
    event: str
    data: str


def parse(stream: str) -> list[Sent]:
    """As the specification of server-sent events reads a stream; an unfinished event is dropped."""
    sent, last_id, name, data = [], "", "", list[str]()
    for line in re.split(r"\r\n|\n|\r", stream.removeprefix("\ufeff"))[:-1]:
        if not line:
            if data:
                sent.append(Sent(last_id, name or "message", "\n".join(data)))
            name, data = "", []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif field == "id" and "\0" not in value:
            last_id = value
    return sent


@dataclass(frozen=True)
class Story:
    """A whole stream, read to its end."""

    sent: list[Sent]
    text: str
    headers: Mapping[str, str]

    @property
    def frames(self) -> list[dict[str, Any]]:
        return [json.loads(sent.data) for sent in self.sent]

    @property
    def types(self) -> list[str]:
        return [sent.event for sent in self.sent]

    @property
    def run_id(self) -> str:
        return str(self.frames[0]["runId"])

    @property
    def conversation_id(self) -> str:
        return str(self.frames[0]["conversationId"])

    def data(self, type: str) -> Any:
        return next(frame for frame in reversed(self.frames) if frame["type"] == type)["data"]


class Door:
    def __init__(
        self,
        transport: Transport,
        *,
        database: str = "sqlite://",
        static: Path = BUILT,
        modes: Mapping[str, Mode[Any]] = MODES,
        **settings: Any,
    ) -> None:
        self._transport = transport
        self._database = database
        self._static = static
        self._modes = modes
        self._settings = Settings(**{"port": 0, "title_model": "title", "log_level": "warning", **settings})
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        store = store_for(self._database)
        panel = Panel(PANEL)
        engine = Engine(
            store,
            self._transport,
            panel,
            self._settings,
            modes=self._modes,
            retriever=TemplateIndex(self._settings, store),
            strict=True,
        )
        self.engine = await self._stack.enter_async_context(engine)
        self.app = create_app(self.engine, static=self._static)
        self.streams: Streams = self.app.state.streams
        self.url = await self._stack.enter_async_context(_served(self.app))
        session = aiohttp.ClientSession(self.url, connector=aiohttp.TCPConnector(limit=0))
        self.session = await self._stack.enter_async_context(session)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    async def ask(self, question: str = QUESTION, *, headers: Any = None, **body: Any) -> Story:
        """Start a run and read its stream to the end."""
        return await self.stream(
            "POST", "/api/council/stream", json={"question": question, **body}, headers=headers
        )

    async def stream(self, method: str, path: str, **options: Any) -> Story:
        async with self.session.request(method, path, **options) as response:
            text = await response.text()
            assert response.status == 200, text
            return Story(parse(text), text, response.headers)

    async def call(self, method: str, path: str, **options: Any) -> tuple[int, Any]:
        """The status, and the body if it is JSON."""
        async with self.session.request(method, path, **options) as response:
            body = await response.read()
            return response.status, json.loads(body) if body else None

    async def get(self, path: str, **options: Any) -> Any:
        status, body = await self.call("GET", path, **options)
        assert status == 200, body
        return body

    @asynccontextmanager
    async def opened(self, path: str = "/api/council/stream", **body: Any) -> AsyncIterator[Reader]:
        """A stream that is being read. Without a body it is a GET."""
        asked: dict[str, Any] = {"json": {"question": QUESTION, **body}} if body else {}
        async with self.session.request("POST" if body else "GET", path, **asked) as response:
            assert response.status == 200, await response.text()
            yield Reader(response)


class Reader:
    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self.response = response

    async def until(self, type: str) -> list[dict[str, Any]]:
        """All frames up to the first of this type."""
        frames: list[dict[str, Any]] = []
        async with asyncio.timeout(PATIENCE):
            while not frames or frames[-1]["type"] != type:
                line = (await self.response.content.readline()).decode()
                assert line, f"the stream ended before {type}"
                if line.startswith("data: "):
                    frames.append(json.loads(line.removeprefix("data: ")))
        return frames


@asynccontextmanager
async def _served(app: FastAPI) -> AsyncIterator[str]:
    started = asyncio.Event()
    with listening("127.0.0.1", 0) as listener:
        server = Server(app, app.state.streams, Settings(log_level="warning"), started.set)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        await started.wait()
        try:
            yield address(listener)
        finally:
            server.should_exit = True
            with suppress(asyncio.CancelledError):
                await serving


def script(**more: Any) -> Scripted:
    """Three models that agree on spaces in every mode, and one that names conversations."""
    return Scripted({"title": "A Short Title", **{name: _speak(name) for name in PANEL}, **more})


def _speak(name: str) -> Any:
    def reply(request: Any) -> str:
        prompt = request.messages[-1].content
        labels = re.findall(r"Response ([A-Z]) ---", prompt) or ["A"]
        if "You are a chairman" in prompt:
            return f"{name} sums up: spaces"
        if "FINAL RANKING" in prompt:
            places = (f"{place}. Response {label}" for place, label in enumerate(sorted(labels), 1))
            return "\n".join(["FINAL RANKING:", *places])
        if "DECISION:" in prompt:
            return f"DECISION: REVISE\nREASONING: Better.\n\nREVISED RESPONSE:\n{name} now says spaces"
        if "VOTE:" in prompt:
            return f"VOTE: Response {min(labels)}"
        return f"{name} says spaces"

    return reply
