"""The pipeline of chain."""

from __future__ import annotations

from moot.deliberation.similarity import change
from moot.deliberation.text import word_count
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import Run
from moot.kernel.values import Answer, Message
from moot.modes.chain.config import ChainConfig
from moot.modes.chain.events import (
    ChainStepComplete,
    ChainStepSkipped,
    ChainStepStart,
    SkippedData,
    StepData,
    StepStart,
    line_of,
)
from moot.modes.chain.mandates import ChainStep
from moot.modes.chain.prompts import Relay, draft_prompt, improve_prompt
from moot.modes.chain.versions import Attempt, Version, read_version, regression, shown_reason

LEAST_SECONDS = 20.0


async def chain(run: Run[ChainConfig]) -> None:
    relay = Relay()
    await draft(run, relay)
    for number in range(2, len(run.config.steps) + 1):
        await improve(run, number, relay)


async def draft(run: Run[ChainConfig], relay: Relay) -> None:
    """Step 1; where its model fails twice, those of steps 2 and 3 draft instead."""
    first = run.config.steps[0]
    await run.emit(ChainStepStart(data=start_of(1, first)), key="1")
    prompt = draft_prompt(run)
    nonce = run.nonce(run.question)
    tried: list[str] = []
    for step in run.config.steps[:3]:
        if step.model in tried:
            continue
        tried.append(step.model)
        drafted = await ask_twice(run, 1, step.model, prompt, nonce)
        if drafted.answer is None or drafted.version is None:
            if step is first and drafted.failure is not None:
                await run.give_up(drafted.failure)
            continue
        if step is not first:
            await run.degrade(
                f"{step.model} drafted in place of {first.model}.", "substitute", "chain_step_1"
            )
        relay.text, relay.accepted, relay.applied = drafted.version.text, 1, [first.display]
        relay.words = word_count(relay.text)
        data = step_data(1, first, drafted, drafted.version, "", previous=0, words=relay.words)
        replaced = None if step is first else first.model
        await run.emit(ChainStepComplete(data=data.model_copy(update={"substituted_for": replaced})), key="1")
        return
    raise RunFailed("Chain mode requires a successful draft (step 1). The drafter model failed to respond.")


async def improve(run: Run[ChainConfig], number: int, relay: Relay) -> None:
    step, is_last = run.config.steps[number - 1], number == len(run.config.steps)
    if not await run.time_for(f"chain_step_{number}", LEAST_SECONDS):
        await run.degrade(
            f"Step {number} was skipped: pipeline time limit reached.", "time", f"chain_step_{number}"
        )
        attempt = Attempt(None, None, None, 0, "Pipeline time limit reached")
    else:
        note = "Previous step(s) skipped" if relay.skipped else None
        await run.emit(ChainStepStart(data=start_of(number, step, note)), key=str(number))
        prompt = improve_prompt(run, number, relay)
        nonce = run.nonce(run.question, relay.text)
        attempt = await ask_twice(run, number, step.model, prompt, nonce, relay.text)
        if attempt.failure is not None:
            await run.give_up(attempt.failure)
    ending = run.state if is_last else {}
    if attempt.version is None or attempt.answer is None:
        skipped = skipped_data(number, step, attempt, relay.words).model_copy(update=ending)
        await run.emit(ChainStepSkipped(data=skipped), key=str(number))
        relay.skipped.append(step.display)
        return
    words = word_count(attempt.version.text)
    data = step_data(number, step, attempt, attempt.version, relay.text, previous=relay.words, words=words)
    await run.emit(ChainStepComplete(data=data.model_copy(update=ending)), key=str(number))
    relay.text, relay.words, relay.accepted = attempt.version.text, words, number
    relay.applied.append(step.display)
    relay.skipped.clear()


