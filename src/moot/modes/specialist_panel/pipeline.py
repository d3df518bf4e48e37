"""The pipeline of specialist_panel."""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.markdown import cell
from moot.deliberation.parsing import Shown
from moot.deliberation.retries import ask_twice
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.fences import Foreign
from moot.kernel.run import LEAST_SECONDS, Run, answered
from moot.kernel.values import Answer
from moot.modes.specialist_panel.assessment import IntegratedAssessment, Synthesis, read_synthesis
from moot.modes.specialist_panel.config import SpecialistPanelConfig
from moot.modes.specialist_panel.events import (
    AllCrossReviewsComplete,
    AllSpecialistsComplete,
    CrossReviewComplete,
    CrossReviewStart,
    PanelCalled,
    ReviewersCalled,
    SpecialistComplete,
    SpecialistStart,
    SynthesisComplete,
    SynthesisStart,
)
from moot.modes.specialist_panel.prompts import CROSS_REVIEW_PROMPT, SPECIALIST_PROMPT, synthesis_prompt
from moot.modes.specialist_panel.reactions import (
    CrossReview,
    CrossReviews,
    agreement_rate,
    finding_lines,
    ledger_of,
    panel_score,
    read_cross_review,
    shown_findings,
)
from moot.modes.specialist_panel.reports import (
    FailedSpecialist,
    SpecialistReport,
    failed_of,
    panel_heard,
    read_report,
)
from moot.modes.specialist_panel.roles import Expert, seated

STAGE_SECONDS = 60.0
"""Of the pipeline's time, kept for each stage that is still to come."""


async def specialist_panel(run: Run[SpecialistPanelConfig]) -> None:
    experts = seated(run.config.specialists)
    await run.emit(SpecialistStart(data=PanelCalled(total_specialists=len(experts))))
    outcomes = await run.together(analyse(run, expert) for expert in experts)
    reports, failed = answered(outcomes), failed_of(experts, outcomes)
    if not reports:
        raise RunFailed("All specialists failed")
    await say_what_is_missing(run, reports)
    await run.emit(AllSpecialistsComplete(data=panel_heard(reports, failed)))
    if len(reports) < 2:
        raise RunFailed("Specialist Panel needs 2 reports, got 1")

    reviews = await review_each_other(run, experts, reports) if run.config.cross_review else []

    if not await run.time_for("synthesis", LEAST_SECONDS):
        raise RunFailed("Pipeline timed out before synthesis")
    await run.emit(SynthesisStart())
    reply = await synthesise(run, synthesis_prompt(run, reports, reviews, failed))
    await run.emit(SynthesisComplete(data=await integrated(run, reply, reports, reviews, failed)))


async def analyse(run: Run[SpecialistPanelConfig], expert: Expert) -> SpecialistReport:
    """One specialist: asked, read, told as soon as it is done."""
    role = expert.role
    prompt = run.fill(
        SPECIALIST_PROMPT,
        submission=Foreign(run.question),
        criterionRows="\n".join(f"| {cell(criterion)} |  |  |" for criterion in role.criteria),
    )
    stages = 2 if run.config.cross_review else 1
    reply = await run.ask(
        f"specialist_{role.id}",
        expert.model,
        role.asked(prompt),
        seat=expert.seat,
        reserve=stages * STAGE_SECONDS,
    )
    total = len(run.config.specialists)
    report = await run.aside(read_report, reply, role, expert.seat, total, run.question)
    await run.emit(SpecialistComplete(data=report), key=str(expert.seat))
    return report


async def say_what_is_missing(run: Run[SpecialistPanelConfig], reports: Sequence[SpecialistReport]) -> None:
    for report in reports:
        step = f"specialist_{report.role_id}"
        if not report.key_findings:
            said = f"The report of the {report.role_title} has no findings that could be read."
            await run.degrade(said, "unreadable", step, seat=report.seat)
        elif report.average_score is None:
            said = f"The {report.role_title} gave no rating: it does not enter the panel's score."
            await run.warn(said, "no_rating", step, seat=report.seat)


async def review_each_other(
    run: Run[SpecialistPanelConfig], experts: Sequence[Expert], reports: Sequence[SpecialistReport]
) -> list[CrossReview]:
    findings = sum(len(report.key_findings) for report in reports)
    called = ReviewersCalled(total_reviewers=len(reports), total_findings=findings)
    await run.emit(CrossReviewStart(data=called))
    by_seat = {expert.seat: expert for expert in experts}
    outcomes = await run.together(
        react(run, by_seat[report.seat], report, [other for other in reports if other is not report])
        for report in reports
    )
    reviews = answered(outcomes)
    for review in reviews:
        if review.is_blank:
            said = f"The cross-review of the {review.role_title} could not be read."
            await run.degrade(said, "unreadable", f"cross_review_{review.role_id}", seat=review.seat)
    if not reviews:
        await run.degrade("No specialist reviewed the others' findings.", "no_cross_review", "cross_review")
    data = CrossReviews(
        ledger=ledger_of(reports, reviews),
        agreement_rate=agreement_rate(reviews),
        total_succeeded=len(reviews),
        total_failed=len(reports) - len(reviews),
    )
    await run.emit(AllCrossReviewsComplete(data=data))
    return reviews


async def react(
    run: Run[SpecialistPanelConfig],
    expert: Expert,
    own: SpecialistReport,
    colleagues: Sequence[SpecialistReport],
) -> CrossReview:
    prompt = run.fill(
        CROSS_REVIEW_PROMPT, ownReport=Foreign(own.report), findingLines=shown_findings(colleagues)
    )
    step = f"cross_review_{expert.role.id}"
    reply = await run.ask(
        step, expert.model, expert.role.asked(prompt), seat=expert.seat, reserve=STAGE_SECONDS
    )
    legal = {id for colleague in colleagues for id in colleague.finding_ids}
    shown = Shown(
        [own.report, *finding_lines(colleagues), *(one.report for one in colleagues if not one.key_findings)]
    )
    review = await run.aside(read_cross_review, reply, own, legal, shown)
    await run.emit(CrossReviewComplete(data=review), key=str(expert.seat))
    return review


async def synthesise(run: Run[SpecialistPanelConfig], prompt: str) -> Answer:
    """The synthesizer has two tries."""
    try:
        return await ask_twice(run, "synthesis", run.config.synthesizer_model, prompt)
    except NoAnswer:
        raise RunFailed("Synthesizer failed") from None


async def integrated(
    run: Run[SpecialistPanelConfig],
    reply: Answer,
    reports: Sequence[SpecialistReport],
    reviews: Sequence[CrossReview],
    failed: Sequence[FailedSpecialist],
) -> IntegratedAssessment:
    known = {id for report in reports for id in (f"S{report.seat}", *report.finding_ids)}
    shown = Shown([run.question, *(report.report for report in reports)])
    read: Synthesis = await run.aside(read_synthesis, reply.response, known, shown)
    if not read.readable:
        await run.degrade("The synthesis could not be read section by section.", "unreadable", "synthesis")
    if read.unknown_citations:
        said = f"The synthesis cites what no specialist found: {', '.join(read.unknown_citations)}."
        await run.warn(said, "unknown_citations", "synthesis")
    if read.under_supported:
        said = f"Convergent findings that rest on fewer than two specialists: {len(read.under_supported)}."
        await run.warn(said, "under_supported", "synthesis")
    score = panel_score(reports, reviews)
    return IntegratedAssessment.of(reply, read, score, len(reports), failed, run.state)
