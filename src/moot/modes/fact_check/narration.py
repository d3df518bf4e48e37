"""A fact-check told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event
from moot.kernel.narration import Narration, Passage, count, quote, seat_name
from moot.modes.fact_check.events import (
    AllCheckersComplete,
    CheckerComplete,
    CheckerReport,
    ConsensusData,
    ExtractComplete,
    Extraction,
    GenerateComplete,
    ReportComplete,
    ReportData,
)


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case GenerateComplete(data=draft):
            return Passage("Draft", (f"{draft.model} wrote {count(len(draft.content.split()), 'word')}.",))
        case ExtractComplete(data=extraction):
            return _claims(extraction)
        case CheckerComplete(data=report):
            return Passage("Checks", (_checker(report),))
        case AllCheckersComplete(data=consensus):
            return _consensus(consensus)
        case ReportComplete(data=report):
            return _report(report)
    return None


def _claims(extraction: Extraction) -> Passage:
    opinion = [extraction.second_opinion.sentence] if extraction.second_opinion else []
    if not extraction.claims:
        return Passage("Claims", (f"{extraction.model} found no claim that can be checked.", *opinion))
    head = f"{extraction.model} found {count(extraction.total_claims, 'claim')}:"
    return Passage("Claims", (*opinion, head, *(f"{one.id} {quote(one.claim)}" for one in extraction.claims)))


def _checker(report: CheckerReport) -> str:
    name, verdicts = seat_name(report.seat, report.model), report.summary
    if report.failed:
        return f"{name}: no verdict."
    return (
        f"{name}: {verdicts.verified} verified, {verdicts.disputed} disputed, "
        f"{verdicts.unverifiable} unverifiable."
    )


def _consensus(consensus: ConsensusData) -> Passage:
    sentences = []
    for one in consensus.consensus:
        correction = f" Correction: {quote(one.correction)}" if one.correction else ""
        agreed = f"{one.agreement_rate}% of votes{', tie broken' if one.tie_broken else ''}"
        sentences.append(f"{one.claim_id} {one.consensus_verdict} ({agreed}): {quote(one.claim)}{correction}")
    return Passage("Checks", tuple(sentences))


def _report(report: ReportData) -> Passage:
    verdicts = report.summary
    sentences = [
        f"{verdicts.verified} verified, {verdicts.disputed} disputed, {verdicts.unverifiable} unverifiable."
    ]
    if report.reliability_score is not None:
        band = f": {report.band.lower()}" if report.band else ""
        sentences.append(f"Reliability {report.reliability_score} of 100{band}.")
    return Passage("Report", tuple(sentences))


NARRATION = Narration(
    {"generate": "Draft", "extract": "Claims", "verify": "Checks", "report": "Report"}, tell
)
