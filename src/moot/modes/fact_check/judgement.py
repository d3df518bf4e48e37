"""What a fact-check comes to: it passes if every claim that was checked is verified."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event, last_data
from moot.kernel.judgement import Findings, Judgement
from moot.modes.fact_check.events import AllCheckersComplete, ReportComplete


def judgement(events: Sequence[Event]) -> Judgement:
    report, checks = last_data(events, ReportComplete), last_data(events, AllCheckersComplete)
    if report is None:
        return Judgement()
    counts = report.summary
    checked = counts.verified + counts.disputed
    claims = checks.consensus if checks else []
    return Judgement(
        outcome=f"{counts.verified} verified, {counts.disputed} disputed, {counts.unverifiable} unverifiable",
        passed=None if not checked or (not counts.disputed and counts.unverifiable) else not counts.disputed,
        findings=Findings(
            consensus=tuple(one.claim for one in claims if one.consensus_verdict == "VERIFIED"),
            contradictions=tuple(one.claim for one in claims if one.consensus_verdict == "DISPUTED"),
            partial_coverage=tuple(one.claim for one in claims if one.consensus_verdict == "UNVERIFIABLE"),
        ),
    )
