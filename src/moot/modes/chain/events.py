"""What a chain tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.values import Maybe, Row, Wire
from moot.modes.chain.config import ChainConfig
from moot.modes.chain.mandates import ChainStep


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


def line_of(number: int, step: ChainStep) -> dict[str, Any]:
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
    steps = [StepLine(**line_of(number, step)) for number, step in enumerate(config.steps, 1)]
    return {"total_steps": len(steps), "steps": steps}


def rows(event: Event) -> Iterator[Row]:
    match event:
        case ChainStepComplete(data=step):
            hidden = {"model", "content", "response_time_ms", "degraded", "warnings"}
            first = {"added_words", "removed_words", "similarity", "unchanged", "editor_note", "end_missing"}
            yield Row(
                f"chain_step_{step.step}",
                step.step,
                step.content,
                seat=step.step,
                model=step.model,
                role="drafter" if step.step == 1 else "improver",
                parsed_data=step.model_dump(exclude=hidden | (first if step.step == 1 else set())),
                response_time_ms=step.response_time_ms,
            )
        case ChainStepSkipped(data=step):
            skipped = {"skipped": True, "skipReason": step.reason, "wordCount": 0, "wordCountDelta": 0}
            kept = step.model_dump(exclude={"model", "reason", "degraded", "warnings"})
            yield Row(
                f"chain_step_{step.step}",
                step.step,
                seat=step.step,
                model=step.model,
                role="improver",
                parsed_data={**kept, **skipped},
            )


def result(events: Sequence[Event]) -> ChainResult:
    opening, title = last(events, ChainStart), last(events, TitleComplete)
    done, skipped = every(events, ChainStepComplete), every(events, ChainStepSkipped)
    steps = sorted([*map(completed_step, done), *map(skipped_step, skipped)], key=lambda step: step.step)
    final = max((event.data for event in done), key=lambda step: step.step, default=None)
    told: list[StepData | SkippedData] = [*(e.data for e in done), *(e.data for e in skipped)]
    ending = next((step for step in told if step.degraded is not None), None)
    return ChainResult(
        steps=steps,
        final_content=final.content if final else None,
        total_steps=opening.total_steps if opening else 0,
        completed_steps=len(done),
        skipped_steps=[event.data.step for event in skipped],
        word_count_progression=[s.previous_word_count if s.skipped else s.word_count for s in steps],
        degraded=bool(ending and ending.degraded),
        warnings=list(ending.warnings or ()) if ending else [],
        title=title.data.title if title else None,
    )


def completed_step(event: ChainStepComplete) -> StepResult:
    shared = set(StepResult.model_fields) & set(StepData.model_fields)
    return StepResult(**event.data.model_dump(by_alias=False, include=shared), skipped=False)


def skipped_step(event: ChainStepSkipped) -> StepResult:
    line = event.data.model_dump(by_alias=False, include=set(StepLine.model_fields))
    return StepResult(
        **line,
        content="",
        word_count=0,
        previous_word_count=event.data.previous_word_count,
        word_count_delta=0,
        similarity=None,
        editor_note=None,
        response_time_ms=None,
        skipped=True,
        skip_reason=event.data.reason,
    )


def answer(events: Sequence[Event]) -> str | None:
    return result(events).final_content
