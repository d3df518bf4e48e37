"""What a peer review tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from moot.kernel.events import Event, Opening, every, last_data, title_in
from moot.kernel.values import Degraded, Failure, FailureKind, Maybe, Row, Wire
from moot.modes.peer_review.agreement import (
    Agreement,
    ConsensusScore,
    InterReviewerAgreement,
    average_overall,
)
from moot.modes.peer_review.issues import ActionItem, Dispute, ReviewIssue
from moot.modes.peer_review.reviews import Review, Severity
from moot.modes.peer_review.rubrics import ReviewType


class ReviewersStartData(Wire):
    total_reviewers: int


class FailedReviewer(Wire):
    reviewer_index: int
    model: str | None
    kind: FailureKind
    reason: str

    @classmethod
    def of(cls, failure: Failure) -> FailedReviewer:
        return cls(
            reviewer_index=(failure.seat or 1) - 1,
            model=failure.model,
            kind=failure.kind,
            reason=failure.reason,
        )


class ReviewLine(Wire):
    seat: int
    reviewer_index: int
    model: str
    overall_score: float | None
    finding_counts: dict[Severity, int]
    response_time_ms: int


class ReviewRound(Wire):
    reviews: list[ReviewLine]
    failed_reviewers: list[FailedReviewer]
    total_succeeded: int
    total_failed: int
    average_overall_score: float | None

    @classmethod
    def of(cls, reviews: Sequence[Review], failures: Sequence[FailedReviewer]) -> ReviewRound:
        shared = set(ReviewLine.model_fields)
        return cls(
            reviews=[ReviewLine.model_validate(review.model_dump(include=shared)) for review in reviews],
            failed_reviewers=list(failures),
            total_succeeded=len(reviews),
            total_failed=len(failures),
            average_overall_score=average_overall(reviews),
        )


class ConsolidationData(Degraded):
    """`model`, `consolidator_text` and `response_time_ms` are null if no model consolidated."""

    model: str | None
    consolidated_report: str
    executive_summary: str | None
    consolidation_mode: Literal["model", "computed"]
    consolidator_text: str | None
    reviewer_count: int
    failed_reviewers: list[FailedReviewer]
    consensus_scores: list[ConsensusScore]
    weighted_overall_avg: float | None
    weighted_overall_stddev: float | None
    overall_agreement: Agreement | None
    total_findings: int
    issues: list[ReviewIssue]
    action_items: list[ActionItem]
    disputes: list[Dispute]
    consensus_finding_count: int
    unique_finding_count: int
    disputed_assessment_count: int
    action_item_count: int
    critical_finding_count: int
    major_finding_count: int
    inter_reviewer_agreement: InterReviewerAgreement
    response_time_ms: int | None


class PeerReviewResult(Wire):
    reviews: list[Review]
    failed_reviewers: Maybe[list[FailedReviewer]]
    consolidation: Maybe[ConsolidationData]
    degraded: Maybe[bool]
    warnings: Maybe[tuple[str, ...]]
    title: Maybe[str]


class PeerReviewStart(Opening):
    type = "peer_review_start"
    review_type: ReviewType


class ReviewersStart(Event):
    type = "reviewers_start"
    data: ReviewersStartData


class ReviewerComplete(Event):
    type = "reviewer_complete"
    data: Review


class AllReviewersComplete(Event):
    type = "all_reviewers_complete"
    data: ReviewRound


class ConsolidationStart(Event):
    type = "consolidation_start"


class ConsolidationComplete(Event):
    type = "consolidation_complete"
    data: ConsolidationData


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case ReviewerComplete(data=review):
            yield Row(
                f"review_{review.seat}",
                1,
                review.review_text,
                seat=review.seat,
                model=review.model,
                role="reviewer",
                parsed_data=review.model_dump(exclude={"seat", "model", "review_text", "total_reviewers"}),
                response_time_ms=review.response_time_ms,
            )
        case ConsolidationComplete(data=consolidation):
            yield Row(
                "consolidation",
                2,
                consolidation.consolidated_report,
                model=consolidation.model,
                role="consolidator",
                parsed_data=consolidation.model_dump(exclude={"model", "consolidated_report"}),
                response_time_ms=consolidation.response_time_ms,
            )


def result(events: Sequence[Event]) -> PeerReviewResult:
    round_, consolidation = last_data(events, AllReviewersComplete), last_data(events, ConsolidationComplete)
    return PeerReviewResult(
        reviews=sorted((event.data for event in every(events, ReviewerComplete)), key=lambda one: one.seat),
        failed_reviewers=round_.failed_reviewers if round_ else None,
        consolidation=consolidation,
        degraded=consolidation.degraded if consolidation else None,
        warnings=consolidation.warnings if consolidation else None,
        title=title_in(events),
    )


def answer(events: Sequence[Event]) -> str | None:
    consolidation = last_data(events, ConsolidationComplete)
    return consolidation.consolidated_report if consolidation else None
