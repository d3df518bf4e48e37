"""Statistics of a round, against Python's own and the worked figures."""

from __future__ import annotations

import math
import random
import statistics
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.modes.delphi.answers import Confidence
from moot.modes.delphi.convergence import (
    NumericStats,
    QualitativeStats,
    Scale,
    dispersion,
    far_outside,
    has_converged,
    interval95,
    is_change,
    numeric_stats,
    percent,
    qualitative_stats,
)


@dataclass(frozen=True)
class Position:
    participant_index: int
    estimate: float | None = None
    answer: str | None = None
    previous_estimate: float | None = None
    confidence: Confidence = "MEDIUM"
    changed: bool = False
    carried_forward: bool = False


def numbers(*values: float, scale: Scale = "RATIO", anchor: int = 2026) -> NumericStats:
    positions = [Position(index, estimate=value) for index, value in enumerate(values, 1)]
    return numeric_stats(positions, scale, None, anchor, None)


def choices(*answers: str, sure: tuple[Confidence, ...] = (), before: str | None = None) -> QualitativeStats:
    medium: Confidence = "MEDIUM"
    confidences = sure or (medium,) * len(answers)
    positions = [
        Position(index, answer=answer, confidence=confidence)
        for index, (answer, confidence) in enumerate(zip(answers, confidences, strict=True), 1)
    ]
    return qualitative_stats(positions, ["Red", "Green", "Blue"], before)


def agrees(stats: NumericStats | QualitativeStats, below: float = 0.15, from_: float = 75) -> bool:
    return has_converged(stats, numeric_below=below, percent_from=from_)


def test_the_worked_example() -> None:
    first = numbers(30, 40, 44, 90)
    assert (first.mean, first.median, first.q1, first.q3) == (51, 42, 37.5, 55.5)
    assert first.std_dev == pytest.approx(23.087, abs=5e-4)
    assert first.cv == pytest.approx(0.4527, abs=5e-5)
    assert first.outliers == [4]
    assert not agrees(first)
    second = numbers(38, 41, 44, 52)
    assert (second.mean, second.median, second.q1, second.q3) == (43.75, 42.5, 40.25, 46)
    assert second.std_dev == pytest.approx(5.214, abs=5e-4)
    assert second.cv == pytest.approx(0.1192, abs=5e-5)
    assert agrees(second)
    assert interval95([38, 41, 44, 52], "RATIO") == pytest.approx((34.17, 53.33), abs=5e-3)


def test_years_are_measured_from_now() -> None:
    years = numbers(2029, 2031, 2034, scale="DATE")
    assert years.cv == pytest.approx(0.385, abs=5e-4)
    assert not agrees(years)
    assert numbers(2029, 2031, 2034).cv == pytest.approx(0.0010, abs=5e-5)


def test_a_percentage_is_measured_against_its_range() -> None:
    cv, kind, high = dispersion([1, 3, 4], "BOUNDED", (0, 100), 2026)
    assert cv == pytest.approx(0.025, abs=5e-4)
    assert (kind, high) == ("BOUNDED", False)
    assert dispersion([1, 3, 4], "RATIO", None, 2026)[0] == pytest.approx(0.468, abs=5e-4)
    assert dispersion([1, 3, 4], "BOUNDED", None, 2026)[1] == "RATIO"


def test_a_mean_of_zero_has_no_relative_spread() -> None:
    stats = numbers(-10, 0, 10)
    assert (stats.cv, stats.high_variance, agrees(stats)) == (None, True, False)
    assert "null" in stats.model_dump_json()
    same = numbers(0, 0, 0)
    assert (same.cv, agrees(same)) == (0.0, True)


def test_a_spread_at_the_threshold_is_not_below_it() -> None:
    at = numbers(85, 85, 115, 115)
    assert at.cv == 0.15
    assert not agrees(at)


def test_magnitudes_are_measured_in_ratios() -> None:
    cv, kind, _ = dispersion([10, 100, 1000], "MAGNITUDE", None, 2026)
    variance = statistics.pvariance([math.log(x) for x in (10, 100, 1000)])
    assert kind == "MAGNITUDE"
    assert cv == pytest.approx(math.sqrt(math.exp(variance) - 1))
    assert dispersion([-1, 100, 1000], "MAGNITUDE", None, 2026)[1] == "RATIO"
    assert dispersion([1e-200, 1, 1e200], "MAGNITUDE", None, 2026) == (None, "MAGNITUDE", True)
    assert interval95([10, 100, 1000], "MAGNITUDE") == pytest.approx(
        [math.exp(math.log(100) + sign * 4.303 * math.log(10) / math.sqrt(3)) for sign in (-1, 1)]
    )
    assert interval95([1e-200, 1, 1e300], "MAGNITUDE") is None
    assert interval95([1, 2], "RATIO") is None


