"""What a fact_check tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from moot.deliberation.text import word_count
from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import FailedModel, Maybe, Row, Wire
from moot.modes.fact_check.checker import CheckerReport
from moot.modes.fact_check.claims import Extraction
from moot.modes.fact_check.config import FactCheckConfig
from moot.modes.fact_check.consensus import Consensus
from moot.modes.fact_check.report import ReportData, ReportResult

ContentSource = Literal["generated", "user_provided"]


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
