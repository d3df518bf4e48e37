"""The library's doors: ask from a Python program.

outcome = await moot.deliberate("Tabs or spaces?", mode="vote")
outcome.answer

async for event in moot.stream("Tabs or spaces?", mode="debate"):
    print(event["type"])
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from moot.kernel.engine import Engine
from moot.kernel.errors import RunFailed
from moot.kernel.mode import Panel
from moot.kernel.request import AskRequest
from moot.settings import Settings
from moot.store import RunRecord, Status
from moot.transport import Transport

if TYPE_CHECKING:
    from moot.insight.figures import Insight


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a deliberation. `result` is the mode's whole result, camelCase as on the wire."""

    run_id: str
    conversation_id: str
    mode: str
    status: Status
    answer: str
    result: dict[str, Any]
    simulated: bool

    @property
    def degraded(self) -> bool:
        return self.status == "degraded"


@asynccontextmanager
async def open_engine(
    settings: Settings | None = None,
    *,
    transport: Transport | None = None,
    panel: Sequence[str] = (),
    adopts: bool = False,
) -> AsyncIterator[Engine]:
    """An engine on the database and the providers that the settings name.

    `transport` replaces the way to the models (see `moot.testing`), `panel` the models that
    defaults are drawn from. `adopts`: also take up runs that died with their process, as a server does.
    """
    from moot.modes import MODES
    from moot.simulator.transport import Simulator
    from moot.store.urls import store_for
    from moot.templates.index import TemplateIndex
    from moot.transport.build import transport_for
    from moot.transport.catalogue import SIMULATED_PANEL, Catalogue, default_panel

    settings = settings or Settings.load()
    network = None if transport is not None else transport_for(settings, Simulator())
    drawn = panel or (
        await default_panel(settings, Catalogue(settings), probe=True) if network else SIMULATED_PANEL
    )
    way = transport or network
    assert way is not None
    store = store_for(settings.database_url)
    try:
        engine = Engine(
            store,
            way,
            Panel(tuple(drawn)),
            settings,
            modes=MODES,
            retriever=TemplateIndex(settings, store),
            adopts=adopts,
        )
        async with engine:
            yield engine
    finally:
        if network is not None:
            await network.aclose()


async def deliberate(
    question: str,
    mode: str = "council",
    *,
    config: Mapping[str, Any] | None = None,
    conversation_id: str | None = None,
    settings: Settings | None = None,
    transport: Transport | None = None,
    engine: Engine | None = None,
) -> Outcome:
    """Ask, wait, and get the outcome. Raises Rejected for a bad request, RunFailed without a result.

    With `engine` the question goes to one that is already open; else one is opened for it.
    """
    if engine is None:
        async with open_engine(settings, transport=transport) as opened:
            return await deliberate(
                question, mode, config=config, conversation_id=conversation_id, engine=opened
            )
    record = await engine.start(_ask(question, mode, config, conversation_id))
    record = await engine.finished(record.id)
    if record.status in ("failed", "cancelled"):
        raise RunFailed(record.error or "The run failed.")
    return await outcome_of(engine, record)


async def stream(
    question: str,
    mode: str = "council",
    *,
    config: Mapping[str, Any] | None = None,
    conversation_id: str | None = None,
    tokens: bool = False,
    settings: Settings | None = None,
    transport: Transport | None = None,
    engine: Engine | None = None,
) -> AsyncIterator[dict[str, Any]]:
    """Every event as it is told, as the dict it is on the wire; with `tokens`, the live text too."""
    if engine is None:
        async with open_engine(settings, transport=transport) as opened:
            events = stream(
                question, mode, config=config, conversation_id=conversation_id, tokens=tokens, engine=opened
            )
            async for event in events:
                yield event
        return
    record = await engine.start(_ask(question, mode, config, conversation_id))
    async for batch in engine.follow(record.id, tokens=tokens):
        for frame in batch:
            yield orjson.loads(frame.json())


def deliberate_sync(question: str, mode: str = "council", **options: Any) -> Outcome:
    """`deliberate` for programs without an event loop."""
    return asyncio.run(deliberate(question, mode, **options))


async def insight(
    days: int = 30,
    *,
    mode: str | None = None,
    model: str | None = None,
    simulated: bool | None = None,
    timezone: str = "UTC",
    settings: Settings | None = None,
    engine: Engine | None = None,
) -> Insight:
    """What was spent over so many days, how models fared, where the time went: as `GET /api/insight` has it.

    Raises Rejected for a period, a mode or a time zone that there is not.
    """
    from pydantic import ValidationError

    from moot.insight.figures import Period, read_insight
    from moot.kernel.refusals import rejected
    from moot.simulator.transport import Simulator

    try:
        period = Period(days=days, timezone=timezone, mode=mode, model=model, simulated=simulated)
    except ValidationError as error:
        raise rejected(error) from None
    if engine is not None:
        return await read_insight(engine, "local", period)
    async with open_engine(settings, transport=Simulator()) as opened:  # nobody is asked anything
        return await read_insight(opened, "local", period)


async def outcome_of(engine: Engine, record: RunRecord) -> Outcome:
    """The folded story of a run, as library, API, CLI and export give it."""
    mode = engine.modes[record.mode]
    story = await engine.story(record)
    opening = story[0]
    return Outcome(
        run_id=record.id,
        conversation_id=record.conversation_id,
        mode=record.mode,
        status=record.status,
        answer=mode.answer(story) or "",
        result=mode.result(story).model_dump(mode="json"),
        simulated=bool(getattr(opening, "simulated", None)),
    )


def _ask(
    question: str, mode: str, config: Mapping[str, Any] | None, conversation_id: str | None
) -> AskRequest:
    body = {"question": question, "mode": mode, "modeConfig": config, "conversationId": conversation_id}
    return AskRequest.of({key: value for key, value in body.items() if value is not None})
