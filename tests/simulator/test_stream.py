from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from moot.kernel.errors import TransportError
from moot.kernel.values import Request
from moot.simulator.cast import CAST
from moot.simulator.replies import reply
from moot.simulator.transport import Simulator
from moot.transport import Chunk, Transport
from tests.simulator.asking import PANEL, QUESTION, request


async def heard(simulator: Transport, asked: Request) -> list[Chunk]:
    sent, *chunks = [chunk async for chunk in simulator.stream(asked)]
    assert sent == Chunk(provider="the simulator"), "the first chunk only says that the call is sent"
    return chunks


@pytest.mark.parametrize("model", [*PANEL, "sim/someone-else"])
async def test_a_reply_comes_in_pieces_that_join_to_its_text(model: str) -> None:
    chunks = await heard(Simulator(speed=0), request(model, QUESTION))
    assert "".join(chunk.text for chunk in chunks) == reply(request(model, QUESTION)).text
    assert len([chunk for chunk in chunks if chunk.text]) > 1


async def test_the_last_chunk_tells_tokens_by_words_and_that_it_cost_nothing() -> None:
    *_, last = await heard(Simulator(speed=0), request("sim/bo", "Tabs or spaces, then?"))
    words = len(reply(request("sim/bo", "Tabs or spaces, then?")).text.split())
    assert last.finish_reason == "stop"
    assert last.cost == 0.0
    assert last.usage is not None
    assert last.usage.prompt_tokens == 6
    assert last.usage.completion_tokens == -(-words * 4 // 3)
    assert last.usage.reasoning_tokens == 0


async def test_eli_thinks_before_he_answers_and_his_thinking_is_not_the_answer() -> None:
    chunks = await heard(Simulator(speed=0), request("sim/eli", QUESTION))
    assert chunks[0].reasoning.startswith("(Simulated thinking.)")
    assert "Simulated thinking" not in "".join(chunk.text for chunk in chunks)
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.reasoning_tokens


async def test_a_token_limit_cuts_the_reply_and_says_so() -> None:
    chunks = await heard(Simulator(speed=0), request("sim/ada", QUESTION, max_tokens=20))
    assert len("".join(chunk.text for chunk in chunks).split()) == 15
    assert chunks[-1].finish_reason == "length"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 20


async def test_latency_and_tokens_per_second_are_kept_to() -> None:
    loop = asyncio.get_running_loop()
    asked = request("sim/bo:latency=40:tps=2000", QUESTION)
    started = loop.time()
    chunks = Simulator().stream(asked)
    await anext(chunks)
    await anext(chunks)
    first = loop.time() - started
    rest = [chunk async for chunk in chunks]
    whole = loop.time() - started
    tokens = rest[-1].usage.completion_tokens if rest[-1].usage else None
    assert first >= 0.03
    assert tokens
    assert first + tokens / 2000 * 0.8 <= whole


async def test_speed_shortens_every_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    await heard(Simulator(), request("sim/eli", QUESTION))
    usual = sum(waits)
    waits.clear()
    await heard(Simulator(speed=1000), request("sim/eli", QUESTION))
    assert sum(waits) < usual / 100


async def test_fast_models_send_few_chunks_so_that_thousands_can_talk_at_once() -> None:
    slow = await heard(Simulator(speed=1000), request("sim/ada:tps=20", QUESTION))
    fast = await heard(Simulator(speed=1000), request("sim/ada:tps=2000", QUESTION))
    assert len(fast) < len(slow) / 20


async def test_a_cancelled_call_stops_at_once_and_leaves_nothing_behind() -> None:
    call = asyncio.create_task(heard(Simulator(), request("sim/ada:latency=60000", QUESTION)))
    await asyncio.sleep(0.01)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_reader_may_leave_in_mid_reply() -> None:
    chunks = Simulator(speed=0).stream(request("sim/ada", QUESTION))
    await anext(chunks)
    assert (await anext(chunks)).text
    assert isinstance(chunks, AsyncGenerator)
    await chunks.aclose()
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        ("rate_limited", "too many requests"),
        ("network", "the connection broke off"),
        ("empty", "the reply was empty"),
        ("refused", "the model refused to answer"),
        ("credit", "the account is empty"),
        ("not_found", "there is no such model"),
        ("other", "something went wrong"),
    ],
)
async def test_a_failing_model_names_model_provider_and_cause(kind: str, cause: str) -> None:
    model = f"sim/bo:fail=1:fail_as={kind}"
    with pytest.raises(TransportError) as caught:
        await heard(Simulator(speed=0), request(model, QUESTION))
    assert caught.value.kind == kind
    assert caught.value.reason == f"{model} (simulator): {cause} (simulated)."


async def test_a_broken_connection_comes_after_part_of_the_text() -> None:
    asked = request("sim/ada:fail=1:fail_as=network", QUESTION)
    chunks = Simulator(speed=0).stream(asked)
    came = ""
    while len(came) < len(reply(asked).text) // 2:
        came += (await anext(chunks)).text
    assert reply(asked).text.startswith(came)
    with pytest.raises(TransportError):
        await anext(chunks)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("sim/bo:acuracy=1", "There is no trait 'acuracy'; there are seed, latency,"),
        ("sim/bo:accuracy=2", "Trait accuracy=2 is not possible: it must be at most 1."),
        ("sim/bo:tps=fast", "Trait tps=fast is not possible:"),
        ("sim/bo:tps", "Trait tps= is not possible:"),
        ("sim/", "'sim/' names no simulated model; write sim/ada, for example."),
    ],
)
async def test_an_impossible_model_id_is_no_model(model: str, reason: str) -> None:
    with pytest.raises(TransportError) as caught:
        await heard(Simulator(speed=0), request(model, QUESTION))
    assert caught.value.kind == "not_found"
    assert caught.value.reason.startswith(f"{model} (simulator): {reason}")


def test_the_cast_is_six_different_characters() -> None:
    assert [member.id for member in CAST] == list(PANEL)
    assert len({member.turn for member in CAST}) == 6
    assert len({member.form for member in CAST}) == 6
    assert all(member.description.endswith(".") for member in CAST)
