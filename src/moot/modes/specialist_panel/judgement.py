"""What a panel of specialists comes to."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event, every, last_data
from moot.kernel.judgement import Findings, Judgement
from moot.modes.specialist_panel.events import (
    AllCrossReviewsComplete,
    AllSpecialistsComplete,
    CrossReviewComplete,
    SpecialistComplete,
    SynthesisComplete,
)

PASSES = {"low_risk": True, "moderate_risk": True, "high_risk": False, "critical_risk": False}


def judgement(events: Sequence[Event]) -> Judgement:
    synthesis = last_data(events, SynthesisComplete)
    if synthesis is None:
        return Judgement()
    reviews = last_data(events, AllCrossReviewsComplete)
    panel = last_data(events, AllSpecialistsComplete)
    reports = [event.data for event in every(events, SpecialistComplete)]
    texts = {id: text for report in reports for id, text in report.findings.items()}
    ledger = [
        (one.status, texts.get(one.finding_id, one.finding_id)) for one in (reviews.ledger if reviews else ())
    ]
    assessment = synthesis.overall_assessment
    return Judgement(
        outcome=assessment.replace("_", " ") if assessment else None,
        passed=PASSES[assessment] if assessment else None,
        findings=Findings(
            consensus=tuple(text for status, text in ledger if status == "convergent"),
            contradictions=tuple(text for status, text in ledger if status == "contested"),
            unique_insights=tuple(text for status, text in ledger if status == "solo"),
            partial_coverage=tuple(one.role_title for one in (panel.failed_specialists if panel else ())),
            blind_spots=tuple(gap for event in every(events, CrossReviewComplete) for gap in event.data.gaps),
        ),
    )
