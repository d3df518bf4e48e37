"""So many at once, in the order they came, and the clock starts when the call is sent."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from moot.kernel.followers import Followers
from moot.kernel.model_call import ModelCall
from moot.kernel.request import AskRequest
from moot.kernel.values import Call, Request
from moot.testing import ModelServer, Received, Reply, Scripted
from moot.transport import Chunk, limited, silence
from moot.transport.limited import LimitedTransport
from moot.transport.silence import FIRST_PAUSE, SILENT_CALLS
from tests.harness.chamber import Chamber
from tests.harness.waiting import PATIENCE, until
from tests.transport.asking import a_request, hear, openrouter


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
    await until(lambda: inner.order == ["0"])
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
        await until(lambda: len(inner.order) == place + 1)  # noqa: B023 - it is awaited at once
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
        await until(lambda: len(server.requests) >= 4)
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


class Hung:
    """Never answers, but for the models that are well; knows who is under way."""

    def __init__(self, *well: str) -> None:
        self.well = set(well)
        self.now: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        self.now[request.model] += 1
        self.sent[request.model] += 1
        try:
            if request.model not in self.well:
                await asyncio.Event().wait()
            await asyncio.sleep(0)
            yield Chunk(text="Tabs.", finish_reason="stop")
        finally:
            self.now[request.model] -= 1


async def settle() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


async def timed(transport: LimitedTransport, model: str, seconds: float = 60) -> Call:
    """A call as a run makes it, which gives up after so long."""
    listening = ModelCall(Followers(), lambda: 0, "step", 1, a_request(model), "digest", False)
    return await listening.listen(transport, seconds, 10 * 60)


async def in_vain(transport: LimitedTransport, model: str) -> Call:
    """A call that has time for nothing but silence."""
    return await timed(transport, model, 0.02)


@pytest.mark.parametrize(("at_once", "alone"), [(1, 1), (2, 2), (4, 4), (5, 4), (10, 8), (256, 205)])
async def test_a_model_that_hangs_leaves_a_fifth_of_the_slots_to_others(at_once: int, alone: int) -> None:
    inner = Hung("a/well")
    transport = LimitedTransport(inner, at_once)
    calls = [asyncio.ensure_future(hear(transport, a_request("a/hung"))) for _ in range(300)]
    await settle()
    assert inner.now["a/hung"] == alone
    if at_once > 4:
        assert (await asyncio.wait_for(hear(transport, a_request("a/well")), PATIENCE)).text == "Tabs."
        more = [asyncio.ensure_future(hear(transport, a_request("b/hung"))) for _ in range(300)]
        await settle()
        assert at_once < 256 or inner.now == {"a/hung": 205, "b/hung": 41, "a/well": 0}
        calls += more
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)
    assert inner.now.total() == 0
    assert (await hear(transport, a_request("a/well"))).text == "Tabs."


async def test_after_silent_calls_a_model_is_refused_at_once_with_the_reason_and_then_tried_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(silence, "monotonic", lambda: now)
    inner = Hung("a/well")
    transport = LimitedTransport(inner, 100, "OpenRouter")
    outcomes = await asyncio.gather(*(in_vain(transport, "a/hung") for _ in range(SILENT_CALLS)))
    assert {call.reason for call in outcomes} == {"a/hung at OpenRouter did not answer within 0.02 s."}

    refused = await timed(transport, "a/hung")
    assert (refused.kind, inner.sent["a/hung"]) == ("timeout", SILENT_CALLS)
    assert (
        refused.reason
        == "a/hung at OpenRouter did not answer its last 5 calls and is not asked for another 30 s."
    )
    assert (await timed(transport, "a/well")).text == "Tabs."

    now += FIRST_PAUSE
    probe = asyncio.ensure_future(timed(transport, "a/hung", 1))
    await settle()
    beside = await timed(transport, "a/hung")
    assert beside.reason == (
        "a/hung at OpenRouter did not answer its last 5 calls; one call is testing whether it does now."
    )
    assert (await probe).kind == "timeout"
    assert inner.sent["a/hung"] == SILENT_CALLS + 1
    assert "is not asked for another 60 s" in str((await timed(transport, "a/hung")).reason), "twice as long"

    now += 2 * FIRST_PAUSE
    inner.well.add("a/hung")
    assert [(await timed(transport, "a/hung")).text for _ in range(4)] == ["Tabs."] * 4


async def test_those_who_wait_for_a_model_that_is_given_up_are_told_at_once() -> None:
    transport = LimitedTransport(Hung(), SILENT_CALLS - 1, "OpenRouter")
    async with asyncio.timeout(PATIENCE):
        outcomes = await asyncio.gather(*(in_vain(transport, "a/hung") for _ in range(30)))
    reasons = Counter("is not asked" in str(call.reason) for call in outcomes)
    assert reasons[False] <= 2 * SILENT_CALLS
    assert reasons[True] >= 20


async def test_with_a_single_slot_others_go_before_a_model_that_was_silent() -> None:
    """As on a machine of one's own that runs one model at a time."""
    inner = Hung("a/well", "b/well")
    transport = LimitedTransport(inner, 1)
    hung = [asyncio.ensure_future(timed(transport, "a/hung", 0.2)) for _ in range(4)]
    await settle()
    outcomes = await asyncio.gather(*(timed(transport, model, 60) for model in ("a/well", "b/well") * 5))
    assert [call.text for call in outcomes] == ["Tabs."] * 10
    assert inner.sent["a/hung"] <= 2, "they waited for one silent call, not for four"
    await asyncio.gather(*hung)


