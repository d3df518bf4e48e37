"""The title of a conversation: three to five words."""

from __future__ import annotations

from moot.kernel.title import PROMPT
from moot.simulator import wording
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, asks
from moot.simulator.topic import Topic


def _title(prompt: Prompt, mind: Mind) -> str:
    return wording.headline(Topic.of(prompt.question).question)


SKILLS = (Skill("title", asks(PROMPT), _title, has_layout=False),)
