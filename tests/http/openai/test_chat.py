"""Chat completions, asked by the official client."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import openai
import pytest

from moot.history.story_text import story_text
from moot.history.views import read_deliberation
from moot.kernel.followers import Frame
from moot.modes import MODES
from moot.testing import Reply, Scripted, vote_for
from tests.harness.waiting import until
from tests.http.door import Door
from tests.http.openai.clients import MOOT, PANEL, asking, said, voters

QUESTION = said("Tabs or spaces?")


async def test_every_mode_and_every_preset_is_a_model() -> None:
    async with asking(voters()) as (client, door, _):
        status, preset = await door.call(
            "POST", "/api/presets", json={"name": "Three", "mode": "vote", "config": {"councilModels": PANEL}}
        )
        assert status == 201, preset
        listed = [model.id async for model in client.models.list()]
        assert listed == [*(f"moot/{mode}" for mode in MODES), "moot/Three"]
        assert (await client.models.retrieve("moot/vote")).owned_by == "moot"
        with pytest.raises(openai.NotFoundError, match="There is no model 'moot/nobody'"):
            await client.models.retrieve("moot/nobody")
        for mistyped in ("vote", "moot/Vote", "VOTE "):
            with pytest.raises(openai.NotFoundError, match="did you mean moot/vote"):
                await client.chat.completions.create(model=mistyped, messages=QUESTION)
        answer = await client.chat.completions.create(model="moot/Three", messages=QUESTION)
    assert answer.choices[0].message.content == "ann says tabs"


async def test_a_whole_answer_has_content_reasoning_usage_and_what_moot_knows() -> None:
    async with asking(voters()) as (client, _, _):
        answer = await client.chat.completions.create(model="moot/vote", messages=QUESTION, extra_body=MOOT)
    choice = answer.choices[0]
    assert (choice.message.content, choice.finish_reason) == ("ann says tabs", "stop")
    extra: Any = choice.message.model_extra
    assert extra["reasoning"] == extra["reasoning_content"]
    assert "### Answers" in extra["reasoning"]
    assert "**2. b/bob**\n\nbob says tabs" in extra["reasoning"]
    assert "- 2. b/bob voted for a/ann." in extra["reasoning"]
    assert answer.usage is not None
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (60, 30)
    assert answer.usage.model_extra == {"cost": pytest.approx(0.06)}
    moot: Any = answer.model_extra
    moot = moot["moot"]
    assert (moot["status"], moot["mode"], moot["calls"], moot["cost"]) == (
        "complete",
        "vote",
        7,
        pytest.approx(0.06),
    )
    assert [(seat["seat"], seat["model"], seat["calls"]) for seat in moot["seats"]] == [
        (1, "a/ann", 2),
        (2, "b/bob", 2),
        (3, "c/cyd", 2),
    ]


async def test_a_stream_tells_what_the_stored_run_tells() -> None:
    async with asking(voters()) as (client, door, _):
        stream = await client.chat.completions.create(
            model="moot/vote",
            messages=QUESTION,
            extra_body=MOOT,
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = [chunk async for chunk in stream]
        moot: Any = chunks[-2].model_extra
        run = await door.engine.run(moot["moot"]["run_id"])
        deliberation = await read_deliberation(door.engine, run)
    spoken = [chunk for chunk in chunks if chunk.choices]
    assert spoken[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in spoken] == [None] * (len(spoken) - 1) + ["stop"]
    content = "".join(chunk.choices[0].delta.content or "" for chunk in spoken)
    told = [chunk.choices[0].delta.model_extra or {} for chunk in spoken]
    reasoning = "".join(delta.get("reasoning", "") for delta in told)
    assert reasoning == "".join(delta.get("reasoning_content", "") for delta in told)
    assert content == deliberation.answer == "ann says tabs"
    frames = [Frame.of(number, event) for number, event in deliberation.stored_events]
    assert reasoning.strip() == story_text(MODES["vote"], frames, deliberation.answer)
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 90
    assert all(chunk.usage is None for chunk in spoken)


async def test_without_being_asked_for_it_no_chunk_is_without_a_choice() -> None:
    async with asking(voters()) as (client, _, _):
        stream = await client.chat.completions.create(
            model="moot/vote", messages=QUESTION, extra_body=MOOT, stream=True
        )
        assert all([chunk.choices async for chunk in stream])


@pytest.mark.parametrize(
    ("reply", "status", "code"),
    [
        (Reply(status=401, message="bad key"), 401, "provider_authentication"),
        (Reply(status=402, message="no credit"), 402, "insufficient_quota"),
        (Reply(status=429, message="slow down"), 429, "rate_limit_exceeded"),
        (Reply(status=500, message="broken"), 502, "run_failed"),
    ],
)
async def test_a_run_that_fails_for_one_reason_answers_with_that_status_and_is_not_tried_again(
    reply: Reply, status: int, code: str
) -> None:
    async with asking(voters(**dict.fromkeys(PANEL, reply))) as (client, _, upstream):
        with pytest.raises(openai.APIStatusError) as failed:
            await client.chat.completions.create(model="moot/vote", messages=QUESTION, extra_body=MOOT)
        asked = [request.model for request in upstream.requests if request.model != "t/title"]
        stream = await client.chat.completions.create(
            model="moot/vote", messages=QUESTION, extra_body=MOOT, stream=True
        )
        with pytest.raises(openai.APIError) as told:
            async for _ in stream:
                pass
    assert (failed.value.status_code, failed.value.code) == (status, code)
    assert reply.message in str(failed.value)
    assert (told.value.code, reply.message in str(told.value)) == (code, True)
    assert sorted(asked) == PANEL  # the client would have tried a 429 and a 502 again, at our cost


async def test_a_failed_seat_is_named_at_the_head_of_the_answer() -> None:
    lines = voters(**{"c/cyd": Reply(status=402, message="no credit left")})
    async with asking(lines) as (client, _, _):
        answer = await client.chat.completions.create(model="moot/vote", messages=QUESTION, extra_body=MOOT)
    content = answer.choices[0].message.content or ""
    assert content.startswith("> This answer is degraded: something is missing from it.\n> - c/cyd")
    assert "no credit left" in content
    assert content.endswith("\n\nann says tabs")
    moot: Any = answer.model_extra
    assert (moot["moot"]["status"], moot["moot"]["degraded"]) == ("degraded", True)
    cyd = moot["moot"]["seats"][2]
    assert [(failure["step"], failure["kind"]) for failure in cyd["failures"]] == [("collect", "credit")]


async def test_a_system_prompt_and_a_history_reach_every_seat() -> None:
    messages = [{"role": "developer", "content": "Be brief."}, *said("Vi or Emacs?", "Vi.", "Why?")]
    async with asking(voters()) as (client, _, upstream):
        answer = await client.chat.completions.create(
            model="moot/vote", messages=messages, extra_body=MOOT, temperature=0.2
        )
    first = next(request.body for request in upstream.requests if request.model == "a/ann")
    assert [message["content"].partition("\n")[0] for message in first["messages"]] == [
        "Be brief.",
        "Vi or Emacs?",
        "Vi.",
        "Why?",
    ]
    assert first["temperature"] == 0.2
    moot: Any = answer.model_extra
    assert moot["moot"]["history"] == "turns"


async def test_a_mode_without_follow_ups_gets_the_history_behind_the_question_and_says_so() -> None:
    lines = dict.fromkeys(PANEL, "DECISION: STAND\nREASONING: Fine.\n\nVOTE: Response A")
    async with asking(voters(**lines)) as (client, _, upstream):
        answer = await client.chat.completions.create(
            model="moot/debate", messages=said("Vi or Emacs?", "Vi.", "Why?"), extra_body=MOOT
        )
    prompt = upstream.requests[0].prompt
    assert prompt.startswith("Why?\n\nThis follows on a conversation.")
    assert "User: Vi or Emacs?\n\nAssistant: Vi." in prompt
    extra: Any = answer.choices[0].message.model_extra
    assert extra["reasoning"].startswith("The earlier turns come after the question")
    moot: Any = answer.model_extra
    assert moot["moot"]["history"] == "condensed"


async def test_the_last_message_is_the_text_to_be_judged_where_the_mode_judges_one() -> None:
    async with asking(voters(**dict.fromkeys(PANEL, "APPROVE"))) as (client, _, upstream):
        panel = {"moot": {"config": {"jurorModels": PANEL, "foremanModel": "t/title"}}}
        await client.chat.completions.create(
            model="moot/jury",
            messages=said("Write a poem.", "Roses.", "Roses are red."),
            extra_body=panel,
        )
        prompt = next(request.prompt for request in upstream.requests if request.model == "a/ann")
        assert "Roses are red." in prompt
        assert "Assistant: Roses." in prompt
        with pytest.raises(openai.BadRequestError, match="Peer Review judges a single text"):
            await client.chat.completions.create(model="moot/peer_review", messages=said("a", "b", "c"))


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"n": 2}, "n", "n is not supported, because a deliberation has one answer: leave it out"),
    ({"max_tokens": 5}, "max_tokens", "max_tokens is not supported"),
    ({"max_completion_tokens": 5}, "max_completion_tokens", "max_completion_tokens is not supported"),
    ({"response_format": {"type": "xml"}}, "response_format", "response_format.type must be text"),
    ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools", "the panel calls no tools yet"),
    ({"seed": 1}, "seed", "seed is not supported"),
    ({"temperature": 3}, "temperature", "temperature must be at most 2"),
    ({"temperature": "hot"}, "temperature", "temperature must be a number"),
    ({"stop": [""]}, "stop", "stop must be a text or a list"),
    ({"extra_body": {"top_k": 1}}, "top_k", "Unknown parameter: top_k"),
    ({"extra_body": {"moot": {"model": "x"}}}, "moot.model", "Unknown field: model"),
    ({"extra_body": {"moot": {"models": ["a"]}}}, "modeConfig.councilModels", "at least 3 models"),
    ({"messages": []}, "messages", "messages must be a list with at least one message"),
    ({"messages": said("a", "b")}, "messages", "messages must end with a user message"),
    ({"messages": said(" ")}, "question", "Question is required"),
    (
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]},
        "messages[0].content[0]",
        "the panel reads only text, no images or files",
    ),
    ({"messages": [{"role": "tool", "content": "x", "tool_call_id": "1"}]}, "messages[0]", "about tools"),
]


async def test_what_cannot_be_obeyed_is_refused_by_name_before_anybody_is_asked() -> None:
    async with asking(voters()) as (client, _, upstream):
        for change, param, message in REFUSED:
            for stream in (False, True):
                body: dict[str, Any] = {
                    "model": "moot/vote",
                    "messages": QUESTION,
                    "stream": stream,
                    **change,
                }
                with pytest.raises(openai.BadRequestError) as refused:
                    await client.chat.completions.create(**body)
                assert message in str(refused.value)
                assert (refused.value.param, refused.value.type) == (param, "invalid_request_error")
    assert upstream.requests == []


async def test_parameters_that_change_nothing_are_taken() -> None:
    harmless: dict[str, Any] = {
        "n": 1,
        "top_p": 1,
        "presence_penalty": 0,
        "frequency_penalty": 0.0,
        "logprobs": False,
        "tool_choice": "none",
        "response_format": {"type": "text"},
        "user": "ann",
        "metadata": {"team": "two"},
        "seed": None,
    }
    async with asking(voters()) as (client, _, _):
        answer = await client.chat.completions.create(
            model="moot/vote", messages=QUESTION, extra_body=MOOT, **harmless
        )
    assert answer.choices[0].message.content == "ann says tabs"


async def test_the_answer_ends_before_a_stop_text() -> None:
    async with asking(voters()) as (client, _, _):
        answer = await client.chat.completions.create(
            model="moot/vote", messages=QUESTION, extra_body=MOOT, stop=["nothing", " tabs"]
        )
    assert answer.choices[0].message.content == "ann says"


async def test_a_task_of_a_chat_program_goes_to_the_title_model() -> None:
    task = said("### Task:\nSuggest a title.")
    async with asking(voters()) as (client, door, upstream):
        answer = await client.chat.completions.create(
            model="moot/vote", messages=task, temperature=0.1, stop="itle"
        )
        stream = await client.chat.completions.create(model="moot/vote", messages=task, stream=True)
        streamed = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
        assert (await door.get("/api/runs"))["runs"] == []
    assert (answer.choices[0].message.content, streamed) == ("A T", "A Title")
    assert [request.model for request in upstream.requests] == ["t/title", "t/title"]
    assert [request.body.get("temperature") for request in upstream.requests] == [0.1, None]


@pytest.mark.parametrize("stream", [False, True])
async def test_whoever_leaves_cancels_the_run_unless_it_is_in_the_background(stream: bool) -> None:
    slow = {model: Reply(hang=True) for model in PANEL}
    async with asking(voters(**slow)) as (client, door, upstream):
        for background, status in ((False, "cancelled"), (True, "running")):
            extra = {"moot": {"models": PANEL, "background": background}}
            asked = asyncio.create_task(_read_all(client, stream, extra))
            await until(lambda: upstream_calls(upstream) == 3)
            asked.cancel()
            await asyncio.wait([asked])
            await until(lambda: len(door.streams) == 0)
            if not background:
                await until(lambda: not door.engine.running)
            run = (await door.get("/api/runs"))["runs"][0]
            assert run["status"] == status
            upstream.reset()


def upstream_calls(upstream: Any) -> int:
    return sum(request.model in PANEL for request in upstream.requests)


async def _read_all(client: Any, stream: bool, extra: dict[str, Any]) -> None:
    answer = await client.chat.completions.create(
        model="moot/vote", messages=QUESTION, extra_body=extra, stream=stream
    )
    if stream:
        async for _ in answer:
            pass


async def test_the_first_chunk_comes_before_any_model_has_answered_and_silence_is_filled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("moot.http.openai.chat.PING_SECONDS", 0.02)
    async with asking(voters(**{model: Reply(hang=True) for model in PANEL})) as (_, door, _):
        body = {"model": "moot/vote", "messages": QUESTION, "stream": True, **MOOT}
        async with door.session.post("/v1/chat/completions", json=body) as response:
            lines = [await response.content.readline()]
            while lines[-1] != b": ping\n":  # the stage is told first
                lines.append(await response.content.readline())
    assert response.headers["content-type"].startswith("text/event-stream")
    assert json.loads(lines[0].removeprefix(b"data: "))["choices"][0]["delta"] == {
        "role": "assistant",
        "content": "",
    }


async def test_two_hundred_clients_at_once_get_each_their_own_answer() -> None:
    def speak(request: Any) -> str:
        asked = request.messages[-1].content
        return "VOTE: Response A" if "VOTE:" in asked else f"Tabs, as for {asked}"

    async with Door(Scripted({"title": "A Title", **dict.fromkeys(("ann", "bob", "cyd"), speak)})) as door:

        async def ask(number: int) -> str:
            body = {"model": "moot/vote", "stream": True, "messages": said(f"question {number}")}
            async with door.session.post("/v1/chat/completions", json=body) as response:
                lines = (await response.text()).splitlines()
            assert lines[-2:] == ["data: [DONE]", ""]
            chunks = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
            assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
            return "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)

        answers = await asyncio.gather(*(ask(number) for number in range(200)))
    assert answers == [f"Tabs, as for question {number}" for number in range(200)]


async def test_text_of_the_simulator_is_marked() -> None:
    names = ["sim/ada", "sim/bo", "sim/cleo"]
    lines = Scripted({"title": "A Title", **{name: ["tabs", vote_for("tabs")] for name in names}})
    async with (
        Door(lines) as door,
        openai.AsyncOpenAI(base_url=f"{door.url}/v1", api_key="x") as client,
    ):
        answer = await client.chat.completions.create(
            model="moot/vote", messages=QUESTION, extra_body={"moot": {"models": names}}
        )
    assert answer.choices[0].message.content == "> Simulated: no language model wrote this.\n\ntabs"


async def test_errors_before_the_door_have_its_form_too() -> None:
    async with asking(voters()) as (_, door, _):
        status, missing = await door.call("GET", "/v1/nothing")
        assert (status, missing["error"]["type"]) == (404, "invalid_request_error")
        status, bad = await door.call("POST", "/v1/chat/completions", data=b"{")
        assert (status, bad["error"]["message"][:20]) == (400, "The body is not JSON")
