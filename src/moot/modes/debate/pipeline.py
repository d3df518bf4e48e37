"""The stages of a debate: answer, read the others and revise, vote on the revised answers.

All are peers: whoever answered also revises and votes. A debater without a readable revision keeps its seat,
and for the vote the letters are dealt anew.
"""

from __future__ import annotations

from functools import partial

from moot.deliberation.ballots import read_votes, tally
from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown
from moot.deliberation.retries import read_or_repaired
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.labels import Deal
from moot.kernel.run import Run, answered, enough, seats
from moot.kernel.values import Answer
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
from moot.modes.debate.prompts import (
    REVISION_PARTS,
    revision_nonce,
    revision_prompt,
    shown_texts,
    vote_prompt,
)
from moot.modes.debate.revisions import RevisionReading, RevisionResponse, revision_in


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
    shown = Shown(shown_texts(run, labels))
    revisions = answered(await run.together(revise(run, labels, answer, shown) for answer in answers))
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


async def revise(run: Run[DebateConfig], labels: Deal[Answer], own: Answer, shown: Shown) -> RevisionResponse:
    """What a debater ended with: asked once more if its reply lacks the decision or the text; where no reply
    came, its first answer."""
    seat, reserve = own.seat or 0, run.seconds_for(1)
    prompt = partial(revision_prompt, run, labels, seat)
    signed = shown.with_nonce(revision_nonce(run, labels, seat))
    try:
        reply = await run.ask("revision", own.model, prompt(), seat=seat, reserve=reserve)
    except NoAnswer as silent:
        return RevisionResponse.without_reply(own, silent.failure)
    reply, reading = await read_or_repaired(
        run,
        reply,
        lambda one: revision_in(legible(one), signed),
        step="revision",
        problem=lambda reading: reading.problem,
        layout=REVISION_PARTS,
        prompt=prompt,
        since=2,
        reserve=reserve,
        combine=RevisionReading.completed_by,
    )
    if not reading.readable:
        said = "stated no decision"
        if reading.decision:
            said = run.wording(
                f"decided to {reading.decision} but wrote no text, so its first answer is kept",
                original=f"decided to {reading.decision} and wrote no text: its first answer stands",
            )
        await run.degrade(f"{own.model} {said}.", "unreadable", "revision", seat=seat)
    return RevisionResponse.of(own, reply, reading)
