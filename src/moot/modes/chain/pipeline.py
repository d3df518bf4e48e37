"""The steps of a chain: a draft, then one improvement after the other.

A call that fails is made once more; a version that regresses is turned down and asked for once more. After
that the step is skipped, and the text before it goes on.
"""

from __future__ import annotations

from dataclasses import dataclass

from moot.deliberation.cut_replies import legible
from moot.deliberation.similarity import change
from moot.deliberation.text import word_count
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import Run
from moot.kernel.values import Answer, Message
from moot.modes.chain.config import ChainConfig, ChainStep
from moot.modes.chain.events import (
    ChainStepComplete,
    ChainStepSkipped,
    ChainStepStart,
    SkippedData,
    StepData,
    StepStart,
    step_fields,
)
from moot.modes.chain.prompts import draft_prompt, improve_prompt, refusal_prompt
from moot.modes.chain.relay import Relay
from moot.modes.chain.versions import (
    PIPELINE_TIME_LIMIT,
    Delivery,
    Refusal,
    read_version,
    regression,
    skip_reason,
)

LEAST_SECONDS = 20.0
"""With less of the pipeline's time left, a step is skipped."""


async def chain(run: Run[ChainConfig]) -> None:
    relay = Relay()
    await draft(run, relay)
    for number in range(2, len(run.config.steps) + 1):
        await improve(run, number, relay)


async def draft(run: Run[ChainConfig], relay: Relay) -> None:
    """Step 1; where its model fails twice, those of steps 2 and 3 draft instead."""
    first = run.config.steps[0]
    await run.emit(ChainStepStart(data=StepStart(**step_fields(1, first))), key="1")
    prompt, nonce = draft_prompt(run), run.nonce(run.question)
    for model in dict.fromkeys(step.model for step in run.config.steps[:3]):
        outcome = await ask_for_version(run, Assignment(1, model, prompt, nonce))
        if isinstance(outcome, Refusal):
            if model == first.model and outcome.failure is not None:
                await run.give_up(outcome.failure)
            continue
        substituted_for = first.model if model != first.model else None
        if substituted_for:
            await run.degrade(f"{model} drafted in place of {first.model}.", "substitute", "chain_step_1")
        data = step_data(1, first, outcome, relay).model_copy(update={"substituted_for": substituted_for})
        relay.accept(1, first, outcome.version.text)
        await run.emit(ChainStepComplete(data=data), key="1")
        return
    raise RunFailed("Chain mode requires a successful draft (step 1). The drafter model failed to respond.")


async def improve(run: Run[ChainConfig], number: int, relay: Relay) -> None:
    step, is_last = run.config.steps[number - 1], number == len(run.config.steps)
    outcome = await attempt(run, number, step, relay)
    ending = run.state if is_last else {}
    if isinstance(outcome, Refusal):
        skipped = SkippedData(
            **step_fields(number, step),
            reason=outcome.reason,
            previous_word_count=relay.words,
            rejected_text=outcome.rejected_text,
        )
        await run.emit(ChainStepSkipped(data=skipped.model_copy(update=ending)), key=str(number))
        relay.skip(step)
        return
    data = step_data(number, step, outcome, relay).model_copy(update=ending)
    await run.emit(ChainStepComplete(data=data), key=str(number))
    relay.accept(number, step, outcome.version.text)


async def attempt(run: Run[ChainConfig], number: int, step: ChainStep, relay: Relay) -> Delivery | Refusal:
    if not await run.time_for(f"chain_step_{number}", LEAST_SECONDS):
        message = run.wording(
            f"Step {number} was skipped because time ran out.",
            original=f"Step {number} was skipped: pipeline time limit reached.",
        )
        await run.degrade(message, "time", f"chain_step_{number}")
        return Refusal(PIPELINE_TIME_LIMIT)
    note = "Previous step(s) skipped" if relay.skipped else None
    await run.emit(ChainStepStart(data=StepStart(**step_fields(number, step), note=note)), key=str(number))
    prompt, nonce = improve_prompt(run, number, relay), run.nonce(run.question, relay.text)
    outcome = await ask_for_version(run, Assignment(number, step.model, prompt, nonce, relay.text))
    if isinstance(outcome, Refusal) and outcome.failure is not None:
        await run.give_up(outcome.failure)
    return outcome


