from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.deliberation.rounding import half_up


@pytest.mark.parametrize(
    ("number", "decimals", "rounded"),
    [
        (2.5, 0, 3.0),
        (-2.5, 0, -3.0),
        (0.5, 0, 1.0),
        (1.5, 0, 2.0),
        (3.25, 1, 3.3),
        (2.25, 1, 2.3),
        (7.25, 1, 7.3),
        (2.675, 2, 2.68),
        (1.005, 2, 1.01),
        (-1.005, 2, -1.01),
        (Fraction(23, 4), 1, 5.8),
        (Fraction(139, 20), 1, 7.0),
        (Fraction(1, 3), 4, 0.3333),
        (Decimal("0.125"), 2, 0.13),
        (66.5, 0, 67.0),
        (4, 2, 4.0),
        (0.0, 2, 0.0),
        (-0.001, 2, 0.0),
        (1e300, 2, 1e300),
    ],
)
def test_half_is_rounded_away_from_zero(
    number: Fraction | Decimal | float, decimals: int, rounded: float
) -> None:
    assert half_up(number, decimals) == rounded


def test_what_is_no_finite_number_is_left_alone() -> None:
    assert half_up(math.inf, 2) == math.inf
    assert math.isnan(half_up(math.nan, 2))


@given(st.decimals(-1000, 1000, places=4), st.integers(0, 3))
def test_it_rounds_as_decimal_arithmetic_does(number: Decimal, decimals: int) -> None:
    expected = float(number.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP))
    assert half_up(number, decimals) == half_up(Fraction(number), decimals) == expected
    assert half_up(float(number), decimals) == expected
