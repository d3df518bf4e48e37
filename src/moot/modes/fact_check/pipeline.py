"""Fact-Check: the checkable statements of a text, each judged alone by several models; the score is computed.

(generate ─▶) extract ─▶ verify (checkers × batches of 12) ─▶ consensus (ours) ─▶ report (prose by a model)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from moot.deliberation.retries import ask_or_substitute
from moot.deliberation.text import word_count
from moot.kernel.call_estimate import Stint, each
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.fences import Foreign
from moot.kernel.mode import Between, Count, Mode, ModeConfig, ModelId, Panel, Question, RoleModel, problem
from moot.kernel.run import LEAST_SECONDS, Run, answered, seats
from moot.kernel.seat_results import Reckoning, SeatResult
from moot.kernel.values import Answer, Degraded, FailedModel, Failure, Maybe, Row, Wire
from moot.modes.fact_check.checker import BATCH, CheckerReport, judged
from moot.modes.fact_check.claims import Claim, Extraction, Source, shortened, sifted
from moot.modes.fact_check.consensus import Consensus
from moot.modes.fact_check.extraction import extracted
from moot.modes.fact_check.report import Findings, Hands, ReportData, ReportResult, commentary_prompt

ContentSource = Literal["generated", "user_provided"]
REPORT_SECONDS = 60.0
"""Of the pipeline's time, kept for the report."""
_CHECKERS = "Fact-check mode requires 1-4 checker models"


class FactCheckConfig(ModeConfig):
    content_to_check: Annotated[
        str | None,
        Field(
            title="Text to check",
            description="With it, the question says what to look at; without it, a model answers the "
            "question and its answer is checked.",
            json_schema_extra={"format": "text"},
        ),
    ] = None
    generator_model: Annotated[
        RoleModel | None,
        Field(title="Generator", description="Writes the text if none is given; not used otherwise."),
    ] = None
    extractor_model: Annotated[
        RoleModel, Field(title="Extractor", description="Lists the statements that can be checked.")
    ]
    checker_models: Annotated[
        tuple[ModelId, ...],
        Count(1, 4, _CHECKERS, _CHECKERS),
        Field(title="Checkers", description="Each judges every claim alone; best one of them with search."),
    ]
    reporter_model: Annotated[
        RoleModel, Field(title="Reporter", description="Writes the commentary; by default the extractor.")
    ]
    max_content_length: Annotated[
        int,
        Between("maxContentLength", 500, 50_000),
        Field(title="Longest text", description="In characters; what lies beyond is not checked."),
    ] = 20_000
    max_claims: Annotated[
        int,
        Between("maxClaims", 1, 60),
        Field(title="Most claims", description="How many statements are checked at most."),
    ] = 30
    timeout_ms: Annotated[
        int,
        Between("timeoutMs", 30_000, 180_000),
        Field(title="Timeout", description="How long one call to a model may take, in milliseconds."),
    ] = 120_000

    @model_validator(mode="after")
    def _has_something_to_check_and_enough_models(self) -> FactCheckConfig:
        if self.given_content is None and self.generator_model is None:
            raise problem("Either contentToCheck or generatorModel must be provided")
        filled = [self.generator is not None, True, self.reporter_model != self.extractor_model]
        if not 3 <= sum(filled) + len(self.checker_models) <= 6:
            raise problem("Fact-check mode requires 3 to 6 models across its roles")
        return self

    @property
    def given_content(self) -> str | None:
        """Blank counts as absent."""
        return self.content_to_check if (self.content_to_check or "").strip() else None

    @property
    def generator(self) -> str | None:
        """The generator if it is used."""
        return self.generator_model if self.given_content is None else None

    @property
    def bias(self) -> str | None:
        if self.generator is None or self.generator not in self.checker_models:
            return None
        return f"{self.generator} wrote the text and also checks it: its verdicts may be partial."


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    first = panel.models[0]
    roles = {"extractorModel": first, "checkerModels": panel.pick(3, skip=1)}
    if not str(given.get("contentToCheck") or "").strip():
        roles["generatorModel"] = first
    return {**roles, "reporterModel": given.get("extractorModel", first)}


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
    ask = partial(run.ask, prompt=run.fill(GENERATE_PROMPT, question=Foreign(run.question)), tell=False)
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
    hands = Hands(
        generator=generated.data.model if generated else None,
        extractor=run.config.extractor_model,
        checkers=[checker.model for checker in findings.checkers],
        failed=failed,
        reporter=reply.model if reply else None,
    )
    return ReportData.of(findings, reply, hands, Degraded(**run.state))


