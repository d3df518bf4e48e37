"""Votes told to a person: who voted for whom, a bar for each answer, and how the winner came out on top."""

from __future__ import annotations

from collections.abc import Mapping

from moot.deliberation.ballots import BallotCount, BallotWinner, VoteResponse
from moot.kernel.narration import Bar, Passage, count, listed, names, seat_name


def votes(ballots: BallotCount, models: Mapping[str, str], seats: Mapping[str, int | None]) -> Passage:
    called = names(models, seats)
    sentences = [_vote(vote, called, seats) for vote in ballots.votes]
    if ballots.is_tie:
        tied = listed(called.get(label, label) for label in ballots.tied_labels)
        sentences.append(f"Tie between {tied}.")
    bars = tuple(
        Bar(f"{called[label]} ({label})", tally, count(tally, "vote"))
        for label in models
        for tally in [ballots.tallies.get(label, 0)]
    )
    return Passage("Votes", tuple(sentences), bars)


def _vote(vote: VoteResponse, called: Mapping[str, str], seats: Mapping[str, int | None]) -> str:
    voter = seat_name(vote.seat, vote.model)
    if vote.voted_for is None:
        return (
            f"{voter} abstained."
            if vote.parsed_by == "abstention"
            else f"{voter}: its vote could not be read."
        )
    choice = called.get(vote.voted_for)
    if choice is None:
        return f"{voter} voted for {vote.voted_for}, which is not one of the answers."
    return (
        f"{voter} voted for itself."
        if seats.get(vote.voted_for) == vote.seat
        else f"{voter} voted for {choice}."
    )


def winner(result: BallotWinner, tiebreaker: str | None = None) -> Passage:
    name = result.winner_model
    tally = f"{result.vote_count} of {count(result.total_votes, 'vote')}"
    if result.pooled:
        tally += f" ({listed(result.pooled)} say the same and were counted together)"
    if result.tiebreaker_method == "alphabetical":
        return Passage("Winner", (f"Tie, broken alphabetically: {name} wins with {tally}.",))
    if result.tiebroken and tiebreaker is not None:
        return Passage("Winner", (f"Tie, broken by {tiebreaker}: {name} wins with {tally}.",))
    return Passage("Winner", (f"{name} wins with {tally}.",))
