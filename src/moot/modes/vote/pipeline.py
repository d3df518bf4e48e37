"""The stages of a vote: collect answers, vote on them without names, let the chairman break a tie.

An answer is never rewritten: the winner is one of those that came in. Two answers are enough to go on; a vote
that cannot be read counts for nobody.
"""

from __future__ import annotations

from moot.deliberation.ballots import Tally, choice_of, read_votes, tally
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
from moot.modes.vote.prompts import tiebreaker_prompt, vote_prompt


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
        "vote", voters, lambda voter: vote_prompt(run, labels, voter), reserve=run.seconds_for(1)
    )
    votes = await read_votes(run, "vote", answered(ballots), labels)
    count = tally(votes, labels)
    await run.emit(VoteRoundComplete(data=VoteRoundResult.of(votes, count, labels)))
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
    shown = Shown(texts, ballot_nonce(run.seed, "tiebreaker", None, texts))
    prompt = tiebreaker_prompt(run, labels, count, shown.nonce)
    reply = await run.ask("tiebreaker", chairman, prompt)
    choice = choice_of(reply, count.tied, shown)
    if choice.meaning not in count.tied:
        try:
            reply = await run.ask("tiebreaker/again", chairman, prompt, report_failure=False)
            choice = choice_of(reply, count.tied, shown)
        except NoAnswer:
            choice = UNREAD
    if choice.meaning not in count.tied:
        message = run.wording(
            f"{chairman} chose none of the tied responses, so the first of them by letter wins.",
            original=f"{chairman} named none of the tied responses: the first letter wins.",
        )
        await run.degrade(message, "tiebreak", "tiebreaker")
    return TiebreakerResult.of(reply, choice, count)
