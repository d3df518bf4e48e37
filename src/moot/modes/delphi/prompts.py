"""What a Delphi exercise asks of its facilitator and its panel.

Round 2 of at most 5.
Your last answer: 40 USD, confidence HIGH.
Panel of 4 in round 1, in USD: median 42; middle half 37.5 to 55.5; …
ESTIMATE: <number in USD>

Panelists see figures of each other, never words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.kernel.fences import Filling, Foreign
from moot.kernel.run import Run
from moot.kernel.values import Prompt, Rewording
from moot.modes.delphi.answers import rotate
from moot.modes.delphi.config import DelphiConfig
from moot.modes.delphi.convergence import NumericStats
from moot.modes.delphi.events import Estimate
from moot.modes.delphi.layouts import (
    ANSWER_LAYOUT,
    CHOICE_LINE,
    CLASSIFY_LAYOUT,
    ESTIMATE_LINE,
    OPEN_LINE,
    OTHER_LINE,
)
from moot.modes.delphi.panel import Exercise
from moot.modes.delphi.report import STOP_REASONS, StopReason, figure, option_counts, own_figure


def classify_prompt(run: Run[DelphiConfig]) -> str:
    return run.fill(CLASSIFY_PROMPT, question=Foreign(run.question), layout=CLASSIFY_LAYOUT)


def codebook_prompt(run: Run[DelphiConfig], answers: Sequence[str]) -> str:
    numbered = "\n".join(f"{number}. {answer}" for number, answer in enumerate(answers, 1))
    return run.fill(CODEBOOK_PROMPT, question=Foreign(run.question), answers=Foreign(numbered))


def report_prompt(run: Run[DelphiConfig], exercise: Exercise, stop: StopReason) -> Rewording:
    current, original = (
        run.fill(
            REPORT_PROMPT,
            question=Foreign(run.question),
            rounds=str(len(exercise.rounds)),
            n=str(len(exercise.final_round(stop).estimates)),
            reason=STOP_REASONS[stop],
            table=exercise.trajectory(original=original),
            line=exercise.result_line(stop, original=original),
        )
        for original in (False, True)
    )
    return Rewording(current, original=original)


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """A prompt, the lines it asks for, and what to say if they cannot be read."""

    prompt: Prompt
    layout: str
    problem: str


def questionnaire(run: Run[DelphiConfig], exercise: Exercise, seat: int) -> Questionnaire:
    """For this seat and the next round."""
    unit = exercise.classification.unit
    if exercise.is_numeric:
        line, problem = ESTIMATE_LINE, "it has no ESTIMATE line with a number"
    else:
        line, problem = OPEN_LINE if exercise.is_open else CHOICE_LINE, "it has no ANSWER line"
    why = "what changed your mind, or why it did not" if exercise.rounds else "two to four sentences"
    layout = ANSWER_LAYOUT.format(line=line.format(in_unit=f" in {unit}" if unit else ""), why=why)
    own = exercise.last_of(seat)
    template, fillings = _later_round(exercise, own) if own else _first_round(exercise, seat)
    prompt: Prompt = run.fill(template, question=Foreign(run.question), layout=layout, **fillings)
    if template == LATER_CHOICE:
        prompt = Rewording(f"{prompt}\n{ALL_LINES}", original=str(prompt))
    return Questionnaire(prompt, layout, problem)


def _first_round(exercise: Exercise, seat: int) -> tuple[str, dict[str, Filling]]:
    classification = exercise.classification
    fillings: dict[str, Filling] = {"n": str(len(exercise.participants))}
    if exercise.is_numeric:
        low, high = classification.bounds or (None, None)
        fillings["in_unit"] = f" in {classification.unit}" if classification.unit else ""
        fillings["within"] = f", from {figure(low)} to {figure(high)}" if classification.bounds else ""
        return FIRST_NUMERIC, fillings
    if exercise.is_open:
        return FIRST_OPEN, fillings
    fillings["options"] = letter_options(rotate(exercise.options, seat))
    return FIRST_CHOICE, fillings


def _later_round(exercise: Exercise, own: Estimate) -> tuple[str, dict[str, Filling]]:
    """For a participant who has answered before."""
    before = exercise.rounds[-1]
    stats = before.stats
    assert stats is not None  # a round without statistics has no successor
    counts = stats.confidence_counts
    fillings: dict[str, Filling] = {
        "round": str(before.round + 1),
        "most": str(exercise.most_rounds),
        "before": str(before.round),
        "n": str(len(before.estimates)),
        "sure": own.confidence,
        "counts": f"{counts.low} low, {counts.medium} medium, {counts.high} high",
    }
    if isinstance(stats, NumericStats):
        unit = exercise.classification.unit
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
        return LATER_NUMERIC, fillings
    order = rotate(exercise.options, own.participant_index)
    fillings |= {
        "own": own.answer or "",
        "panel": "\n".join(option_counts(before.estimates, order)),
        "options": letter_options(order),
    }
    return LATER_CHOICE, fillings


def letter_options(options: Sequence[str]) -> str:
    lines = [f"{chr(ord('A') + place)}) {option}" for place, option in enumerate(options)]
    return "\n".join([*lines, OTHER_LINE])


CLASSIFY_PROMPT = """\
Prepare a question for a panel that will answer it in several anonymous rounds. Do not answer it.
QUESTION
{question}
NUMERIC means the answer is one number: an amount, share, duration, date or rate. Anything else is \
QUALITATIVE.
For NUMERIC choose the scale: RATIO (amount with a true zero), MAGNITUDE (honest answers could differ \
tenfold),
BOUNDED (percentage, probability, rating; give both ends), DATE (calendar year, decimals allowed).
For QUALITATIVE list 3 to 6 options that exclude each other and cover every serious answer.
Reply with these lines only:
{layout}"""

CODEBOOK_PROMPT = """\
A panel has answered a question in its own words. Group the answers by what they mean; do not judge them.
QUESTION
{question}
ANSWERS
{answers}
Give each group a short name that says the answer, and every answer number to exactly one group.
Reply with one line for each group, in this layout only:
OPTION <letter>: <name> = <answer numbers>"""

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

ALL_LINES = "Write all three lines, each with its label, also if you stay with your last answer."
"""Small models that stay leave the others out: docs/prompts.md."""

FAR_OUTSIDE = "Your answer lies far outside the panel. Check unit and order of magnitude first.\n"

REPORT_PROMPT = """\
You facilitated a Delphi exercise: {rounds} round(s), {n} participants, ended because {reason}.
QUESTION
{question}
The figures below are final. Quote them; never compute, and never invent what a participant may have thought.
{table}
Result: {line}
Write Markdown with exactly these headings:
## Delphi Consensus Report
### Final Consensus
### Convergence Analysis
### Confidence Trajectory
### Outlier Analysis
### Reliability Assessment
If the panel did not converge, say so in the first sentence and describe the camps instead of a consensus."""
