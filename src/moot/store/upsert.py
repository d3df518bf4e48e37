"""Insert or change, in one statement: between looking and inserting, somebody else may insert."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def upsert(connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
    """Put the row in place of the one with the same primary key."""
    keys = [column.name for column in table.primary_key]
    adding = _insert(connection, table)
    changed = {name: adding.excluded[name] for name in row if name not in keys}
    connection.execute(adding.on_conflict_do_update(index_elements=keys, set_=changed), dict(row))


def insert_new(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Whether it was inserted; not if it would be the second where there may be but one."""
    adding = _insert(connection, table).on_conflict_do_nothing()
    return connection.execute(adding, dict(row)).rowcount > 0


def _insert(connection: Connection, table: Table) -> Any:
    return (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)
