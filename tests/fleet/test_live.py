"""A follower at any door sees what happens on any worker, as it happens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import asyncpg  # type: ignore[import-untyped]  # it carries no types
import pytest

from moot.fleet import proof, wire
from moot.fleet.wire import Order, Piece
from moot.http.stream import sse
from moot.kernel.clock import now_ms
from moot.kernel.followers import Frame
from moot.kernel.lookout import LOOK_SECONDS
from moot.kernel.request import AskRequest
from moot.settings import Settings
from moot.store import runs
from moot.store.postgres import PostgresStore
from moot.testing import ModelServer
from moot.testing.replies import Reply, Script
from moot.wiring import open_engine
from tests.fleet.test_workers import ASK, script
from tests.harness.fleet import Fleet
from tests.harness.waiting import until

SECRET = "a-secret-of-sixteen-characters-or-more"


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(postgres_url)
    yield connection
    await connection.close()


async def test_tokens_flow_from_a_worker_through_any_door_to_any_reader(
    postgres_url: str, database: asyncpg.Connection
) -> None:
    async with (
        ModelServer(script(0)) as models,
        Fleet(postgres_url, models.environment, fleet_secret=SECRET) as fleet,
    ):
        first, second = await fleet.door(), await fleet.door()
        await fleet.worker()
        asking = asyncio.create_task(fleet.ask(first, {**ASK, "streamTokens": True}))

        async def under_way() -> bool:
            return len(models.requests) >= 3

        await until(under_way)
        run_id = await database.fetchval("SELECT id FROM runs")
        joined = await fleet.follow(second, run_id, tokens=True, until="call_start")
        assert joined.types[0] == "vote_start"
        await fleet.follow(first, run_id, tokens=True, until="call_start")
        await asyncio.sleep(3 * LOOK_SECONDS)  # so often the asker's own stream looks for the run's owner
        models.release()
        story = await asking
        again = await fleet.follow(second, run_id, after=2)
    assert "token" in story.types
    assert story.types.count("call_start") == 7
    assert "An answer." in "".join(
        json.loads(data)["data"]["text"] for _, kind, data in story.frames if kind == "token"
    )
    assert [frame for frame in story.frames if frame[0] and frame[0] > 2] == again.frames


async def test_a_reader_stays_with_a_run_whose_worker_dies(postgres_url: str) -> None:
    async with (
        ModelServer(script(4)) as models,
        Fleet(postgres_url, models.environment, fleet_secret=SECRET) as fleet,
    ):
        door, first = await fleet.door(), await fleet.worker()
        asking = asyncio.create_task(fleet.ask(door, {**ASK, "streamTokens": True}))

        async def under_way() -> bool:
            return len(models.requests) > 4

        await until(under_way)
        await fleet.worker()
        await first.kill()
        models.release()
        story = await asking
    assert story.types[-1] == "complete"
    assert story.numbers == list(range(1, len(story.numbers) + 1))


async def test_a_door_stops_a_run_on_a_worker_at_once(postgres_url: str) -> None:
    async with (
        ModelServer(script(0)) as models,
        Fleet(postgres_url, models.environment, fleet_secret=SECRET) as fleet,
    ):
        door = await fleet.door()
        await fleet.worker()
        asked = await fleet.ask(door, {**ASK, "streamTokens": True}, until="call_start")
        async with fleet.session.post(f"{door.url}/api/runs/{asked.run_id}/cancel") as response:
            assert (await response.json())["status"] == "cancelled"


async def test_only_who_knows_the_secret_is_told_anything(
    postgres_url: str, database: asyncpg.Connection
) -> None:
    async with (
        ModelServer(script(0)) as models,
        Fleet(postgres_url, models.environment, fleet_secret=SECRET) as fleet,
    ):
        door = await fleet.door()
        await fleet.worker()
        asked = await fleet.ask(door, {**ASK, "streamTokens": True}, until="call_start")
        address = await database.fetchval("SELECT address FROM processes WHERE kind = 'worker'")
        target, order = "/link", Order("follow", 1, run_id=asked.run_id, tokens=True).written()
        good, _ = proof.sign(SECRET, target)
        for header in (
            "",
            "Moot ;;",
            f"Moot {10**20};a;b",
            proof.sign("another secret", target)[0],
            good[:-1] + "x",
        ):
            headers = {"Authorization": header}
            async with fleet.session.post(address + target, headers=headers, data=order) as response:
                assert response.status == 403
                assert await response.read() == b""
        for other in ("/link?after=1", "/runs/x/cancel"):
            async with fleet.session.post(address + other, headers={"Authorization": good}) as response:
                assert response.status == 403

        async def orders() -> AsyncIterator[bytes]:
            yield order
            await hung_up.wait()

        hung_up = asyncio.Event()
        headers = {"Authorization": good}
        async with fleet.session.post(address + target, headers=headers, data=orders()) as response:
            assert response.status == 200
            (piece,) = wire.Pieces().feed(await response.content.readany())
            hung_up.set()
        assert wire.unpacked(piece.data)[0].type == "vote_start"


async def test_a_door_tells_how_a_run_begins_before_anyone_works_on_it_and_reads_nothing_for_that(
    postgres_url: str,
) -> None:
    settings = Settings(database_url=postgres_url, deliberate=False)
    async with open_engine(settings, deliberates=False) as engine:
        record = await engine.start(AskRequest.of(ASK))
        assert isinstance(engine.store, PostgresStore)
        await engine.store.close()
        stream = engine.follow(record.id)
        [frame] = await anext(stream)
        await stream.aclose()  # type: ignore[attr-defined]
        await engine.store.open()
        [(number, stored)] = await engine.store.read(lambda db: runs.events_after(db, record.id, 0))
    assert frame == Frame.of(number, stored)


async def test_a_worker_keeps_a_door_on_the_line_for_a_run_that_it_is_just_taking_up(
    postgres_url: str, database: asyncpg.Connection
) -> None:
    async with (
        ModelServer(script(0)) as models,
        Fleet(postgres_url, models.environment, fleet_secret=SECRET) as fleet,
    ):
        door = await fleet.door()
        await fleet.worker()
        reading = database.transaction()
        await reading.start()
        await database.execute("LOCK TABLE decisions")  # so the lease is taken, and the run not yet read
        asking = asyncio.create_task(fleet.ask(door, ASK))

        async def leased() -> bool:
            return bool(await database.fetchval("SELECT count(*) FROM leases WHERE owner IS NOT NULL"))

        await until(leased)
        run_id = await database.fetchval("SELECT run_id FROM leases")
        address = await database.fetchval("SELECT address FROM processes WHERE kind = 'worker'")

        async def orders() -> AsyncIterator[bytes]:
            yield Order("follow", 1, run_id=run_id, tokens=True).written()
            await hung_up.wait()

        hung_up, pieces = asyncio.Event(), list[Piece]()
        headers = {"Authorization": proof.sign(SECRET, "/link")[0]}
        async with fleet.session.post(f"{address}/link", headers=headers, data=orders()) as response:
            heard = wire.Pieces()
            pieces += heard.feed(await response.content.readany())
            assert pieces == []  # it is still there: that is all it says
            await reading.rollback()
            while not pieces:
                pieces += heard.feed(await response.content.readany())
            hung_up.set()
        models.release()
        await asking
    assert pieces[0].state == wire.MORE
    assert wire.unpacked(pieces[0].data)[0].type == "vote_start"


async def test_a_reader_who_does_not_read_keeps_no_other_reader_of_the_same_process_waiting(
    postgres_url: str, database: asyncpg.Connection
) -> None:
    models = ModelServer(Script(default=Reply(text=f"{'word ' * 5_000}VOTE: Response B"), hold_after=0))
    async with models, Fleet(postgres_url, models.environment, fleet_secret=SECRET) as fleet:
        door = await fleet.door()
        await fleet.worker()
        asked = await fleet.ask(door, {**ASK, "streamTokens": True}, until="call_start")
        address = await database.fetchval("SELECT address FROM processes WHERE kind = 'worker'")
        orders = asyncio.Queue[Order]()
        for stream in (1, 2):
            orders.put_nowait(Order("follow", stream, run_id=asked.run_id, tokens=True))

        async def sent() -> AsyncIterator[bytes]:
            while True:
                yield (await orders.get()).written()

        pieces, got = wire.Pieces(), {1: b"", 2: b""}
        models.release()
        headers = {"Authorization": proof.sign(SECRET, "/link")[0]}
        async with fleet.session.post(f"{address}/link", headers=headers, data=sent()) as response:
            ended = set[int]()
            while ended != {1, 2}:
                for piece in pieces.feed(await response.content.readany()):
                    got[piece.stream] += piece.data
                    if piece.stream == 2:
                        orders.put_nowait(Order("took", 2, size=len(piece.data)))
                    if piece.state == wire.ENDED:
                        ended.add(piece.stream)
                    if ended == {2}:  # the first has waited; now its reader has time for all of it
                        assert wire.WINDOW_BYTES < len(got[1]) < len(got[2])
                        orders.put_nowait(Order("took", 1, size=len(got[2])))
    for story in map(wire.unpacked, got.values()):
        assert story[-1].type == "complete"
        numbers = [frame.number for frame in story if frame.number]
        assert numbers == list(range(1, len(numbers) + 1))


def test_a_proof_is_good_for_a_minute_and_for_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    header, nonce = proof.sign(SECRET, "/runs/1/events")
    proven = proof.check(SECRET, header, "/runs/1/events")
    assert proven is not None
    assert proof.is_answer(SECRET, nonce, proven)
    assert not proof.is_answer(SECRET, "another", proven)
    assert proof.check(SECRET, header, "/runs/2/events") is None
    later = now_ms() + proof.GOOD_FOR_MS + 1
    monkeypatch.setattr("moot.fleet.proof.now_ms", lambda: later)
    assert proof.check(SECRET, header, "/runs/1/events") is None


FRAMES = [
    Frame(1, "start", 0, b"{}"),
    Frame(None, "token", 5, '{"data":"\\n é"}'.encode()),
    Frame(None, "token", 12, b'{"data":{"text":"id: 3"},"type":"x"}'),
    Frame(2, "complete", 9, b"{}"),
]


def test_what_readers_get_can_be_read_back() -> None:
    assert wire.unpacked(b"".join(map(sse, FRAMES))) == FRAMES
    assert wire.unpacked(b"") == []


def test_pieces_come_out_as_they_went_in_however_they_are_cut() -> None:
    pieces = [
        Piece(3, 0, wire.MORE, sse(FRAMES[1])),
        Piece(17, 1, wire.MORE, sse(FRAMES[0])),
        Piece(3, 0, wire.GONE, b""),
        Piece(17, 2, wire.ENDED, sse(FRAMES[3])),
    ]
    sent = wire.PING.join(piece.written() for piece in pieces)
    for size in range(1, len(sent)):
        reading = wire.Pieces()
        read = [piece for at in range(0, len(sent), size) for piece in reading.feed(sent[at : at + size])]
        assert read == pieces


def test_orders_come_out_as_they_went_in_however_they_are_cut() -> None:
    orders = [
        Order("follow", 1, run_id="9f0c", after=7, tokens=True),
        Order("took", 1, size=32_768),
        Order("leave", 1),
    ]
    sent = b"".join(order.written() for order in orders)
    for size in range(1, len(sent)):
        reading = wire.Orders()
        read = [order for at in range(0, len(sent), size) for order in reading.feed(sent[at : at + size])]
        assert read == orders


@pytest.mark.parametrize("line", [b"follow 1\n", b"took 1\n", b"rise 1\n", b"\n"])
def test_what_is_no_order_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match="no order"):
        wire.Orders().feed(line)
