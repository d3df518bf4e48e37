from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.history.safe_text import one_line, safe_json, safe_text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain text", "plain text"),
        ("two\n\tlines", "two\n\tlines"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;owned\x07title", "title"),
        ("\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;cm0gLXJmIH4=\x07clipboard", "clipboard"),
        ("\x1bP1;2q junk\x1b\\sixel", "sixel"),
        ("\x9b31mC1\x9d0;owned\x9c", "C1"),
        ("\x1b(0\x1bc\x1b7reset", "reset"),
        ("bell\x07 back\x08 null\x00 delete\x7f", "bell back null delete"),
        ("over\rwritten", "over\nwritten"),
        ("dos\r\nlines", "dos\nlines"),
        ("\u202eturned\u202c \u2066isolated\u2069", "turned isolated"),
        ("paragraph\u2029line\u2028end", "paragraph\nline\nend"),
        ("\x1b]no end mark, and the rest must be seen", "]no end mark, and the rest must be seen"),
        ("\x1b\x1b[0m[31m", "[31m"),
        ("שלום \u200f! 漢字 👩‍👩‍👧", "שלום \u200f! 漢字 👩‍👩‍👧"),
        ("half \ud800 a sign", "half � a sign"),
    ],
)
def test_what_could_drive_a_terminal_is_taken_out(text: str, safe: str) -> None:
    assert safe_text(text) == safe


@given(st.text(st.characters() | st.sampled_from("\x1b[]\\;mHJ?\x07\x9b\x9c\r\u202e"), max_size=200))
def test_no_control_character_but_newline_and_tab_is_left(text: str) -> None:
    safe = safe_text(text)
    assert all(unicodedata.category(sign) not in ("Cc", "Cs") or sign in "\n\t" for sign in safe)
    assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") & set(safe)
    assert safe_text(safe) == safe


def test_a_megabyte_of_half_sequences_takes_no_time() -> None:
    for hostile in ("\x1b]" * 500_000, "\x1b[" + "1;" * 500_000, "\x1bP" + "x" * 1_000_000):
        assert "\x1b" not in safe_text(hostile)


def test_json_says_the_same_without_characters_that_drive() -> None:
    text = "\x1b[31m \x9b5m \x7f \u202e\u2028\u200e\u200f\u061c\u2066"
    escaped = safe_json(json.dumps(text, ensure_ascii=False))
    assert json.loads(escaped) == text
    assert escaped.isascii()


def test_one_line_is_one_line_of_its_length() -> None:
    assert one_line("a\n\n b\tc") == "a b c"
    assert one_line("x" * 1_000_000, 10) == "xxxxxxxxx…"
