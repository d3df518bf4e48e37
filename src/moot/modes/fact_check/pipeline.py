"""The stages of a fact-check: (write a text,) list its claims, let every checker judge them, report.

Verdicts are counted, weighed and written into the text here; a model only adds the commentary.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown
from moot.deliberation.retries import ask_or_substitute, read_or_repaired
from moot.deliberation.second_opinions import SecondOpinion, ask_second_model
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.events import last_data
from moot.kernel.run import LEAST_SECONDS, Run, answered, seats
from moot.kernel.values import Answer, FailedModel, Failure
from moot.modes.fact_check.checker import check_claims
from moot.modes.fact_check.claims import Claim, ClaimEntry, Source, read_claims, select_claims, shorten
from moot.modes.fact_check.config import FactCheckConfig
from moot.modes.fact_check.events import (
    AllCheckersComplete,
    CheckerComplete,
    CheckerReport,
    ConsensusData,
    ContentData,
    ContentSource,
    ExtractComplete,
    Extraction,
    ExtractStart,
    GenerateComplete,
    GeneratedData,
    GenerateStart,
    ReportComplete,
    ReportData,
    ReportStart,
    ReportSummary,
    VerifyStart,
    VerifyStartData,
)
from moot.modes.fact_check.prompts import (
    COMMENTARY_LAYOUT,
    commentary_prompt,
    extract_again_prompt,
    extract_prompt,
    generate_prompt,
)
from moot.modes.fact_check.report import (
    NO_CLAIMS,
    Commentary,
    Contributors,
    Findings,
    compose_report,
    read_commentary,
)

REPORT_SECONDS = 60.0
"""Of the pipeline's time, kept for the report."""


async def fact_check(run: Run[FactCheckConfig]) -> None:
    if run.config.bias:
        await run.warn(run.config.bias, "bias", "verify")
    given = run.config.given_content
    content = given or await generate(run)

    source: ContentSource = "generated" if given is None else "user_provided"
    await run.emit(ExtractStart(data=ContentData(content_source=source, content=given)))
    extraction = await extract(run, content)
    await run.emit(ExtractComplete(data=extraction))

    if not extraction.claims:
        await run.emit(ReportStart())
        await run.emit(ReportComplete(data=report_data(run, Findings(content), extraction)))
        return

    findings, failed = await verify(run, content, extraction.claims)
    data = ConsensusData(
        consensus=findings.consensus,
        checker_count=len(run.config.checker_models),
        failed_checkers=failed,
    )
    await run.emit(AllCheckersComplete(data=data))

    await run.emit(ReportStart())
    await warn_about_thin_evidence(run, findings)
    reply = await comment(run, findings)
    await run.emit(ReportComplete(data=report_data(run, findings, extraction, reply, failed)))


async def generate(run: Run[FactCheckConfig]) -> str:
    """The text to check; where the generator fails, the extractor writes it."""
    await run.emit(GenerateStart())
    generator, substitute = run.config.generator or "", run.config.extractor_model
    ask = partial(run.ask, prompt=generate_prompt(run), reserve=run.seconds_for(3), report_failure=False)
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
    checked = shorten(content, run.config.max_content_length)
    truncated = len(checked) < len(content)
    if truncated:
        message = f"Only the first {len(checked)} of {len(content)} characters were checked."
        await run.degrade(message, "truncated", "extract")
    reply, entries = await list_claims(run, checked)
    second_opinion: SecondOpinion | None = None
    if not entries and run.follows(2):
        reply, entries, second_opinion = await look_again(run, checked, reply)
    selection = await run.aside(select_claims, entries, run.config.max_claims)
    if selection.over_limit:
        message = f"Only the first {run.config.max_claims} claims were checked: more were found."
        await run.degrade(message, "claims_limit", "extract")
    claims = await run.aside(lambda: Source(checked).claims(selection.claims))
    return Extraction.of(
        reply,
        claims,
        selection.dropped,
        len(checked),
        truncated=truncated,
        second_opinion=second_opinion,
    )


async def look_again(
    run: Run[FactCheckConfig], content: str, first: Answer
) -> tuple[Answer, list[ClaimEntry], SecondOpinion | None]:
    """The extractor found no claim: before that ends the run, another of its models looks."""
    model = run.config.second_extractor
    if model is None:
        message = f"{first.model} found no claim, and there is no second model to confirm it."
        await run.degrade(message, "unconfirmed", "extract")
        return first, [], None
    prompt = extract_prompt(run, content)
    second = await ask_second_model(run, "extract", model, prompt, reserve=run.seconds_for(2))
    entries = read_claims(legible(second), Shown([content, run.question])) if second else None
    agrees = None if entries is None else not entries
    opinion = SecondOpinion(first_model=first.model, model=model, agrees=agrees)
    if second and entries:
        message = run.wording(
            f"{first.model} found no claims; the ones checked were found by {model}.",
            original=f"{first.model} found no claim: those that were checked were found by {model}.",
        )
        await run.degrade(message, "second_opinion", "extract")
        both_ms = first.response_time_ms + second.response_time_ms
        return second.model_copy(update={"response_time_ms": both_ms}), entries, opinion
    if agrees is None:
        message = f"{first.model} found no claim, and no second model confirmed it: {model} gave no list."
        await run.degrade(message, "unconfirmed", "extract")
    return first, [], opinion


