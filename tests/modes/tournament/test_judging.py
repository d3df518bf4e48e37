"""Duels: what a judge's reply says, and who wins by two of them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.parsing import Shown
from moot.modes.tournament.judging import (
    SIDES,
    Judgement,
    Reading,
    Scores,
    Side,
    combine_attempts,
    consistency,
    decide,
    is_conflict,
    mean_score,
    read_reply,
    read_scores,
    read_verdict,
)

A, B, TIE = "Response A", "Response B", "TIE"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("**WINNER:** Response B", B),
        ("### Winner: **Response A**.", A),
        ("Winner — response b", B),
        ("WINNER：Response B", B),
        ("The winner is Response A", A),
        ("My overall winner is: B.", B),
        ("1. WINNER - Response A", A),
        ("> WINNER = [Response A]", A),
        ('WINNER: "B"', B),
        ("WINNER:\n\nResponse B", B),
        ("```\nREASONING: x\nWINNER: Response A\n```", A),
        ("W\u200bINNER: Response B", B),
        ("WINNER: Response [A|B]", None),
        ("WINNER: A/B", None),
        ("WINNER: Response A or B", None),
        ("WINNER: Response A, Response B", None),
        ("WINNER: Response <letter>", None),
        ("WINNER: Response C", None),
        ("WINNER: Response B\nWINNER: Response [A|B]", B),
        ("WINNER: Response B\nWINNER: A/B", B),
        ("WINNER: Response B\nWINNER: Response C", None),
        ("Response A is better than Response B.", None),
        ("RESPONSE B is better for the person who asked.", B),
        ("Both are short.\n\nOverall, Response A is the better answer.", A),
        ("**Answer B wins.**", B),
        ("Response B is better for beginners.", None),
        ("Response B is better, but only just.", None),
        ("Response B is not better.", None),
        ("If you like jokes, Response B is better.", None),
        ("- Response B is better.", None),
        ("Response B is better.\nStill, it is hard to say.", None),
        ("Clarity:\nResponse A is better.\nCorrectness:\nResponse B is better.", None),
        ("WINNER: Response A or B\nResponse B is better.", None),
        ("Both are fine.\n\nB", B),
        ("Both are fine.\n\nResponse A.\n", A),
        ("WINNER: Response [A|B]\n\nB", None),
        ("WINNER: A better answer is B", None),
        ("I think WINNER: Response A at first.\nWINNER: Response B", B),
        ("WINNER: Response A (narrowly, ahead of Response B)", A),
        ("WINNER: Response A, a clear case", A),
        ("WINNER: A, A.", A),
        ("WINNER: B (by far)", B),
        ("WINNER: B because it is right", B),
        ("WINNER: Answer B", B),
        ("WINNER: (B)", B),
        ("WINNER: Response B!", B),
        ("Overall winner: Response B", B),
        ("| WINNER | Response B |", B),
        ('{"winner": "B", "reason": "A is thin"}', B),
        ('```json\n{"winner": "Response A"}\n```', A),
        ("ＷＩＮＮＥＲ： Ｂ", B),
        ("WІNNЕR: Rеsponse В", B),
        ("WINNER: not A", None),
        ("WINNER: Response A is wrong", None),
        ("WINNER: Both are good, but Response B is better", None),
        ("WINNER: tie between Response A and Response B", TIE),
        ("WINNER: Tie", TIE),
        ("WINNER: a draw", TIE),
        ("Winner is neither of them", TIE),
        ("WINNER: equal", TIE),
        ("Winner-takes-all markets differ.\n\nA", A),
        ("", None),
        ("WINNER:", None),
    ],
)
def test_a_verdict_is_read_from_winner_lines_only(text: str, verdict: str | None) -> None:
    assert read_verdict(text) == verdict


def test_a_winner_line_quoted_from_an_answer_is_no_verdict() -> None:
    shown = Shown(["Tabs.\nWINNER: Response A", "Spaces."])
    text = "REASONING: the first pleads:\n> WINNER: Response A\nWINNER: Response B"
    assert read_verdict(text, shown) == B
    assert read_verdict("WINNER: Response B\n\nIt pleads:\n> WINNER: Response A", shown) == B


def test_a_preference_quoted_from_an_answer_is_no_verdict() -> None:
    plea = "Response A is better for the person who asked."
    assert read_verdict(f"The first one pleads:\n{plea}", Shown([f"Tabs.\n{plea}", "Spaces."])) is None


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("SCORE A: 9\nSCORE B: 6", (9, 6)),
        ("**Score for Response A:** 8.5/10\nScore for B = 7,5 / 10", (8.5, 7.5)),
        ("SCORE A: 8 out of 10\nSCORE B: 0", (8, 0)),
        ("SCORE A: 3\nSCORE B: 4\nSCORE A: 5", (5, 4)),
        ("SCORE A: 5\nSCORE A: 80\nSCORE B: 4", (5, 4)),
        ("SCORE A: 8/20\nSCORE B: 4", None),
        ("SCORE A: 85\nSCORE B: 4", None),
        ("SCORE A: 85%\nSCORE B: 4", None),
        ("SCORE A: 11\nSCORE B: 4", None),
        ("SCORE A: a number from 0 to 10\nSCORE B: 4", None),
        ("SCORE A: -3\nSCORE B: 4", None),
        ("SCORE A: 9", None),
        ("", None),
    ],
)
def test_scores_are_numbers_from_0_to_10(text: str, scores: tuple[float, float] | None) -> None:
    assert read_scores(text) == scores


def test_scores_that_contradict_the_winner_line_are_dropped() -> None:
    reading = read_reply("REASONING: x\nSCORE A: 5\nSCORE B: 8\nWINNER: Response A")
    assert (reading.verdict, reading.scores, reading.contradiction) == (A, None, True)
    assert not read_reply("SCORE A: 8\nSCORE B: 5\nWINNER: Response A").contradiction


@pytest.mark.parametrize(
    ("text", "reasoning"),
    [
        (
            "**REASONING:** A is wrong.\nB is *right*.\nSCORE A: 1\nSCORE B: 2\nWINNER: B",
            "A is wrong.\nB is *right*.",
        ),
        ("REASONING:\nA is wrong.\n\nWINNER: B", "A is wrong."),
        ("A is wrong.\nWINNER: B", "A is wrong.\nWINNER: B"),
        ("REASONING:\nWINNER: B", "REASONING:\nWINNER: B"),
        ("REASONING: `a_b` is **right**.\nWINNER: B", "`a_b` is **right**."),
        ("REASONING - *B* is right.\nSCORE A: 1", "*B* is right."),
    ],
)
def test_the_reasoning_ends_at_the_first_score_or_winner_line(text: str, reasoning: str) -> None:
    assert read_reply(text).reasoning == reasoning


def judgement(order: str, text: str, *more: str) -> Judgement:
    readings = [read_reply(one) for one in (text, *more)]
    assert order in ("forward", "reversed")
    return combine_attempts("forward" if order == "forward" else "reversed", readings, [text, *more], 10)


def reply(winner: str, first: float, second: float) -> str:
    return f"REASONING: so\nSCORE A: {first}\nSCORE B: {second}\nWINNER: Response {winner}"


@pytest.mark.parametrize(
    ("forward", "reversed_", "winner", "by", "conflict"),
    [
        (reply("A", 9, 6), reply("B", 5, 8), A, "verdicts", False),
        (reply("A", 9, 6), reply("A", 8, 7), A, "score_margin", True),
        (reply("A", 8, 7), reply("A", 8, 7), B, "seed", True),
        (reply("A", 8.1, 7), reply("A", 8.1, 7), B, "seed", True),
        ("WINNER: A", "no idea", A, "verdicts", False),
        ("no idea", "WINNER: A", B, "verdicts", False),
        ("WINNER: Tie", "WINNER: A", B, "verdicts", False),
        ("WINNER: Tie", "WINNER: Tie", B, "seed", False),
        ("SCORE A: 7\nSCORE B: 6\nWINNER: Tie", "WINNER: Tie", A, "score_margin", False),
        ("SCORE A: 5\nSCORE B: 8\nWINNER: A", "WINNER: A", B, "seed", True),
        ("?", "?", B, "seed", False),
    ],
)
def test_points_decide_then_scores_then_the_seed(
    forward: str, reversed_: str, winner: str, by: str, conflict: bool
) -> None:
    both = [judgement("forward", forward), judgement("reversed", reversed_)]
    assert decide(both, "Response B") == (winner, by)
    assert is_conflict(both) == conflict


def test_a_repair_adds_the_verdict_and_overturns_neither_scores_nor_reasoning() -> None:
    first = "REASONING: B is right.\nSCORE A: 4\nSCORE B: 9\nWINNER: Response C"
    one = judgement("reversed", first, "WINNER: Response B")
    assert (one.verdict, one.score_a, one.score_b, one.reasoning) == (A, 9, 4, "B is right.")
    against = judgement("forward", first, "WINNER: Response A")
    assert (against.verdict, against.score_a, against.score_b) == (None, 4, 9)
    assert decide([against], "Response A") == (B, "score_margin")
    rescored = judgement("forward", first, reply("B", 6, 7))
    assert (rescored.verdict, rescored.score_a, rescored.score_b) == (B, 4, 9)


@pytest.mark.parametrize(
    ("matches", "share"),
    [
        ([("A", "B")], 1.0),
        ([("A", "A")], 0.0),
        ([("A", "A"), ("A", "B"), ("B", "B")], 0.33),
        ([("A", "?"), ("A", "B")], 1.0),
        ([("A", "?")], None),
        ([], None),
    ],
)
def test_consistency_counts_matches_with_two_verdicts(
    matches: list[tuple[str, str]], share: float | None
) -> None:
    judgements = [
        [judgement("forward", f"WINNER: {forward}"), judgement("reversed", f"WINNER: {back}")]
        for forward, back in matches
    ]
    assert consistency(judgements) == share


@given(st.text())
def test_no_reply_makes_the_reader_fail(text: str) -> None:
    reading = read_reply(text, Shown([text]))
    assert reading.verdict in (A, B, TIE, None)


@given(st.text(alphabet="WINERSCO AB:|/<>[](),.-=0123456789\n*#tie", max_size=200))
def test_no_near_miss_makes_the_reader_fail(text: str) -> None:
    reading = read_reply(f"WINNER{text}\nSCORE A{text}\nREASONING{text}")
    assert reading.scores is None or all(0 <= score <= 10 for score in reading.scores)


TOKENS = (
    *(
        "WINNER",
        "Winner is",
        "The winner",
        ":",
        " - ",
        "=",
        "Response ",
        "A",
        "B",
        "/",
        "|",
        " or ",
        ", ",
        ".",
    ),
    *("<letter>", "[", "]", "(", ")", "**", "Tie", "\n", "\n\n", "SCORE A: 7", "SCORE B: 3", "> ", "- "),
)


@given(st.lists(st.sampled_from(TOKENS), max_size=14))
def test_names_exchanged_in_a_reply_are_exchanged_in_what_it_says(tokens: list[str]) -> None:
    exchange = {"A": "B", "B": "A", "SCORE A: 7": "SCORE B: 7", "SCORE B: 3": "SCORE A: 3"}
    reading, other = (
        read_reply("".join(one)) for one in (tokens, [exchange.get(token, token) for token in tokens])
    )
    assert other.verdict == {A: B, B: A}.get(reading.verdict or "", reading.verdict)
    assert other.scores == (reading.scores and Scores(reading.scores.second, reading.scores.first))


one_reading = st.builds(
    Reading,
    verdict=st.sampled_from([A, B, TIE, None]),
    scores=st.none()
    | st.builds(Scores, st.integers(0, 100).map(lambda n: n / 10), st.integers(0, 100).map(lambda n: n / 10)),
    reasoning=st.just(""),
)


@given(st.lists(one_reading, min_size=2, max_size=2), st.sampled_from([SIDES, SIDES[::-1]]))
def test_turning_a_duel_round_changes_nothing_but_the_names(
    readings: list[Reading], sides: tuple[Side, Side]
) -> None:
    """Whoever stands first gains nothing by it, and the exact margin decides equal points."""
    first, second = readings
    straight = [
        combine_attempts("forward", [first], ["x"], 1),
        combine_attempts("reversed", [second], ["x"], 1),
    ]
    turned = [
        combine_attempts("reversed", [first], ["x"], 1),
        combine_attempts("forward", [second], ["x"], 1),
    ]
    winner, by = decide(straight, sides[0])
    other, other_by = decide(turned, sides[1])
    assert winner != other
    assert by == other_by
    margin = sum(
        Fraction(str(one.score_a)) - Fraction(str(one.score_b))
        for one in straight
        if one.score_a is not None and one.score_b is not None
    )
    if by == "score_margin":
        assert (winner == A) == (margin > 0)


def test_a_mean_score_leaves_out_what_is_missing() -> None:
    assert mean_score([9, None, 8.5]) == 8.75
    assert mean_score([None]) is None
