"""Delphi: an anonymous panel answers in rounds and sees only statistics in between, until it agrees or stays.

classify ─▶ round 1 ─▶ statistics ─▶ round 2 ─▶ … ─▶ synthesis (the facilitator's report; figures are ours)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import Field, field_validator, model_validator

from moot.deliberation.parsing import Shown
from moot.deliberation.retries import ask_again_in_layout, ask_twice
from moot.kernel.call_estimate import Stint, each
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.fences import Foreign
from moot.kernel.labels import shuffled
from moot.kernel.mode import Between, Count, Mode, ModeConfig, ModelId, Panel, problem
from moot.kernel.run import Run
from moot.kernel.seat_results import Reckoning, SeatResult
from moot.kernel.values import Answer, Degraded, Maybe, Row, Wire
from moot.modes.delphi.classification import (
    CLASSIFY_LAYOUT,
    CLASSIFY_PROMPT,
    CODEBOOK_PROMPT,
    Assigned,
    Classification,
    Codebook,
    QuestionType,
    Reading,
    classified,
    distinct,
    read_classification,
    read_codebook,
    same_words,
)
from moot.modes.delphi.convergence import NumericStats, QualitativeStats
from moot.modes.delphi.panel import FEWEST, Estimate, Exercise, RoundData, StopReason, Turn
from moot.modes.delphi.questionnaires import questionnaire, read_reply
from moot.modes.delphi.report import (
    REPORT_PROMPT,
    Participant,
    Synthesis,
    positions,
    round_rows,
    synthesis,
    told,
)

REPORT_SECONDS = 60.0
"""Of the pipeline's time, kept for the report."""
ROUND_SECONDS = 90.0
"""With less time left than this, no further round starts."""


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
        Between("numericConvergenceThreshold", 0.01, 1),
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
        lines = tuple(" ".join(option.split()) for option in options)
        told_apart = {line.casefold() for line in lines if line}
        if not 2 <= len(lines) <= 10 or len(told_apart) != len(lines):
            raise problem("options must hold 2 to 10 distinct entries")
        return lines

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
    exercise = begun(run, asked)
    stop = await hold_rounds(run, exercise)
    await run.emit(SynthesisStart())
    await run.emit(SynthesisComplete(data=await report(run, exercise, stop)))


def begun(run: Run[DelphiConfig], asked: Classification) -> Exercise:
    config = run.config
    seated = shuffled(config.panelist_models, f"{run.seed}/participants")
    return Exercise(
        participants=dict(enumerate(seated, 1)),
        asked=asked,
        options=list(asked.options or ()),
        anchor=run.started_on.year,
        most_rounds=config.max_rounds,
        numeric_below=config.numeric_convergence_threshold,
        percent_from=config.qualitative_convergence_threshold,
    )


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
    if reading.lacks_something(config.fixed_type):
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


async def hold_rounds(run: Run[DelphiConfig], exercise: Exercise) -> StopReason:
    """Rounds until one of them is the last; then it is told what ended them."""
    stop: StopReason | None = None
    while stop is None:
        number = len(exercise.rounds) + 1
        await run.emit(RoundStart(data=RoundOf(round=number)), key=str(number))
        held = await hold_round(run, exercise)
        await run.emit(RoundComplete(data=held), key=str(number))
        if held.stats is None:
            raise RunFailed(too_few(len(held.estimates)))
        exercise.rounds.append(held)
        stop = exercise.reason_to_stop()
        step = f"round_{number + 1}"
        if stop is None and not await run.time_for(step, ROUND_SECONDS):
            await run.degrade(f"Round {number + 1} was not held: the time was too short.", "time", step)
            stop = "deadline"
    counted = exercise.counted(stop)
    if stop == "converged":
        await run.emit(ConvergenceReached(data=Reached(round=counted.round, stats=counted.stats)))
    else:
        await run.emit(MaxRoundsReached(data=Ended(round=counted.round, stats=counted.stats, reason=stop)))
    return stop


