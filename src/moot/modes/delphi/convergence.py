"""How a panel's answers lie: statistics of a round, and whether the panel agrees.

    30 40 44 90   median 42, relative spread 0.4527: 90 lies outside, go on
    38 41 44 52   median 42.5, relative spread 0.1192: agreed

Spread is measured as the scale demands: years against the distance from now, percentages against
their range, magnitudes in ratios. What cannot be computed is null, and no agreement.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, Literal, Protocol

from moot.deliberation.rounding import half_up
from moot.deliberation.statistics import (
    Figure,
    entropy,
    exact,
    mean,
    median,
    median_deviation,
    population_deviation,
    population_variance,
    quartiles,
    sample_deviation,
)
from moot.kernel.values import Wire
from moot.modes.delphi.answers import OTHER, Confidence

Scale = Literal["RATIO", "MAGNITUDE", "BOUNDED", "DATE"]

HIGH_VARIANCE = 2.0
LARGEST_LOG_VARIANCE = 700
STUDENT: Final[Mapping[int, float]] = {3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447}
"""Two-sided 95% quantiles by number of answers."""
UNCHANGED = Fraction(1, 10**9)
_WEIGHT: Final[Mapping[Confidence, int]] = {"LOW": 1, "MEDIUM": 2, "HIGH": 3}


class ConfidenceCounts(Wire):
    low: int
    medium: int
    high: int


class NumericStats(Wire):
    """`cv` is the relative spread on the scale `dispersion_kind`; `outliers` are participant indices."""

    mean: float
    median: float
    std_dev: float
    min: float
    max: float
    q1: float
    q3: float
    cv: float | None
    dispersion_kind: Scale
    outliers: list[int]
    high_variance: bool
    confidence_counts: ConfidenceCounts
    changed_count: int
    toward_median_count: int
    fresh_count: int


class Share(Wire):
    answer: str
    count: int
    percentage: int


class QualitativeStats(Wire):
    """`entropy` 0: all alike. `mode_tied`: others have as many votes as the mode."""

    distribution: list[Share]
    agreement_percentage: int
    mode: str
    mode_tied: bool
    entropy: float
    confidence_counts: ConfidenceCounts
    changed_count: int
    fresh_count: int


Stats = NumericStats | QualitativeStats


class PanelAnswer(Protocol):
    """What a participant holds after a round; `estimate` or `answer` is set."""

    @property
    def participant_index(self) -> int: ...
    @property
    def estimate(self) -> float | None: ...
    @property
    def answer(self) -> str | None: ...
    @property
    def previous_estimate(self) -> float | None: ...
    @property
    def confidence(self) -> Confidence: ...
    @property
    def changed(self) -> bool: ...
    @property
    def carried_forward(self) -> bool: ...


def numeric_stats(
    answers: Sequence[PanelAnswer],
    scale: Scale,
    bounds: tuple[float, float] | None,
    anchor: int,
    shown_median: float | None,
) -> NumericStats:
    """`shown_median`: that of the round before, which the panel was told."""
    values = [one.estimate or 0.0 for one in answers]
    cv, kind, high = dispersion(values, scale, bounds, anchor)
    low, high_quartile = quartiles(values)
    return NumericStats(
        mean=float(mean(values)),
        median=float(median(values)),
        std_dev=population_deviation(values),
        min=min(values),
        max=max(values),
        q1=float(low),
        q3=float(high_quartile),
        cv=cv,
        dispersion_kind=kind,
        outliers=[
            one.participant_index
            for one, far in zip(answers, far_outside(values, anchor if scale == "DATE" else 0), strict=True)
            if far
        ],
        high_variance=high,
        confidence_counts=confidence_counts(answers),
        changed_count=sum(one.changed for one in answers),
        toward_median_count=0
        if shown_median is None
        else sum(_came_closer(one, shown_median) for one in answers),
        fresh_count=fresh_count(answers),
    )


def dispersion(
    values: Sequence[float], scale: Scale, bounds: tuple[float, float] | None, anchor: int
) -> tuple[float | None, Scale, bool]:
    """The relative spread, the scale it was measured on, and whether it is very high."""
    if scale == "MAGNITUDE" and all(value > 0 for value in values):
        variance = float(population_variance(math.log(value) for value in values))
        if variance > LARGEST_LOG_VARIANCE:
            return None, "MAGNITUDE", True
        spread = math.sqrt(math.expm1(variance))
        return spread, "MAGNITUDE", spread > HIGH_VARIANCE
    deviation = population_deviation(values)
    kind: Scale = "RATIO" if scale == "MAGNITUDE" or (scale == "BOUNDED" and bounds is None) else scale
    if kind == "BOUNDED" and bounds is not None:
        whole = (exact(bounds[1]) - exact(bounds[0])) / 2
    else:
        whole = abs(mean(values) - (anchor if kind == "DATE" else 0))
    if deviation == 0:
        return 0.0, kind, False
    relative = deviation / float(whole) if float(whole) else math.inf
    return (relative if math.isfinite(relative) else None), kind, relative > HIGH_VARIANCE


def far_outside(values: Sequence[float], anchor: int) -> list[bool]:
    """By the modified z-score; where most agree exactly, by the distance from what they agree on."""
    middle, deviation = median(values), median_deviation(values)
    distances = [abs(exact(value) - middle) for value in values]
    if deviation == 0:
        return [distance > abs(middle - anchor) / 2 for distance in distances]
    return [Fraction(6745, 10_000) * distance > Fraction(7, 2) * deviation for distance in distances]


def interval95(values: Sequence[float], kind: Scale) -> tuple[float, float] | None:
    """What a sample of independent answers would suggest; ours are not, so it only describes them."""
    logs = kind == "MAGNITUDE"
    figures: list[Figure] = [math.log(value) for value in values] if logs else list(values)
    deviation, student = sample_deviation(figures), STUDENT.get(len(figures))
    if deviation is None or student is None:
        return None
    middle, half = float(mean(figures)), student * deviation / math.sqrt(len(figures))
    ends = (middle - half, middle + half)
    try:
        low, high = (math.exp(ends[0]), math.exp(ends[1])) if logs else ends
    except OverflowError:
        return None
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


def is_change(one: float, other: float) -> bool:
    """Differences below a billionth are none."""
    return abs(exact(one) - exact(other)) > UNCHANGED * max(abs(exact(one)), abs(exact(other)))


def _came_closer(one: PanelAnswer, middle: float) -> bool:
    if not one.changed or one.estimate is None or one.previous_estimate is None:
        return False
    return abs(one.estimate - middle) < abs(one.previous_estimate - middle)


def confidence_counts(answers: Sequence[PanelAnswer]) -> ConfidenceCounts:
    counts = Counter(one.confidence for one in answers)
    return ConfidenceCounts(low=counts["LOW"], medium=counts["MEDIUM"], high=counts["HIGH"])


def fresh_count(answers: Sequence[PanelAnswer]) -> int:
    return sum(not one.carried_forward for one in answers)


def qualitative_stats(
    answers: Sequence[PanelAnswer], options: Sequence[str], mode_before: str | None
) -> QualitativeStats:
    """Answers that are none of the options come after them, in the order of the participants."""
    texts = [one.answer or OTHER for one in answers]
    counts = Counter(texts)
    order = list(dict.fromkeys([*options, *texts]))
    confidence = {
        answer: sum(_WEIGHT[one.confidence] for one in answers if one.answer == answer) for answer in counts
    }
    leaders = sorted(
        (answer for answer in counts if counts[answer] == max(counts.values())),
        key=lambda answer: (-confidence.get(answer, 0), answer != mode_before, order.index(answer)),
    )
    by_count = sorted(counts, key=lambda answer: (-counts[answer], order.index(answer)))
    return QualitativeStats(
        distribution=[
            Share(answer=answer, count=counts[answer], percentage=percent(counts[answer], len(answers)))
            for answer in by_count
        ],
        agreement_percentage=percent(counts[leaders[0]], len(answers)),
        mode=leaders[0],
        mode_tied=len(leaders) > 1,
        entropy=entropy(counts.values(), len(order)),
        confidence_counts=confidence_counts(answers),
        changed_count=sum(one.changed for one in answers),
        fresh_count=fresh_count(answers),
    )


def percent(count: int, total: int) -> int:
    return int(half_up(Fraction(100 * count, total), 0))


def has_converged(stats: Stats, *, numeric_below: float, percent_from: float) -> bool:
    """A spread strictly below its threshold; an exact share, not the rounded one, that reaches it."""
    if isinstance(stats, NumericStats):
        return stats.cv is not None and stats.cv < numeric_below
    counts = [share.count for share in stats.distribution]
    return Fraction(100 * max(counts), sum(counts)) >= exact(percent_from)
