"""Plain answers: a question that is the whole prompt, alone or after earlier turns."""

from __future__ import annotations

from moot.simulator import prose
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill
from moot.simulator.topic import Topic


def _is_bare(prompt: Prompt) -> bool:
    """Every prompt that is more than a question shows that question, fenced."""
    return not prompt.pieces


def plain(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    text = prose.answer(mind, topic, mind.position(topic))
    if not prompt.earlier_questions:
        return text
    before = Topic.of(prompt.earlier_questions[-1])
    return f"{text}\n\nWhat was said about {before.focus}, in reply to “{before.question}”, still holds."


SKILLS = (Skill("plain answer", _is_bare, plain, has_layout=False),)
