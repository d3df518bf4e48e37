"""A person's runs: listed, and found by how their id begins."""

from __future__ import annotations

from moot.history import queries
from moot.kernel.engine import Engine
from moot.kernel.errors import NotFound, Rejected
from moot.kernel.status import Status
from moot.store import RunRecord, runs
from moot.store.paging import Page


async def list_runs(
    engine: Engine, user: str, *, limit: int = 50, cursor: str | None = None, status: Status | None = None
) -> Page[RunRecord]:
    """The newest first."""
    return await engine.store.read(
        lambda db: runs.runs_list(db, user, limit=limit, cursor=cursor, status=status)
    )


async def find_run(engine: Engine, user: str, prefix: str) -> RunRecord:
    """The run whose id begins so. Raises NotFound, or Rejected if there are several."""
    ids = await engine.store.read(lambda db: queries.run_ids(db, user, prefix))
    return await engine.run(only(ids, "run", prefix), user)


def only(ids: list[str], thing: str, prefix: str) -> str:
    """The one id that begins so. Raises NotFound, or Rejected if there are several."""
    if not ids:
        raise NotFound(f"There is no {thing} {prefix}")
    if len(ids) > 1:
        raise Rejected(f"Several {thing}s begin with {prefix}: give more of the id")
    return ids[0]
