"""What only history asks the database: ids by how they begin, and how conversations stand in lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from sqlalchemy import Connection, Table, select

from moot.kernel.status import Status
from moot.store import tables

SHORTEST_PREFIX = 4
"""Fewer characters find nothing: they would fit too many."""


def run_ids(connection: Connection, user_id: str, prefix: str) -> list[str]:
    """The ids of a person's runs that begin so, at most two: enough to know whether there is just one."""
    return _ids(connection, tables.runs, user_id, prefix)


def conversation_ids(connection: Connection, user_id: str, prefix: str) -> list[str]:
    return _ids(connection, tables.conversations, user_id, prefix)


def _ids(connection: Connection, table: Table, user_id: str, prefix: str) -> list[str]:
    if len(prefix) < SHORTEST_PREFIX:
        return []
    mine = select(table.c.id).where(table.c.user_id == user_id)
    fitting = mine.where(table.c.id.startswith(prefix, autoescape=True)).limit(2)
    return list(connection.execute(fitting).scalars())


@dataclass(frozen=True, slots=True)
class Standing:
    """How a conversation stands: its newest run, what became of it, and whether that was simulated."""

    run_id: str
    status: Status
    simulated: bool


def standings(connection: Connection, user_id: str, ids: Sequence[str]) -> dict[str, Standing]:
    """By conversation."""
    r, e = tables.runs.c, tables.events.c
    opening = tables.runs.join(tables.events, (e.run_id == r.id) & (e.number == 1))
    query = select(r.conversation_id, r.id, r.status, e.body).select_from(opening)
    query = query.where(r.user_id == user_id, r.conversation_id.in_(ids)).order_by(r.started_at, r.id)
    return {
        conversation_id: Standing(run_id, status, bool(orjson.loads(body).get("simulated")))
        for conversation_id, run_id, status, body in connection.execute(query)
    }