GENERATE_PROMPT = """\
Answer the question fully and precisely. State checkable facts (names, dates, figures, causes) plainly, each in its own sentence where possible. Do not pad, do not hedge what you know, and leave out what you do not know.

QUESTION
{question}"""


class Roles(Wire):
    content_source: ContentSource
    generator_model: Maybe[str]
    extractor_model: str
    checker_models: tuple[str, ...]
    reporter_model: str


class GeneratedData(Wire):
    model: str
    content: str
    input_question: str
    response_time_ms: int


class ContentData(Wire):
    """`content` is the user's text; a generated one was told when it was written."""

    content_source: ContentSource
    content: Maybe[str]


class VerifyCalled(Wire):
    checker_count: int
    claim_count: int


class ConsensusData(Wire):
    consensus: list[Consensus]
    checker_count: int
    failed_checkers: list[FailedModel]


class FactCheckStart(Opening):
    type = "fact_check_start"
    config: Roles
    bias_warning: Maybe[str]


class GenerateStart(Event):
    type = "generate_start"


class GenerateComplete(Event):
    type = "generate_complete"
    data: GeneratedData


class ExtractStart(Event):
    type = "extract_start"
    data: ContentData


class ExtractComplete(Event):
    type = "extract_complete"
    data: Extraction


class VerifyStart(Event):
    type = "verify_start"
    data: VerifyCalled


class CheckerComplete(Event):
    type = "checker_complete"
    data: CheckerReport


class AllCheckersComplete(Event):
    type = "all_checkers_complete"
    data: ConsensusData


class ReportStart(Event):
    type = "report_start"


class ReportComplete(Event):
    type = "report_complete"
    data: ReportData


class CheckedContent(Wire):
    source: ContentSource
    model: Maybe[str]
    text: str
    truncated: bool
    response_time_ms: Maybe[int]


class VerificationResult(Wire):
    checkers: list[CheckerReport]
    consensus: list[Consensus]
    failed_checkers: list[FailedModel]


class FactCheckResult(Wire):
    content: Maybe[CheckedContent]
    extraction: Maybe[Extraction]
    verification: Maybe[VerificationResult]
    report: Maybe[ReportResult]
    degraded: Maybe[bool]
    warnings: Maybe[tuple[str, ...]]
    title: Maybe[str]


def opening_extras(config: FactCheckConfig) -> Mapping[str, Any]:
    roles = Roles(
        content_source="user_provided" if config.generator is None else "generated",
        generator_model=config.generator,
        extractor_model=config.extractor_model,
        checker_models=config.checker_models,
        reporter_model=config.reporter_model,
    )
    return {"config": roles, "bias_warning": config.bias}


