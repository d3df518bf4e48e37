"""What a debate tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from moot.deliberation import ballots
from moot.deliberation.ballots import BallotCount, BallotWinner
from moot.kernel.events import Event, Opening, TitleComplete, last
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


class RevisedLabelData(Wire):
    revised_label_map: dict[str, str]
    label_to_seat: dict[str, int | None]


class DebateVoteResult(BallotCount):
    revised_label_to_model: dict[str, str]
    label_to_seat: dict[str, int | None]


class DebateWinnerResult(BallotWinner):
    winner_decision: Decision | None


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
        case RevisionComplete(data=round_):
            for revision in round_.revisions:
                yield revision.row()
            summary = round_.summary.model_dump()
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
    round1, labels = last(events, Round1Complete), last(events, RevisionStart)
    revision, finals = last(events, RevisionComplete), last(events, VoteStart)
    votes, winner, title = (
        last(events, VoteComplete),
        last(events, WinnerDeclared),
        last(events, TitleComplete),
    )
    return DebateResult(
        round1=round1.data if round1 else None,
        round1_label_map=labels.data.label_map if labels else None,
        revisions=revision.data.revisions if revision else None,
        revision_summary=revision.data.summary if revision else None,
        revised_label_map=finals.data.revised_label_map if finals else None,
        votes=votes.data if votes else None,
        winner=winner.data if winner else None,
        title=title.data.title if title else None,
    )


def answer(events: Sequence[Event]) -> str | None:
    winner = last(events, WinnerDeclared)
    return winner.data.winner_response if winner else None


def seat_results(events: Sequence[Event]) -> Iterable[SeatResult]:
    counted, winner = last(events, VoteComplete), last(events, WinnerDeclared)
    if counted is None or winner is None:
        return ()
    count, label = counted.data, winner.data.winner_label
    return ballots.seat_results(count, label, count.revised_label_to_model, count.label_to_seat)
