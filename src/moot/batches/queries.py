"""What is kept of batches. Functions of a connection.

A question has begun when its run has a line in `spending`, which stays though the run is deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Row, and_, case, exists, func, or_, select, update

from moot.store.paging import Page, cursor_of, page_of, place_of
from moot.store.tables import batch_questions, batches, people, runs, spending
from moot.store.upsert import insert_new

BatchStatus = Literal["running", "complete", "stopped", "cancelled"]
MOST_AT_ONCE = 500
"""How many values one statement is given."""

_b, _q = batches.c, batch_questions.c
_RESTS = and_(_b.served, exists().where(people.c.id == _b.user_id, people.c.disabled_at.is_not(None)))
"""Nothing is asked in the name of somebody whose account is disabled."""


class StoredBatch(NamedTuple):
    id: str
    user_id: str
    name: str | None
    digest: str
    status: BatchStatus
    reason: str | None
    budget: float | None
    at_once: int
    served: bool
    owner: str | None
    lease_until: int
    created_at: int
    finished_at: int | None


class StoredQuestion(NamedTuple):
    """`state`: waiting, refused, deleted, or the status of its run."""

    line: int
    custom_id: str | None
    run_id: str
    error: str | None
    state: str


def insert(connection: Connection, batch: StoredBatch, lines: Iterable[Mapping[str, Any]]) -> bool:
    """Whether it was new."""
    if not insert_new(connection, batches, batch._asdict()):
        return False
    rows = [{"batch_id": batch.id, "error": None, **line} for line in lines]
    for start in range(0, len(rows), MOST_AT_ONCE):
        connection.execute(batch_questions.insert(), rows[start : start + MOST_AT_ONCE])
    return True


def reopen(connection: Connection, id: str, budget: float | None, at_once: int) -> None:
    """Go on with a batch that was stopped or left, with what is wanted of it now."""
    change = update(batches).where(_b.id == id)
    values = {"status": "running", "reason": None, "finished_at": None, "budget": budget, "at_once": at_once}
    connection.execute(change.values(**values))


def batch(connection: Connection, id: str, user_id: str | None = None) -> StoredBatch | None:
    query = select(*batches.c).where(_b.id == id)
    if user_id is not None:
        query = query.where(_b.user_id == user_id)
    found = connection.execute(query).first()
    return None if found is None else _stored(found)


def batches_list(connection: Connection, user_id: str, limit: int, cursor: str | None) -> Page[StoredBatch]:
    """A person's batches, the newest first."""
    query = select(*batches.c).where(_b.user_id == user_id)
    if cursor is not None:
        at, id = place_of(cursor)
        query = query.where(or_(_b.created_at < at, and_(_b.created_at == at, _b.id < id)))
    rows = connection.execute(query.order_by(_b.created_at.desc(), _b.id.desc()).limit(limit + 1))
    return page_of([_stored(row) for row in rows], limit, lambda one: cursor_of(one.created_at, one.id))


def _stored(row: Row[Any]) -> StoredBatch:
    return StoredBatch(**row._mapping)


_STATE = case(
    (_q.error.is_not(None), "refused"),
    (spending.c.run_id.is_(None), "waiting"),
    (runs.c.status.is_(None), "deleted"),
    else_=runs.c.status,
)
_STATES = batch_questions.outerjoin(spending, spending.c.run_id == _q.run_id).outerjoin(
    runs, runs.c.id == _q.run_id
)


def counts(connection: Connection, id: str) -> dict[str, int]:
    """How many questions are in each state."""
    query = select(_STATE.label("state"), func.count().label("questions")).where(_q.batch_id == id)
    return {
        row.state: row.questions for row in connection.execute(query.select_from(_STATES).group_by("state"))
    }


def spent(connection: Connection, id: str) -> float:
    """Dollars: what ended runs have cost, and what the others have reserved."""
    dollars = func.sum(func.coalesce(spending.c.spent, spending.c.reserved, 0.0))
    paid = batch_questions.join(spending, spending.c.run_id == _q.run_id)
    return float(connection.scalar(select(dollars).select_from(paid).where(_q.batch_id == id)) or 0.0)


def questions(connection: Connection, id: str) -> list[StoredQuestion]:
    """Every question in the order of its lines."""
    columns = (_q.line, _q.custom_id, _q.run_id, _q.error, _STATE.label("state"))
    query = select(*columns).select_from(_STATES).where(_q.batch_id == id).order_by(_q.line)
    return [StoredQuestion(*row) for row in connection.execute(query)]


def request(connection: Connection, id: str, line: int) -> str | None:
    """None: the batch was deleted."""
    return connection.scalar(select(_q.request).where(_q.batch_id == id, _q.line == line))


def refuse(connection: Connection, id: str, line: int, error: str) -> None:
    """This question cannot be asked."""
    change = update(batch_questions).where(_q.batch_id == id, _q.line == line)
    connection.execute(change.values(error=error))


def has_begun(connection: Connection, run_id: str) -> bool:
    return connection.scalar(select(spending.c.run_id).where(spending.c.run_id == run_id)) is not None


def still_running(connection: Connection, run_ids: Collection[str]) -> set[str]:
    ids, found = list(run_ids), set[str]()
    for start in range(0, len(ids), MOST_AT_ONCE):
        some = runs.c.id.in_(ids[start : start + MOST_AT_ONCE])
        found.update(connection.scalars(select(runs.c.id).where(some, runs.c.status == "running")))
    return found


def claim(
    connection: Connection, id: str, owner: str, now: int, until: int, is_dead: Callable[[str], bool]
) -> bool:
    """Become the one who begins its questions, if nobody is."""
    found = batch(connection, id)
    if found is None or found.status != "running":
        return False
    if found.owner not in (None, owner) and found.lease_until > now and not is_dead(found.owner or ""):
        return False
    unchanged = and_(
        _b.id == id, _b.owner.is_not_distinct_from(found.owner), _b.lease_until == found.lease_until
    )
    change = update(batches).where(unchanged, _b.status == "running")
    return connection.execute(change.values(owner=owner, lease_until=until)).rowcount > 0


def renew(connection: Connection, id: str, owner: str, until: int) -> bool:
    """Whether it still goes on and is ours."""
    change = update(batches).where(_b.id == id, _b.owner == owner, _b.status == "running", ~_RESTS)
    return connection.execute(change.values(lease_until=until)).rowcount > 0


def release(connection: Connection, id: str, owner: str) -> None:
    change = update(batches).where(_b.id == id, _b.owner == owner)
    connection.execute(change.values(owner=None, lease_until=0))


def unattended(connection: Connection, now: int, is_dead: Callable[[str], bool]) -> list[str]:
    """Batches for servers that go on and that nobody looks after."""
    query = select(_b.id, _b.owner, _b.lease_until).where(_b.status == "running", _b.served, ~_RESTS)
    return [
        id
        for id, owner, until in connection.execute(query.order_by(_b.created_at, _b.id))
        if owner is None or until <= now or is_dead(owner)
    ]


def end(connection: Connection, id: str, status: BatchStatus, reason: str | None, now: int) -> bool:
    """Whether it was still going on."""
    change = update(batches).where(_b.id == id, _b.status == "running")
    values = {"status": status, "reason": reason, "finished_at": now, "owner": None, "lease_until": 0}
    return connection.execute(change.values(**values)).rowcount > 0


def give_reason(connection: Connection, id: str, reason: str | None) -> None:
    """Why it does not get on at the moment."""
    connection.execute(update(batches).where(_b.id == id).values(reason=reason))
