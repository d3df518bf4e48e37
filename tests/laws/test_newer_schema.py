"""While a fleet is upgraded, code meets a schema that is newer than itself."""

from __future__ import annotations

from itertools import cycle

from sqlalchemy import Connection, text

from moot.library import batch, deliberate, open_engine
from moot.settings import Settings
from moot.store import Store
from moot.store.tables import metadata

MODELS = [f"sim/{name}:latency=1:tps=9999" for name in ("ada", "bo", "cleo")]
FUTURE = (
    "UPDATE alembic_version SET version_num = '9999'",
    "CREATE TABLE of_the_future (id integer PRIMARY KEY)",
    *(
        f"ALTER TABLE {table.name} ADD COLUMN of_the_future {kind}"
        for table, kind in zip(
            metadata.sorted_tables, cycle(("text", "integer NOT NULL DEFAULT 7")), strict=False
        )
    ),
    "CREATE INDEX idx_of_the_future ON calls (of_the_future)",
)
"""What migrations may do that this code has yet to see: new tables, columns that can be left out, indexes."""


async def test_code_works_with_a_newer_schema_that_lets_it(store: Store, store_url: str) -> None:
    def migrate(connection: Connection) -> None:
        for statement in FUTURE:
            connection.execute(text(statement))

    await store.change(migrate)
    old = Settings(database_url=store_url, default_models=tuple(MODELS))
    async with open_engine(old) as engine:
        outcome = await deliberate("Tabs or spaces?", "vote", engine=engine)
        assert outcome.status == "complete"
        found = [one async for one in batch(["Vim or Emacs?"], "vote", name="b", engine=engine)]
        assert [one.status for one in found] == ["complete"]
        assert not engine.store.migrated
