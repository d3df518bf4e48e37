"""Retries: counted, waited for, and only where they can help."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from moot.kernel.errors import TransportError
from moot.kernel.values import Request
from moot.testing import ModelServer, Reply
from moot.transport import Chunk
from moot.transport.patience import Patience
from moot.transport.retrying import RetryingTransport
from tests.harness.waiting import until
from tests.transport.asking import client, failure, hear


class Sleep:
    """Notes how long it should have slept."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)


@pytest.mark.parametrize(
    "fault",
    [
        Reply(status=429),
        Reply(status=500),
        Reply(status=502),
        Reply(status=503),
        Reply(status=408),
        Reply(text="half an answer", drop_after=1),
        Reply(text="half an answer", unfinished=True),
        Reply(text="half an answer", error_in_200=True),
    ],
)
async def test_what_may_pass_is_tried_again(fault: Reply) -> None:
    lines = {"openai/o3": [fault, fault, "Tabs."]}
    async with ModelServer(models=lines) as server, client(server) as inner:
        sleep = Sleep()
        heard = await hear(RetryingTransport(inner, attempts=3, longest_wait=60, sleep=sleep))
        assert (heard.text, heard.attempts, len(server.requests)) == ("Tabs.", 3, 3)
    assert 0.25 <= sleep.waits[0] <= 0.5 <= sleep.waits[1] <= 1


@pytest.mark.parametrize(
    "fault",
    [Reply(status=status) for status in (400, 401, 402, 403, 404)]
    + [Reply(finish_reason="content_filter"), Reply(malformed=True), Reply(status=307, location="/x")],
)
async def test_what_cannot_pass_is_not_tried_again(fault: Reply) -> None:
    async with ModelServer(default=fault) as server, client(server) as inner:
        sleep = Sleep()
        await failure(RetryingTransport(inner, attempts=3, longest_wait=60, sleep=sleep))
        assert (len(server.requests), sleep.waits) == (1, [])


async def test_the_last_failure_says_how_often_it_was_tried() -> None:
    async with ModelServer(default=Reply(status=503, message="Down.")) as server, client(server) as inner:
        error = await failure(RetryingTransport(inner, attempts=4, longest_wait=60, sleep=Sleep()))
        assert len(server.requests) == 4
    assert error.reason == "OpenRouter failed on openai/o3 (503): Down. Tried 4 times."


def waiting(seconds: float) -> Patience:
    """As a run waits for its calls: the transport may know how long."""
    return Patience(asyncio.get_running_loop(), seconds, first=seconds)


@pytest.mark.parametrize("retry_after", [None, "1"])
async def test_a_server_that_is_starting_is_waited_for_within_the_calls_time(retry_after: str | None) -> None:
    loading = Reply(status=503, message="Loading model", retry_after=retry_after)
    lines = {"openai/o3": [loading] * 12 + ["Tabs."]}
    async with ModelServer(models=lines) as server, client(server) as inner:
        sleep = Sleep()
        with waiting(60):
            heard = await hear(RetryingTransport(inner, attempts=3, longest_wait=60, sleep=sleep))
    assert (heard.text, heard.attempts) == ("Tabs.", 13)
    assert max(sleep.waits) <= 10


async def test_a_server_that_does_not_come_up_fails_with_its_own_words_before_the_time_is_up() -> None:
    async with (
        ModelServer(default=Reply(status=503, message="Loading model")) as server,
        client(server) as inner,
    ):
        with waiting(2) as clock:
            error = await failure(RetryingTransport(inner, attempts=3, longest_wait=60, sleep=Sleep()))
        assert not clock.expired()
    assert "Loading model" in error.reason
    assert error.reason.endswith("until time ran out.")


async def test_who_answered_before_and_refuses_now_is_waited_for() -> None:
    server = ModelServer(models={"openai/o3": "Tabs."})
    async with server:
        pass  # now it has an address
    async with AsyncExitStack() as stack, client(server) as inner:
        async with server:
            await hear(inner)
        waits: list[float] = []

        async def sleep(seconds: float) -> None:
            waits.append(seconds)
            if len(waits) == 5:
                await stack.enter_async_context(server)

        with waiting(30):
            heard = await hear(RetryingTransport(inner, attempts=2, longest_wait=60, sleep=sleep))
    assert (heard.text, heard.attempts) == ("Tabs.", 6)


