"""Confidence-weighted: every model answers and says how sure it is; the surer count more in one synthesis.

answers ─▶ weights (arithmetic, no model) ─▶ synthesis
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from moot.deliberation.parsing import Shown
from moot.kernel.call_estimate import Stint, each
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.fences import Foreign
from moot.kernel.mode import Between, Count, Mode, ModeConfig, ModelId, Panel, RoleModel, problem
from moot.kernel.run import Run, answered, seats
from moot.kernel.values import Degraded, FailedModel, Failure, Maybe, Message, Row, Wire
from moot.modes.confidence_weighted.calibration import Calibration, named, read_synthesis
from moot.modes.confidence_weighted.synthesis import (
    Fallback,
    Ranked,
    Written,
    calibrations,
    heaviest_first,
    shown_to_synthesizer,
    synthesise,
)
from moot.modes.confidence_weighted.weights import (
    AnswerData,
    Note,
    Weight,
    WeightEntry,
    Weighting,
    WeightsData,
    WeightShare,
    effective_voices,
    read_confident,
    weights,
    weights_line,
)

SINGLE = "A single answer arrived, so confidences could not be compared."


class ConfidenceConfig(ModeConfig):
    models: Annotated[
        tuple[ModelId, ...],
        Count(2, 6, "Confidence-weighted mode requires at least 2 models", "Maximum 6 models allowed"),
        Field(
            title="Respondents", description="Each answers and states a confidence; one model may sit twice."
        ),
    ]
    synthesis_model: Annotated[
        RoleModel,
        Field(
            title="Synthesizer", description="Merges the answers by weight; by default the first respondent."
        ),
    ]
    temperature: Annotated[
        float,
        Between("temperature", 0.1, 5.0),
        Field(title="Temperature", description="Low: the surest takes all. High: all have an equal say."),
    ] = 1.0
    weighting: Annotated[
        str,
        Field(
            title="Weighting",
            description="How confidences become weights: `softmax`, or `log_odds`, which sets them further apart.",
            json_schema_extra={"enum": ["softmax", "log_odds"]},
        ),
    ] = "softmax"

    @model_validator(mode="after")
    def _sound(self) -> ConfidenceConfig:
        if self.weighting not in ("softmax", "log_odds"):
            raise problem('weighting must be "softmax" or "log_odds"')
        return self

    @property
    def rule(self) -> Weighting:
        return "log_odds" if self.weighting == "log_odds" else "softmax"


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    models = given.get("models") or panel.pick(3)
    return {"models": models, "synthesisModel": models[0] if isinstance(models, list) else ""}


async def confidence_weighted(run: Run[ConfidenceConfig]) -> None:
    await run.emit(AnswersStart())
    respondents = seats(run.config.models)
    outcomes = await run.together(respond(run, seat, model) for seat, model in respondents.items())
    answers, failures = answered(outcomes), [one for one in outcomes if isinstance(one, Failure)]
    if not answers:
        raise RunFailed(" ".join(["All models failed to respond.", *(one.reason for one in failures)]))
    await run.emit(AllAnswersComplete(data=count_of(answers, failures)))

    weighted = weights([one.confidence for one in answers], run.config.temperature, run.config.rule)
    entries = [weight_entry(one, weight) for one, weight in zip(answers, weighted, strict=True)]
    await run.emit(WeightsCalculated(data=weights_data(run, entries, weighted, failures)))

    await run.emit(SynthesisStart())
    order = heaviest_first(answers, entries)
    shown = shown_to_synthesizer(run, order)
    written = await synthesise(run, order, shown) if len(order) > 1 else Written(fallback=None, answer=None)
    await run.emit(SynthesisComplete(data=synthesis_data(run, order, written, shown)))


async def respond(run: Run[ConfidenceConfig], seat: int, model: str) -> AnswerData:
    """One respondent: its answer, its number, and why."""
    prompt = run.fill(ANSWER_PROMPT, question=Foreign(run.question))
    reply = await run.ask("answer", model, (*run.history, Message(role="user", content=prompt)), seat=seat)
    shown = Shown([run.question, *(turn.content for turn in run.history)])
    read = read_confident(reply.response, shown)
    if not read.response.strip():
        failure = run.unreadable(reply, "answer", f"{model} stated a confidence but gave no answer.")
        failure = failure.model_copy(update={"kind": "empty"})
        await run.give_up(failure)
        raise NoAnswer(failure)
    if read.confidence is None:
        await run.warn(
            f"{model} gave no readable confidence: the median of the others stands in.",
            "missing",
            "answer",
            seat=seat,
        )
    data = AnswerData(
        index=seat - 1,
        seat=seat,
        model=model,
        response=read.response,
        confidence=read.confidence,
        confidence_reasoning=read.reasoning,
        parsed_successfully=read.confidence is not None,
        parse_note=read.note,
        response_time_ms=reply.response_time_ms,
        total_models=len(run.config.models),
        raw_text=reply.response,
    )
    await run.emit(AnswerComplete(data=data), key=str(seat))
    return data


ANSWER_PROMPT = """\
Answer the question below as well as you can, then report how likely your answer is to be right.

