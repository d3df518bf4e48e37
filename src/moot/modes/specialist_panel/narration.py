"""A panel of specialists told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event
from moot.kernel.narration import Bar, Narration, Passage, count, quote
from moot.modes.specialist_panel.events import (
    AllCrossReviewsComplete,
    AllSpecialistsComplete,
    CrossReviewComplete,
    CrossReviews,
    IntegratedAssessment,
    PanelSummary,
    SpecialistComplete,
    SynthesisComplete,
)
from moot.modes.specialist_panel.reports import SpecialistReport

HIGHEST = 5


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case SpecialistComplete(data=report):
            return _report(report)
        case AllSpecialistsComplete(data=panel):
            return _panel(panel)
        case CrossReviewComplete(data=review):
            reactions = count(len(review.reactions), "reaction")
            return Passage("Cross-review", (f"{review.role_title}: {reactions} to colleagues' findings.",))
        case AllCrossReviewsComplete(data=reviews):
            return _reviews(reviews)
        case SynthesisComplete(data=synthesis):
            return _synthesis(synthesis)
    return None


def _report(report: SpecialistReport) -> Passage:
    score = "no score" if report.average_score is None else f"{report.average_score:g} of {HIGHEST}"
    findings = count(len(report.key_findings), "finding")
    return Passage("Experts", (f"{report.role_title} ({report.model}): {score}, {findings}.",))


def _panel(panel: PanelSummary) -> Passage:
    bars = tuple(
        Bar(one.role_title, one.average_score, f"{one.average_score:g} of {HIGHEST}")
        for one in panel.specialists
        if one.average_score is not None
    )
    missing = tuple(
        f"{one.role_title} ({one.model}) is missing: {one.reason}" for one in panel.failed_specialists
    )
    return Passage("Experts", missing, bars, highest=HIGHEST)


def _reviews(reviews: CrossReviews) -> Passage:
    statuses = [entry.status for entry in reviews.ledger]
    return Passage(
        "Cross-review",
        (
            f"{count(statuses.count('convergent'), 'finding')} backed by colleagues, "
            f"{statuses.count('contested')} contested, {statuses.count('solo')} without a reaction.",
        ),
    )


def _synthesis(synthesis: IntegratedAssessment) -> Passage:
    sentences = []
    if synthesis.panel_score is not None:
        sentences.append(f"Panel score {synthesis.panel_score:g} of {HIGHEST}.")
    if synthesis.overall_assessment is not None:
        sentences.append(f"Overall: {synthesis.overall_assessment.replace('_', ' ')}.")
    sentences += [f"{risk.risk_level or 'Risk'}: {quote(risk.key_concern)}" for risk in synthesis.risk_matrix]
    return Passage("Synthesis", tuple(sentences))


NARRATION = Narration(
    {"specialist": "Experts", "cross_review": "Cross-review", "synthesis": "Synthesis"}, tell
)
