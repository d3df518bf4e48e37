"""Answers weighted by confidence, told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event
from moot.kernel.narration import Bar, Narration, Passage, count, seat_name, seconds
from moot.modes.confidence_weighted.events import (
    AnswerComplete,
    AnswerData,
    SynthesisComplete,
    WeightedSynthesis,
    WeightsCalculated,
    WeightsData,
)


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case AnswerComplete(data=answer):
            return Passage("Answers", (_answer(answer),))
        case WeightsCalculated(data=weights):
            return _weights(weights)
        case SynthesisComplete(data=synthesis):
            return _synthesis(synthesis)
    return None


def _answer(answer: AnswerData) -> str:
    sure = "states no confidence" if answer.confidence is None else f"is {answer.confidence:.0%} sure"
    length = count(len(answer.response.split()), "word")
    return f"{seat_name(answer.seat, answer.model)} {sure}: {length}, {seconds(answer.response_time_ms)}"


def _weights(weights: WeightsData) -> Passage:
    bars = tuple(
        Bar(seat_name(one.seat, one.model), one.weight_percent, f"{one.weight_percent:.0f}%")
        for one in weights.weights
    )
    voices = f"Weighted like this, the panel counts as {weights.effective_voices:.1f} equal voices."
    return Passage("Weights", (voices,), bars, highest=100)


def _synthesis(synthesis: WeightedSynthesis) -> Passage:
    if synthesis.skipped:
        return Passage("Synthesis", ("There was only one answer, so nothing to merge.",))
    if synthesis.fallback == "top_answer":
        return Passage(
            "Synthesis", ("No model merged the answers, so the one with the highest weight stands.",)
        )
    return Passage("Synthesis", (f"{synthesis.model} merged the answers by their weights.",))


NARRATION = Narration({"answers": "Answers", "synthesis": "Synthesis"}, tell)
