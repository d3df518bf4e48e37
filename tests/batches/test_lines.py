"""A file of questions is read line by line and checked as a whole."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from moot.batches.lines import checked_lines, read_lines
from moot.kernel.engine import Engine
from moot.kernel.errors import Rejected
from moot.kernel.mode import Panel
from moot.modes import MODES
from moot.settings import Settings
from moot.store.urls import store_for
from moot.testing import Scripted

PANEL = ("a/ann", "b/bob", "c/cyd")


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    made = Engine(store_for("sqlite://"), Scripted(), Panel(PANEL), Settings(), modes=MODES)
    async with made as opened:
        yield opened


async def test_a_line_is_a_question_or_a_request(engine: Engine) -> None:
    text = b'"Tabs?"\r\n\n{"id": "q2", "question": "Vim?", "mode": "chain"}\n  \n{"question": "Why?"}'
    lines = await checked_lines(engine, read_lines(text), {"mode": "vote"})
    assert [(line.number, line.id, line.ask.mode, line.ask.question) for line in lines] == [
        (1, None, "vote", "Tabs?"),
        (3, "q2", "chain", "Vim?"),
        (5, None, "vote", "Why?"),
    ]


async def test_a_config_is_for_its_own_mode(engine: Engine) -> None:
    defaults = {"mode": "vote", "modeConfig": {"councilModels": list(PANEL)}}
    text = b'"Tabs?"\n{"question": "Vim?", "mode": "council"}\n{"question": "Why?", "modeConfig": {}}'
    lines = await checked_lines(engine, read_lines(text), defaults)
    assert [line.ask.mode_config for line in lines] == [defaults["modeConfig"], None, {}]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            b'{"question": "Tabs?"',
            "Line 2: This is not JSON: unexpected end of data: line 1 column 21 (char 20)",
        ),
        (
            b"Tabs or spaces?",
            "Line 2: This is not JSON: unexpected character, expected a JSON value: line 1 column 1 (char 0)",
        ),
        (b"[1]", 'Line 2: Write a question in quotes, or an object such as {"question": "Tabs or spaces?"}'),
        (b'{"question": "Tabs?", "mode": "vot"}', "Line 2: Unknown mode: vot"),
        (b'{"quetsion": "Tabs?"}', "Line 2: Unknown field: quetsion"),
        (b'{"question": " "}', "Line 2: Question is required"),
        (b'{"question": "Tabs?", "id": 7}', "Line 2: id must be text of at most 200 characters"),
        (
            b'{"question": "Tabs?", "conversationId": "c"}',
            "Line 2: conversationId is not allowed in a batch: its questions are independent",
        ),
        (b'{"question": "Tabs?", "modeConfig": {"rounds": 7}}', "Line 2: Unknown field: rounds"),
        (
            b'\xff"',
            "Line 2: This is not JSON: str is not valid UTF-8: surrogates not allowed: line 1 column 1 (char 0)",
        ),
    ],
)
async def test_what_is_wrong_is_said_with_the_number_of_its_line(
    engine: Engine, line: bytes, message: str
) -> None:
    with pytest.raises(Rejected) as refusal:
        await checked_lines(engine, read_lines(b'"Tabs?"\n' + line + b'\n"Why?"'), {"mode": "vote"})
    assert str(refusal.value) == message


async def test_all_lines_are_told_that_are_wrong_but_no_more_than_twenty(engine: Engine) -> None:
    with pytest.raises(Rejected) as refusal:
        await checked_lines(engine, read_lines(b'"good"\n{}\n"good"\n{\n'), {"mode": "vote"})
    assert [path for path, _ in refusal.value.details] == ["Line 2", "Line 4"]
    with pytest.raises(Rejected) as refusal:
        await checked_lines(engine, read_lines(b"{\n" * 100_000), {})
    assert len(refusal.value.details) == 20


async def test_a_file_without_a_question_is_no_batch(engine: Engine) -> None:
    with pytest.raises(Rejected, match="The batch contains no questions"):
        await checked_lines(engine, read_lines(b"\n \n"), {})
