"""The title of a conversation: three to five words."""

from __future__ import annotations

from moot.kernel.title import PROMPT
from moot.simulator import wording
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, asks
from moot.simulator.topic import Topic


def _title(prompt: Prompt, mind: Mind) -> str:
    words = wording.without_article(Topic.of(prompt.question).focus).split()[:3]
    while len(words) > 1 and len(" ".join(words)) > 28:
        words.pop()
    subject = " ".join(word[:28].capitalize() if word.islower() else word[:28] for word in words)
    opening = mind.dice.choice(("Simulated Thoughts on", "Simulated Talk about"))
    return f"{'Simulated' if len(words) > 2 else opening} {subject}"


SKILLS = (Skill("title", asks(PROMPT), _title, has_layout=False),)
