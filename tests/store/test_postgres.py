from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from operator import methodcaller
from urllib.parse import parse_qs, urlsplit, urlunsplit

import asyncpg  # type: ignore[import-untyped]  # it carries no types
import pytest
from sqlalchemy import Connection, func, select, text
from sqlalchemy.util import await_only

from moot.kernel.errors import Conflict, LeaseLost, StoreUnavailable
from moot.kernel.values import CouncilRow
from moot.store import BeginOutcome, Ending, NewRun, conversations, runs
from moot.store.postgres import PostgresStore
from moot.store.tables import metadata
from tests.harness.waiting import PATIENCE, until
from tests.store.builders import (
    a_call,
    a_follow_up,
    a_retry,
    a_row,
    an_append,
    an_event,
    an_opening,
    taken_over,
)

READY = b"Z\x00\x00\x00\x05"
"""What a server sends last, but for one letter, once a statement is done."""


class Wire:
    """A proxy before the server. `cut` = "reply": the next statement is done, but nobody hears of it;
    "request": it never arrives."""

    def __init__(self, url: str) -> None:
        self.server = urlsplit(url)
        self.cut = ""
        self.cuts = 0
        self.away = False
        self._open: set[asyncio.StreamWriter] = set()

    def go_away(self) -> None:
        """As a server that is stopped: connections end, and new ones are refused."""
        self.away = True
        for writer in self._open:
            writer.close()

    @asynccontextmanager
    async def laid(self) -> AsyncIterator[str]:
        listening = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        user = self.server.username or "postgres"
        try:
            yield urlunsplit(
                ("postgresql", f"{user}@127.0.0.1:{port}", self.server.path, "sslmode=disable", "")
            )
        finally:
            listening.close()
            await listening.wait_closed()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.away:
            writer.close()
            return
        server_reader, server_writer = await self._reach_server()
        self._open |= {writer, server_writer}
        requests = asyncio.create_task(self._carry_requests(reader, server_writer))
        with suppress(OSError):
            await self._carry_replies(server_reader, writer)
        requests.cancel()
        self._open -= {writer, server_writer}
        for end in (writer, server_writer):
            end.close()
            with suppress(OSError):
                await end.wait_closed()

    async def _carry_requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            if self.cut == "request":
                self._cut()
                writer.close()
                return
            writer.write(data)

    async def _carry_replies(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            if self.cut == "reply" and data[-6:-1] == READY:
                self._cut()
                return
            writer.write(data)

    def _cut(self) -> None:
        self.cut = ""
        self.cuts += 1

    async def _reach_server(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        folder = parse_qs(self.server.query).get("host")
        if folder:
            return await asyncio.open_unix_connection(f"{folder[0]}/.s.PGSQL.{self.server.port or 5432}")
        return await asyncio.open_connection(self.server.hostname, self.server.port or 5432)


@pytest.fixture
async def wire(postgres_url: str) -> Wire:
    return Wire(postgres_url)


@pytest.fixture
async def postgres(wire: Wire) -> AsyncIterator[PostgresStore]:
    async with wire.laid() as url:
        store = PostgresStore(url, patience=5)
        await store.open()
        await store.begin(an_opening("r"))
        await store.append(
            an_append("r", call=a_call("warm up"), event=an_event("warm up"), rows=[a_row("x")])
        )
        yield store
        await store.close()


@pytest.mark.parametrize("cut", ["reply", "request"])
async def test_an_append_whose_answer_was_lost_is_written_once_and_gets_its_number(
    postgres: PostgresStore, wire: Wire, cut: str
) -> None:
    for n in range(3):
        wire.cut = cut
        written = [
            postgres.append(
                an_append("r", call=a_call(f"{n}"), event=an_event(f"step/{n}"), rows=[a_row("x")])
            ),
            postgres.append(an_append("r", event=an_event("warm up"))),
        ]
        assert await asyncio.gather(*written) == [3 + n, None]
        assert wire.cuts == n + 1
    journal = await postgres.read(lambda db: runs.recall(db, "r"))
    assert [number for number, _ in journal.events] == [1, 2, 3, 4, 5]
    assert len(journal.calls) == 4
    assert len(await postgres.read(lambda db: conversations.stage_rows(db, "answer of r"))) == 4


@pytest.mark.parametrize("cut", ["reply", "request"])
async def test_calls_whose_answer_was_lost_are_there_once(
    postgres: PostgresStore, wire: Wire, cut: str
) -> None:
    await postgres.append(an_append("r", call=a_call("before"), decision=("before", b"1")))
    wire.cut = cut
    assert await postgres.append(an_append("r", call=a_call("x"), decision=("y", b"2"))) is None
    journal = await postgres.read(lambda db: runs.recall(db, "r"))
    assert {call.step for call in journal.calls.values()} == {"warm up", "before", "x"}
    assert journal.decisions == {"before": b"1", "y": b"2"}


@pytest.mark.parametrize("cut", ["reply", "request"])
@pytest.mark.parametrize("erase", [False, True])
async def test_an_ending_whose_answer_was_lost_has_happened_once(
    postgres: PostgresStore, wire: Wire, cut: str, erase: bool
) -> None:
    wire.cut = cut
    ending = Ending("failed", error="No.", erase=erase)
    assert await postgres.append(an_append("r", event=an_event("error"), ending=ending)) == 3
    record = await postgres.read(lambda db: runs.run(db, "r"))
    assert record is not None
    assert record.status == "failed"
    messages = await postgres.read(lambda db: conversations.messages(db, "conversation of r"))
    assert len(messages) == (0 if erase else 2)


@pytest.mark.parametrize("cut", ["reply", "request"])
@pytest.mark.parametrize(
    "opening",
    [
        an_opening("s"),
        an_opening("s", idempotency_key="k", request_digest="d"),
        a_follow_up("s", "r"),
        a_retry("s", of="r"),
    ],
    ids=["new", "with a key", "follow-up", "retry"],
)
async def test_a_beginning_whose_answer_was_lost_has_happened_once(
    postgres: PostgresStore, wire: Wire, opening: NewRun, cut: str
) -> None:
    await postgres.append(an_append("r", ending=Ending("failed", error="No.")))
    wire.cut = cut
    assert await postgres.begin(opening) == BeginOutcome("s", is_new=True)
    assert wire.cuts == 1
    assert await postgres.append(an_append("s", event=an_event("x"))) == 2


@pytest.mark.parametrize("at", range(12))
async def test_wherever_a_careful_beginning_is_cut_it_happens_once(
    postgres: PostgresStore, wire: Wire, at: int
) -> None:
    """A retry takes a dozen round trips; each of them may be the last that was answered."""
    await postgres.append(an_append("r", ending=Ending("failed", error="No.")))
    opening = a_retry("s", of="r", idempotency_key="k", request_digest="d")
    beginning = asyncio.create_task(postgres.begin(opening))
    await asyncio.sleep(at * 0.0008)
    wire.cut = "reply"
    assert await beginning == BeginOutcome("s", is_new=True)
    wire.cut = ""
    journal = await postgres.read(lambda db: runs.recall(db, "s"))
    assert len(journal.events) == 1
    assert {call.step for call in journal.calls.values()} == {"warm up"}


async def test_while_the_server_is_away_entries_wait_for_it(postgres: PostgresStore, wire: Wire) -> None:
    wire.away, wire.cut = True, "request"
    written = postgres.append(an_append("r", event=an_event("patient")))
    await asyncio.sleep(0.05)
    assert not written.done()
    wire.away = False
    assert await written == 3


async def test_while_the_server_stays_away_nothing_begins_and_what_runs_have_appended_is_kept(
    wire: Wire,
) -> None:
    async with wire.laid() as url:
        store = PostgresStore(url, patience=0.05)
        await store.open()
        await store.begin(an_opening("r"))
        told: list[str | None] = []
        store.availability.watch(told.append)
        wire.go_away()
        with pytest.raises(StoreUnavailable, match="The database does not answer"):
            await store.begin(an_opening("s"))
        written = [store.append(an_append("r", event=an_event(f"x/{n}"))) for n in range(3)]
        changing = asyncio.create_task(store.change(lambda db: runs.request_cancel(db, "r")))
        await until(lambda: bool(told))
        for refused in (
            changing,
            store.begin(an_opening("s")),
            store.read(lambda db: runs.run(db, "r")),
        ):
            with pytest.raises(StoreUnavailable, match=r"^The database does not answer\.$"):
                await refused
        wire.away = False
        assert await asyncio.gather(*written) == [2, 3, 4]
        assert told == ["The database does not answer.", None]
        assert (await store.begin(an_opening("s"))).is_new
        await store.close()


async def test_a_run_that_was_taken_over_while_the_server_was_away_is_refused(
    wire: Wire, postgres_url: str
) -> None:
    other = PostgresStore(postgres_url)
    await other.open()
    async with wire.laid() as url:
        store = PostgresStore(url)
        await store.open()
        await store.begin(an_opening("r"))
        wire.go_away()
        written = store.append(an_append("r", event=an_event("late")))
        epoch = await taken_over(other, "r")
        assert await other.append(an_append("r", epoch=epoch, event=an_event("theirs"))) == 2
        wire.away = False
        with pytest.raises(LeaseLost):
            await written
        await store.close()
    await other.close()


async def test_a_store_can_be_closed_while_the_server_is_away(wire: Wire) -> None:
    async with wire.laid() as url:
        store = PostgresStore(url)
        await store.open()
        await store.begin(an_opening("r"))
        wire.go_away()
        written = store.append(an_append("r", event=an_event("lost")))
        await asyncio.sleep(0.05)
        async with asyncio.timeout(PATIENCE):
            await store.close()
        with pytest.raises(StoreUnavailable):
            await written


@pytest.mark.parametrize("trusted_seconds", [0.0, 60.0])
async def test_a_read_finds_another_connection_where_the_server_has_ended_its_own(
    postgres: PostgresStore, postgres_url: str, monkeypatch: pytest.MonkeyPatch, trusted_seconds: float
) -> None:
    monkeypatch.setattr("moot.store.postgres.TRUSTED_SECONDS", trusted_seconds)
    backend = text("SELECT pg_backend_pid()")
    first = await postgres.read(methodcaller("scalar", backend))
    assert await postgres.read(methodcaller("scalar", backend)) == first
    admin = await asyncpg.connect(postgres_url)
    await admin.execute("SELECT pg_terminate_backend($1)", first)
    await admin.close()
    await asyncio.sleep(0.2)  # the driver hears of it
    assert await postgres.read(methodcaller("scalar", backend)) != first


@pytest.mark.parametrize("cut", ["reply", "request"])
@pytest.mark.parametrize(
    "ending", [Ending("complete"), Ending("cancelled", erase=True)], ids=["kept", "erased"]
)
async def test_an_end_whose_answer_was_lost_is_written_once(
    postgres: PostgresStore, wire: Wire, cut: str, ending: Ending
) -> None:
    wire.cut = cut
    await postgres.append(an_append("r", ending=ending))
    assert wire.cuts == 1
    record = await postgres.read(lambda db: runs.run(db, "r"))
    assert record is not None
    assert record.status == ending.status


async def test_connections_ended_by_the_server_again_and_again_lose_and_double_nothing(
    postgres: PostgresStore, postgres_url: str
) -> None:
    """As when it restarts under load."""
    names = [f"r{n}" for n in range(5)]
    await asyncio.gather(*(postgres.begin(an_opening(name)) for name in names))

    async def deliberate(name: str) -> None:
        for n in range(60):
            postgres.append(an_append(name, call=a_call(f"step {n}")))
            assert (
                await postgres.append(an_append(name, event=an_event(f"step/{n}"), rows=[a_row("x")]))
                == n + 2
            )

    admin = await asyncpg.connect(postgres_url)
    working = asyncio.gather(*(deliberate(name) for name in names))
    ended = 0
    while not working.done() and ended < 15:
        ended += len(
            await admin.fetch(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
        await asyncio.sleep(0.1)
    await admin.close()
    await working
    assert ended > 0
    for table in ("calls", "deliberation_stages"):
        count = select(func.count()).select_from(metadata.tables[table])
        assert await postgres.read(methodcaller("scalar", count)) == 5 * 60 + 1


async def test_two_processes_with_one_key_or_one_conversation_begin_one_run(postgres_url: str) -> None:
    stores = [PostgresStore(postgres_url) for _ in range(4)]
    for store in stores:
        await store.open()
    for trial in range(10):
        keyed = [
            store.begin(an_opening(f"{trial} {n}", idempotency_key=f"k{trial}", request_digest="d"))
            for n, store in enumerate(stores)
        ]
        begun = await asyncio.gather(*keyed)
        assert len({one.run_id for one in begun}) == 1
        assert [one.is_new for one in begun].count(True) == 1
        (first,) = {one.run_id for one in begun}
        await stores[0].append(an_append(first, ending=Ending("complete")))
        follow_ups = [store.begin(a_follow_up(f"{trial} next {n}", first)) for n, store in enumerate(stores)]
        outcomes = await asyncio.gather(*follow_ups, return_exceptions=True)
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["BeginOutcome", *["Conflict"] * 3]
    for store in stores:
        await store.close()


async def test_heartbeats_and_appends_of_the_same_runs_do_not_stop_one_another(
    postgres: PostgresStore,
) -> None:
    names = [f"r{n}" for n in range(50)]
    await asyncio.gather(*(postgres.begin(an_opening(name)) for name in names))
    beats = [(name, 1, 7) for name in reversed(names)]

    async def beat() -> None:
        for _ in range(20):
            pulse = await postgres.change(lambda db: runs.heartbeat(db, beats, 10**13))
            assert len(pulse.ours) == 50

    async def work() -> None:
        for n in range(20):
            await asyncio.gather(
                *(postgres.append(an_append(name, event=an_event(f"x/{n}"))) for name in names)
            )

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(beat(), work())


async def test_changes_that_wait_for_each_other_are_both_made(postgres: PostgresStore) -> None:
    await postgres.begin(an_opening("s"))

    def rename(first: str, second: str) -> Callable[[Connection], None]:
        def change(db: Connection) -> None:
            assert conversations.rename(db, "ann", f"conversation of {first}", f"{first} before {second}")
            db.execute(text("SELECT pg_sleep(0.3)"))
            assert conversations.rename(db, "ann", f"conversation of {second}", f"{first} before {second}")

        return change

    await asyncio.gather(postgres.change(rename("r", "s")), postgres.change(rename("s", "r")))
    titles = {
        one.title for one in (await postgres.read(lambda db: conversations.conversations(db, "ann"))).items
    }
    assert len(titles) == 1, "one came after the other"


async def test_the_character_nul_is_replaced_where_the_database_cannot_hold_it(
    postgres: PostgresStore,
) -> None:
    await postgres.append(an_append("r", call=a_call("x", text="a\x00b", reasoning="\x00")))
    council = CouncilRow("stage2_label_map", {"label": "Response \x00", "seat": 1, "model": "a/a"})
    parsed = {"k\x00": ["v\x00", "back\\u0000slash", 1, None]}
    told = an_event("y", b'{"data":"\\u0000"}')
    await postgres.append(
        an_append("r", event=told, rows=[a_row("c\x00", seat=9, parsed_data=parsed), council])
    )
    call = (await postgres.read(lambda db: runs.recall(db, "r"))).calls["x", None, "digest of x"]
    assert (call.text, call.reasoning) == ("a\ufffdb", "\ufffd")
    row = (await postgres.read(lambda db: conversations.stage_rows(db, "answer of r")))[-1]
    assert row.content == "c\ufffd"
    assert row.parsed_data == {"k\ufffd": ["v\ufffd", "back\\u0000slash", 1, None]}
    assert (await postgres.read(lambda db: runs.events_after(db, "r", 2)))[0][1] == told


async def test_a_conflict_in_the_database_itself_is_told_as_one(postgres_url: str) -> None:
    """What another process inserts between looking and inserting."""
    store = PostgresStore(postgres_url)
    await store.open()
    await store.begin(an_opening("r"))
    with pytest.raises(Conflict):
        await store.begin(an_opening("s", conversation_id="conversation of r"))
    await store.close()


async def test_what_one_read_sees_is_of_one_moment(postgres_url: str) -> None:
    """Else a follower could read a story without its end, then that the run has ended, and go."""
    store = PostgresStore(postgres_url)
    await store.open()
    await store.begin(an_opening("r1"))
    ending = an_append("r1", event=an_event("complete"), ending=Ending(status="complete", content="Tabs."))

    def story_and_status(db: Connection) -> tuple[int, str]:
        story = runs.events_after(db, "r1", 0)
        await_only(store.append(ending))
        record = runs.run(db, "r1")
        assert record is not None
        return len(story), record.status

    assert await store.read(story_and_status) == (1, "running")
    assert await store.read(lambda db: len(runs.events_after(db, "r1", 0))) == 2
    await store.close()