def rows(event: Event) -> Iterator[Row]:
    match event:
        case GenerateComplete(data=made):
            about = {"contentSource": "generated", "inputQuestion": made.input_question}
            parsed = about | measures(made.content)
            yield Row(
                "generate", 0, made.content, None, made.model, "generator", parsed, made.response_time_ms
            )
        case ExtractStart(data=ContentData(content=str(text))):
            yield Row("content", 0, text, parsed_data={"contentSource": "user_provided", **measures(text)})
        case ExtractComplete(data=data):
            parsed = data.model_dump(exclude={"model", "raw_text", "response_time_ms"})
            yield Row(
                "extract", 1, data.raw_text, None, data.model, "extractor", parsed, data.response_time_ms
            )
        case CheckerComplete(data=one) if not one.failed:
            parsed = one.model_dump(include={"verifications", "summary"})
            stage, order = f"verify_{one.index}", 10 + one.index
            yield Row(
                stage, order, one.raw_text, one.seat, one.model, "checker", parsed, one.response_time_ms
            )
        case AllCheckersComplete(data=ruled):
            parsed = ruled.model_dump()
            content = json.dumps(parsed["consensus"], ensure_ascii=False)
            yield Row("consensus", 20, content, parsed_data=parsed)
        case ReportComplete(data=told):
            yield Row(
                "report",
                99,
                told.report,
                model=told.model,
                role="reporter",
                parsed_data=report_row(told),
                response_time_ms=told.response_time_ms,
            )


def measures(text: str) -> dict[str, int]:
    return {"contentLength": len(text), "wordCount": word_count(text)}


def report_row(told: ReportData) -> dict[str, Any]:
    summary = told.summary.model_dump()
    total = told.summary.verified + told.summary.disputed + told.summary.unverifiable
    apart = {"model", "summary", "report", "raw_text", "response_time_ms"}
    return {**told.model_dump(exclude=apart), **summary, "totalClaims": total}


def result(events: Sequence[Event]) -> FactCheckResult:
    extracted, ruled = last(events, ExtractComplete), last(events, AllCheckersComplete)
    told, title = last(events, ReportComplete), last(events, TitleComplete)
    checkers = sorted((event.data for event in every(events, CheckerComplete)), key=lambda one: one.seat)
    return FactCheckResult(
        content=checked_content(events),
        extraction=extracted.data if extracted else None,
        verification=VerificationResult(
            checkers=checkers, consensus=ruled.data.consensus, failed_checkers=ruled.data.failed_checkers
        )
        if ruled
        else None,
        report=ReportResult.of(told.data) if told else None,
        degraded=told.data.degraded if told else None,
        warnings=told.data.warnings if told else None,
        title=title.data.title if title else None,
    )


def checked_content(events: Sequence[Event]) -> CheckedContent | None:
    made, begun = last(events, GenerateComplete), last(events, ExtractStart)
    extracted = last(events, ExtractComplete)
    text = made.data.content if made else begun.data.content if begun else None
    if text is None:
        return None
    return CheckedContent(
        source="generated" if made else "user_provided",
        model=made.data.model if made else None,
        text=text,
        truncated=extracted.data.truncated if extracted else False,
        response_time_ms=made.data.response_time_ms if made else None,
    )


def answer(events: Sequence[Event]) -> str | None:
    told = last(events, ReportComplete)
    return told.data.report if told else None


def seat_results(events: Sequence[Event]) -> Iterable[SeatResult]:
    found = result(events).verification
    return [one.seat_result(found.consensus) for one in found.checkers if not one.failed] if found else ()


MODE = Mode(
    id="fact_check",
    config=FactCheckConfig,
    defaults=defaults,
    pipeline=fact_check,
    events=(
        FactCheckStart,
        GenerateStart,
        GenerateComplete,
        ExtractStart,
        ExtractComplete,
        VerifyStart,
        CheckerComplete,
        AllCheckersComplete,
        ReportStart,
        ReportComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=ExtractComplete,
    title_model=lambda config: config.extractor_model,
    workload=lambda config: (
        *(each("generate", (config.generator, config.extractor_model)) if config.generator else ()),
        Stint("extract", (config.extractor_model,), calls=2, reads=2),
        *each("verify", config.checker_models, calls=2 * -(-config.max_claims // BATCH), reads=2),
        Stint("report", (config.reporter_model,), reads=2 + len(config.checker_models)),
    ),
    question=Question(missing="Question or content description is required"),
    opening_extras=opening_extras,
    reckoning=Reckoning(
        seat_results, agrees="Its verdict on a claim is the checkers' common one; each claim is a case."
    ),
)
