"""What is kept of presets: those of each person, which of them are shared, and what each begins with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, delete, insert, or_, select, update

from moot.store.tables import preset_defaults, presets


@dataclass(frozen=True, slots=True)
class StoredPreset:
    """As one person sees it: `is_default` is theirs."""

    id: str
    user_id: str
    name: str
    mode: str
    config: dict[str, Any]
    shared: bool
    created_at: int
    updated_at: int
    is_default: bool


def visible(connection: Connection, user_id: str) -> list[StoredPreset]:
    """Their own by name, then what others share."""
    c = presets.c
    mine = and_(preset_defaults.c.preset_id == c.id, preset_defaults.c.user_id == user_id)
    query = (
        select(presets, preset_defaults.c.preset_id.is_not(None).label("is_default"))
        .select_from(presets.outerjoin(preset_defaults, mine))
        .where(or_(c.user_id == user_id, c.shared))
        .order_by(c.user_id != user_id, c.name, c.user_id, c.id)
    )
    return [StoredPreset(**row._mapping) for row in connection.execute(query)]


def preset(connection: Connection, user_id: str, id: str) -> StoredPreset | None:
    return next((one for one in visible(connection, user_id) if one.id == id), None)


def has_name(connection: Connection, user_id: str, name: str, but: str | None = None) -> bool:
    """Whether another preset of this person has the name."""
    c = presets.c
    rows = connection.execute(select(c.id).where(c.user_id == user_id, c.name == name, c.id != (but or "")))
    return rows.first() is not None


def add_preset(connection: Connection, id: str, user_id: str, values: Mapping[str, Any], now: int) -> None:
    moment = {"created_at": now, "updated_at": now}
    connection.execute(insert(presets).values(id=id, user_id=user_id, **values, **moment))


def change_preset(connection: Connection, id: str, user_id: str, values: Mapping[str, Any], now: int) -> None:
    c = presets.c
    changing = update(presets).where(c.id == id, c.user_id == user_id)
    connection.execute(changing.values(updated_at=now, **values))


def remove_preset(connection: Connection, id: str, user_id: str) -> None:
    """Whoever began with it begins with none."""
    c = presets.c
    connection.execute(delete(presets).where(c.id == id, c.user_id == user_id))


def begin_with(connection: Connection, user_id: str, mode: str, id: str | None) -> None:
    """The preset that this person begins with in a mode; None: with none."""
    c = preset_defaults.c
    connection.execute(delete(preset_defaults).where(c.user_id == user_id, c.mode == mode))
    if id is not None:
        connection.execute(insert(preset_defaults).values(user_id=user_id, mode=mode, preset_id=id))
