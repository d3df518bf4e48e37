"""The pipeline of confidence_weighted."""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.parsing import Shown
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.fences import Foreign
from moot.kernel.run import Run, answered, seats
from moot.kernel.values import FailedModel, Failure, Message
from moot.modes.confidence_weighted.calibration import named, read_synthesis
from moot.modes.confidence_weighted.config import ConfidenceConfig
from moot.modes.confidence_weighted.events import (
    AllAnswersComplete,
    AnswerComplete,
    AnswerCount,
    AnswersStart,
    SynthesisComplete,
    SynthesisData,
    SynthesisStart,
    WeightsCalculated,
)
from moot.modes.confidence_weighted.prompts import ANSWER_PROMPT
from moot.modes.confidence_weighted.synthesis import (
    Ranked,
    Written,
    calibrations,
    heaviest_first,
    shown_to_synthesizer,
    synthesise,
)
from moot.modes.confidence_weighted.weights import (
    AnswerData,
    Weight,
    WeightEntry,
    WeightsData,
    WeightShare,
    effective_voices,
    read_confident,
    weights,
)

SINGLE = "A single answer arrived, so confidences could not be compared."


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
    exchange = (*run.history, Message(role="user", content=prompt))
    reply = await run.ask("answer", model, exchange, seat=seat, reserve=run.seconds_for(1))
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
