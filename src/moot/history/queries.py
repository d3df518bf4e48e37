"""What only history asks the database: ids by how they begin, as lists show them."""

from __future__ import annotations

from sqlalchemy import Connection, Table, select

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
