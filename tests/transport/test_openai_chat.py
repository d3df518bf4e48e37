"""Chat completions: what a reply says, however it is cut, and how a call is put."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.kernel.errors import TransportError
from moot.kernel.values import Message, Request, Usage
from moot.settings.providers import Provider
from moot.testing import ModelServer, Reply
from moot.transport import Chunk
from moot.transport.openai_chat import ChatReading
from tests.harness.pace import on_this_machine, used
from tests.transport.asking import KEY, a_request, client, hear

OPENROUTER = Provider.openrouter(None, None, 1)


def an_event(content: str | None = None, **more: Any) -> str:
    choice = {"index": 0, "delta": {"role": "assistant", "content": content}, **more}
    return f"data: {json.dumps({'choices': [choice]}, ensure_ascii=False)}"


STREAM = "\n\n".join(
    (
        ": OPENROUTER PROCESSING",
        an_event("Tabs – "),
        an_event(None),
        'event: message\nid: 7\nretry: 10\ndata: {"choices":[{"delta":{"reasoning":"Hm. 🤔"}}]}',
        an_event("größer 😀", finish_reason="stop"),
        'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"cost":0.5}}',
        "data: [DONE]",
        "",
    )
)


def read(*parts: bytes) -> tuple[str, str, Chunk]:
    reading = ChatReading(OPENROUTER, "openai/o3")
    chunks = [chunk for part in parts if (chunk := reading.feed(part)) is not None]
    last = reading.end()
    text = "".join(chunk.text for chunk in (*chunks, last))
    return text, "".join(chunk.reasoning for chunk in (*chunks, last)), last


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_stream_reads_the_same_cut_at_any_byte(line_end: str) -> None:
    data = STREAM.replace("\n", line_end).encode()
    for at in range(len(data) + 1):
        text, reasoning, last = read(data[:at], data[at:])
        assert (text, reasoning) == ("Tabs – größer 😀", "Hm. 🤔"), at
        assert (last.usage, last.cost) == (Usage(prompt_tokens=9, completion_tokens=4), 0.5), at


def test_a_stream_reads_the_same_byte_by_byte() -> None:
    data = STREAM.encode()
    assert read(*(data[at : at + 1] for at in range(len(data))))[0] == "Tabs – größer 😀"


@given(cuts=st.lists(st.integers(0, len(STREAM.encode())), max_size=8))
def test_a_stream_reads_the_same_cut_anywhere_and_often(cuts: list[int]) -> None:
    data, places = STREAM.encode(), [0, *sorted(cuts), len(STREAM.encode())]
    parts = [data[start:end] for start, end in pairwise(places)]
    assert read(*parts)[0] == "Tabs – größer 😀"


def test_what_arrives_together_is_one_chunk() -> None:
    reading = ChatReading(OPENROUTER, "openai/o3")
    chunk = reading.feed("".join(f"{an_event(f'{n} ')}\n\n" for n in range(100)).encode())
    assert chunk is not None
    assert chunk.text.split() == [str(n) for n in range(100)]


@given(data=st.binary(max_size=200), framed=st.booleans())
def test_nonsense_is_an_error_and_never_a_crash(data: bytes, framed: bool) -> None:
    data = data.replace(b"[DONE]", b"")
    with pytest.raises(TransportError):
        read(b"data: " + data + b"\n\n" if framed else data)


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "delta",
                    "message",
                    "content",
                    "usage",
                    "error",
                    "code",
                    "cost",
                    "reasoning",
                    "type",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(document=json_values, framed=st.booleans())
def test_no_json_makes_it_crash(document: Any, framed: bool) -> None:
    body = json.dumps(document)
    with suppress(TransportError):
        read(f"data: {body}\n\ndata: [DONE]\n\n".encode() if framed else body.encode())


@pytest.mark.parametrize("line", [b"data: {\n", b"data: x\n", b"data: [[[[\n", b"<script>", b'{"a":', b"\r"])
def test_a_flood_of_nonsense_takes_no_longer_than_reading_it(line: bytes) -> None:
    flood = line * (1_000_000 // len(line))
    with used() as work, pytest.raises(TransportError):
        read(*(flood[at : at + 65536] for at in range(0, len(flood), 65536)))
    assert work.seconds < on_this_machine(2)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ('data:{"choices":[{"delta":{"content":"no blank"}}]}\n', "no blank"),
        ('data: {"choices":\ndata: [{"delta":{"content":"two lines"}}]}\n\n', "two lines"),
        ('data: {"choices":[{"delta":{"content":"one end"}}]}\ndata: {"choices":[]}\n', "one end"),
        ('\ufeff\n\ndata: {"choices":[{"delta":{"content":"marked"}}]}\n\n', "marked"),
        ('data: {"choices":[{"delta":{"content":"\\ud83d\\ude00"}}]}\n\n', "😀"),
        (
            'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n'
            'data: {"choices":[{"delta":{"content":"\\ude00"}}]}\n\n',
            "😀",
        ),
        ('data: {"choices":[{"delta":{"content":"half \\ud83d"}}]}\n\n', "half \ufffd"),
        (
            'data: {"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"text":"hm"}]},'
            '{"type":"text","text":"parts"}]}}]}\n\n',
            "parts",
        ),
        ('data: {"choices":[{"delta":{"content":"x","reasoning":"r","reasoning_content":"r"}}]}\n\n', "x"),
        (
            'data: {"choices":[{"delta":null}]}\n\ndata: \n\n'
            'data: {"choices":[{"delta":{"content":"y"}}]}\n\n',
            "y",
        ),
    ],
)
def test_what_servers_really_send_is_read(said: str, text: str) -> None:
    assert read(said.encode(), b"data: [DONE]")[0] == text


def test_half_an_emoji_waits_for_the_other_half() -> None:
    halves = [
        f'data: {{"choices":[{{"delta":{{"content":"{half}"}}}}]}}\n\n' for half in ("a\\ud83d", "\\ude00b")
    ]
    assert read(*(half.encode() for half in halves), b"data: [DONE]\n\n")[0] == "a😀b"


def test_broken_utf8_does_not_cost_the_answer() -> None:
    assert (
        read(b'data: {"choices":[{"delta":{"content":"a\xffb"}}]}\n\n', b"data: [DONE]\n\n")[0] == "a\ufffdb"
    )


def test_the_same_reasoning_under_two_names_counts_once() -> None:
    said = b'data: {"choices":[{"delta":{"reasoning":"r","reasoning_content":"r"}}]}\n\ndata: [DONE]\n\n'
    assert read(said)[1] == "r"


@pytest.mark.parametrize(
    ("usage", "expected", "cost"),
    [
        ('{"prompt_tokens": 1, "completion_tokens": 2}', Usage(prompt_tokens=1, completion_tokens=2), None),
        ('{"prompt_tokens": NaN, "completion_tokens": -2, "cost": -1}', Usage(), None),
        ('{"prompt_tokens": 1e30, "completion_tokens": "2", "cost": Infinity}', Usage(), None),
        ('{"prompt_tokens": true, "cost": 0}', Usage(), 0),
        (
            '{"completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 3}, "cost": 1e-4}',
            Usage(completion_tokens=5, reasoning_tokens=3),
            1e-4,
        ),
        (
            '{"cost": 0.01, "is_byok": true, "cost_details": {"upstream_inference_cost": 0.2}}',
            Usage(),
            0.21000000000000002,
        ),
    ],
)
def test_only_figures_one_can_believe_are_kept(usage: str, expected: Usage, cost: float | None) -> None:
    last = read(f'data: {{"choices":[],"usage":{usage}}}\n\ndata: [DONE]\n\n'.encode())[2]
    assert (last.usage, last.cost) == (expected, cost)


def test_a_giant_line_is_read_without_copying_it_over_and_over() -> None:
    line = f"{an_event('x' * 8_000_000)}\n\ndata: [DONE]\n\n".encode()
    text, _, _ = read(*(line[at : at + 4096] for at in range(0, len(line), 4096)))
    assert len(text) == 8_000_000


async def test_a_whole_reply_over_http() -> None:
    reply = Reply(text="Tabs, of course.", reasoning="Let me see.", cost=0.002, comments=3)
    async with ModelServer(default=reply) as server, client(server) as transport:
        heard = await hear(transport)
    assert (heard.text, heard.reasoning) == ("Tabs, of course.", "Let me see.")
    assert heard.last.usage == Usage(prompt_tokens=100, completion_tokens=6, reasoning_tokens=3)
    assert (heard.last.cost, heard.last.finish_reason) == (0.002, "stop")
    assert [chunk.usage for chunk in heard.chunks[:-1]] == [None] * (len(heard.chunks) - 1)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text="Tabs – größer 😀", whole=True),
        Reply(text="Tabs – größer 😀", cut=1),
        Reply(text="Tabs – größer 😀", cut=7, comments=2),
        Reply(text="Tabs – größer 😀", gzip=True, cut=5),
        Reply(text="Tabs – größer 😀", tokens_per_second=500),
    ],
)
async def test_the_same_answer_however_it_is_sent(reply: Reply) -> None:
    async with ModelServer(default=reply) as server, client(server) as transport:
        assert (await hear(transport)).text == "Tabs – größer 😀"


async def test_a_text_cut_by_the_limit_or_the_filter_is_delivered_with_its_reason() -> None:
    for reason in ("length", "content_filter"):
        reply = Reply(text="As far as it", finish_reason=reason)
        async with ModelServer(default=reply) as server, client(server) as transport:
            heard = await hear(transport)
        assert (heard.text, heard.last.finish_reason) == ("As far as it", reason)


async def test_an_empty_answer_is_left_to_the_run_to_judge() -> None:
    async with ModelServer(default=Reply(text="")) as server, client(server) as transport:
        heard = await hear(transport)
    assert (heard.text, heard.last.finish_reason) == ("", "stop")


async def test_the_call_as_openrouter_gets_it() -> None:
    request = Request.of(
        model="openai/o3",
        messages=(Message(role="system", content="Be brief."), Message(role="user", content="Tabs?")),
        temperature=0.2,
        max_tokens=50,
    )
    async with ModelServer(default="Yes.") as server, client(server) as transport:
        await hear(transport, request)
    assert server.requests[0].path == "/v1/chat/completions"
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[0].body == {
        "model": "openai/o3",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Tabs?"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "usage": {"include": True},
        "temperature": 0.2,
        "max_tokens": 50,
    }


async def test_a_refused_field_is_left_out_and_the_server_remembered() -> None:
    reply = Reply(text="Yes.", refuse=("stream_options",))
    async with ModelServer(default=reply) as server, client(server) as transport:
        first, second = await hear(transport), await hear(transport, a_request("other/model"))
    assert (first.text, first.attempts, second.text) == ("Yes.", 1, "Yes.")
    assert ["stream_options" in received.body for received in server.requests] == [True, False, False]


async def test_a_model_that_minds_temperature_and_max_tokens_is_remembered_alone() -> None:
    picky = Reply(text="Yes.", refuse=("temperature", "max_tokens"))
    async with (
        ModelServer(models={"openai/o3": picky}, default="Sure.") as server,
        client(server) as transport,
    ):
        for model in ("openai/o3", "openai/o3", "other/model"):
            await hear(transport, a_request(model, temperature=0.2, max_tokens=50))
    sent = [
        received.body.keys() & {"temperature", "max_tokens", "max_completion_tokens"}
        for received in server.requests
    ]
    assert sent == [
        {"temperature", "max_tokens"},
        {"max_tokens"},
        {"max_completion_tokens"},
        {"max_completion_tokens"},
        {"temperature", "max_tokens"},
    ]
