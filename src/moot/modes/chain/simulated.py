"""Chain: draft a text, improve it under one mandate, hand it in again when it was refused."""

from __future__ import annotations

import re

from moot.modes.chain.prompts import DRAFT_PROMPT, IMPROVE_PROMPT, REFUSAL_PROMPT
from moot.simulator import prose
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, asks
from moot.simulator.topic import Topic

_FRAME = re.compile(r"BEGIN-(\w+)")
_MANDATE = re.compile(r"Your single task: (.+?)\.?$", re.MULTILINE)


def _draft(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    return _frame(prompt, prose.answer(mind, topic, mind.position(topic)))


def _improve(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    version = prompt.under("current version")
    mandate = _MANDATE.search(prompt.instruction)
    name = mandate[1] if mandate else "Improvement"
    position = topic.stance(version) or mind.position(topic)
    if "polish" in name.casefold():
        return f"NOTE: Simulated: shortened a few turns of phrase.\n{_frame(prompt, _polish(version))}"
    aspects = mind.reading("", version, topic).missing[:2] or mind.aspects(topic, 2)
    section = prose.paragraphs(
        f"## {name} (simulated)",
        prose.bullets(
            f"{prose.speaks_for(mind, aspect, position.choice, topic)} {aspect.test}" for aspect in aspects
        ),
    )
    return f"NOTE: NONE\n{_frame(prompt, prose.paragraphs(version, section))}"


def _polish(version: str) -> str:
    for long, short in (
        ("the way back is short, so the first step may be wrong", "the way back is short"),
        (", which beats any diagram", ""),
        (", and that alone settles half of the argument", ""),
        ("There is something to be said for", "There is a case for"),
    ):
        version = version.replace(long, short)
    return version


def _again(prompt: Prompt, mind: Mind) -> str:
    version = prompt.under("current version")
    if version:
        return f"NOTE: Simulated: nothing was left out.\n{_frame(prompt, version)}"
    return _draft(prompt, mind)


def _frame(prompt: Prompt, text: str) -> str:
    frame = _FRAME.search(prompt.instruction)
    return f"BEGIN-{frame[1]}\n{text}\nEND-{frame[1]}" if frame else text


SKILLS = (
    Skill("chain again", asks(REFUSAL_PROMPT), _again),
    Skill("chain draft", asks(DRAFT_PROMPT), _draft),
    Skill("chain improvement", asks(IMPROVE_PROMPT), _improve),
)
