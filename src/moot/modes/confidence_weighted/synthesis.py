"""The synthesizer at work: weighted answers become one, shown by letters, the heaviest first.

synthesizer ─▶ the heaviest respondent that is another model ─▶ the heaviest answer as it is
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown
from moot.deliberation.retries import ask_or_substitute, read_or_repaired
from moot.kernel.errors import NoAnswer
from moot.kernel.run import Run
from moot.kernel.values import Answer
from moot.modes.confidence_weighted.calibration import read_synthesis, read_verdicts
from moot.modes.confidence_weighted.config import ConfidenceConfig
from moot.modes.confidence_weighted.events import Calibration, SynthesisFallback
from moot.modes.confidence_weighted.layouts import SYNTHESIS_LAYOUT
from moot.modes.confidence_weighted.prompts import synthesis_prompt
from moot.modes.confidence_weighted.weights import WeightedAnswer


class Synthesis(NamedTuple):
    """The reply that holds the synthesis; None if the heaviest answer stands in for one."""

    reply: Answer | None
    fallback: SynthesisFallback | None


class SynthesisReply(NamedTuple):
    """The two parts of a synthesizer's reply."""

    synthesis: str
    notes: str

    @property
    def readable(self) -> bool:
        return bool(self.synthesis)


async def synthesise(
    run: Run[ConfidenceConfig], answers: Sequence[WeightedAnswer], shown: Shown
) -> Synthesis:
    if not await run.time_for("synthesis", 5):
        message = run.wording(
            "There was no time left for a synthesis, so the answer with the most weight is used.",
            original="There was no time left for a synthesis: the heaviest answer stands.",
        )
        await run.degrade(message, "pipeline_timeout", "synthesis")
        return Synthesis(None, "top_answer")
    prompt, model = partial(synthesis_prompt, run, answers), run.config.synthesis_model
    substitute = next((one.answer.model for one in answers if one.answer.model != model), None)

    async def ask(step: str, writer: str) -> Answer:
        """A reply without a synthesis, also when it was asked for one once more, counts as none; whoever
        calls tells of it."""
        reply = await run.ask(step, writer, prompt(), report_failure=False)
        reply, reading = await read_or_repaired(
            run,
            reply,
            lambda one: SynthesisReply(*read_synthesis(legible(one), shown)),
            step=step,
            problem="below the label SYNTHESIS stands no answer",
            layout=SYNTHESIS_LAYOUT,
            prompt=prompt,
            since=2,
        )
        if not reading.readable:
            failure = run.unreadable(reply, step, f"{writer} wrote notes but no synthesis.")
            raise NoAnswer(failure.model_copy(update={"kind": "empty"}))
        return reply

    try:
        reply = await ask_or_substitute(
            run, "synthesis", model, substitute, ask, wrote="the synthesis", code="substitute_model"
        )
    except NoAnswer:
        message = run.wording(
            "No model wrote a synthesis, so the answer with the most weight is used unchanged.",
            original="Nobody could write a synthesis: the heaviest answer stands as it is.",
        )
        await run.degrade(message, "top_answer", "synthesis")
        return Synthesis(None, "top_answer")
    judged = read_verdicts(read_synthesis(legible(reply), shown)[1], shown).keys()
    count = sum(one.letter in judged for one in answers)
    if run.follows(3) and not judged:
        message = run.wording(
            f"{reply.model}'s verdicts on the confidences could not be read.",
            original=f"{reply.model} judged no confidence in a way that could be read.",
        )
        await run.degrade(message, "no_calibration", "synthesis")
    elif run.follows(4) and count < len(answers):
        message = f"{reply.model} judged the confidence of {count} of {len(answers)} answers."
        await run.degrade(message, "incomplete", "synthesis")
    return Synthesis(reply, None if reply.model == model else "substitute_model")


def shown_to_synthesizer(run: Run[ConfidenceConfig], answers: Sequence[WeightedAnswer]) -> Shown:
    return Shown([run.question, *(one.answer.response for one in answers)])


def calibrations(notes: str, answers: Sequence[WeightedAnswer], shown: Shown) -> list[Calibration]:
    """A verdict per answer, in index order."""
    verdicts = read_verdicts(notes, shown)
    entries = [
        Calibration(
            index=one.answer.index,
            seat=one.answer.seat,
            model=one.answer.model,
            verdict=verdicts[one.letter].verdict if one.letter in verdicts else None,
            note=verdicts[one.letter].note if one.letter in verdicts else "",
        )
        for one in answers
    ]
    return sorted(entries, key=lambda entry: entry.index)
