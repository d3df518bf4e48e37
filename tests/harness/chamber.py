"""A whole moot without its doors: engine, store, and real HTTP to a scripted model server.

async with Chamber({"a/ann": ["tabs", Reply(vote_for="tabs")], …}) as chamber:
    held = await chamber.deliberate("vote", councilModels=["a/ann", "b/bob", "c/cyd"])
    assert held.types == [...]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any, Self

import orjson
import pytest
from pydantic import SecretStr

from moot.kernel.engine import Engine
from moot.kernel.errors import RunFailed
from moot.kernel.events import Event
from moot.kernel.mode import Mode, Panel
from moot.kernel.request import AskRequest
from moot.kernel.run import Run
from moot.kernel.values import Call, CouncilRow, Row
from moot.modes import MODES
from moot.settings import Settings
from moot.store import RunRecord, Store, conversations, runs
from moot.store.urls import store_for
from moot.templates.index import TemplateIndex
from moot.testing import ModelServer, Received, Rule, Script
from moot.testing.replies import Line
from moot.transport import Transport
from moot.transport.build import transport_for
from moot.transport.catalogue import Catalogue

QUESTION = "Tabs or spaces?"
TITLE_MODEL = "t/title"
PANEL = ("a/ann", "b/bob", "c/cyd", "d/dee", "e/eve")
_FENCED = re.compile(r"^<<<([0-9a-f]{8})$.*?^\1>>>$", re.MULTILINE | re.DOTALL)


@dataclass
class Held:
    """What came of a deliberation: the frames as told, the rows as stored, the message, the requests."""

    record: RunRecord
    frames: list[dict[str, Any]]
    rows: list[Row]
    council_rows: list[CouncilRow]
    message: conversations.StoredMessage | None
    calls: list[Call]
    story: list[Event]
    requests: list[Received]
    result: dict[str, Any]
    answer: str | None

    @property
    def types(self) -> list[str]:
        """The event types but the title's, which comes in every mode."""
        return [frame["type"] for frame in self.frames if frame["type"] != "title_complete"]

    def event(self, type: str) -> dict[str, Any]:
        """The last frame of this type."""
        return next(frame for frame in reversed(self.frames) if frame["type"] == type)

    def data(self, type: str) -> Any:
        return self.event(type)["data"]

    def requests_of(self, model: str) -> list[Received]:
        return [request for request in self.requests if request.model == model]

    @property
    def stages(self) -> list[tuple[int, str]]:
        return [(row.stage_order, row.stage_type) for row in self.rows]

    def prompts(self, model: str) -> list[str]:
        """What a model was asked, in the order it came, the title apart."""
        return [r.prompt for r in self.requests if r.model == model]


def impatient(mode: Mode[Any]) -> Mode[Any]:
    """The mode with timeouts below the ten seconds that a request may ask for."""

    class Impatient(mode.config):  # type: ignore[misc, name-defined]
        timeout_ms: int = 120_000

    return replace(mode, config=Impatient)


class Chamber:
    def __init__(
        self,
        models: Mapping[str, Line | list[Line]] | None = None,
        *,
        rules: list[Rule] | None = None,
        database: str = "sqlite://",
        impatient: bool = False,
        transport: Transport | None = None,
        panel: tuple[str, ...] = PANEL,
        modes: Mapping[str, Mode[Any]] = MODES,
        **settings: Any,
    ) -> None:
        lines: dict[str, Any] = {TITLE_MODEL: "A Short Title", **(models or {})}
        self.server = ModelServer(Script(models=lines, rules=rules or []))
        self._settings = {"title_model": TITLE_MODEL, "attempts": 1, **settings}
        self._database = database
        self._impatient = impatient
        self._transport = transport
        self._panel = panel
        self._modes = modes
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self.server)
        self.settings = Settings(
            openrouter_base_url=self.server.url, openrouter_api_key=SecretStr("sk-canary"), **self._settings
        )
        network = transport_for(self.settings)
        self._stack.push_async_callback(network.aclose)
        transport = self._transport or network
        self.store: Store = store_for(self._database)
        modes = self._modes
        if self._impatient:
            modes = {mode.id: impatient(mode) for mode in modes.values()}
        engine = Engine(
            self.store,
            transport,
            Panel(self._panel),
            self.settings,
            modes=modes,
            retriever=TemplateIndex(self.settings, self.store),
            catalogue=Catalogue(self.settings),
            strict=True,
        )
        self.engine = await self._stack.enter_async_context(engine)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    async def deliberate(
        self, mode: str, question: str = QUESTION, *, conversation: str | None = None, **config: Any
    ) -> Held:
        body = {
            "question": question,
            "mode": mode,
            "conversationId": conversation,
            "modeConfig": config or None,
        }
        ask = AskRequest.of({key: value for key, value in body.items() if value is not None})
        return await self.held(await self.engine.start(ask))

    async def held(self, record: RunRecord) -> Held:
        """Follow a run to its end and read back all that was kept of it."""
        frames = [
            orjson.loads(frame.json()) async for batch in self.engine.follow(record.id) for frame in batch
        ]
        record = await self.engine.finished(record.id)
        rows, council_rows, messages, calls = await self.store.read(
            lambda db: (
                conversations.stage_rows(db, record.message_id),
                conversations.council_rows(db, record.message_id),
                conversations.messages(db, record.conversation_id),
                runs.calls_of(db, record.id),
            )
        )
        story = await self.engine.story(record)
        mode = self.engine.modes[record.mode]
        return Held(
            record=record,
            frames=frames,
            rows=rows,
            council_rows=council_rows,
            message=next((m for m in messages if m.id == record.message_id), None),
            calls=calls,
            story=story,
            requests=[r for r in self.server.requests if r.model != TITLE_MODEL],
            result=mode.result(story).model_dump(mode="json"),
            answer=mode.answer(story),
        )


def little_time_after(monkeypatch: pytest.MonkeyPatch, type: str, seconds: float) -> None:
    """Once a run has told an event of this type, its pipeline has only so much time left."""
    left: Callable[[Run[Any]], float] = Run.seconds_left.fget  # type: ignore[attr-defined]

    def late(run: Run[Any]) -> float:
        return seconds if any(event.type == type for event in run.events) else left(run)

    monkeypatch.setattr(Run, "seconds_left", property(late))


def failed(held: Held) -> str:
    """The message a failed run ended with."""
    if held.record.status not in ("failed", "cancelled"):
        raise RunFailed(f"the run is {held.record.status}")
    return str(held.frames[-1]["message"])


def assert_fenced(held: Held, texts: Iterable[str]) -> None:
    """No request shows one of these foreign texts outside a fence; each is shown at least once.

    A turn that is nothing but the text (a question as it was asked) is no prompt of ours.
    """
    messages = [str(m["content"]) for r in held.requests for m in r.body["messages"]]
    prompts = [message for message in messages if message not in set(texts := list(texts))]
    for text in texts:
        assert any(text in prompt for prompt in prompts), f"{text!r} was never shown"
    for prompt in prompts:
        bare = unfenced(prompt)
        assert not [text for text in texts if text in bare], f"unfenced in:\n{prompt}"


def unfenced(prompt: str) -> str:
    """What of a prompt stands behind no fence."""
    return _FENCED.sub("", prompt)
