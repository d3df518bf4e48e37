"""What is stored of the fleet: its processes, and which of them works on a run. Functions of a connection."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, delete, func, select, text

from moot.store.tables import leases, processes, runs
from moot.store.upsert import upsert

FORGOTTEN_MS = 60 * 60 * 1000
"""A process that has been silent for so long is not listed any more."""


class Member(NamedTuple):
    """A process of the fleet. `kind`: door, worker or both."""

    owner: str
    kind: str
    address: str | None
    version: str
    runs_at_once: int
    started_at: int
    alive_until: int


def beat(connection: Connection, member: Member) -> None:
    """Say that a process is there."""
    upsert(connection, processes, member._asdict())


def forget(connection: Connection, now: int) -> None:
    """Those that have not been there for long."""
    connection.execute(delete(processes).where(processes.c.alive_until < now - FORGOTTEN_MS))


def leave(connection: Connection, owner: str) -> None:
    connection.execute(delete(processes).where(processes.c.owner == owner))


def members(connection: Connection, now: int) -> list[Member]:
    """Every process that is there or was not long ago, the oldest first."""
    query = select(*(processes.c[name] for name in Member._fields))
    query = query.where(processes.c.alive_until >= now - FORGOTTEN_MS)
    return [Member(*row) for row in connection.execute(query.order_by(processes.c.started_at))]


def clock(connection: Connection) -> int:
    """The moment by the database's clock."""
    moment = text("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)")
    return int(connection.execute(moment).scalar_one())


def runs_held(connection: Connection) -> dict[str, int]:
    """How many runs each process works on."""
    query = (
        select(leases.c.owner, func.count())
        .join_from(leases, runs, runs.c.id == leases.c.run_id)
        .where(runs.c.status == "running", leases.c.owner.is_not(None))
        .group_by(leases.c.owner)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def address_of_owner(connection: Connection, run_id: str, now: int) -> str | None:
    """Where to find whoever works on a run; None if nobody does, or nobody who can be reached."""
    query = (
        select(processes.c.address)
        .join_from(leases, processes, processes.c.owner == leases.c.owner)
        .where(leases.c.run_id == run_id, processes.c.alive_until > now)
    )
    address: str | None = connection.execute(query).scalar()
    return address
