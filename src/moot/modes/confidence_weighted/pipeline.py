"""The stages of a confidence-weighted deliberation: all answer, confidences become weights, one model merges
the answers by weight. A lone answer needs no synthesis."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown
from moot.deliberation.retries import read_or_repaired
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import Run, answered, seats
from moot.kernel.values import FailedModel, Failure
from moot.modes.confidence_weighted.calibration import name_models, read_synthesis
from moot.modes.confidence_weighted.confidence import ConfidentAnswer, read_confident_answer
from moot.modes.confidence_weighted.config import ConfidenceConfig
from moot.modes.confidence_weighted.events import (
    AllAnswersComplete,
    AnswerComplete,
    AnswerCount,
    AnswerData,
    AnswersStart,
    SynthesisComplete,
    SynthesisStart,
    WeightedSynthesis,
    WeightEntry,
    WeightsCalculated,
    WeightsData,
    WeightShare,
)
from moot.modes.confidence_weighted.layouts import ANSWER_LAYOUT
from moot.modes.confidence_weighted.prompts import answer_prompt
from moot.modes.confidence_weighted.synthesis import (
    Synthesis,
    calibrations,
    shown_to_synthesizer,
    synthesise,
)
from moot.modes.confidence_weighted.weights import (
    Weight,
    WeightedAnswer,
    effective_voices,
    heaviest_first,
    weights,
)

SINGLE_ANSWER_NOTE = "A single answer arrived, so confidences could not be compared."


async def confidence_weighted(run: Run[ConfidenceConfig]) -> None:
    await run.emit(AnswersStart())
    respondents = seats(run.config.models)
    outcomes = await run.together(respond(run, seat, model) for seat, model in respondents.items())
    answers, failures = answered(outcomes), [one for one in outcomes if isinstance(one, Failure)]
    if not answers:
        raise RunFailed(" ".join(["All models failed to respond.", *(one.reason for one in failures)]))
    failed_models = [FailedModel.of(failure) for failure in failures]
    count = AnswerCount(count=len(answers), failed_count=len(failed_models), failed_models=failed_models)
    await run.emit(AllAnswersComplete(data=count))

    influence = weights([one.confidence for one in answers], run.config.temperature, run.config.rule)
    entries = [weight_entry(answer, weight) for answer, weight in zip(answers, influence, strict=True)]
    data = WeightsData(
        weights=entries,
        temperature=run.config.temperature,
        weighting=run.config.weighting,
        outlier_count=sum(entry.is_outlier for entry in entries),
        effective_voices=effective_voices(influence),
        failed_models=failed_models,
    )
    await run.emit(WeightsCalculated(data=data))

    await run.emit(SynthesisStart())
    order = heaviest_first(answers, entries)
    shown = shown_to_synthesizer(run, order)
    synthesis = await synthesise(run, order, shown) if len(order) > 1 else Synthesis(None, None)
    await run.emit(SynthesisComplete(data=synthesis_data(run, order, synthesis, shown)))


async def respond(run: Run[ConfidenceConfig], seat: int, model: str) -> AnswerData:
    """One respondent: its answer, its number, and why."""
    prompt, reserve = partial(answer_prompt, run), run.seconds_for(1)
    reply = await run.ask("answer", model, prompt(), seat=seat, reserve=reserve)
    shown = Shown([run.question, *(turn.content for turn in run.history)])
    reply, answer = await read_or_repaired(
        run,
        reply,
        lambda one: read_confident_answer(legible(one), shown),
        step="answer",
        problem=lambda answer: answer.problem,
        layout=ANSWER_LAYOUT,
        prompt=prompt,
        since=2,
        reserve=reserve,
        combine=ConfidentAnswer.completed_by,
    )
    if not answer.response.strip():
        failure = run.unreadable(reply, "answer", f"{model} stated a confidence but gave no answer.")
        failure = failure.model_copy(update={"kind": "empty"})
        await run.give_up(failure)
        raise NoAnswer(failure)
    if answer.confidence is None:
        message = run.wording(
            f"{model} gave no readable confidence, so the median of the others is used.",
            original=f"{model} gave no readable confidence: the median of the others stands in.",
        )
        tell = run.degrade if run.follows(3) else run.warn
        await tell(message, "missing", "answer", seat=seat)
    data = AnswerData(
        index=seat - 1,
        seat=seat,
        model=model,
        response=answer.response,
        confidence=answer.confidence,
        confidence_reasoning=answer.reasoning,
        parsed_successfully=answer.confidence is not None,
        parse_note=answer.note,
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


def synthesis_data(
    run: Run[ConfidenceConfig], order: Sequence[WeightedAnswer], synthesis: Synthesis, shown: Shown
) -> WeightedSynthesis:
    top, reply = order[0].answer, synthesis.reply
    text, notes = read_synthesis(legible(reply), shown) if reply else (top.response, "")
    is_single = len(order) == 1
    names = {one.letter: one.answer.model for one in order}
    shares = [WeightShare(model=one.answer.model, weight_percent=one.entry.weight_percent) for one in order]
    return WeightedSynthesis(
        model=reply.model if reply else top.model,
        synthesis=text,
        calibration_notes=SINGLE_ANSWER_NOTE if is_single else name_models(notes, names),
        calibration=calibrations(notes, order, shown) if reply else [],
        skipped=is_single,
        fallback=synthesis.fallback,
        response_time_ms=reply.response_time_ms if reply else None,
        raw_text=reply.response if reply else None,
        highest_weight=shares[0],
        lowest_weight=shares[-1],
        total_models=len(run.config.models),
        **run.state,
    )
