"""Runs that wait for a process to work on them: who is next. On PostgreSQL, where there may be many.

    ann asks four times in one second, then bob      their turns: ann 0 s, 5 s, 10 s, 15 s, bob 1 s
    …dee asks at 12 s                                dee 12 s: after ann's third, before her fourth

A run waits from the transaction that begins it to the one that gives its lease to somebody. People come
before batches (`priority`), then whoever's turn is earliest: it is the moment they ask, or a step after that
of their last run that still waits. So nobody who asks much goes before one who asks little, and nobody is
overtaken for ever. What was begun before and let go of comes first.

A lease is never a promise of this table: whoever takes a run gets it under the next epoch, and every write
carries that.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from sqlalchemy import Connection, text

from moot.store import RUN_VERSION, spending

PEOPLE: Final = 0
BATCH: Final = 1
CHANNEL: Final = "moot_waiting_runs"
AT_ONCE: Final = 0
"""The turn of a run that was begun before."""
STEP_MS: Final = 5_000

TURN: Final = (
    f"{STEP_MS} * "
    "(row_number() OVER (PARTITION BY v.user_id, v.priority ORDER BY v.queued_at, v.run_id) - 1) "
    f"+ GREATEST(v.queued_at, (SELECT max(turn) + {STEP_MS} FROM waiting_runs AS w "
    "WHERE w.user_id = v.user_id AND w.priority = v.priority))"
)
"""The turn of a run that begins, where `v` are the lines to be inserted."""
WAKE: Final = f"SELECT pg_notify('{CHANNEL}', '') OFFSET 0"

_TAKE = text(
    """
    WITH next AS (
        SELECT run_id, priority, turn, queued_at FROM waiting_runs
        WHERE version <= :version AND mode = ANY(:modes)
        ORDER BY priority, turn, queued_at LIMIT :most FOR UPDATE SKIP LOCKED
    ), gone AS (
        DELETE FROM waiting_runs USING next WHERE waiting_runs.run_id = next.run_id
    ), taken AS (
        UPDATE leases SET owner = :owner, lease_until = :lease_until, epoch = epoch + 1
        FROM next WHERE leases.run_id = next.run_id AND leases.owner IS NULL RETURNING leases.run_id
    )
    SELECT run_id FROM next JOIN taken USING (run_id) ORDER BY priority, turn, queued_at
    """
)
_LET_GO = text(
    f"""
    WITH ours AS (
        UPDATE leases SET owner = NULL, lease_until = 0 WHERE owner = :owner RETURNING run_id, version
    ), put AS (
        INSERT INTO waiting_runs (run_id, user_id, mode, version, priority, turn, queued_at)
        SELECT id, user_id, mode, version, {PEOPLE}, {AT_ONCE}, started_at
        FROM runs JOIN ours ON ours.run_id = id WHERE status = 'running' ON CONFLICT DO NOTHING RETURNING 1
    )
    SELECT pg_notify('{CHANNEL}', '') FROM (SELECT 1 FROM put LIMIT 1) AS any_one
    """
)


class Waiting(NamedTuple):
    """How many runs wait, and since when the one that has waited longest."""

    priority: int
    runs: int
    since: int


def take(
    connection: Connection, owner: str, lease_until: int, most: int, modes: Collection[str]
) -> list[str]:
    """Give the leases of the next runs, of these modes and none newer than this code, to somebody."""
    values = {
        "owner": owner,
        "lease_until": lease_until,
        "most": most,
        "modes": list(modes),
        "version": RUN_VERSION,
    }
    taken = list(connection.scalars(_TAKE, values))
    if taken:
        spending.write_off(connection, taken)
    return taken


def let_go(connection: Connection, owner: str) -> None:
    """Let go of every lease of a process that stops; its runs are the next to be taken."""
    connection.execute(_LET_GO, {"owner": owner})


def waiting(connection: Connection) -> list[Waiting]:
    """What waits, by priority."""
    query = "SELECT priority, count(*), min(queued_at) FROM waiting_runs GROUP BY priority ORDER BY priority"
    return [Waiting(*row) for row in connection.execute(text(query))]
