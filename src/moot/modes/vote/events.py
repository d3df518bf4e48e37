"""What a vote tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from moot.deliberation import ballots
from moot.deliberation.ballots import (
    BallotCount,
    BallotWinner,
    Tally,
    VoteResponse,
    count_fields,
    winner_fields,
)
from moot.deliberation.choices import Choice, ParsedBy
from moot.kernel.events import Event, Opening, last_data, title_in
from moot.kernel.labels import Deal
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Answer, Maybe, Row, Wire


class VoteRoundResult(BallotCount):
    label_to_model: dict[str, str]
    label_to_seat: dict[str, int | None]

    @classmethod
    def of(cls, votes: Sequence[VoteResponse], count: Tally, labels: Deal[Answer]) -> VoteRoundResult:
        return cls(
            **count_fields(votes, count),
            label_to_model=labels.label_to_model,
            label_to_seat=labels.label_to_seat,
        )


class TiebreakerResult(Wire):
    """The chairman's choice, or, where it named none of the tied responses, the first of them."""

    model: str
    vote_text: str
    voted_for: str
    response_time_ms: int
    tied_labels: list[str]
    tied_vote_count: int
    tiebreaker_method: Maybe[Literal["alphabetical"]]
    parsed_by: ParsedBy | None = None

    @classmethod
    def of(cls, reply: Answer, choice: Choice, count: Tally) -> TiebreakerResult:
        label = choice.meaning if choice.meaning in count.tied else None
        return cls(
            model=reply.model,
            vote_text=reply.response,
            voted_for=label or count.tied[0],
            response_time_ms=reply.response_time_ms,
            tied_labels=count.tied,
            tied_vote_count=count.votes_for(count.tied[0]),
            tiebreaker_method=None if label else "alphabetical",
            parsed_by=choice.by if label else None,
        )


class VoteWinnerResult(BallotWinner):
    tiebreaker_model: Maybe[str]

    @classmethod
    def of(
        cls,
        labels: Deal[Answer],
        label: str,
        count: Tally,
        tiebreak: TiebreakerResult | None,
        notice: Mapping[str, Any],
    ) -> VoteWinnerResult:
        return cls(
            **winner_fields(labels, label, count),
            tiebreaker_model=tiebreak.model if tiebreak else None,
            tiebreaker_method=tiebreak.tiebreaker_method if tiebreak else None,
            **notice,
        )


class VoteResult(Wire):
    stage1: Maybe[list[Answer]]
    vote_round: Maybe[VoteRoundResult]
    tiebreaker: Maybe[TiebreakerResult]
    winner: Maybe[VoteWinnerResult]
    title: Maybe[str]


class VoteStart(Opening):
    type = "vote_start"


class Stage1Start(Event):
    type = "stage1_start"


class Stage1Complete(Event):
    type = "stage1_complete"
    data: list[Answer]


class VoteRoundStart(Event):
    type = "vote_round_start"


class VoteRoundComplete(Event):
    type = "vote_round_complete"
    data: VoteRoundResult


class TiebreakerStart(Event):
    type = "tiebreaker_start"


class TiebreakerComplete(Event):
    type = "tiebreaker_complete"
    data: TiebreakerResult


class WinnerDeclared(Event):
    type = "winner_declared"
    data: VoteWinnerResult


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case Stage1Complete(data=answers):
            for answer in answers:
                yield Row.of_answer("collect", 1, "respondent", answer)
        case VoteRoundComplete(data=votes):
            yield Row("label_map", 0, json.dumps(votes.label_to_model), parsed_data=votes.label_to_model)
            for ballot in votes.votes:
                yield ballot.row("vote", 2)
            yield votes.row("vote_tally", 3)
        case TiebreakerComplete(data=tiebreak):
            yield Row(
                "tiebreaker",
                4,
                tiebreak.vote_text,
                model=tiebreak.model,
                role="chairman",
                parsed_data=tiebreak.model_dump(exclude={"model", "vote_text", "response_time_ms"}),
                response_time_ms=tiebreak.response_time_ms,
            )
        case WinnerDeclared(data=winner):
            yield winner.row("winner", 5)


def result(events: Sequence[Event]) -> VoteResult:
    return VoteResult(
        stage1=last_data(events, Stage1Complete),
        vote_round=last_data(events, VoteRoundComplete),
        tiebreaker=last_data(events, TiebreakerComplete),
        winner=last_data(events, WinnerDeclared),
        title=title_in(events),
    )


def answer(events: Sequence[Event]) -> str | None:
    winner = last_data(events, WinnerDeclared)
    return winner.winner_response if winner else None


def seat_results(events: Sequence[Event]) -> Iterable[SeatResult]:
    count, winner = last_data(events, VoteRoundComplete), last_data(events, WinnerDeclared)
    if count is None or winner is None:
        return ()
    return ballots.seat_results(count, winner, count.label_to_model, count.label_to_seat)
