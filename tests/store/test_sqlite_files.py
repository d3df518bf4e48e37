"""The file of a database: only moot's own is opened, a damaged one is told of, and nobody's locks are lost."""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

from moot.kernel.errors import MootError
from moot.store import Ending, migrations, runs
from moot.store.sqlite import SQLiteStore
from moot.store.sqlite.check import check
from tests.harness.waiting import PATIENCE
from tests.store.builders import a_call, an_append, an_event, an_opening

OPEN_AND_CLOSE = textwrap.dedent(
    """
    import asyncio, sys
    from moot.store.sqlite import SQLiteStore
    from tests.store.builders import an_opening

    async def main(path, ending):
        store = SQLiteStore(path)
        await store.open()
        if ending == "kill":
            await store.begin(an_opening("killed"))
            print("ready", flush=True)
            await asyncio.sleep(60)
        await store.close()

    asyncio.run(main(sys.argv[1], sys.argv[2]))
    """
)


async def other_process(path: Path, *, killed: bool = False) -> None:
    """Another process opens the database, and closes it or dies with it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OPEN_AND_CLOSE, str(path), "kill" if killed else "close", stdout=subprocess.PIPE
    )
    if killed:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGKILL)
    await process.communicate()
    assert process.returncode == (-signal.SIGKILL if killed else 0)


async def fill(path: Path, count: int = 150) -> None:
    """A database of some hundred pages, closed in good order."""
    store = SQLiteStore(str(path))
    await store.open()
    for number in range(count):
        name = f"r{number}"
        await store.begin(an_opening(name))
        store.append(an_append(name, call=a_call("step", text=f"{number} " * 900)))
        await store.append(an_append(name, event=an_event("complete"), ending=Ending("complete", "x" * 2000)))
    await store.close()


def digests(folder: Path) -> dict[str, str]:
    """Of all files but memory that processes share, in which a reader leaves its mark."""
    files = (path for path in sorted(folder.iterdir()) if not path.name.endswith("-shm"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def foreign_database(path: Path, script: str) -> None:
    db = sqlite3.connect(path)
    db.executescript(script)
    db.close()


def damage(path: Path, page: int | None = None) -> None:
    """Random bytes over a page, by default in the middle."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(((size // 4096 // 2) if page is None else page) * 4096)
        file.write(random.Random(7).randbytes(4096))


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE accounts (name TEXT)",
        "PRAGMA journal_mode = WAL; CREATE TABLE accounts (name TEXT); INSERT INTO accounts VALUES ('ann')",
        "CREATE TABLE runs (id TEXT); CREATE TABLE events (id TEXT); CREATE TABLE alembic_version (x TEXT)",
        "PRAGMA application_id = 1196444487; CREATE VIEW v AS SELECT 1",
        "PRAGMA user_version = 3; CREATE VIEW v AS SELECT 1",
    ],
)
async def test_another_programs_database_is_refused_and_left_as_it_is(tmp_path: Path, script: str) -> None:
    path = tmp_path / "theirs.db"
    foreign_database(path, script)
    before = digests(tmp_path)
    with pytest.raises(MootError, match="It was left as it is"):
        await SQLiteStore(str(path)).open()
    assert digests(tmp_path) == before


async def test_another_programs_database_in_use_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    theirs = await asyncio.to_thread(sqlite3.connect, path, check_same_thread=False)
    await asyncio.to_thread(
        theirs.executescript, "PRAGMA journal_mode = WAL; CREATE TABLE accounts (name TEXT)"
    )
    before = digests(tmp_path)
    with pytest.raises(MootError, match="It was left as it is"):
        await SQLiteStore(str(path)).open()
    assert digests(tmp_path) == before
    await asyncio.to_thread(theirs.close)


@pytest.mark.parametrize(
    "content", [b"a", b"The combination is 17-04-33.\n" * 500, b"SQLite format 3\x00", bytes(8192)]
)
async def test_what_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(MootError, match="It was left as it is"):
        await SQLiteStore(str(path)).open()
    assert path.read_bytes() == content
    assert digests(tmp_path).keys() == {"notes.txt"}


@pytest.mark.parametrize("kind", ["a folder", "a pipe", "/dev/null"])
async def test_what_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "odd"
    if kind == "a pipe":
        await asyncio.to_thread(os.mkfifo, path)
    elif kind == "a folder":
        path.mkdir()
    else:
        path.symlink_to(kind)
    with pytest.raises(MootError, match=r"Cannot open the database .*: it is not a file"):
        await SQLiteStore(str(path)).open()


