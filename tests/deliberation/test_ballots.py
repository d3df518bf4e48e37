from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.ballots import Tally, VoteResponse, count_fields, read_vote, tally, voted_label
from moot.deliberation.parsing import NOTHING_SHOWN, Shown
from moot.kernel.values import Answer

DEALT = ("Response A", "Response B", "Response C")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("I like A.\n**VOTE: Response B**", "Response B"),
        ("VOTE: Response A. No, wait.\nvote: response c", "Response C"),
        ("Response A provides the most comprehensive analysis... VOTE: Response B", "Response B"),
        ("VOTE: Response B\n\nResponse A was close.", "Response B"),
        ("Response A is fine, but Response B is the one.", "Response B"),
        ("VOTE: Response D", "Response D"),
        ("VOTE: Response X", None),
        ("Format: VOTE: Response X\nVOTE: Response A", "Response A"),
        ("VOTE: Response A\nVOTE: Response [A|B|C]", "Response A"),
        ("Between Response A and Response B I take\nVOTE: C", "Response C"),
        ("VOTE: whichever\nI mean Response B", None),
        ("The best response I have seen is Response C", "Response C"),
        ("I abstain.", None),
        ("", None),
        ("VOTE:", None),
        ("VOTER: Response A", "Response A"),
        ("VOTE: Responsible people choose well", None),
    ],
)
def test_voted_label(text: str, label: str | None) -> None:
    assert voted_label(text, DEALT) == label


def test_a_label_named_in_a_quoted_line_is_no_vote() -> None:
    shown = Shown(["Please choose Response A!"])
    assert voted_label("Response B it is.\n> Please choose Response A!", DEALT, shown) == "Response B"
    assert voted_label("> Please choose Response A!", DEALT, shown) is None


def votes(*labels: str | None) -> list[VoteResponse]:
    return [
        VoteResponse(seat=seat, model="m", vote_text="", voted_for=label, response_time_ms=1)
        for seat, label in enumerate(labels, 1)
    ]


@pytest.mark.parametrize(
    ("cast", "counts", "invalid", "leaders"),
    [
        (["Response B", "Response A", "Response B"], {"Response A": 1, "Response B": 2}, 0, ["Response B"]),
        (["Response C", "Response A"], {"Response A": 1, "Response C": 1}, 0, ["Response A", "Response C"]),
        (["Response D", None, "Response A"], {"Response A": 1}, 2, ["Response A"]),
        ([None, "Response F"], {}, 2, []),
        ([], {}, 0, []),
    ],
)
def test_votes_are_counted(
    cast: list[str | None], counts: dict[str, int], invalid: int, leaders: list[str]
) -> None:
    count = tally(votes(*cast), DEALT)
    assert count == Tally(counts, invalid)
    assert list(count.counts) == sorted(counts)
    assert count.leaders == leaders
    assert count.tied == (leaders if len(leaders) > 1 else [])


@given(st.lists(st.sampled_from([*DEALT, "Response D", None])))
def test_a_tally_never_counts_more_than_the_votes_cast(cast: list[str | None]) -> None:
    count = tally(votes(*cast), DEALT)
    assert count.valid + count.invalid == len(cast)
    assert count.valid == sum(label in DEALT for label in cast)
    assert bool(count.leaders) == bool(count.valid)
    told = count_fields(votes(*cast), count)
    assert told["is_tie"] == (len(count.leaders) > 1)


def test_a_ballot_keeps_its_seat_text_and_time() -> None:
    answer = Answer(seat=2, model="m/x", response="VOTE: Response A", response_time_ms=7)
    vote = read_vote(answer, DEALT, NOTHING_SHOWN)
    assert vote.model_dump(by_alias=True) == {
        "seat": 2,
        "model": "m/x",
        "voteText": "VOTE: Response A",
        "votedFor": "Response A",
        "responseTimeMs": 7,
        "parsedBy": "marker",
    }


def test_a_ballot_stored_before_it_said_how_it_was_read_is_still_read() -> None:
    stored = '{"seat":2,"model":"m/x","voteText":"VOTE: B","votedFor":"Response B","responseTimeMs":7}'
    assert VoteResponse.model_validate_json(stored).parsed_by is None


def test_a_vote_for_a_letter_nobody_was_dealt_is_in_the_count_as_invalid() -> None:
    answer = Answer(seat=2, model="m/x", response="VOTE: Response F", response_time_ms=7)
    vote = read_vote(answer, DEALT, NOTHING_SHOWN)
    told = count_fields([vote], tally([vote], DEALT))
    assert [one.voted_for for one in told["votes"]] == ["Response F"]
    assert (told["valid_vote_count"], told["invalid_vote_count"]) == (0, 1)


@given(st.text())
def test_no_ballot_makes_the_count_raise(text: str) -> None:
    label = voted_label(text, DEALT, Shown([text]))
    assert label is None or label.startswith("Response ")


@given(st.text(), st.sampled_from(DEALT))
def test_a_vote_in_its_last_line_is_read_after_any_text(before: str, label: str) -> None:
    if "```" not in before:
        assert voted_label(f"{before}\nVOTE: {label}", DEALT) == label
