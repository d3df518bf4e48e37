"""The jury's figures: votes counted, scores averaged, agreement put into words. All exact, all ours.

APPROVE 2 · REVISE 2 · REJECT 0   →   REVISE by the tie rule, agreement 0.5
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from moot.deliberation.rounding import half_up
from moot.deliberation.scores import consensus_word
from moot.deliberation.statistics import mean, sample_deviation
from moot.kernel.values import Failure
from moot.modes.jury.events import (
    DIMENSIONS,
    VERDICTS,
    Dimension,
    DimensionAnalysis,
    FailedJuror,
    JurorAssessment,
    JurorSummary,
    Leniency,
    Range,
    Verdict,
    VerdictSource,
    VoteTally,
)
from moot.modes.jury.scorecards import average_score


class Ruling(NamedTuple):
    """A verdict, and what it rests on."""

    verdict: Verdict
    source: VerdictSource


def summarise(jurors: Sequence[JurorAssessment], failures: Sequence[Failure]) -> JurorSummary:
    votes = [juror.verdict for juror in jurors if juror.verdict]
    majority = majority_ruling(votes)
    scores = {dimension: scores_of(jurors, dimension) for dimension in DIMENSIONS}
    every_score = [score for legal in scores.values() for score in legal]
    overall = mean(every_score) if every_score else None
    return JurorSummary(
        juror_count=len(jurors) + len(failures),
        successful_jurors=len(jurors),
        failed_jurors=[FailedJuror.of(failure) for failure in failures],
        majority_verdict=majority.verdict if majority else None,
        verdict_source=majority.source if majority else None,
        vote_tally=VoteTally(
            approve=votes.count("APPROVE"), revise=votes.count("REVISE"), reject=votes.count("REJECT")
        ),
        dimension_averages={
            dimension: _decimal(mean(legal)) if legal else None for dimension, legal in scores.items()
        },
        dimension_ranges={
            dimension: Range(min=min(legal), max=max(legal)) if legal else None
            for dimension, legal in scores.items()
        },
        dimension_std_devs={
            dimension: _decimal(sample_deviation(legal)) if legal else None
            for dimension, legal in scores.items()
        },
        overall_average=_decimal(overall),
        verdict_agreement=agreement(votes),
        leniency=[_leniency(juror, overall) for juror in jurors],
    )


def scores_of(jurors: Sequence[JurorAssessment], dimension: Dimension) -> list[int]:
    """What the jurors gave it, those left out who gave no legal score."""
    return [score for juror in jurors if (score := juror.scores[dimension]) is not None]


def majority_ruling(votes: Sequence[Verdict]) -> Ruling | None:
    """The plurality. A tie between neighbours goes to the stricter one; any other to REVISE."""
    count = Counter(votes)
    most = max(count.values(), default=0)
    leaders = {verdict for verdict in VERDICTS if most and count[verdict] == most}
    if not leaders:
        return None
    if len(leaders) == 1:
        return Ruling(leaders.pop(), "majority")
    return Ruling("REJECT" if leaders == {"REVISE", "REJECT"} else "REVISE", "tie_rule")


def final_ruling(summary: JurorSummary, foreman: Verdict | None) -> Ruling:
    """The majority binds; the foreman's view decides only if no vote could be counted."""
    if summary.majority_verdict and summary.verdict_source:
        return Ruling(summary.majority_verdict, summary.verdict_source)
    return Ruling(foreman, "foreman") if foreman else Ruling("REVISE", "default")


def agreement(votes: Sequence[Verdict]) -> float | None:
    """The share of the most frequent vote."""
    return half_up(Fraction(max(Counter(votes).values()), len(votes)), 4) if votes else None


def analyse_dimensions(jurors: Sequence[JurorAssessment], summary: JurorSummary) -> list[DimensionAnalysis]:
    """The figures of each dimension, as the report shows them."""
    analyses = []
    for dimension in DIMENSIONS:
        between = summary.dimension_ranges[dimension]
        analyses.append(
            DimensionAnalysis(
                dimension=dimension,
                avg_score=summary.dimension_averages[dimension],
                min_score=between.min if between else None,
                max_score=between.max if between else None,
                consensus=consensus_word(scores_of(jurors, dimension)),
            )
        )
    return analyses


def _leniency(juror: JurorAssessment, overall: Fraction | None) -> Leniency:
    own = average_score(juror.scores)
    return Leniency(
        seat=juror.seat, value=None if own is None or overall is None else _decimal(own - overall)
    )


def _decimal(number: Fraction | float | None) -> float | None:
    return None if number is None else half_up(number, 1)
