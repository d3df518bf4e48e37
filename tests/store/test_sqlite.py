from __future__ import annotations

import asyncio
import random
import resource
import sqlite3
import stat
import subprocess
import sys
import textwrap
import threading
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from time import perf_counter

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError

from moot.kernel.errors import LeaseLost, StoreUnavailable
from moot.store import Ending, conversations, provider_keys, runs
from moot.store.provider_keys import SavedProvider
from moot.store.sqlite import SQLiteStore
from tests.harness.waiting import PATIENCE, until
from tests.store.builders import a_call, a_row, an_append, an_event, an_opening, taken_over

WRITER = textwrap.dedent(
    """
    import asyncio, sys
    from moot.store.sqlite import SQLiteStore
    from tests.store.builders import a_call, a_row, an_event, an_append, an_opening

    async def run(store, name, count):
        await store.begin(an_opening(name))
        for n in range(count):
            store.append(an_append(name, call=a_call(f"step {n}", text="x" * 3000)))
            rows = [a_row("row", seat=seat) for seat in range(1, 4)]
            number = await store.append(an_append(name, event=an_event(f"step/{n}"), rows=rows))
            print(name, n, number, flush=True)

    async def main(path, names, count):
        store = SQLiteStore(path)
        await store.open()
        await asyncio.gather(*(run(store, name, count) for name in names.split(",")))
        await store.close()

    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
    """
)


@pytest.fixture
async def path(tmp_path: Path) -> str:
    return str(tmp_path / "moot.db")


@pytest.fixture
async def sqlite(path: str) -> AsyncIterator[SQLiteStore]:
    store = SQLiteStore(path)
    await store.open()
    yield store
    await store.close()


async def test_a_glance_sees_at_once_what_another_connection_has_written(sqlite: SQLiteStore) -> None:
    def saved() -> object:
        return sqlite.glance(provider_keys.ANY_SAVED, ("ann", provider_keys.SERVER))

    assert saved() == [(0,)]
    one = SavedProvider("ann", "openrouter", "openai", None, b"secret", None, 1)
    with sqlite3.connect(sqlite.path) as other:
        places = ", ".join("?" * len(one))
        other.execute(f"INSERT INTO provider_keys ({', '.join(one._fields)}) VALUES ({places})", one)
    assert saved() == [(1,)]
    await sqlite.begin(an_opening("r"))
    assert saved() == [(1,)]


async def test_a_glance_waits_for_nobody(sqlite: SQLiteStore, path: str) -> None:
    assert sqlite.glance("SELECT 1 FROM no_such_table", ()) is None
    memory = SQLiteStore(":memory:")
    await memory.open()
    assert memory.glance("SELECT 1", ()) is None
    await memory.close()
    await sqlite.close()
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        assert sqlite.glance("SELECT count(*) FROM runs", ()) is None
        other.execute("ROLLBACK")
    other.close()


async def start_writer(path: str, names: str, count: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITER, path, names, str(count), stdout=subprocess.PIPE
    )


@pytest.mark.parametrize("trial", range(6))
async def test_a_killed_process_loses_nothing_that_was_acknowledged(
    path: str, trial: int, dice: random.Random
) -> None:
    process = await start_writer(path, "r0,r1,r2,r3", 100_000)
    assert process.stdout is not None
    acknowledged = [await process.stdout.readline()]
    asyncio.get_running_loop().call_later(dice.uniform(0, 0.25), process.kill)
    acknowledged += (await process.stdout.read()).splitlines(keepends=True)
    await process.wait()
    heard = [line.split() for line in acknowledged if line.endswith(b"\n")]
    assert heard

    store = SQLiteStore(path)
    await store.open()
    assert await store.read(lambda db: db.scalar(text("PRAGMA integrity_check"))) == "ok"
    assert await store.read(lambda db: db.execute(text("PRAGMA foreign_key_check")).all()) == []
    for name in ("r0", "r1", "r2", "r3"):
        await check_whole(
            store, name, {int(n): int(number) for run, n, number in heard if run.decode() == name}
        )
    await store.close()


