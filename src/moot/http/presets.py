"""Presets: a mode with its config under a name, yours and those that others share."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from moot.http.bodies import body_schema, read_body
from moot.http.dependencies import REFUSALS, OneEngine, User
from moot.kernel.values import Wire
from moot.presets import presets
from moot.presets.presets import NewPreset, Preset, PresetChange

router = APIRouter(tags=["presets"], responses=REFUSALS)


class PresetList(Wire):
    presets: list[Preset]


@router.get("/api/presets")
async def list_presets(engine: OneEngine, user: User, mode: str | None = None) -> PresetList:
    """List your presets by name, then those that others share; one that its mode no longer accepts has a
    `problem`."""
    return PresetList(presets=await presets.list_presets(engine, user, mode))


@router.post("/api/presets", status_code=201, openapi_extra=body_schema(NewPreset))
async def add_preset(request: Request, engine: OneEngine, user: User) -> Preset:
    """Save a mode and its config under a name. The config is checked as if it were asked with."""
    return await presets.add_preset(engine, user, await read_body(request, NewPreset))


@router.patch("/api/presets/{preset_id}", openapi_extra=body_schema(PresetChange))
async def change_preset(preset_id: str, request: Request, engine: OneEngine, user: User) -> Preset:
    """Rename, change, share or stop sharing a preset of your own."""
    return await presets.change_preset(engine, user, preset_id, await read_body(request, PresetChange))


@router.delete("/api/presets/{preset_id}", status_code=204)
async def remove_preset(preset_id: str, engine: OneEngine, user: User) -> Response:
    """Remove a preset of your own."""
    await presets.remove_preset(engine, user, preset_id)
    return Response(status_code=204)


@router.put("/api/presets/{preset_id}/default")
async def begin_with_preset(preset_id: str, engine: OneEngine, user: User) -> Preset:
    """Make a preset, your own or a shared one, your default for its mode."""
    return await presets.make_default(engine, user, preset_id)


@router.delete("/api/presets/{preset_id}/default")
async def no_longer_begin_with_preset(preset_id: str, engine: OneEngine, user: User) -> Preset:
    """Go back to the server's defaults."""
    return await presets.make_default(engine, user, preset_id, on=False)
