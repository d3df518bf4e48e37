from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.rounding import half_up, percent_shares
from moot.deliberation.scores import (
    agreement,
    consensus_word,
    criterion_ratings,
    legal_score,
    quantity,
    rating,
    spread,
)


@pytest.mark.parametrize(
    ("value", "score"),
    [
        ("7", 7),
        ("8/10", 8),
        ("8 / 10 | a reason", 8),
        ("8 out of 10", 8),
        ("**8**", 8),
        ("7 | points at §3", 7),
        ("7, mostly", 7),
        ("7; fine", 7),
        ("7 (good)", 7),
        ("7 – good", 7),
        ("7 - good", 7),
        ("7—good", 7),
        ("7.", 7),
        ("8/10.", 8),
        ("6.5", "6.5"),
        ("6,5", "6.5"),
        ("7 to be fair", 7),
        ("10", 10),
        ("1", 1),
        ("1-10", None),
        ("7-8", None),
        ("7 to 8", None),
        ("7 – 8", None),
        ("4/5", None),
        ("80/100", None),
        ("80%", None),
        ("0", None),
        ("11", None),
        ("10.4", None),
        ("0.6", None),
        ("-3", None),
        ("7th", None),
        ("7-ish", None),
        ("8/10/2", None),
        ("1.2.3", None),
        ("<score>", None),
        ("seven", None),
        ("", None),
    ],
)
def test_a_legal_score_lies_between_one_and_ten(value: str, score: int | str | None) -> None:
    assert legal_score(value) == (None if score is None else Fraction(score))


def test_a_score_may_begin_at_nothing() -> None:
    assert legal_score("0", 0, 10) == 0
    assert legal_score("9.5/10", 0, 10) == Fraction("9.5")
    assert legal_score("9/5", 0, 10) is None


@pytest.mark.parametrize(
    ("cell", "score"),
    [
        ("4", 4),
        ("**4**", 4),
        ("4/5", 4),
        ("4 - fine", 4),
        ("4.5", "4.5"),
        ("٤٫٥", "4.5"),
        ("4·5", None),
        ("3-4", "3.5"),
        ("3 – 4 / 5", "3.5"),
        ("8/10", None),
        ("0", None),
        ("7", None),
        ("4-6", None),
        ("n/a", None),
        ("", None),
        ("Four", None),
        ("80 %", None),
    ],
)
def test_a_rating_lies_between_one_and_five(cell: str, score: int | str | None) -> None:
    assert rating(cell) == (None if score is None else Fraction(score))


@pytest.mark.parametrize(
    ("value", "number", "upto", "out_of", "percent", "rest"),
    [
        ("85-90%", "85", "90", None, True, ""),
        ("85% to 90%.", "85", "90", None, True, "."),
        ("0,82", "0.82", None, None, False, ""),
        (".82 or so", "0.82", None, None, False, " or so"),
        ("-0.3", "-0.3", None, None, False, ""),
        ("−0.3", "-0.3", None, None, False, ""),
        ("8 out of 10", "8", None, 10, False, ""),
        ("95 percent", "95", None, None, True, ""),
        ("95% interval [2.1, 3.4]", "95", None, None, True, " interval [2.1, 3.4]"),
        ('"7"', "7", None, None, False, '"'),
    ],
)
def test_a_quantity_is_read_with_all_that_belongs_to_it(
    value: str, number: str, upto: str | None, out_of: int | None, percent: bool, rest: str
) -> None:
    read = quantity(value)
    assert read is not None
    assert read.number == Fraction(number)
    assert read.upto == (None if upto is None else Fraction(upto))
    assert (read.out_of, read.percent, read.rest) == (out_of, percent, rest)
    assert read.middle == (read.number if upto is None else (read.number + Fraction(upto)) / 2)


@pytest.mark.parametrize("value", ["ten", "", "x7", "7x", "<7>", "1.2.3"])
def test_what_does_not_begin_with_a_number_is_no_quantity(value: str) -> None:
    assert quantity(value) is None


