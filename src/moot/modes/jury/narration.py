"""A jury told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event
from moot.kernel.narration import Bar, Narration, Passage, count, seat_name
from moot.modes.jury.events import (
    AllJurorsComplete,
    JurorAssessment,
    JurorComplete,
    JurorSummary,
    JuryVerdict,
    PresentComplete,
    VerdictComplete,
)

HIGHEST = 10


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case PresentComplete(data=work):
            return Passage("Reading", (f"The text to judge has {count(work.word_count, 'word')}.",))
        case JurorComplete(data=juror):
            return Passage("Jurors", (_juror(juror),))
        case AllJurorsComplete(data=jury):
            return _jury(jury)
        case VerdictComplete(data=verdict):
            return _verdict(verdict)
    return None


def _juror(juror: JurorAssessment) -> str:
    name = seat_name(juror.seat, juror.model)
    if juror.verdict is None:
        return f"{name}: its verdict could not be read."
    average = "" if juror.average is None else f" Average score {juror.average:g} of {HIGHEST}."
    against = " Its scores say otherwise." if juror.verdict_mismatch else ""
    return f"{name} says {juror.verdict}.{average}{against}"


def _jury(jury: JurorSummary) -> Passage:
    votes = jury.vote_tally
    sentences = [f"{votes.approve} for approve, {votes.revise} for revise, {votes.reject} for reject."]
    if jury.overall_average is not None:
        sentences.append(f"Average score {jury.overall_average:g} of {HIGHEST}.")
    bars = tuple(
        Bar(dimension.capitalize(), average, f"{average:g} of {HIGHEST}")
        for dimension, average in jury.dimension_averages.items()
        if average is not None
    )
    return Passage("Jurors", tuple(sentences), bars, highest=HIGHEST)


def _verdict(verdict: JuryVerdict) -> Passage:
    sentences = [f"Verdict: {verdict.final_verdict}."]
    if verdict.foreman_differs:
        sentences.append(f"The foreman would have said {verdict.foreman_verdict}.")
    if verdict.dissenting_opinions:
        sentences.append(count(len(verdict.dissenting_opinions), "dissenting opinion") + ".")
    return Passage("Verdict", tuple(sentences))


NARRATION = Narration({"present": "Reading", "deliberation": "Jurors", "verdict": "Verdict"}, tell)
