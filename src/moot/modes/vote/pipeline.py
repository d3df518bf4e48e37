"""The pipeline of vote."""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.ballots import (
    Tally,
    VoteResponse,
    ballot_prompt,
    cast_vote,
    counted,
    read_votes,
    tally,
)
from moot.deliberation.choices import UNREAD
from moot.deliberation.parsing import Shown
from moot.deliberation.signatures import ballot_nonce
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.labels import Deal
from moot.kernel.run import Run, answered, enough, seats
from moot.kernel.values import Answer
from moot.modes.vote.config import VoteConfig
from moot.modes.vote.events import (
    Stage1Complete,
    Stage1Start,
    TiebreakerComplete,
    TiebreakerResult,
    TiebreakerStart,
    VoteRoundComplete,
    VoteRoundResult,
    VoteRoundStart,
    VoteWinnerResult,
    WinnerDeclared,
)
from moot.modes.vote.prompts import VOTE_PROMPT, tiebreaker_prompt


async def vote(run: Run[VoteConfig]) -> None:
    await run.emit(Stage1Start())
    outcomes = await run.ask_all(
        "collect", seats(run.config.council_models), run.conversation, reserve=run.seconds_for(2)
    )
    answers = enough(outcomes, 2)
    await run.emit(Stage1Complete(data=answers))

    await run.emit(VoteRoundStart())
    labels = run.deal(answers)
    voters = {answer.seat or 0: answer.model for answer in answers}
    ballots = await run.ask_all(
        "vote",
        voters,
        lambda seat: ballot_prompt(run, VOTE_PROMPT, labels, "vote", seat),
        reserve=run.seconds_for(1),
    )
    votes = await read_votes(run, "vote", answered(ballots), labels)
    count = tally(votes, labels)
    await run.emit(VoteRoundComplete(data=vote_round(votes, count, labels)))
    if not count.leaders:
        raise RunFailed("All votes failed to parse.")

    tiebreak = None
    if count.tied:
        await run.emit(TiebreakerStart())
        tiebreak = await break_tie(run, labels, count)
        await run.emit(TiebreakerComplete(data=tiebreak))

    label = tiebreak.voted_for if tiebreak else count.leaders[0]
    await run.emit(WinnerDeclared(data=VoteWinnerResult.of(labels, label, count, tiebreak, run.notice)))


async def break_tie(run: Run[VoteConfig], labels: Deal[Answer], count: Tally) -> TiebreakerResult:
    """The chairman has two tries to name a tied response; then the first letter wins."""
    chairman = run.config.chairman_model
    texts = [run.question, *(labels[label].response for label in count.tied)]
    material = Shown(texts, ballot_nonce(run.seed, "tiebreaker", None, texts))
    prompt = tiebreaker_prompt(run, labels, count, material.nonce)
    reply = await run.ask("tiebreaker", chairman, prompt)
    choice = cast_vote(reply.response, count.tied, material)
    if choice.meaning not in count.tied:
        try:
            reply = await run.ask("tiebreaker/again", chairman, prompt, report_failure=False)
            choice = cast_vote(reply.response, count.tied, material)
        except NoAnswer:
            choice = UNREAD
    broken = choice.meaning if choice.meaning in count.tied else None
    if broken is None:
        await run.degrade(
            f"{chairman} named none of the tied responses: the first letter wins.", "tiebreak", "tiebreaker"
        )
    return TiebreakerResult(
        model=reply.model,
        vote_text=reply.response,
        voted_for=broken or count.tied[0],
        response_time_ms=reply.response_time_ms,
        tied_labels=count.tied,
        tied_vote_count=count.counts[count.tied[0]],
        tiebreaker_method=None if broken else "alphabetical",
        parsed_by=choice.by if broken else None,
    )


def vote_round(votes: Sequence[VoteResponse], count: Tally, labels: Deal[Answer]) -> VoteRoundResult:
    return VoteRoundResult(
        **counted(votes, count), label_to_model=labels.label_to_model, label_to_seat=labels.label_to_seat
    )