@given(st.text())
def test_whatever_is_read_lies_on_its_scale(text: str) -> None:
    for value in (text, f"7{text}", f"7/{text}"):
        read = quantity(value)
        assert read is None or read.rest in value
        assert (score := legal_score(value)) is None or 1 <= score <= 10
        assert (rated := rating(value)) is None or 1 <= rated <= 5
    found = criterion_ratings(f"| Security | {text} |\nCost: {text}", ("Security", "Cost"))
    assert set(found) <= {"Security", "Cost"}


@given(
    st.integers(1, 10),
    st.integers(0, 9),
    st.sampled_from([".", ","]),
    st.sampled_from(["", "/10", " out of 10"]),
)
def test_every_decimal_is_read_exactly(whole: int, tenth: int, point: str, scale: str) -> None:
    number = Fraction(10 * whole + tenth, 10)
    assert legal_score(f"{whole}{point}{tenth}{scale} | why") == (number if number <= 10 else None)


CRITERIA = ("Authentication & Authorization", "Data Protection", "Security", "Error Handling")


def test_ratings_stand_in_a_table() -> None:
    text = """| Criterion | Rating | Notes |
|---|---|---|
| **Authentication and Authorization** | **3** | x |
| Data protection | n/a | no basis |
| Security | 2 | first |
| Security | 3-4 | last |
| **Weighted Overall** | 3.4 | |"""
    found = criterion_ratings(text, CRITERIA)
    assert [(rated.criterion, rated.score, rated.note) for rated in found.values()] == [
        ("Authentication & Authorization", 3, "x"),
        ("Data Protection", None, "no basis"),
        ("Security", Fraction(7, 2), "last"),
    ]
    assert found["Data Protection"].cell == "n/a"


def test_the_column_headed_score_holds_it() -> None:
    text = "| Criterion | Weight | Score | Why |\n|---|---|---|---|\n| Security | 5 | 2 | x |\n| Error handling | 4 | 4/5 |"
    found = criterion_ratings(text, CRITERIA)
    assert found["Security"].score == 2
    assert found["Security"].note == "x"
    assert found["Error Handling"].score == 4
    assert found["Error Handling"].note == ""


@pytest.mark.parametrize(
    ("head", "row", "note"),
    [
        ("| Criterion | Score | Weight | Justification |", "| Security | 2 | 5 | Keys leak. |", "Keys leak."),
        ("| Criterion | Score | Weight | Why |", "| Security | 2 | 5 (high) | Keys leak. |", "Keys leak."),
        ("| Criterion | Score | Weight |", "| Security | 2 | 5 |", ""),
        ("| Criterion | Score | Weight |", "| Security | 2 | 5 | Keys leak. |", "Keys leak."),
        ("| Criterion | Score | Weight | Weighted | Notes |", "| Security | 2 | ×5 | 10 | x |", "x"),
        ("| Criterion | Justification | Score | Weight |", "| Security | Keys leak. | 2 | 5 |", "Keys leak."),
        ("| Criterion | Justification | Score |", "| Security | | 2 |", ""),
        ("| Criterion | Mark | Weight | Reason |", "| Security | 2 | five | Keys leak. |", "Keys leak."),
        (
            "| Criterion | Score | Max | Comment |",
            "| Security | 2 | 5 | 3 of 4 keys leak. |",
            "3 of 4 keys leak.",
        ),
        ("| Criterion | Score | |", "| Security | 2 | 20 % |", "20 %"),
        ("", "| Security | 2 | 5 | Keys leak. |", "Keys leak."),
        ("", "| Security | 2 | 5 |", ""),
        ("", "Security: 2 (weight 5) - Keys leak.", "Keys leak."),
        ("", "Security: 2/5 (Weight: 5/5): Keys leak.", "Keys leak."),
        ("", "Security: 2 (weighty reasons)", "(weighty reasons)"),
    ],
)
def test_a_weight_is_no_justification(head: str, row: str, note: str) -> None:
    found = criterion_ratings(f"{head}\n{row}", CRITERIA)["Security"]
    assert (found.score, found.note) == (Fraction(2), note)


