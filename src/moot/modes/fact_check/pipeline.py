"""The pipeline of fact_check."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from moot.deliberation.retries import ask_or_substitute
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.events import last
from moot.kernel.fences import Foreign
from moot.kernel.run import LEAST_SECONDS, Run, answered, seats
from moot.kernel.values import Answer, Degraded, FailedModel, Failure
from moot.modes.fact_check.checker import CheckerReport, judged
from moot.modes.fact_check.claims import Claim, Extraction, Source, shortened, sifted
from moot.modes.fact_check.config import FactCheckConfig
from moot.modes.fact_check.events import (
    AllCheckersComplete,
    CheckerComplete,
    ConsensusData,
    ContentData,
    ContentSource,
    ExtractComplete,
    ExtractStart,
    GenerateComplete,
    GeneratedData,
    GenerateStart,
    ReportComplete,
    ReportStart,
    VerifyCalled,
    VerifyStart,
)
from moot.modes.fact_check.extraction import extracted
from moot.modes.fact_check.prompts import GENERATE_PROMPT
from moot.modes.fact_check.report import Contributors, Findings, ReportData, commentary_prompt

REPORT_SECONDS = 60.0
"""Of the pipeline's time, kept for the report."""


async def fact_check(run: Run[FactCheckConfig]) -> None:
    if run.config.bias:
        await run.warn(run.config.bias, "bias", "verify")
    content = run.config.given_content or await generate(run)

    given = run.config.given_content
    source: ContentSource = "generated" if given is None else "user_provided"
    await run.emit(ExtractStart(data=ContentData(content_source=source, content=given)))
    extraction = await extract(run, content)
    await run.emit(ExtractComplete(data=extraction))

    if not extraction.claims:
        await run.emit(ReportStart())
        await run.emit(ReportComplete(data=report_data(run, Findings(content))))
        return

    findings, failed = await verify(run, content, extraction.claims)
    await run.emit(
        AllCheckersComplete(
            data=ConsensusData(
                consensus=findings.consensus,
                checker_count=len(run.config.checker_models),
                failed_checkers=failed,
            )
        )
    )

    await run.emit(ReportStart())
    await say_on_how_little_it_rests(run, findings)
    reply = await comment(run, findings)
    await run.emit(ReportComplete(data=report_data(run, findings, reply, failed)))


async def generate(run: Run[FactCheckConfig]) -> str:
    """The text to check; where the generator fails, the extractor writes it."""
    await run.emit(GenerateStart())
    generator, substitute = run.config.generator or "", run.config.extractor_model
    prompt = run.fill(GENERATE_PROMPT, question=Foreign(run.question))
    ask = partial(run.ask, prompt=prompt, reserve=run.seconds_for(3), report_failure=False)
    try:
        reply = await ask_or_substitute(run, "generate", generator, substitute, ask, wrote="the text")
    except NoAnswer:
        raise RunFailed("Content generation failed.") from None
    data = GeneratedData(
        model=reply.model,
        content=reply.response,
        input_question=run.question,
        response_time_ms=reply.response_time_ms,
    )
    await run.emit(GenerateComplete(data=data))
    return reply.response


async def extract(run: Run[FactCheckConfig], content: str) -> Extraction:
    checked = shortened(content, run.config.max_content_length)
    if len(checked) < len(content):
        message = f"Only the first {len(checked)} of {len(content)} characters were checked."
        await run.degrade(message, "truncated", "extract")
    reply, stated = await extracted(run, checked)
    chosen = await run.aside(sifted, stated, run.config.max_claims)
    if chosen.over_limit:
        message = f"Only the first {run.config.max_claims} claims were checked: more were found."
        await run.degrade(message, "claims_limit", "extract")
    claims = await run.aside(lambda: Source(checked).claims(chosen.claims))
    return Extraction.of(reply, claims, chosen.dropped, len(checked), truncated=len(checked) < len(content))


async def verify(
    run: Run[FactCheckConfig], content: str, claims: Sequence[Claim]
) -> tuple[Findings, list[FailedModel]]:
    checkers = seats(run.config.checker_models)
    await run.emit(VerifyStart(data=VerifyCalled(checker_count=len(checkers), claim_count=len(claims))))
    outcomes = await run.together(check(run, seat, model, claims) for seat, model in checkers.items())
    checked = answered(outcomes)
    if not checked:
        raise RunFailed("All verification checkers failed.")
    findings = Findings(content, claims, checked)
    some_missing = len(checked) < len(checkers) or any(one.summary.missing for one in checked)
    if some_missing and not await run.time_for("verify", REPORT_SECONDS + LEAST_SECONDS):
        message = "The pipeline's time ran out during verification: the consensus rests on what was finished."
        await run.degrade(message, "pipeline_timeout", "verify")
    return findings, [FailedModel.of(outcome) for outcome in outcomes if isinstance(outcome, Failure)]


async def say_on_how_little_it_rests(run: Run[FactCheckConfig], findings: Findings) -> None:
    total = len(findings.claims)
    if not findings.decided:
        await run.warn("No claim could be decided: there is no score.", "little", "report")
    elif total <= 2 or 2 * findings.decided < total:
        message = f"The score rests on little: {findings.decided} of {total} claims could be decided."
        await run.warn(message, "little", "report")


async def comment(run: Run[FactCheckConfig], findings: Findings) -> Answer | None:
    reporter = run.config.reporter_model
    try:
        return await run.ask("report", reporter, commentary_prompt(run, findings))
    except NoAnswer:
        await run.degrade(f"The report has no commentary: {reporter} failed.", "no_commentary", "report")
        return None


async def check(run: Run[FactCheckConfig], seat: int, model: str, claims: Sequence[Claim]) -> CheckerReport:
    """One checker, told as soon as it is done. Raises NoAnswer if it judged nothing."""
    report, failure = await judged(run, seat, model, claims, REPORT_SECONDS)
    if failure is not None:
        await run.give_up(failure)
    elif report.summary.missing:
        message = f"{model} gave no verdict on {report.summary.missing} of {len(claims)} claims."
        await run.degrade(message, "missing_verdicts", f"verify_{report.index}", seat=seat)
    await run.emit(CheckerComplete(data=report), key=str(seat))
    if failure is not None:
        raise NoAnswer(failure)
    return report


def report_data(
    run: Run[FactCheckConfig],
    findings: Findings,
    reply: Answer | None = None,
    failed: Sequence[FailedModel] = (),
) -> ReportData:
    generated = last(run.events, GenerateComplete)
    contributors = Contributors(
        generator=generated.data.model if generated else None,
        extractor=run.config.extractor_model,
        checkers=[checker.model for checker in findings.checkers],
        failed=failed,
        reporter=reply.model if reply else None,
    )
    return ReportData.of(findings, reply, contributors, Degraded(**run.state))
