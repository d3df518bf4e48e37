"""The pipeline of debate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from moot.deliberation.ballots import Tally, ballot_prompt, counted, read_votes, tally, winning
from moot.deliberation.parsing import Shown
from moot.deliberation.signatures import ballot_nonce
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
from moot.modes.debate.prompts import VOTE_PROMPT, revision_prompt
from moot.modes.debate.revisions import RevisionResponse, read_revision


async def debate(run: Run[DebateConfig]) -> None:
    await run.emit(Round1Start())
    outcomes = await run.ask_all(
        "initial_answer", seats(run.config.models), run.conversation, reserve=run.seconds_for(2)
    )
    answers = enough(outcomes, 2)
    await run.emit(Round1Complete(data=answers))

    labels = run.deal(answers)
    await run.emit(RevisionStart(data=label_data(labels)))
    debaters = {answer.seat or 0: answer.model for answer in answers}
    replies = await run.ask_all(
        "revision", debaters, lambda seat: revision_prompt(run, labels, seat), reserve=run.seconds_for(1)
    )
    revisions = await read_revisions(run, answers, replies)
    await run.emit(RevisionComplete(data=RevisionRoundResult.of(revisions)))

    finals = run.deal([revision.as_answer() for revision in revisions], "2")
    await run.emit(VoteStart(data=revised_label_data(finals)))
    ballots = await run.ask_all(
        "debate_vote", debaters, lambda seat: ballot_prompt(run, VOTE_PROMPT, finals, "debate_vote", seat)
    )
    votes = await read_votes(run, "debate_vote", answered(ballots), finals)
    count = tally(votes, finals)
    await run.emit(VoteComplete(data=vote_result(votes, count, finals)))
    if not count.leaders:
        raise RunFailed("All votes failed to parse.")

    await run.emit(WinnerDeclared(data=winner_result(revisions, finals, count, run.notice)))


async def read_revisions(
    run: Run[DebateConfig], answers: Sequence[Answer], replies: Sequence[Answer | Failure]
) -> list[RevisionResponse]:
    """Without a readable revision a debater's first answer stands."""
    texts = [run.question, *(answer.response for answer in answers)]
    material = Shown(texts)
    revisions = []
    for own, reply in zip(answers, replies, strict=True):
        if isinstance(reply, Failure):
            revisions.append(RevisionResponse.failed(own, reply))
            continue
        nonce = ballot_nonce(run.seed, "revision", own.seat, texts)
        revision = read_revision(own, reply, material.with_nonce(nonce))
        if not revision.parse_success:
            await run.degrade(f"{own.model} stated no decision.", "unreadable", "revision", seat=own.seat)
        revisions.append(revision)
    return revisions


def label_data(labels: Deal[Answer]) -> LabelData:
    return LabelData(label_map=labels.label_to_model, label_to_seat=labels.label_to_seat)


def revised_label_data(finals: Deal[Answer]) -> RevisedLabelData:
    return RevisedLabelData(revised_label_map=finals.label_to_model, label_to_seat=finals.label_to_seat)


def vote_result(votes: Sequence[Any], count: Tally, finals: Deal[Answer]) -> DebateVoteResult:
    return DebateVoteResult(
        **counted(votes, count),
        revised_label_to_model=finals.label_to_model,
        label_to_seat=finals.label_to_seat,
    )


def winner_result(
    revisions: Sequence[RevisionResponse], finals: Deal[Answer], count: Tally, notice: Mapping[str, Any]
) -> DebateWinnerResult:
    label = count.leaders[0]
    winner = next(revision for revision in revisions if revision.seat == finals[label].seat)
    return DebateWinnerResult(
        **winning(finals, label, count),
        winner_decision=winner.decision,
        tiebreaker_method="alphabetical" if count.tied else None,
        **notice,
    )
