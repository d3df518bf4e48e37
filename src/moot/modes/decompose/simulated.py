"""Decompose: plan sub-tasks, solve one of them, assemble the parts."""

from __future__ import annotations

import re

from moot.modes.decompose.prompts import ASSEMBLY_PROMPT, PLAN_PROMPT, WORKER_PROMPT
from moot.simulator import prose
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, asks
from moot.simulator.topic import Topic

_MOST = re.compile(r"Between 3 and (\d+) sub-tasks")
_COMPLEXITIES = ("LOW", "MEDIUM", "HIGH")
_EXPERTISE = ("technical", "analytical", "general", "creative")


def _plan(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    most = _MOST.search(prompt.instruction)
    count = mind.dice.randint(3, min(int(most[1]) if most else 5, 6))
    blocks = []
    for number, aspect in enumerate(mind.aspects(topic, count), 1):
        needs = [] if number == 1 else mind.some(range(1, number), mind.dice.randint(0, 2))
        blocks.append(
            f"TASK task_{number}:\nTitle: {aspect.word.capitalize()}: {topic.focus}\n"
            f"Description: Simulated sub-task. {aspect.test}\n"
            f"Dependencies: {', '.join(f'task_{other}' for other in needs) or 'none'}\n"
            f"Complexity: {mind.dice.choice(_COMPLEXITIES)}\nExpertise: {mind.dice.choice(_EXPERTISE)}"
        )
    return "\n\n".join([*blocks, "END OF PLAN"])


def _solve(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    part = next((piece for piece in prompt.pieces if piece.is_under("your part")), None)
    title = part.text.strip().split("\n", 1)[0] if part else topic.focus
    position = mind.position(topic)
    aspects = mind.aspects(Topic.of(part.text if part else prompt.question), 3)
    missing = (
        "It was worked out without a part that could not be completed."
        if prompt.says("status=missing")
        else ""
    )
    return prose.paragraphs(
        f"**{title}** (simulated part)",
        " ".join(prose.speaks_for(mind, aspect, position.choice, topic) for aspect in aspects),
        prose.bullets(aspect.test for aspect in aspects),
        missing,
    )


def _assemble(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    readings = [mind.reading("", piece.text, topic) for piece in prompt.all_under("part")]
    aspects = list(dict.fromkeys(aspect for reading in readings for aspect in reading.aspects))
    gap = "One part of the matter is not covered here." if "MISSING" in prompt.under("plan") else ""
    return prose.paragraphs(prose.answer(mind, topic, mind.position(topic), aspects), gap)


SKILLS = (
    Skill("decompose plan", asks(PLAN_PROMPT), _plan),
    Skill("decompose part", asks(WORKER_PROMPT), _solve, has_layout=False),
    Skill("decompose assembly", asks(ASSEMBLY_PROMPT), _assemble, has_layout=False),
)
