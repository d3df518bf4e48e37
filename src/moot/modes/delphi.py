"""Delphi: an anonymous panel answers in rounds and sees only statistics in between, until it agrees or stays.

classify ─▶ round 1 ─▶ statistics ─▶ round 2 ─▶ … ─▶ synthesis (the facilitator's report; figures are ours)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import Field, field_validator, model_validator

from moot.classification import (
    CLASSIFY_LAYOUT,
    CLASSIFY_PROMPT,
    CODEBOOK_PROMPT,
    Classification,
    Codebook,
    QuestionType,
    Reading,
    distinct,
    read_classification,
    read_codebook,
    same_words,
    scale_of,
)
from moot.convergence import NumericStats, Stats, has_converged, interval95, numeric_stats, qualitative_stats
from moot.errors import NoAnswer, RunFailed
from moot.events import Event, Opening, TitleComplete, every, last
from moot.exercise import (
    Departed,
    Estimate,
    Exercise,
    RoundData,
    StopReason,
    carried,
    fresh,
    result_line,
    summary_line,
    trajectory,
)
from moot.fences import Foreign
from moot.labels import shuffled
from moot.mode import Between, Count, Mode, ModeConfig, ModelId, Panel, problem
from moot.parsing import Shown
from moot.questionnaires import Said, questionnaire, read_reply
from moot.repairs import ask_again_in_layout, ask_twice
from moot.run import Run
from moot.wire import Answer, Degraded, Failure, Maybe, Row, Wire

REPORT_SECONDS = 60.0
"""Of the pipeline's time, kept for the report."""
ROUND_SECONDS = 90.0
"""With less time left than this, no further round starts."""
FEWEST = 3


