"""A follower at any door sees what happens on any worker, as it happens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import asyncpg  # type: ignore[import-untyped]  # it carries no types
import pytest

from moot.fleet import proof, wire
from moot.kernel.clock import now_ms
from moot.kernel.followers import POLL_SECONDS, Frame
from moot.testing import ModelServer
from tests.fleet.test_workers import ASK, script, until
from tests.harness.fleet import Fleet

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
        await asyncio.sleep(3 * POLL_SECONDS)  # so often the asker's own stream looks for the run's owner
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
        target = f"/runs/{asked.run_id}/events?after=0&tokens=1"
        good, _ = proof.sign(SECRET, target)
        for header in (
            "",
            "Moot ;;",
            f"Moot {10**20};a;b",
            proof.sign("another secret", target)[0],
            good[:-1] + "x",
        ):
            async with fleet.session.get(address + target, headers={"Authorization": header}) as response:
                assert response.status == 403
                assert await response.read() == b""
        for other in (target.replace("after=0", "after=1"), "/runs/x/cancel"):
            async with fleet.session.get(address + other, headers={"Authorization": good}) as response:
                assert response.status == 403
        async with fleet.session.get(address + target, headers={"Authorization": good}) as response:
            assert response.status == 200
            frames = wire.Reading().feed(await response.content.readany())
        assert frames[0].type == "vote_start"


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


def test_frames_come_out_as_they_went_in_however_they_are_cut() -> None:
    frames = [
        Frame(1, "start", 0, b"{}"),
        Frame(None, "token", 5, '{"data":"\\n é"}'.encode()),
        Frame(2, "complete", 9, b"{}"),
    ]
    sent = wire.PING.join(wire.written(frame) for frame in frames)
    for size in range(1, len(sent)):
        reading = wire.Reading()
        read = [frame for at in range(0, len(sent), size) for frame in reading.feed(sent[at : at + size])]
        assert read == frames
