"""The stages of a specialist panel: experts report, react to each other's findings, and are brought together.

Who backs and who disputes a finding, and the panel's score, are counted here; the synthesizer words the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown
from moot.deliberation.retries import ask_again_in_layout, ask_to_mend, ask_twice
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import LEAST_SECONDS, Run, answered
from moot.kernel.values import Answer, Failure
from moot.modes.specialist_panel.assessment import PanelSynthesis, read_synthesis
from moot.modes.specialist_panel.config import SpecialistPanelConfig
from moot.modes.specialist_panel.events import (
    AllCrossReviewsComplete,
    AllSpecialistsComplete,
    CrossReviewComplete,
    CrossReviews,
    CrossReviewStart,
    CrossReviewStartData,
    FailedSpecialist,
    IntegratedAssessment,
    PanelStart,
    PanelSummary,
    SpecialistComplete,
    SpecialistStart,
    SynthesisComplete,
    SynthesisStart,
)
from moot.modes.specialist_panel.layouts import CROSS_REVIEW_LAYOUT, SYNTHESIS_LAYOUT, report_layout
from moot.modes.specialist_panel.prompts import (
    cross_review_prompt,
    finding_lines,
    specialist_prompt,
    synthesis_prompt,
)
from moot.modes.specialist_panel.reactions import (
    CrossReview,
    agreement_rate,
    ledger_of,
    panel_score,
    read_cross_review,
)
from moot.modes.specialist_panel.reports import SpecialistReport, read_report
from moot.modes.specialist_panel.roles import Expert, seat_experts

STAGE_SECONDS = 60.0
"""Of the pipeline's time, kept for each stage that is still to come."""


async def specialist_panel(run: Run[SpecialistPanelConfig]) -> None:
    experts = seat_experts(run.config.specialists)
    await run.emit(SpecialistStart(data=PanelStart(total_specialists=len(experts))))
    outcomes = await run.together(analyse(run, expert) for expert in experts)
    reports = answered(outcomes)
    failed = [
        FailedSpecialist.of(expert, outcome)
        for expert, outcome in zip(experts, outcomes, strict=True)
        if isinstance(outcome, Failure)
    ]
    if not reports:
        raise RunFailed("All specialists failed")
    await warn_about_reports(run, reports)
    await run.emit(AllSpecialistsComplete(data=PanelSummary.of(reports, failed)))
    if len(reports) < 2:
        raise RunFailed("Specialist Panel needs 2 reports, got 1")

    reviews = await review_each_other(run, experts, reports) if run.config.cross_review else []

    if not await run.time_for("synthesis", LEAST_SECONDS):
        raise RunFailed("Pipeline timed out before synthesis")
    await run.emit(SynthesisStart())
    reply = await synthesise(run, synthesis_prompt(run, reports, reviews, failed))
    reply, synthesis = await read_and_warn(run, reply, reports)
    assessment = IntegratedAssessment.of(
        reply,
        synthesis,
        score=panel_score(reports, reviews),
        specialist_count=len(reports),
        failed=failed,
        state=run.state,
    )
    await run.emit(SynthesisComplete(data=assessment))


async def analyse(run: Run[SpecialistPanelConfig], expert: Expert) -> SpecialistReport:
    """One specialist: asked, read, told as soon as it is done."""
    role, step, prompt = expert.role, f"specialist_{expert.role.id}", specialist_prompt(run, expert.role)
    reserve = (2 if run.config.cross_review else 1) * STAGE_SECONDS
    reply = await run.ask(step, expert.model, prompt, seat=expert.seat, reserve=reserve)
    total = len(run.config.specialists)
    report: SpecialistReport = await run.aside(read_report, reply, role, expert.seat, total, run.question)
    if report.missing:
        again = await ask_to_mend(
            run,
            reply,
            prompt,
            step=step,
            problem=f"it holds {' and '.join(report.missing)}",
            layout=report_layout(role.criteria),
            reserve=reserve,
            since=2,
        )
        if again is not None:
            second = await run.aside(read_report, again, role, expert.seat, total, run.question)
            report = report.completed_by(second)
    await run.emit(SpecialistComplete(data=report), key=str(expert.seat))
    return report


async def warn_about_reports(run: Run[SpecialistPanelConfig], reports: Sequence[SpecialistReport]) -> None:
    for report in reports:
        step = f"specialist_{report.role_id}"
        if not report.key_findings:
            message = run.wording(
                f"The findings in the {report.role_title}'s report could not be read.",
                original=f"The report of the {report.role_title} has no findings that could be read.",
            )
            await run.degrade(message, "unreadable", step, seat=report.seat)
        elif report.average_score is None:
            message = run.wording(
                f"The {report.role_title} gave no rating and does not count toward the panel's score.",
                original=f"The {report.role_title} gave no rating: it does not enter the panel's score.",
            )
            await run.warn(message, "no_rating", step, seat=report.seat)