QUESTION
{question}

How to choose the number:
- It is a probability between 0.00 and 1.00. Of all the answers you label 0.70, about 70 in 100 should turn out right.
- Before you write it, name to yourself the strongest reason your answer might be wrong, and let that lower the number.
- If the answer has several parts, give the chance that every important part is right.
- If the question is one of judgement, give the chance that a well-informed expert would accept your main recommendation.
- Others answer too and your number decides how much yours counts. Overclaiming harms the result and is reported to the reader.

Reply in exactly this layout. Plain labels at the start of a line, no bold, no code fence around the whole reply:

RESPONSE:
<your full answer; Markdown is fine here>

CONFIDENCE: <one decimal number such as 0.74>
CONFIDENCE_REASONING: <one or two sentences: what you are sure of, what you are not>"""


class AnswerCount(Wire):
    count: int
    failed_count: int
    failed_models: list[FailedModel]


def weight_entry(answer: AnswerData, weight: Weight) -> WeightEntry:
    return WeightEntry(
        index=answer.index,
        seat=answer.seat,
        model=answer.model,
        raw_confidence=answer.confidence,
        effective_confidence=weight.effective,
        normalized_weight=weight.share,
        weight_percent=weight.percent,
        is_outlier=weight.is_outlier,
        parsed_successfully=answer.parsed_successfully,
    )


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


def count_of(answers: Sequence[AnswerData], failures: Sequence[Failure]) -> AnswerCount:
    failed = [FailedModel.of(failure) for failure in failures]
    return AnswerCount(count=len(answers), failed_count=len(failed), failed_models=failed)


def weights_data(
    run: Run[ConfidenceConfig],
    entries: list[WeightEntry],
    weighted: Sequence[Weight],
    failures: Sequence[Failure],
) -> WeightsData:
    return WeightsData(
        weights=entries,
        temperature=run.config.temperature,
        weighting=run.config.weighting,
        outlier_count=sum(entry.is_outlier for entry in entries),
        effective_voices=effective_voices(weighted),
        failed_models=[FailedModel.of(failure) for failure in failures],
    )


def synthesis_data(
    run: Run[ConfidenceConfig], order: Sequence[Ranked], written: Written, shown: Shown
) -> SynthesisData:
    top, raw = order[0].answer, written.answer
    text, notes = read_synthesis(raw.response, shown) if raw else (top.response, "")
    skipped = len(order) == 1
    shares = [WeightShare(model=o.answer.model, weight_percent=o.entry.weight_percent) for o in order]
    return SynthesisData(
        model=raw.model if raw else top.model,
        synthesis=text,
        calibration_notes=SINGLE if skipped else named(notes, {o.letter: o.answer.model for o in order}),
        calibration=[] if raw is None else calibrations(notes, order, shown),
        skipped=skipped,
        fallback=written.fallback,
        response_time_ms=raw.response_time_ms if raw else None,
        raw_text=raw.response if raw else None,
        highest_weight=shares[0],
        lowest_weight=shares[-1],
        total_models=len(run.config.models),
        **run.state,
    )


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


MODE = Mode(
    id="confidence_weighted",
    config=ConfidenceConfig,
    defaults=defaults,
    pipeline=confidence_weighted,
    events=(
        ConfidenceWeightedStart,
        AnswersStart,
        AnswerComplete,
        AllAnswersComplete,
        WeightsCalculated,
        SynthesisStart,
        SynthesisComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=AnswerComplete,
    title_model=lambda config: config.synthesis_model,
    workload=lambda config: (
        *each("answer", config.models),
        Stint("synthesis", (config.synthesis_model, *config.models), calls=2, reads=len(config.models)),
    ),
    opening_extras=opening_extras,
)
