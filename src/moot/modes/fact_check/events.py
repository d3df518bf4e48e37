"""What a fact-check tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from moot.deliberation.second_opinions import SecondOpinion
from moot.deliberation.text import word_count
from moot.kernel.events import Event, Opening, every, last_data, title_in
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Answer, Degraded, FailedModel, Maybe, Row, Wire
from moot.modes.fact_check.claims import CLAIM_TYPES, Claim, ClaimType
from moot.modes.fact_check.config import FactCheckConfig
from moot.modes.fact_check.consensus import CheckerCount, Consensus, VerdictCount, Verification

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


class Extraction(Wire):
    """What was found in a text; `checked_length` characters of it were looked at. `second_opinion`: the
    extractor found no claim, and another model was asked; if that found some, `model` and claims are its."""

    model: str
    claims: list[Claim]
    total_claims: int
    type_breakdown: dict[ClaimType, int]
    dropped_claims: int
    truncated: bool
    checked_length: int
    second_opinion: Maybe[SecondOpinion] = None
    raw_text: str
    response_time_ms: int

    @classmethod
    def of(
        cls,
        reply: Answer,
        claims: list[Claim],
        dropped: int,
        checked_length: int,
        *,
        truncated: bool,
        second_opinion: SecondOpinion | None = None,
    ) -> Extraction:
        counts = Counter(claim.type for claim in claims)
        return cls(
            model=reply.model,
            claims=claims,
            total_claims=len(claims),
            type_breakdown={kind: counts[kind] for kind in CLAIM_TYPES if counts[kind]},
            dropped_claims=dropped,
            truncated=truncated,
            checked_length=checked_length,
            second_opinion=second_opinion,
            raw_text=reply.response,
            response_time_ms=reply.response_time_ms,
        )


class VerifyStartData(Wire):
    checker_count: int
    claim_count: int


class CheckerReport(Wire):
    """`failed`: not one of its verdicts could be had."""

    index: int
    seat: int
    model: str
    verifications: list[Verification]
    summary: CheckerCount
    failed: bool
    raw_text: str
    response_time_ms: int

    def seat_result(self, rulings: Sequence[Consensus]) -> SeatResult:
        """How often it said what the checkers together say."""
        common = {one.claim_id: one.consensus_verdict for one in rulings}
        votes = [one for one in self.verifications if not one.missing and one.claim_id in common]
        agreed = sum(one.verdict == common[one.claim_id] for one in votes)
        return SeatResult(self.seat, self.model, agreed=agreed, cases=len(votes))


class ConsensusData(Wire):
    consensus: list[Consensus]
    checker_count: int
    failed_checkers: list[FailedModel]


class ReportSummary(VerdictCount):
    note: Maybe[str]


class ReportFigures(Wire):
    """Figures are null where there is nothing to count, `model` if no model wrote a commentary."""

    model: str | None
    reliability_score: int | None
    band: str | None
    coverage: float | None
    summary: ReportSummary
    average_agreement_rate: float | None
    annotated_content: str
    fallback: bool
    response_time_ms: int | None


class ReportData(ReportFigures, Degraded):
    report: str
    checker_count: int
    raw_text: str | None


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
    data: VerifyStartData


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


class ReportResult(ReportFigures):
    report_text: str

    @classmethod
    def of(cls, report: ReportData) -> ReportResult:
        figures = report.model_dump(by_alias=False, include=set(ReportFigures.model_fields))
        return cls(**figures, report_text=report.report)


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
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case GenerateComplete(data=text):
            yield Row(
                "generate",
                0,
                text.content,
                model=text.model,
                role="generator",
                parsed_data={
                    "contentSource": "generated",
                    "inputQuestion": text.input_question,
                    **measures(text.content),
                },
                response_time_ms=text.response_time_ms,
            )
        case ExtractStart(data=ContentData(content=str(content))):
            details = {"contentSource": "user_provided", **measures(content)}
            yield Row("content", 0, content, parsed_data=details)
        case ExtractComplete(data=extraction):
            yield Row(
                "extract",
                1,
                extraction.raw_text,
                model=extraction.model,
                role="extractor",
                parsed_data=extraction.model_dump(exclude={"model", "raw_text", "response_time_ms"}),
                response_time_ms=extraction.response_time_ms,
            )
        case CheckerComplete(data=checker) if not checker.failed:
            yield Row(
                f"verify_{checker.index}",
                10 + checker.index,
                checker.raw_text,
                seat=checker.seat,
                model=checker.model,
                role="checker",
                parsed_data=checker.model_dump(include={"verifications", "summary"}),
                response_time_ms=checker.response_time_ms,
            )
        case AllCheckersComplete(data=data):
            details = data.model_dump()
            content = json.dumps(details["consensus"], ensure_ascii=False)
            yield Row("consensus", 20, content, parsed_data=details)
        case ReportComplete(data=report):
            yield Row(
                "report",
                99,
                report.report,
                model=report.model,
                role="reporter",
                parsed_data=report_details(report),
                response_time_ms=report.response_time_ms,
            )


def measures(text: str) -> dict[str, int]:
    return {"contentLength": len(text), "wordCount": word_count(text)}


def report_details(report: ReportData) -> dict[str, Any]:
    counts = report.summary
    apart = {"model", "summary", "report", "raw_text", "response_time_ms"}
    return {
        **report.model_dump(exclude=apart),
        **counts.model_dump(),
        "totalClaims": counts.verified + counts.disputed + counts.unverifiable,
    }


def result(events: Sequence[Event]) -> FactCheckResult:
    consensus, report = last_data(events, AllCheckersComplete), last_data(events, ReportComplete)
    checkers = sorted((event.data for event in every(events, CheckerComplete)), key=lambda one: one.seat)
    verification = None
    if consensus:
        verification = VerificationResult(
            checkers=checkers, consensus=consensus.consensus, failed_checkers=consensus.failed_checkers
        )
    return FactCheckResult(
        content=checked_content(events),
        extraction=last_data(events, ExtractComplete),
        verification=verification,
        report=ReportResult.of(report) if report else None,
        degraded=report.degraded if report else None,
        warnings=report.warnings if report else None,
        title=title_in(events),
    )


def checked_content(events: Sequence[Event]) -> CheckedContent | None:
    generated, given = last_data(events, GenerateComplete), last_data(events, ExtractStart)
    extraction = last_data(events, ExtractComplete)
    text = generated.content if generated else given.content if given else None
    if text is None:
        return None
    return CheckedContent(
        source="generated" if generated else "user_provided",
        model=generated.model if generated else None,
        text=text,
        truncated=extraction.truncated if extraction else False,
        response_time_ms=generated.response_time_ms if generated else None,
    )


def answer(events: Sequence[Event]) -> str | None:
    report = last_data(events, ReportComplete)
    return report.report if report else None


def seat_results(events: Sequence[Event]) -> Iterable[SeatResult]:
    verification = result(events).verification
    if verification is None:
        return ()
    return [
        checker.seat_result(verification.consensus) for checker in verification.checkers if not checker.failed
    ]
