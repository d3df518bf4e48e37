"""Numbers, options and confidences as panelists write them."""

from __future__ import annotations

import math
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from moot.deliberation.parsing import NOTHING_SHOWN, Shown, marker
from moot.modes.delphi.answers import (
    answer_key,
    match_option,
    read_answer,
    read_confidence,
    read_estimate,
    read_figure,
    read_reasoning,
    read_span,
    rotate,
    short_answer,
)


def estimate(reply: str, unit: str | None = None, bounds: tuple[float, float] | None = None) -> float | None:
    read = read_estimate(reply, unit, bounds, NOTHING_SHOWN)
    return read.value if read else None


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("**ESTIMATE:** ~$42.5 million", 42_500_000),
        ("ESTIMATE: 1.234,5", 1234.5),
        ("ESTIMATE: 1,234", 1234),
        ("ESTIMATE: 2,5", 2.5),
        ("ESTIMATE: 12 000", 12_000),
        ("ESTIMATE: 40–50 bn", 4.5e10),
        ("ESTIMATE: −15.5", -15.5),
        ("ESTIMATE:\n-15.5", -15.5),
        ("ESTIMATE:\n- 15.5", 15.5),
        ("ESTIMATE: 4.2 × 10⁶", 4_200_000),
        ("ESTIMATE: 4.2 x 10^-3", 0.0042),
        ("ESTIMATE: 10^6", 1_000_000),
        ("ESTIMATE: 3e-2", 0.03),
        ("ESTIMATE: 1_000_000", 1_000_000),
        ("ESTIMATE: 1'234'567.5", 1_234_567.5),
        ("ESTIMATE: 1.234.567", 1_234_567),
        ("ESTIMATE: 0,125", 0.125),
        ("ESTIMATE: 1,234,5", 1234.5),
        ("ESTIMATE: .5", 0.5),
        ("ESTIMATE: -$5", -5),
        ("ESTIMATE: US$ 5k", 5000),
        ("ESTIMATE: EUR 1.5 bn", 1.5e9),
        ("ESTIMATE: between 3 and 5", 4),
        ("ESTIMATE: 900k to 1.1 million", 1_000_000),
        ("ESTIMATE: -10 to 10", 0),
        ("ESTIMATE: 45% (roughly)", 45),
        ("ESTIMATE: 5\nESTIMATE: 7", 7),
        ("ESTIMATE: 7\nESTIMATE: see above", 7),
        ("I think it is so.\n\n42", 42),
        ("By 2030 I expect 50000 at most, or 60000", None),
        ("I expect\n50000 at most", None),
        ("ESTIMATE: <number in USD>", None),
        ("ESTIMATE: forty", None),
        ("ESTIMATE: NaN", None),
        ("ESTIMATE: 1e999", None),
        ("ESTIMATE: 2031-05-12", None),
        ("ESTIMATE: 3rd", None),
        ("ESTIMATE: 12:30", None),
        ("ESTIMATE: 1/3", None),
        ("ESTIMATE: 1,2,3", None),
        ("ESTIMATE: 1,23,4", None),
        ("", None),
    ],
)
def test_a_number_is_read_as_people_write_it(reply: str, value: float | None) -> None:
    assert estimate(reply) == value


@pytest.mark.parametrize(
    ("value", "unit", "read"),
    [
        ("42m", None, 42e6),
        ("42 m", None, 42),
        ("42m", "m", 42),
        ("42 K", "K", 42),
        ("42 million USD", "million USD", 42),
        ("42kg", "kg", 42),
        ("kg 42", "kg", 42),
        ("42 % of all", "%", 42),
    ],
)
def test_a_unit_is_no_multiplier(value: str, unit: str | None, read: float) -> None:
    figure = read_figure(value, unit)
    assert figure is not None
    assert figure.value == read


def test_a_range_is_known_as_one() -> None:
    ranged, plain = read_figure("40–50", None), read_figure("45", None)
    assert ranged is not None
    assert plain is not None
    assert (ranged.value, ranged.is_range, plain.is_range) == (45, True, False)


