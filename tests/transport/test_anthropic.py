"""Anthropic's Messages: the same answers in another dialect."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from moot.kernel.errors import TransportError
from moot.kernel.values import Message, Request, Usage
from moot.settings.providers import Provider
from moot.testing import ModelServer, Reply
from moot.testing.rendering import events
from moot.transport.anthropic import MAX_TOKENS, MessageReading
from tests.transport.asking import KEY, a_request, client, failure, hear

MODEL = "anthropic/claude-opus-4-6"


def anthropic(server: ModelServer, path: str = "") -> Provider:
    return Provider.anthropic(server.url.removesuffix("/v1") + path, SecretStr(KEY), 8)


@pytest.mark.parametrize("path", ["", "/v1"])
async def test_an_answer_with_its_thoughts_apart(path: str) -> None:
    reply = Reply(text="Tabs – größer 😀", reasoning="Let me see.")
    async with ModelServer(default=reply) as server, client(server, anthropic(server, path)) as transport:
        heard = await hear(transport, a_request(MODEL))
    assert (heard.text, heard.reasoning) == ("Tabs – größer 😀", "Let me see.")
    assert heard.last.usage == Usage(prompt_tokens=100, completion_tokens=7)
    assert heard.last.finish_reason == "stop"
    assert server.requests[0].path == "/v1/messages"


async def test_the_call_as_anthropic_gets_it() -> None:
    request = Request.of(
        model=MODEL,
        messages=(
            Message(role="system", content="Be brief."),
            Message(role="user", content="Tabs?"),
            Message(role="assistant", content="Yes."),
            Message(role="system", content="Be kind."),
            Message(role="user", content="Why?"),
        ),
        temperature=1.5,
        max_tokens=None,
    )
    async with ModelServer(default="So.") as server, client(server, anthropic(server)) as transport:
        await hear(transport, request)
    received = server.requests[0]
    assert (received.headers["x-api-key"], received.headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert "authorization" not in received.headers
    assert received.body == {
        "model": "claude-opus-4-6",
        "system": "Be brief.\n\nBe kind.",
        "messages": [
            {"role": "user", "content": "Tabs?"},
            {"role": "assistant", "content": "Yes."},
            {"role": "user", "content": "Why?"},
        ],
        "max_tokens": MAX_TOKENS,
        "temperature": 1.0,
        "stream": True,
    }


def test_a_stream_reads_the_same_cut_at_any_byte() -> None:
    provider = Provider.anthropic(None, None, 1)
    data = b"".join(events(Reply(text="größer 😀", reasoning="Hm."), MODEL, True)).replace(b"\n", b"\r\n")
    for at in range(len(data) + 1):
        reading = MessageReading(provider, MODEL)
        chunks = [reading.feed(data[:at]), reading.feed(data[at:]), reading.end()]
        assert "".join(chunk.text for chunk in chunks if chunk) == "größer 😀"
        assert "".join(chunk.reasoning for chunk in chunks if chunk) == "Hm."


@given(
    kind=st.sampled_from(["content_block_delta", "message_start", "message_delta", "error", "ping", "?"]),
    fields=st.dictionaries(
        st.sampled_from(["delta", "message", "usage", "error", "content"]),
        st.recursive(
            st.none() | st.integers() | st.text(max_size=3),
            lambda inner: (
                st.lists(inner, max_size=2)
                | st.dictionaries(
                    st.sampled_from(["text", "thinking", "usage", "stop_reason", "code"]), inner
                )
            ),
            max_leaves=6,
        ),
    ),
)
def test_no_event_makes_it_crash(kind: str, fields: dict[str, object]) -> None:
    reading = MessageReading(Provider.anthropic(None, None, 1), MODEL)
    with suppress(TransportError):
        reading.feed(b"data: " + json.dumps({"type": kind, **fields}).encode() + b"\n\n")
        reading.end()


@pytest.mark.parametrize(
    ("reply", "kind", "reason"),
    [
        (
            Reply(text="half", error_in_200=True),
            "rate_limited",
            f"Anthropic is rate limiting {MODEL} (529): Overloaded.",
        ),
        (
            Reply(finish_reason="content_filter"),
            "refused",
            f"{MODEL} refused to answer (Anthropic, content_filter).",
        ),
        (
            Reply(text="half", unfinished=True),
            "network",
            f"Anthropic broke off its reply for {MODEL}: the stream ended without a finish reason.",
        ),
        (
            Reply(status=400, message="credit balance too low"),
            "credit",
            f"Anthropic says the account is out of credit (400) and did not run {MODEL}: credit balance too low.",
        ),
        (
            Reply(
                raw='event: error\ndata: {"type":"error","error":{"type":"api_error","message":"Oops"}}\n\n'
            ),
            "other",
            f"Anthropic failed on {MODEL} (502): Oops.",
        ),
    ],
)
async def test_failures_are_told_as_everywhere(reply: Reply, kind: str, reason: str) -> None:
    async with ModelServer(default=reply) as server, client(server, anthropic(server)) as transport:
        error = await failure(transport, a_request(MODEL))
    assert (error.kind, error.reason) == (kind, reason)


@pytest.mark.parametrize(
    ("said", "finish_reason"), [("length", "length"), ("stop_sequence", "stop"), ("pause_turn", "pause_turn")]
)
async def test_why_it_stopped_is_said_in_one_vocabulary(said: str, finish_reason: str) -> None:
    reply = Reply(text="So.", finish_reason=said)
    async with ModelServer(default=reply) as server, client(server, anthropic(server)) as transport:
        assert (await hear(transport, a_request(MODEL))).last.finish_reason == finish_reason


async def test_a_whole_document_is_read_too() -> None:
    reply = Reply(text="So.", whole=True)
    async with ModelServer(default=reply) as server, client(server, anthropic(server)) as transport:
        assert (await hear(transport, a_request(MODEL))).text == "So."


async def test_a_model_with_a_lower_limit_gets_it() -> None:
    refusal = Reply(status=400, message=f"max_tokens: {MAX_TOKENS} > 4096, which is the maximum")
    async with (
        ModelServer(models={"claude-opus-4-6": [refusal, "one", "two"]}) as server,
        client(server, anthropic(server)) as transport,
    ):
        await hear(transport, a_request(MODEL))
        await hear(transport, a_request(MODEL, max_tokens=100))
    assert [received.body["max_tokens"] for received in server.requests] == [MAX_TOKENS, 4096, 100]


async def test_a_model_that_minds_temperature_is_asked_without() -> None:
    reply = Reply(text="So.", refuse=("temperature",))
    async with ModelServer(default=reply) as server, client(server, anthropic(server)) as transport:
        assert (await hear(transport, a_request(MODEL, temperature=0.1))).text == "So."
    assert ["temperature" in received.body for received in server.requests] == [True, False]
