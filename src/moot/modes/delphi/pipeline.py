"""The stages of a Delphi exercise: classify the question, hold rounds until one is the last, report.

Who is not readable in round 1 leaves; later on the last answer is carried forward. The figures are computed
here, the facilitator only words them.
"""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown
from moot.deliberation.retries import ask_again_in_layout, ask_twice
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.labels import shuffled
from moot.kernel.run import Run, answered
from moot.kernel.values import Answer
from moot.modes.delphi.classification import (
    Classification,
    ClassificationReply,
    Codebook,
    CodebookEntry,
    distinct,
    group_by_words,
    read_classification,
    read_codebook,
)
from moot.modes.delphi.config import FEWEST_PANELISTS, DelphiConfig
from moot.modes.delphi.convergence import NumericStats, interval95
from moot.modes.delphi.events import (
    ClassifyComplete,
    ClassifyStart,
    ConvergenceData,
    ConvergenceReached,
    DelphiRound,
    DelphiRoundStart,
    DelphiSynthesis,
    LastRoundData,
    MaxRoundsReached,
    Participant,
    RoundComplete,
    RoundStart,
    SynthesisComplete,
    SynthesisStart,
)
from moot.modes.delphi.layouts import CLASSIFY_LAYOUT
from moot.modes.delphi.panel import Exercise, Turn, read_opinion
from moot.modes.delphi.prompts import (
    classify_prompt,
    codebook_prompt,
    questionnaire,
    report_prompt,
)
from moot.modes.delphi.report import SERVER_REPORT, STOP_REASONS, StopReason

REPORT_SECONDS = 60.0
"""Of the pipeline's time, kept for the report."""
ROUND_SECONDS = 90.0
"""With less time left than this, no further round starts."""


async def delphi(run: Run[DelphiConfig]) -> None:
    classification = await classify(run)
    await run.emit(ClassifyComplete(data=classification))
    exercise = start_exercise(run, classification)
    stop = await hold_rounds(run, exercise)
    await run.emit(SynthesisStart())
    await run.emit(SynthesisComplete(data=await report(run, exercise, stop)))


async def classify(run: Run[DelphiConfig]) -> Classification:
    config = run.config
    if config.options and config.question_type != "numeric":
        return Classification.of("qualitative", ClassificationReply(options=config.options))
    await run.emit(ClassifyStart())
    if config.options:
        await run.warn("A numeric question has no options: they are ignored.", "options", "classify")
    try:
        reply = await ask_twice(
            run, "classify", config.facilitator_model, classify_prompt(run), reserve=REPORT_SECONDS
        )
    except NoAnswer:
        await run.degrade("The question could not be classified.", "unclassified", "classify")
        return Classification.of(config.fixed_type or "qualitative", ClassificationReply())
    reply, facts = await read_or_ask_again(run, reply)
    kind = config.fixed_type or facts.type
    if kind is None:
        await run.degrade("The question could not be classified.", "unclassified", "classify")
    elif kind == "qualitative" and len(facts.options) < 2:
        message = run.wording(
            "The facilitator named no options, so the panel finds its own.",
            original="The facilitator named no options: the panel finds its own.",
        )
        await run.degrade(message, "open", "classify")
    return Classification.of(kind or "qualitative", facts, reply, is_recognised=kind is not None)


async def read_or_ask_again(run: Run[DelphiConfig], reply: Answer) -> tuple[Answer, ClassificationReply]:
    """The reply and what it says; a second one in its place if the first leaves the panel without a question,
    and the second says more."""
    shown = Shown([run.question])
    facts = read_classification(legible(reply), shown)
    if not facts.is_incomplete(run.config.fixed_type):
        return reply, facts
    again = await ask_again_in_layout(
        run,
        reply,
        step="classify",
        problem="it has no TYPE, or fewer than two OPTIONS",
        layout=CLASSIFY_LAYOUT,
        matter="answer",
        reserve=REPORT_SECONDS,
    )
    better = read_classification(legible(again), shown) if again else facts
    return (again, better) if again and (better.type or better.options) else (reply, facts)


def start_exercise(run: Run[DelphiConfig], classification: Classification) -> Exercise:
    """Participants are numbered in an order of their own: their numbers must not tell who they are."""
    config = run.config
    order = shuffled(config.panelist_models, f"{run.seed}/participants")
    return Exercise(
        participants=dict(enumerate(order, 1)),
        classification=classification,
        options=list(classification.options or ()),
        anchor=run.started_on.year,
        most_rounds=config.max_rounds,
        numeric_below=config.numeric_convergence_threshold,
        percent_from=config.qualitative_convergence_threshold,
    )


async def hold_rounds(run: Run[DelphiConfig], exercise: Exercise) -> StopReason:
    """Rounds until one of them is the last; then it is told what ended them."""
    stop: StopReason | None = None
    while stop is None:
        number = len(exercise.rounds) + 1
        await run.emit(RoundStart(data=DelphiRoundStart(round=number)), key=str(number))
        round_ = await hold_round(run, exercise)
        await run.emit(RoundComplete(data=round_), key=str(number))
        if round_.stats is None:
            raise RunFailed(too_few_panelists(len(round_.estimates)))
        exercise.rounds.append(round_)
        stop = exercise.reason_to_stop()
        step = f"round_{number + 1}"
        if stop is None and not await run.time_for(step, ROUND_SECONDS):
            message = run.wording(
                f"Round {number + 1} was skipped because too little time was left.",
                original=f"Round {number + 1} was not held: the time was too short.",
            )
            await run.degrade(message, "time", step)
            stop = "deadline"
    final = exercise.final_round(stop)
    if stop == "converged":
        await run.emit(ConvergenceReached(data=ConvergenceData(round=final.round, stats=final.stats)))
    else:
        last_round = LastRoundData(round=final.round, stats=final.stats, reason=stop)
        await run.emit(MaxRoundsReached(data=last_round))
    return stop


