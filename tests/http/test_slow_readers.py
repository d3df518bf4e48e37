"""Readers that do not read: what they are to be sent is made when they take it."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.types import Message

from moot.http import stream
from moot.kernel import followers, pages
from tests.harness.waiting import until
from tests.http.door import Door, script
from tests.http.test_stream import _held

PANEL = ["ann", "bob", "cyd"]
VOTE: dict[str, Any] = {"mode": "vote", "modeConfig": {"councilModels": PANEL}}
LONG = " ".join(f"spaces {number}" for number in range(35_000))
"""Of answers like this, the event that tells of three has more than a megabyte."""


class Stuck:
    """A reader that takes the head of the answer and the first piece, and then nothing."""

    def __init__(self) -> None:
        self.pieces: list[int] = []

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.body":
            self.pieces.append(len(message["body"]))
            if len(self.pieces) > 1:
                await asyncio.Event().wait()

    async def receive(self) -> Message:
        await asyncio.Event().wait()
        raise AssertionError


@asynccontextmanager
async def stuck_readers(door: Door, run_id: str, count: int, tokens: bool) -> AsyncIterator[list[Stuck]]:
    readers = [Stuck() for _ in range(count)]
    reading = [
        asyncio.create_task(
            stream.EventStream(door.engine, door.streams, run_id, tokens=tokens)(
                {"type": "http"}, reader.receive, reader.send
            )
        )
        for reader in readers
    ]
    await until(lambda: all(len(reader.pieces) == 2 for reader in readers))
    try:
        yield readers
    finally:
        for task in reading:
            task.cancel()
        await asyncio.wait(reading)


def long_winded(**more: Any) -> Any:
    def reply(request: Any) -> str:
        return "VOTE: Response A" if "VOTE:" in request.messages[-1].content else LONG

    return script(**{**dict.fromkeys(PANEL, reply), **more})


@pytest.mark.parametrize("tokens", [False, True], ids=["events", "tokens"])
async def test_a_hundred_readers_that_never_read_a_long_replay_cost_next_to_nothing(tokens: bool) -> None:
    async with Door(long_winded()) as door:
        run_id = (await door.ask(**VOTE)).run_id
        async with stuck_readers(door, run_id, 1, tokens):
            pass
        tracemalloc.start()
        try:
            async with stuck_readers(door, run_id, 100, tokens) as readers:
                held, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert max(max(reader.pieces) for reader in readers) <= 64 * 1024
        assert held / 100 < 150_000, "a hundred together, less than one of them needs for the whole replay"


@pytest.mark.parametrize("tokens", [False, True], ids=["events", "tokens"])
async def test_a_hundred_readers_that_never_read_a_live_run_cost_next_to_nothing(tokens: bool) -> None:
    released = asyncio.Event()
    transport = _held(released)
    transport._inner = long_winded()
    async with Door(transport) as door:
        async with door.opened(**VOTE) as reader:
            run_id = (await reader.until("vote_start"))[0]["runId"]
        live = door.engine.running[run_id].live
        await until(lambda: live.frames[-1].type == "vote_round_start")
        async with stuck_readers(door, run_id, 1, tokens):
            pass
        tracemalloc.start()
        try:
            async with stuck_readers(door, run_id, 100, tokens) as readers:
                held, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        released.set()
        assert max(max(reader.pieces) for reader in readers) <= 64 * 1024
        assert held / 100 < 150_000, "less than a tenth of what there is to read"


@pytest.mark.parametrize("mode", ["vote", "council", "debate"])
async def test_a_replay_is_the_same_however_small_its_pages(
    mode: str, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Door(script(), database=store_url) as door:
        live = await door.ask(mode=mode)
        path = f"/api/runs/{live.run_id}/events"
        whole = await door.stream("GET", f"{path}?streamTokens=true")
        for size in (1, 300, 2000):
            monkeypatch.setattr(pages, "PAGE_BYTES", size)
            monkeypatch.setattr(stream, "PIECE_BYTES", max(size // 10, 1))
            assert (await door.stream("GET", path)).text == live.text
            assert (await door.stream("GET", f"{path}?streamTokens=true")).text == whole.text
            for seen in range(len(live.sent)):
                rest = await door.stream("GET", path, headers={"Last-Event-ID": str(seen)})
                assert rest.sent == live.sent[seen:]


async def test_one_who_joins_late_and_one_who_reads_piece_by_piece_hear_every_word_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(followers, "LONGEST_TOKEN", 7)
    monkeypatch.setattr(followers, "BATCH_BYTES", 1)
    released = asyncio.Event()
    transport = _held(released)
    said = {name: f"{name} says " + " ".join(map(str, range(40))) for name in PANEL}
    transport._inner = script(**{name: [text, "VOTE: Response A"] for name, text in said.items()})
    async with Door(transport) as door:
        async with door.opened(**VOTE, streamTokens=True) as reader:
            frames = await reader.until("vote_round_start")
            path = f"/api/runs/{frames[0]['runId']}/events?streamTokens=true"
            late = asyncio.create_task(door.stream("GET", path))
            await until(lambda: len(door.streams) == 2)
            released.set()
            frames += await reader.until("complete")
        joined = (await late).frames
    for story in (frames, joined):
        assert story[-1]["type"] == "complete"
        tokens = [frame["data"] for frame in story if frame["type"] == "token"]
        for seat, name in enumerate(PANEL, 1):
            heard = [one["text"] for one in tokens if (one["step"], one["seat"]) == ("collect", seat)]
            assert "".join(heard) == said[name]
            assert max(map(len, heard)) <= 7
