"""The stages of a jury: present the work, let every juror judge it alone, let the foreman report.

The verdict is counted, not written: the foreman's own view decides only where no vote could be counted, and
where there is no foreman the report is made of the jurors' own lists.
"""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown
from moot.deliberation.retries import ask_twice, read_or_repaired
from moot.deliberation.signatures import ballot_nonce
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import Run, answered, seats
from moot.kernel.values import Answer, Degraded, Failure
from moot.modes.jury.config import JuryConfig
from moot.modes.jury.events import (
    AllJurorsComplete,
    DeliberationStart,
    JurorAssessment,
    JurorComplete,
    JurorCount,
    JurorSummary,
    Presentation,
    PresentComplete,
    PresentStart,
    VerdictComplete,
    VerdictStart,
)
from moot.modes.jury.foreman import ForemanReport, read_report
from moot.modes.jury.prompts import (
    FOREMAN_LAYOUT,
    JUROR_LAYOUT,
    foreman_layout,
    foreman_prompt,
    juror_layout,
    juror_prompt,
)
from moot.modes.jury.report import jury_verdict
from moot.modes.jury.scorecards import read_assessment
from moot.modes.jury.verdicts import final_ruling, summarise

FOREMAN_SECONDS = 60.0
"""Of the pipeline's time, kept for the foreman."""


async def jury(run: Run[JuryConfig]) -> None:
    await run.emit(PresentStart())
    await run.emit(PresentComplete(data=Presentation.of(run.config, run.question)))

    jurors = seats(run.config.juror_models)
    await run.emit(DeliberationStart(data=JurorCount(total_jurors=len(jurors))))
    shown = Shown([run.config.work(run.question), run.question, run.config.task or ""])
    outcomes = await run.together(assess(run, seat, model, shown) for seat, model in jurors.items())
    assessments = two_assessments(outcomes)
    summary = summarise(assessments, [outcome for outcome in outcomes if isinstance(outcome, Failure)])
    await report_gaps(run, assessments)
    await run.emit(AllJurorsComplete(data=summary))

    await run.emit(VerdictStart())
    reply, report = await ask_foreman(run, assessments, summary)
    ruling = final_ruling(summary, report.verdict)
    if ruling.source == "default":
        message = "No vote could be counted and the foreman gave no view: REVISE by default."
        await run.degrade(message, "no_vote", "verdict")
    verdict = jury_verdict(report, reply, assessments, summary, ruling, Degraded(**run.state))
    await run.emit(VerdictComplete(data=verdict))


async def assess(run: Run[JuryConfig], seat: int, model: str, shown: Shown) -> JurorAssessment:
    """One juror's assessment, told as soon as it is there. A reply in which nothing can be read, or which was
    cut off before its verdict, is asked for once more."""
    nonce = ballot_nonce(run.seed, "deliberation", seat, shown.texts)
    signed = shown.with_nonce(nonce)
    prompt = juror_prompt(run, seat, nonce)
    reply = await run.ask("deliberation", model, prompt, seat=seat, reserve=FOREMAN_SECONDS)
    _, assessment = await read_or_repaired(
        run,
        reply,
        lambda reply: read_assessment(reply, signed),
        step="deliberation",
        problem=lambda reading: reading.problem,
        layout=juror_layout(nonce),
        original_layout=JUROR_LAYOUT,
        reserve=FOREMAN_SECONDS,
    )
    await run.emit(JurorComplete(data=assessment), key=str(seat))
    return assessment


def two_assessments(outcomes: Sequence[JurorAssessment | Failure]) -> list[JurorAssessment]:
    """Those that came; RunFailed if they are fewer than two."""
    assessments = answered(outcomes)
    if not assessments:
        raise RunFailed("All juror evaluations failed.")
    if len(assessments) < 2:
        raise RunFailed(f"Jury requires at least 2 successful juror evaluations, got {len(assessments)}.")
    return assessments


async def report_gaps(run: Run[JuryConfig], assessments: Sequence[JurorAssessment]) -> None:
    """Say who could not be read, who cast no vote, and whether scores are missing altogether."""
    for juror in assessments:
        if not juror.parse_success:
            message = run.wording(
                f"{juror.model}'s assessment could not be read, so it does not count.",
                original=f"The assessment of {juror.model} could not be read: it enters no figure.",
            )
            await run.degrade(message, "unreadable", "deliberation", seat=juror.seat)
        elif juror.verdict is None:
            message = f"{juror.model} stated no verdict, and its scores are too few to derive one."
            if juror.cut_before_verdict:
                message = f"{juror.model} was cut off before its verdict: it casts no vote."
            await run.degrade(message, "no_vote", "deliberation", seat=juror.seat)
    if all(juror.average is None for juror in assessments):
        await run.warn("No juror gave a score that could be read.", "no_scores", "deliberation")


async def ask_foreman(
    run: Run[JuryConfig], assessments: Sequence[JurorAssessment], summary: JurorSummary
) -> tuple[Answer | None, ForemanReport]:
    """The foreman has two tries to answer, and one to mend a reply without a single readable section."""
    texts = [run.config.work(run.question), *(juror.assessment_text for juror in assessments)]
    # The foreman's own view counts only where there is no majority: only then is it a ballot.
    nonce = "" if summary.majority_verdict else ballot_nonce(run.seed, "verdict", None, texts)
    prompt = foreman_prompt(run, assessments, summary, nonce)
    try:
        reply = await ask_twice(run, "verdict", run.config.foreman_model, prompt)
    except NoAnswer:
        await run.degrade("Foreman unavailable", "foreman", "verdict")
        return None, ForemanReport()
    shown = Shown(texts, nonce)
    reply, report = await read_or_repaired(
        run,
        reply,
        lambda reply: read_report(legible(reply), assessments, shown),
        step="verdict",
        problem="it has none of the sections",
        layout=foreman_layout(nonce),
        original_layout=FOREMAN_LAYOUT,
    )
    if not report.readable:
        message = "The foreman's report could not be read section by section."
        await run.degrade(message, "unreadable", "verdict")
    return reply, report
