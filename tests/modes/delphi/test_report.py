"""How a panel's figures read."""

from __future__ import annotations

import pytest

from moot.modes.delphi.report import figure


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (42.5, "42.5"),
        (1_200_000, "1200000"),
        (0, "0"),
        (-0.12345, "-0.1235"),
        (4.2e18, "4.2e+18"),
        (0.00001, "1e-05"),
        (0.00015, "0.00015"),
        (0.0123456, "0.01235"),
        (0.45268, "0.4527"),
        (None, "not defined"),
    ],
)
def test_a_figure_is_shown_as_people_read_it(number: float | None, shown: str) -> None:
    assert figure(number) == shown
