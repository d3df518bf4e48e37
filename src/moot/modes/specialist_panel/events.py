"""What a specialist panel tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from moot.kernel.events import Event, Opening, every, last_data, title_in
from moot.kernel.values import Answer, Degraded, Failure, FailureKind, Maybe, Row, Wire
from moot.modes.specialist_panel.assessment import (
    Assessment,
    AssessmentSections,
    PanelSynthesis,
    Risk,
    overall_assessment,
    top_risk,
    worst_level,
)
from moot.modes.specialist_panel.config import SpecialistPanelConfig
from moot.modes.specialist_panel.reactions import CrossReview, LedgerEntry
from moot.modes.specialist_panel.reports import SpecialistReport, round_average
from moot.modes.specialist_panel.roles import Expert, seat_experts


class PanelStart(Wire):
    total_specialists: int


class SpecialistLine(Wire):
    seat: int
    role_id: str
    role_title: str
    model: str
    average_score: float | None
    response_time_ms: int


class FailedSpecialist(Wire):
    seat: int
    role_id: str
    role_title: str
    model: str
    kind: FailureKind
    reason: str

    @classmethod
    def of(cls, expert: Expert, failure: Failure) -> FailedSpecialist:
        return cls(
            seat=expert.seat,
            role_id=expert.role.id,
            role_title=expert.role.title,
            model=expert.model,
            kind=failure.kind,
            reason=failure.reason,
        )


class PanelSummary(Wire):
    specialists: list[SpecialistLine]
    failed_specialists: list[FailedSpecialist]
    total_succeeded: int
    total_failed: int

    @classmethod
    def of(cls, reports: Sequence[SpecialistReport], failed: Sequence[FailedSpecialist]) -> PanelSummary:
        shared = set(SpecialistLine.model_fields)
        return cls(
            specialists=[
                SpecialistLine(**report.model_dump(by_alias=False, include=shared)) for report in reports
            ],
            failed_specialists=list(failed),
            total_succeeded=len(reports),
            total_failed=len(failed),
        )


class CrossReviewStartData(Wire):
    total_reviewers: int
    total_findings: int


class CrossReviews(Wire):
    ledger: list[LedgerEntry]
    agreement_rate: float | None
    total_succeeded: int
    total_failed: int


class IntegratedAssessment(Degraded):
    model: str
    integrated_assessment: str
    convergent_finding_count: int | None
    divergent_finding_count: int | None
    recommendation_count: int | None
    risk_matrix: list[Risk]
    panel_score: float | None
    overall_assessment: Assessment | None
    top_risk: str | None
    sections: AssessmentSections
    unknown_citations: list[str]
    under_supported: list[str]
    parse_success: bool
    specialist_count: int
    failed_count: int
    failed_specialists: list[FailedSpecialist]
    response_time_ms: int

    @classmethod
    def of(
        cls,
        reply: Answer,
        synthesis: PanelSynthesis,
        *,
        score: Fraction | None,
        specialist_count: int,
        failed: Sequence[FailedSpecialist],
        state: Mapping[str, Any],
    ) -> IntegratedAssessment:
        return cls(
            model=reply.model,
            integrated_assessment=reply.response,
            convergent_finding_count=synthesis.convergent,
            divergent_finding_count=synthesis.divergent,
            recommendation_count=synthesis.recommendations,
            risk_matrix=synthesis.matrix,
            panel_score=round_average(score),
            overall_assessment=overall_assessment(score, worst_level(synthesis.matrix)),
            top_risk=top_risk(synthesis.matrix),
            sections=synthesis.sections,
            unknown_citations=synthesis.unknown_citations,
            under_supported=synthesis.under_supported,
            parse_success=synthesis.readable,
            specialist_count=specialist_count,
            failed_count=len(failed),
            failed_specialists=list(failed),
            response_time_ms=reply.response_time_ms,
            **state,
        )


class SynthesisResult(Wire):
    model: str
    integrated_assessment: str
    sections: AssessmentSections
    panel_score: float | None
    overall_assessment: Assessment | None
    response_time_ms: int


class SpecialistPanelResult(Wire):
    specialists: list[SpecialistReport]
    failed_specialists: list[FailedSpecialist]
    cross_reviews: list[CrossReview]
    ledger: list[LedgerEntry]
    agreement_rate: float | None
    synthesis: Maybe[SynthesisResult]
    degraded: Maybe[bool]
    warnings: tuple[str, ...]
    title: Maybe[str]


class SpecialistPanelStart(Opening):
    type = "specialist_panel_start"
    roles: list[str]


class SpecialistStart(Event):
    type = "specialist_start"
    data: PanelStart


class SpecialistComplete(Event):
    type = "specialist_complete"
    data: SpecialistReport


class AllSpecialistsComplete(Event):
    type = "all_specialists_complete"
    data: PanelSummary


class CrossReviewStart(Event):
    type = "cross_review_start"
    data: CrossReviewStartData


class CrossReviewComplete(Event):
    type = "cross_review_complete"
    data: CrossReview


class AllCrossReviewsComplete(Event):
    type = "all_cross_reviews_complete"
    data: CrossReviews


class SynthesisStart(Event):
    type = "synthesis_start"


class SynthesisComplete(Event):
    type = "synthesis_complete"
    data: IntegratedAssessment


def opening_extras(config: SpecialistPanelConfig) -> Mapping[str, Any]:
    return {"roles": [expert.role.title for expert in seat_experts(config.specialists)]}


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case SpecialistComplete(data=report):
            apart = {"model", "report", "index", "total_specialists"}
            yield _seat_row(f"specialist_{report.role_id}", 1, report, report.report, apart)
        case CrossReviewComplete(data=review):
            apart = {"seat", "role_id", "role_title", "model", "review_text", "index"}
            yield _seat_row(f"cross_review_{review.role_id}", 2, review, review.review_text, apart)
        case AllCrossReviewsComplete(data=reviews):
            details = reviews.model_dump(include={"ledger", "agreement_rate"})
            content = json.dumps(details["ledger"], ensure_ascii=False)
            yield Row("cross_review_ledger", 3, content, parsed_data=details)
        case SynthesisComplete(data=assessment):
            yield Row(
                "synthesis",
                4,
                assessment.integrated_assessment,
                model=assessment.model,
                role="synthesizer",
                parsed_data=assessment.model_dump(exclude={"model", "integrated_assessment", "sections"}),
                response_time_ms=assessment.response_time_ms,
            )


def _seat_row(
    stage_type: str, order: int, seat: SpecialistReport | CrossReview, content: str, apart: set[str]
) -> Row:
    return Row(
        stage_type,
        order,
        content,
        seat=seat.seat,
        model=seat.model,
        role=seat.role_id,
        parsed_data=seat.model_dump(exclude=apart),
        response_time_ms=seat.response_time_ms,
    )


def result(events: Sequence[Event]) -> SpecialistPanelResult:
    panel, reviews = last_data(events, AllSpecialistsComplete), last_data(events, AllCrossReviewsComplete)
    synthesis, shared = last_data(events, SynthesisComplete), set(SynthesisResult.model_fields)
    return SpecialistPanelResult(
        specialists=sorted(
            (event.data for event in every(events, SpecialistComplete)), key=lambda one: one.seat
        ),
        failed_specialists=panel.failed_specialists if panel else [],
        cross_reviews=sorted(
            (event.data for event in every(events, CrossReviewComplete)), key=lambda one: one.seat
        ),
        ledger=reviews.ledger if reviews else [],
        agreement_rate=reviews.agreement_rate if reviews else None,
        synthesis=SynthesisResult(**{name: getattr(synthesis, name) for name in shared})
        if synthesis
        else None,
        degraded=synthesis.degraded if synthesis else None,
        warnings=synthesis.warnings if synthesis else (),
        title=title_in(events),
    )


def answer(events: Sequence[Event]) -> str | None:
    synthesis = last_data(events, SynthesisComplete)
    return synthesis.integrated_assessment if synthesis else None
