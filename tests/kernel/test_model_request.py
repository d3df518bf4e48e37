"""A request to a model: what it is known by for ever, and what is kept of it while the model thinks."""

from __future__ import annotations

import tracemalloc
from hashlib import sha256
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.kernel.values import Maybe, Message, Request, Wire, json_bytes

QUESTION = 'Tabs — or "spaces"?\\ \b\f\n\r\t\x00\x1f\x7f\u2028 größer 😀'


class WrittenOut(Wire):
    """What is digested, field by field."""

    model: str
    messages: tuple[Message, ...]
    temperature: Maybe[float]
    max_tokens: Maybe[int]


@pytest.mark.parametrize(
    ("more", "digest"),
    [
        ({}, "b82773e8b3a6ac4bf9ebd50881397500"),
        ({"temperature": 0.2, "max_tokens": 50}, "5b86a0b238966bb2cba885c76abb18cb"),
        ({"temperature": 1}, "cd79623b113ea30d2885027300e5e35b"),
        ({"temperature": 1e-7}, "45c3bbb49b4b96e067d576e3896eeb6f"),
    ],
)
def test_a_call_is_known_by_the_digest_it_always_had(more: dict[str, Any], digest: str) -> None:
    messages = [Message(role="system", content="Be brief."), Message(role="user", content=QUESTION)]
    request = Request.of("openai/o3", messages, **more)
    assert request.digest() == digest
    assert list(request.messages) == messages


@given(
    st.text(),
    st.lists(st.text()),
    st.none() | st.floats(0, 2),
    st.none() | st.integers(1, 10**9),
)
def test_whatever_is_asked_is_digested_as_it_is_written_out(
    model: str, texts: list[str], temperature: float | None, most: int | None
) -> None:
    messages = tuple(Message(role="user", content=text) for text in texts)
    whole = WrittenOut(model=model, messages=messages, temperature=temperature, max_tokens=most)
    expected = sha256(whole.model_dump_json().encode()).hexdigest()[:32]
    request = Request.of(model, messages, temperature, most)
    assert (request.digest(), request.messages) == (expected, messages)


def test_of_a_long_text_with_a_dash_no_more_is_kept_than_is_sent() -> None:
    text = "so it is — " * 10_000
    tracemalloc.start()
    try:
        request = Request.of("openai/o3", [Message(role="user", content=text + ".")])
        request.digest()
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept < 1.05 * len(text.encode())


def test_json_that_is_kept_takes_no_more_than_it_says() -> None:
    tracemalloc.start()
    try:
        kept = [json_bytes({"place": place}) for place in range(100)]
        each = tracemalloc.get_traced_memory()[0] / len(kept)
    finally:
        tracemalloc.stop()
    assert orjson.loads(kept[7]) == {"place": 7}
    assert each < 100
