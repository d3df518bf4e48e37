"""What the page about the database says of times, tried on both databases."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import text

import moot
from moot.kernel.clock import now_ms
from moot.library import deliberate, open_engine
from moot.settings import Settings
from moot.store import tables

PAGE = (Path(moot.__file__).parents[2] / "docs" / "database.md").read_text()
SQL = dict(zip(("sqlite", "postgresql"), re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL), strict=True))
MODELS = [f"sim/{name}:latency=1:tps=9999" for name in ("ada", "bo", "cleo")]


def test_every_moment_is_named_on_the_page() -> None:
    said = PAGE[PAGE.index("**Moments**") : PAGE.index("In SQLite")]
    columns = [column for table in tables.metadata.sorted_tables for column in table.columns]
    moments = {column.name for column in columns if column.info.get("moment")}
    assert moments == set(re.findall(r"`(\w+)`", said))
    assert {column.name for column in columns if column.name.endswith(("_at", "until"))} == moments


async def test_a_moment_is_milliseconds_since_1970(store_url: str) -> None:
    before = now_ms()
    settings = Settings(database_url=store_url, default_models=tuple(MODELS))
    async with open_engine(settings) as engine:
        await deliberate("Tabs or spaces?", "vote", engine=engine)
        kind = "sqlite" if store_url.startswith("sqlite") else "postgresql"
        row = await engine.store.read(lambda db: db.execute(text(SQL[kind])).one())
        stored = await engine.store.read(
            lambda db: db.execute(text("SELECT created_at FROM deliberation_stages")).scalars().all()
        )
    assert stored
    assert all(before <= moment <= now_ms() for moment in stored)
    created = row.created if kind == "postgresql" else datetime.fromisoformat(row.created).replace(tzinfo=UTC)
    assert abs(created - datetime.fromtimestamp(before / 1000, UTC)) < timedelta(minutes=1)
