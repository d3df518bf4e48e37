"""What a peer review comes to: it passes if nobody found anything critical or major."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event, last_data
from moot.kernel.judgement import Findings, Judgement
from moot.kernel.narration import count
from moot.modes.peer_review.events import ConsolidationComplete
from moot.modes.peer_review.issues import ReviewIssue

GRAVE = ("CRITICAL", "MAJOR")


def judgement(events: Sequence[Event]) -> Judgement:
    report = last_data(events, ConsolidationComplete)
    if report is None:
        return Judgement()
    grave = [issue for issue in report.issues if issue.severity in GRAVE]
    reviewed = report.weighted_overall_avg is not None or report.total_findings > 0
    return Judgement(
        outcome=count(len(grave), "critical or major issue") if grave else "no critical or major issues",
        passed=not grave if reviewed else None,
        findings=Findings(
            consensus=tuple(_titled(issue) for issue in report.issues if issue.consensus),
            contradictions=tuple(dispute.topic for dispute in report.disputes),
            unique_insights=tuple(_titled(issue) for issue in report.issues if not issue.consensus),
        ),
    )


def _titled(issue: ReviewIssue) -> str:
    return f"{issue.severity}: {issue.title}"