class DelphiConfig(ModeConfig):
    panelist_models: Annotated[
        tuple[ModelId, ...],
        Count(3, 7, "Delphi mode requires at least 3 panelist models", "Maximum 7 panelist models allowed"),
        Field(title="Panelists", description="Answer in every round, unnamed; one model may sit twice."),
    ]
    facilitator_model: Annotated[
        ModelId,
        Field(title="Facilitator", description="Classifies and reports, never estimates; no panelist."),
    ]
    max_rounds: Annotated[
        int, Between("maxRounds", 2, 5), Field(title="Rounds", description="How many are held at most.")
    ] = 5
    numeric_convergence_threshold: Annotated[
        float,
        Between("numericConvergenceThreshold", 0.01, 1.0),
        Field(
            title="Agreement on a number",
            description="The panel agrees when the relative spread of its estimates is below this.",
        ),
    ] = 0.15
    qualitative_convergence_threshold: Annotated[
        float,
        Between("qualitativeConvergenceThreshold", 50, 100),
        Field(
            title="Agreement on a choice",
            description="The panel agrees when this percentage of it gives the same answer.",
        ),
    ] = 75
    question_type: Annotated[
        QuestionType | None,
        Field(title="Kind of question", description="A number or a choice; without it the facilitator says."),
    ] = None
    options: Annotated[
        tuple[str, ...] | None,
        Field(title="Options", description="What the panel chooses from, 2 to 10; makes it a choice."),
    ] = None
    timeout_ms: Annotated[
        int,
        Between("timeoutMs", 30_000, 180_000),
        Field(title="Timeout", description="How long one call to a model may take, in milliseconds."),
    ] = 120_000

    @field_validator("question_type", mode="before")
    @classmethod
    def _is_known(cls, value: Any) -> Any:
        if value not in (None, "numeric", "qualitative"):
            raise problem("questionType must be numeric or qualitative")
        return value

    @field_validator("options")
    @classmethod
    def _are_distinct(cls, options: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if options is None:
            return None
        kept = distinct(options)
        if not 2 <= len(options) <= 10 or len(kept) != len(options):
            raise problem("options must hold 2 to 10 distinct entries")
        return tuple(kept)

    @model_validator(mode="after")
    def _facilitator_is_no_panelist(self) -> Self:
        if self.facilitator_model in self.panelist_models:
            raise problem("Facilitator model must not be one of the panelist models")
        return self

    @property
    def fixed_type(self) -> QuestionType | None:
        return self.question_type or ("qualitative" if self.options else None)


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """In a small panel one model is left to be the facilitator."""
    free = panel.models[:4] if len(panel.models) > 4 else panel.models[:-1] or panel.models
    panelists = given.get("panelistModels", Panel(free).pick(max(FEWEST, len(free))))
    taken = [one for one in panelists if isinstance(one, str)] if isinstance(panelists, list | tuple) else []
    facilitator = panel.other_than(taken, min(4, len(panel.models) - 1))
    return {"panelistModels": panelists, "facilitatorModel": facilitator}


async def delphi(run: Run[DelphiConfig]) -> None:
    asked = await classify(run)
    await run.emit(ClassifyComplete(data=asked))
    seated = shuffled(run.config.panelist_models, f"{run.seed}/participants")
    exercise = Exercise(dict(enumerate(seated, 1)), asked, list(asked.options or ()))
    stop = await hold_rounds(run, exercise)
    await run.emit(SynthesisStart())
    await run.emit(SynthesisComplete(data=await report(run, exercise, stop)))


async def classify(run: Run[DelphiConfig]) -> Classification:
    config = run.config
    if config.options and config.question_type != "numeric":
        return classified(Reading(options=config.options), "qualitative", None)
    await run.emit(ClassifyStart())
    if config.options:
        await run.warn("A numeric question has no options: they are ignored.", "options", "classify")
    shown = Shown([run.question])
    prompt = run.fill(CLASSIFY_PROMPT, question=Foreign(run.question), layout=CLASSIFY_LAYOUT)
    try:
        reply = await ask_twice(run, "classify", config.facilitator_model, prompt, keep=REPORT_SECONDS)
    except NoAnswer:
        await run.degrade("The question could not be classified.", "unclassified", "classify")
        return classified(Reading(), config.fixed_type or "qualitative", None)
    reading = read_classification(reply.response, shown)
    if lacks_something(reading, config):
        again = await ask_again_in_layout(
            run,
            reply,
            step="classify",
            problem="it has no TYPE, or fewer than two OPTIONS",
            layout=CLASSIFY_LAYOUT,
            matter="answer",
            keep=REPORT_SECONDS,
        )
        better = read_classification(again.response, shown) if again else reading
        if again and (better.type or better.options):
            reply, reading = again, better
    kind = config.fixed_type or reading.type
    if kind is None:
        await run.degrade("The question could not be classified.", "unclassified", "classify")
    elif kind == "qualitative" and len(reading.options) < 2:
        await run.degrade("The facilitator named no options: the panel finds its own.", "open", "classify")
    return classified(reading, kind or "qualitative", reply, recognised=kind is not None)


def lacks_something(reading: Reading, config: DelphiConfig) -> bool:
    kind = config.fixed_type or reading.type
    return kind is None or (kind == "qualitative" and len(reading.options) < 2)


def classified(
    reading: Reading, kind: QuestionType, reply: Answer | None, *, recognised: bool = True
) -> Classification:
    scale, bounds = scale_of(reading) if kind == "numeric" else (None, None)
    given = len(reading.options) >= 2 and kind == "qualitative" and recognised
    if reply is None:
        source = "request" if reading.options else "fallback"
    else:
        source = "facilitator" if recognised else "fallback"
    return Classification.model_validate(
        {
            "type": kind,
            "options": list(reading.options) if given else None,
            "scale": scale,
            "unit": reading.unit if kind == "numeric" else None,
            "bounds": bounds,
            "reasoning": reading.reasoning,
            "source": source,
            "model": reply.model if reply else None,
            "raw_text": reply.response if reply else "",
            "response_time_ms": reply.response_time_ms if reply else None,
        }
    )


async def hold_rounds(run: Run[DelphiConfig], exercise: Exercise) -> StopReason:
    """Rounds until one of them is the last; what it was that ended them is told."""
    stop: StopReason | None = None
    while stop is None:
        number = len(exercise.rounds) + 1
        await run.emit(RoundStart(data=RoundOf(round=number)), key=str(number))
        held = await hold_round(run, number, exercise)
        exercise.rounds.append(held)
        await run.emit(RoundComplete(data=held), key=str(number))
        if held.stats is None:
            raise RunFailed(too_few(len(held.estimates)))
        stop = exercise.reason_to_stop(run.config.max_rounds)
        if stop is None and not await run.time_for(f"round_{number + 1}", ROUND_SECONDS):
            message = f"Round {number + 1} was not held: the time was too short."
            await run.degrade(message, "time", f"round_{number + 1}")
            stop = "deadline"
    counted = exercise.counted(stop)
    if stop == "converged":
        await run.emit(ConvergenceReached(data=Reached(round=counted.round, stats=counted.stats)))
    else:
        await run.emit(MaxRoundsReached(data=Ended(round=counted.round, stats=counted.stats, reason=stop)))
    return stop


async def hold_round(run: Run[DelphiConfig], number: int, exercise: Exercise) -> RoundData:
    heard = await run.together(
        take_part(run, number, exercise, seat, model)
        for seat, model in exercise.participants.items()
        if number == 1 or exercise.last_of(seat)
    )
    turns = [turn for turn in heard if isinstance(turn, Turn)]
    failed = [departed(turn) for turn in turns if turn.said is None] if number == 1 else []
    if number == 1 and len(failed) == len(turns):
        raise RunFailed(too_few(0))
    codebook = None
    if exercise.open:
        codebook = await code(run, exercise, [turn for turn in turns if turn.said is not None])
    held = [
        estimate
        for turn in turns
        if (estimate := entered(exercise, turn, codebook)) is not None
    ]
    stats = counted(run, exercise, held) if len(held) >= FEWEST else None
    lost = number > 1 and exercise.is_attrition(held)
    converged = stats is not None and not lost and agrees(run.config, stats)
    return RoundData(
        round=number, estimates=held, failed=failed, codebook=codebook, stats=stats, converged=converged
    )


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of asking one participant: `failure` if there is nothing to read."""

    seat: int
    model: str
    said: Said | None
    reply: Answer | None
    failure: Failure | None = None


async def take_part(
    run: Run[DelphiConfig], number: int, exercise: Exercise, seat: int, model: str
) -> Turn:
    """One participant: asked, and once more if its answer cannot be read."""
    step, shown = f"round_{number}", Shown([run.question])
    asked = questionnaire(exercise, seat, number, run.config.max_rounds, run.question)
    prompt = run.fill(asked.template, **asked.fillings)
    try:
        reply = await run.ask(step, model, prompt, seat=seat, keep=REPORT_SECONDS)
    except NoAnswer as silent:
        return Turn(seat, model, None, None, silent.failure)
    said = read_reply(reply.response, exercise, seat, shown)
    if said is None:
        again = await ask_again_in_layout(
            run,
            reply,
            step=step,
            problem=asked.problem,
            layout=asked.layout,
            matter="answer",
            keep=REPORT_SECONDS,
        )
        said = read_reply(again.response, exercise, seat, shown) if again else None
        reply = again if again and said else reply
    if said is None:
        failure = run.unreadable(reply, step, f"The answer of participant {seat} could not be read.")
        await run.give_up(failure)
        return Turn(seat, model, None, reply, failure)
    return Turn(seat, model, said, reply)


def too_few(readable: int) -> str:
    return f"Delphi mode requires at least 3 successful panelists in Round 1, got {readable}."


def unnamed(turn: Turn) -> str:
    """Why a participant's answer is missing, without its model's name."""
    reason = turn.failure.reason if turn.failure else ""
    return reason.replace(turn.model, f"Participant {turn.seat}")


def departed(turn: Turn) -> Departed:
    assert turn.failure is not None
    return Departed(
        participant_index=turn.seat,
        kind=turn.failure.kind,
        reason=unnamed(turn),
        raw_text=turn.reply.response if turn.reply else "",
        stored_model=turn.model,
    )


def entered(exercise: Exercise, turn: Turn, codebook: Codebook | None) -> Estimate | None:
    """What the participant holds now: its new answer, or the last one if there is none."""
    before = exercise.last_of(turn.seat)
    if turn.said is None or turn.reply is None:
        raw = turn.reply.response if turn.reply else ""
        return carried(before, turn.model, unnamed(turn), raw) if before else None
    answer = turn.said.answer
    if codebook is not None:
        answer = codebook.assignment[turn.seat]
    return fresh(exercise, turn.seat, turn.reply, turn.said.figure, answer, turn.said.confidence, turn.said.reasoning)
