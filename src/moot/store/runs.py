"""What is asked about runs: whose one is, what it did, what it cost. Functions of a connection.

    journal = await store.read(lambda connection: runs.recall(connection, run_id))

Where a person asks, their `user_id` is part of the condition: another's run is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, Row, Select, and_, delete, func, null, or_, select, text, tuple_, update

from moot.kernel.status import Status
from moot.kernel.values import Call
from moot.store import RUN_VERSION, Journal, RunRecord, StoredEvent, spending
from moot.store.journal import COLUMNS, KEY_LIFETIME_MS, call_of
from moot.store.paging import Page, cursor_of, page_of, place_of
from moot.store.spending import CallKey
from moot.store.tables import (
    calls,
    decisions,
    events,
    idempotency_keys,
    leases,
    processes,
    runs,
    waiting_runs,
)

LONGEST_PAGE = 100
"""Events."""


class Orphan(NamedTuple):
    """A run nobody works on."""

    run_id: str
    owner: str | None
    lease_until: int


class Beat(NamedTuple):
    """One run's heartbeat: it is being worked on, under this epoch, and has used so much time."""

    run_id: str
    epoch: int
    active_ms: int


class Pulse(NamedTuple):
    """What a heartbeat found: the runs that are still ours, and those of them somebody wants cancelled."""

    ours: frozenset[str]
    cancelled: frozenset[str]


class Sight(NamedTuple):
    """What there is to see of a run: its status, the number of its last event, who works on it, and where
    they can be reached."""

    status: str | None
    number: int
    owner: str | None
    address: str | None


NOTHING = Sight(None, 0, None, None)
"""Of a run that is not there."""


def run(connection: Connection, run_id: str, *, user_id: str | None = None) -> RunRecord | None:
    query = _records().where(runs.c.id == run_id)
    if user_id is not None:
        query = query.where(runs.c.user_id == user_id)
    found = connection.execute(query).first()
    return None if found is None else _record(found)


def records(connection: Connection, run_ids: Collection[str]) -> dict[str, RunRecord]:
    """Those of these runs that are there, by their ids."""
    return {row.id: _record(row) for row in connection.execute(_records().where(runs.c.id.in_(run_ids)))}


def runs_list(
    connection: Connection,
    user_id: str,
    *,
    limit: int = 50,
    cursor: str | None = None,
    status: Status | None = None,
) -> Page[RunRecord]:
    """A person's runs, the newest first."""
    query = _records().where(runs.c.user_id == user_id)
    if status is not None:
        query = query.where(runs.c.status == status)
    if cursor is not None:
        query = query.where(tuple_(runs.c.started_at, runs.c.id) < place_of(cursor))
    query = query.order_by(runs.c.started_at.desc(), runs.c.id.desc()).limit(limit + 1)
    records = [_record(row) for row in connection.execute(query)]
    return page_of(records, limit, lambda record: cursor_of(record.started_at, record.id))


def runs_of_conversation(connection: Connection, user_id: str, conversation_id: str) -> list[RunRecord]:
    """Every run of a conversation, the oldest first."""
    query = _records().where(runs.c.conversation_id == conversation_id, runs.c.user_id == user_id)
    return [_record(row) for row in connection.execute(query.order_by(runs.c.started_at, runs.c.id))]


def last_config(connection: Connection, conversation_id: str) -> bytes | None:
    """The config of the conversation's newest run."""
    query = select(runs.c.config).where(runs.c.conversation_id == conversation_id)
    newest = connection.execute(query.order_by(runs.c.started_at.desc(), runs.c.id.desc()).limit(1))
    config = newest.scalar()
    return None if config is None else config.encode()


def last_directions(connection: Connection, conversation_id: str) -> bytes | None:
    """What the conversation's newest run was to do in every call."""
    query = select(runs.c.directions).where(runs.c.conversation_id == conversation_id)
    newest = connection.execute(query.order_by(runs.c.started_at.desc(), runs.c.id.desc()).limit(1))
    directions = newest.scalar()
    return None if directions is None else directions.encode()


