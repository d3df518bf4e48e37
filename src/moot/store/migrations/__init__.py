"""Bringing a database to the schema of `tables.py`: Alembic, inside the transaction of the caller.

The caller has locked out every other process that opens the same database, so two that start at
once migrate once. Alembic is imported only when there is something to do: an up-to-date database
costs one SELECT. While a fleet is upgraded, older code meets a newer schema, and works with it where that
says it can.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection, text

from moot.kernel.errors import MootError
from moot.store.tables import schema_floor

HEAD = "0014"
"""The newest revision under `versions/`."""

CURRENT = "SELECT version_num FROM alembic_version"
LOWEST = "SELECT revision FROM schema_floor"
FLOOR = "0012"
"""Code whose newest revision is this one, or any since, can use a database with the schema of HEAD. Raise it
only with a migration that older code does not survive; one that adds tables, indexes, and columns that may be
left out leaves it as it is."""


def is_usable(revision: str | None, floor: Callable[[], str | None]) -> bool:
    """Whether a schema is ours, or newer and lets code of this age work with it."""
    if revision is None or revision < HEAD:
        return False
    return revision == HEAD or ((lowest := floor()) is not None and lowest <= HEAD)


def upgrade(connection: Connection) -> None:
    """Run what is missing. The schema of a newer moot than this one is refused."""
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
        # No revision of its own: only who runs a migration has something to say.
        schema_floor.create(connection, checkfirst=True)
        connection.execute(text("DELETE FROM schema_floor"))
        connection.execute(text("INSERT INTO schema_floor (revision) VALUES (:floor)"), {"floor": FLOOR})
    except CommandError as error:
        raise MootError(
            f"The database's schema is not one this version of moot knows ({error}). "
            "It was probably written by a newer one: upgrade moot, or name another database."
        ) from error
