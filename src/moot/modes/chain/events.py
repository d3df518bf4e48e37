"""What a chain tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.kernel.events import Event, Opening, every, last, title_in
from moot.kernel.values import Maybe, Row, Wire
from moot.modes.chain.config import ChainConfig, ChainStep


class StepLine(Wire):
    step: int
    model: str
    mandate: str
    mandate_display: str


class StepStart(StepLine):
    note: Maybe[str]


class StepData(StepLine):
    content: str
    word_count: int
    previous_word_count: int
    word_count_delta: int
    added_words: int
    removed_words: int
    similarity: float
    unchanged: bool
    editor_note: str | None
    substituted_for: Maybe[str] = None
    custom_mandate: Maybe[str] = None
    end_missing: bool
    attempts: int
    response_time_ms: int
    degraded: Maybe[bool] = None
    warnings: Maybe[tuple[str, ...]] = None


class SkippedData(StepLine):
    reason: str
    previous_word_count: int
    rejected_text: Maybe[str] = None
    degraded: Maybe[bool] = None
    warnings: Maybe[tuple[str, ...]] = None


def step_fields(number: int, step: ChainStep) -> dict[str, Any]:
    """The fields of a `StepLine`."""
    return {"step": number, "model": step.model, "mandate": step.mandate, "mandate_display": step.display}


class ChainStart(Opening):
    type = "chain_start"
    total_steps: int
    steps: list[StepLine]


class ChainStepStart(Event):
    type = "chain_step_start"
    data: StepStart


class ChainStepComplete(Event):
    type = "chain_step_complete"
    data: StepData


class ChainStepSkipped(Event):
    type = "chain_step_skipped"
    data: SkippedData


class StepResult(StepLine):
    content: str
    word_count: int
    previous_word_count: int
    word_count_delta: int
    similarity: float | None
    editor_note: str | None
    response_time_ms: int | None
    skipped: bool
    skip_reason: Maybe[str]


class ChainResult(Wire):
    steps: list[StepResult]
    final_content: str | None
    total_steps: int
    completed_steps: int
    skipped_steps: list[int]
    word_count_progression: list[int]
    degraded: bool
    warnings: list[str]
    title: Maybe[str]


def opening_extras(config: ChainConfig) -> Mapping[str, Any]:
    steps = [StepLine(**step_fields(number, step)) for number, step in enumerate(config.steps, 1)]
    return {"total_steps": len(steps), "steps": steps}


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case ChainStepComplete(data=step):
            apart = {"model", "content", "response_time_ms", "degraded", "warnings"}
            comparison = {
                "added_words",
                "removed_words",
                "similarity",
                "unchanged",
                "editor_note",
                "end_missing",
            }
            yield Row(
                f"chain_step_{step.step}",
                step.step,
                step.content,
                seat=step.step,
                model=step.model,
                role="drafter" if step.step == 1 else "improver",
                parsed_data=step.model_dump(exclude=apart | (comparison if step.step == 1 else set())),
                response_time_ms=step.response_time_ms,
            )
        case ChainStepSkipped(data=step):
            skipped = {"skipped": True, "skipReason": step.reason, "wordCount": 0, "wordCountDelta": 0}
            details = step.model_dump(exclude={"model", "reason", "degraded", "warnings"})
            yield Row(
                f"chain_step_{step.step}",
                step.step,
                seat=step.step,
                model=step.model,
                role="improver",
                parsed_data={**details, **skipped},
            )


def result(events: Sequence[Event]) -> ChainResult:
    opening = last(events, ChainStart)
    completed = [event.data for event in every(events, ChainStepComplete)]
    skipped = [event.data for event in every(events, ChainStepSkipped)]
    steps = sorted([*map(completed_step, completed), *map(skipped_step, skipped)], key=lambda step: step.step)
    final = max(completed, key=lambda step: step.step, default=None)
    # The last step, completed or skipped, says how it all ended.
    outcomes: list[StepData | SkippedData] = [*completed, *skipped]
    ending = next((step for step in outcomes if step.degraded is not None), None)
    return ChainResult(
        steps=steps,
        final_content=final.content if final else None,
        total_steps=opening.total_steps if opening else 0,
        completed_steps=len(completed),
        skipped_steps=[step.step for step in skipped],
        word_count_progression=[
            step.previous_word_count if step.skipped else step.word_count for step in steps
        ],
        degraded=bool(ending and ending.degraded),
        warnings=list(ending.warnings or ()) if ending else [],
        title=title_in(events),
    )


def completed_step(step: StepData) -> StepResult:
    shared = set(StepResult.model_fields) & set(StepData.model_fields)
    return StepResult(**step.model_dump(by_alias=False, include=shared), skipped=False)


def skipped_step(step: SkippedData) -> StepResult:
    line = step.model_dump(by_alias=False, include=set(StepLine.model_fields))
    return StepResult(
        **line,
        content="",
        word_count=0,
        previous_word_count=step.previous_word_count,
        word_count_delta=0,
        similarity=None,
        editor_note=None,
        response_time_ms=None,
        skipped=True,
        skip_reason=step.reason,
    )


def answer(events: Sequence[Event]) -> str | None:
    return result(events).final_content
