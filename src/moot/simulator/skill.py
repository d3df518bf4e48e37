"""Skill: a prompt that a simulated model understands, and how it answers that prompt.

To teach the prompts of a mode, write this into its `simulated.py`:

    def _judge(prompt: Prompt, mind: Mind) -> str:
        best = mind.ranked(prompt.responses, Topic.of(prompt.question))[0]
        return f"REASONING: Simulated. {best.label} covers more.\\nWINNER: {best.label}"

    SKILLS = (Skill("tournament judge", asks(JUDGE_PROMPT), _judge),)

A prompt is recognised by the words of its own template, so the two cannot part. Only the instruction is
searched, never what is fenced. What is written must say that it is simulated, where a person will read it
and no parser minds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt

Recognise = Callable[[Prompt], bool]
Write = Callable[[Prompt, Mind], str]

_PLACEHOLDER = re.compile(r"\{\w+\}")


@dataclass(frozen=True, slots=True)
class Skill:
    """`has_layout`: a program will read the reply, so a model may also fail to keep to the layout."""

    name: str
    recognise: Recognise
    write: Write
    has_layout: bool = True


@dataclass(frozen=True, slots=True)
class Asks:
    """Recognises a prompt that holds one of these phrases."""

    phrases: tuple[str, ...]

    def __call__(self, prompt: Prompt) -> bool:
        return any(prompt.says(phrase) for phrase in self.phrases)


def asks(*templates: str) -> Asks:
    """One of these templates, filled in: a whole prompt, or the layout that a prompt and its repair share."""
    return Asks(tuple(map(fixed_words, templates)))


def fixed_words(template: str) -> str:
    """The longest piece between two placeholders: it stands in every prompt made from the template."""
    return max(_PLACEHOLDER.split(template), key=len).strip()


def says(*phrases: str) -> Recognise:
    return lambda prompt: prompt.says(*phrases)


def comparing(template: str) -> Recognise:
    """This template, filled in with answers to compare. All its words count: two prompts for a ballot may
    differ in their opening alone."""
    phrases = _PLACEHOLDER.split(template)
    return lambda prompt: bool(prompt.responses) and prompt.says(*phrases)