def test_what_lies_outside_the_bounds_is_unreadable() -> None:
    assert estimate("ESTIMATE: 101", "%", (0, 100)) is None
    assert estimate("ESTIMATE: 100", "%", (0, 100)) == 100


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("The number of countries that are members of the United Nations is 196.", 196),
        (
            "The correct answer is 195. The panel's answer is not correct. The correct number of countries in "
            "the United Nations is 195.",
            195,
        ),
        ("ESTIMATE: <196>\nCONFIDENCE: <HIGH>\nREASONING: I saw the number explicitly.", 196),
        ("So my estimate would be about 40 %.", 40),
        ("I keep to it: the total stays 1,200.", 1200),
        ("The panel's median number is 195.", None),
        ("My previous answer is 195.", None),
        ("The answer is not 195.", None),
        ("The number is 195 or 196.", None),
        ("The number of members grew, and the year is 1945, when 51 joined.", None),
        ("The number of countries in the United Nations (195) is a fact that cannot be changed.", None),
        ("The number is 195?", None),
    ],
)
def test_an_estimate_that_a_sentence_says_is_read_and_a_mention_is_none(
    reply: str, read: float | None
) -> None:
    assert estimate(reply, None, None) == read


def test_an_estimate_quoted_from_the_question_counts_only_alone() -> None:
    shown = Shown(["Is it true?\nESTIMATE: 5"])
    read = read_estimate("ESTIMATE: 9\nThe question says\n> ESTIMATE: 5", None, None, shown)
    assert read is not None
    assert read.value == 9


@pytest.mark.parametrize(
    ("reply", "confidence"),
    [
        ("CONFIDENCE: **High**", "HIGH"),
        ("Confidence: med", "MEDIUM"),
        ("CONFIDENCE: moderate, since", "MEDIUM"),
        ("CONFIDENCE: low", "LOW"),
        ("CONFIDENCE: not high", None),
        ("CONFIDENCE: <LOW or MEDIUM or HIGH>", None),
        ("", None),
    ],
)
def test_a_confidence_is_its_first_word(reply: str, confidence: str | None) -> None:
    assert read_confidence(reply, NOTHING_SHOWN) == confidence


def test_each_seat_sees_the_options_turned_by_its_number() -> None:
    colours = ["Red", "Green", "Blue"]
    assert rotate(colours, 2) == ["Blue", "Red", "Green"]
    assert read_answer("ANSWER: B)", rotate(colours, 2), NOTHING_SHOWN) == "Red"
    assert rotate([], 2) == []


@pytest.mark.parametrize(
    ("answer", "option"),
    [
        ("B) Green", "Green"),
        ("**b**", "Green"),
        ("(C) Blue", "Blue"),
        ("Option A", "Red"),
        ("2", "Green"),
        ("3) whatever", "Blue"),
        ("green!", "Green"),
        ("I choose Blue", "Blue"),
        ("Gren", "Green"),
        ("Grn", "Other: Grn"),
        ("Z) Other: Pink", "Other: Pink"),
        ("Z", "Other"),
        ("Z) Other: red", "Red"),
        ("Other - a shade between", "Other: a shade between"),
        ("Purple.", "Other: Purple"),
        ("Red or Blue", "Other: Red or Blue"),
        ("J) Jade", "Other: Jade"),
    ],
)
def test_an_answer_is_an_option_or_something_else(answer: str, option: str) -> None:
    assert read_answer(f"ANSWER: {answer}", ["Red", "Green", "Blue"], NOTHING_SHOWN) == option


@pytest.mark.parametrize(
    ("text", "options", "named"),
    [
        ("godot!", ["Go", "Godot"], "Godot"),
        ("go", ["Go", "Godot"], "Go"),
        ("A monolith", ["A monolith", "Microservices"], "A monolith"),
        ("2", ["1", "2", "3"], "2"),
        ("C", ["C", "C++"], "C"),
        ("c++", ["C", "C++"], "C++"),
        ("TypeScript with care", ["JavaScript", "TypeScript"], "TypeScript"),
        ("Hybrid", ["Hybrid (core mono, rest poly)", "Mono"], "Hybrid (core mono, rest poly)"),
        ("nothing of it", ["Red", "Blue"], None),
    ],
)
def test_an_option_is_named_by_its_words(text: str, options: list[str], named: str | None) -> None:
    assert match_option(text, options) == named


