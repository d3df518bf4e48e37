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
from moot.store.personal import IMPERSONAL, is_personal, personal_tables, shown_columns

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


def test_every_table_says_whose_its_rows_are() -> None:
    """A person who is deleted leaves nothing behind, and an archive misses nothing: see `store/personal.py`."""
    for table in tables.metadata.sorted_tables:
        assert is_personal(table) != (table.name in IMPERSONAL), (
            f"{table.name} is new: give it `user_id`, or a foreign key with ON DELETE CASCADE to a table that has; "
            "or say in IMPERSONAL of store/personal.py why nothing in it is anybody's."
        )


SECRET_SOUNDING = re.compile("hash|digest|token$|secret|cipher|encrypted|password|sealed|^key$|_key$")
NO_SECRETS = {
    ("batches", "digest"),
    ("calls", "digest"),
    ("holds", "digest"),
    ("idempotency_keys", "digest"),
    ("idempotency_keys", "key"),
    ("events", "key"),
    ("template_vectors", "digest"),
}
"""They only sound like it: they open nothing."""


def test_no_archive_holds_what_opens_something() -> None:
    for table in personal_tables():
        for column in shown_columns(table):
            named = (table.name, column.name)
            assert not SECRET_SOUNDING.search(column.name) or named in NO_SECRETS, (
                f"{named} sounds like a secret: put it into SECRETS of store/personal.py, or say here that it is none"
            )