@pytest.mark.parametrize(
    ("values", "anchor", "far"),
    [
        ([30, 40, 44, 90], 0, [False, False, False, True]),
        ([10, 10, 10, 16], 0, [False, False, False, True]),
        ([10, 10, 10, 15], 0, [False, False, False, False]),
        ([2030, 2030, 2030, 2033], 2026, [False, False, False, True]),
        ([2030, 2030, 2030, 2033], 0, [False, False, False, False]),
    ],
)
def test_who_is_far_outside_is_told_so(values: list[float], anchor: int, far: list[bool]) -> None:
    assert far_outside(values, anchor) == far


def test_moves_towards_the_middle_are_counted() -> None:
    positions = [
        Position(1, estimate=38, previous_estimate=30, changed=True),
        Position(2, estimate=35, previous_estimate=40, changed=True),
        Position(3, estimate=44, previous_estimate=44),
        Position(4, estimate=90, previous_estimate=90, carried_forward=True),
    ]
    stats = numeric_stats(positions, "RATIO", None, 2026, shown_median=42)
    assert (stats.changed_count, stats.toward_median_count, stats.fresh_count) == (2, 1, 3)


@pytest.mark.parametrize(
    ("one", "other", "changed"),
    [(1.0, 1.0 + 1e-12, False), (1.0, 1.0 + 1e-6, True), (0.0, 0.0, False), (0.0, 1e-30, True)],
)
def test_tiny_differences_are_no_change(one: float, other: float, changed: bool) -> None:
    assert is_change(one, other) is changed


def test_a_choice_is_counted_exactly_and_shown_rounded() -> None:
    assert agrees(choices("Red", "Red", "Red", "Blue"))
    four_of_six = choices("Red", "Red", "Red", "Red", "Blue", "Green")
    assert (four_of_six.agreement_percentage, agrees(four_of_six, from_=67)) == (67, False)
    assert not agrees(choices("Red", "Red", "Blue"))
    assert agrees(choices("Red", "Red", "Red"))
    assert percent(1, 8) == 13


def test_the_distribution_goes_by_count_then_by_option() -> None:
    stats = choices("Blue", "Red", "Other: Pink", "Blue")
    assert [(share.answer, share.count, share.percentage) for share in stats.distribution] == [
        ("Blue", 2, 50),
        ("Red", 1, 25),
        ("Other: Pink", 1, 25),
    ]
    assert stats.entropy == pytest.approx(1.0397 / math.log(4), abs=1e-4)
    assert choices("Red", "Red", "Red").entropy == 0


@pytest.mark.parametrize(
    ("sure", "before", "mode"),
    [
        (("LOW", "LOW", "HIGH", "LOW"), None, "Blue"),
        (("LOW", "LOW", "LOW", "LOW"), "Blue", "Blue"),
        (("LOW", "LOW", "LOW", "LOW"), "Green", "Red"),
        (("LOW", "LOW", "LOW", "LOW"), None, "Red"),
    ],
)
def test_a_tie_goes_to_the_surer_then_to_the_last_mode_then_by_order(
    sure: tuple[Confidence, ...], before: str | None, mode: str
) -> None:
    stats = choices("Red", "Red", "Blue", "Blue", sure=sure, before=before)
    assert (stats.mode, stats.mode_tied) == (mode, True)


VALUES = st.lists(st.floats(-1e9, 1e9, allow_nan=False), min_size=3, max_size=7)


@given(VALUES)
def test_the_figures_are_those_of_the_statistics_module(values: list[float]) -> None:
    stats = numbers(*values)
    q1, middle, q3 = statistics.quantiles(values, n=4, method="inclusive")
    size = max(map(abs, values)) + 1
    assert stats.mean == pytest.approx(statistics.fmean(values), abs=1e-9 * size)
    assert stats.std_dev == pytest.approx(statistics.pstdev(values), abs=1e-9 * size)
    assert (stats.q1, stats.median, stats.q3) == pytest.approx((q1, middle, q3), abs=1e-9 * size)
    assert stats.min <= stats.q1 <= stats.median <= stats.q3 <= stats.max
    assert len(stats.outliers) < len(values)


