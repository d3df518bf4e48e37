"""What a debate tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from moot.deliberation import ballots
from moot.deliberation.ballots import (
    BallotCount,
    BallotWinner,
    Tally,
    VoteResponse,
    count_fields,
    winner_fields,
)
from moot.kernel.events import Event, Opening, last_data, title_in
from moot.kernel.labels import Deal
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Answer, Maybe, Row, Wire
from moot.modes.debate.revisions import Decision, RevisionResponse


class RevisionSummary(Wire):
    total_models: int
    revised: int
    stood: int
    merged: int
    parse_failed: int


class RevisionRoundResult(Wire):
    revisions: list[RevisionResponse]
    summary: RevisionSummary

    @classmethod
    def of(cls, revisions: list[RevisionResponse]) -> RevisionRoundResult:
        decisions = [revision.decision for revision in revisions]
        return cls(
            revisions=revisions,
            summary=RevisionSummary(
                total_models=len(decisions),
                revised=decisions.count("REVISE"),
                stood=decisions.count("STAND"),
                merged=decisions.count("MERGE"),
                parse_failed=decisions.count(None),
            ),
        )


class LabelData(Wire):
    label_map: dict[str, str]
    label_to_seat: dict[str, int | None]

    @classmethod
    def of(cls, labels: Deal[Answer]) -> LabelData:
        return cls(label_map=labels.label_to_model, label_to_seat=labels.label_to_seat)


class RevisedLabelData(Wire):
    revised_label_map: dict[str, str]
    label_to_seat: dict[str, int | None]

    @classmethod
    def of(cls, finals: Deal[Answer]) -> RevisedLabelData:
        return cls(revised_label_map=finals.label_to_model, label_to_seat=finals.label_to_seat)


class DebateVoteResult(BallotCount):
    revised_label_to_model: dict[str, str]
    label_to_seat: dict[str, int | None]

    @classmethod
    def of(cls, votes: Sequence[VoteResponse], count: Tally, finals: Deal[Answer]) -> DebateVoteResult:
        return cls(
            **count_fields(votes, count),
            revised_label_to_model=finals.label_to_model,
            label_to_seat=finals.label_to_seat,
        )


class DebateWinnerResult(BallotWinner):
    winner_decision: Decision | None

    @classmethod
    def of(
        cls,
        revisions: Sequence[RevisionResponse],
        finals: Deal[Answer],
        count: Tally,
        notice: Mapping[str, Any],
    ) -> DebateWinnerResult:
        """Of several leaders the first letter wins: among peers nobody breaks a tie."""
        label = count.leaders[0]
        winner = next(revision for revision in revisions if revision.seat == finals[label].seat)
        return cls(
            **winner_fields(finals, label, count),
            winner_decision=winner.decision,
            tiebreaker_method="alphabetical" if count.tied else None,
            **notice,
        )


class DebateResult(Wire):
    round1: Maybe[list[Answer]]
    round1_label_map: Maybe[dict[str, str]]
    revisions: Maybe[list[RevisionResponse]]
    revision_summary: Maybe[RevisionSummary]
    revised_label_map: Maybe[dict[str, str]]
    votes: Maybe[DebateVoteResult]
    winner: Maybe[DebateWinnerResult]
    title: Maybe[str]


class DebateStart(Opening):
    type = "debate_start"


class Round1Start(Event):
    type = "round1_start"


class Round1Complete(Event):
    type = "round1_complete"
    data: list[Answer]


class RevisionStart(Event):
    type = "revision_start"
    data: LabelData


class RevisionComplete(Event):
    type = "revision_complete"
    data: RevisionRoundResult


class VoteStart(Event):
    type = "vote_start"
    data: RevisedLabelData


class VoteComplete(Event):
    type = "vote_complete"
    data: DebateVoteResult


class WinnerDeclared(Event):
    type = "winner_declared"
    data: DebateWinnerResult


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case Round1Complete(data=answers):
            for answer in answers:
                yield Row.of_answer("initial_answer", 1, "respondent", answer)
        case RevisionStart(data=labels):
            yield Row("round1_label_map", 0, json.dumps(labels.label_map), parsed_data=labels.label_map)
        case RevisionComplete(data=revision_round):
            for revision in revision_round.revisions:
                yield revision.row()
            summary = revision_round.summary.model_dump()
            yield Row("revision_summary", 3, json.dumps(summary), parsed_data=summary)
        case VoteStart(data=labels):
            label_map = labels.revised_label_map
            yield Row("revised_label_map", 4, json.dumps(label_map), parsed_data=label_map)
        case VoteComplete(data=votes):
            for ballot in votes.votes:
                yield ballot.row("debate_vote", 5)
            yield votes.row("debate_vote_tally", 6)
        case WinnerDeclared(data=winner):
            yield winner.row("debate_winner", 7)


def result(events: Sequence[Event]) -> DebateResult:
    labels, revision_round = last_data(events, RevisionStart), last_data(events, RevisionComplete)
    finals = last_data(events, VoteStart)
    return DebateResult(
        round1=last_data(events, Round1Complete),
        round1_label_map=labels.label_map if labels else None,
        revisions=revision_round.revisions if revision_round else None,
        revision_summary=revision_round.summary if revision_round else None,
        revised_label_map=finals.revised_label_map if finals else None,
        votes=last_data(events, VoteComplete),
        winner=last_data(events, WinnerDeclared),
        title=title_in(events),
    )


def answer(events: Sequence[Event]) -> str | None:
    winner = last_data(events, WinnerDeclared)
    return winner.winner_response if winner else None


def seat_results(events: Sequence[Event]) -> Iterable[SeatResult]:
    count, winner = last_data(events, VoteComplete), last_data(events, WinnerDeclared)
    if count is None or winner is None:
        return ()
    return ballots.seat_results(count, winner, count.revised_label_to_model, count.label_to_seat)
