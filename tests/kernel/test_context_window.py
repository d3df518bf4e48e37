"""A prompt that is too long for its model: shortened where everybody sees it, or not sent."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from moot.kernel.context_window import LEAST_BYTES, ContextWindow, tokens_of
from moot.kernel.fences import Foreign, fill
from moot.kernel.values import Message, Request
from moot.testing import Received
from tests.harness.chamber import Chamber, Held
from tests.harness.resuming import stopped_and_resumed

LONG = " ".join(f"Sentence {number} of a long answer." for number in range(600))


def asking(*texts: str, system: str = "") -> Request:
    parts = [Foreign(text) for text in texts]
    prompt = fill("Judge these.\n{texts}\nEnd with WINNER.", "seed", texts=parts)
    before = (Message(role="system", content=system),) if system else ()
    messages = (*before, Message(role="user", content=prompt))
    return Request.of("a/ann", messages)


def texts_of(request: Request) -> list[str]:
    return re.findall(r"^<<<\w{8}\n(.*?)\n\w{8}>>>$", request.messages[-1].content, re.MULTILINE | re.DOTALL)


def test_what_fits_is_held() -> None:
    assert ContextWindow(4096).holds(asking("short"))
    assert not ContextWindow(4096).holds(asking(LONG))


def test_short_texts_stay_whole_and_long_ones_keep_equally_much() -> None:
    sent = ContextWindow(4096).shortened(asking("Tabs or spaces?", LONG, LONG + " And one more."))
    assert sent is not None
    question, first, second = texts_of(sent)
    assert question == "Tabs or spaces?"
    assert abs(len(first) - len(second)) < 10
    assert first.startswith("Sentence 0 of")
    assert first.endswith("answer.")
    assert re.search(r"\n\[… [\d,]+ characters were left out here …\]\n", first)
    assert sent.messages[-1].content.endswith("End with WINNER.")


def test_it_is_said_who_saw_how_much_less() -> None:
    request = asking("Tabs or spaces?", LONG)
    window = ContextWindow(4096)
    sent = window.shortened(request)
    assert sent is not None
    left_out = len(LONG) - len(re.sub(r"\n\[….*…\]\n", "", texts_of(sent)[1]))
    assert window.notice("a/ann", request) == (
        f"a/ann did not see all of its prompt: {left_out:,} characters were left out of 1 of 2 texts, for its "
        "context holds 4,096 tokens."
    )


def test_where_too_little_would_be_left_nothing_is_sent() -> None:
    assert ContextWindow(2048).shortened(asking(*[LONG] * 12)) is None
    assert ContextWindow(2048).shortened(asking("short", system="x" * 9000)) is None
    assert ContextWindow(4096).refusal(asking(LONG)).startswith("a/ann was not asked: the prompt may have ")


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=4000), min_size=1),
    st.integers(1, 9000),
)
def test_what_is_sent_always_fits_and_keeps_our_words(texts: list[str], tokens: int) -> None:
    request, window = asking(*texts), ContextWindow(tokens)
    if window.holds(request):
        return
    sent = window.shortened(request)
    if sent is None:
        return
    assert window.holds(sent)
    assert sent.messages[-1].content.endswith("End with WINNER.")
    kept = texts_of(sent)
    assert len(kept) == len(texts)
    assert all(
        old == new or tokens_of(new) * 3 >= LEAST_BYTES - 70 for old, new in zip(texts, kept, strict=True)
    )


MODELS = ["a/ann", "b/bob", "c/cat"]
SHORT = {"id": "c/cat", "context_length": 6000}


def told(held: Held, type: str) -> list[dict[str, Any]]:
    return [frame for frame in held.frames if frame["type"] == type]


def voice(received: Received) -> str:
    return "VOTE: Response A" if "VOTE" in received.prompt else f"{received.model} says: {LONG[:9000]}"


async def test_a_judge_that_saw_less_degrades_the_run_and_is_named() -> None:
    async with Chamber() as chamber:
        chamber.server.script.models, chamber.server.script.default = {}, voice
        chamber.server.script.listed = [SHORT]
        held = await chamber.deliberate("vote", councilModels=MODELS, chairmanModel="a/ann")
        prompts = {r.model: r.prompt for r in chamber.server.requests if "VOTE" in r.prompt}
    assert "were left out here" in prompts["c/cat"]
    assert "were left out here" not in prompts["a/ann"]
    assert held.record.status == "degraded"
    [warning] = [one["data"] for one in told(held, "warning") if one["data"]["code"] == "shortened"]
    assert warning["message"].startswith("c/cat did not see all of its prompt: ")
    assert warning["step"] == "vote"


async def test_a_prompt_that_cannot_be_shortened_enough_fails_before_it_is_sent() -> None:
    async with Chamber() as chamber:
        chamber.server.script.models, chamber.server.script.default = {}, voice
        chamber.server.script.listed = [{**SHORT, "context_length": 3000}]
        question = "Why? " * 1800
        held = await chamber.deliberate("vote", question, councilModels=MODELS, chairmanModel="a/ann")
        assert all(request.model != "c/cat" for request in chamber.server.requests)
    [failed] = {one["data"]["reason"] for one in told(held, "model_failed")}
    assert failed == (
        "c/cat was not asked: the prompt may have 3,008 tokens, and its context holds 3,000, of which the reply "
        "needs 750."
    )
    assert {one["data"]["kind"] for one in told(held, "model_failed")} == {"too_long"}


async def test_a_run_with_a_short_context_tells_the_same_when_it_is_resumed(tmp_path: Path) -> None:
    for stop in (4, 5):
        folder = tmp_path / str(stop)
        folder.mkdir()
        held = await stopped_and_resumed(
            folder, "vote", voice, stop, calls=6, listed=[SHORT], councilModels=MODELS, chairmanModel="a/ann"
        )
        assert held.record.status == "degraded"