@dataclass(frozen=True)
class Assignment:
    """What a step's model is asked for. `before` is the version it works on; a draft has none."""

    number: int
    model: str
    prompt: str
    nonce: str
    before: str | None = None

    @property
    def step(self) -> str:
        return f"chain_step_{self.number}"


async def ask_for_version(run: Run[ChainConfig], assignment: Assignment) -> Delivery | Refusal:
    attempts, failure = 0, None
    for step in (assignment.step, f"{assignment.step}/again"):
        attempts += 1
        try:
            answer = await run.ask(
                step,
                assignment.model,
                assignment.prompt,
                seat=assignment.number,
                report_failure=False,
                # A later version that is cut off is turned down as a regression; a draft cannot regress.
                require_complete=assignment.before is None,
                reserve=LEAST_SECONDS - 5,
            )
        except NoAnswer as silent:
            failure = silent.failure
            continue
        outcome = await examine(run, assignment, answer, attempts)
        if isinstance(outcome, Refusal):
            return await ask_again(run, assignment, answer, outcome)
        return outcome
    assert failure is not None
    return Refusal(skip_reason(failure), attempts, failure)


async def ask_again(
    run: Run[ChainConfig], assignment: Assignment, answer: Answer, refusal: Refusal
) -> Delivery | Refusal:
    """The version once more, as a continuation of the same exchange."""
    exchange = (
        Message(role="user", content=assignment.prompt),
        Message(role="assistant", content=answer.response),
        Message(role="user", content=refusal_prompt(run, refusal.reason, assignment.nonce)),
    )
    attempts = refusal.attempts + 1
    try:
        again = await run.ask(
            f"{assignment.step}/repair",
            assignment.model,
            exchange,
            seat=assignment.number,
            report_failure=False,
            require_complete=False,
        )
    except NoAnswer as silent:
        return Refusal(skip_reason(silent.failure), attempts, silent.failure, refusal.rejected_text)
    outcome = await examine(run, assignment, again, attempts)
    if isinstance(outcome, Delivery):
        return outcome
    reason = f"Output rejected: {outcome.reason}"
    failure = run.unreadable(again, assignment.step, reason)
    return Refusal(reason, attempts, failure, outcome.rejected_text)


async def examine(
    run: Run[ChainConfig], assignment: Assignment, answer: Answer, attempts: int
) -> Delivery | Refusal:
    """A reply, read and held against the version before it."""
    before = assignment.before
    version = read_version(legible(answer), assignment.nonce, [run.question, before or ""])
    changes = await run.aside(change, before or "", version.text)
    if not version.text.strip():
        reason: str | None = "more than one version" if version.several else "empty"
    else:
        reason = regression(before, version, changes, answer.finish_reason) if before is not None else None
    if reason is not None:
        return Refusal(reason, attempts, rejected_text=version.text)
    return Delivery(answer, version, changes, attempts)


def step_data(number: int, step: ChainStep, delivery: Delivery, relay: Relay) -> StepData:
    """What a step did to the text that the relay still holds."""
    version, words = delivery.version, word_count(delivery.version.text)
    return StepData(
        **{**step_fields(number, step), "model": delivery.answer.model},
        custom_mandate=step.custom_mandate,
        content=version.text,
        word_count=words,
        previous_word_count=relay.words,
        word_count_delta=words - relay.words,
        added_words=delivery.change.added,
        removed_words=delivery.change.removed,
        similarity=delivery.change.similarity,
        unchanged=version.text.strip() == relay.text.strip(),
        editor_note=version.note,
        end_missing=version.end_missing,
        attempts=delivery.attempts,
        response_time_ms=delivery.answer.response_time_ms,
    )
