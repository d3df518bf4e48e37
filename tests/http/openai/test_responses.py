"""The Responses API, asked by the official client."""

from __future__ import annotations

from typing import Any

import openai
import pytest

from moot.testing import Reply
from tests.harness.waiting import until
from tests.http.openai.clients import MOOT, PANEL, asking, voters

ASK: dict[str, Any] = {"model": "moot/vote", "input": "Tabs or spaces?", "extra_body": MOOT}


def text_of(response: Any) -> str:
    return str(response.output_text)


async def test_a_response_has_the_deliberation_as_reasoning_and_the_answer_as_its_message() -> None:
    async with asking(voters()) as (client, _, _):
        response = await client.responses.create(**ASK, instructions="Be brief.", temperature=0.2)
        again = await client.responses.retrieve(response.id)
    assert (response.status, text_of(response)) == ("completed", "ann says tabs")
    assert [item.type for item in response.output] == ["reasoning", "message"]
    reasoning: Any = response.output[0]
    assert "- 2. b/bob voted for a/ann." in reasoning.summary[0].text
    assert response.usage is not None
    assert (response.usage.input_tokens, response.usage.output_tokens) == (60, 30)
    assert (response.instructions, response.temperature) == ("Be brief.", 0.2)
    assert again.model_dump() == response.model_dump()


async def test_a_stream_can_be_left_and_taken_up_after_any_event() -> None:
    async with asking(voters()) as (client, _, _):
        stream = await client.responses.create(**ASK, stream=True)
        whole = [event async for event in stream]
        assert [event.sequence_number for event in whole] == list(range(len(whole)))
        assert [event.type for event in whole[:2]] == ["response.created", "response.in_progress"]
        assert whole[-1].type == "response.completed"
        last: Any = whole[-1]
        for after in range(len(whole)):
            rest = await client.responses.retrieve(last.response.id, stream=True, starting_after=after)
            told = [event async for event in rest]
            assert [(event.type, event.sequence_number) for event in told] == [
                (event.type, event.sequence_number) for event in whole[after + 1 :]
            ]
    deltas = [event.delta for event in whole if event.type == "response.output_text.delta"]
    assert "".join(deltas) == text_of(last.response) == "ann says tabs"


async def test_in_the_background_it_answers_at_once_and_is_found_later_or_cancelled() -> None:
    async with asking(voters()) as (client, door, upstream):
        upstream.script.hold_after = 0
        begun = await client.responses.create(**ASK, background=True)
        doomed = await client.responses.create(**ASK, background=True)
        assert (begun.status, begun.background) == ("in_progress", True)
        assert (await client.responses.retrieve(begun.id)).status == "in_progress"
        assert (await client.responses.cancel(doomed.id)).status == "cancelled"
        upstream.release()
        await until(lambda: not door.engine.running)
        found = await client.responses.retrieve(begun.id)
        assert (found.status, text_of(found)) == ("completed", "ann says tabs")
        assert (await client.responses.cancel(begun.id)).status == "completed"


async def test_whoever_leaves_a_background_stream_stops_nothing() -> None:
    async with asking(voters()) as (client, door, upstream):
        upstream.script.hold_after = 0
        stream = await client.responses.create(**ASK, background=True, stream=True)
        first: Any = await anext(aiter(stream))
        await stream.close()
        await until(lambda: len(door.streams) == 0)
        upstream.release()
        await until(lambda: not door.engine.running)
        assert (await client.responses.retrieve(first.response.id)).status == "completed"


async def test_a_response_follows_on_another_by_its_conversation_or_by_its_text() -> None:
    stand = dict.fromkeys(PANEL, "DECISION: STAND\nREASONING: Fine.\n\nVOTE: Response A")
    async with asking(voters()) as (client, door, upstream):
        first = await client.responses.create(**ASK)
        second = await client.responses.create(model="moot/vote", input="Why?", previous_response_id=first.id)
        runs = (await door.get("/api/runs"))["runs"]
        assert runs[0]["conversationId"] == runs[1]["conversationId"]
        asked = [request for request in upstream.requests if request.model == "a/ann"][2]
        assert [message["content"] for message in asked.body["messages"]] == [
            "Tabs or spaces?",
            "ann says tabs",
            "Why?",
        ]
        upstream.script.models = {**upstream.script.models, **stand}
        await client.responses.create(
            model="moot/debate", input="And now?", previous_response_id=second.id, extra_body=MOOT
        )
        prompt = next(one.prompt for one in upstream.requests if one.prompt.startswith("And now?"))
    assert "User: Why?\n\nAssistant: " in prompt


async def test_a_response_that_fails_says_so_whole_streamed_and_read_again() -> None:
    broke = {model: Reply(status=402, message="no credit") for model in PANEL}
    async with asking(voters(**broke)) as (client, _, _):
        with pytest.raises(openai.APIStatusError) as failed:
            await client.responses.create(**ASK)
        assert (failed.value.status_code, "no credit" in str(failed.value)) == (402, True)
        stream = await client.responses.create(**ASK, stream=True)
        told: Any = [event async for event in stream][-1]
        assert (told.type, told.response.error.code) == ("response.failed", "insufficient_quota")
        found = await client.responses.retrieve(told.response.id)
        assert found.status == "failed"
        assert found.error is not None
        assert "no credit" in found.error.message


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"store": False}, "store", "store: false is not supported, because every run is kept"),
    ({"text": {"format": {"type": "xml"}}}, "text.format", "text.format.type must be text"),
    ({"text": {"verbosity": "low"}}, "text", "text supports only format"),
    ({"text": {"tone": "kind"}}, "text", "text supports only format"),
    ({"reasoning": {"effort": "high"}}, "reasoning", "reasoning supports only a detailed summary"),
    ({"reasoning": {"summary": "concise"}}, "reasoning", "reasoning supports only a detailed summary"),
    ({"max_output_tokens": 5}, "max_output_tokens", "max_output_tokens is not supported"),
    ({"tools": [{"type": "web_search"}]}, "tools", "the panel calls no tools yet"),
    (
        {"input": [{"type": "function_call_output", "call_id": "1", "output": "x"}]},
        "input[0]",
        "only messages",
    ),
    ({"input": [{"role": "user", "content": [{"type": "input_image"}]}]}, "input[0].content[0]", "no images"),
]


async def test_what_cannot_be_obeyed_is_refused_by_name() -> None:
    async with asking(voters()) as (client, _, upstream):
        for change, param, message in REFUSED:
            with pytest.raises(openai.BadRequestError) as refused:
                await client.responses.create(**{**ASK, **change})
            assert message in str(refused.value)
            assert refused.value.param == param
        with pytest.raises(openai.NotFoundError, match="There is no response 'resp_nobody'"):
            await client.responses.retrieve("resp_nobody")
        with pytest.raises(openai.NotFoundError, match="There is no response 'resp_gone'") as gone:
            await client.responses.create(**{**ASK, "previous_response_id": "resp_gone"})
        assert gone.value.param == "previous_response_id"
    assert upstream.requests == []