async def test_an_empty_file_and_an_empty_database_become_ours(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    foreign_database(tmp_path / "bare.db", "PRAGMA journal_mode = WAL; VACUUM")
    for name in ("empty.db", "bare.db", "new.db"):
        store = SQLiteStore(str(tmp_path / name))
        await store.open()
        assert (await store.begin(an_opening("r"))).is_new
        await store.close()


@pytest.mark.parametrize("revision", ["0001", "0002", "0003", "0004", "0005"])
async def test_a_database_of_an_older_moot_is_ours(tmp_path: Path, revision: str) -> None:
    """Older ones carry no mark; they are known by their tables, and are marked from then on."""
    path = tmp_path / "moot.db"
    await asyncio.to_thread(migrate, path, revision)
    store = SQLiteStore(str(path))
    await store.open()
    assert (await store.begin(an_opening("r"))).is_new
    await store.close()
    db = await asyncio.to_thread(sqlite3.connect, path, check_same_thread=False)
    mark = await asyncio.to_thread(lambda: db.execute("PRAGMA application_id").fetchone()[0])
    await asyncio.to_thread(db.close)
    assert mark.to_bytes(4, "big") == b"moot"


def migrate(path: Path, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    engine.dispose()


async def test_what_goes_wrong_in_a_migration_is_told(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    await asyncio.to_thread(migrate, path, "0003")
    foreign_database(path, "CREATE TABLE presets (id TEXT)")
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(MootError, match=r"Cannot open the database.*presets already exists"):
            await SQLiteStore(str(path)).open()


async def test_a_second_store_in_a_process_does_not_cost_the_first_its_locks(tmp_path: Path) -> None:
    """To open and close the file by hand lets go of all locks that the process has on it. Another process
    would then take itself for the last one, and remove the log of what was written."""
    path = tmp_path / "moot.db"
    first, second = SQLiteStore(str(path)), SQLiteStore(str(path))
    await first.open()
    await first.begin(an_opening("before"))
    await second.open()
    await other_process(path)
    assert (tmp_path / "moot.db-wal").exists()
    await first.begin(an_opening("after"))
    await other_process(path, killed=True)
    found = await second.read(
        lambda db: [runs.run(db, name) is not None for name in ("before", "after", "killed")]
    )
    assert found == [True, True, True]
    await second.close()
    await first.close()


@pytest.mark.parametrize("clean", [True, False])
async def test_after_an_unclean_end_damage_is_found_at_the_start(tmp_path: Path, clean: bool) -> None:
    path = tmp_path / "moot.db"
    await fill(path)
    await other_process(path, killed=not clean)
    assert (tmp_path / "moot.db-wal").exists() is not clean
    damage(path)
    store = SQLiteStore(str(path))
    if clean:
        await store.open()  # nobody died: the file is not read through at every start
        await store.close()
        return
    with pytest.raises(MootError) as refused:
        await store.open()
    assert str(refused.value).startswith(f"The database {path} is damaged: ")
    assert f"sqlite3 {path} .recover | sqlite3 recovered.db" in str(refused.value)
    assert "backup" in str(refused.value)
    with pytest.raises(MootError, match="is damaged"):
        await SQLiteStore(str(path)).open()


async def test_after_an_unclean_end_a_whole_database_opens(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    await fill(path, 3)
    await other_process(path, killed=True)
    store = SQLiteStore(str(path))
    await store.open()
    assert await store.read(lambda db: runs.run(db, "killed")) is not None
    await store.close()
    assert not (tmp_path / "moot.db-wal").exists()


async def test_while_another_process_has_it_open_it_is_not_checked(tmp_path: Path) -> None:
    """Its log is there because somebody works, not because somebody died."""
    path = tmp_path / "moot.db"
    await fill(path)
    first = SQLiteStore(str(path))
    await first.open()
    await first.begin(an_opening("r"))
    damage(path)
    await other_process(path)
    await first.close()


@pytest.mark.parametrize("page", [0, 1, 2])
async def test_a_database_whose_first_pages_are_damaged_is_told_of(tmp_path: Path, page: int) -> None:
    path = tmp_path / "moot.db"
    await fill(path, 3)
    await other_process(path, killed=True)
    damage(path, page)
    with pytest.raises(MootError, match=r"is damaged|not a moot database"):
        await SQLiteStore(str(path)).open()


async def test_a_check_ends_when_its_time_is_up(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    await fill(path)
    whole = await asyncio.to_thread(check, str(path), thorough=True, seconds=60)
    assert (whole.findings, whole.finished) == ((), True)
    cut = await asyncio.to_thread(check, str(path), thorough=True, seconds=0)
    assert (cut.findings, cut.finished) == ((), False)


@pytest.mark.parametrize("place", [0.2, 0.4, 0.5, 0.6, 0.8])
async def test_a_damaged_page_is_found_wherever_it_lies(tmp_path: Path, place: float) -> None:
    path = tmp_path / "moot.db"
    await fill(path)
    damage(path, int(path.stat().st_size // 4096 * place))
    found = await asyncio.to_thread(check, str(path), thorough=True, seconds=60)
    assert found.findings
