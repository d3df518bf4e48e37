"""Council: rank the anonymised answers; as chairman, synthesise answers and rankings."""

from __future__ import annotations

import re
from collections import Counter

from moot.modes.council.prompts import RANKING_PROMPT, RANKING_REPAIR, SYNTHESIS_PROMPT
from moot.simulator import prose
from moot.simulator.aspects import Aspect
from moot.simulator.mind import Mind, Reading
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, asks, comparing
from moot.simulator.topic import Position, Topic
from moot.simulator.verdicts import comparison, remark

_NUMBERED_LABEL = re.compile(r"^\s*\d+\.\s*(Response [A-Z]+)\s*$", re.MULTILINE)


def _rank(prompt: Prompt, mind: Mind) -> str:
    order = mind.ranked(prompt.responses, Topic.of(prompt.question))
    by_label = sorted(order, key=lambda reading: reading.label)
    return prose.paragraphs(
        "*Simulated evaluation.*",
        prose.bullets(remark(mind, reading) for reading in by_label),
        comparison(order[0], order[1:]),
        "FINAL RANKING:\n" + prose.numbered(reading.label for reading in order),
    )


def _synthesise(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    readings = [mind.reading(label, text, topic) for label, text in prompt.responses.items()]
    points = _points(prompt, readings)
    readings.sort(key=lambda reading: -points[reading.label])
    stances = [reading.stance for reading in readings if reading.stance]
    position = _majority_position(stances, mind.position(topic))
    aspects = list(dict.fromkeys(aspect for reading in readings for aspect in reading.aspects))
    return prose.paragraphs(
        prose.NOTICE,
        "## Answer",
        f"{prose.thesis(mind, position)} {_support(stances, position)}",
        prose.bullets(prose.speaks_for(mind, aspect, position.choice, topic) for aspect in aspects[:4]),
        "## Where the responses agree and differ",
        _table(readings, points),
        _dissent(stances, position, aspects, topic),
        "## What to do",
        prose.numbered(aspect.test for aspect in aspects[-3:]),
    )


def _points(prompt: Prompt, readings: list[Reading]) -> Counter[str]:
    """A point for every answer a ranking puts below this one."""
    points: Counter[str] = Counter({reading.label: 0 for reading in readings})
    for ranking in prompt.all_under("Evaluator"):
        labels = _NUMBERED_LABEL.findall(ranking.text)
        points.update({label: len(labels) - place for place, label in enumerate(labels, 1)})
    return points


def _majority_position(stances: list[Position], own: Position) -> Position:
    """The position most responses hold; among equals the chairman's own, else that of the best ranked."""
    if not stances:
        return own
    holders = Counter(stances)
    most = max(holders.values())
    leading = [stance for stance in stances if holders[stance] == most]
    return own if own in leading else leading[0]


def _support(stances: list[Position], position: Position) -> str:
    holders = stances.count(position)
    if not holders:
        return "None of the responses says so outright, but together they point there."
    hold = "holds" if holders == 1 else "hold"
    return f"Of {len(stances)} responses with a position, {holders} {hold} this one."


def _table(readings: list[Reading], points: Counter[str]) -> str:
    rows = (
        f"| {reading.label} | {reading.stance.choice if reading.stance else 'open'} "
        f"| {prose.listed([aspect.word for aspect in reading.aspects]) or 'few reasons'} "
        f"| {points[reading.label]} |"
        for reading in readings
    )
    return "\n".join(
        ["| Response | Position | Weighs | Points in the rankings |", "|---|---|---|---|", *rows]
    )


def _dissent(stances: list[Position], position: Position, aspects: list[Aspect], topic: Topic) -> str:
    dissenting = [stance for stance in dict.fromkeys(stances) if stance != position]
    if not dissenting:
        return "No response disagrees in substance; they differ in what they stress."
    against = f" {prose.speaks_against(aspects[0], dissenting[0].choice, topic)}" if aspects else ""
    return f"The case for {prose.listed([stance.choice for stance in dissenting])} remains.{against}"


SKILLS = (
    Skill("council ranking", comparing(RANKING_PROMPT), _rank),
    Skill("council ranking, repaired", comparing(RANKING_REPAIR), _rank),
    Skill("council synthesis", asks(SYNTHESIS_PROMPT), _synthesise, has_layout=False),
)
