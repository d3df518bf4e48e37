"""The stages of a peer review: reviewers judge apart from each other, then their findings are put together.

What agrees, how far and what comes first is computed here; the consolidator says which findings are one
defect, and words what is to be done. Without it the likeness of their words decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from moot.deliberation.cut_replies import legible
from moot.deliberation.retries import ask_again_in_layout, read_or_repaired
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import Run, answered, seats
from moot.kernel.values import Answer, Failure
from moot.modes.peer_review.agreement import Concordance, measure_concordance
from moot.modes.peer_review.config import PeerReviewConfig
from moot.modes.peer_review.events import (
    AllReviewersComplete,
    ConsolidationComplete,
    ConsolidationData,
    ConsolidationStart,
    FailedReviewer,
    ReviewerComplete,
    ReviewersStart,
    ReviewersStartData,
    ReviewRound,
)
from moot.modes.peer_review.issues import Consolidation, group_by_likeness, read_consolidation
from moot.modes.peer_review.layouts import ISSUE_LAYOUT
from moot.modes.peer_review.prompts import consolidation_prompt, repair_layout, review_prompt
from moot.modes.peer_review.report import Dossier, compose_report
from moot.modes.peer_review.reviews import (
    MOST_FINDINGS,
    Grounds,
    Review,
    all_findings,
    contradictions,
    finding_count,
    read_review,
)

CONSOLIDATION_SECONDS = 60.0
"""Of the pipeline's time, kept for the consolidator."""


async def peer_review(run: Run[PeerReviewConfig]) -> None:
    rubric, reviewers = run.config.rubric, seats(run.config.reviewer_models)
    await run.emit(ReviewersStart(data=ReviewersStartData(total_reviewers=len(reviewers))))
    grounds = await run.aside(Grounds, run.question)
    outcomes = await run.together(review(run, seat, model, grounds) for seat, model in reviewers.items())
    reviews = answered(outcomes)
    failures = [FailedReviewer.of(outcome) for outcome in outcomes if isinstance(outcome, Failure)]
    await warn_about_reviews(run, reviews, grounds)
    await run.emit(AllReviewersComplete(data=ReviewRound.of(reviews, failures)))
    if len(reviews) < 2:
        raise RunFailed(
            f"Peer Review needs 2 reviews, got {len(reviews)}" if reviews else "All reviewers failed"
        )

    await run.emit(ConsolidationStart())
    concordance = measure_concordance(reviews, rubric)
    grouping = await consolidate(run, reviews, concordance)
    dossier = Dossier.of(rubric, reviews, concordance, grouping.consolidation)
    await warn_about_lumping(run, dossier)
    await run.emit(ConsolidationComplete(data=consolidation_data(run, dossier, failures, grouping.reply)))


async def review(run: Run[PeerReviewConfig], seat: int, model: str, grounds: Grounds) -> Review:
    reply = await run.ask(
        f"review_{seat}", model, review_prompt(run), seat=seat, reserve=CONSOLIDATION_SECONDS
    )
    reviewers = len(run.config.reviewer_models)
    _, read = await read_or_repaired(
        run,
        reply,
        lambda answer: read_review(answer, run.config.rubric, grounds, reviewers),
        step=f"review_{seat}",
        problem=lambda reading: f"it holds {' and '.join(reading.missing)}",
        layout=repair_layout(run.config.rubric),
        matter="review",
        reserve=CONSOLIDATION_SECONDS,
        combine=Review.completed_by,
        since=2,
    )
    await run.emit(ReviewerComplete(data=read), key=str(seat))
    return read


async def warn_about_reviews(run: Run[PeerReviewConfig], reviews: Sequence[Review], grounds: Grounds) -> None:
    for one in reviews:
        step = f"review_{one.seat}"
        if not one.parse_success:
            message = run.wording(
                f"{one.model}'s review could not be read: no score and no finding was found in it.",
                original=f"The review of {one.model} holds no score and no finding that could be read.",
            )
            await run.degrade(message, "unreadable", step, seat=one.seat)
        elif one.missing and run.follows(2):
            missing = " and ".join(one.missing)
            message = run.wording(
                f"{one.model}'s review could be read only in part: {missing}.",
                original=f"The review of {one.model} holds {missing}, that could be read.",
            )
            await run.degrade(message, "incomplete", step, seat=one.seat)
        for contradiction in contradictions(one):
            await run.warn(f"{one.model} {contradiction}.", "contradiction", step, seat=one.seat)
        if len(one.findings) < MOST_FINDINGS:
            continue
        count = finding_count(one.review_text, run.config.rubric, grounds)
        if count > MOST_FINDINGS:
            message = f"{one.model} listed {count} findings; the first {MOST_FINDINGS} are kept."
            await run.degrade(message, "findings_cut", step, seat=one.seat)


