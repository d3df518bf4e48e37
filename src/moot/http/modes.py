"""The modes one can ask in, each with a form's worth of schema, and the schemas of all events."""

from __future__ import annotations

import asyncio
from functools import cache, lru_cache
from typing import Any

import orjson
from fastapi import APIRouter, Response

from moot.http.dependencies import REFUSALS, OneEngine, User
from moot.kernel.engine import Engine
from moot.kernel.events import SHARED
from moot.kernel.mode import Mode, ModeEntry, Panel
from moot.kernel.schemas import config_schema, event_schemas
from moot.kernel.values import Maybe, Wire

_config_schema = lru_cache(maxsize=256)(config_schema)

router = APIRouter(tags=["modes"], responses=REFUSALS)


class ModeView(ModeEntry):
    """A mode with what a form for it needs."""

    available: bool
    max_question_chars: Maybe[int]
    config_schema: Maybe[dict[str, Any]]
    events: Maybe[list[str]]


class ModeList(Wire):
    modes: list[ModeView]
    default_mode: str


@router.get("/api/modes")
async def list_modes(engine: OneEngine, user: User) -> ModeList:
    """List the modes, each with the schema of its config and your defaults."""
    panel = await engine.panel_of(user)
    return ModeList(
        modes=[_view(engine, mode, panel) for mode in engine.modes.values()],
        default_mode=engine.settings.default_mode,
    )


@router.get("/api/events/schema", response_model=dict[str, Any])
async def read_event_schemas(engine: OneEngine) -> Response:
    """Read the JSON Schema of every event by mode and type, to generate types from."""
    # They take long to make, and others are waiting for their events.
    schemas = await asyncio.to_thread(_event_schemas, tuple(engine.modes.values()))
    return Response(schemas, media_type="application/json")


@cache
def _event_schemas(modes: tuple[Mode[Any], ...]) -> bytes:
    return orjson.dumps(event_schemas({mode.id: mode for mode in modes}))


def _view(engine: Engine, mode: Mode[Any], panel: Panel) -> ModeView:
    return ModeView(
        **mode.entry.model_dump(by_alias=False),
        available=True,
        max_question_chars=mode.question.longest or engine.settings.max_question_chars,
        config_schema=_config_schema(mode, panel, engine.settings.timeout_ms),
        events=[event.type for event in (*mode.events, *SHARED)],
    )
