"""What people spend: reserved when a run begins, settled when it ends, counted against their limits.

    begin    USAGE, breach_by, refused     in the transaction that inserts the run
    hold     a row of `holds`              before each call is sent
    claim    write_off                     the process died: what it had sent may have been paid for
    end      Ending.spent                  in place of the reservation

The first part is shared by both hot paths, which write SQL themselves; the rest are functions of a
connection.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, and_, delete, func, select, update

from moot.kernel.errors import LimitReached
from moot.kernel.limits import (
    WINDOWS,
    LimitName,
    Limits,
    LimitUsage,
    Since,
    explain,
    first_breach,
    resets_at,
)
from moot.kernel.values import Call
from moot.store import NewRun, Reservation
from moot.store.tables import calls, holds, person_limits, spending
from moot.store.upsert import upsert

LIFETIME_MS = 400 * 24 * 60 * 60 * 1000
"""How long it is known what was spent: longer than any limit looks back."""
AT_ONCE_RETRY_SECONDS = 10
"""When to ask again whose runs are still going on: nobody knows how long they take."""

CallKey = tuple[str, int | None, str]

USAGE = """
    SELECT count(*) FILTER (WHERE started_at > $2),
           count(*) FILTER (WHERE started_at > $3),
           count(*) FILTER (WHERE started_at > $4),
           (SELECT count(*) FROM runs WHERE runs.user_id = $1 AND runs.status = 'running'),
           coalesce(sum(coalesce(spent, reserved, 0)) FILTER (WHERE started_at >= $5), 0),
           coalesce(sum(coalesce(spent, reserved, 0)) FILTER (WHERE started_at >= $6), 0)
    FROM spending WHERE user_id = $1 AND started_at >= $7
"""
"""A person's LimitUsage."""
REQUEST = "SELECT started_at FROM spending WHERE user_id = $1 ORDER BY started_at DESC LIMIT 1 OFFSET $2"
"""When a person asked the n-th last time."""


def usage_arguments(user_id: str, now: int) -> tuple[Any, ...]:
    since = Since.at(now)
    return (user_id, since.minute, since.hour, since.day, since.today, since.month, since.earliest)


def breach_by(opening: NewRun, usage: LimitUsage) -> LimitName | None:
    """The limit that this run would break."""
    return first_breach(opening.limits or Limits(), usage, _dollars(opening))


def nth_request(opening: NewRun, breach: LimitName) -> int | None:
    """Which request, counted back from the last, must be out of the window before there may be another."""
    limit = (opening.limits or Limits()).by_name[breach]
    return int(limit or 1) - 1 if breach in WINDOWS else None


def refused(opening: NewRun, breach: LimitName, usage: LimitUsage, before: int | None) -> LimitReached:
    """`before`: when that request came."""
    now = opening.started_at
    free = resets_at(breach, now)
    if breach in WINDOWS:
        free = min(now, now if before is None else before) + WINDOWS[breach]
    seconds = AT_ONCE_RETRY_SECONDS if free is None else max(1, -(-(free - now) // 1000))
    limits = opening.limits or Limits()
    return LimitReached(explain(breach, limits, usage, _dollars(opening)), breach, seconds)


def _dollars(opening: NewRun) -> float:
    return opening.reservation.dollars if opening.reservation else 0.0


def spent_by(calls: Iterable[Call], held: Mapping[CallKey, float], lost: float = 0.0) -> float:
    """Dollars a run has spent at most: what its calls cost by their providers' word, and what is held for
    those of which nobody says what they cost, or whether they will be answered."""
    said = {
        (call.step, call.seat, call.digest): call.cost
        for call in calls
        if call.cost is not None and not call.inherited
    }
    return lost + sum(said.values()) + sum(dollars for key, dollars in held.items() if key not in said)


def usage(connection: Connection, user_id: str, now: int) -> LimitUsage:
    place = "?" if connection.dialect.name == "sqlite" else "$"
    found = connection.exec_driver_sql(USAGE.replace("$", place), usage_arguments(user_id, now)).one()
    return LimitUsage(*found)


def write_off(connection: Connection, run_ids: Sequence[str]) -> None:
    """Runs are taken over: what the process before had sent, without storing a reply, may have been paid for.
    It is lost, and is not held for anything any more."""
    answered = and_(
        calls.c.run_id == holds.c.run_id,
        calls.c.step == holds.c.step,
        calls.c.seat == holds.c.seat,
        calls.c.digest == holds.c.digest,
    )
    open_ones = and_(holds.c.run_id.in_(run_ids), ~select(calls.c.run_id).where(answered).exists())
    query = select(holds.c.run_id, func.sum(holds.c.dollars)).where(open_ones).group_by(holds.c.run_id)
    for run_id, lost in connection.execute(query).all():
        more = update(spending).where(spending.c.run_id == run_id)
        connection.execute(more.values(lost=spending.c.lost + lost))
        connection.execute(delete(holds).where(open_ones, holds.c.run_id == run_id))


def recall(
    connection: Connection, run_ids: Collection[str]
) -> dict[str, tuple[Reservation | None, dict[CallKey, float], float]]:
    """What each of these runs has reserved, holds and has lost."""
    money: dict[str, tuple[Reservation | None, dict[CallKey, float], float]] = {
        run_id: (None, {}, 0.0) for run_id in run_ids
    }
    c = spending.c
    limited = and_(c.run_id.in_(run_ids), c.reserved.is_not(None))
    for run_id, reserved, prices, lost in connection.execute(
        select(c.run_id, c.reserved, c.prices, c.lost).where(limited)
    ):
        money[run_id] = Reservation(reserved, prices.encode()), {}, lost
    reserving = [run_id for run_id, (reservation, _, _) in money.items() if reservation is not None]
    held = select(holds.c.run_id, holds.c.step, holds.c.seat, holds.c.digest, holds.c.dollars)
    query = held.where(holds.c.run_id.in_(reserving))
    for run_id, step, seat, digest, dollars in connection.execute(query) if reserving else ():
        money[run_id][1][step, seat or None, digest] = dollars
    return money


def settle(connection: Connection, run_id: str, spent: float, now: int) -> None:
    """What a run has spent that is about to be deleted."""
    going_on = and_(spending.c.run_id == run_id, spending.c.spent.is_(None))
    connection.execute(update(spending).where(going_on).values(spent=spent, ended_at=now))


def purge(connection: Connection, now: int) -> int:
    """Forget what no limit looks at any more; how much there was."""
    c = spending.c
    over = and_(c.started_at < now - LIFETIME_MS, c.ended_at.is_not(None))
    return connection.execute(delete(spending).where(over)).rowcount


def limits_of(connection: Connection, user_id: str) -> dict[str, Any] | None:
    """What an administrator allows this person; None: what the server allows everyone."""
    found = connection.scalar(select(person_limits.c.limits).where(person_limits.c.user_id == user_id))
    return None if found is None else dict(found)


def keep_limits(connection: Connection, user_id: str, limits: Mapping[str, Any], now: int) -> None:
    """An empty mapping: the server's limits again."""
    if limits:
        row = {"user_id": user_id, "limits": dict(limits), "updated_at": now}
        upsert(connection, person_limits, row)
    else:
        connection.execute(delete(person_limits).where(person_limits.c.user_id == user_id))