def orphans(connection: Connection, now: int, is_dead: Callable[[str], bool]) -> list[Orphan]:
    """Running runs whose lease has expired or whose owner is dead, the oldest first; not those that wait in
    the queue, nor those that newer code began."""
    running = leases.join(runs, runs.c.id == leases.c.run_id)
    owners = select(leases.c.owner).select_from(running).where(runs.c.status == "running").distinct()
    dead = [owner for owner in connection.scalars(owners) if owner is not None and is_dead(owner)]
    waits = select(waiting_runs.c.run_id).where(waiting_runs.c.run_id == runs.c.id).exists()
    query = (
        select(runs.c.id, leases.c.owner, leases.c.lease_until)
        .select_from(running)
        .where(runs.c.status == "running", leases.c.version <= RUN_VERSION)
        .where(
            or_(
                and_(leases.c.owner.is_(None), ~waits),
                and_(leases.c.owner.is_not(None), leases.c.lease_until <= now),
                leases.c.owner.in_(dead),
            )
        )
        .order_by(runs.c.started_at, runs.c.id)
    )
    return [Orphan(*row) for row in connection.execute(query)]


def has_been_there(connection: Connection, since: int) -> bool:
    """Whether the database has been there since that moment: a lease that ended while it was away may be that
    of a process which could not renew it."""
    if connection.dialect.name != "postgresql":
        return True
    began = text("SELECT extract(epoch FROM pg_postmaster_start_time()) * 1000")
    return int(connection.execute(began).scalar_one()) <= since


def claim(
    connection: Connection,
    run_id: str,
    owner: str,
    now: int,
    lease_until: int,
    is_dead: Callable[[str], bool],
) -> RunRecord | None:
    """Take over a run that nobody works on, at the next epoch; None if somebody does, or it has ended."""
    found = run(connection, run_id)
    if (
        found is None
        or found.status != "running"
        or not _is_free(found.owner, found.lease_until, now, is_dead)
    ):
        return None
    # Before the lease, as whoever takes from the queue does: no deadlock.
    connection.execute(delete(waiting_runs).where(waiting_runs.c.run_id == run_id))
    is_running = select(runs.c.id).where(runs.c.id == run_id, runs.c.status == "running").exists()
    taken = connection.execute(
        update(leases)
        # The lease has not been renewed since we looked, nor has anyone else taken it.
        .where(leases.c.run_id == run_id, leases.c.epoch == found.epoch, is_running)
        .where(leases.c.version <= RUN_VERSION)
        .where(leases.c.lease_until == found.lease_until)
        .values(owner=owner, lease_until=lease_until, epoch=found.epoch + 1)
    )
    if not taken.rowcount:
        return None
    spending.write_off(connection, [run_id])
    return run(connection, run_id)


def _is_free(owner: str | None, lease_until: int, now: int, is_dead: Callable[[str], bool]) -> bool:
    return owner is None or lease_until <= now or is_dead(owner)


def heartbeat(
    connection: Connection, beats: Sequence[Beat | tuple[str, int, int]], lease_until: int
) -> Pulse:
    """Renew the leases of runs, however many, in one statement."""
    if not beats:
        return Pulse(frozenset(), frozenset())
    dialect = connection.dialect.name
    held = {"beats": orjson.dumps([list(beat) for beat in beats]).decode()}
    if dialect == "postgresql":  # where an append renews leases at the same time, in the same order
        connection.execute(text(_LOCK.format(beats=_BEATS[dialect])), held)
    connection.execute(text(_RENEW.format(beats=_BEATS[dialect])), {**held, "lease_until": lease_until})
    noted = connection.execute(text(_LOST_OR_CANCELLED.format(beats=_BEATS[dialect])), held).all()
    lost = {run_id for run_id, is_ours in noted if not is_ours}
    return Pulse(
        ours=frozenset(run_id for run_id, _, _ in beats if run_id not in lost),
        cancelled=frozenset(run_id for run_id, is_ours in noted if is_ours),
    )


