"""Presets: a mode and its config under a name. Yours, and those that others share with everyone.

    given = NewPreset.of({"name": "Three quick ones", "mode": "vote", "config": {"councilModels": […]}})
    await add(engine, "ann", given)

Only what differs from the defaults is kept, so that a preset follows the server where it says nothing. It is
checked when it is saved, by its mode; one that its mode no longer takes is listed with the problem, not lost.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import AfterValidator, Field, ValidationError

from moot.kernel.clock import iso, now_ms
from moot.kernel.errors import Conflict, NotFound, Rejected
from moot.kernel.mode import problem
from moot.kernel.request import find_mode, read_body, read_config, refuse_nul, rejected
from moot.kernel.values import Maybe, Wire
from moot.presets import queries as kept
from moot.presets.queries import StoredPreset

if TYPE_CHECKING:
    from moot.kernel.engine import Engine

LONGEST_NAME = 80


def _one_line(name: str) -> str:
    line = " ".join(name.split())
    if not line:
        raise problem("A preset needs a name")
    if len(line) > LONGEST_NAME:
        raise problem(f"The name has {len(line)} characters, the limit is {LONGEST_NAME}")
    return line


Name = Annotated[str, AfterValidator(_one_line)]


class PresetChange(Wire):
    """What is to change; the rest stays."""

    name: Maybe[Name]
    config: Maybe[dict[str, Any]]
    shared: Maybe[bool]

    @classmethod
    def of(cls, value: bytes | Mapping[str, Any]) -> Self:
        if isinstance(value, bytes):
            return read_body(cls, value)
        refuse_nul(value)
        try:
            return cls.model_validate(dict(value))
        except ValidationError as error:
            raise rejected(error) from None


class NewPreset(PresetChange):
    name: Name
    mode: str
    config: dict[str, Any] = Field(default_factory=dict)
    shared: bool = False


class Preset(Wire):
    """As one person sees it. `problem`: why its mode would refuse it now; `isDefault`: it is applied when
    this person chooses the mode."""

    id: str
    name: str
    mode: str
    config: dict[str, Any]
    shared: bool
    own: bool
    owner: str
    is_default: bool
    problem: str | None
    created_at: str
    updated_at: str


async def listed(engine: Engine, user: str, mode: str | None = None) -> list[Preset]:
    """Their own by name, then what others share."""
    found = await engine.store.read(lambda db: kept.visible(db, user))
    return [_seen(engine, one, user) for one in found if mode in (None, one.mode)]


async def found(engine: Engine, user: str, id: str) -> Preset:
    return _seen(engine, await _stored(engine, user, id), user)


def named(presets: Sequence[Preset], name: str) -> Preset:
    """The preset with this name or id: one's own before those of others. Raises NotFound, or Rejected if
    several people share one of that name."""
    for own in (True, False):
        fitting = [one for one in presets if one.own == own and name in (one.name, one.id)]
        if len(fitting) > 1:
            ids = ", ".join(f"{one.id} ({one.owner})" for one in fitting)
            raise Rejected(f"Several people share a preset {name!r}: name it by its id, {ids}")
        if fitting:
            return fitting[0]
    raise NotFound(f"There is no preset {name!r}")


async def add(engine: Engine, user: str, given: NewPreset) -> Preset:
    """Raises Rejected with the words of the mode, Conflict if the name is taken."""
    _check(engine, given.mode, given.config)
    id = uuid.uuid4().hex[:16]
    values = given.model_dump(by_alias=False)
    if not await engine.store.change(lambda db: kept.add_preset(db, id, user, values, now_ms())):
        raise _taken(given.name)
    return await found(engine, user, id)


async def save(engine: Engine, user: str, given: NewPreset) -> Preset:
    """In place of their preset of that name, if there is one of the same mode."""
    own = await _of_name(engine, user, given)
    if not own:
        try:
            return await add(engine, user, given)
        except Conflict:  # it may have come meanwhile
            own = await _of_name(engine, user, given)
            if not own:
                raise
    told = PresetChange.of({"config": given.config, "shared": given.shared})
    return await change(engine, user, own[0].id, told)


async def _of_name(engine: Engine, user: str, given: NewPreset) -> list[Preset]:
    return [one for one in await listed(engine, user, given.mode) if one.own and one.name == given.name]


async def change(engine: Engine, user: str, id: str, given: PresetChange) -> Preset:
    """Only its owner may."""
    old = _owned(await _stored(engine, user, id), user)
    if given.config is not None:
        _check(engine, old.mode, given.config)
    values = {
        name: getattr(given, name) for name in given.model_fields_set if getattr(given, name) is not None
    }
    if not await engine.store.change(lambda db: kept.change_preset(db, id, user, values, now_ms())):
        raise _taken(given.name or "")
    return await found(engine, user, id)


async def remove(engine: Engine, user: str, id: str) -> None:
    """Only its owner may."""
    _owned(await _stored(engine, user, id), user)
    await engine.store.change(lambda db: kept.remove_preset(db, id, user))


async def make_default(engine: Engine, user: str, id: str, *, on: bool = True) -> Preset:
    """This person begins with it whenever they choose its mode; or, with `on` false, no longer."""
    one = await _stored(engine, user, id)
    if on or one.is_default:
        await engine.store.change(lambda db: kept.begin_with(db, user, one.mode, id if on else None))
    return await found(engine, user, id)


async def _stored(engine: Engine, user: str, id: str) -> StoredPreset:
    one = await engine.store.read(lambda db: kept.preset(db, user, id))
    if one is None:
        raise NotFound(f"There is no preset {id}")
    return one


def _owned(one: StoredPreset, user: str) -> StoredPreset:
    if one.user_id != user:
        raise Conflict(f"{one.name!r} belongs to {one.user_id}: save it as a preset of your own to change it")
    return one


def _taken(name: str) -> Conflict:
    said = f"You already have a preset {name!r}"
    return Conflict(said, (("name", said),))


def _check(engine: Engine, mode_id: str, config: Mapping[str, Any]) -> None:
    read_config(find_mode(mode_id, engine.modes), config, engine.panel, "", engine.settings)


def _seen(engine: Engine, one: StoredPreset, user: str) -> Preset:
    said = None
    try:
        _check(engine, one.mode, one.config)
    except Rejected as error:
        said = str(error)
    return Preset(
        id=one.id,
        name=one.name,
        mode=one.mode,
        config=one.config,
        shared=one.shared,
        own=one.user_id == user,
        owner=one.user_id,
        is_default=one.is_default,
        problem=said,
        created_at=iso(one.created_at),
        updated_at=iso(one.updated_at),
    )
