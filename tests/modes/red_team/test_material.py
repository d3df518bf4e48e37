"""A work as it passes through replies: enclosed, faithful, whole."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.parsing import lines
from moot.modes.red_team.material import (
    FAITHFUL,
    cut_at_line_end,
    fidelity,
    find_enclosure,
    read_material,
    stand_in,
)

WORK = "\n".join(f"Line {number} says something of its own." for number in range(200))


def material(text: str, kind: str = "WORK") -> str:
    return f"KIND: {kind}\n=== MATERIAL ===\n{text}\n=== END MATERIAL ==="


@pytest.mark.parametrize(
    ("reply", "text", "closed"),
    [
        ("=== X ===\na\nb\n=== END X ===\nbye", "a\nb", True),
        ("**=== x ===**\n  a\n=== end x ===", "  a", True),
        ("X:\na\nEND X:", "a", True),
        ("## X\na\n## END X", "a", True),
        ("X\na", None, None),
        ("=== X ===\na", "a", False),
        ("=== X ===\na\n=== END X ===\nmore\n=== END X ===", "a\n=== END X ===\nmore", True),
        ("=== X ===\na\n=== X ===\nb\n=== END X ===", "a\n=== X ===\nb", True),
        ("```\n=== X ===\n```\n=== X ===\na\n=== END X ===", "a", True),
        ("X: as follows\n=== X ===\n```\ncode\n=== END X ===", "```\ncode", True),
    ],
)
def test_a_block_stands_between_its_lines(reply: str, text: str | None, closed: bool | None) -> None:
    block = find_enclosure(lines(reply), "X")
    assert (block and block.text, block and block.closed) == (text, closed)


def test_a_block_opens_behind_the_line_it_must_follow() -> None:
    reply = lines("=== X ===\nquoted\nlast\n=== X ===\nown\n=== END X ===")
    block = find_enclosure(reply, "X", after=2)
    assert block is not None
    assert block.text == "own"
    first = find_enclosure(reply, "X", after=4)
    assert first is not None
    assert first.start == 0


@pytest.mark.parametrize(
    ("reply", "text", "kind", "fallback"),
    [
        (material("# 1. All\n" + WORK), "# 1. All\n" + WORK, "WORK", None),
        (material("A plan.", "TASK"), "A plan.", "TASK", None),
        (material("A short\nsummary\nof it."), WORK, "WORK", "low_fidelity"),
        ("KIND: WORK\n" + WORK, WORK, "WORK", None),
        ("KIND: TASK\nA plan\nin two lines.", "A plan\nin two lines.", "TASK", None),
        (WORK, WORK, None, None),
        ("Something else.", WORK, None, "low_fidelity"),
        (material("", "TASK"), WORK, "TASK", "low_fidelity"),
        (f"KIND: WORK\n=== MATERIAL ===\n{WORK}", WORK, "WORK", None),
    ],
)
def test_the_material_is_the_input_or_made_for_it(
    reply: str, text: str, kind: str | None, fallback: str | None
) -> None:
    read = read_material(reply, WORK)
    assert (read.text, read.kind, read.fallback) == (text, kind, fallback)


def test_fidelity_counts_each_word_as_often_as_it_occurs() -> None:
    assert fidelity("a a b c", "a b d") == Fraction(2, 4)
    assert fidelity("", "anything") == 1
    nine_of_ten = " ".join("abcdefghi")
    assert fidelity(nine_of_ten + " j", nine_of_ten) == FAITHFUL


def test_a_long_input_is_cut_at_a_line_end() -> None:
    assert cut_at_line_end("one\ntwo\nthree", 9) == "one\ntwo"
    assert cut_at_line_end("one\ntwo\nthree", 7) == "one\ntwo"
    assert cut_at_line_end("one\ntwo", 7) == "one\ntwo"
    assert cut_at_line_end("onetwothree", 6) == "onetwo"


@pytest.mark.parametrize(
    ("line", "stands_in"),
    [
        ("[rest unchanged]", True),
        ("(sections 2 to 5 as before)", True),
        ("... remaining code omitted", True),
        ("# … unchanged …", True),
        ("The price is unchanged.", False),
        ("[1] see below", False),
        ("[was there before, unchanged]", False),
    ],
)
def test_a_line_that_stands_for_omitted_text_is_seen(line: str, stands_in: bool) -> None:
    before = "a\n  [was there before, unchanged]\nb"
    assert stand_in(f"a\n{line}\nb", before) == (line if stands_in else None)


WORDS = [
    "KIND: WORK",
    "KIND: TASK",
    "=== MATERIAL ===",
    "=== END MATERIAL ===",
    "a",
    "b",
    "c",
    "```",
    "\n",
    "\n",
]


@given(st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join), st.text() | st.just("a b c"))
def test_whatever_an_author_sends_is_faithful_made_for_a_task_or_set_aside(
    reply: str, given_text: str
) -> None:
    read = read_material(reply, given_text)
    if read.fallback:
        assert (read.text, read.fallback) == (given_text, "low_fidelity")
    else:
        assert read.text.strip()
        assert read.kind == "TASK" or fidelity(given_text, read.text) >= FAITHFUL


@given(st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_what_is_enclosed_stands_in_the_reply_between_its_lines(reply: str) -> None:
    prepared = lines(reply)
    block = find_enclosure(prepared, "MATERIAL")
    if block:
        assert block.closed == (block.end < len(prepared))
        assert (
            block.text.strip()
            == "\n".join(line.raw for line in prepared[block.start + 1 : block.end]).strip()
        )


@given(st.text("abc unchanged[](.…\n"), st.text("abc unchanged[](.…\n"))
def test_a_line_that_stands_for_others_is_one_of_the_new_text_alone(text: str, before: str) -> None:
    line = stand_in(text, before)
    assert line is None or (line in text and line not in {each.strip() for each in before.split("\n")})
    assert stand_in(before, before) is None


@given(st.text(), st.integers(1, 50))
def test_a_cut_text_is_a_beginning_within_the_limit(text: str, longest: int) -> None:
    cut = cut_at_line_end(text, longest)
    assert text.startswith(cut)
    assert len(cut) <= longest