class Grouping(NamedTuple):
    """How the findings were put together; `reply` is None if no model did it."""

    consolidation: Consolidation
    reply: Answer | None


async def consolidate(
    run: Run[PeerReviewConfig], reviews: Sequence[Review], concordance: Concordance
) -> Grouping:
    """The consolidator has two tries to answer, and one to keep to the layout."""
    prompt = consolidation_prompt(run, reviews, concordance)
    finding_ids = [finding.id for finding in all_findings(reviews)]
    try:
        return await ask_consolidator(run, "consolidation", prompt, finding_ids)
    except NoAnswer:
        try:
            return await ask_consolidator(run, "consolidation/again", prompt, finding_ids)
        except NoAnswer as silent:
            await run.give_up(silent.failure)
            return Grouping(await consolidate_by_likeness(run, reviews), None)


async def ask_consolidator(
    run: Run[PeerReviewConfig], step: str, prompt: str, finding_ids: Sequence[str]
) -> Grouping:
    reply = await run.ask(step, run.config.consolidator_model, prompt, report_failure=False)
    consolidation = read_consolidation(legible(reply), finding_ids)
    if not consolidation.usable:
        problem = "it puts no finding, by its id, into an issue"
        again = await ask_again_in_layout(
            run, reply, step="consolidation", problem=problem, layout=ISSUE_LAYOUT, matter="grouping", since=2
        )
        if again is not None:
            second = read_consolidation(legible(again), finding_ids)
            if second.usable:
                return Grouping(replace(second, summary=consolidation.summary or second.summary), again)
        reason = run.wording(
            f"{reply.model} grouped no findings into issues.",
            original=f"{reply.model} put no finding into an issue.",
        )
        raise NoAnswer(run.unreadable(reply, step, reason))
    return Grouping(consolidation, reply)


async def consolidate_by_likeness(run: Run[PeerReviewConfig], reviews: Sequence[Review]) -> Consolidation:
    """The consolidation that needs no model, and has no summary."""
    message = run.wording(
        "No model consolidated the reviews, so the findings were grouped by similar wording.",
        original="No model consolidated the reviews: findings were grouped by the likeness of their words.",
    )
    await run.degrade(message, "computed", "consolidation")
    groups = await run.aside(group_by_likeness, all_findings(reviews))
    return Consolidation(groups=tuple(groups), disputes=(), summary=None, usable=True)


async def warn_about_lumping(run: Run[PeerReviewConfig], dossier: Dossier) -> None:
    total = len(dossier.findings)
    largest = max((len(issue.finding_ids) for issue in dossier.issues), default=0)
    if total >= 6 and 2 * largest > total:
        message = run.wording(
            f"One issue combines {largest} of {total} findings, which may be different problems.",
            original=f"One issue holds {largest} of {total} findings: they may be different defects.",
        )
        await run.warn(message, "lumped", "consolidation")


def consolidation_data(
    run: Run[PeerReviewConfig], dossier: Dossier, failures: Sequence[FailedReviewer], reply: Answer | None
) -> ConsolidationData:
    concordance, issues = dossier.concordance, dossier.issues
    severities = [issue.severity for issue in issues]
    shared = sum(issue.consensus for issue in issues)
    return ConsolidationData(
        model=reply.model if reply else None,
        consolidated_report=compose_report(dossier),
        executive_summary=dossier.summary,
        consolidation_mode="model" if reply else "computed",
        consolidator_text=reply.response if reply else None,
        reviewer_count=len(dossier.reviews),
        failed_reviewers=list(failures),
        consensus_scores=concordance.consensus_scores,
        weighted_overall_avg=concordance.weighted_overall_avg,
        weighted_overall_stddev=concordance.weighted_overall_stddev,
        overall_agreement=concordance.overall_agreement,
        total_findings=len(dossier.findings),
        issues=list(issues),
        action_items=list(dossier.actions),
        disputes=list(dossier.disputes),
        consensus_finding_count=shared,
        unique_finding_count=len(issues) - shared,
        disputed_assessment_count=len(dossier.disputes),
        action_item_count=len(dossier.actions),
        critical_finding_count=severities.count("CRITICAL"),
        major_finding_count=severities.count("MAJOR"),
        inter_reviewer_agreement=dossier.agreement,
        response_time_ms=reply.response_time_ms if reply else None,
        **run.state,
    )