async def review_each_other(
    run: Run[SpecialistPanelConfig], experts: Sequence[Expert], reports: Sequence[SpecialistReport]
) -> list[CrossReview]:
    findings = sum(len(report.key_findings) for report in reports)
    start = CrossReviewStartData(total_reviewers=len(reports), total_findings=findings)
    await run.emit(CrossReviewStart(data=start))
    by_seat = {expert.seat: expert for expert in experts}
    outcomes = await run.together(
        react(run, by_seat[report.seat], report, [other for other in reports if other is not report])
        for report in reports
    )
    reviews = answered(outcomes)
    for review in reviews:
        if review.is_blank:
            message = f"The cross-review of the {review.role_title} could not be read."
            await run.degrade(message, "unreadable", f"cross_review_{review.role_id}", seat=review.seat)
    if reviews and all(review.is_silent and not review.is_blank for review in reviews):
        message = run.wording(
            "No specialist commented on a colleague's finding, which does not mean that they agree.",
            original="No specialist said a word about a colleague's finding: that does not mean agreement.",
        )
        await run.warn(message, "silent", "cross_review")
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
    step, prompt = f"cross_review_{expert.role.id}", cross_review_prompt(run, expert.role, own, colleagues)
    reply = await run.ask(step, expert.model, prompt, seat=expert.seat, reserve=STAGE_SECONDS)
    finding_ids = {id for colleague in colleagues for id in colleague.finding_ids}
    unread_reports = [colleague.report for colleague in colleagues if not colleague.key_findings]
    shown = Shown([own.report, *finding_lines(colleagues), *unread_reports])
    review: CrossReview = await run.aside(read_cross_review, reply, own, finding_ids, shown)
    if review.is_blank:
        again = await ask_to_mend(
            run,
            reply,
            prompt,
            step=step,
            problem="it holds no reaction in the layout, and not the closing line",
            layout=CROSS_REVIEW_LAYOUT,
            reserve=STAGE_SECONDS,
            since=2,
        )
        second = await run.aside(read_cross_review, again, own, finding_ids, shown) if again else review
        review = review if second.is_blank else second
    await run.emit(CrossReviewComplete(data=review), key=str(expert.seat))
    return review


async def synthesise(run: Run[SpecialistPanelConfig], prompt: str) -> Answer:
    """The synthesizer has two tries."""
    try:
        return await ask_twice(run, "synthesis", run.config.synthesizer_model, prompt)
    except NoAnswer:
        raise RunFailed("Synthesizer failed") from None


async def read_and_warn(
    run: Run[SpecialistPanelConfig], reply: Answer, reports: Sequence[SpecialistReport]
) -> tuple[Answer, PanelSynthesis]:
    """The synthesis, repaired once if no part of it can be read."""
    known_ids = {id for report in reports for id in (f"S{report.seat}", *report.finding_ids)}
    shown = Shown([run.question, *(report.report for report in reports)])
    synthesis: PanelSynthesis = await run.aside(read_synthesis, legible(reply), known_ids, shown)
    if not synthesis.readable:
        again = await ask_again_in_layout(
            run,
            reply,
            step="synthesis",
            problem="it has none of the five headings",
            layout=SYNTHESIS_LAYOUT,
            matter="assessment",
            since=2,
        )
        second = await run.aside(read_synthesis, legible(again), known_ids, shown) if again else synthesis
        reply, synthesis = (again, second) if again and second.readable else (reply, synthesis)
    if not synthesis.readable:
        await run.degrade("The synthesis could not be read section by section.", "unreadable", "synthesis")
    if synthesis.unknown_citations:
        citations = ", ".join(synthesis.unknown_citations)
        message = run.wording(
            f"The synthesis cites findings that no specialist reported: {citations}.",
            original=f"The synthesis cites what no specialist found: {citations}.",
        )
        await run.warn(message, "unknown_citations", "synthesis")
    if synthesis.under_supported:
        count = len(synthesis.under_supported)
        message = run.wording(
            f"Shared findings that fewer than two specialists reported: {count}.",
            original=f"Convergent findings that rest on fewer than two specialists: {count}.",
        )
        await run.warn(message, "under_supported", "synthesis")
    return reply, synthesis
