"""A caller's JSON schema, asked for by the official client: valid JSON comes out, or an error that says so."""

from __future__ import annotations

import json
from typing import Any, Literal

import openai
import pytest
from pydantic import BaseModel

from moot.testing import Reply
from tests.http.openai.clients import PANEL, USAGE, asking, said, voters

QUESTION = said("Tabs or spaces?")
CHAIR: dict[str, Any] = {"moot": {"models": PANEL, "config": {"chairmanModel": "d/chair"}}}
GOOD, BAD = '{"choice": "tabs", "votes": 3}', '{"choice": "both", "votes": 3}'


class Choice(BaseModel):
    choice: Literal["tabs", "spaces"]
    votes: int


FORMAT: Any = {
    "type": "json_schema",
    "json_schema": {"name": "Choice", "schema": Choice.model_json_schema(), "strict": True},
}


def chair(*replies: Any) -> dict[str, Any]:
    return voters(
        **{"d/chair": [Reply(text=one, usage=USAGE) if isinstance(one, str) else one for one in replies]}
    )


async def test_a_pydantic_model_is_parsed_from_the_panels_answer_and_the_call_is_in_the_usage() -> None:
    async with asking(chair(f"```json\n{GOOD}\n```")) as (client, door, _):
        answer = await client.chat.completions.parse(
            model="moot/vote", messages=QUESTION, response_format=Choice, extra_body=CHAIR
        )
        moot: Any = answer.model_extra
        status, run = await door.call("GET", f"/api/runs/{moot['moot']['run_id']}")
    assert answer.choices[0].message.parsed == Choice(choice="tabs", votes=3)
    assert answer.choices[0].message.content == GOOD
    assert answer.usage is not None
    assert answer.usage.prompt_tokens == 70  # six calls of the panel and one for the schema
    assert (status, run["answer"], run["jsonAnswer"]) == (
        200,
        "ann says tabs",
        {"choice": "tabs", "votes": 3},
    )


async def test_any_object_will_do_for_json_object() -> None:
    async with asking(chair('{"anything": ["goes"]}')) as (client, _, _):
        answer = await client.chat.completions.create(
            model="moot/vote", messages=QUESTION, response_format={"type": "json_object"}, extra_body=CHAIR
        )
    assert json.loads(answer.choices[0].message.content or "") == {"anything": ["goes"]}


async def test_a_stream_has_content_only_once_it_is_valid() -> None:
    async with asking(chair(BAD, GOOD)) as (client, _, _):
        stream = await client.chat.completions.create(
            model="moot/vote", messages=QUESTION, response_format=FORMAT, extra_body=CHAIR, stream=True
        )
        content = [chunk.choices[0].delta.content async for chunk in stream if chunk.choices]
    assert [one for one in content if one] == [GOOD]


async def test_what_is_missing_stands_beside_the_json_not_in_it() -> None:
    models = {**chair(GOOD), "c/cyd": Reply(status=402)}
    async with asking(models) as (client, _, _):
        answer = await client.chat.completions.create(
            model="moot/vote", messages=QUESTION, response_format=FORMAT, extra_body=CHAIR
        )
    moot: Any = answer.model_extra
    assert answer.choices[0].message.content == GOOD
    assert moot["moot"]["degraded"] is True
    assert "scripted 402" in moot["moot"]["warnings"][0]


@pytest.mark.parametrize("stream", [False, True])
async def test_where_no_valid_json_came_the_error_says_so_and_the_answer_can_be_read(stream: bool) -> None:
    async with asking(chair("No.", BAD)) as (client, door, _):

        async def ask() -> None:
            answer: Any = await client.chat.completions.create(
                model="moot/vote", messages=QUESTION, response_format=FORMAT, extra_body=CHAIR, stream=stream
            )
            async for _ in answer:
                pass

        with pytest.raises(
            openai.APIError, match=r"could not put it into the schema\. choice: 'both'"
        ) as failed:
            await ask()
        assert failed.value.code == "schema_not_met"
        _, listed = await door.call("GET", "/api/runs")
        _, run = await door.call("GET", f"/api/runs/{listed['runs'][0]['runId']}")
        assert (len(listed["runs"]), run["status"], run["answer"]) == (1, "failed", "ann says tabs")


async def test_a_provider_that_refuses_the_last_call_is_named_by_its_status() -> None:
    async with asking(chair(Reply(status=402))) as (client, _, _):
        with pytest.raises(openai.APIStatusError) as failed:
            await client.chat.completions.create(
                model="moot/vote", messages=QUESTION, response_format=FORMAT, extra_body=CHAIR
            )
    assert failed.value.status_code == 402


async def test_responses_are_held_to_text_format_also_in_the_background() -> None:
    async with asking(chair(GOOD, GOOD)) as (client, _, _):
        parsed = await client.responses.parse(
            model="moot/vote", input="Tabs or spaces?", text_format=Choice, extra_body=CHAIR
        )
        later = await client.responses.create(
            model="moot/vote",
            input="Tabs or spaces?",
            background=True,
            text={"format": {"type": "json_schema", "name": "Choice", "schema": Choice.model_json_schema()}},
            extra_body=CHAIR,
        )
        async for _ in await client.responses.retrieve(later.id, stream=True):
            pass
        later = await client.responses.retrieve(later.id)
    assert parsed.output_parsed == Choice(choice="tabs", votes=3)
    assert later.output_text == GOOD
    assert later.text is not None
    assert later.text.format is not None
    assert later.text.format.type == "json_schema"


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"response_format": {"type": "xml"}}, "response_format.type must be text, json_object or json_schema"),
    ({"response_format": "json"}, "response_format must be an object"),
    ({"response_format": {"type": "json_schema"}}, "response_format.json_schema.schema is missing"),
    (
        {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "x", "schema": {"$ref": "http://x/"}},
            }
        },
        "refers to 'http://x/'",
    ),
    ({"response_format": {"type": "json_object"}, "stop": ["x"]}, "stop would cut the JSON"),
]


@pytest.mark.parametrize(("more", "message"), REFUSED, ids=range(len(REFUSED)))
async def test_a_format_that_cannot_be_had_is_refused_before_anybody_is_asked(
    more: dict[str, Any], message: str
) -> None:
    async with asking(voters()) as (client, _, upstream):
        with pytest.raises(openai.BadRequestError) as refused:
            await client.chat.completions.create(model="moot/vote", messages=QUESTION, extra_body=more)
        assert message in str(refused.value)
        with pytest.raises(openai.BadRequestError, match=r"text.format.type must be"):
            await client.responses.create(
                model="moot/vote", input="Tabs?", extra_body={"text": {"format": {"type": "xml"}}}
            )
        assert upstream.requests == []