async def check_whole(store: SQLiteStore, name: str, heard: dict[int, int]) -> None:
    """Numbers without a gap, every acknowledged event under its number, calls before and rows with it."""
    journal = await store.read(lambda db: runs.recall(db, name))
    assert [number for number, _ in journal.events] == list(range(1, len(journal.events) + 1))
    numbers = {told.key: number for number, told in journal.events}
    assert {n: numbers.get(f"step/{n}") for n in heard} == heard
    told = len(journal.events) - 1
    assert len(journal.calls) >= told
    assert len(await store.read(lambda db: conversations.stage_rows(db, f"answer of {name}"))) == 3 * told


async def test_two_processes_write_to_one_file(sqlite: SQLiteStore, path: str) -> None:
    process = await start_writer(path, "theirs0,theirs1", 40)
    await asyncio.gather(*(sqlite.begin(an_opening(f"ours{n}")) for n in range(2)))
    for n in range(40):
        numbers = await asyncio.gather(
            *(sqlite.append(an_append(f"ours{run}", event=an_event(f"step/{n}"))) for run in range(2))
        )
        assert numbers == [n + 2, n + 2]
    await process.communicate()
    assert process.returncode == 0
    for name in ("theirs0", "theirs1"):
        await check_whole(sqlite, name, {n: n + 2 for n in range(40)})


async def test_what_was_queued_before_closing_is_written(path: str) -> None:
    store = SQLiteStore(path)
    await store.open()
    await store.begin(an_opening("r"))
    written = [store.append(an_append("r", event=an_event(f"step/{n}"))) for n in range(3000)]
    await store.close()
    assert [future.result() for future in written] == list(range(2, 3002))
    with pytest.raises(RuntimeError, match="is not open"):
        store.append(an_append("r"))


async def test_what_nobody_waits_for_is_held_for_a_moment_and_goes_with_what_somebody_does(
    sqlite: SQLiteStore,
) -> None:
    await sqlite.begin(an_opening("r"))
    queued = [sqlite.append(an_append("r", event=an_event(f"step/{n}"))) for n in range(3)]
    await sqlite.change(lambda db: None)
    assert [future.result() for future in queued] == [2, 3, 4]
    alone = sqlite.append(an_append("r", call=a_call("step 4")))
    assert await asyncio.wait_for(alone, PATIENCE) is None
    last = sqlite.append(an_append("r", event=an_event("complete"), ending=Ending(status="complete")))
    assert await asyncio.wait_for(last, PATIENCE) == 5


def size_of(path: str) -> int:
    return Path(path).stat().st_size


async def test_on_a_full_disk_appends_wait_and_are_written_in_order_once_there_is_room(
    sqlite: SQLiteStore, path: str
) -> None:
    await sqlite.begin(an_opening("r"))
    await sqlite.begin(an_opening("s"))
    told: list[str | None] = []
    sqlite.availability.watch(told.append)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_of(f"{path}-wal"), hard))
    try:
        written = [sqlite.append(an_append(name, event=an_event("1st"))) for name in "rs"]
        await until(lambda: bool(told))
        written += [sqlite.append(an_append(name, event=an_event("2nd"))) for name in "rs"]
        with pytest.raises(StoreUnavailable, match="could not be written: disk I/O error"):
            await sqlite.begin(an_opening("refused"))
        with pytest.raises(StoreUnavailable, match="could not be written: disk I/O error"):
            await sqlite.change(lambda db: conversations.rename(db, "ann", "conversation of r", "x"))
        assert not any(one.done() for one in written)
        assert len(await sqlite.read(partial(runs.events_after, run_id="r", number=0))) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert await asyncio.gather(*written) == [2, 2, 3, 3]
    assert told == ["The database could not be written: disk I/O error.", None]
    assert (await sqlite.begin(an_opening("taken"))).is_new


