"""What is kept of presets: those of each person, which of them are shared, and what each begins with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, delete, func, or_, select, update
from sqlalchemy.exc import IntegrityError

from moot.store.tables import people, preset_defaults, presets
from moot.store.upsert import insert_new, upsert


@dataclass(frozen=True, slots=True)
class StoredPreset:
    """As one person sees it: `is_default` is theirs, `owner` the name of whoever saved it."""

    id: str
    user_id: str
    name: str
    mode: str
    config: dict[str, Any]
    shared: bool
    created_at: int
    updated_at: int
    is_default: bool
    owner: str


def visible(connection: Connection, user_id: str) -> list[StoredPreset]:
    """Their own by name, then what others share."""
    c = presets.c
    mine = and_(preset_defaults.c.preset_id == c.id, preset_defaults.c.user_id == user_id)
    query = (
        select(
            presets,
            preset_defaults.c.preset_id.is_not(None).label("is_default"),
            func.coalesce(people.c.name, c.user_id).label("owner"),
        )
        .select_from(presets.outerjoin(preset_defaults, mine).outerjoin(people, people.c.id == c.user_id))
        .where(or_(c.user_id == user_id, c.shared))
        .order_by(c.user_id != user_id, c.name, c.user_id, c.id)
    )
    return [StoredPreset(**row._mapping) for row in connection.execute(query)]


def preset(connection: Connection, user_id: str, id: str) -> StoredPreset | None:
    return next((one for one in visible(connection, user_id) if one.id == id), None)


def add_preset(connection: Connection, id: str, user_id: str, values: Mapping[str, Any], now: int) -> bool:
    """Whether the name was free."""
    moment = {"created_at": now, "updated_at": now}
    return insert_new(connection, presets, {"id": id, "user_id": user_id, **values, **moment})


def change_preset(connection: Connection, id: str, user_id: str, values: Mapping[str, Any], now: int) -> bool:
    """Whether the name, if that is to change, was free."""
    c = presets.c
    changing = update(presets).where(c.id == id, c.user_id == user_id)
    try:
        with connection.begin_nested():
            connection.execute(changing.values(updated_at=now, **values))
    except IntegrityError:
        return False
    return True


def remove_preset(connection: Connection, id: str, user_id: str) -> None:
    """Whoever began with it begins with none."""
    c = presets.c
    connection.execute(delete(presets).where(c.id == id, c.user_id == user_id))


def begin_with(connection: Connection, user_id: str, mode: str, id: str | None) -> None:
    """The preset that this person begins with in a mode; None: with none."""
    c = preset_defaults.c
    if id is None:
        connection.execute(delete(preset_defaults).where(c.user_id == user_id, c.mode == mode))
        return
    # Whoever removes it now comes after us, or it is gone already.
    there = select(presets.c.id).where(presets.c.id == id).with_for_update(key_share=True)
    if connection.execute(there).first() is not None:
        upsert(connection, preset_defaults, {"user_id": user_id, "mode": mode, "preset_id": id})
