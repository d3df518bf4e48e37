"""Skill: a prompt that a simulated model understands, and how it answers that prompt.

To teach a prompt, put this into `skills/<mode>.py` and its SKILLS into the tuple of `skills/__init__.py`:

    def _judge(prompt: Prompt, mind: Mind) -> str:
        best = mind.ranked(prompt.responses, Topic.of(prompt.question))[0]
        return f"REASONING: Simulated. {best.label} covers more.\\nWINNER: {best.label}"

    SKILLS = (Skill("tournament judge", says("Decide which one serves the person who asked better"), _judge),)

A phrase to recognise a prompt by should be one that only this prompt has and that will stay. Only the
instruction is searched, never what is fenced. What is written must say that it is simulated, where a
person will read it and no parser minds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt

Recognise = Callable[[Prompt], bool]
Write = Callable[[Prompt, Mind], str]


@dataclass(frozen=True, slots=True)
class Skill:
    """`has_layout`: a program will read the reply, so a model may also fail to keep to the layout."""

    name: str
    recognise: Recognise
    write: Write
    has_layout: bool = True


def says(*phrases: str) -> Recognise:
    return lambda prompt: prompt.says(*phrases)


def comparing(*phrases: str) -> Recognise:
    """The phrases, and answers to compare under them."""
    return lambda prompt: bool(prompt.responses) and prompt.says(*phrases)
