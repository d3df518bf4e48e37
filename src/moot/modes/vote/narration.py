"""A vote told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation import ballot_narration
from moot.kernel.events import Event
from moot.kernel.narration import Narration, Passage, answers
from moot.modes.vote.events import Stage1Complete, TiebreakerComplete, VoteRoundComplete, WinnerDeclared


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case Stage1Complete():
            return answers("Answers", event.data)
        case VoteRoundComplete(data=ballots):
            return ballot_narration.votes(ballots, ballots.label_to_model, ballots.label_to_seat)
        case TiebreakerComplete(data=choice):
            if choice.tiebreaker_method is not None:
                return Passage("Tiebreak", (f"{choice.model} named none of the tied answers.",))
            return Passage("Tiebreak", (f"{choice.model} chose {choice.voted_for}.",))
        case WinnerDeclared(data=winner):
            return ballot_narration.winner(winner, winner.tiebreaker_model)
    return None


NARRATION = Narration({"stage1": "Answers", "vote_round": "Votes", "tiebreaker": "Tiebreak"}, tell)