_BEATS = {
    "sqlite": "SELECT json_extract(value, '$[0]') AS run_id, json_extract(value, '$[1]') AS epoch, "
    "json_extract(value, '$[2]') AS active_ms FROM json_each(:beats)",
    "postgresql": "SELECT value ->> 0 AS run_id, CAST(value ->> 1 AS integer) AS epoch, "
    "CAST(value ->> 2 AS bigint) AS active_ms FROM json_array_elements(CAST(:beats AS json))",
}
_LOCK = (
    "SELECT count(*) FROM (SELECT 1 FROM leases JOIN ({beats}) AS v USING (run_id) "
    "ORDER BY run_id FOR UPDATE OF leases) AS held"
)
_RENEW = (
    "UPDATE leases SET lease_until = :lease_until, active_ms = v.active_ms FROM ({beats}) AS v "
    "WHERE leases.run_id = v.run_id AND leases.epoch = v.epoch"
)
_LOST_OR_CANCELLED = (
    "SELECT v.run_id, leases.run_id IS NOT NULL FROM ({beats}) AS v "
    "LEFT JOIN leases ON leases.run_id = v.run_id AND leases.epoch = v.epoch "
    "WHERE leases.run_id IS NULL OR leases.cancel_requested"
)


def release(connection: Connection, owner: str) -> None:
    """Let go of every lease of a process that stops, so that the next one need not wait for their end."""
    connection.execute(update(leases).where(leases.c.owner == owner).values(owner=None, lease_until=0))


def request_cancel(connection: Connection, run_id: str, *, user_id: str | None = None) -> bool:
    """Ask whoever works on a run to stop; whether there was a running one to ask for."""
    running = select(runs.c.id).where(runs.c.id == run_id, runs.c.status == "running")
    if user_id is not None:
        running = running.where(runs.c.user_id == user_id)
    asked = connection.execute(
        update(leases).where(leases.c.run_id.in_(running)).values(cancel_requested=True)
    )
    return asked.rowcount > 0


def sights(connection: Connection, run_ids: Collection[str], now: int) -> dict[str, Sight]:
    """What there is to see of these runs; not of those that are gone."""
    newest = select(func.max(events.c.number)).where(events.c.run_id == runs.c.id).scalar_subquery()
    alive = and_(processes.c.owner == leases.c.owner, processes.c.alive_until > now)
    query = (
        select(runs.c.id, runs.c.status, func.coalesce(newest, 0), leases.c.owner, processes.c.address)
        .join_from(runs, leases, leases.c.run_id == runs.c.id)
        .outerjoin(processes, alive)
        .where(runs.c.id.in_(run_ids))
    )
    return {run_id: Sight(*rest) for run_id, *rest in connection.execute(query)}


def recall(connection: Connection, run_id: str) -> Journal:
    """What a run already did."""
    return recall_all(connection, [run_id])[run_id]


def recall_all(connection: Connection, run_ids: Collection[str]) -> dict[str, Journal]:
    """What runs already did: as few statements for many as for one."""
    calls_made: dict[str, dict[CallKey, Call]] = {run_id: {} for run_id in run_ids}
    for row in connection.execute(_calls().where(calls.c.run_id.in_(run_ids))):
        call = call_of(row)
        calls_made[row.run_id][call.step, call.seat, call.digest] = call
    decided: dict[str, dict[str, bytes]] = {run_id: {} for run_id in run_ids}
    query = select(decisions.c.run_id, decisions.c.step, decisions.c.value)
    for run_id, step, value in connection.execute(query.where(decisions.c.run_id.in_(run_ids))):
        decided[run_id][step] = value.encode()
    stories: dict[str, list[tuple[int, StoredEvent]]] = {run_id: [] for run_id in run_ids}
    for run_id, *event in connection.execute(_events(events.c.run_id).where(events.c.run_id.in_(run_ids))):
        stories[run_id].append(_numbered(event))
    money = spending.recall(connection, run_ids)
    return {
        run_id: Journal(calls_made[run_id], decided[run_id], stories[run_id], *money[run_id])
        for run_id in run_ids
    }


