"""Rounding as people expect it: half up, away from zero, in exact arithmetic.

>>> half_up(Fraction(725, 100), 1), half_up(2.5, 0), half_up(-2.5, 0)
(7.3, 3.0, -3.0)
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction


def half_up(number: Fraction | Decimal | float, decimals: int) -> float:
    """Rounded half away from zero. A float is taken at its shortest decimal reading, so that 2.675
    rounds as it reads. What is no finite number is returned as it is."""
    if isinstance(number, float) and not math.isfinite(number):
        return number
    exact = Fraction(repr(number)) if isinstance(number, float) else Fraction(number)
    doubled = 2 * abs(exact) * 10**decimals
    whole = (doubled.numerator + doubled.denominator) // (2 * doubled.denominator)
    return float((-1 if exact < 0 else 1) * Fraction(whole, 10**decimals))
