"""What a fact-check says to a program that only wants to know whether the text holds."""

from __future__ import annotations

import pytest

from moot.modes.fact_check.events import ReportComplete, ReportData, ReportSummary
from moot.modes.fact_check.judgement import judgement


def report(verified: int, disputed: int, unverifiable: int) -> ReportComplete:
    counts = ReportSummary(verified=verified, disputed=disputed, unverifiable=unverifiable, note=None)
    return ReportComplete(
        data=ReportData(
            model=None,
            reliability_score=None,
            band=None,
            coverage=None,
            summary=counts,
            average_agreement_rate=None,
            annotated_content="",
            fallback=False,
            response_time_ms=None,
            degraded=False,
            warnings=(),
            report="",
            checker_count=3,
            raw_text=None,
        )
    )


@pytest.mark.parametrize(
    ("verified", "disputed", "unverifiable", "passed"),
    [
        (3, 0, 0, True),
        (2, 1, 0, False),
        (0, 1, 3, False),
        (2, 0, 1, None),
        (0, 0, 2, None),
        (0, 0, 0, None),
    ],
)
def test_a_text_passes_if_all_its_claims_are_verified_and_fails_if_one_is_disputed(
    verified: int, disputed: int, unverifiable: int, passed: bool | None
) -> None:
    assert judgement([report(verified, disputed, unverifiable)]).passed is passed


def test_without_a_report_nothing_is_judged() -> None:
    assert judgement([]).passed is None
