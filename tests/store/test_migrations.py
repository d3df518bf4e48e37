from __future__ import annotations

import ast
import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.schema import SchemaItem

from moot.kernel.errors import MootError
from moot.store import Store, migrations
from moot.store.tables import metadata
from moot.store.urls import store_for
from tests.harness.postgres_server import Server
from tests.store.builders import an_opening

VERSIONS = Path(migrations.__file__).parent / "versions"


@pytest.fixture(params=["sqlite", "postgres"])
async def empty_url(
    request: pytest.FixtureRequest, tmp_path: Path, postgres_server: Server
) -> AsyncIterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'new.db'}"
        return
    url = await postgres_server.empty_database()
    yield url
    await postgres_server.drop(url)


def differences(connection: Connection) -> list[object]:
    """What Alembic would change; what only serves searching is known to the migrations alone."""

    def is_ours(item: SchemaItem, name: str | None, *_: object) -> bool:
        return not (name or "").startswith("search_") and name != "embedding"

    has_identities = connection.dialect.name == "postgresql"  # SQLite numbers its rows by itself
    options = {"include_object": is_ours, "compare_server_default": has_identities}
    context = MigrationContext.configure(connection, opts=options)
    return list(compare_metadata(context, metadata))


@pytest.mark.filterwarnings("ignore:Did not recognize type 'vector'")
async def test_the_migrated_schema_is_the_one_of_the_tables(store: Store) -> None:
    assert await store.read(differences) == []


def test_the_head_that_is_checked_by_hand_is_the_newest_revision() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_heads() == [migrations.HEAD]


@pytest.mark.filterwarnings("ignore:Did not recognize type 'vector'")
async def test_stores_that_open_one_new_database_at_once_migrate_it_once(empty_url: str) -> None:
    stores = [store_for(empty_url) for _ in range(4)]
    await asyncio.gather(*(store.open() for store in stores))
    for number, store in enumerate(stores):
        assert (await store.begin(an_opening(f"r{number}"))).is_new
    assert await stores[0].read(differences) == []
    await asyncio.gather(*(store.close() for store in stores))


async def test_processes_that_open_one_new_file_at_once_all_succeed(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from moot.store.sqlite import SQLiteStore\n"
        "async def main():\n"
        "    store = SQLiteStore(sys.argv[1])\n"
        "    await store.open()\n"
        "    await store.close()\n"
        "asyncio.run(main())\n"
    )
    path = str(tmp_path / "new.db")
    processes = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", code, path, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    ended = await asyncio.gather(*(process.communicate() for process in processes))
    assert [process.returncode for process in processes] == [0] * 4, ended


ADDITIVE = {"create_table", "create_index", "add_column", "execute", "get_bind"}


@pytest.mark.parametrize("path", sorted(VERSIONS.glob("v*.py")), ids=lambda path: path.stem)
def test_migrations_only_add_so_that_older_code_goes_on_working(path: Path) -> None:
    """Whoever must do otherwise raises FLOOR, and says here from which revision on."""
    revision = path.stem[1:5]
    if revision <= migrations.FLOOR:
        return
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    for call in calls:
        name = ast.unparse(call.func)
        if name.startswith("op."):
            assert name.removeprefix("op.") in ADDITIVE, f"{name} may break older code: see FLOOR"
        if name == "op.add_column":
            column = ast.unparse(call.args[1])
            assert "nullable=False" not in column or "server_default" in column, column


async def test_a_schema_that_is_too_new_is_refused_with_advice(store: Store, store_url: str) -> None:
    await store.change(lambda db: db.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    await store.change(lambda db: db.execute(text("UPDATE schema_floor SET revision = '9998'")))
    newer = store_for(store_url)
    with pytest.raises(MootError, match="upgrade moot"):
        await newer.open()
    await store.change(
        lambda db: db.execute(text(f"UPDATE alembic_version SET version_num = '{migrations.HEAD}'"))
    )


async def test_an_up_to_date_file_is_opened_without_alembic(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys, time\n"
        "from moot.store.sqlite import SQLiteStore\n"
        "async def main():\n"
        "    store = SQLiteStore(sys.argv[1])\n"
        "    started = time.process_time()\n"
        "    await store.open()\n"
        "    print('alembic' in sys.modules, time.process_time() - started)\n"
        "    await store.close()\n"
        "asyncio.run(main())\n"
    )

    async def run() -> tuple[bool, float]:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, str(tmp_path / "moot.db"), stdout=subprocess.PIPE
        )
        output, _ = await process.communicate()
        imported, seconds = output.decode().split()
        return imported == "True", float(seconds)

    migrated, long = await run()
    imported, seconds = await run()
    assert (migrated, imported) == (True, False)
    assert seconds < long / 5
