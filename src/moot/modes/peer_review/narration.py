"""A peer review told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event
from moot.kernel.narration import Bar, Narration, Passage, count, quote, seat_name
from moot.modes.peer_review.events import (
    AllReviewersComplete,
    ConsolidationComplete,
    ConsolidationData,
    ReviewerComplete,
    ReviewRound,
)
from moot.modes.peer_review.reviews import Review

HIGHEST = 5


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case ReviewerComplete(data=review):
            return Passage("Reviews", (_review(review),))
        case AllReviewersComplete(data=held):
            return _reviews(held)
        case ConsolidationComplete(data=consolidation):
            return _consolidation(consolidation)
    return None


def _review(review: Review) -> str:
    name = seat_name(review.seat, review.model)
    score = "no score" if review.overall_score is None else f"{review.overall_score:g} of {HIGHEST}"
    found = [f"{number} {severity.lower()}" for severity, number in review.finding_counts.items() if number]
    return f"{name}: {score}; {', '.join(found) or 'no findings'}."


def _reviews(held: ReviewRound) -> Passage:
    missing = tuple(f"{one.model or 'A reviewer'} is missing: {one.reason}" for one in held.failed_reviewers)
    average = held.average_overall_score
    mean = () if average is None else (f"Average score {average:g} of {HIGHEST}.",)
    return Passage("Reviews", (*missing, *mean))


def _consolidation(report: ConsolidationData) -> Passage:
    sentences = [
        f"{count(report.total_findings, 'finding')}: {report.critical_finding_count} critical, "
        f"{report.major_finding_count} major; {count(report.consensus_finding_count, 'issue')} "
        "found by two reviewers or more."
    ]
    sentences += [f"{issue.severity}: {quote(issue.title)}" for issue in report.issues]
    bars = tuple(
        Bar(score.criterion, score.average, f"{score.average:g} of {HIGHEST}")
        for score in report.consensus_scores
        if score.average is not None
    )
    return Passage("Consolidation", tuple(sentences), bars, highest=HIGHEST)


NARRATION = Narration({"reviewers": "Reviews", "consolidation": "Consolidation"}, tell)