async def test_an_address_where_nobody_ever_answered_fails_after_the_usual_attempts() -> None:
    server = ModelServer()
    async with server:
        pass  # now it has an address, and nobody is there
    sleep = Sleep()
    async with client(server) as inner:
        with waiting(30):
            error = await failure(RetryingTransport(inner, attempts=3, longest_wait=60, sleep=sleep))
    assert (error.kind, len(sleep.waits)) == ("network", 2)
    assert sum(sleep.waits) <= 1.5
    assert error.reason.endswith("The call was for openai/o3. Tried 3 times.")
    assert "connection refused. Is it running?" in error.reason


async def test_retry_after_is_waited_for_and_a_little_more() -> None:
    lines = {"openai/o3": [Reply(status=429, retry_after="7"), "Tabs."]}
    async with ModelServer(models=lines) as server, client(server) as inner:
        sleep = Sleep()
        await hear(RetryingTransport(inner, attempts=3, longest_wait=60, sleep=sleep))
    assert 7 <= sleep.waits[0] <= 7.7


async def test_a_wait_beyond_reason_is_a_failure_now() -> None:
    async with ModelServer(default=Reply(status=429, retry_after="3600")) as server, client(server) as inner:
        error = await failure(RetryingTransport(inner, attempts=3, longest_wait=60, sleep=Sleep()))
        assert len(server.requests) == 1
    assert error.kind == "rate_limited"
    assert error.reason.endswith("It asks to wait 3600 s, which is too long.")


async def test_a_date_in_the_past_is_no_reason_to_hurry() -> None:
    past = "Wed, 21 Oct 2015 07:28:00 GMT"
    lines = {"openai/o3": [Reply(status=503, retry_after=past), "Tabs."]}
    async with ModelServer(models=lines) as server, client(server) as inner:
        sleep = Sleep()
        await hear(RetryingTransport(inner, attempts=3, longest_wait=60, sleep=sleep))
    assert sleep.waits[0] >= 0.25


async def test_what_came_before_a_break_belongs_to_its_attempt() -> None:
    lines = {"openai/o3": [Reply(text="Spaces, no", drop_after=2), "Tabs."]}
    async with ModelServer(models=lines) as server, client(server) as inner:
        heard = await hear(RetryingTransport(inner, attempts=2, longest_wait=60, sleep=Sleep()))
    assert {(chunk.attempt, chunk.text) for chunk in heard.chunks if chunk.text} >= {(2, "Tabs.")}
    assert heard.text == "Tabs."


async def test_a_storm_of_failures_stays_within_its_bound() -> None:
    async with ModelServer(default=Reply(status=500)) as server, client(server) as inner:
        transport = RetryingTransport(inner, attempts=3, longest_wait=60, sleep=Sleep())
        await asyncio.gather(*(failure(transport) for _ in range(100)))
        assert len(server.requests) == 300


async def test_a_deadline_during_the_wait_is_the_callers() -> None:
    async with ModelServer(default=Reply(status=503, retry_after="30")) as server, client(server) as inner:
        call = asyncio.ensure_future(hear(RetryingTransport(inner, attempts=3, longest_wait=60)))
        await until(lambda: [received.outcome for received in server.requests] == ["answered"])
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await call
        assert len(server.requests) == 1


async def test_a_bug_is_not_retried() -> None:
    class Broken:
        async def stream(self, request: Request) -> AsyncIterator[Chunk]:
            raise ZeroDivisionError
            yield Chunk()

    with pytest.raises(ZeroDivisionError):
        await hear(RetryingTransport(Broken(), attempts=3, longest_wait=60, sleep=Sleep()))


async def test_a_single_attempt_says_nothing_about_tries() -> None:
    class Down:
        async def stream(self, request: Request) -> AsyncIterator[Chunk]:
            raise TransportError("network", "Down.", retry=True)
            yield Chunk()

    assert (
        await failure(RetryingTransport(Down(), attempts=1, longest_wait=60, sleep=Sleep()))
    ).reason == "Down."
