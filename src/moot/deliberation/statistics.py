"""How figures lie: mean, median, quartiles, deviation, entropy, agreement among raters.

    >>> mean([1, 2, 4]), median([30, 40, 44, 90]), sample_deviation([1, 2, 3])
    (Fraction(7, 3), Fraction(42, 1), 1.0)

What can be exact is: figures come in as whole numbers, fractions or decimals as they read, and means
and variances go out as fractions. Roots and logarithms are floats.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from operator import mul

Figure = int | float | Decimal | Fraction


def exact(figure: Figure) -> Fraction:
    """A float is taken at its shortest decimal reading: 0.1 is a tenth."""
    if isinstance(figure, Fraction):
        return figure
    return _as_read(figure) if isinstance(figure, float) else Fraction(figure)


@lru_cache(maxsize=1024)
def _as_read(figure: float) -> Fraction:
    return Fraction(Decimal(repr(figure)))


def total(figures: Iterable[Figure]) -> Fraction:
    whole, denominator = _whole([exact(figure) for figure in figures])
    return Fraction(sum(whole), denominator)


def mean(figures: Iterable[Figure]) -> Fraction:
    """Raises ValueError without figures, like all below that need some."""
    values = _values(figures)
    return total(values) / len(values)


def weighted_mean(weighted: Iterable[tuple[Figure, Figure]]) -> Fraction:
    """Of (figure, weight) pairs; the weights must not add up to nothing."""
    pairs = [(exact(figure), exact(weight)) for figure, weight in weighted]
    figures, denominator = _whole([figure for figure, _ in pairs])
    weights, _ = _whole([weight for _, weight in pairs])
    if not sum(weights):
        raise ValueError("A weighted mean needs figures whose weights add up to more than nothing.")
    return Fraction(sum(map(mul, figures, weights)), denominator * sum(weights))


def median(figures: Iterable[Figure]) -> Fraction:
    return quantile(figures, Fraction(1, 2))


def quartiles(figures: Iterable[Figure]) -> tuple[Fraction, Fraction]:
    """The lower and the upper, by linear interpolation with both ends included."""
    values = list(figures)
    return quantile(values, Fraction(1, 4)), quantile(values, Fraction(3, 4))


def quantile(figures: Iterable[Figure], share: Fraction) -> Fraction:
    values = sorted(_values(figures))
    place = share * (len(values) - 1)
    below = math.floor(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (place - below)


def median_deviation(figures: Iterable[Figure]) -> Fraction:
    """The median of the distances from the median (MAD)."""
    values = _values(figures)
    middle = median(values)
    return median(abs(value - middle) for value in values)


def population_variance(figures: Iterable[Figure]) -> Fraction:
    values = _values(figures)
    whole, denominator = _whole(values)
    spread = len(whole) * sum(one * one for one in whole) - sum(whole) ** 2
    return Fraction(spread, (len(whole) * denominator) ** 2)


def population_deviation(figures: Iterable[Figure]) -> float:
    return root(population_variance(figures))


def sample_deviation(figures: Iterable[Figure]) -> float | None:
    """None with fewer than two figures."""
    values = _values(figures)
    if len(values) < 2:
        return None
    return root(population_variance(values) * len(values) / (len(values) - 1))


def root(number: Fraction) -> float:
    """The square root, of fractions too that are out of a float's range."""
    shift = max(0, 130 - number.numerator.bit_length() + number.denominator.bit_length()) // 2
    whole = math.isqrt((number.numerator << 2 * shift) // number.denominator)
    return float(Fraction(whole, 1 << shift))


def entropy(counts: Iterable[int], kinds: int | None = None) -> float:
    """From 0, all alike, to 1, evenly spread over the kinds there could be (two at least)."""
    positive = [count for count in counts if count > 0]
    total = sum(positive)
    possible = max(2, len(positive) if kinds is None else kinds)
    return math.fsum(count / total * math.log(total / count) for count in positive) / math.log(possible)


def krippendorff_alpha(units: Iterable[Sequence[Figure]]) -> Fraction | None:
    """Interval agreement of raters over units, each given by the ratings it got.

    1 is full agreement, 0 what chance gives, less is worse than chance. Units with one rating are
    left out; None if all ratings are the same, or there are none.
    """
    comparable = [[exact(rating) for rating in unit] for unit in units if len(unit) >= 2]
    pooled = [rating for unit in comparable for rating in unit]
    expected = _differences(pooled)
    if not expected:
        return None
    observed = sum((_differences(unit) / (len(unit) - 1) for unit in comparable), Fraction(0))
    return 1 - observed * (len(pooled) - 1) / expected


def _differences(ratings: Sequence[Fraction]) -> Fraction:
    """The squared differences of all ordered pairs, added up."""
    return 2 * len(ratings) ** 2 * population_variance(ratings) if ratings else Fraction(0)


def _whole(values: Sequence[Fraction]) -> tuple[list[int], int]:
    """The values as whole numbers over one denominator: adding fractions up one by one takes a greatest
    common divisor each time."""
    denominator = math.lcm(*(value.denominator for value in values))
    return [value.numerator * (denominator // value.denominator) for value in values], denominator


def _values(figures: Iterable[Figure]) -> list[Fraction]:
    values = [exact(figure) for figure in figures]
    if not values:
        raise ValueError("There are no figures: ask for none of their statistics.")
    return values