async def test_a_cancelled_call_and_a_slow_one_say_nothing_against_a_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(limited, "monotonic", lambda: now)

    class Slow:
        async def stream(self, request: Request) -> AsyncIterator[Chunk]:
            nonlocal now
            now += 1  # and no time goes by until it is given up
            yield Chunk(text="and ")
            await asyncio.Event().wait()

    transport = LimitedTransport(Slow(), 10)
    for _ in range(2 * SILENT_CALLS):
        assert (await in_vain(transport, "a/slow")).reason == "a/slow did not answer within 0.02 s."
    monkeypatch.undo()
    inner = Hung("a/well")
    transport = LimitedTransport(inner, 10)
    for _ in range(2 * SILENT_CALLS):
        call = asyncio.ensure_future(timed(transport, "a/hung", 60))
        await settle()
        call.cancel()
        await asyncio.wait([call])
    inner.well.add("a/hung")
    assert (await timed(transport, "a/hung")).text == "Tabs."


async def test_a_word_ends_the_row_of_silent_calls() -> None:
    inner = Hung()
    transport = LimitedTransport(inner, 10)
    for _ in range(3):
        for _ in range(SILENT_CALLS - 1):
            await in_vain(transport, "a/moody")
        inner.well.add("a/moody")
        assert (await timed(transport, "a/moody")).text == "Tabs."
        inner.well.clear()


async def test_ninety_runs_on_a_hung_model_do_not_hold_up_a_healthy_vote(tmp_path: Path) -> None:
    def reply(received: Received) -> Reply:
        if "hung" in received.model:
            return Reply(hang=True)
        return Reply(text="VOTE: Response A" if "VOTE:" in received.prompt else "Tabs.")

    hung, well = ["a/hung"] * 3, ["b/well", "c/well", "d/well"]
    database = f"sqlite:///{tmp_path / 'moot.db'}"
    async with Chamber(database=database) as chamber:
        chamber.server.script.models, chamber.server.script.default = {}, reply
        for _ in range(90):
            body = {
                "question": "?",
                "mode": "vote",
                "modeConfig": {"councilModels": hung, "timeoutMs": 300_000},
            }
            await chamber.engine.start(AskRequest.of(body))
        held = await chamber.deliberate("vote", councilModels=well)
        assert held.record.status == "complete"
        assert len(chamber.engine.running) == 90, "it waited for a call that hangs"