async def hold_round(run: Run[DelphiConfig], exercise: Exercise) -> DelphiRound:
    """All who are left, at once."""
    is_first = not exercise.rounds
    outcomes = await run.together(
        ask_panelist(run, exercise, seat, model)
        for seat, model in exercise.participants.items()
        if is_first or exercise.last_of(seat)
    )
    turns = answered(outcomes)
    readable = [turn for turn in turns if turn.opinion is not None]
    if is_first and not readable:
        raise RunFailed(too_few_panelists(0))
    codebook = await group_answers(run, exercise, readable) if exercise.is_open else None
    return exercise.next_round(turns, codebook)


def too_few_panelists(readable: int) -> str:
    return (
        f"Delphi mode requires at least {FEWEST_PANELISTS} successful panelists in Round 1, got {readable}."
    )


async def ask_panelist(run: Run[DelphiConfig], exercise: Exercise, seat: int, model: str) -> Turn:
    """One participant: asked, and once more if its answer cannot be read."""
    step, shown = f"round_{len(exercise.rounds) + 1}", Shown([run.question])
    questions = questionnaire(run, exercise, seat)
    try:
        reply = await run.ask(step, model, questions.prompt, seat=seat, reserve=REPORT_SECONDS)
    except NoAnswer as silent:
        return Turn(seat, model, None, None, silent.failure)
    opinion = read_opinion(legible(reply), exercise, seat, shown)
    if opinion is None:
        again = await ask_again_in_layout(
            run,
            reply,
            step=step,
            problem=questions.problem,
            layout=questions.layout,
            matter="answer",
            reserve=REPORT_SECONDS,
        )
        opinion = read_opinion(legible(again), exercise, seat, shown) if again else None
        reply = again if again and opinion else reply
    if opinion is None:
        failure = run.unreadable(reply, step, f"The answer of participant {seat} could not be read.")
        await run.give_up(failure)
        return Turn(seat, model, None, reply, failure)
    return Turn(seat, model, opinion, reply)


async def group_answers(run: Run[DelphiConfig], exercise: Exercise, turns: Sequence[Turn]) -> Codebook:
    """Open answers under few names, by the facilitator, who sees them unsigned and in no order of ours; by
    their words alone if it cannot. The names are the options of later rounds."""
    order = shuffled(turns, f"{run.seed}/codebook")
    answers = [turn.opinion.answer or "" for turn in order if turn.opinion]
    prompt = codebook_prompt(run, answers)
    reply: Answer | None = None
    try:
        reply = await run.ask("codebook", run.config.facilitator_model, prompt, reserve=REPORT_SECONDS)
    except NoAnswer:
        groups = None
    else:
        groups = read_codebook(legible(reply), len(answers))
    if groups is None:
        failed = "The open answers could not be grouped by meaning"
        message = run.wording(
            f"{failed}, so only identical wording counts as agreement.",
            original=f"{failed}: only the same words count as the same.",
        )
        await run.degrade(message, "codebook", "codebook")
        groups = group_by_words(answers)
    exercise.options = distinct(name for name, _ in groups)
    names = {order[number - 1].seat: name for name, members in groups for number in members}
    return Codebook(
        options=exercise.options,
        assignment=[CodebookEntry(participant_index=seat, option=names[seat]) for seat in sorted(names)],
        model=reply.model if reply else None,
        raw_text=reply.response if reply else "",
    )


async def report(run: Run[DelphiConfig], exercise: Exercise, stop: StopReason) -> DelphiSynthesis:
    """The facilitator's report; the server's own, figures and reason alone, if it fails."""
    reply: Answer | None = None
    try:
        prompt = report_prompt(run, exercise, stop)
        reply = await ask_twice(run, "synthesis", run.config.facilitator_model, prompt)
    except NoAnswer:
        message = run.wording(
            "The facilitator failed, so the report contains the figures alone.",
            original="The facilitator failed: the report is the server's, figures alone.",
        )
        await run.degrade(message, "no_report", "synthesis")
    original = not run.follows(4)
    line, table = exercise.result_line(stop, original=original), exercise.trajectory(original=original)
    own_report = SERVER_REPORT.format(line=line, table=table, reason=STOP_REASONS[stop])
    final = exercise.final_round(stop)
    stats = final.stats
    assert stats is not None  # only a round with statistics is counted
    figures = stats if isinstance(stats, NumericStats) else None
    estimates = [one.estimate for one in final.estimates if one.estimate is not None]
    return DelphiSynthesis(
        facilitator_model=reply.model if reply else None,
        report=reply.response if reply else own_report,
        result_line=line,
        total_rounds=len(exercise.rounds),
        converged=stop == "converged",
        convergence_round=final.round if stop == "converged" else None,
        stop_reason=stop,
        final_value=stats.median if isinstance(stats, NumericStats) else stats.mode,
        interval=(figures.q1, figures.q3) if figures else None,
        ci95=interval95(estimates, figures.dispersion_kind) if figures else None,
        participants=[
            Participant(participant_index=seat, model=model) for seat, model in exercise.participants.items()
        ],
        response_time_ms=reply.response_time_ms if reply else 0,
        **run.state,
    )
