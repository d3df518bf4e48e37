"""Delphi: classify the question, answer in rounds and move with the panel, group answers, report."""

from __future__ import annotations

import re

from moot.modes.delphi.layouts import CHOICE_LINE, CLASSIFY_LAYOUT, ESTIMATE_LINE, OPEN_LINE
from moot.modes.delphi.prompts import (
    CODEBOOK_PROMPT,
    REPORT_PROMPT,
)
from moot.simulator import prose, wording
from moot.simulator.dice import dice
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt, flat
from moot.simulator.skill import Skill, asks
from moot.simulator.topic import Topic

_OWN_FIGURE = re.compile(r"Your last answer: (-?[\d.,]+(?:e[+-]?\d+)?)")
_MEDIAN = re.compile(r"\bmedian (-?[\d.,]+(?:e[+-]?\d+)?)")
_OPTION = re.compile(r"^([A-Z])\) (.+)$", re.MULTILINE)
_COUNT = re.compile(r"(\d+) of \d+\b")
_NUMBERED = re.compile(r"^\W*(\d+)[.):]\s*(.+)$", re.MULTILINE)


def _classify(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    if topic.figure is None:
        options = "\n" + prose.bullets(position.choice.capitalize() for position in topic.positions)
        kind, scale, bounds, unit = "QUALITATIVE", "NONE", "NONE", "NONE"
    else:
        options = ""
        kind, (scale, bounds, unit) = "NUMERIC", _scale(topic, topic.figure)
    return (
        f"TYPE: {kind}\nSCALE: {scale}\nBOUNDS: {bounds}\nUNIT: {unit}\nOPTIONS:{options}\n"
        f"REASONING: Simulated. An answer about {topic.focus} would be "
        + ("a choice." if topic.figure is None else "a number.")
    )


def _scale(topic: Topic, figure: float) -> tuple[str, str, str]:
    question = topic.question.casefold()
    if 1900 < figure < 2100 and "year" in question:
        return "DATE", "NONE", "year"
    if re.search(r"percent|share|likely|probab", question):
        return "BOUNDED", "0 to 100", "%"
    unit = wording.without_article(topic.terms[0]) if topic.terms else "units"
    return ("MAGNITUDE" if figure > 10_000 else "RATIO"), "NONE", unit


def _estimate(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    own, median = _OWN_FIGURE.search(prompt.instruction), _MEDIAN.search(prompt.instruction)
    figure = mind.estimate(topic)
    reason = f"I started from what is known about {topic.focus} and allowed for what is not."
    if own and median:
        last, middle = _number(own[1]), _number(median[1])
        moves = mind.chance(0.2 + 0.8 * mind.traits.conformity)
        figure = last + (middle - last) * mind.traits.conformity if moves else last
        reason = (
            "the spread made me doubt my first step, so I moved towards the middle."
            if moves
            else "the figures give me no reason to doubt a step of mine."
        )
    return f"ESTIMATE: {_digits(figure)}\nCONFIDENCE: {_confidence(mind)}\nREASONING: Simulated: {reason}"


def _choose(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    options = {letter: text for letter, text in _OPTION.findall(prompt.instruction) if letter != "Z"}
    if not options:  # asked for its layout alone, in a second chance
        return _answer_openly(prompt, mind)
    choice = _favourite(mind, topic, list(options.values()))
    leading = _leading(prompt, list(options.values()))
    reason = f"what decides it for me is {mind.aspects(topic, 1)[0].word}."
    if leading and leading != choice and mind.chance(mind.traits.conformity):
        choice, reason = leading, "the panel saw something that I had missed."
    letter = next((letter for letter, text in options.items() if text == choice), "A")
    return f"ANSWER: {letter}) {choice}\nCONFIDENCE: {_confidence(mind)}\nREASONING: Simulated: {reason}"


def _favourite(mind: Mind, topic: Topic, options: list[str]) -> str:
    """Its position, if that is among the options; else right or wrong as its accuracy has it."""
    position = mind.position(topic)
    for option in options:
        if flat(option) == flat(position.choice):
            return option
    if not options:
        return position.choice
    in_order = sorted(options)
    right = dice("right option", topic.key).choice(in_order)
    lot = dice("option", mind.character.name, mind.traits.seed, topic.key)
    return right if position == topic.right else lot.choice(in_order)


def _leading(prompt: Prompt, options: list[str]) -> str | None:
    """The option most of the panel chose in the last round, if the prompt tells."""
    counts = {}
    for line in prompt.instruction.split("\n"):
        count = _COUNT.search(line)
        candidates = [option for option in options if option in line]
        if count and candidates:
            counts[max(candidates, key=len)] = int(count[1])
    return max(counts, key=counts.__getitem__, default=None)


def _answer_openly(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    return (
        f"ANSWER: {mind.position(topic).choice}\nCONFIDENCE: {_confidence(mind)}\n"
        f"REASONING: Simulated: what decides it for me is {mind.aspects(topic, 1)[0].word}."
    )


def _group(prompt: Prompt, mind: Mind) -> str:
    groups: dict[str, list[str]] = {}
    for piece in prompt.pieces:
        for number, answer in _NUMBERED.findall(piece.text if not piece.is_under("question") else ""):
            groups.setdefault(flat(answer).strip(" .!"), []).append(number)
    lines = (
        f"OPTION {chr(65 + at)}: {name} = {', '.join(numbers)}"
        for at, (name, numbers) in enumerate(groups.items())
    )
    return "\n".join(["Simulated codebook.", *lines])


def _report(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    result = re.search(r"^Result: (.+)$", prompt.instruction, re.MULTILINE)
    reason = re.search(r"ended because (.+?)\.?$", prompt.instruction, re.MULTILINE)
    first, second = mind.aspects(topic, 2)
    return prose.paragraphs(
        "## Delphi Consensus Report",
        "### Final Consensus",
        f"Simulated report. {result[1] if result else 'The figures are those above.'}",
        "### Convergence Analysis",
        f"The exercise ended because {reason[1] if reason else 'the last round was held'}. "
        "The table shows how far the panel moved from round to round.",
        "### Confidence Trajectory",
        "Confidence followed agreement; it did not lead it.",
        "### Outlier Analysis",
        "Panelists far from the middle were told so and kept their answers; their reasons are not known.",
        "### Reliability Assessment",
        f"The result says what this panel thinks of {topic.focus}. It says nothing about {first.word} "
        f"or {second.word} that the panel did not know.",
    )


def _confidence(mind: Mind) -> str:
    return mind.dice.choices(("LOW", "MEDIUM", "HIGH"), (1, 2, 4 * mind.traits.accuracy**2))[0]


def _number(text: str) -> float:
    return float(text.replace(",", "").rstrip(".") or 0)


def _digits(figure: float) -> str:
    return f"{figure:.0f}" if abs(figure) >= 100 else f"{figure:.2f}".rstrip("0").rstrip(".")


SKILLS = (
    Skill("delphi classify", asks(CLASSIFY_LAYOUT), _classify),
    Skill("delphi estimate", asks(ESTIMATE_LINE), _estimate),
    Skill("delphi choice", asks(CHOICE_LINE), _choose),
    Skill("delphi open answer", asks(OPEN_LINE), _answer_openly),
    Skill("delphi codebook", asks(CODEBOOK_PROMPT), _group),
    Skill("delphi report", asks(REPORT_PROMPT), _report, has_layout=False),
)