async def hold_round(run: Run[DelphiConfig], exercise: Exercise) -> RoundData:
    """All who are left, at once."""
    first = not exercise.rounds
    asked = {seat: model for seat, model in exercise.participants.items() if first or exercise.last_of(seat)}
    heard = await run.together(take_part(run, exercise, seat, model) for seat, model in asked.items())
    turns = [turn for turn in heard if isinstance(turn, Turn)]
    readable = [turn for turn in turns if turn.said is not None]
    if first and not readable:
        raise RunFailed(too_few(0))
    codebook = await code(run, exercise, readable) if exercise.open else None
    return exercise.next_round(turns, codebook)


def too_few(readable: int) -> str:
    return f"Delphi mode requires at least {FEWEST} successful panelists in Round 1, got {readable}."


async def take_part(run: Run[DelphiConfig], exercise: Exercise, seat: int, model: str) -> Turn:
    """One participant: asked, and once more if its answer cannot be read."""
    step, shown = f"round_{len(exercise.rounds) + 1}", Shown([run.question])
    asked = questionnaire(exercise, seat, run.question)
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


async def code(run: Run[DelphiConfig], exercise: Exercise, turns: Sequence[Turn]) -> Codebook:
    """Open answers under few names, by the facilitator, who sees them unsigned and in no order of ours; by
    their words alone if it cannot. The names are the options of later rounds."""
    mixed = shuffled(turns, f"{run.seed}/codebook")
    answers = [turn.said.answer or "" for turn in mixed if turn.said]
    listed = "\n".join(f"{number}. {answer}" for number, answer in enumerate(answers, 1))
    prompt = run.fill(CODEBOOK_PROMPT, question=Foreign(run.question), answers=Foreign(listed))
    reply: Answer | None = None
    try:
        reply = await run.ask("codebook", run.config.facilitator_model, prompt, keep=REPORT_SECONDS)
    except NoAnswer:
        groups = None
    else:
        groups = read_codebook(reply.response, len(answers))
    if groups is None:
        message = "The open answers could not be grouped by meaning: only the same words count as the same."
        await run.degrade(message, "codebook", "codebook")
        groups = same_words(answers)
    exercise.options = distinct(name for name, _ in groups)
    named = {mixed[number - 1].seat: name for name, members in groups for number in members}
    return Codebook(
        options=exercise.options,
        assignment=[Assigned(participant_index=seat, option=named[seat]) for seat in sorted(named)],
        model=reply.model if reply else None,
        raw_text=reply.response if reply else "",
    )


async def report(run: Run[DelphiConfig], exercise: Exercise, stop: StopReason) -> Synthesis:
    """The facilitator's report; the server's own, figures and reason alone, if it fails."""
    prompt = run.fill(REPORT_PROMPT, question=Foreign(run.question), **told(exercise, stop))
    reply: Answer | None = None
    try:
        reply = await ask_twice(run, "synthesis", run.config.facilitator_model, prompt)
    except NoAnswer:
        message = "The facilitator failed: the report is the server's, figures alone."
        await run.degrade(message, "no_report", "synthesis")
    return synthesis(exercise, stop, reply, Degraded(**run.state))


class RoundOf(Wire):
    round: int


class Reached(RoundOf):
    stats: NumericStats | QualitativeStats | None


class Ended(Reached):
    reason: StopReason


class RoundResult(Wire):
    round_number: int
    estimates: list[Estimate]
    stats: NumericStats | QualitativeStats | None
    converged: bool


class DelphiResult(Wire):
    classification: Maybe[Classification]
    rounds: list[RoundResult]
    converged: Maybe[bool]
    convergence_round: int | None
    stop_reason: Maybe[StopReason]
    final_value: Maybe[float | str]
    interval: Maybe[tuple[float, float]]
    ci95: Maybe[tuple[float, float]]
    participants: Maybe[list[Participant]]
    report: Maybe[str]
    degraded: Maybe[bool]
    warnings: Maybe[tuple[str, ...]]
    title: Maybe[str]


