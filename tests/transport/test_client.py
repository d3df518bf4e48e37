"""The client and its connections: kept, shared, and closed at once when nobody listens any more."""

from __future__ import annotations

import asyncio

import pytest

from moot.testing import ModelServer, Reply
from tests.harness.waiting import until
from tests.transport.asking import a_request, client, failure, hear, openrouter


@pytest.mark.parametrize(
    "reply",
    [
        Reply(hang=True),
        Reply(hang_after_headers=True),
        Reply(text="one two three", stall_after=1),
        Reply(text="word " * 1000, tokens_per_second=20),
        Reply(latency=600),
    ],
)
async def test_a_deadline_of_the_caller_closes_the_connection_at_once(reply: Reply) -> None:
    async with ModelServer(default=reply) as server, openrouter(server, attempts=3) as transport:
        call = asyncio.ensure_future(hear(transport))
        await until(lambda: len(server.requests) == 1)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await call
        await until(lambda: [received.outcome for received in server.requests] == ["gone"])


async def test_a_reader_that_stops_early_closes_the_connection() -> None:
    reply = Reply(text="word " * 1000, tokens_per_second=200)
    async with ModelServer(default=reply) as server, client(server) as transport:
        stream = transport.stream(a_request())
        assert (await anext(stream)).text.startswith("word ")
        await stream.aclose()  # type: ignore[attr-defined]  # it is a generator, as all streams of ours are
        await until(lambda: server.requests[0].outcome == "gone")


async def test_a_connection_serves_one_call_after_the_other() -> None:
    async with ModelServer(default="Tabs.") as server, client(server) as transport:
        for _ in range(5):
            await hear(transport)
        assert (len(server.requests), server.connections) == (5, 1)


async def test_after_a_failure_the_connection_is_still_good() -> None:
    lines = {"openai/o3": [Reply(status=500), "Tabs."]}
    async with ModelServer(models=lines) as server, client(server) as transport:
        await failure(transport)
        assert (await hear(transport)).text == "Tabs."
        assert server.connections == 1


async def test_a_break_after_the_finish_reason_costs_nothing() -> None:
    # One word, its finish reason, then neither usage nor [DONE]: the socket just closes.
    async with ModelServer(default=Reply(text="Tabs.", drop_after=2)) as server, client(server) as transport:
        heard = await hear(transport)
    assert (heard.text, heard.last.finish_reason, heard.last.usage) == ("Tabs.", "stop", None)


async def test_two_hundred_streams_at_once_stay_apart() -> None:
    async with (
        ModelServer(default=lambda received: f"You said {received.prompt}.") as server,
        openrouter(server) as transport,
    ):
        heard = await asyncio.gather(*(hear(transport, a_request(prompt=f"word {n}")) for n in range(200)))
    assert [each.text for each in heard] == [f"You said word {n}." for n in range(200)]


async def test_more_than_anybody_can_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moot.transport.client.MOST_BYTES", 1 << 20)
    async with ModelServer(default="x" * (2 << 20)) as server, client(server) as transport:
        error = await failure(transport)
    assert (error.kind, error.reason) == ("unreadable", "OpenRouter sent more than 1 MB for openai/o3.")


async def test_the_pool_can_be_closed_twice_and_used_again() -> None:
    async with ModelServer(default="Tabs.") as server, openrouter(server) as transport:
        await hear(transport)
        await transport.aclose()
        await transport.aclose()
        assert (await hear(transport)).text == "Tabs."
