"""What a debate comes to: who still holds otherwise, and why."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event, last_data
from moot.kernel.judgement import Dissent, Judgement
from moot.kernel.narration import quote
from moot.modes.debate.events import RevisionComplete, VoteComplete, WinnerDeclared


def judgement(events: Sequence[Event]) -> Judgement:
    winner, ballots = last_data(events, WinnerDeclared), last_data(events, VoteComplete)
    revisions = last_data(events, RevisionComplete)
    if winner is None or ballots is None:
        return Judgement()
    reasons = {one.seat: one.reasoning for one in revisions.revisions} if revisions else {}
    models = ballots.revised_label_to_model
    return Judgement(
        outcome=winner.winner_model,
        dissent=tuple(
            Dissent(
                seat=vote.seat,
                model=vote.model,
                position=f"voted for {models[vote.voted_for]}",
                reason=quote(reason, 400) if (reason := reasons.get(vote.seat)) else None,
            )
            for vote in ballots.votes
            if vote.voted_for in models and vote.voted_for != winner.winner_label
        ),
    )
