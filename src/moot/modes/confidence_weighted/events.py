"""What a confidence-weighted run tells: payloads, events, the rows kept of them, the folds over its story."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from moot.kernel.events import Event, Opening, every, last_data, title_in
from moot.kernel.values import Degraded, FailedModel, Maybe, Row, Wire
from moot.modes.confidence_weighted.calibration import Verdict
from moot.modes.confidence_weighted.confidence import ParseNote
from moot.modes.confidence_weighted.config import ConfidenceConfig

SynthesisFallback = Literal["substitute_model", "top_answer"]


class AnswerData(Wire):
    """What a respondent said, and how sure it is of it."""

    index: int
    seat: int
    model: str
    response: str
    confidence: float | None
    confidence_reasoning: str
    parsed_successfully: bool
    parse_note: ParseNote | None
    response_time_ms: int
    total_models: int
    raw_text: str


class AnswerCount(Wire):
    count: int
    failed_count: int
    failed_models: list[FailedModel]


class WeightEntry(Wire):
    index: int
    seat: int
    model: str
    raw_confidence: float | None
    effective_confidence: float
    normalized_weight: float
    weight_percent: float
    is_outlier: bool
    parsed_successfully: bool


class WeightShare(Wire):
    model: str
    weight_percent: float


class WeightsData(Wire):
    weights: list[WeightEntry]
    temperature: float
    weighting: str
    outlier_count: int
    effective_voices: float
    failed_models: list[FailedModel]


class Calibration(Wire):
    index: int
    seat: int
    model: str
    verdict: Verdict | None
    note: str


class WeightedSynthesis(Degraded):
    model: str
    synthesis: str
    calibration_notes: str
    calibration: list[Calibration]
    skipped: bool
    fallback: SynthesisFallback | None
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
    data: WeightedSynthesis


class AnswerResult(Wire):
    index: int
    seat: int
    model: str
    response: str
    raw_confidence: float | None
    confidence_reasoning: str
    parsed_successfully: bool
    parse_note: ParseNote | None
    response_time_ms: int


class ConfidenceResult(Wire):
    answers: list[AnswerResult]
    weights: list[WeightEntry]
    temperature: float | None
    weighting: str | None
    synthesis: Maybe[WeightedSynthesis]
    failed_models: list[FailedModel]
    degraded: bool
    warnings: tuple[str, ...]
    title: Maybe[str]


def opening_extras(config: ConfidenceConfig) -> Mapping[str, Any]:
    fields = config.model_dump(by_alias=False, exclude={"timeout_ms"})
    return {"config": ConfigData(**{**fields, "models": list(config.models)})}


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case AnswerComplete(data=answer):
            fields = {"confidence", "confidence_reasoning", "parsed_successfully", "parse_note", "index"}
            missing = {} if answer.parsed_successfully else {"parseFailureNote": "no readable confidence"}
            yield Row(
                f"answer_{answer.index}",
                0,
                answer.raw_text,
                seat=answer.seat,
                model=answer.model,
                role="respondent",
                parsed_data={
                    **answer.model_dump(include=fields),
                    "responsePreview": answer.response[:200],
                    **missing,
                },
                response_time_ms=answer.response_time_ms,
            )
        case WeightsCalculated(data=data):
            yield Row("weights", 1, weights_line(data), parsed_data={"type": "weights", **data.model_dump()})
        case SynthesisComplete(data=data):
            details = data.model_dump(exclude={"model", "synthesis", "response_time_ms"})
            yield Row(
                "synthesis",
                2,
                data.synthesis,
                model=data.model,
                role="synthesizer",
                parsed_data={"synthesisPreview": data.synthesis[:200], **details},
                response_time_ms=data.response_time_ms,
            )


def weights_line(data: WeightsData) -> str:
    """The weights in one readable line."""
    shares = "; ".join(
        f"{entry.model} {entry.weight_percent:.2f} % ("
        + ("no confidence given" if entry.raw_confidence is None else f"confidence {entry.raw_confidence:g}")
        + (", outlier)" if entry.is_outlier else ")")
        for entry in data.weights
    )
    return f"{data.weighting}, temperature {data.temperature:g}: {shares}"


def result(events: Sequence[Event]) -> ConfidenceResult:
    answers = sorted((event.data for event in every(events, AnswerComplete)), key=lambda one: one.index)
    weights, synthesis = last_data(events, WeightsCalculated), last_data(events, SynthesisComplete)
    count = last_data(events, AllAnswersComplete)
    shared = set(AnswerResult.model_fields) - {"raw_confidence"}
    return ConfidenceResult(
        answers=[
            AnswerResult(
                **answer.model_dump(by_alias=False, include=shared), raw_confidence=answer.confidence
            )
            for answer in answers
        ],
        weights=weights.weights if weights else [],
        temperature=weights.temperature if weights else None,
        weighting=weights.weighting if weights else None,
        synthesis=synthesis,
        failed_models=count.failed_models if count else [],
        degraded=bool(synthesis and synthesis.degraded),
        warnings=synthesis.warnings if synthesis else (),
        title=title_in(events),
    )


def answer(events: Sequence[Event]) -> str | None:
    synthesis = last_data(events, SynthesisComplete)
    return synthesis.synthesis if synthesis else None
