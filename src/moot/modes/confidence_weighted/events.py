"""What a confidence_weighted tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.values import Degraded, FailedModel, Maybe, Row, Wire
from moot.modes.confidence_weighted.calibration import Calibration
from moot.modes.confidence_weighted.config import ConfidenceConfig
from moot.modes.confidence_weighted.synthesis import Fallback
from moot.modes.confidence_weighted.weights import (
    AnswerData,
    Note,
    WeightEntry,
    WeightsData,
    WeightShare,
    weights_line,
)


class AnswerCount(Wire):
    count: int
    failed_count: int
    failed_models: list[FailedModel]


class SynthesisData(Degraded):
    model: str
    synthesis: str
    calibration_notes: str
    calibration: list[Calibration]
    skipped: bool
    fallback: Fallback | None
    response_time_ms: int | None
    raw_text: str | None
    highest_weight: WeightShare
    lowest_weight: WeightShare
    total_models: int


class ConfigData(Wire):
    models: list[str]
    synthesis_model: str
    temperature: float
    weighting: str


class ConfidenceWeightedStart(Opening):
    type = "confidence_weighted_start"
    config: ConfigData


class AnswersStart(Event):
    type = "answers_start"


class AnswerComplete(Event):
    type = "answer_complete"
    data: AnswerData


class AllAnswersComplete(Event):
    type = "all_answers_complete"
    data: AnswerCount


class WeightsCalculated(Event):
    type = "weights_calculated"
    data: WeightsData


class SynthesisStart(Event):
    type = "synthesis_start"


class SynthesisComplete(Event):
    type = "synthesis_complete"
    data: SynthesisData


class AnswerResult(Wire):
    index: int
    seat: int
    model: str
    response: str
    raw_confidence: float | None
    confidence_reasoning: str
    parsed_successfully: bool
    parse_note: Note | None
    response_time_ms: int


class ConfidenceResult(Wire):
    answers: list[AnswerResult]
    weights: list[WeightEntry]
    temperature: float | None
    weighting: str | None
    synthesis: Maybe[SynthesisData]
    failed_models: list[FailedModel]
    degraded: bool
    warnings: tuple[str, ...]
    title: Maybe[str]


def opening_extras(config: ConfidenceConfig) -> Mapping[str, Any]:
    kept = config.model_dump(by_alias=False, exclude={"timeout_ms"})
    return {"config": ConfigData(**{**kept, "models": list(config.models)})}


def rows(event: Event) -> Iterator[Row]:
    match event:
        case AnswerComplete(data=one):
            kept = {"confidence", "confidence_reasoning", "parsed_successfully", "parse_note", "index"}
            missing = {} if one.parsed_successfully else {"parseFailureNote": "no readable confidence"}
            data = {**one.model_dump(include=kept), "responsePreview": one.response[:200], **missing}
            yield Row(
                f"answer_{one.index}",
                0,
                one.raw_text,
                seat=one.seat,
                model=one.model,
                role="respondent",
                parsed_data=data,
                response_time_ms=one.response_time_ms,
            )
        case WeightsCalculated(data=data):
            yield Row("weights", 1, weights_line(data), parsed_data={"type": "weights", **data.model_dump()})
        case SynthesisComplete(data=data):
            hidden = {"model", "synthesis", "response_time_ms"}
            yield Row(
                "synthesis",
                2,
                data.synthesis,
                model=data.model,
                role="synthesizer",
                parsed_data={"synthesisPreview": data.synthesis[:200], **data.model_dump(exclude=hidden)},
                response_time_ms=data.response_time_ms,
            )


def result(events: Sequence[Event]) -> ConfidenceResult:
    answers = sorted((e.data for e in every(events, AnswerComplete)), key=lambda one: one.index)
    weighed, synthesis = last(events, WeightsCalculated), last(events, SynthesisComplete)
    counted, title = last(events, AllAnswersComplete), last(events, TitleComplete)
    shared = set(AnswerResult.model_fields) - {"raw_confidence"}
    return ConfidenceResult(
        answers=[
            AnswerResult(**one.model_dump(by_alias=False, include=shared), raw_confidence=one.confidence)
            for one in answers
        ],
        weights=weighed.data.weights if weighed else [],
        temperature=weighed.data.temperature if weighed else None,
        weighting=weighed.data.weighting if weighed else None,
        synthesis=synthesis.data if synthesis else None,
        failed_models=counted.data.failed_models if counted else [],
        degraded=bool(synthesis and synthesis.data.degraded),
        warnings=synthesis.data.warnings if synthesis else (),
        title=title.data.title if title else None,
    )


def answer(events: Sequence[Event]) -> str | None:
    synthesis = last(events, SynthesisComplete)
    return synthesis.data.synthesis if synthesis else None
