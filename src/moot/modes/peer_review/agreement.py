"""How far reviewers agree: per criterion, over all, and beyond chance.

Security   R1 2 · R2 5   →   average 3.5, deviation 1.50, range 3: Low, a disputed criterion
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from moot.deliberation.rounding import half_up
from moot.deliberation.scores import agreement, spread
from moot.deliberation.statistics import exact, krippendorff_alpha, mean, population_deviation, weighted_mean
from moot.kernel.values import Wire
from moot.modes.peer_review.reviews import Review, overall_score
from moot.modes.peer_review.rubrics import Rubric

Agreement = Literal["High", "Medium", "Low"]


class ConsensusScore(Wire):
    """Null where nobody scored; deviation and agreement need two."""

    criterion: str
    average: float | None
    stddev: float | None
    range: float | None
    agreement: Agreement | None
    score_count: int

    @classmethod
    def of(cls, criterion: str, scores: Sequence[Fraction]) -> ConsensusScore:
        distance = spread(scores)
        return cls(
            criterion=criterion,
            average=half_up(mean(scores), 1) if scores else None,
            stddev=half_up(population_deviation(scores), 2) if len(scores) > 1 else None,
            range=None if distance is None else float(distance),
            agreement=agreement(scores),
            score_count=len(scores),
        )


class Concordance(Wire):
    """What the scores of all reviewers say together; issues have no part in it."""

    consensus_scores: list[ConsensusScore]
    weighted_overall_avg: float | None
    weighted_overall_stddev: float | None
    overall_agreement: Agreement | None
    average_score_stddev: float | None
    krippendorff_alpha: float | None
    unanimous: bool

    @property
    def disputed(self) -> list[str]:
        return [one.criterion for one in self.consensus_scores if one.agreement == "Low"]


class InterReviewerAgreement(Wire):
    average_score_stddev: float | None
    findings_overlap_rate: float | None
    severity_agreement_rate: float | None
    krippendorff_alpha: float | None
    unanimous: bool


def measure_concordance(reviews: Sequence[Review], rubric: Rubric) -> Concordance:
    scores = {name: scores_of(reviews, name) for name in rubric.names}
    overalls = [overall for review in reviews if (overall := overall_score(review.scores)) is not None]
    weighted_scores = [
        (mean(criterion_scores), rubric.weights[name])
        for name, criterion_scores in scores.items()
        if criterion_scores
    ]
    comparable = [criterion_scores for criterion_scores in scores.values() if len(criterion_scores) > 1]
    alpha = krippendorff_alpha(comparable)
    return Concordance(
        consensus_scores=[
            ConsensusScore.of(name, criterion_scores) for name, criterion_scores in scores.items()
        ],
        weighted_overall_avg=half_up(weighted_mean(weighted_scores), 1) if weighted_scores else None,
        weighted_overall_stddev=half_up(population_deviation(overalls), 2) if len(overalls) > 1 else None,
        overall_agreement=agreement(overalls),
        average_score_stddev=half_up(
            mean(population_deviation(criterion_scores) for criterion_scores in comparable), 2
        )
        if comparable
        else None,
        krippendorff_alpha=None if alpha is None else half_up(alpha, 2),
        unanimous=alpha is None and bool(comparable),
    )


def scores_of(reviews: Sequence[Review], criterion: str) -> list[Fraction]:
    return [
        exact(one.score)
        for review in reviews
        for one in review.scores
        if one.criterion == criterion and one.score is not None
    ]


def average_overall(reviews: Sequence[Review]) -> float | None:
    overalls = [overall for review in reviews if (overall := overall_score(review.scores)) is not None]
    return half_up(mean(overalls), 1) if overalls else None
