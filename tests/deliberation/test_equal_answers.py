"""Answers that say the same are known as one, and no others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.ballots import VoteResponse, tally
from moot.deliberation.equal_answers import answer_value, equal_answers
from moot.kernel.labels import Deal
from moot.kernel.values import Answer


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Canberra", "canberra."),
        ("**Canberra**", "Canberra"),
        ("- Canberra", "Canberra"),
        ("The answer is 42.", "42"),
        ("Answer: 42", "42.0"),
        ("1,000", "1000"),
        ("-3", "−3"),
        ("The capital is\nCanberra.", "The capital is Canberra"),
        ("Ｙｅｓ", "yes"),
        ("Use tabs - always.", "Use tabs – always"),
    ],
)
def test_what_differs_in_dress_alone_is_equal(one: str, other: str) -> None:
    assert answer_value(one) == answer_value(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Canberra", "Sydney"),
        ("42", "-42"),
        ("42", "42 %"),
        ("42", "4.2"),
        ("x < y", "x > y"),
        ("Yes.", "Yes, but only on weekdays."),
        ("1/2", "12"),
        ("It is safe.", "It is not safe."),
        ("東京", "京都"),
    ],
)
def test_what_says_something_else_is_not(one: str, other: str) -> None:
    assert answer_value(one) != answer_value(other)


@given(st.lists(st.text(max_size=30), max_size=6))
def test_every_answer_is_in_one_group_at_most(texts: list[str]) -> None:
    groups = equal_answers({str(place): text for place, text in enumerate(texts)})
    named = [label for group in groups for label in group]
    assert len(named) == len(set(named))
    assert all(len(group) > 1 for group in groups)


def dealt(*texts: str) -> Deal[Answer]:
    seats = [
        Answer(seat=n, model=f"m/{n}", response=text, response_time_ms=1) for n, text in enumerate(texts, 1)
    ]
    return Deal(seats, "seed")


def vote(seat: int, label: str) -> VoteResponse:
    return VoteResponse(seat=seat, model=f"m/{seat}", vote_text="", voted_for=label, response_time_ms=1)


def test_votes_for_equal_answers_count_together_when_the_winner_is_named() -> None:
    """Three seats said Canberra, one Sydney: each got a vote, and a tiebreak chose Sydney."""
    labels = dealt("Canberra", "Canberra.", "**Canberra**", "Sydney")
    cast = [vote(seat, labels.label_of(chosen)) for seat, chosen in ((1, 1), (2, 2), (3, 4), (4, 4))]
    count = tally([*cast, vote(5, labels.label_of(3))], labels)
    assert sorted(count.counts.values()) == [1, 1, 1, 2]
    assert count.tied == []
    [leader] = count.leaders
    assert labels[leader].response != "Sydney"
    assert (count.votes_for(leader), len(count.pool(leader))) == (3, 3)


def test_a_tie_among_equal_answers_is_none() -> None:
    labels = dealt("43", "The answer is 43.", "44")
    count = tally([vote(1, labels.label_of(1)), vote(2, labels.label_of(2))], labels)
    assert count.tied == []
    assert len(count.leaders) == 1
