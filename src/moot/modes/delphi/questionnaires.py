"""A questionnaire: what a participant of an anonymous panel is asked in a round, and how its reply is read.

Round 2 of at most 5.
Your last answer: 40 USD, confidence HIGH.
Panel of 4 in round 1, in USD: median 42; middle half 37.5 to 55.5; …
ESTIMATE: <number in USD>
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.deliberation.parsing import Shown, marker
from moot.kernel.fences import Filling, Foreign
from moot.modes.delphi.answers import (
    Figure,
    read_answer,
    read_confidence,
    read_estimate,
    read_reasoning,
    rotated,
    short_answer,
)
from moot.modes.delphi.convergence import NumericStats
from moot.modes.delphi.panel import Estimate, Exercise, Said
from moot.modes.delphi.report import counted_options, figure, own_figure

OPENING = """\
You are one of {n} independent experts. Later you will see statistics of the panel, never another \
expert's words.
QUESTION
{question}
"""

FIRST_NUMERIC = (
    OPENING
    + """\
Work it out from a base rate or a decomposition, then commit to one number{in_unit}{within}.
Last three lines of your reply, digits only in the first (no words such as "million", no range):
{layout}"""
)

FIRST_CHOICE = (
    OPENING
    + """\
Choose exactly one option. The order means nothing:
{options}
Last three lines of your reply:
{layout}"""
)

FIRST_OPEN = (
    OPENING
    + """\
Think it through, then commit to one answer.
Last three lines of your reply:
{layout}"""
)

LATER_OPENING = """\
Round {round} of at most {most}.
QUESTION
{question}
"""

STAY_OR_MOVE = """\
The panel may be wrong together. Move only if the figures make you doubt a step of your own reasoning; \
staying is
as good an answer as moving.
"""

LATER_NUMERIC = (
    LATER_OPENING
    + """\
Your last answer: {own}{of_unit}, confidence {sure}.
Panel of {n} in round {before}{in_unit_too}: median {median}; middle half {q1} to {q3}; lowest {min}; \
highest {max};
mean {mean}; standard deviation {deviation}; relative spread {cv}. Confidence: {counts}.
{warning}"""
    + STAY_OR_MOVE
    + """\
Last three lines:
{layout}"""
)

LATER_CHOICE = (
    LATER_OPENING
    + """\
Your last answer: {own}, confidence {sure}.
Panel of {n} in round {before}:
{panel}
Confidence: {counts}.
"""
    + STAY_OR_MOVE
    + """\
Choose exactly one option. The order means nothing:
{options}
Last three lines:
{layout}"""
)

FAR_OUTSIDE = "Your answer lies far outside the panel. Check unit and order of magnitude first.\n"


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """A prompt to be filled, the lines it asks for, and what to say if they cannot be read."""

    template: str
    fillings: Mapping[str, Filling]
    layout: str
    problem: str


def questionnaire(exercise: Exercise, seat: int, question: str) -> Questionnaire:
    """For this seat and the next round."""
    number = len(exercise.rounds) + 1
    unit = exercise.asked.unit
    in_unit = f" in {unit}" if unit else ""
    if exercise.numeric:
        first_line, problem = f"ESTIMATE: <number{in_unit}>", "it has no ESTIMATE line with a number"
    elif exercise.open:
        first_line, problem = "ANSWER: <at most 12 words>", "it has no ANSWER line"
    else:
        first_line, problem = "ANSWER: <letter and option text>", "it has no ANSWER line"
    why = "two to four sentences" if number == 1 else "what changed your mind, or why it did not"
    layout = f"{first_line}\nCONFIDENCE: <LOW or MEDIUM or HIGH>\nREASONING: <{why}>"
    fillings: dict[str, Filling] = {"question": Foreign(question), "layout": layout}
    if number == 1:
        return _first(exercise, seat, fillings, layout, problem)
    own = exercise.last_of(seat)
    assert own is not None  # who has no answer in round 1 is not asked again
    fillings |= {"round": str(number), "most": str(exercise.most_rounds), "before": str(number - 1)}
    return _later(exercise, own, fillings, layout, problem)


def _first(
    exercise: Exercise, seat: int, fillings: dict[str, Filling], layout: str, problem: str
) -> Questionnaire:
    asked = exercise.asked
    fillings["n"] = str(len(exercise.participants))
    if exercise.numeric:
        low, high = asked.bounds or (None, None)
        fillings["in_unit"] = f" in {asked.unit}" if asked.unit else ""
        fillings["within"] = f", from {figure(low)} to {figure(high)}" if asked.bounds else ""
        return Questionnaire(FIRST_NUMERIC, fillings, layout, problem)
    if exercise.open:
        return Questionnaire(FIRST_OPEN, fillings, layout, problem)
    fillings["options"] = lettered(rotated(exercise.options, seat))
    return Questionnaire(FIRST_CHOICE, fillings, layout, problem)


def _later(
    exercise: Exercise, own: Estimate, fillings: dict[str, Filling], layout: str, problem: str
) -> Questionnaire:
    before = exercise.rounds[-1]
    stats = before.stats
    assert stats is not None  # a round without statistics has no successor
    counts = stats.confidence_counts
    fillings |= {
        "n": str(len(before.estimates)),
        "sure": own.confidence,
        "counts": f"{counts.low} low, {counts.medium} medium, {counts.high} high",
    }
    if isinstance(stats, NumericStats):
        unit = exercise.asked.unit
        fillings |= {
            "own": own_figure(own.estimate or 0.0),
            "of_unit": f" {unit}" if unit else "",
            "in_unit_too": f", in {unit}" if unit else "",
            "median": figure(stats.median),
            "q1": figure(stats.q1),
            "q3": figure(stats.q3),
            "min": figure(stats.min),
            "max": figure(stats.max),
            "mean": figure(stats.mean),
            "deviation": figure(stats.std_dev),
            "cv": figure(stats.cv),
            "warning": FAR_OUTSIDE if own.participant_index in stats.outliers else "",
        }
        return Questionnaire(LATER_NUMERIC, fillings, layout, problem)
    order = rotated(exercise.options, own.participant_index)
    fillings |= {
        "own": own.answer or "",
        "panel": "\n".join(counted_options(before.estimates, order)),
        "options": lettered(order),
    }
    return Questionnaire(LATER_CHOICE, fillings, layout, problem)


def lettered(options: Sequence[str]) -> str:
    listed = [f"{chr(ord('A') + place)}) {option}" for place, option in enumerate(options)]
    return "\n".join([*listed, "Z) Other: <say what>"])


def read_reply(reply: str, exercise: Exercise, seat: int, shown: Shown) -> Said | None:
    """None if there is no answer that can be read."""
    answered: str | None = None
    number: Figure | None = None
    if exercise.numeric:
        number = read_estimate(reply, exercise.asked.unit, exercise.asked.bounds, shown)
    elif exercise.open:
        found = marker(reply, "ANSWER", shown=shown)
        answered = short_answer(found.raw) if found else None
    else:
        answered = read_answer(reply, rotated(exercise.options, seat), shown)
    if number is None and not answered:
        return None
    return Said(number, answered, read_confidence(reply, shown), read_reasoning(reply))
