"""What an administrator sees and does: people with what they spend, who may come in, which runs go on.

Whose run it is, in which mode and since when: what it asks is its person's own.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from moot.accounts import queries
from moot.accounts.people import DAY_MS
from moot.accounts.queries import StoredPerson
from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, NotFound
from moot.store.personal import DELETED
from moot.store.tables import calls, people, runs, spending

SPEND_DAYS = 30
NOBODY = "people who were deleted"


@dataclass(frozen=True, slots=True)
class Spend:
    """Over the last days; `dollars` as far as providers say what calls cost."""

    runs: int
    dollars: float


@dataclass(frozen=True, slots=True)
class Resident:
    """A person, or a name under which there are runs without an account: a proxy's, or the local person's."""

    id: str
    name: str
    account: StoredPerson | None
    spend: Spend


@dataclass(frozen=True, slots=True)
class RunningRun:
    id: str
    user_id: str
    name: str
    mode: str
    started_at: int
    calls: int
    dollars: float


async def list_residents(engine: Engine) -> list[Resident]:
    """Those with an account by name, then the others."""
    since = now_ms() - SPEND_DAYS * DAY_MS

    def read(db: Connection) -> tuple[list[StoredPerson], dict[str, Spend]]:
        return queries.people_list(db), _spend(db, since)

    everyone, spend = await engine.store.read(read)
    nothing = Spend(0, 0.0)
    with_account = [Resident(one.id, one.name, one, spend.pop(one.id, nothing)) for one in everyone]
    others = (Resident(id, NOBODY if id == DELETED else id, None, spend[id]) for id in sorted(spend))
    return [*with_account, *others]


async def running_runs(engine: Engine) -> list[RunningRun]:
    """Everyone's, the oldest first."""
    query = (
        select(
            runs.c.id,
            runs.c.user_id,
            func.coalesce(people.c.name, runs.c.user_id),
            runs.c.mode,
            runs.c.started_at,
            func.count(calls.c.run_id),
            func.coalesce(func.sum(calls.c.cost), 0.0),
        )
        .select_from(
            runs.outerjoin(people, people.c.id == runs.c.user_id).outerjoin(
                calls, calls.c.run_id == runs.c.id
            )
        )
        .where(runs.c.status == "running")
        .group_by(runs.c.id, people.c.name)
        .order_by(runs.c.started_at, runs.c.id)
    )
    return await engine.store.read(lambda db: [RunningRun(*row) for row in db.execute(query)])


async def stop_run(engine: Engine, run_id: str) -> None:
    """Stop anybody's run. Raises NotFound, Conflict."""
    owner = await engine.store.read(
        lambda db: db.execute(select(runs.c.user_id).where(runs.c.id == run_id)).scalar()
    )
    if owner is None:
        raise NotFound(f"There is no run {run_id}")
    await engine.cancel(run_id, user=owner)


async def change_person(
    engine: Engine, person_id: str, *, administrator: bool | None, disabled: bool | None
) -> StoredPerson:
    """Give or take rights. Who is disabled is signed out everywhere, and their tokens rest; what is theirs
    stays. Raises NotFound, or Conflict if nobody would be left to administer."""

    def change(db: Connection) -> StoredPerson:
        queries.lock_people(db)
        before = queries.person(db, id=person_id)
        if before is None:
            raise NotFound(f"There is no person {person_id}")
        values: dict[str, object] = {}
        if administrator is not None:
            values["administrator"] = administrator
        if disabled is not None:
            values["disabled_at"] = (before.disabled_at or now_ms()) if disabled else None
        if values:
            queries.change_person(db, person_id, values)
        if disabled:
            queries.end_sessions(db, person_id)
        if not queries.count_administrators(db):
            raise Conflict("At least one administrator must remain: make someone else an administrator first")
        after = queries.person(db, id=person_id)
        assert after is not None
        return after

    return await engine.store.change(change)


def _spend(connection: Connection, since: int) -> dict[str, Spend]:
    """What runs cost that have ended stays known though they are deleted; of the others, what their calls
    have cost so far."""
    lately = spending.c.started_at >= since
    settled = (
        select(spending.c.user_id, func.count(), func.coalesce(func.sum(spending.c.spent), 0.0))
        .where(lately)
        .group_by(spending.c.user_id)
    )
    going_on = (
        select(spending.c.user_id, func.coalesce(func.sum(calls.c.cost), 0.0))
        .join(calls, calls.c.run_id == spending.c.run_id)
        .where(lately, spending.c.spent.is_(None))
        .group_by(spending.c.user_id)
    )
    so_far = {user_id: float(dollars) for user_id, dollars in connection.execute(going_on)}
    return {
        user_id: Spend(number, float(dollars) + so_far.get(user_id, 0.0))
        for user_id, number, dollars in connection.execute(settled)
    }
