"""moot fleet: the processes that share a database, what they hold, and what waits."""

from __future__ import annotations

from moot.cli import plain
from moot.cli.runs import JsonOption
from moot.cli.session import load_settings, perform
from moot.wiring import open_reader


def fleet(json: JsonOption = False) -> None:
    """List the servers and workers on this database.

    Shows what each is working on and what is waiting. Needs PostgreSQL.
    """

    async def work() -> int:
        from moot.cli.listing import print_json, print_table
        from moot.fleet.overview import read_fleet

        async with open_reader(load_settings()) as engine:
            seen = await read_fleet(engine)
        if json:
            print_json([seen])
            return 0
        columns = ("process", "kind", "state", "runs", "version", "address")
        rows = [
            (
                one.name,
                one.kind,
                "alive" if one.alive else "silent",
                f"{one.runs}/{one.runs_at_once}" if one.runs_at_once else "–",
                one.version,
                one.address or "–",
            )
            for one in seen.processes
        ]
        print_table(columns, rows, "No server or worker is running.")
        oldest = f", the oldest for {seen.waiting_ms / 1000:.0f} s" if seen.waiting_ms else ""
        plain.write(f"Waiting: {seen.waiting} runs from people, {seen.batch_waiting} from batches{oldest}.")
        return 0

    perform(work())
