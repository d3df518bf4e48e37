"""The pipeline of jury."""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.parsing import Shown
from moot.deliberation.retries import ask_twice, read_or_repaired
from moot.deliberation.signatures import ballot_nonce, signing
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import Run, answered, seats
from moot.kernel.values import Answer, Degraded, Failure, Rewording
from moot.modes.jury.config import JuryConfig
from moot.modes.jury.events import (
    AllJurorsComplete,
    DeliberationStart,
    JurorComplete,
    JuryCalled,
    PresentComplete,
    PresentStart,
    VerdictComplete,
    VerdictStart,
)
from moot.modes.jury.foreman import ForemanReport, JuryVerdict, read_report
from moot.modes.jury.prompts import (
    FOREMAN_LAYOUT,
    JUROR_LAYOUT,
    foreman_prompt,
    juror_prompt,
    presentation,
    task_of,
    work_of,
)
from moot.modes.jury.scorecards import JurorAssessment, read_assessment
from moot.modes.jury.verdicts import JurorSummary, final_ruling, summarise

FOREMAN_SECONDS = 60.0
"""Of the pipeline's time, kept for the foreman."""


async def jury(run: Run[JuryConfig]) -> None:
    await run.emit(PresentStart())
    await run.emit(PresentComplete(data=presentation(run.config, run.question)))

    jurors = seats(run.config.juror_models)
    await run.emit(DeliberationStart(data=JuryCalled(total_jurors=len(jurors))))
    shown = Shown(shown_texts(run))
    outcomes = await run.together(assess(run, seat, model, shown) for seat, model in jurors.items())
    assessments = heard(outcomes)
    summary = summarise(assessments, [outcome for outcome in outcomes if isinstance(outcome, Failure)])
    await say_what_is_missing(run, assessments)
    await run.emit(AllJurorsComplete(data=summary))

    await run.emit(VerdictStart())
    reply, report = await hear_foreman(run, assessments, summary)
    ruling = final_ruling(summary, report.verdict)
    if ruling.source == "default":
        message = "No vote could be counted and the foreman gave no view: REVISE by default."
        await run.degrade(message, "no_vote", "verdict")
    verdict = JuryVerdict.of(report, reply, assessments, summary, ruling, Degraded(**run.state))
    await run.emit(VerdictComplete(data=verdict))


def shown_texts(run: Run[JuryConfig]) -> list[str]:
    return [work_of(run.config, run.question), run.question, task_of(run.config) or ""]


async def assess(run: Run[JuryConfig], seat: int, model: str, shown: Shown) -> JurorAssessment:
    """One juror: asked, once more if nothing can be read, told as soon as it is done."""
    nonce = ballot_nonce(run.seed, "deliberation", seat, shown.texts)
    layout = f"{JUROR_LAYOUT}\n{signing('VERDICT', '<APPROVE or REVISE or REJECT>', nonce)}"
    shown = shown.with_nonce(nonce)
    prompt = Rewording(juror_prompt(run, seat, layout), original=juror_prompt(run, seat, JUROR_LAYOUT))
    reply = await run.ask("deliberation", model, prompt, seat=seat, reserve=FOREMAN_SECONDS)
    _, assessment = await read_or_repaired(
        run,
        reply,
        lambda heard: read_assessment(heard, shown),
        step="deliberation",
        problem="it holds no score and no verdict",
        layout=layout,
        original_layout=JUROR_LAYOUT,
        reserve=FOREMAN_SECONDS,
    )
    await run.emit(JurorComplete(data=assessment), key=str(seat))
    return assessment


def heard(outcomes: Sequence[JurorAssessment | Failure]) -> list[JurorAssessment]:
    assessments = answered(outcomes)
    if not assessments:
        raise RunFailed("All juror evaluations failed.")
    if len(assessments) < 2:
        raise RunFailed(f"Jury requires at least 2 successful juror evaluations, got {len(assessments)}.")
    return assessments


async def say_what_is_missing(run: Run[JuryConfig], assessments: Sequence[JurorAssessment]) -> None:
    for juror in assessments:
        if not juror.parse_success:
            message = f"The assessment of {juror.model} could not be read: it enters no figure."
            await run.degrade(message, "unreadable", "deliberation", seat=juror.seat)
        elif juror.verdict is None:
            message = f"{juror.model} stated no verdict, and its scores are too few to derive one."
            await run.degrade(message, "no_vote", "deliberation", seat=juror.seat)
    if all(juror.average is None for juror in assessments):
        await run.warn("No juror gave a score that could be read.", "no_scores", "deliberation")


async def hear_foreman(
    run: Run[JuryConfig], assessments: Sequence[JurorAssessment], summary: JurorSummary
) -> tuple[Answer | None, ForemanReport]:
    """The foreman has two tries to answer, and one to mend a reply without a single readable section."""
    texts = [work_of(run.config, run.question), *(juror.assessment_text for juror in assessments)]
    # The foreman's own view counts only where there is no majority: only then is it a ballot.
    nonce = "" if summary.majority_verdict else ballot_nonce(run.seed, "verdict", None, texts)
    layout = f"{FOREMAN_LAYOUT}\n{signing('VERDICT', '<your own view>', nonce)}" if nonce else FOREMAN_LAYOUT
    prompt = Rewording(
        foreman_prompt(run, assessments, summary, layout),
        original=foreman_prompt(run, assessments, summary, FOREMAN_LAYOUT),
    )
    try:
        reply = await ask_twice(run, "verdict", run.config.foreman_model, prompt)
    except NoAnswer:
        await run.degrade("Foreman unavailable", "foreman", "verdict")
        return None, ForemanReport()
    shown = Shown(texts, nonce)
    reply, report = await read_or_repaired(
        run,
        reply,
        lambda heard: read_report(heard.response, assessments, shown),
        step="verdict",
        problem="it has none of the sections",
        layout=layout,
        original_layout=FOREMAN_LAYOUT,
    )
    if not report.readable:
        message = "The foreman's report could not be read section by section."
        await run.degrade(message, "unreadable", "verdict")
    return reply, report
