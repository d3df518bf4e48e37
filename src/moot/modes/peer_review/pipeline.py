"""The pipeline of peer_review."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import Run, answered, seats
from moot.kernel.values import Answer, Degraded, Failure
from moot.modes.peer_review.agreement import Concordance, concordance
from moot.modes.peer_review.config import PeerReviewConfig
from moot.modes.peer_review.events import (
    AllReviewersComplete,
    ConsolidationComplete,
    ConsolidationStart,
    ReviewerComplete,
    ReviewersCalled,
    ReviewersStart,
    ReviewRound,
)
from moot.modes.peer_review.issues import Consolidation, alike_groups, read_consolidation
from moot.modes.peer_review.prompts import consolidation_prompt, review_prompt
from moot.modes.peer_review.report import Consolidated, Dossier, FailedReviewer, all_findings
from moot.modes.peer_review.reviews import MOST_FINDINGS, Grounds, Review, finding_count, read_review

CONSOLIDATION_SECONDS = 60.0
"""Of the pipeline's time, kept for the consolidator."""


async def peer_review(run: Run[PeerReviewConfig]) -> None:
    rubric, reviewers = run.config.rubric, seats(run.config.reviewer_models)
    await run.emit(ReviewersStart(data=ReviewersCalled(total_reviewers=len(reviewers))))
    grounds = await run.aside(Grounds, run.question)
    outcomes = await run.together(review(run, seat, model, grounds) for seat, model in reviewers.items())
    reviews = answered(outcomes)
    failures = [FailedReviewer.of(outcome) for outcome in outcomes if isinstance(outcome, Failure)]
    await say_what_is_missing(run, reviews, grounds)
    await run.emit(AllReviewersComplete(data=ReviewRound.of(reviews, failures)))
    if len(reviews) < 2:
        raise RunFailed(
            f"Peer Review needs 2 reviews, got {len(reviews)}" if reviews else "All reviewers failed"
        )

    await run.emit(ConsolidationStart())
    agreed = concordance(reviews, rubric)
    consolidated = await consolidate(run, reviews, agreed)
    said = consolidated.said if consolidated else await computed(run, reviews)
    dossier = Dossier.of(rubric, reviews, agreed, said)
    await point_out(run, dossier)
    reply = consolidated.reply if consolidated else None
    notice = Degraded(**run.state)
    await run.emit(ConsolidationComplete(data=Consolidated.of(dossier, failures, reply, notice)))


async def review(run: Run[PeerReviewConfig], seat: int, model: str, grounds: Grounds) -> Review:
    reply = await run.ask(
        f"review_{seat}", model, review_prompt(run), seat=seat, reserve=CONSOLIDATION_SECONDS
    )
    read = read_review(reply, run.config.rubric, grounds, len(run.config.reviewer_models))
    await run.emit(ReviewerComplete(data=read), key=str(seat))
    return read


async def say_what_is_missing(
    run: Run[PeerReviewConfig], reviews: Sequence[Review], grounds: Grounds
) -> None:
    for one in reviews:
        if not one.parse_success:
            message = f"The review of {one.model} holds no score and no finding that could be read."
            await run.degrade(message, "unreadable", f"review_{one.seat}", seat=one.seat)
        if len(one.findings) < MOST_FINDINGS:
            continue
        listed = finding_count(one.review_text, run.config.rubric, grounds)
        if listed > MOST_FINDINGS:
            message = f"{one.model} listed {listed} findings; the first {MOST_FINDINGS} are kept."
            await run.degrade(message, "findings_cut", f"review_{one.seat}", seat=one.seat)


class GroupingReply(NamedTuple):
    reply: Answer
    said: Consolidation


async def consolidate(
    run: Run[PeerReviewConfig], reviews: Sequence[Review], agreed: Concordance
) -> GroupingReply | None:
    """The consolidator has two tries to group the findings."""
    prompt, known = consolidation_prompt(run, reviews, agreed), [one.id for one in all_findings(reviews)]
    try:
        return await grouped(run, "consolidation", prompt, known)
    except NoAnswer:
        try:
            return await grouped(run, "consolidation/again", prompt, known)
        except NoAnswer as silent:
            await run.give_up(silent.failure)
            return None


async def grouped(run: Run[PeerReviewConfig], step: str, prompt: str, known: Sequence[str]) -> GroupingReply:
    reply = await run.ask(step, run.config.consolidator_model, prompt, report_failure=False)
    said = read_consolidation(reply.response, known)
    if not said.usable:
        raise NoAnswer(run.unreadable(reply, step, f"{reply.model} put no finding into an issue."))
    return GroupingReply(reply, said)


async def computed(run: Run[PeerReviewConfig], reviews: Sequence[Review]) -> Consolidation:
    """The consolidation that needs no model: by the likeness of words, without a summary."""
    message = "No model consolidated the reviews: findings were grouped by the likeness of their words."
    await run.degrade(message, "computed", "consolidation")
    groups = await run.aside(alike_groups, all_findings(reviews))
    return Consolidation(groups=tuple(groups), disputes=(), summary=None, usable=True)


async def point_out(run: Run[PeerReviewConfig], dossier: Dossier) -> None:
    total = len(dossier.findings)
    largest = max((len(issue.finding_ids) for issue in dossier.issues), default=0)
    if total >= 6 and 2 * largest > total:
        message = f"One issue holds {largest} of {total} findings: they may be different defects."
        await run.warn(message, "lumped", "consolidation")
