from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.text import (
    cited,
    closest,
    likeness,
    name_key,
    numbers_named,
    sentence_spans,
    without_citations,
    word_count,
    word_tokens,
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("two words", 2),
        ("日本語の文章です", 8),
        ("", 0),
        (" \n\t", 0),
        ("well-known, isn't it?", 3),
        ("English with one 語 inside it only", 7),
        ("สวัสดี", 6),
        ("使用 Python 编写", 5),
        ("1 000 000", 3),
    ],
)
def test_words_are_counted_in_scripts_with_and_without_blanks(text: str, count: int) -> None:
    assert word_count(text) == count == len(word_tokens(text))


@given(st.text(), st.text())
def test_a_count_is_that_of_the_parts(one: str, other: str) -> None:
    if one.isascii() and other.isascii():
        assert word_count(f"{one}\n{other}") == word_count(one) + word_count(other)


CRITERIA = ("Authentication & Authorization", "Data Protection", "Data Quality", "Error Handling")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Authentication and Authorization", "Authentication & Authorization"),
        ("**data protection**", "Data Protection"),
        ("Error handling:", "Error Handling"),
        ("Authentification & Authorization", "Authentication & Authorization"),
        ("Data", None),
        ("Weighted Overall", None),
        ("", None),
        ("---", None),
    ],
)
def test_a_name_is_matched_to_the_one_that_is_meant(name: str, expected: str | None) -> None:
    assert closest(name, CRITERIA) == expected


def test_of_two_equally_close_names_none_is_meant() -> None:
    assert closest("Section 3", ["Section 1", "Section 2"], at_least=0.5) is None
    assert closest("go", ["Go", "Godot"]) == "Go"
    assert closest("godot!", ["Go", "Godot"]) == "Godot"
    assert closest("colour red", ["color red", "colour rad"], at_least=0.85, ahead=0.1) is None


def test_names_are_compared_by_their_letters_and_digits() -> None:
    assert name_key("**Risks & Mitigations** (2)") == "risksandmitigations2"
    assert likeness("abcd", "bcde") == 0.75


@pytest.mark.parametrize(
    ("value", "numbers"),
    [
        ("Task 1 and task_3; 4", [1, 3, 4]),
        ("task_1 -> task_2 & TASK-2", [1, 2]),
        ("none", []),
        ("subtask_1", []),
        ("[1, 3]", [1, 3]),
        ("claim_3", [3]),
        ("- task_1\n- task_2", [1, 2]),
    ],
)
def test_things_are_named_by_number(value: str, numbers: list[int]) -> None:
    assert numbers_named(value, "claim" if "claim" in value else "task") == numbers


def test_citations_stand_in_square_brackets() -> None:
    ident = r"S\d+(?:\.\d+)?"
    assert cited("Both see it [S1.2, s3.1] and [S1.2; S2].", ident) == ["S1.2", "S3.1", "S2"]
    assert cited("Clear [1, 1]") == ["1"]
    assert cited("see S1.2 (S3.1)", ident) == []
    assert without_citations("Clear structure [1, 3].") == "Clear structure."
    assert without_citations("Holds [S1.1 and S2.1]", ident) == "Holds"
    assert without_citations("An array [a, 1]") == "An array [a, 1]"


def test_sentences_are_found_where_they_stand() -> None:
    text = 'It is so. Is it? "Yes!" e.g. this one, 3.5 cm.\n\nNew paragraph\n- an item\n- another. End'
    assert [text[start:end] for start, end in sentence_spans(text)] == [
        "It is so.",
        "Is it?",
        '"Yes!"',
        "e.g. this one, 3.5 cm.",
        "New paragraph",
        "- an item",
        "- another.",
        "End",
    ]


@given(st.text())
def test_sentences_hold_every_word_once(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())


@given(st.text())
def test_what_is_read_of_words_stands_in_them(text: str) -> None:
    assert closest(text, CRITERIA) in {None, *CRITERIA}
    assert all(one in text for one in cited(text))
    assert len(without_citations(text)) <= len(text)
    assert all(number >= 0 for number in numbers_named(text, "task"))
