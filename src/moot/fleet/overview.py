"""The fleet at a glance: its processes, what they hold, and what waits."""

from __future__ import annotations

from moot.fleet import queries
from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import MootError
from moot.kernel.values import Wire
from moot.store import queue


class ProcessView(Wire):
    """`alive`: it was heard of within the time of a lease. `kind`: door, worker or both."""

    name: str
    kind: str
    alive: bool
    version: str
    address: str | None
    runs: int
    runs_at_once: int
    started_at: int
    seen_at: int


class FleetView(Wire):
    """`waiting`, `batch_waiting`: runs that nobody works on yet; `waiting_ms`: how long the oldest does.
    `clock_ms`: how far this machine's clock is ahead of the database's."""

    processes: list[ProcessView]
    waiting: int
    batch_waiting: int
    waiting_ms: int
    clock_ms: int


async def read_fleet(engine: Engine) -> FleetView:
    """Raises MootError where there can be none."""
    if not engine.store.is_shared:
        raise MootError("There is no fleet: SQLite stays on one machine. `moot runs` lists what is running.")
    now, lease = now_ms(), int(engine.settings.lease_seconds * 1000)
    members, held, waiting, clock = await engine.store.read(
        lambda db: (
            queries.members(db, now),
            queries.runs_held(db),
            queue.waiting(db),
            now_ms() - queries.clock(db),
        )
    )
    counts = {one.priority: one.runs for one in waiting}
    return FleetView(
        processes=[
            ProcessView(
                name=_name(member.owner),
                kind=member.kind,
                alive=member.alive_until > now,
                version=member.version,
                address=member.address,
                runs=held.get(member.owner, 0),
                runs_at_once=member.runs_at_once,
                started_at=member.started_at,
                seen_at=member.alive_until - lease,
            )
            for member in members
        ],
        waiting=counts.get(queue.PEOPLE, 0),
        batch_waiting=counts.get(queue.BATCH, 0),
        clock_ms=clock,
        waiting_ms=max((now - one.since for one in waiting), default=0),
    )


def _name(owner: str) -> str:
    """Machine and process, without what tells two of the same number apart."""
    host, pid, *_ = owner.rsplit("/", 3)
    return f"{host.partition(':')[0]}/{pid}"
