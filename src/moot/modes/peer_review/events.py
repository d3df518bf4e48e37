"""What a peer_review tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.values import Maybe, Row, Wire
from moot.modes.peer_review.agreement import average_overall
from moot.modes.peer_review.report import Consolidated, FailedReviewer
from moot.modes.peer_review.reviews import Review, Severity
from moot.modes.peer_review.rubrics import ReviewType


class ReviewersCalled(Wire):
    total_reviewers: int


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
        kept = set(ReviewLine.model_fields)
        return cls(
            reviews=[ReviewLine.model_validate(one.model_dump(include=kept)) for one in reviews],
            failed_reviewers=list(failures),
            total_succeeded=len(reviews),
            total_failed=len(failures),
            average_overall_score=average_overall(reviews),
        )


class PeerReviewResult(Wire):
    reviews: list[Review]
    failed_reviewers: Maybe[list[FailedReviewer]]
    consolidation: Maybe[Consolidated]
    degraded: Maybe[bool]
    warnings: Maybe[tuple[str, ...]]
    title: Maybe[str]


class PeerReviewStart(Opening):
    type = "peer_review_start"
    review_type: ReviewType


class ReviewersStart(Event):
    type = "reviewers_start"
    data: ReviewersCalled


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
    data: Consolidated


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case ReviewerComplete(data=one):
            apart = {"seat", "model", "review_text", "total_reviewers"}
            yield Row(
                f"review_{one.seat}",
                1,
                one.review_text,
                seat=one.seat,
                model=one.model,
                role="reviewer",
                parsed_data=one.model_dump(exclude=apart),
                response_time_ms=one.response_time_ms,
            )
        case ConsolidationComplete(data=consolidated):
            apart = {"model", "consolidated_report"}
            yield Row(
                "consolidation",
                2,
                consolidated.consolidated_report,
                model=consolidated.model,
                role="consolidator",
                parsed_data=consolidated.model_dump(exclude=apart),
                response_time_ms=consolidated.response_time_ms,
            )


def result(events: Sequence[Event]) -> PeerReviewResult:
    round_, done = last(events, AllReviewersComplete), last(events, ConsolidationComplete)
    title = last(events, TitleComplete)
    return PeerReviewResult(
        reviews=sorted((event.data for event in every(events, ReviewerComplete)), key=lambda one: one.seat),
        failed_reviewers=round_.data.failed_reviewers if round_ else None,
        consolidation=done.data if done else None,
        degraded=done.data.degraded if done else None,
        warnings=done.data.warnings if done else None,
        title=title.data.title if title else None,
    )


def answer(events: Sequence[Event]) -> str | None:
    done = last(events, ConsolidationComplete)
    return done.data.consolidated_report if done else None
