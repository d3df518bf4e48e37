"""Bringing a database to the schema of `tables.py`: Alembic, inside the transaction of the caller.

The caller has locked out every other process that opens the same database, so two that start at
once migrate once. Alembic is imported only when there is something to do: an up-to-date database
costs one SELECT.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection

from moot.kernel.errors import MootError

HEAD = "0013"
"""The newest revision under `versions/`."""

CURRENT = "SELECT version_num FROM alembic_version"


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
    except CommandError as error:
        raise MootError(
            f"The database's schema is not one this version of moot knows ({error}). "
            "It was probably written by a newer one: upgrade moot, or name another database."
        ) from error
