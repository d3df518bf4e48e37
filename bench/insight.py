"""Insight over a large database: one deliberation of every mode, copied until there are ten thousand.

The first reading goes through every story; later ones count. While they do, a clock ticks on the event
loop and notes how long it was ever kept waiting.
"""

from __future__ import annotations

import asyncio
import sqlite3
import statistics
import time
from pathlib import Path
from typing import NamedTuple

from bench.modes import NAMES, QUESTION
from moot.insights.figures import Period, read_insight
from moot.kernel.engine import Engine
from moot.kernel.mode import Panel
from moot.kernel.request import AskRequest
from moot.modes import MODES
from moot.settings import Settings
from moot.simulator.transport import Simulator
from moot.store.urls import store_for

DELIBERATIONS = 10_000
DAYS = 30
TICK = 0.002
COPIED = {"runs": "id", "leases": "run_id", "calls": "run_id", "events": "run_id"}


class Measured(NamedTuple):
    first: float
    median: float
    stall: float


def measure(folder: str) -> Measured:
    path = Path(folder) / "insight.db"
    settings = Settings(database_url=f"sqlite:///{path}", embedder_folder=Path(folder) / "no-weights")
    asyncio.run(_deliberate(settings))
    _copy(path, DELIBERATIONS // len(MODES))
    return asyncio.run(_read(settings))


def _engine(settings: Settings) -> Engine:
    panel = Panel(tuple(f"sim/{name}" for name in NAMES))
    return Engine(store_for(settings.database_url), Simulator(speed=0), panel, settings, modes=MODES)


async def _deliberate(settings: Settings) -> None:
    async with _engine(settings) as engine:
        for mode in MODES:
            run = await engine.start(AskRequest.of({"question": QUESTION, "mode": mode}))
            await engine.finished(run.id)


def _copy(path: Path, times: int) -> None:
    db = sqlite3.connect(path)
    db.execute(
        "CREATE TEMP TABLE copy AS WITH RECURSIVE counted(n) AS "
        "(SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?) SELECT n FROM counted",
        (times - 1,),
    )
    for table, key in COPIED.items():
        changes = {
            key: f"{key} || '-' || n",
            "conversation_id": "conversation_id || '-' || n",
            "started_at": f"started_at - (n % {DAYS}) * 86400000",
            "ended_ms": "ended_ms + n % 997",
        }
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        values = ", ".join(changes.get(column, f'"{column}"') for column in columns)
        names = ", ".join(f'"{column}"' for column in columns)
        db.execute(f"INSERT INTO {table} ({names}) SELECT {values} FROM {table}, copy")
    db.commit()
    db.close()


async def _read(settings: Settings) -> Measured:
    took: list[float] = []
    async with _engine(settings) as engine:
        waits: list[float] = []
        ticking = asyncio.create_task(_tick(waits))
        for _ in range(8):
            started = time.perf_counter()
            insight = await read_insight(engine, "local", Period(days=DAYS + 1))
            took.append(time.perf_counter() - started)
            assert insight.totals.deliberations.total == DELIBERATIONS
        ticking.cancel()
    return Measured(took[0], statistics.median(took[1:]), max(waits))


async def _tick(waits: list[float]) -> None:
    while True:
        started = time.perf_counter()
        await asyncio.sleep(TICK)
        waits.append(time.perf_counter() - started - TICK)
