"""What holds in every mode alike: simulated models speak over real HTTP, and all that was asked, told and
stored is looked at."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from tools.stored_rows import stored_rows

import moot
from moot.kernel.events import SHARED
from moot.kernel.values import CouncilRow, Row, TableRow
from moot.modes import MODES
from moot.testing import Received
from tests.harness.chamber import TITLE_MODEL, Chamber, Held, unfenced
from tests.harness.simulating import simulated_reply

QUESTION = """Should a small team move its web shop to microservices?

The shop was founded in 2012 and serves 40,000 customers in three countries. Its monolith has 120,000 lines, and a \
release takes two days. Five developers work on it; two of them know the payment code."""
CONFIG: dict[str, dict[str, Any]] = {"dialectic": {"useTemplates": False}}
IN_A_ROW = 5
"""So many words, one after the other as in a reply, are that reply's."""
Words = tuple[str, ...]
_HELD: dict[str, Held] = {}
_WORD = re.compile(r"\w+")


def simulated(received: Received) -> str:
    return "A Short Title" if received.model == TITLE_MODEL else simulated_reply(received)


def unreadable(received: Received) -> str:
    """More often than not a reply that keeps to no layout, so that it is asked for again."""
    return simulated_reply(received, ":unreadable=0.6")


async def deliberated(mode: str) -> Held:
    if mode not in _HELD:
        async with Chamber() as chamber:
            chamber.server.script.models, chamber.server.script.default = {}, simulated
            _HELD[mode] = await chamber.deliberate(mode, QUESTION, **CONFIG.get(mode, {}))
    held = _HELD[mode]
    assert held.record.status == "complete", held.frames[-1]
    return held


def in_a_row(text: str) -> set[Words]:
    """Every five words that stand one after the other in a line."""
    rows: set[Words] = set()
    for line in text.casefold().splitlines():
        words = _WORD.findall(line)
        rows.update(zip(*(words[start:] for start in range(IN_A_ROW)), strict=False))
    return rows


@cache
def our_own() -> frozenset[Words]:
    """What stands in a prompt by our own hand."""
    folder = Path(moot.__file__).parent
    texts = (path.read_text().replace("\\\n", "") for path in sorted(folder.rglob("*.py")))
    return frozenset(row for text in texts for row in in_a_row(text))


def plain_values(held: Held) -> set[Words]:
    """An option, a section's title: values of one line may stand in a prompt as they are."""
    found: set[Words] = set()

    def look(value: Any, name: str = "") -> None:
        if isinstance(value, dict):
            found.update(in_a_row(f"Section {value.get('number')}: {value.get('title')}"))
            for key, inner in value.items():
                look(inner, key)
        elif isinstance(value, list):
            for inner in value:
                look(inner, name)
        elif name in ("options", "title", "documentTitle", "answer") and len(str(value)) <= 200:
            found.update(in_a_row(f"answer: {value}"))  # so a panelist names an option, and is told it did

    look(held.frames)
    return found


@pytest.mark.parametrize("mode", MODES)
async def test_no_prompt_holds_a_models_words_or_the_question_outside_a_fence(mode: str) -> None:
    assert_nothing_leaks(await deliberated(mode), simulated)


@pytest.mark.parametrize("mode", MODES)
async def test_no_second_try_and_no_title_holds_them_outside_a_fence(mode: str) -> None:
    async with Chamber(title_model=None) as chamber:
        chamber.server.script.models, chamber.server.script.default = {}, unreadable
        held = await chamber.deliberate(mode, QUESTION)
    assert any("brief title" in received.prompt for received in held.requests)
    assert_nothing_leaks(held, unreadable)


def assert_nothing_leaks(held: Held, voice: Callable[[Received], str]) -> None:
    ours, foreign = our_own() | plain_values(held), in_a_row(QUESTION)
    fenced: set[Words] = set()
    for received in held.requests:
        for message in received.body["messages"]:
            # A question as it was asked is no prompt of ours, nor are a model's words as its own.
            if message["role"] != "assistant" and message["content"] != QUESTION:
                bare = in_a_row(unfenced(message["content"]))
                leaked = (bare & foreign) - ours
                assert not leaked, f"{sorted(leaked)[:3]} stand unfenced in:\n{message['content']}"
                fenced |= in_a_row(message["content"]) & foreign
                ours |= bare
        foreign |= in_a_row(voice(received))
    assert fenced - ours, "no prompt shows anything foreign: this test sees nothing"


@pytest.mark.parametrize("mode", MODES)
async def test_result_answer_and_rows_are_folds_of_what_was_streamed(mode: str) -> None:
    held, told = await deliberated(mode), MODES[mode]
    streamed = [
        told.read_event(number, frame["type"], orjson.dumps(frame))
        for number, frame in enumerate(held.frames, 1)
    ]
    assert told.result(streamed).model_dump(mode="json") == held.result
    assert told.answer(streamed) == held.answer == (held.message and held.message.content)
    projected = [row for event in streamed if not isinstance(event, SHARED) for row in told.rows(event)]
    hidden = told.anonymous_until is not None  # then the stream names no models
    stored: list[Row | CouncilRow] = [*held.rows, *held.council_rows]
    kept = [as_json(row, hidden) for row in projected if not isinstance(row, TableRow)]
    assert sorted(kept) == sorted(as_json(row, hidden) for row in stored)


def as_json(row: Row | CouncilRow, hidden: bool) -> str:
    if isinstance(row, CouncilRow):  # a table has all its columns, a row those that it has something for
        values: Any = {str(name): value for name, value in row.values.items() if value is not None}
    else:
        values = replace(row, model=None) if hidden else row
    return orjson.dumps(values, option=orjson.OPT_SORT_KEYS).decode()


@pytest.mark.parametrize("mode", MODES)
async def test_every_row_that_is_stored_is_in_the_docs_with_all_its_keys(mode: str) -> None:
    held, kept = await deliberated(mode), stored_rows(MODES[mode])
    assert held.rows or held.council_rows
    for row in held.rows:
        patterned = (
            one for stage, one in kept.stages.items() if re.fullmatch(pattern(stage), row.stage_type)
        )
        documented = kept.stages.get(row.stage_type) or next(patterned)
        keys = {key for some in documented.keys for key in some}
        assert set(row.parsed_data or ()) <= keys or "<name>" in keys, row.stage_type
        assert {row.role or "—", "<roleId>"} & documented.roles.keys()
    for own in held.council_rows:
        assert {name for name, value in own.values.items() if value is not None} <= {
            column for columns in kept.tables[own.table].keys for column in columns
        }


def pattern(stage: str) -> str:
    return re.sub(r"<\w+>", r"\\w+", re.sub(r"<\w>", r"\\d+", stage))
