"""What it costs to hand out runs through the lease table: WAL and processor time a run, and the delay.

    python -m bench.hand_out

PgQueuer's figures in decision 21 were measured on the same server, with runs as its jobs.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from sqlalchemy import text
from tests.harness.postgres_server import Server, running_server
from tests.store.builders import NEVER, an_opening

from moot.store import queue
from moot.store.postgres import PostgresStore

RUNS = 500
HAND = 8


async def wal(store: PostgresStore) -> float:
    return float(
        await store.read(lambda db: db.scalar(text("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')")))
    )


async def begin(store: PostgresStore, prefix: str, owner: str | None) -> float:
    """Begin runs one by one; WAL bytes a run."""
    before = await wal(store)
    for number in range(RUNS):
        opening = an_opening(f"{prefix}{number}", user_id=f"person {number % 50}")
        await store.begin(replace(opening, owner=owner, lease_until=NEVER if owner else 0))
    return (await wal(store) - before) / RUNS


async def take_all(store: PostgresStore) -> tuple[float, float, float]:
    """WAL bytes, processor milliseconds and milliseconds a run."""
    before, cpu, began, taken = await wal(store), time.process_time(), time.monotonic(), 0
    while hand := await store.change(lambda db: queue.take(db, "me", NEVER, HAND, ["vote"])):
        taken += len(hand)
    assert taken == RUNS
    spent = time.process_time() - cpu, time.monotonic() - began
    return (await wal(store) - before) / RUNS, 1000 * spent[0] / RUNS, 1000 * spent[1] / RUNS


async def delays(store: PostgresStore) -> list[float]:
    """Milliseconds from the commit of a run that waits to a worker that has it."""
    found = []
    for number in range(50):
        listening = asyncio.create_task(store.run_waits(5))
        await asyncio.sleep(0.02)
        await store.begin(an_opening(f"heard{number}", owner=None, lease_until=0))
        began = time.monotonic()
        await listening
        await store.change(lambda db: queue.take(db, "me", NEVER, HAND, ["vote"]))
        found.append(1000 * (time.monotonic() - began))
    return sorted(found)


async def measure(url: str) -> None:
    store = PostgresStore(url)
    await store.open()
    try:
        here, waiting = await begin(store, "here", "me"), await begin(store, "waits", None)
        bytes_taken, cpu, elapsed = await take_all(store)
        heard = await delays(store)
    finally:
        await store.close()
    print(f"enqueue        {waiting - here:8.0f} bytes of WAL a run, beside {here:.0f} that it takes anyway")
    print(
        f"hand out       {bytes_taken:8.0f} bytes of WAL a run, {cpu:.2f} ms of processor, {elapsed:.2f} ms"
    )
    print(f"begun to taken {heard[len(heard) // 2]:8.1f} ms median, {heard[-3]:.1f} ms at 95%")


async def main(server: Server) -> None:
    await measure(await server.new_database())


if __name__ == "__main__":
    with running_server() as running:
        asyncio.run(main(running))