def test_a_row_about_something_else_is_no_row_of_headings() -> None:
    text = """| Criterion | Weight | Score | Why |
| Tone | 1 | 4 | no comments |
| Tone | n/a | n/a | no comments |
| Security | 5 | 2 | Keys leak. |"""
    found = criterion_ratings(text, CRITERIA)["Security"]
    assert (found.score, found.note) == (Fraction(2), "Keys leak.")


def test_without_a_table_lines_are_read() -> None:
    text = "**Security:** 4 - solid\nAuthentication and authorization: 2/5, weak\nError Handling: none"
    found = criterion_ratings(text, CRITERIA)
    assert {rated.criterion: (rated.score, rated.note) for rated in found.values()} == {
        "Authentication & Authorization": (2, "weak"),
        "Security": (4, "solid"),
        "Error Handling": (None, ""),
    }


@pytest.mark.parametrize(
    ("scores", "word"),
    [
        ([9, 5, 6, 8], "Disagreement"),
        ([6, 4, 5, 7], "Mixed"),
        ([8, 7, 8, 9], "Mixed"),
        ([9, 8, 8, 9], "Strong agreement"),
        ([7, 3, 5, 8], "Disagreement"),
        ([7], "Insufficient data"),
        ([], "Insufficient data"),
    ],
)
def test_the_spread_of_a_jury_has_a_word(scores: list[int], word: str) -> None:
    assert consensus_word(scores) == word


@pytest.mark.parametrize(
    ("scores", "word"),
    [
        ([2, 5], "Low"),
        ([3, 5], "Medium"),
        ([4, 5], "Medium"),
        ([4, 4, 5], "High"),
        ([4, 4, 3], "High"),
        ([2, 5, 2], "Low"),
        ([5, 3], "Medium"),
        ([3, 3, 3], "High"),
        ([4], None),
        ([], None),
    ],
)
def test_reviewers_agree_by_deviation_and_range(scores: list[int], word: str | None) -> None:
    assert agreement(scores) == word


def test_the_spread_is_highest_less_lowest() -> None:
    assert spread([7, 3, 5, 8]) == 5
    assert spread([]) is None


@pytest.mark.parametrize(
    ("weights", "shares"),
    [
        ([1 / 3, 1 / 3, 1 / 3], [33.34, 33.33, 33.33]),
        ([1 / 6] * 6, [16.67, 16.67, 16.67, 16.67, 16.66, 16.66]),
        ([1, 0.9048374, 0.7046881, 0.9048374], [28.45, 25.75, 20.05, 25.75]),
        ([1], [100.0]),
        ([0.0, 1.0], [0.0, 100.0]),
        ([0.0, 0.0], [0.0, 0.0]),
        ([], []),
    ],
)
def test_shares_add_up_to_a_hundred(weights: list[float], shares: list[float]) -> None:
    assert percent_shares(weights) == shares


@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=8))
def test_shares_add_up_whatever_the_weights(weights: list[float]) -> None:
    shares = percent_shares(weights)
    assert sum(Fraction(str(share)) for share in shares) == 100
    total = sum(map(Fraction, weights))
    for share, weight in zip(shares, weights, strict=True):
        assert abs(Fraction(str(share)) - 100 * Fraction(weight) / total) < Fraction(1, 100)


def test_five_dimensions_of_four_jurors() -> None:
    columns = {"accuracy": [9, 5, 6, 8], "actionability": [7, 3, 5, 8]}
    assert half_up(Fraction(sum(columns["accuracy"]), 4), 1) == 7.0
    assert half_up(Fraction(sum(columns["actionability"]), 4), 1) == 5.8
