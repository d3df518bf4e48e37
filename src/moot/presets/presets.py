"""Presets: a mode and its config under a name. Yours, and those that others share with everyone.

    new = NewPreset(name="Three quick ones", mode="vote", config={"councilModels": […]})
    await add_preset(engine, "ann", new)

Only what differs from the defaults is kept, so that a preset follows the server where it says nothing. It is
checked when it is saved, by its mode; one that its mode no longer takes is listed with the problem, not lost.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from moot.kernel.clock import iso, now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, NotFound, Rejected
from moot.kernel.mode import ModeConfig, Panel, models_of
from moot.kernel.mode import problem as refuse
from moot.kernel.request import find_mode, read_config
from moot.kernel.values import Maybe, Wire
from moot.presets import queries
from moot.presets.queries import StoredPreset
from moot.settings.providers import Provider
from moot.transport.by_prefix import MissingKey, missing_keys

LONGEST_NAME = 80


def _one_line(name: str) -> str:
    line = " ".join(name.split())
    if not line:
        raise refuse("A preset needs a name")
    if len(line) > LONGEST_NAME:
        raise refuse(f"The name has {len(line)} characters, the limit is {LONGEST_NAME}")
    return line


Name = Annotated[str, AfterValidator(_one_line)]


class PresetChange(Wire):
    """What is to change; the rest stays."""

    name: Maybe[Name]
    config: Maybe[dict[str, Any]]
    shared: Maybe[bool]


class NewPreset(PresetChange):
    name: Name
    mode: str
    config: dict[str, Any] = Field(default_factory=dict)
    shared: bool = False


class Preset(Wire):
    """As one person sees it. `problem`: why its mode would refuse it now; `missingKeys`: what must be set
    before its models can be asked; `isDefault`: it is applied when this person chooses the mode."""

    id: str
    name: str
    mode: str
    config: dict[str, Any]
    shared: bool
    own: bool
    owner: str
    is_default: bool
    problem: str | None
    missing_keys: list[MissingKey]
    created_at: str
    updated_at: str


async def list_presets(engine: Engine, user: str, mode: str | None = None) -> list[Preset]:
    """Their own by name, then what others share."""
    presets = await engine.store.read(lambda db: queries.visible(db, user))
    view = await _viewer(engine, user)
    return [view(one) for one in presets if mode in (None, one.mode)]


async def read_preset(engine: Engine, user: str, id: str) -> Preset:
    """Raises NotFound."""
    view = await _viewer(engine, user)
    return view(await _stored_preset(engine, user, id))


async def find_preset(engine: Engine, user: str, name: str) -> Preset:
    """The preset with this name or id: one's own before those of others. Raises NotFound, or Rejected if
    several people share one of that name."""
    presets = await list_presets(engine, user)
    for own in (True, False):
        fitting = [one for one in presets if one.own == own and name in (one.name, one.id)]
        if len(fitting) > 1:
            ids = ", ".join(f"{one.id} ({one.owner})" for one in fitting)
            raise Rejected(f"Several people share a preset called {name!r}: use its id, {ids}")
        if fitting:
            return fitting[0]
    raise NotFound(f"There is no preset {name!r}")


async def add_preset(engine: Engine, user: str, new: NewPreset) -> Preset:
    """Raises Rejected with the words of the mode, Conflict if the name is taken."""
    _check(engine, await engine.panel_of(user), new.mode, new.config)
    id = uuid.uuid4().hex[:16]

    values = new.model_dump(by_alias=False)
    if not await engine.store.change(lambda db: queries.add_preset(db, id, user, values, now_ms())):
        raise _name_conflict(new.name)
    return await read_preset(engine, user, id)


async def save_preset(engine: Engine, user: str, new: NewPreset) -> Preset:
    """In place of their preset of that name, if there is one of the same mode."""
    old = await _preset_by_name(engine, user, new)
    if old is None:
        try:
            return await add_preset(engine, user, new)
        except Conflict:  # somebody may have saved it in the meantime
            old = await _preset_by_name(engine, user, new)
            if old is None:
                raise
    return await change_preset(
        engine, user, old.id, PresetChange(name=None, config=new.config, shared=new.shared)
    )


async def _preset_by_name(engine: Engine, user: str, new: NewPreset) -> Preset | None:
    presets = await list_presets(engine, user, new.mode)
    return next((one for one in presets if one.own and one.name == new.name), None)


async def change_preset(engine: Engine, user: str, id: str, change: PresetChange) -> Preset:
    """Only its owner may."""
    old = _require_owner(await _stored_preset(engine, user, id), user)
    if change.config is not None:
        _check(engine, await engine.panel_of(user), old.mode, change.config)
    fields = ((name, getattr(change, name)) for name in change.model_fields_set)
    values = {name: value for name, value in fields if value is not None}
    if not await engine.store.change(lambda db: queries.change_preset(db, id, user, values, now_ms())):
        raise _name_conflict(change.name or "")
    return await read_preset(engine, user, id)


async def remove_preset(engine: Engine, user: str, id: str) -> None:
    """Only its owner may."""
    _require_owner(await _stored_preset(engine, user, id), user)
    await engine.store.change(lambda db: queries.remove_preset(db, id, user))


async def make_default(engine: Engine, user: str, id: str, *, on: bool = True) -> Preset:
    """This person begins with it whenever they choose its mode; or, with `on` false, no longer."""
    one = await _stored_preset(engine, user, id)
    if on or one.is_default:
        await engine.store.change(lambda db: queries.begin_with(db, user, one.mode, id if on else None))
    return await read_preset(engine, user, id)


async def _stored_preset(engine: Engine, user: str, id: str) -> StoredPreset:
    one = await engine.store.read(lambda db: queries.preset(db, user, id))
    if one is None:
        raise NotFound(f"There is no preset {id}")
    return one


def _require_owner(one: StoredPreset, user: str) -> StoredPreset:
    if one.user_id != user:
        raise Conflict(f"{one.name!r} belongs to {one.user_id}: save it as a preset of your own to change it")
    return one


def _name_conflict(name: str) -> Conflict:
    message = f"You already have a preset {name!r}"
    return Conflict(message, (("name", message),))


def _check(engine: Engine, panel: Panel, mode_id: str, config: Mapping[str, Any]) -> ModeConfig:
    return read_config(find_mode(mode_id, engine.modes), config, panel, "", engine.settings)


async def _viewer(engine: Engine, user: str) -> Callable[[StoredPreset], Preset]:
    """How this person sees presets: with their own defaults, and the keys that they may use."""
    panel, providers = await engine.panel_of(user), await engine.keys.of(user)
    return lambda one: _view(engine, one, user, panel, providers)


def _view(
    engine: Engine, one: StoredPreset, user: str, panel: Panel, providers: Mapping[str, Provider]
) -> Preset:
    problem, keys = None, list[MissingKey]()
    try:
        models = models_of(_check(engine, panel, one.mode, one.config))
        keys = missing_keys(models, providers)
    except Rejected as error:
        problem = str(error)
    return Preset(
        id=one.id,
        name=one.name,
        mode=one.mode,
        config=one.config,
        shared=one.shared,
        own=one.user_id == user,
        owner=one.owner,
        is_default=one.is_default,
        problem=problem,
        missing_keys=keys,
        created_at=iso(one.created_at),
        updated_at=iso(one.updated_at),
    )