async def test_an_entry_too_big_for_the_disk_waits_and_so_does_all_behind_it(sqlite: SQLiteStore) -> None:
    await sqlite.begin(an_opening("r"))
    pages = await sqlite.change(lambda db: db.scalar(text("PRAGMA page_count")))
    await sqlite.change(lambda db: db.scalar(text(f"PRAGMA max_page_count = {pages + 8}")))
    big = an_append("r", call=a_call("big", text="x" * 5_000_000), event=an_event("big"))
    written = [
        sqlite.append(an_append("r", event=an_event("before"))),
        sqlite.append(big),
        sqlite.append(an_append("r", event=an_event("after"))),
    ]
    await until(lambda: sqlite.availability.trouble is not None)
    pulse = await sqlite.change(lambda db: runs.heartbeat(db, [("r", 1, 7)], 10**13))
    assert pulse.ours == {"r"}, "what is small still fits"
    assert not written[1].done()
    assert not written[2].done()
    await sqlite.change(lambda db: db.scalar(text("PRAGMA max_page_count = 4294967294")))
    assert await asyncio.gather(*written) == [2, 3, 4]


async def test_a_run_that_was_taken_over_while_its_entries_waited_is_refused(sqlite: SQLiteStore) -> None:
    await sqlite.begin(an_opening("r"))
    pages = await sqlite.change(lambda db: db.scalar(text("PRAGMA page_count")))
    await sqlite.change(lambda db: db.scalar(text(f"PRAGMA max_page_count = {pages}")))
    written = sqlite.append(an_append("r", call=a_call("big", text="x" * 500_000)))
    await until(lambda: sqlite.availability.trouble is not None)
    epoch = await taken_over(sqlite, "r")
    await sqlite.change(lambda db: db.scalar(text("PRAGMA max_page_count = 4294967294")))
    with pytest.raises(LeaseLost):
        await written
    assert await sqlite.append(an_append("r", epoch=epoch, event=an_event("theirs"))) == 2


async def test_what_cannot_be_written_to_the_end_fails_when_the_store_is_closed(path: str) -> None:
    store = SQLiteStore(path)
    await store.open()
    await store.begin(an_opening("r"))
    pages = await store.change(lambda db: db.scalar(text("PRAGMA page_count")))
    await store.change(lambda db: db.scalar(text(f"PRAGMA max_page_count = {pages}")))
    written = store.append(an_append("r", call=a_call("big", text="x" * 500_000)))
    await until(lambda: store.availability.trouble is not None)
    await store.close()
    with pytest.raises(StoreUnavailable):
        await written


async def test_a_file_locked_for_too_long_is_written_when_it_is_free(path: str) -> None:
    store = SQLiteStore(path, patience=0.05)
    await store.open()
    await store.begin(an_opening("r"))
    other = await asyncio.to_thread(
        partial(sqlite3.connect, path, isolation_level=None, check_same_thread=False)
    )
    await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
    written = store.append(an_append("r", event=an_event("x")))
    await until(lambda: store.availability.trouble is not None)
    with pytest.raises(StoreUnavailable, match="database is locked"):
        await store.change(lambda db: runs.request_cancel(db, "r"))
    assert len(await store.read(lambda db: runs.events_after(db, "r", 0))) == 1
    await asyncio.to_thread(other.execute, "ROLLBACK")
    assert await written == 2
    await asyncio.to_thread(other.close)
    await store.close()


async def test_an_entry_that_no_database_takes_fails_alone_and_its_run_can_only_fail(
    sqlite: SQLiteStore,
) -> None:
    await sqlite.begin(an_opening("r"))
    await sqlite.begin(an_opening("s"))
    written = [
        sqlite.append(an_append("r", call=a_call("half a sign", text="\ud800"))),
        sqlite.append(an_append("s", event=an_event("x"))),
        sqlite.append(an_append("r", event=an_event("y"))),
        sqlite.append(an_append("r", event=an_event("error"), ending=Ending("failed", error="No."))),
    ]
    outcomes = await asyncio.gather(*written, return_exceptions=True)
    assert isinstance(outcomes[0], UnicodeEncodeError)
    assert outcomes[1] == 2
    assert isinstance(outcomes[2], LeaseLost)
    assert outcomes[3] == 2
    assert sqlite.availability.trouble is None