@given(
    st.lists(st.floats(-1e300, 1e300, allow_nan=False), min_size=3, max_size=7),
    st.sampled_from(["RATIO", "MAGNITUDE", "DATE"]),
)
def test_no_figure_on_the_wire_is_infinite(values: list[float], scale: Scale) -> None:
    stats = numbers(*values, scale=scale)
    shown = [
        stats.mean,
        stats.median,
        stats.std_dev,
        stats.cv or 0.0,
        *(interval95(values, stats.dispersion_kind) or ()),
    ]
    assert all(math.isfinite(figure) for figure in shown)


MEASURED = st.lists(st.integers(-10_000, 10_000).map(lambda tenths: tenths / 10), min_size=3, max_size=7)


@given(MEASURED, st.sampled_from(["RATIO", "DATE", "BOUNDED", "MAGNITUDE"]))
def test_the_spread_is_numpys(values: list[float], scale: Scale) -> None:
    cv, kind, high = dispersion(values, scale, (-1000, 1000), 2026)
    array = np.array(values)
    if kind == "MAGNITUDE":
        expected = float(np.sqrt(np.exp(np.var(np.log(array))) - 1))
    else:
        whole = {"RATIO": abs(array.mean()), "DATE": abs(array.mean() - 2026), "BOUNDED": 1000.0}[kind]
        expected = float(array.std() / whole) if whole > 1e-9 else math.inf
    assert kind == ("RATIO" if scale == "MAGNITUDE" and min(values) <= 0 else scale)
    if len(set(values)) == 1:
        assert cv == 0
    elif math.isinf(expected):
        assert (cv, high) == (None, True)
    else:
        assert cv == pytest.approx(expected, rel=1e-6)
        assert high is (expected > 2)


@given(MEASURED, st.sampled_from([0, 2026]))
def test_who_is_far_outside_is_so_by_the_modified_z_score(values: list[float], anchor: int) -> None:
    exact = [Fraction(repr(value)) for value in values]
    middle = statistics.median(exact)
    deviation = statistics.median([abs(value - middle) for value in exact])
    for value, far in zip(exact, far_outside(values, anchor), strict=True):
        away = abs(value - middle)
        score = Fraction("0.6745") * away / deviation if deviation else None
        assert far is (score > Fraction("3.5") if score is not None else away > abs(middle - anchor) / 2)


@given(MEASURED)
def test_the_interval_is_students(values: list[float]) -> None:
    student = {3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447}[len(values)]
    array = np.array(values)
    reach = student * array.std(ddof=1) / np.sqrt(len(values))
    assert interval95(values, "RATIO") == pytest.approx(
        (array.mean() - reach, array.mean() + reach), abs=1e-8
    )
    if min(values) > 0:
        logs = np.log(array)
        reach = student * logs.std(ddof=1) / np.sqrt(len(values))
        ends = (np.exp(logs.mean() - reach), np.exp(logs.mean() + reach))
        assert interval95(values, "MAGNITUDE") == pytest.approx(ends, rel=1e-9)


COLOURS = ["Red", "Green", "Blue", "Other: x"]
SURE: tuple[Confidence, ...] = ("LOW", "MEDIUM", "HIGH")


def test_ten_thousand_counts_keep_their_laws(dice: random.Random) -> None:
    for _ in range(10_000):
        ballots = [(dice.choice(COLOURS), dice.choice(SURE)) for _ in range(dice.randint(3, 7))]
        assert_counts(ballots, dice.choice([None, *COLOURS]))


def assert_counts(ballots: list[tuple[str, Confidence]], before: str | None) -> None:
    answers = [answer for answer, _ in ballots]
    stats = choices(*answers, sure=tuple(confidence for _, confidence in ballots), before=before)
    assert {share.answer: share.count for share in stats.distribution} == Counter(answers)
    most = max(Counter(answers).values())
    leaders = [answer for answer in COLOURS if answers.count(answer) == most]
    weight = {one: sum(SURE.index(sure) + 1 for answer, sure in ballots if answer == one) for one in leaders}
    surest = [one for one in leaders if weight[one] == max(weight.values())]
    assert stats.mode == (before if before in surest else surest[0])
    assert stats.mode_tied is (len(leaders) > 1)
    assert agrees(stats, from_=60) is (5 * most >= 3 * len(answers))
    for share in stats.distribution:
        assert abs(share.percentage - 100 * share.count / len(answers)) <= 0.5
    counts = [answers.count(answer) / len(answers) for answer in set(answers)]
    kinds = 4 if "Other: x" in answers else 3
    assert stats.entropy == pytest.approx(-sum(p * math.log(p) for p in counts) / math.log(kinds), abs=1e-9)
    assert stats.fresh_count == sum(vars(stats.confidence_counts).values()) == len(answers)
