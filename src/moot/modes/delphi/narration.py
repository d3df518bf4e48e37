"""A Delphi exercise told to a person: who holds what, but not which model."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event
from moot.kernel.narration import Bar, Narration, Passage
from moot.modes.delphi.convergence import NumericStats, QualitativeStats
from moot.modes.delphi.events import (
    ClassifyComplete,
    ConvergenceReached,
    DelphiRound,
    DelphiSynthesis,
    Estimate,
    MaxRoundsReached,
    RoundComplete,
    RoundStart,
    SynthesisComplete,
)

_KINDS = {"numeric": "The question asks for a number", "qualitative": "The question asks for a choice"}
_ENDS = {
    "converged": "The panel agrees.",
    "stable": "Nobody changed their answer.",
    "max_rounds": "That was the last round.",
    "attrition": "Too few participants are left.",
    "deadline": "There is no time for another round.",
}


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case ClassifyComplete(data=kind):
            unit = f", in {kind.unit}" if kind.unit else ""
            return Passage("Question type", (f"{_KINDS[kind.type]}{unit}.",))
        case RoundStart():
            return Passage(f"Round {event.data.round}")
        case RoundComplete(data=held):
            return _round(held)
        case ConvergenceReached():
            return Passage(f"Round {event.data.round}", (_ENDS["converged"],))
        case MaxRoundsReached():
            return Passage(f"Round {event.data.round}", (_ENDS[event.data.reason],))
        case SynthesisComplete(data=synthesis):
            return _synthesis(synthesis)
    return None


def _round(held: DelphiRound) -> Passage:
    sentences = [_estimate(estimate) for estimate in held.estimates]
    sentences += [f"Participant {gone.participant_index} left: {gone.reason}" for gone in held.failed]
    match held.stats:
        case NumericStats(median=median, q1=low, q3=high):
            sentences.append(f"Median {median:g}; half of the panel lies between {low:g} and {high:g}.")
            return Passage(f"Round {held.round}", tuple(sentences))
        case QualitativeStats(distribution=shares):
            bars = tuple(Bar(one.answer, one.count, f"{one.count} ({one.percentage}%)") for one in shares)
            return Passage(f"Round {held.round}", tuple(sentences), bars)
    return Passage(f"Round {held.round}", tuple(sentences))


def _estimate(estimate: Estimate) -> str:
    value = f"{estimate.estimate:g}" if estimate.estimate is not None else estimate.answer or "no answer"
    sureness = f"{estimate.confidence.lower()} confidence"
    if estimate.carried_forward:
        return f"Participant {estimate.participant_index} did not answer; {value} is carried over."
    moved = ", changed" if estimate.changed else ""
    return f"Participant {estimate.participant_index}: {value} ({sureness}{moved})"


def _synthesis(synthesis: DelphiSynthesis) -> Passage:
    seats = ", ".join(f"{one.participant_index} {one.model}" for one in synthesis.participants)
    return Passage("Synthesis", (synthesis.result_line, f"Participants: {seats}."))


NARRATION = Narration({"classify": "Question type", "round": "Round", "synthesis": "Synthesis"}, tell)