def delete_of_conversation(connection: Connection, user_id: str, conversation_id: str, now: int) -> int:
    """Delete its runs with all they did; how many. Those that still go on are settled at what they may have
    spent so far."""
    own = (runs.c.conversation_id == conversation_id, runs.c.user_id == user_id)
    going_on = select(runs.c.id).where(*own, runs.c.status == "running")
    for run_id in connection.scalars(going_on).all():
        spending.write_off(connection, [run_id])
        _, held, lost = spending.recall(connection, [run_id])[run_id]
        spent = spending.spent_by(calls_of(connection, run_id), held, lost)
        spending.settle(connection, run_id, spent, now)
    return connection.execute(delete(runs).where(*own)).rowcount


def calls_of(connection: Connection, run_id: str, *, texts: bool = True) -> list[Call]:
    """A run's calls in the order they ended; `texts=False` leaves out what the models wrote."""
    query = _calls(left_out=() if texts else ("text", "reasoning"))
    return [call_of(row) for row in connection.execute(query.where(calls.c.run_id == run_id))]


def _calls(left_out: Collection[str] = ()) -> Select[Any]:
    columns = (null().label(name) if name in left_out else calls.c[name] for name in COLUMNS["calls"])
    in_order = (calls.c.ended_ms, calls.c.started_ms, calls.c.step, calls.c.seat, calls.c.digest)
    return select(*columns).order_by(*in_order)


def events_after(
    connection: Connection, run_id: str, number: int, limit: int | None = None
) -> list[tuple[int, StoredEvent]]:
    """The events of a run that follow the one with this number."""
    query = _events().where(events.c.run_id == run_id, events.c.number > number).limit(limit)
    return [_numbered(event) for event in connection.execute(query)]


def _events(*before: Any) -> Select[Any]:
    c = events.c
    return select(*before, c.number, c.key, c.type, c.at, c.body).order_by(c.number)


def _numbered(event: Iterable[Any]) -> tuple[int, StoredEvent]:
    number, key, type, at, body = event
    return number, StoredEvent(key, type, at, body.encode())


def events_page(
    connection: Connection, run_id: str, number: int, most_bytes: int
) -> tuple[list[tuple[int, StoredEvent]], bool]:
    """The events that follow the one with this number, at least one and no more than make about so many
    bytes; and whether there are more."""
    sizes = (
        select(func.length(events.c.body))
        .where(events.c.run_id == run_id, events.c.number > number)
        .order_by(events.c.number)
        .limit(LONGEST_PAGE + 1)
    )
    lengths = connection.scalars(sizes).all()
    fitting = sum(1 for total in accumulate(lengths) if total <= most_bytes)
    count = min(max(fitting, 1), LONGEST_PAGE)
    return events_after(connection, run_id, number, limit=count), count < len(lengths)


def check_readable(connection: Connection) -> None:
    """Look for anything at all: a database that is not there, or has no tables, raises."""
    connection.execute(select(runs.c.id).limit(1))


def check_writable(connection: Connection) -> None:
    """Change nothing, but by a statement that only who may write is allowed."""
    connection.execute(idempotency_keys.delete().where(idempotency_keys.c.created_at < 0))


def purge_idempotency(connection: Connection, now: int) -> int:
    """Forget the idempotency keys that are free again; how many there were."""
    free = idempotency_keys.c.created_at <= now - KEY_LIFETIME_MS
    return connection.execute(idempotency_keys.delete().where(free)).rowcount


_RECORD = [
    (leases if name in leases.c and name != "run_id" else runs).c[name] for name in RunRecord.__slots__
]


def _records() -> Select[Any]:
    return select(*_RECORD).join_from(runs, leases, leases.c.run_id == runs.c.id)


def _record(row: Row[Any]) -> RunRecord:
    values = row._asdict()
    values["config"] = values["config"].encode()
    values["history"] = values["history"].encode()
    if values["directions"] is not None:
        values["directions"] = values["directions"].encode()
    return RunRecord(**values)
