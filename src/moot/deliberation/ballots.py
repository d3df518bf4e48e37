"""One vote each: read the ballots, count them. Shared by the modes that vote.

VOTE: Response B
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from moot.deliberation.choices import chosen_label, labels_in
from moot.deliberation.parsing import NOTHING_SHOWN, Shown, last_own, lines, markers
from moot.kernel.fences import Foreign
from moot.kernel.labels import shown
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Answer, Degradable, Maybe, Row, Wire

if TYPE_CHECKING:
    from moot.kernel.labels import Deal
    from moot.kernel.run import Run


class VoteResponse(Wire):
    """A cast ballot; `voted_for` is null if it could not be read."""

    seat: int
    model: str
    vote_text: str
    voted_for: str | None
    response_time_ms: int

    def row(self, stage_type: str, stage_order: int) -> Row:
        return Row(
            stage_type,
            stage_order,
            self.vote_text,
            seat=self.seat,
            model=self.model,
            role="voter",
            parsed_data={"votedFor": self.voted_for},
            response_time_ms=self.response_time_ms,
        )


class BallotCount(Wire):
    """A counted round of votes, as vote and debate tell it."""

    votes: list[VoteResponse]
    tallies: dict[str, int]
    valid_vote_count: int
    invalid_vote_count: int
    is_tie: bool
    tied_labels: list[str]

    def row(self, stage_type: str, stage_order: int) -> Row:
        most = max(self.tallies.values(), default=0)
        winners = [label for label, count in self.tallies.items() if count == most]
        content = {"tallies": self.tallies, "isTie": self.is_tie, "winners": winners}
        data = {
            **content,
            "validVoteCount": self.valid_vote_count,
            "invalidVoteCount": self.invalid_vote_count,
            "tiedLabels": self.tied_labels,
        }
        return Row(stage_type, stage_order, json.dumps(content), parsed_data=data)


class BallotWinner(Degradable):
    """Whose answer the votes chose, as vote and debate tell it."""

    winner_label: str
    winner_seat: int
    winner_model: str
    winner_response: str
    vote_count: int
    total_votes: int
    tiebroken: bool
    tiebreaker_method: Maybe[Literal["alphabetical"]]

    def row(self, stage_type: str, stage_order: int) -> Row:
        return Row(
            stage_type,
            stage_order,
            self.winner_response,
            seat=self.winner_seat,
            model=self.winner_model,
            role="winner",
            parsed_data=self.model_dump(exclude={"winner_response", "winner_seat"}),
        )


@dataclass(frozen=True)
class Tally:
    """How often each label was voted for, in order of letter."""

    counts: dict[str, int]
    invalid: int

    @property
    def valid(self) -> int:
        return sum(self.counts.values())

    @property
    def leaders(self) -> list[str]:
        """Whoever has the most votes, in order of letter; several if tied, none without votes."""
        most = max(self.counts.values(), default=0)
        return [label for label, count in self.counts.items() if count == most]

    @property
    def tied(self) -> list[str]:
        return self.leaders if len(self.leaders) > 1 else []


def voted_label(text: str, dealt: Collection[str], shown: Shown = NOTHING_SHOWN) -> str | None:
    """The label a model voted for: its last `VOTE: Response X`, else the last label it named.

    A label that was not dealt is returned too, for it makes the vote invalid; `Response X`, the
    letter of the template, is read only if X was dealt.
    """
    prepared = lines(text)
    votes = [
        replace(found, value=label, phrase=f"{found.name} {' '.join(found.value.split()[:2])}")
        for found in markers(prepared, "VOTE", anywhere=True)
        if (label := chosen_label(found.value, dealt))
    ]
    vote = last_own(votes, shown)
    if vote:
        return vote.value
    stated = [line.plain for line in prepared]
    own = [line for line in stated if "response" in line.casefold() and not shown.has_line(line)]
    named = [
        label for label in labels_in(own) or labels_in(stated) if label != "Response X" or label in dealt
    ]
    return named[-1] if named else None


def read_vote(answer: Answer, dealt: Collection[str], shown: Shown) -> VoteResponse:
    return VoteResponse(
        seat=answer.seat or 0,
        model=answer.model,
        vote_text=answer.response,
        voted_for=voted_label(answer.response, dealt, shown),
        response_time_ms=answer.response_time_ms,
    )


def tally(votes: Sequence[VoteResponse], dealt: Collection[str]) -> Tally:
    """A vote for a label nobody was dealt is invalid, like one that cannot be read."""
    valid = [vote.voted_for for vote in votes if vote.voted_for in dealt]
    return Tally(counts=dict(sorted(Counter(filter(None, valid)).items())), invalid=len(votes) - len(valid))


def counted(votes: Sequence[VoteResponse], count: Tally) -> dict[str, Any]:
    """The fields of a BallotCount."""
    return {
        "votes": list(votes),
        "tallies": count.counts,
        "valid_vote_count": count.valid,
        "invalid_vote_count": count.invalid,
        "is_tie": bool(count.tied),
        "tied_labels": count.tied,
    }


def seat_results(
    count: BallotCount, winner: str, models: Mapping[str, str], seats: Mapping[str, int | None]
) -> Iterator[SeatResult]:
    """Who won a vote, and whose vote was for the winner."""
    for label, model in models.items():
        yield SeatResult(seats[label] or 0, model, won=label == winner)
    for vote in count.votes:
        if vote.voted_for in models:
            yield SeatResult(vote.seat, vote.model, agreed=int(vote.voted_for == winner), cases=1)


def winning(labels: Deal[Answer], label: str, count: Tally) -> dict[str, Any]:
    """The fields of a BallotWinner that say who won, and by how much."""
    return {
        "winner_label": label,
        "winner_seat": labels[label].seat or 0,
        "winner_model": labels[label].model,
        "winner_response": labels[label].response,
        "vote_count": count.counts[label],
        "total_votes": count.valid,
        "tiebroken": bool(count.tied),
    }


def ballot_prompt(run: Run[Any], template: str, labels: Deal[Answer], voter: int) -> str:
    """The question and all answers under their letters, in an order of the voter's own."""
    responses = shown([(label, labels[label].response) for label in labels.order_for(voter)])
    return run.fill(template, question=Foreign(run.question), responses=responses)


async def read_votes(
    run: Run[Any], step: str, ballots: Sequence[Answer], labels: Deal[Answer]
) -> list[VoteResponse]:
    """Read every ballot; one that names no dealt label degrades the result and is said so."""
    texts = Shown([run.question, *(labels[label].response for label in labels)])
    votes = [read_vote(ballot, list(labels), texts) for ballot in ballots]
    for vote in votes:
        if vote.voted_for not in labels:
            await run.degrade(
                f"{vote.model}'s vote could not be counted.", "invalid_vote", step, seat=vote.seat
            )
    return votes
