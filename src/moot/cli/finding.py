"""Runs and conversations by the first characters of their id, as lists show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moot.cli.session import USER
from moot.kernel.errors import NotFound, Rejected

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

    from moot.kernel.engine import Engine

SHORT_ID = 8
_LEAST = 4


async def find_run(engine: Engine, name: str) -> str:
    """The id of the run whose id begins so. Raises NotFound, or Rejected if there are several."""
    from moot.store import tables

    return _only(await engine.store.read(lambda db: _beginning(db, tables.runs, name)), "run", name)


async def find_conversation(engine: Engine, name: str) -> str:
    """The id of the conversation whose id begins so, or to which the run belongs whose id does."""
    from moot.store import tables

    found = await engine.store.read(lambda db: _beginning(db, tables.conversations, name))
    if found:
        return _only(found, "conversation", name)
    ran = await engine.store.read(lambda db: _beginning(db, tables.runs, name))
    if not ran:
        raise NotFound(f"There is no conversation {name}")
    return (await engine.run(_only(ran, "run", name), USER)).conversation_id


def _beginning(connection: Connection, table: Table, name: str) -> list[str]:
    from sqlalchemy import select

    if len(name) < _LEAST:
        return []
    mine = select(table.c.id).where(table.c.user_id == USER)
    return list(
        connection.execute(mine.where(table.c.id.startswith(name, autoescape=True)).limit(2)).scalars()
    )


def _only(found: list[str], thing: str, name: str) -> str:
    if not found:
        raise NotFound(f"There is no {thing} {name}")
    if len(found) > 1:
        raise Rejected(f"Several {thing}s begin with {name}: write more of the id")
    return found[0]
