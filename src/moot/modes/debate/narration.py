"""A debate told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation import ballot_narration
from moot.kernel.events import Event, last_data
from moot.kernel.narration import Narration, Passage, answers, listed, names, quote, seat_name
from moot.modes.debate.events import (
    LabelData,
    RevisionComplete,
    RevisionRoundResult,
    RevisionStart,
    Round1Complete,
    VoteComplete,
    WinnerDeclared,
)
from moot.modes.debate.influence import persuasions
from moot.modes.debate.revisions import RevisionResponse

_DID = {"REVISE": "revised its answer", "STAND": "stood by its answer", "MERGE": "merged in others' ideas"}


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case Round1Complete():
            return answers("First answers", event.data)
        case RevisionComplete(data=revisions):
            return _revisions(revisions, last_data(story, RevisionStart))
        case VoteComplete(data=ballots):
            return ballot_narration.votes(ballots, ballots.revised_label_to_model, ballots.label_to_seat)
        case WinnerDeclared(data=winner):
            return ballot_narration.winner(winner)
    return None


def _revisions(result: RevisionRoundResult, labels: LabelData | None) -> Passage:
    persuaded = _persuaded(result, labels) if labels else []
    return Passage("Second thoughts", (*map(_revision, result.revisions), *persuaded))


def _persuaded(result: RevisionRoundResult, labels: LabelData) -> list[str]:
    called = names(labels.label_map, labels.label_to_seat)
    by_seat = {seat: called[label] for label, seat in labels.label_to_seat.items()}
    moved = persuasions(result.revisions, labels.label_to_seat)
    return [
        f"{called[label]} persuaded {listed(by_seat.get(one.seat, one.model) for one in moved[label])}."
        for label in labels.label_map
        if label in moved
    ]


def _revision(revision: RevisionResponse) -> str:
    name = seat_name(revision.seat, revision.model)
    if revision.decision is None:
        return f"{name}: its decision could not be read, so its first answer stands."
    reason = f" “{quote(revision.reasoning)}”" if revision.reasoning else ""
    return f"{name} {_DID[revision.decision]}.{reason}"


NARRATION = Narration({"round1": "First answers", "revision": "Second thoughts", "vote": "Votes"}, tell)