class DelphiStart(Opening):
    type = "delphi_start"
    question_type: QuestionType | None


class ClassifyStart(Event):
    type = "classify_start"


class ClassifyComplete(Event):
    type = "classify_complete"
    data: Classification


class RoundStart(Event):
    type = "round_start"
    data: RoundOf


class RoundComplete(Event):
    type = "round_complete"
    data: RoundData


class ConvergenceReached(Event):
    type = "convergence_reached"
    data: Reached


class MaxRoundsReached(Event):
    type = "max_rounds_reached"
    data: Ended


class SynthesisStart(Event):
    type = "synthesis_start"


class SynthesisComplete(Event):
    type = "synthesis_complete"
    data: Synthesis


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case ClassifyComplete(data=asked):
            parsed = asked.model_dump(exclude={"model", "raw_text", "response_time_ms"})
            yield Row(
                "classify",
                0,
                asked.raw_text,
                None,
                asked.model,
                "facilitator",
                parsed,
                asked.response_time_ms,
            )
        case RoundComplete(data=held):
            yield from round_rows(held)
        case SynthesisComplete(data=made):
            kept = {"total_rounds", "converged", "convergence_round", "stop_reason", "final_value"}
            parsed = made.model_dump(include={*kept, "interval", "ci95", "participants"})
            model, taken = made.facilitator_model, made.response_time_ms
            yield Row("synthesis", 99, made.report, None, model, "facilitator", parsed, taken)


def result(events: Sequence[Event]) -> DelphiResult:
    asked, made, title = (
        last(events, ClassifyComplete),
        last(events, SynthesisComplete),
        last(events, TitleComplete),
    )
    return DelphiResult(
        classification=asked.data if asked else None,
        rounds=[
            RoundResult(
                round_number=event.data.round,
                estimates=event.data.estimates,
                stats=event.data.stats,
                converged=event.data.converged,
            )
            for event in every(events, RoundComplete)
        ],
        title=title.data.title if title else None,
        **{name: getattr(made.data, name) if made else None for name in _REPORTED},
    )


_REPORTED = DelphiResult.model_fields.keys() - {"classification", "rounds", "title"}


def answer(events: Sequence[Event]) -> str | None:
    made = last(events, SynthesisComplete)
    return f"**{made.data.result_line}**\n\n{made.data.report}" if made else None


def seat_results(events: Sequence[Event]) -> Iterable[SeatResult]:
    made = last(events, SynthesisComplete)
    return positions([event.data for event in every(events, RoundComplete)], made.data) if made else ()


MODE = Mode(
    id="delphi",
    config=DelphiConfig,
    defaults=defaults,
    pipeline=delphi,
    events=(
        DelphiStart,
        ClassifyStart,
        ClassifyComplete,
        RoundStart,
        RoundComplete,
        ConvergenceReached,
        MaxRoundsReached,
        SynthesisStart,
        SynthesisComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=RoundComplete,
    title_model=lambda config: config.facilitator_model,
    workload=lambda config: (
        Stint("classify", (config.facilitator_model,), calls=3, reads=1),
        *each("round", config.max_rounds * config.panelist_models, 2, reads=len(config.panelist_models)),
        Stint("codebook", (config.facilitator_model,), reads=len(config.panelist_models)),
        Stint("synthesis", (config.facilitator_model,), 2, config.max_rounds * len(config.panelist_models)),
    ),
    opening_extras=lambda config: {"question_type": config.fixed_type},
    anonymous_until=SynthesisComplete,
    reckoning=Reckoning(
        seat_results,
        agrees="Its last answer is the panel's, or its last estimate lies within the middle half of all.",
    ),
)
