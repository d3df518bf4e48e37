"""Events that differ in their text alone are read as if each had been parsed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from moot.kernel.errors import TransportError
from moot.settings.providers import Provider
from moot.transport.openai_chat import ChatReading
from moot.transport.text_events import TextEvents

PROVIDER = Provider.openrouter(None, None, 1)


def event(content: str = "", *, ascii_only: bool = True, finish: str | None = None, **more: Any) -> bytes:
    delta = {**more, "content": content}
    document = {"id": "g", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    return b"data: %b\n\n" % json.dumps(document, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")


def read(*reads: bytes) -> tuple[Any, ...]:
    """What comes of a reply that arrives in these reads."""
    reading = ChatReading(PROVIDER, "openai/o3")
    try:
        chunks = [chunk for data in reads if (chunk := reading.feed(data))]
        chunks.append(reading.end())
    except TransportError as error:
        return error.kind, error.reason
    text = "".join(chunk.text for chunk in chunks)
    return text, "".join(chunk.reasoning for chunk in chunks), reading.finish_reason, reading.done


texts = st.lists(
    st.one_of(
        st.text(max_size=6),
        st.sampled_from(
            ["\\", '"', '\\"', '"},"finish_reason":null}]}', "\n\ndata: {", "\ud83d", "\ude00", "é"]
        ),
    ),
    max_size=12,
)
others = st.sampled_from(
    [
        b"",
        event(reasoning="Hm."),
        event("x", reasoning="Hm."),
        event("half", role="assistant"),
        event("x", refusal="No."),
        b'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n',
        b'data: {"error":{"message":"died","code":502},"choices":[{"delta":{"content":""}}]}\n\n',
        b": a comment\n\n",
        b'data: {"choices":[{"delta":{"content":"x\\"}}]}\n\n',
        b"data: {oops}\n\n",
        b"data: [1]\n\n",
    ]
)


@given(texts, others, texts, st.booleans())
@example(["a\\", "b"], b"", [], True)
@example(["a", "b", "c"], event("x", reasoning="Hm."), ["d", "e"], True)
def test_many_events_in_one_read_mean_what_each_means_alone(
    before: list[str], other: bytes, after: list[str], ascii_only: bool
) -> None:
    pieces = [event("", role="assistant")]
    pieces += [event(text, ascii_only=ascii_only) for text in before]
    pieces += [other, *(event(text, ascii_only=ascii_only) for text in after), event(finish="stop")]
    # With a tab after `data:` it is no usual read: every event is then read by itself.
    one_by_one = [piece.replace(b"data: ", b"data:\t", 1) for piece in pieces]
    assert read(b"".join(pieces)) == read(*one_by_one)
    assert read(b"".join(pieces[:3]), b"".join(pieces[3:])) == read(*one_by_one)


@pytest.mark.parametrize(
    "other",
    [
        event("x", reasoning="Hm."),
        event("x", finish="stop"),
        event("x", refusal="No."),
        b'data: {"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":1}}\n\n',
        b'data: {"choices":[{"delta":{"content":"x"}},{"delta":{"content":"y"}}]}\n\n',
        b'data: {"choices":[{"delta":{"reasoning_content":"x"}}]}\n\n',
        b'data: {"content":"x"}\n\n',
        b'data: ["content":"x"]\n\n',
    ],
)
def test_an_event_that_says_more_than_its_text_is_no_pattern(other: bytes) -> None:
    assert TextEvents.like(other) is None


def test_the_text_of_events_alike_is_cut_out_in_one() -> None:
    shared = TextEvents.like(event("Tabs"))
    assert shared is not None
    run = event("Ta") + event('bs \\ "é"\n') + event("")
    assert shared.cut(run) == (b"", 'Tabs \\ "é"\n', b"")
    first, last = event("x", role="assistant"), event(finish="stop")
    assert shared.cut(first + run + last) == (first, 'Tabs \\ "é"\n', last)
    assert shared.cut(first + last) is None
