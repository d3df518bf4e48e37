"""Rounding as people expect it: half up, away from zero, in exact arithmetic.

>>> half_up(Fraction(725, 100), 1), half_up(2.5, 0), half_up(-2.5, 0)
(7.3, 3.0, -3.0)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction


def half_up(number: Fraction | Decimal | float, decimals: int) -> float:
    """Rounded half away from zero. A float is taken at its shortest decimal reading, so that 2.675
    rounds as it reads. What is no finite number is returned as it is."""
    if isinstance(number, float) and not math.isfinite(number):
        return number
    exact = Decimal(repr(number)) if isinstance(number, float) else number
    numerator, denominator = exact.as_integer_ratio()
    whole = (2 * abs(numerator) * 10**decimals + denominator) // (2 * denominator)
    rounded: float = (-whole if numerator < 0 else whole) / 10**decimals
    return rounded


def percent_shares(weights: Sequence[Fraction | float]) -> list[float]:
    """Each weight's share in percent, two decimals, adding up to 100.00: what rounding down leaves goes
    to the largest remainders, of equal ones to the first."""
    exact = [Fraction(weight) for weight in weights]
    total = sum(exact)
    if not total:
        return [0.0 for _ in exact]
    hundredths = [weight * 10_000 / total for weight in exact]
    whole = [math.floor(share) for share in hundredths]
    # Weights that are equal but for a float's last digit are equal: their remainders are compared coarsely.
    remainders = [half_up(share - floor, 6) for share, floor in zip(hundredths, whole, strict=True)]
    places = sorted(range(len(exact)), key=lambda place: (-remainders[place], place))
    for place in places[: 10_000 - sum(whole)]:
        whole[place] += 1
    return [float(Fraction(share, 100)) for share in whole]
