from __future__ import annotations

import pytest

from moot.history.verdict import Verdict
from moot.history.views import Deliberation
from moot.modes import MODES
from tests.laws.test_every_mode import deliberated

JUDGES = {"jury", "peer_review", "specialist_panel"}
SOMETIMES = {"red_team", "fact_check"}
"""These judge if they find anything that can be judged."""


@pytest.mark.parametrize("mode", MODES)
async def test_every_mode_has_a_verdict_for_programs(mode: str) -> None:
    held = await deliberated(mode)
    verdict = Verdict.of(Deliberation(held.record, MODES[mode], (), held.story, held.calls))
    assert verdict.answer == held.answer
    assert verdict.calls == len(held.calls)
    assert verdict.agreement is None or 0 <= verdict.agreement <= 1
    assert (verdict.passed is not None) == (mode in JUDGES) or mode in SOMETIMES
    assert (verdict.winner is None) or verdict.outcome is not None
    without_schema = set(Verdict.model_json_schema(by_alias=True)["properties"]) - {"jsonAnswer"}
    assert set(verdict.model_dump()) == without_schema


FINDINGS = {
    "jury": {"consensus", "uniqueInsights"},
    "peer_review": {"consensus", "contradictions", "uniqueInsights"},
    "specialist_panel": {"consensus", "contradictions", "uniqueInsights", "partialCoverage", "blindSpots"},
    "fact_check": {"consensus", "contradictions", "partialCoverage"},
    "red_team": {"blindSpots"},
    "blueprint": {"partialCoverage", "blindSpots"},
    "decompose": {"partialCoverage"},
    "brainstorm": {"consensus", "uniqueInsights"},
    "dialectic": {"blindSpots"},
}
"""What each mode can tell of, at most. The others know who won and who disagrees, no more."""


@pytest.mark.parametrize("mode", MODES)
async def test_every_mode_finds_what_it_can_know_and_nothing_else(mode: str) -> None:
    held = await deliberated(mode)
    verdict = Verdict.of(Deliberation(held.record, MODES[mode], (), held.story, held.calls))
    assert (verdict.findings is not None) == (mode in FINDINGS)
    found = verdict.findings.model_dump() if verdict.findings else {}
    assert {name for name, points in found.items() if points} <= FINDINGS.get(mode, set())
    assert all(isinstance(point, str) and point.strip() for points in found.values() for point in points)
