"""What a specialist_panel tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.values import Maybe, Row, Wire
from moot.modes.specialist_panel.assessment import Assessment, AssessmentSections, IntegratedAssessment
from moot.modes.specialist_panel.config import SpecialistPanelConfig
from moot.modes.specialist_panel.reactions import CrossReview, CrossReviews, LedgerEntry
from moot.modes.specialist_panel.reports import FailedSpecialist, PanelHeard, SpecialistReport
from moot.modes.specialist_panel.roles import seated


class PanelCalled(Wire):
    total_specialists: int


class ReviewersCalled(Wire):
    total_reviewers: int
    total_findings: int


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
    data: PanelCalled


class SpecialistComplete(Event):
    type = "specialist_complete"
    data: SpecialistReport


class AllSpecialistsComplete(Event):
    type = "all_specialists_complete"
    data: PanelHeard


class CrossReviewStart(Event):
    type = "cross_review_start"
    data: ReviewersCalled


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
    return {"roles": [expert.role.title for expert in seated(config.specialists)]}


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
            kept = reviews.model_dump(include={"ledger", "agreement_rate"})
            content = json.dumps(kept["ledger"], ensure_ascii=False)
            yield Row("cross_review_ledger", 3, content, parsed_data=kept)
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
    stage_type: str, order: int, said: SpecialistReport | CrossReview, content: str, apart: set[str]
) -> Row:
    return Row(
        stage_type,
        order,
        content,
        seat=said.seat,
        model=said.model,
        role=said.role_id,
        parsed_data=said.model_dump(exclude=apart),
        response_time_ms=said.response_time_ms,
    )


def result(events: Sequence[Event]) -> SpecialistPanelResult:
    heard, reviewed = last(events, AllSpecialistsComplete), last(events, AllCrossReviewsComplete)
    synthesis, title = last(events, SynthesisComplete), last(events, TitleComplete)
    final = synthesis.data if synthesis else None
    shared = set(SynthesisResult.model_fields)
    return SpecialistPanelResult(
        specialists=sorted((e.data for e in every(events, SpecialistComplete)), key=lambda one: one.seat),
        failed_specialists=heard.data.failed_specialists if heard else [],
        cross_reviews=sorted((e.data for e in every(events, CrossReviewComplete)), key=lambda one: one.seat),
        ledger=reviewed.data.ledger if reviewed else [],
        agreement_rate=reviewed.data.agreement_rate if reviewed else None,
        synthesis=SynthesisResult(**{name: getattr(final, name) for name in shared}) if final else None,
        degraded=final.degraded if final else None,
        warnings=final.warnings if final else (),
        title=title.data.title if title else None,
    )


def answer(events: Sequence[Event]) -> str | None:
    synthesis = last(events, SynthesisComplete)
    return synthesis.data.integrated_assessment if synthesis else None
