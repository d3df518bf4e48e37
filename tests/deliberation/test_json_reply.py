from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.json_reply import json_in
from tests.harness.pace import on_this_machine, used


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('[{"a": 1}]', [{"a": 1}]),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('Here:\n\n```json\n{"a": 1}\n```\nDone.', {"a": 1}),
        ('```\n{"a": 1}\n```\nNo, rather\n```\n{"a": 2}\n```', {"a": 2}),
        (
            'The answer is 4.\n\n{"confidence": 0.8, "reasoning": "a {b}"}',
            {"confidence": 0.8, "reasoning": "a {b}"},
        ),
        ('I think {"a": {"b": 1}} fits', {"a": {"b": 1}}),
        ('{"a": 1,}', {"a": 1}),
        ("{'a': 'b'}", {"a": "b"}),
        ('```json\n{"tasks": [{"id": 1}, {"id": 2\n```', {"tasks": [{"id": 1}, {"id": 2}]}),
        ('{"a": NaN}', {"a": None}),
        ("no braces", None),
        ("a [1, 3] citation", None),
        ("", None),
        ("{", None),
        ('"text"', None),
        ("42", None),
    ],
)
def test_json_is_found_in_a_reply(text: str, value: object) -> None:
    assert json_in(text) == value


def test_broken_json_may_be_left_alone() -> None:
    assert json_in('{"a": 1,}', repair=False) is None


def test_a_very_long_broken_reply_is_not_mended() -> None:
    assert json_in('{"a": "' + "x" * 60_000) is None
    assert json_in("[" * 20_000) is None


@given(st.text(alphabet='{}[]",:`\n ab1'))
def test_every_reply_holds_objects_or_none(text: str) -> None:
    assert isinstance(json_in(text), dict | list | None)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{" * 100_000, '{"a":' * 50_000, "```\n" * 50_000, "[1]" * 50_000]
)
def test_no_reply_holds_it_up(text: str) -> None:
    with used() as work:
        json_in(text, repair=False)
    assert work.seconds < on_this_machine(3)
