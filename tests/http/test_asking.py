"""Starting a run: everything is checked before the stream opens."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from moot.modes import MODES
from moot.testing import SILENCE
from tests.harness.waiting import until
from tests.http.door import QUESTION, Door, script

PATH = "/api/council/stream"
THREE = ["ann", "bob", "cyd"]


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        ({"question": " \n"}, "question", "Question is required"),
        ({"mode": "vote"}, "question", "Question is required"),
        ({"question": 7}, "question", "question must be text"),
        ({"question": "x", "mode": "x"}, "mode", "Unknown mode: x"),
        ({"question": "x", "quesiton": "y"}, "quesiton", "Unknown field: quesiton"),
        (
            {"question": "x", "mode": "vote", "modeConfig": {"councilModels": ["a", "b"]}},
            "modeConfig.councilModels",
            "Vote mode requires at least 3 models",
        ),
        (
            {"question": "x", "mode": "vote", "modeConfig": {"councilModels": ["a"] * 8}},
            "modeConfig.councilModels",
            "Maximum 7 models allowed",
        ),
        (
            {"question": "x", "mode": "vote", "modeConfig": {"councilModel": THREE}},
            "modeConfig.councilModel",
            "Unknown field: councilModel",
        ),
        (
            {"question": "x", "mode": "vote", "modeConfig": {"timeoutMs": 5}},
            "modeConfig.timeoutMs",
            "timeoutMs must be between 10000 and 300000",
        ),
        (
            {"question": "x", "mode": "vote", "councilModels": THREE},
            "councilModels",
            "councilModels at the top level is for council only; use modeConfig",
        ),
        (
            {"question": "x", "chairmanModel": "ann", "modeConfig": {"chairmanModel": "bob"}},
            "chairmanModel",
            "chairmanModel is given both at the top level and in modeConfig",
        ),
        (
            {"question": "x", "councilModels": ["ann"]},
            "modeConfig.councilModels",
            "Council mode requires at least 2 models",
        ),
        ({"question": "x" * 101}, "question", "The question has 101 characters, the limit is 100"),
    ],
)
async def test_a_bad_request_says_what_is_wrong_and_where(
    body: dict[str, Any], path: str, message: str
) -> None:
    async with Door(script(), max_question_chars=100) as door:
        status, problem = await door.call("POST", PATH, json=body)
        assert await door.get("/api/runs") == {"runs": [], "nextCursor": None}
    assert (status, problem["error"], problem["details"][0]["path"]) == (400, message, path)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"x"', b"\xff\xfe", b'{"question": "\\ud800"}', b"[" * 100_000]
)
async def test_what_is_no_json_object_is_refused(body: bytes) -> None:
    async with Door(script()) as door:
        status, problem = await door.call("POST", PATH, data=body)
    assert status == 400
    assert problem["error"].startswith(("The body is not JSON: ", "The body must be a JSON object"))


async def test_all_violations_are_listed_the_first_is_the_error() -> None:
    config = {"councilModels": ["a"], "timeoutMs": 1, "colour": "red"}
    async with Door(script()) as door:
        _, problem = await door.call(
            "POST", PATH, json={"question": "x", "mode": "vote", "modeConfig": config}
        )
    assert {detail["path"] for detail in problem["details"]} == {f"modeConfig.{key}" for key in config}
    assert problem["error"] == problem["details"][0]["message"]


async def test_a_mode_that_this_server_does_not_have_answers_400() -> None:
    async with Door(script(), modes={"vote": MODES["vote"]}) as door:
        status, problem = await door.call("POST", PATH, json={"question": "x", "mode": "jury"})
    assert (status, problem["error"]) == (400, "Unknown mode: jury")


async def test_a_body_over_the_limit_is_refused_while_it_is_read() -> None:
    async def endless() -> Any:
        for _ in range(1000):
            yield b"x" * 1000

    async with Door(script(), max_body_bytes=2000) as door:
        declared = await door.call("POST", PATH, data=json.dumps({"question": "x" * 2000}))
        chunked = await door.call("POST", PATH, data=endless())
        small = await door.call("POST", PATH, data=b"x" * 2000)
    assert (declared[0], declared[1]["error"]) == (413, "The body has more than 2000 bytes")
    assert (chunked[0], chunked[1]["error"]) == (413, "The body has more than 2000 bytes")
    assert small[0] == 400


async def test_a_follow_up_sees_the_history_and_keeps_the_config(store_url: str) -> None:
    transport = script()
    async with Door(transport, database=store_url) as door:
        first = await door.ask(mode="vote", modeConfig={"councilModels": ["bob", "cyd", "dee"]})
        second = await door.ask("And in Makefiles?", mode="vote", conversationId=first.conversation_id)
        conversation = await door.get(f"/api/conversations/{first.conversation_id}")
    assert second.conversation_id == first.conversation_id
    assert "title_complete" not in second.types
    assert [answer["model"] for answer in second.data("stage1_complete")] == ["bob", "cyd", "dee"]
    answer = first.data("winner_declared")["winnerResponse"]
    asked = [r for r in transport.requests if r.messages[-1].content == "And in Makefiles?"]
    assert [m.content for m in asked[0].messages] == [QUESTION, answer, "And in Makefiles?"]
    assert [m["role"] for m in conversation["messages"]] == ["user", "assistant"] * 2


async def test_follow_ups_that_cannot_be(store_url: str) -> None:
    async with Door(script(), database=store_url) as door:
        vote, debate = await door.ask(mode="vote"), await door.ask(mode="debate")
        asked = [
            {"mode": "council", "conversationId": vote.conversation_id},
            {"mode": "debate", "conversationId": debate.conversation_id},
            {"mode": "vote", "conversationId": "nowhere"},
        ]
        said = [await door.call("POST", PATH, json={"question": "x", **body}) for body in asked]
    assert [(status, problem["error"]) for status, problem in said] == [
        (400, "The conversation is in the mode vote, not council"),
        (400, "Debate takes no follow-up questions: start a new conversation"),
        (404, "There is no conversation nowhere"),
    ]


async def test_one_run_of_a_conversation_at_a_time(store_url: str) -> None:
    transport = script(cyd=SILENCE)
    async with Door(transport, database=store_url) as door:
        first = await door.ask(mode="vote", modeConfig={"councilModels": ["ann", "bob", "dee"]})
        again = {"mode": "vote", "conversationId": first.conversation_id}
        slow: dict[str, Any] = {**again, "modeConfig": {"councilModels": THREE}}
        async with door.opened(**slow) as reader:
            run_id = (await reader.until("stage1_start"))[0]["runId"]
            status, problem = await door.call("POST", PATH, json={"question": "x", **again})
            assert status == 409
            assert "in progress" in problem["error"]
            assert (await door.call("POST", f"/api/runs/{run_id}/cancel"))[0] == 200
        assert (await door.ask("x", **again, modeConfig={"councilModels": ["ann", "bob", "dee"]})).types[
            -1
        ] == "complete"


async def test_the_same_key_and_body_give_the_same_run(store_url: str) -> None:
    transport = script()
    async with Door(transport, database=store_url) as door:
        key = {"Idempotency-Key": "k-1"}
        first = await door.ask(mode="vote", headers=key)
        asked = len(transport.requests)
        again = await door.ask(mode="vote", headers=key)
        other = await door.ask(mode="vote", headers={"Idempotency-Key": "k-2"})
        status, problem = await door.call("POST", PATH, json={"question": "other"}, headers=key)
    assert again.sent == first.sent
    assert other.run_id != first.run_id
    assert asked == len(transport.requests) / 2
    assert (status, problem["details"][0]["message"]) == (422, problem["error"])
    assert "k-1" in problem["error"]


async def test_concurrent_duplicates_start_one_run(store_url: str) -> None:
    transport = script()
    async with Door(transport, database=store_url) as door:
        told = await asyncio.gather(
            *(door.ask(mode="vote", headers={"Idempotency-Key": "same"}) for _ in range(20))
        )
        runs = (await door.get("/api/runs"))["runs"]
    assert len(runs) == 1
    assert len({story.text for story in told}) == 1
    assert len(transport.requests) == 7


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\there", "schlüssel"])
async def test_a_key_is_printable_and_not_too_long(key: str) -> None:
    async with Door(script()) as door:
        status, problem = await door.call(
            "POST", PATH, json={"question": "x"}, headers={"Idempotency-Key": key}
        )
    assert status == 400
    assert problem["error"] == "Idempotency-Key must have 1 to 255 printable ASCII characters"


async def test_the_first_event_is_there_before_any_model_has_answered() -> None:
    """How soon that is, `make bench` tells."""
    async with Door(script(ann=SILENCE, bob=SILENCE, cyd=SILENCE)) as door:
        async with door.opened(mode="vote") as reader:
            run_id = (await reader.until("stage1_start"))[0]["runId"]
        await door.call("POST", f"/api/runs/{run_id}/cancel")
        await until(lambda: not door.engine.running)


async def test_whoever_leaves_in_the_middle_of_a_request_starts_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with Door(script()) as door:
        host, port = door.url.removeprefix("http://").split(":")
        for sent in (b"", b'{"question": "Tabs'):
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(
                f"POST {PATH} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99\r\n\r\n".encode() + sent
            )
            await writer.drain()
            writer.close()
            await writer.wait_closed()
        assert (await door.get("/api/runs"))["runs"] == []
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
