"""A database that cannot be written for a while: nothing is paid twice, and everyone is told.

The disk is full for the server's own file alone (a limit on its pages), so that it happens everywhere alike.
`make full-disk` does the same on a real file system that is too small.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from moot.kernel import run_clock
from moot.kernel.clock import monotonic
from moot.kernel.values import Request
from moot.store import Store
from moot.testing import Scripted
from moot.transport import Chunk
from tests.harness.long_text import long_text
from tests.http.door import Door, script
from tests.store.test_postgres import Wire

PANEL = ["ann", "bob", "cyd"]
LONG = long_text(56_000)
VOTE: dict[str, Any] = {"mode": "vote", "modeConfig": {"councilModels": PANEL}}


async def leave_no_room(store: Store) -> None:
    """What is small still fits, as on a disk that is nearly full."""
    pages = await store.change(lambda db: db.scalar(text("PRAGMA page_count")))
    await store.change(lambda db: db.scalar(text(f"PRAGMA max_page_count = {pages + 4}")))


async def make_room(store: Store) -> None:
    await store.change(lambda db: db.scalar(text("PRAGMA max_page_count = 4294967294")))


def long_winded() -> Scripted:
    def reply(request: Any) -> str:
        prompt = request.messages[-1].content
        return "VOTE: Response A" if "VOTE:" in prompt else LONG

    return script(**dict.fromkeys(PANEL, reply))


def asked(transport: Scripted) -> Counter[tuple[str, str]]:
    return Counter((request.model, request.digest()) for request in transport.requests)


async def test_on_a_full_disk_a_run_waits_is_paid_once_and_everyone_is_told(tmp_path: Path) -> None:
    transport = long_winded()
    async with Door(
        Slow(transport, "cyd"), database=f"sqlite:///{tmp_path / 'moot.db'}", lease_seconds=2
    ) as door:
        await leave_no_room(door.engine.store)
        async with door.opened(**VOTE) as reader:
            told = await reader.until("warning")
            assert told[-1]["data"]["code"] == "storage"
            assert "disk is full" in told[-1]["data"]["message"]

            assert (await door.call("GET", "/healthz"))[0] == 200
            status, problem = await door.call("GET", "/readyz")
            assert (status, "disk is full" in problem["error"]) == (503, True)
            async with door.session.post("/api/council/stream", json={"question": "And?", **VOTE}) as refused:
                assert refused.status == 503
                assert "disk is full" in (await refused.json())["error"]
                assert refused.headers["retry-after"] == "5"

            await asyncio.sleep(3)  # longer than the lease, which nobody may take up meanwhile
            assert set(asked(transport).values()) == {1}
            assert len(asked(transport)) == 4, "three answers and the title: no vote is asked for yet"
            async with door.opened(f"/api/runs/{told[0]['runId']}/events") as late:
                assert (await late.until("warning"))[-1]["data"]["code"] == "storage"

            await make_room(door.engine.store)
            rest = await reader.until("complete")
        assert [frame["data"]["code"] for frame in rest if frame["type"] == "warning"] == ["storage_back"]
        assert set(asked(transport).values()) == {1}
        assert len(asked(transport)) == 7
        replay = await door.stream("GET", f"/api/runs/{told[0]['runId']}/events")
        assert "warning" not in replay.types
        assert [sent.id for sent in replay.sent] == [str(n) for n in range(1, len(replay.sent) + 1)]
        assert (await door.call("GET", "/readyz"))[0] == 200
        assert (await door.ask(**VOTE)).types[-1] == "complete"


async def test_the_time_that_a_run_waits_for_the_disk_is_not_the_pipelines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    transport = long_winded()
    database = f"sqlite:///{tmp_path / 'moot.db'}"
    waited = 0.0
    monkeypatch.setattr(run_clock, "monotonic", lambda: monotonic() + waited)
    async with Door(Slow(transport, "cyd"), database=database, pipeline_seconds=600) as door:
        await leave_no_room(door.engine.store)
        async with door.opened(**VOTE) as reader:
            await reader.until("warning")
            waited += 600
            await make_room(door.engine.store)
            told = await reader.until("complete")
        assert "model_failed" not in [frame["type"] for frame in told]
        assert len(asked(transport)) == 7


async def test_a_run_can_be_cancelled_while_it_waits_for_the_disk(tmp_path: Path) -> None:
    transport = Slow(long_winded(), "cyd")
    async with Door(transport, database=f"sqlite:///{tmp_path / 'moot.db'}") as door:
        await leave_no_room(door.engine.store)
        async with door.opened(**VOTE) as reader:
            run_id = (await reader.until("warning"))[0]["runId"]
            status, summary = await door.call("POST", f"/api/runs/{run_id}/cancel")
            assert (status, summary["status"]) == (200, "running")
            await make_room(door.engine.store)
            assert (await reader.until("error"))[-1]["message"] == "Cancelled."


async def test_a_server_stops_though_the_disk_is_full_and_the_next_one_goes_on(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'moot.db'}"
    async with Door(Slow(long_winded(), "cyd"), database=database) as door:
        await leave_no_room(door.engine.store)
        async with door.opened(**VOTE) as reader:
            run_id = (await reader.until("warning"))[0]["runId"]
    async with Door(long_winded(), database=database) as door:
        assert (await door.stream("GET", f"/api/runs/{run_id}/events")).types[-1] == "complete"


async def test_a_run_that_no_database_takes_fails_instead_of_being_paid_for_again(tmp_path: Path) -> None:
    transport = script(bob="half a sign: \ud83d")
    async with Door(transport, database=f"sqlite:///{tmp_path / 'moot.db'}", lease_seconds=2) as door:
        told = await door.ask(**VOTE)
        assert told.types[-1] == "error"
        assert told.frames[-1]["message"] == f"Internal error (run {told.run_id})."
        await asyncio.sleep(3)
        assert set(asked(transport).values()) == {1}


async def test_a_run_outlasts_a_postgres_that_is_away_and_is_paid_once(
    postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    transport, wire = long_winded(), Wire(postgres_url)
    held = asyncio.Event()
    async with wire.laid() as url, Door(Held(transport, held), database=url, lease_seconds=2) as door:
        async with door.opened(**VOTE) as reader:
            run_id = (await reader.until("vote_start"))[0]["runId"]
            wire.go_away()
            held.set()
            told = await reader.until("warning")
            assert told[-1]["data"]["message"].startswith("The database does not answer.")
            hasty = [("GET", "/api/runs"), ("GET", "/api/presets"), ("GET", "/readyz")] * 5
            for method, path in (("POST", "/api/council/stream"), *hasty):
                status, problem = await door.call(method, path, json={"question": "And?", **VOTE})
                assert status == 503
                assert problem["error"].startswith("The database does not answer.")
            await asyncio.sleep(2.5)  # longer than the lease
            wire.away = False
            await reader.until("complete")
        assert set(asked(transport).values()) == {1}
        assert len(asked(transport)) == 7
        assert (await door.get(f"/api/runs/{run_id}"))["status"] == "complete"
    lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert [line.partition(" (")[0] for line in lines] == [
        "The database does not answer.",
        "The database can be written again; everything that was waiting is stored.",
    ], "one line for all of it"
    assert not any("\n" in line for line in lines)
    assert not any(record.exc_info for record in caplog.records)


class Slow:
    """One model takes its time, so that what the others said is stored, or is not, before it answers."""

    def __init__(self, inner: Scripted, model: str) -> None:
        self._inner = inner
        self._model = model

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        if request.model == self._model:
            await asyncio.sleep(0.5)
        async for chunk in self._inner.stream(request):
            yield chunk


class Held:
    """Lets no call through until it is told to."""

    def __init__(self, inner: Scripted, go: asyncio.Event) -> None:
        self._inner = inner
        self._go = go

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        await self._go.wait()
        async for chunk in self._inner.stream(request):
            yield chunk
