"""So many at once, in the order they came, and the clock starts when the call is sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from moot.kernel.values import Request
from moot.testing import ModelServer, Scripted
from moot.transport import Chunk
from moot.transport.limited import LimitedTransport
from tests.transport.asking import a_request, eventually, hear, openrouter


class Counting:
    """Answers after a moment and knows how many were under way at most, and in which order they began."""

    def __init__(self, seconds: float = 0.005) -> None:
        self.now = self.most = 0
        self.order: list[str] = []
        self.seconds = seconds

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        self.now += 1
        self.most = max(self.most, self.now)
        self.order.append(request.messages[-1].content)
        try:
            await asyncio.sleep(self.seconds)
            yield Chunk(text="Tabs.")
        finally:
            self.now -= 1


async def test_no_more_than_the_limit_and_first_come_first_served() -> None:
    inner = Counting()
    transport = LimitedTransport(inner, 3)
    await asyncio.gather(*(hear(transport, a_request(prompt=str(n))) for n in range(20)))
    assert (inner.most, inner.now) == (3, 0)
    assert inner.order == [str(n) for n in range(20)]


async def test_the_first_chunk_is_empty_and_comes_with_the_slot() -> None:
    transport = LimitedTransport(Scripted({"openai/o3": "Tabs."}), 1)
    first = transport.stream(a_request())
    assert await anext(first) == Chunk()

    waiting = asyncio.ensure_future(hear(transport))
    await asyncio.sleep(0.01)
    assert not waiting.done()  # no slot, no chunk

    assert "".join([chunk.text async for chunk in first]) == "Tabs."
    assert (await waiting).text == "Tabs."


async def test_whoever_gives_up_waiting_takes_no_slot() -> None:
    inner = Counting(10)
    transport = LimitedTransport(inner, 1)
    calls = [asyncio.ensure_future(hear(transport, a_request(prompt=str(n)))) for n in range(3)]
    await eventually(lambda: inner.order == ["0"])
    calls[1].cancel()
    inner.seconds = 0
    calls[0].cancel()
    await asyncio.wait(calls)
    assert inner.order == ["0", "2"]
    assert (await hear(transport)).text == "Tabs."


async def test_a_cancelled_call_gives_its_slot_back() -> None:
    inner = Counting(10)
    transport = LimitedTransport(inner, 1)
    for place in range(3):
        call = asyncio.ensure_future(hear(transport))
        await eventually(lambda: len(inner.order) == place + 1)  # noqa: B023 - it is awaited at once
        call.cancel()
        await asyncio.wait([call])
    assert (inner.now, len(inner.order)) == (0, 3)


async def test_each_provider_has_its_own_limit() -> None:
    async with (
        ModelServer(default="Tabs.", hold_after=0) as server,
        openrouter(server, concurrency=2, ollama_host=server.url) as transport,
    ):
        models = ["a/b"] * 4 + ["ollama/llama3.3"] * 3
        calls = asyncio.gather(*(hear(transport, a_request(model)) for model in models))
        await eventually(lambda: len(server.requests) >= 4)
        await asyncio.sleep(0.02)  # were there more, they would come now
        assert sorted(received.model for received in server.requests) == [
            "a/b",
            "a/b",
            "llama3.3",
            "llama3.3",
        ]
        server.release()
        await calls
        assert len(server.requests) == 7
