"""Thousands of traces are exported without ever being in memory together."""

from __future__ import annotations

import tracemalloc
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, insert, select

from moot.store import tables
from moot.traces.export import ExportRequest, export
from tests.harness.chamber import Chamber
from tests.harness.long_text import long_text

COUNTS = {"sqlite": 2000, "postgresql": 400}
MEGABYTE = 1 << 20
LONG = long_text(7_500, "tabs")
ROLES: dict[str, Any] = {
    "proposerModel": "a/ann",
    "skepticModel": "b/bob",
    "synthesizerModel": "c/cyd",
    "judgeModel": "d/dee",
}
CAST = {
    "a/ann": f"## Answer\n{LONG}",
    "b/bob": "🔴 C1 | The premise | line 1\nScore: 4/10",
    "c/cyd": f"## Answer\n{LONG}",
    "d/dee": "Score: 9",
}
NAMED = {
    tables.conversations: ("id",),
    tables.messages: ("id", "conversation_id"),
    tables.runs: ("id", "conversation_id", "user_message_id", "message_id"),
    tables.leases: ("run_id",),
    tables.events: ("run_id",),
    tables.reasoning_traces: ("id", "message_id", "trace_id"),
    tables.trace_scores: ("id", "message_id", "trace_id"),
}
"""The columns of a run that name it, or what is its own."""


def multiply(db: Connection, table: Table, names: tuple[str, ...], count: int) -> None:
    """So many runs, each with a question of its own and all else as in the one there is."""
    rows = [dict(row) for row in db.execute(select(table)).mappings()]
    for start in range(0, count - 1, 100):
        copies = []
        for number in range(start, min(start + 100, count - 1)):
            for row in rows:
                copy = {**row, **{name: f"{number}.{row[name]}" for name in names}}
                if table is not tables.events:
                    copy.pop("number", None)  # the database counts these itself
                if table is tables.runs:
                    copy |= {
                        "question": f"Tabs or spaces, number {number}?",
                        "started_at": row["started_at"] + number,
                    }
                copies.append(copy)
        db.execute(insert(table), copies)


async def test_a_large_set_is_streamed(store_url: str, tmp_path: Path) -> None:
    count, folder = COUNTS[store_url.partition(":")[0]], tmp_path / "out"
    folder.mkdir()
    async with Chamber(CAST, database=store_url, embedder="off") as chamber:
        await chamber.deliberate("dialectic", **ROLES, maxRounds=2, useTemplates=False)
        for table, names in NAMED.items():
            await chamber.store.change(partial(multiply, table=table, names=names, count=count))
        tracemalloc.start()
        manifest = await export(chamber.engine, "local", ExportRequest(format="chat"), folder)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert (manifest["traces"], manifest["exported"], manifest["excluded"]) == (count, count, {})
    assert manifest["warnings"] == []
    assert 0.05 < manifest["records"]["validation"] / count < 0.15
    answers = count * len(LONG)
    assert peak < 4 * MEGABYTE, f"{peak} bytes were in memory at once; the answers alone have {answers}"
