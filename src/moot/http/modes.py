"""The modes one can ask in, each with a form's worth of schema, and the schemas of all events."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from moot.engine import Engine
from moot.events import SHARED
from moot.http.asked import REFUSALS, OneEngine
from moot.registry import REGISTRY, ModeEntry
from moot.schemas import config_schema, event_schemas
from moot.wire import Maybe, Wire

router = APIRouter(tags=["modes"], responses=REFUSALS)


class ModeView(ModeEntry):
    """A mode of the registry; the optional fields are those of a mode that is available."""

    available: bool
    max_question_chars: Maybe[int]
    config_schema: Maybe[dict[str, Any]]
    events: Maybe[list[str]]


class ModeList(Wire):
    modes: list[ModeView]
    default_mode: str


@router.get("/api/modes")
async def list_modes(engine: OneEngine) -> ModeList:
    """In the order people see them, built or not; a config's defaults are those of this server."""
    return ModeList(
        modes=[_view(engine, entry) for entry in REGISTRY.values()],
        default_mode=engine.settings.default_mode,
    )


@router.get("/api/events/schema")
async def read_event_schemas(engine: OneEngine) -> dict[str, Any]:
    """JSON Schemas of every event by mode and type, to generate types from."""
    return event_schemas(engine.modes)


def _view(engine: Engine, entry: ModeEntry) -> ModeView:
    mode = engine.modes.get(entry.id)
    if mode is None:
        return ModeView(**entry.model_dump(by_alias=False), available=False)
    return ModeView(
        **entry.model_dump(by_alias=False),
        available=True,
        max_question_chars=mode.question.longest or engine.settings.max_question_chars,
        config_schema=config_schema(mode, engine.panel, engine.settings.timeout_ms),
        events=[event.type for event in (*mode.events, *SHARED)],
    )