async def ask_twice(
    run: Run[ChainConfig], number: int, model: str, prompt: str, nonce: str, before: str | None = None
) -> Attempt:
    """A call that fails is repeated once; a version that regresses is asked for once more."""
    name, attempts = f"chain_step_{number}", 0
    answer: Answer | None = None
    for step in (name, f"{name}/again"):
        attempts += 1
        try:
            # Of the versions after it the guard refuses one that is cut off; a draft has no guard.
            answer = await run.ask(
                step,
                model,
                prompt,
                seat=number,
                report_failure=False,
                require_complete=before is None,
                reserve=LEAST_SECONDS - 5,
            )
        except NoAnswer as silent:
            failure = silent.failure
            continue
        attempt = await judged(run, answer, nonce, before, attempts)
        if attempt.version is None and attempt.rejected is not None:
            return await ask_anew(run, number, model, prompt, nonce, before, attempt)
        return attempt
    return Attempt(None, None, None, attempts, shown_reason(failure), failure)


async def ask_anew(
    run: Run[ChainConfig],
    number: int,
    model: str,
    prompt: str,
    nonce: str,
    before: str | None,
    refused: Attempt,
) -> Attempt:
    """The re-ask, as a continuation of the same exchange."""
    assert refused.answer is not None
    exchange = (
        Message(role="user", content=prompt),
        Message(role="assistant", content=refused.answer.response),
        Message(role="user", content=run.fill(REASK_PROMPT, reason=refused.reason, nonce=nonce)),
    )
    step = f"chain_step_{number}/repair"
    try:
        answer = await run.ask(
            step, model, exchange, seat=number, report_failure=False, require_complete=False
        )
    except NoAnswer as silent:
        return Attempt(
            None,
            None,
            None,
            refused.attempts + 1,
            shown_reason(silent.failure),
            silent.failure,
            refused.rejected,
        )
    again = await judged(run, answer, nonce, before, refused.attempts + 1)
    if again.version is not None:
        return again
    reason = f"Output rejected: {again.reason}"
    failure = run.unreadable(answer, f"chain_step_{number}", reason)
    return Attempt(None, None, None, again.attempts, reason, failure, again.rejected)


async def judged(
    run: Run[ChainConfig], answer: Answer, nonce: str, before: str | None, attempts: int
) -> Attempt:
    """A reply, read and held against the version before it."""
    version = read_version(answer.response, nonce)
    changed = await run.aside(change, before or "", version.text)
    if not version.text.strip():
        reason: str | None = "empty"
    else:
        reason = regression(before, version, changed, answer.finish_reason) if before is not None else None
    if reason is not None:
        return Attempt(answer, None, None, attempts, reason, rejected=version.text)
    return Attempt(answer, version, changed, attempts)


REASK_PROMPT = """\
Your version cannot be used: {reason}. Return the complete text once more under the same task, between \
BEGIN-{nonce} and END-{nonce}. If you shortened it on purpose, say what and why after NOTE:."""


def start_of(number: int, step: ChainStep, note: str | None = None) -> StepStart:
    return StepStart(**line_of(number, step), note=note)


def step_data(
    number: int,
    step: ChainStep,
    attempt: Attempt,
    version: Version,
    before: str,
    *,
    previous: int,
    words: int,
) -> StepData:
    assert attempt.answer is not None
    assert attempt.changed is not None
    return StepData(
        **{**line_of(number, step), "model": attempt.answer.model},
        custom_mandate=step.custom_mandate,
        content=version.text,
        word_count=words,
        previous_word_count=previous,
        word_count_delta=words - previous,
        added_words=attempt.changed.added,
        removed_words=attempt.changed.removed,
        similarity=attempt.changed.similarity,
        unchanged=version.text.strip() == before.strip(),
        editor_note=version.note,
        end_missing=version.end_missing,
        attempts=attempt.attempts,
        response_time_ms=attempt.answer.response_time_ms,
    )


def skipped_data(number: int, step: ChainStep, attempt: Attempt, words: int) -> SkippedData:
    return SkippedData(
        **line_of(number, step),
        reason=attempt.reason,
        previous_word_count=words,
        rejected_text=attempt.rejected,
    )
