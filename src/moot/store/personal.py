"""Whose every row is, told by the tables themselves: what is a person's goes with them, and into an archive.

A table is personal if a column of it names its person (`user_id`, `person_id`), or a foreign key that
cascades leads to one that is. Any other must stand in `IMPERSONAL`; a test asks for it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Table, delete, select, update

from moot.store.tables import metadata, people, reasoning_templates, spending, template_vectors

OWNER_COLUMNS = ("user_id", "person_id")
IMPERSONAL: dict[str, str] = {
    "processes": "processes of the fleet",
    "schema_floor": "how old code may be that uses this database",
    "provider_shares": "how processes divide a provider's limit",
    "provider_pauses": "providers that asked us to slow down",
    "embedders": "figures of the models that find templates",
    "sign_in_attempts": "digests that are forgotten after half an hour",
}
"""Tables with nothing of anybody's, and why."""
DELETED = "deleted"
"""Whose the spending of people is who are gone: the server's figures stay, and say no more of whom."""
SECRETS: dict[str, frozenset[str]] = {
    "people": frozenset({"password_hash", "name_key"}),
    "sessions": frozenset({"digest"}),
    "known_devices": frozenset({"digest"}),
    "api_tokens": frozenset({"digest"}),
    "one_time_links": frozenset({"digest"}),
    "share_links": frozenset({"token"}),
}
"""Columns that stay out of an archive: whoever finds one must not get in by it. So does everything binary."""


def owner_column(table: Table) -> Column[Any] | None:
    if table is people:
        return table.c.id
    return next((table.c[name] for name in OWNER_COLUMNS if name in table.c), None)


def is_personal(table: Table) -> bool:
    return table.name not in IMPERSONAL and (
        owner_column(table) is not None or table is template_vectors or _parent(table) is not None
    )


def personal_tables() -> list[Table]:
    """Those that others depend on first."""
    return [table for table in metadata.sorted_tables if is_personal(table)]


def belongs_to(table: Table, user_id: str) -> ColumnElement[bool]:
    """The condition under which a row of a personal table is this person's."""
    column = owner_column(table)
    if column is not None:
        return column == user_id
    if table is template_vectors:  # which has no foreign key: those of our own library are nobody's
        own = select(reasoning_templates.c.id).where(reasoning_templates.c.user_id == user_id)
        return template_vectors.c.template_id.in_(own)
    link = _parent(table)
    assert link is not None, table.name
    here, there = link
    return here.in_(select(there).where(belongs_to(there.table, user_id)))


def _parent(table: Table) -> tuple[Column[Any], Column[Any]] | None:
    """The foreign key by which a row goes with a personal one: its column, and the one that it names."""
    for key in table.foreign_keys:
        if key.ondelete == "CASCADE" and is_personal(key.column.table):
            return key.parent, key.column
    return None


def shown_columns(table: Table) -> list[Column[Any]]:
    """What an archive holds of a table."""
    secret = SECRETS.get(table.name, frozenset())
    return [
        column for column in table.c if column.name not in secret and column.type.python_type is not bytes
    ]


def forget(connection: Connection, user_id: str) -> None:
    """Delete all that is a person's, at once: conversations and runs should be few by now. What was spent
    stays, as nobody's."""
    connection.execute(update(spending).where(spending.c.user_id == user_id).values(user_id=DELETED))
    for table in reversed(personal_tables()):
        if table is not spending and (owner_column(table) is not None or table is template_vectors):
            connection.execute(delete(table).where(belongs_to(table, user_id)))
