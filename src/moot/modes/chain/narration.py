"""A chain told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event
from moot.kernel.narration import Narration, Passage, count, quote
from moot.modes.chain.events import ChainStepComplete, ChainStepSkipped, ChainStepStart, StepData


def tell(event: Event, story: Sequence[Event]) -> Passage | None:
    match event:
        case ChainStepStart(data=start):
            return Passage(f"{start.step}. {start.mandate_display}")
        case ChainStepComplete(data=step):
            return Passage(f"{step.step}. {step.mandate_display}", tuple(_step(step)))
        case ChainStepSkipped(data=skipped):
            heading = f"{skipped.step}. {skipped.mandate_display}"
            return Passage(heading, (f"{skipped.model} was skipped: {skipped.reason}",))
    return None


def _step(step: StepData) -> list[str]:
    stand_in = f" (standing in for {step.substituted_for})" if step.substituted_for else ""
    if step.unchanged:
        sentences = [f"{step.model}{stand_in} changed nothing."]
    elif step.previous_word_count == 0:
        sentences = [f"{step.model}{stand_in} wrote {count(step.word_count, 'word')}."]
    else:
        sentences = [
            f"{step.model}{stand_in}: {count(step.word_count, 'word')} "
            f"(+{step.added_words:,} −{step.removed_words:,})."
        ]
    return [*sentences, f"“{quote(step.editor_note)}”"] if step.editor_note else sentences


NARRATION = Narration({"chain_step": "Step"}, tell)
