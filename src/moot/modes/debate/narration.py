"""A debate told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation import ballot_narration
from moot.kernel.events import Event
from moot.kernel.narration import Narration, Passage, answers, quote, seat_name
from moot.modes.debate.events import (
    RevisionComplete,
    RevisionRoundResult,
    Round1Complete,
    VoteComplete,
    WinnerDeclared,
)
from moot.modes.debate.revisions import RevisionResponse

_DID = {"REVISE": "revised its answer", "STAND": "stood by its answer", "MERGE": "merged in others' ideas"}


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case Round1Complete():
            return answers("First answers", event.data)
        case RevisionComplete(data=revisions):
            return _revisions(revisions)
        case VoteComplete(data=ballots):
            return ballot_narration.votes(ballots, ballots.revised_label_to_model, ballots.label_to_seat)
        case WinnerDeclared(data=winner):
            return ballot_narration.winner(winner)
    return None


def _revisions(result: RevisionRoundResult) -> Passage:
    return Passage("Second thoughts", tuple(map(_revision, result.revisions)))


def _revision(revision: RevisionResponse) -> str:
    name = seat_name(revision.seat, revision.model)
    if revision.decision is None:
        return f"{name}: no decision could be read; its first answer stands."
    reason = f" “{quote(revision.reasoning)}”" if revision.reasoning else ""
    return f"{name} {_DID[revision.decision]}.{reason}"


NARRATION = Narration({"round1": "First answers", "revision": "Second thoughts", "vote": "Votes"}, tell)