async def test_a_change_that_raises_is_undone_alone(sqlite: SQLiteStore) -> None:
    await sqlite.begin(an_opening("r"))

    def rename_and_raise(db: Connection) -> None:
        assert conversations.rename(db, "ann", "conversation of r", "half done")
        raise KeyError("mine")

    written = sqlite.append(an_append("r", event=an_event("x")))
    changed = await asyncio.gather(
        sqlite.change(rename_and_raise),
        sqlite.change(lambda db: runs.request_cancel(db, "r")),
        return_exceptions=True,
    )
    assert isinstance(changed[0], KeyError)
    assert changed[1] is True
    assert await written == 2
    found = await sqlite.read(lambda db: conversations.conversation(db, "ann", "conversation of r"))
    assert found is not None
    assert found.title == "Title of r"


async def test_a_reader_cannot_write(sqlite: SQLiteStore) -> None:
    await sqlite.begin(an_opening("r"))
    with pytest.raises(OperationalError, match="readonly"):
        await sqlite.read(lambda db: conversations.rename(db, "ann", "conversation of r", "x"))


async def test_a_query_sees_one_moment_however_long_it_takes(sqlite: SQLiteStore) -> None:
    await sqlite.begin(an_opening("r"))
    looked, go_on = threading.Event(), threading.Event()

    def look_twice(db: Connection) -> tuple[int, int]:
        first = len(runs.events_after(db, "r", 0))
        looked.set()
        go_on.wait(PATIENCE)
        return first, len(runs.events_after(db, "r", 0))

    reading = asyncio.create_task(sqlite.read(look_twice))
    await asyncio.to_thread(looked.wait, PATIENCE)
    assert await sqlite.append(an_append("r", event=an_event("meanwhile"))) == 2
    go_on.set()
    assert await reading == (1, 1)


async def test_in_memory_everything_works_and_is_gone_at_the_end() -> None:
    for _ in range(2):
        store = SQLiteStore(":memory:")
        await store.open()
        assert (await store.begin(an_opening("r"))).is_new
        assert await store.append(an_append("r", event=an_event("x"), ending=Ending("complete"))) == 2
        assert len(await store.read(lambda db: runs.events_after(db, "r", 0))) == 2
        await store.close()


async def test_a_new_file_is_for_its_owner_only_and_its_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "data" / "moot" / "moot.db"
    store = SQLiteStore(str(path))
    await store.open()
    await store.begin(an_opening("r"))
    for name in ("moot.db", "moot.db-wal", "moot.db-shm"):
        assert stat.S_IMODE((path.parent / name).stat().st_mode) == 0o600
    await store.close()


async def test_beside_a_busy_event_loop_the_writer_keeps_up(sqlite: SQLiteStore) -> None:
    """A statement lets go of the interpreter and waits for it: many small ones would take seconds here."""
    runs_at_once = 50

    async def work() -> None:
        while True:
            sum(range(5_000))
            await asyncio.sleep(0)

    async def deliberate(name: str) -> None:
        await sqlite.begin(an_opening(name))
        for n in range(4):
            for seat in range(1, 4):
                sqlite.append(an_append(name, call=a_call(f"step {n}", seat, text="x" * 2000)))
            rows = [a_row("x" * 2000, seat=seat) for seat in range(1, 4)]
            await sqlite.append(an_append(name, event=an_event(f"step/{n}"), rows=rows))

    seconds: dict[bool, float] = {}
    for busy in (False, True):
        working = asyncio.create_task(work() if busy else asyncio.sleep(0))
        started = perf_counter()
        await asyncio.gather(*(deliberate(f"{busy} {n}") for n in range(runs_at_once)))
        seconds[busy] = perf_counter() - started
        working.cancel()
    assert seconds[True] < 10 * seconds[False]
