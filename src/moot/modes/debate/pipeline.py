"""The stages of a debate: answer, read the others and revise, vote on the revised answers.

All are peers: whoever answered also revises and votes. A debater without a readable revision keeps its seat,
and for the vote the letters are dealt anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.ballots import read_votes, tally
from moot.deliberation.parsing import Shown
from moot.kernel.errors import RunFailed
from moot.kernel.labels import Deal
from moot.kernel.run import Run, answered, enough, seats
from moot.kernel.values import Answer, Failure
from moot.modes.debate.config import DebateConfig
from moot.modes.debate.events import (
    DebateVoteResult,
    DebateWinnerResult,
    LabelData,
    RevisedLabelData,
    RevisionComplete,
    RevisionRoundResult,
    RevisionStart,
    Round1Complete,
    Round1Start,
    VoteComplete,
    VoteStart,
    WinnerDeclared,
)
from moot.modes.debate.prompts import revision_nonce, revision_prompt, shown_texts, vote_prompt
from moot.modes.debate.revisions import RevisionResponse, read_revision


async def debate(run: Run[DebateConfig]) -> None:
    await run.emit(Round1Start())
    outcomes = await run.ask_all(
        "initial_answer", seats(run.config.models), run.conversation, reserve=run.seconds_for(2)
    )
    answers = enough(outcomes, 2)
    await run.emit(Round1Complete(data=answers))

    labels = run.deal(answers)
    await run.emit(RevisionStart(data=LabelData.of(labels)))
    debaters = {answer.seat or 0: answer.model for answer in answers}
    replies = await run.ask_all(
        "revision", debaters, lambda seat: revision_prompt(run, labels, seat), reserve=run.seconds_for(1)
    )
    revisions = await read_revisions(run, labels, answers, replies)
    await run.emit(RevisionComplete(data=RevisionRoundResult.of(revisions)))

    finals = run.deal([revision.as_answer() for revision in revisions], "2")
    await run.emit(VoteStart(data=RevisedLabelData.of(finals)))
    ballots = await run.ask_all("debate_vote", debaters, lambda seat: vote_prompt(run, finals, seat))
    votes = await read_votes(run, "debate_vote", answered(ballots), finals)
    count = tally(votes, finals)
    await run.emit(VoteComplete(data=DebateVoteResult.of(votes, count, finals)))
    if not count.leaders:
        raise RunFailed("All votes failed to parse.")

    await run.emit(WinnerDeclared(data=DebateWinnerResult.of(revisions, finals, count, run.notice)))


async def read_revisions(
    run: Run[DebateConfig],
    labels: Deal[Answer],
    answers: Sequence[Answer],
    replies: Sequence[Answer | Failure],
) -> list[RevisionResponse]:
    """What each debater ended with; where no reply came, that is its first answer."""
    shown = Shown(shown_texts(run, labels))
    revisions = []
    for own, reply in zip(answers, replies, strict=True):
        if isinstance(reply, Failure):
            revisions.append(RevisionResponse.without_reply(own, reply))
            continue
        nonce = revision_nonce(run, labels, own.seat or 0)
        revision = read_revision(own, reply, shown.with_nonce(nonce))
        if not revision.parse_success:
            await run.degrade(f"{own.model} stated no decision.", "unreadable", "revision", seat=own.seat)
        revisions.append(revision)
    return revisions
