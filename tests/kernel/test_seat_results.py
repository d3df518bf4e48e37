"""Who won and who agreed, mode by mode, as the mode's own sentences define it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import pytest

from moot.deliberation.ballots import VoteResponse
from moot.kernel.events import Event
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Wire
from moot.modes import MODES
from moot.modes.brainstorm.scores import ClusterScore, RankedCluster, ScorerReport, favourites
from moot.modes.council import events as council_events
from moot.modes.council.rankings import RankingEntry
from moot.modes.debate import events as debate_events
from moot.modes.delphi.convergence import NumericStats, QualitativeStats
from moot.modes.delphi.events import DelphiRound, DelphiSynthesis, Estimate, Participant, panel_agreement
from moot.modes.fact_check.consensus import Consensus, Verification
from moot.modes.fact_check.events import CheckerReport
from moot.modes.jury import events as jury_events
from moot.modes.tournament import events as tournament_events
from moot.modes.vote import events as vote_events

MODELS = {"Response A": "a/ann", "Response B": "b/bob", "Response C": "a/ann"}
SEATS = {"Response A": 2, "Response B": 1, "Response C": 3}
WON = [SeatResult(2, "a/ann", False), SeatResult(1, "b/bob", True), SeatResult(3, "a/ann", False)]


W = TypeVar("W", bound=Wire)


def partly(kind: type[W], **fields: Any) -> W:
    """Of a payload, what the test is about."""
    construct: Any = kind.model_construct
    made: W = construct(**{**dict.fromkeys(kind.model_fields), **fields})
    return made


def read(mode: str, *story: Event) -> list[SeatResult]:
    seat_results = MODES[mode].seat_results
    assert seat_results is not None
    return list(seat_results.read(story))


def ballots(votes: Mapping[int, str | None]) -> dict[str, Any]:
    cast = [
        VoteResponse(seat=seat, model=f"m/{seat}", vote_text="…", voted_for=label, response_time_ms=1)
        for seat, label in votes.items()
    ]
    names = ("tallies", "valid_vote_count", "invalid_vote_count", "is_tie", "tied_labels")
    return {"votes": cast, "label_to_seat": SEATS, **dict(zip(names, ({}, 0, 0, False, []), strict=True))}


VOTES = {1: "Response B", 2: "Response A", 3: None, 4: "Response Z"}
SAID = [SeatResult(1, "m/1", agreed=1, cases=1), SeatResult(2, "m/2", agreed=0, cases=1)]


def test_a_vote_is_won_by_a_seat_and_a_vote_that_cannot_be_counted_is_no_case() -> None:
    counted = vote_events.VoteRoundComplete(
        data=vote_events.VoteRoundResult(**ballots(VOTES), label_to_model=MODELS)
    )
    winner = vote_events.WinnerDeclared(data=partly(vote_events.VoteWinnerResult, winner_label="Response B"))
    assert read("vote", counted, winner) == [*WON, *SAID]
    assert read("vote", counted) == []


def test_a_debate_is_won_by_the_final_answer() -> None:
    result = debate_events.DebateVoteResult(**ballots(VOTES), revised_label_to_model=MODELS)
    winner = debate_events.WinnerDeclared(
        data=partly(debate_events.DebateWinnerResult, winner_label="Response B")
    )
    assert read("debate", debate_events.VoteComplete(data=result), winner) == [*WON, *SAID]
    assert read("debate", winner) == []


def ranked(averages: Mapping[str, float], *firsts: str | None) -> Event:
    given = [
        council_events.Stage2Response(
            seat=seat,
            model=f"m/{seat}",
            ranking_text="…",
            parsed_ranking=[RankingEntry(label=first, position=1)] if first else [],
        )
        for seat, first in enumerate(firsts, 1)
    ]
    places = [
        council_events.AggregateRanking(
            seat=SEATS[label], model=MODELS[label], average_rank=rank, rankings_count=3
        )
        for label, rank in averages.items()
    ]
    told = council_events.Stage2Metadata(
        label_to_model=MODELS, label_to_seat=SEATS, aggregate_rankings=places
    )
    return council_events.Stage2Complete(data=given, metadata=told)


def test_a_council_is_won_by_the_best_average_rank_if_it_is_one_answer_s() -> None:
    averages = {"Response B": 1.33, "Response A": 2.0}
    assert read("council", ranked(averages, "Response B", "Response A", None)) == [
        SeatResult(1, "b/bob", True),
        SeatResult(2, "a/ann", False),
        *SAID,
    ]
    assert read("council", ranked({"Response B": 1.5, "Response A": 1.5}, "Response B")) == []
    assert read("council", ranked({}, None)) == []


def test_a_tournament_is_won_by_the_first_of_its_standings() -> None:
    placed = [
        tournament_events.Standing(rank=rank, contestant_id=f"c{seat}", seat=seat, model=f"m/{seat}")
        for rank, seat in ((1, 3), (2, 1), (3, 2), (3, 4))
    ]
    champion = tournament_events.WinnerData(
        model="m/3",
        seat=3,
        contestant_id="c3",
        response="…",
        bracket_path=[],
        total_matchups_won=2,
        total_rounds=2,
        standings=placed,
        judge_consistency=None,
        degraded=False,
        warnings=(),
    )
    found = read("tournament", tournament_events.WinnerDeclared(data=champion))
    assert [one.seat for one in found if one.won] == [3]
    assert [one.seat for one in found if one.won is False] == [1, 2, 4]
    assert read("tournament") == []


def test_a_juror_agrees_with_the_final_verdict() -> None:
    jurors = [
        jury_events.JurorComplete(
            data=partly(jury_events.JurorAssessment, seat=seat, model=f"m/{seat}", verdict=verdict)
        )
        for seat, verdict in ((1, "APPROVE"), (2, "REJECT"), (3, None))
    ]
    verdict = jury_events.VerdictComplete(data=partly(jury_events.JuryVerdict, final_verdict="APPROVE"))
    assert read("jury", *jurors, verdict) == SAID
    assert read("jury", *jurors) == []


def held(*panel_agreement: object) -> list[Estimate]:
    return [
        partly(
            Estimate,
            participant_index=seat,
            estimate=one if isinstance(one, float) else None,
            answer=one if isinstance(one, str) else None,
        )
        for seat, one in enumerate(panel_agreement, 1)
    ]


@pytest.mark.parametrize(
    ("stats", "said", "agreed"),
    [
        (partly(NumericStats, q1=2.0, q3=4.0), (2.0, 4.0, 4.1, None), {1: 1, 2: 1, 3: 0}),
        (
            partly(QualitativeStats, mode="Yes, soon", mode_tied=False),
            ("yes soon", "no", None),
            {1: 1, 2: 0},
        ),
        (partly(QualitativeStats, mode="yes", mode_tied=True), ("yes", "no"), {}),
    ],
)
def test_a_panelist_agrees_with_what_the_panel_holds(
    stats: NumericStats | QualitativeStats, said: Sequence[object], agreed: dict[int, int]
) -> None:
    counted = partly(DelphiRound, estimates=held(*said), stats=stats)
    lost = partly(DelphiRound, estimates=held("lost"), stats=None)
    named = [Participant(participant_index=seat, model=f"m/{seat}") for seat in range(1, 5)]
    for rounds, stop in (([lost, counted], "converged"), ([counted, lost], "attrition")):
        made = partly(DelphiSynthesis, stop_reason=stop, participants=named)
        found = list(panel_agreement(rounds, made))
        assert {one.seat: one.agreed for one in found} == agreed
        assert all(one.model == f"m/{one.seat}" and one.cases == 1 for one in found)


def test_a_checker_agrees_claim_by_claim() -> None:
    said = [
        partly(Verification, claim_id="claim_1", verdict="VERIFIED", missing=False),
        partly(Verification, claim_id="claim_2", verdict="DISPUTED", missing=False),
        partly(Verification, claim_id="claim_3", verdict="UNVERIFIABLE", missing=True),
    ]
    ruled = [
        partly(Consensus, claim_id=f"claim_{number}", consensus_verdict=verdict)
        for number, verdict in ((1, "VERIFIED"), (2, "VERIFIED"), (3, "UNVERIFIABLE"))
    ]
    report = partly(CheckerReport, seat=2, model="m/2", verifications=said)
    assert report.seat_result(ruled) == SeatResult(2, "m/2", agreed=1, cases=2)


def test_a_scorer_agrees_if_its_own_favourite_came_first() -> None:
    def scored(seat: int, valid: bool = True, **totals: float) -> ScorerReport:
        scores = [partly(ClusterScore, cluster_id=id, total=total) for id, total in totals.items()]
        return partly(ScorerReport, seat=seat, model=f"m/{seat}", valid=valid, scores=scores)

    order = [partly(RankedCluster, id=id, average_score=score) for id, score in (("x", 9.0), ("y", 3.0))]
    unsure, invalid = scored(3, x=7, y=7), scored(4, valid=False, x=9)
    scorers = [scored(1, x=8, y=7), scored(2, x=5, y=6), unsure, invalid, scored(5)]
    assert list(favourites(scorers, order)) == SAID
    unscored = [partly(RankedCluster, id="x", average_score=None)]
    assert list(favourites(scorers, unscored)) == list(favourites(scorers, [])) == []


def test_a_mode_that_reckons_says_what_counts() -> None:
    for mode in MODES.values():
        if mode.seat_results is not None:
            sentences = [mode.seat_results.wins, mode.seat_results.agrees]
            assert any(sentences)
            assert all(one.endswith(".") for one in sentences if one)
