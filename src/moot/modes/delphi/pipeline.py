"""The pipeline of delphi."""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.parsing import Shown
from moot.deliberation.retries import ask_again_in_layout, ask_twice
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.fences import Foreign
from moot.kernel.labels import shuffled
from moot.kernel.run import Run
from moot.kernel.values import Answer, Degraded
from moot.modes.delphi.classification import (
    CLASSIFY_LAYOUT,
    CLASSIFY_PROMPT,
    CODEBOOK_PROMPT,
    Assigned,
    Classification,
    Codebook,
    Reading,
    classified,
    distinct,
    read_classification,
    read_codebook,
    same_words,
)
from moot.modes.delphi.config import DelphiConfig
from moot.modes.delphi.events import (
    ClassifyComplete,
    ClassifyStart,
    ConvergenceReached,
    Ended,
    MaxRoundsReached,
    Reached,
    RoundComplete,
    RoundOf,
    RoundStart,
    SynthesisComplete,
    SynthesisStart,
)
from moot.modes.delphi.panel import FEWEST, Exercise, RoundData, StopReason, Turn
from moot.modes.delphi.questionnaires import questionnaire, read_reply
from moot.modes.delphi.report import REPORT_PROMPT, Synthesis, synthesis, told

REPORT_SECONDS = 60.0
"""Of the pipeline's time, kept for the report."""
ROUND_SECONDS = 90.0
"""With less time left than this, no further round starts."""


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
        reply = await ask_twice(run, "classify", config.facilitator_model, prompt, reserve=REPORT_SECONDS)
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
            reserve=REPORT_SECONDS,
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
        reply = await run.ask(step, model, prompt, seat=seat, reserve=REPORT_SECONDS)
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
            reserve=REPORT_SECONDS,
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
        reply = await run.ask("codebook", run.config.facilitator_model, prompt, reserve=REPORT_SECONDS)
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
