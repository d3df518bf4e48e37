"""What a jury comes to: it passes if the majority approves."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event, every, last_data
from moot.kernel.judgement import Dissent, Findings, Judgement
from moot.kernel.narration import quote
from moot.modes.jury.events import JurorAssessment, JurorComplete, JuryVerdict, VerdictComplete

COUNTED = ("majority", "tie_rule")
"""Where the votes decided; else nobody knows whether the text would pass."""


def judgement(events: Sequence[Event]) -> Judgement:
    verdict = last_data(events, VerdictComplete)
    if verdict is None:
        return Judgement()
    jurors = [event.data for event in every(events, JurorComplete)]
    counted = verdict.verdict_source in COUNTED
    return Judgement(
        outcome=verdict.final_verdict,
        passed=verdict.final_verdict == "APPROVE" if counted else None,
        dissent=tuple(_dissent(jurors, verdict)),
        findings=Findings(
            consensus=tuple(point.text for point in (*verdict.key_strengths, *verdict.key_weaknesses)),
            unique_insights=tuple(point.text for point in verdict.minority_points),
        ),
    )


def _dissent(jurors: Sequence[JurorAssessment], verdict: JuryVerdict) -> list[Dissent]:
    opinions = {one.seat: one.text for one in verdict.dissenting_opinions}
    return [
        Dissent(
            seat=juror.seat,
            model=juror.model,
            position=juror.verdict,
            reason=opinions.get(juror.seat) or _reason(juror),
        )
        for juror in jurors
        if juror.verdict is not None and juror.verdict != verdict.final_verdict
    ]


def _reason(juror: JurorAssessment) -> str | None:
    points = juror.strengths if juror.verdict == "APPROVE" else juror.weaknesses
    return quote(points[0], 400) if points else None
