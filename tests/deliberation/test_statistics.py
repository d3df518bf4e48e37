from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.rounding import half_up
from moot.deliberation.statistics import (
    entropy,
    krippendorff_alpha,
    mean,
    median,
    median_deviation,
    population_deviation,
    population_variance,
    quartiles,
    root,
    sample_deviation,
    weighted_mean,
)

figures = st.lists(st.integers(-(10**6), 10**6) | st.decimals(-1000, 1000, places=3), min_size=2, max_size=12)


def test_four_estimates_of_two_rounds() -> None:
    first, second = [30, 40, 44, 90], [38, 41, 44, 52]
    assert mean(first) == 51
    assert median(first) == 42
    assert quartiles(first) == (Fraction("37.5"), Fraction("55.5"))
    assert half_up(population_deviation(first), 3) == 23.087
    assert median_deviation(first) == 7
    assert (mean(second), median(second)) == (Fraction("43.75"), Fraction("42.5"))
    assert half_up(population_deviation(second), 3) == 5.214
    assert half_up(population_deviation(second) / float(mean(second)), 4) == 0.1192
    assert quartiles(second) == (Fraction("40.25"), Fraction(46))
    deviation = sample_deviation(second)
    assert deviation is not None
    reach = 3.182 * deviation / 2
    assert (half_up(43.75 - reach, 2), half_up(43.75 + reach, 2)) == (34.17, 53.33)


def test_floats_are_taken_as_they_read() -> None:
    assert mean([0.1, 0.2]) == Fraction(3, 20)
    assert population_variance([0.1, 0.3]) == Fraction(1, 100)


@given(figures)
def test_it_agrees_with_the_standard_library(values: list[int | Fraction]) -> None:
    exact = [Fraction(value) for value in values]
    assert mean(values) == statistics.mean(exact)
    assert median(values) == statistics.median(exact)
    lower, _, upper = statistics.quantiles(exact, n=4, method="inclusive")
    assert quartiles(values) == (lower, upper)
    assert population_variance(values) == statistics.pvariance(exact)
    assert sample_deviation(values) == pytest.approx(statistics.stdev(exact), rel=1e-12)


def test_one_figure_has_no_sample_deviation_and_none_has_no_mean() -> None:
    assert sample_deviation([5]) is None
    assert population_deviation([5]) == 0
    functions: list[Callable[[Iterable[int]], object]] = [mean, median, population_variance, quartiles]
    for function in functions:
        with pytest.raises(ValueError, match="no figures"):
            function([])


@pytest.mark.parametrize(
    "number", [Fraction(0), Fraction(9, 4), Fraction(2), Fraction(10**400), Fraction(1, 10**100)]
)
def test_roots_of_the_large_and_the_small(number: Fraction) -> None:
    assert root(number) ** 2 == pytest.approx(float(number)) if number < 10**300 else root(number) == 1e200


def test_weights_count() -> None:
    rubric = (5, 5, 4, 4)
    assert half_up(weighted_mean(zip((4, 2, 3, 5), rubric, strict=True)), 1) == 3.4
    assert half_up(weighted_mean(zip((4, 5, 3, 3), rubric, strict=True)), 1) == 3.8
    assert half_up(weighted_mean([(3, 5), (2, 5), (4, 4)]), 1) == 2.9
    with pytest.raises(ValueError, match="weights"):
        weighted_mean([(3, 0)])


@pytest.mark.parametrize(
    ("counts", "kinds", "value"),
    [
        ([4], 3, 0.0),
        ([2, 2], 2, 1.0),
        ([2, 2], 4, 0.5),
        ([1, 1, 1], None, 1.0),
        ([], 3, 0.0),
        ([3, 0], 1, 0.0),
    ],
)
def test_entropy_runs_from_unanimous_to_even(counts: list[int], kinds: int | None, value: float) -> None:
    assert entropy(counts, kinds) == pytest.approx(value)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_entropy_lies_between_nothing_and_one(counts: list[int]) -> None:
    assert -1e-12 <= entropy(counts) <= 1 + 1e-12


def test_agreement_of_three_reviewers_on_four_criteria() -> None:
    alpha = krippendorff_alpha([[4, 4, 3], [2, 5, 2], [3, 3, 4], [5, 3]])
    assert alpha is not None
    assert half_up(alpha, 2) == -0.27


def test_agreement_of_four_observers_on_twelve_units() -> None:
    """The example by which the coefficient is usually explained: interval alpha 0.849."""
    units = [
        [1, 1, 1],
        [2, 2, 3, 2],
        [3, 3, 3, 3],
        [3, 3, 3, 3],
        [2, 2, 2, 2],
        [1, 2, 3, 4],
        [4, 4, 4, 4],
        [1, 1, 2, 1],
        [2, 2, 2, 2],
        [5, 5, 5],
        [1, 1],
        [3],
    ]
    alpha = krippendorff_alpha(units)
    assert alpha is not None
    assert half_up(alpha, 3) == 0.849


def test_agreement_needs_ratings_that_differ_and_units_rated_twice() -> None:
    assert krippendorff_alpha([[3, 3], [3, 3]]) is None
    assert krippendorff_alpha([[3], [4]]) is None
    assert krippendorff_alpha([]) is None
    assert krippendorff_alpha([[1, 1], [5, 5]]) == 1


@given(st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=4), max_size=6))
def test_alpha_follows_its_formula(units: list[list[int]]) -> None:
    rated = [unit for unit in units if len(unit) > 1]
    pooled = [rating for unit in rated for rating in unit]
    size = len(pooled)
    expected = sum((one - other) ** 2 for one in pooled for other in pooled)
    alpha = krippendorff_alpha(units)
    if not expected:
        assert alpha is None
        return
    observed = Fraction(0)
    for unit in rated:
        observed += Fraction(sum((one - other) ** 2 for one in unit for other in unit), len(unit) - 1)
    assert alpha == 1 - (observed / size) / Fraction(expected, size * (size - 1))
    assert math.isfinite(float(alpha))