async def list_claims(run: Run[FactCheckConfig], content: str) -> tuple[Answer, list[ClaimEntry]]:
    """The extractor's reply and the claims in it. A reply with neither a claim nor NO CLAIMS is no clean bill
    of health: it is asked for once more, in the same exchange, and then the extraction has failed."""
    shown = Shown([content, run.question])
    extractor, prompt = run.config.extractor_model, extract_prompt(run, content)
    reserve = run.seconds_for(2)
    try:
        reply = await run.ask("extract", extractor, prompt, reserve=reserve)
        entries = read_claims(legible(reply), shown)
        if entries is None:
            first_ms = reply.response_time_ms
            exchange = extract_again_prompt(run, prompt, reply.response)
            reply = await run.ask("extract/repair", extractor, exchange, reserve=reserve)
            reply = reply.model_copy(update={"response_time_ms": first_ms + reply.response_time_ms})
            entries = read_claims(legible(reply), shown)
    except NoAnswer:
        raise RunFailed("Claim extraction failed.") from None
    if entries is None:
        reason = f"{extractor} listed no claim that could be read, and did not say that there is none."
        await run.give_up(run.unreadable(reply, "extract", reason))
        raise RunFailed("Claim extraction failed.")
    return reply, entries


async def verify(
    run: Run[FactCheckConfig], content: str, claims: Sequence[Claim]
) -> tuple[Findings, list[FailedModel]]:
    checkers = seats(run.config.checker_models)
    start = VerifyStartData(checker_count=len(checkers), claim_count=len(claims))
    await run.emit(VerifyStart(data=start))
    outcomes = await run.together(check(run, seat, model, claims) for seat, model in checkers.items())
    reports = answered(outcomes)
    if not reports:
        raise RunFailed("All verification checkers failed.")
    some_missing = len(reports) < len(checkers) or any(report.summary.missing for report in reports)
    if some_missing and not await run.time_for("verify", REPORT_SECONDS + LEAST_SECONDS):
        message = run.wording(
            "Time ran out during verification, so the consensus is based on what was finished.",
            original="The pipeline's time ran out during verification: the consensus rests on what was "
            "finished.",
        )
        await run.degrade(message, "pipeline_timeout", "verify")
    failed = [FailedModel.of(outcome) for outcome in outcomes if isinstance(outcome, Failure)]
    return Findings(content, claims, reports), failed


async def check(run: Run[FactCheckConfig], seat: int, model: str, claims: Sequence[Claim]) -> CheckerReport:
    """One checker, told as soon as it is done. Raises NoAnswer if it judged nothing."""
    report, failure = await check_claims(run, seat, model, claims, REPORT_SECONDS)
    if failure is not None:
        await run.give_up(failure)
    elif report.summary.missing:
        message = f"{model} gave no verdict on {report.summary.missing} of {len(claims)} claims."
        await run.degrade(message, "missing_verdicts", f"verify_{report.index}", seat=seat)
    await run.emit(CheckerComplete(data=report), key=str(seat))
    if failure is not None:
        raise NoAnswer(failure)
    return report


async def warn_about_thin_evidence(run: Run[FactCheckConfig], findings: Findings) -> None:
    total = len(findings.claims)
    if not findings.decided:
        message = run.wording(
            "No claim could be decided, so there is no score.",
            original="No claim could be decided: there is no score.",
        )
        await run.warn(message, "little", "report")
    elif total <= 2 or 2 * findings.decided < total:
        message = run.wording(
            f"The score is based on few claims: {findings.decided} of {total} could be decided.",
            original=f"The score rests on few claims: {findings.decided} of {total} could be decided.",
        )
        await run.warn(message, "little", "report")


async def comment(run: Run[FactCheckConfig], findings: Findings) -> Answer | None:
    reporter = run.config.reporter_model
    try:
        reply = await run.ask("report", reporter, commentary_prompt(run, findings))
    except NoAnswer:
        await run.degrade(f"The report has no commentary: {reporter} failed.", "no_commentary", "report")
        return None
    reply, commentary = await read_or_repaired(
        run,
        reply,
        lambda one: read_commentary(legible(one), findings.shown),
        step="report",
        problem="none of its labels stands at the start of a line",
        layout=COMMENTARY_LAYOUT,
        matter="commentary",
        since=3,
    )
    if not commentary.readable and run.follows(3):
        message = run.wording(
            f"The sections of {reporter}'s commentary could not be told apart, so it is shown as one text.",
            original=f"The commentary of {reporter} has no parts that could be read: it stands as one text.",
        )
        await run.degrade(message, "unreadable", "report")
    return reply


def report_data(
    run: Run[FactCheckConfig],
    findings: Findings,
    extraction: Extraction,
    reply: Answer | None = None,
    failed: Sequence[FailedModel] = (),
) -> ReportData:
    generated = last_data(run.events, GenerateComplete)
    contributors = Contributors(
        generator=generated.model if generated else None,
        extractor=extraction.model,
        checkers=[checker.model for checker in findings.checkers],
        failed=failed,
        reporter=reply.model if reply else None,
        second_opinion=extraction.second_opinion,
    )
    commentary = read_commentary(legible(reply), findings.shown) if reply else Commentary()
    return ReportData(
        model=reply.model if reply else None,
        reliability_score=findings.score,
        band=findings.band,
        coverage=findings.coverage,
        summary=ReportSummary(**findings.counts.model_dump(), note=None if findings.claims else NO_CLAIMS),
        average_agreement_rate=findings.average_agreement,
        annotated_content=findings.annotated_content,
        fallback=bool(findings.claims) and reply is None,
        response_time_ms=reply.response_time_ms if reply else None,
        report=compose_report(
            findings, commentary, contributors, run.warnings, percent=run.wording("%", original=" %")
        ),
        checker_count=len(findings.checkers) + len(failed),
        raw_text=reply.response if reply else None,
        **run.state,
    )