def test_an_option_that_begins_with_a_letters_name_is_not_taken_for_the_letter() -> None:
    options = ["Microservices", "A monolith"]
    assert read_answer("ANSWER: A monolith", options, NOTHING_SHOWN) == "A monolith"


def test_no_answer_is_none() -> None:
    assert read_answer("I like red.", ["Red", "Blue"], NOTHING_SHOWN) is None
    assert read_reasoning("ANSWER: x") is None
    assert read_reasoning("ANSWER: x\nREASONING: so\nand so") == "so\nand so"


def test_a_short_answer_fits_into_a_line() -> None:
    assert short_answer(" **Two\nlines** <<<1a2b3c4d and a fence>>>. ") == "Two lines** 1a2b3c4d and a fence"
    assert len(short_answer("x" * 500)) == 120
    assert answer_key("TypeScript!") == answer_key("typescript")
    assert answer_key("!!") != answer_key("??")


REPLIES = st.text() | st.lists(
    st.sampled_from(
        [
            "ESTIMATE",
            "ANSWER",
            "CONFIDENCE",
            "REASONING",
            ":",
            "\n",
            "7",
            "-3.5",
            "1e9",
            "40–50",
            "A)",
            "Z)",
            "Other",
            "Green",
            "high",
            "not",
            "<number>",
            "%",
            "٣",
            "\u202e",
            "<<<",
            "|",
        ]
    )
).map(" ".join)


@given(REPLIES, st.text(max_size=5), st.floats(-100, 100), st.floats(0, 100))
def test_an_estimate_lies_within_its_bounds(reply: str, unit: str, low: float, width: float) -> None:
    free, bound = estimate(reply, unit or None), estimate(reply, unit or None, (low, low + width))
    assert free is None or math.isfinite(free)
    assert bound == (free if free is not None and low <= free <= low + width else None)


@given(REPLIES, st.lists(st.sampled_from(["Red", "Green", "Go", "Godot"]), min_size=2, unique=True))
@example("ANSWER\n0\u202a0", ["Red", "Green"])
def test_an_answer_is_one_of_the_options_or_something_else_in_a_line(reply: str, options: list[str]) -> None:
    answer = read_answer(reply, options, NOTHING_SHOWN)
    assert answer is None or answer in options or answer == "Other" or answer.startswith("Other: ")
    assert answer is None or (len(answer) <= 130 and not {"<<<", ">>>"} & {*answer.split()})
    unseen = {unicodedata.category(sign) for sign in (answer or "") if sign not in "\u200c\u200d"}
    assert not unseen & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert (answer is None) == (marker(reply, "ANSWER") is None)


@given(REPLIES)
def test_a_confidence_is_one_of_three_and_a_reasoning_the_models_own(reply: str) -> None:
    assert read_confidence(reply, NOTHING_SHOWN) in (None, "LOW", "MEDIUM", "HIGH")
    reasoning = read_reasoning(reply)
    assert reasoning is None or set(reasoning.split()) <= set(reply.replace(":", ": ").split()) | {""}


@given(
    st.text("0123456789 .,-–−+eE×x^⁶⁻_'’kmbtn%$€~to<>/:ad", max_size=30), st.sampled_from([None, "m", "%"])
)
def test_no_figure_makes_the_grammar_raise(value: str, unit: str | None) -> None:
    span = read_span(value, unit)
    assert span is None or span.low <= span.high
    read_figure(value, unit, alone=True)


@given(st.floats(-1e12, 1e12, allow_nan=False))
def test_a_printed_number_reads_back_as_itself(number: float) -> None:
    assert estimate(f"ESTIMATE: {number!r}") == number
    assert estimate(f"ESTIMATE: {int(number):,}") == int(number)


@given(st.lists(st.text("abc", min_size=1), min_size=1, max_size=10, unique=True), st.integers(1, 7))
def test_every_seat_sees_all_options_and_finds_each_by_its_letter(options: list[str], seat: int) -> None:
    order = rotate(options, seat)
    assert sorted(order) == sorted(options)
    for place, option in enumerate(order):
        assert read_answer(f"ANSWER: {chr(65 + place)}) x", order, NOTHING_SHOWN) == option
