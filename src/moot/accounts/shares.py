"""Share links: a finished run, to be read by whoever has the link, until it is revoked or expires."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, delete, select

from moot.accounts.people import DAY_MS
from moot.accounts.random_tokens import new_id, new_token
from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, NotFound
from moot.store import RunRecord, runs
from moot.store.tables import runs as runs_table
from moot.store.tables import share_links

GONE = "This link no longer works: it was revoked or has expired"


@dataclass(frozen=True, slots=True)
class Share:
    id: str
    token: str
    user_id: str
    run_id: str
    created_at: int
    expires_at: int | None
    question: str


_STORED = [share_links.c[name] for name in ("id", "token", "user_id", "run_id", "created_at", "expires_at")]


def path_of(token: str) -> str:
    return f"/#/shared/{token}"


async def share_run(engine: Engine, user: str, run_id: str, days: int | None) -> Share:
    """A new link to a run of theirs. Raises NotFound, or Conflict while it is running."""
    record = await engine.run(run_id, user)
    if record.status == "running":
        raise Conflict("The run is still in progress: share it when it has finished")
    now = now_ms()
    share = Share(
        id=new_id(),
        token=new_token(),
        user_id=user,
        run_id=run_id,
        created_at=now,
        expires_at=None if days is None else now + days * DAY_MS,
        question=record.question,
    )
    values = {column.name: getattr(share, column.name) for column in _STORED}
    await engine.store.change(lambda db: db.execute(share_links.insert(), values))
    return share


async def list_shares(engine: Engine, user: str, run_id: str | None = None) -> list[Share]:
    """Their links that still work, the newest first."""
    c = share_links.c
    query: Select[Any] = select(*_STORED, runs_table.c.question).join(runs_table, runs_table.c.id == c.run_id)
    query = query.where(c.user_id == user, c.expires_at.is_(None) | (c.expires_at > now_ms()))
    if run_id is not None:
        query = query.where(c.run_id == run_id)
    ordered = query.order_by(c.created_at.desc(), c.id)
    return await engine.store.read(lambda db: [Share(*row) for row in db.execute(ordered)])


async def revoke_share(engine: Engine, user: str, id: str) -> None:
    """Raises NotFound."""
    c = share_links.c
    gone = delete(share_links).where(c.id == id, c.user_id == user)
    if not await engine.store.change(lambda db: db.execute(gone).rowcount):
        raise NotFound(f"There is no share link {id}")


async def shared_run(engine: Engine, token: str) -> RunRecord:
    """The run behind a link. Raises NotFound."""

    def read(db: Connection) -> RunRecord | None:
        c = share_links.c
        works = c.expires_at.is_(None) | (c.expires_at > now_ms())
        found = db.execute(select(c.run_id, c.user_id).where(c.token == token, works)).first()
        return None if found is None else runs.run(db, found.run_id, user_id=found.user_id)

    record = await engine.store.read(read)
    if record is None:
        raise NotFound(GONE)
    return record
