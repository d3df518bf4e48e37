"""Every prompt of every mode is known to one skill, by words that no other prompt has."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from importlib import import_module

import pytest

from moot.deliberation.retries import MEND_PROMPT, REPAIR_PROMPT
from moot.kernel.engine import Engine
from moot.kernel.mode import Panel
from moot.kernel.request import AskRequest
from moot.kernel.values import Message, Request
from moot.modes import MODES
from moot.modes.skills import SKILLS
from moot.settings import Settings
from moot.simulator.prompt import Prompt, flat
from moot.simulator.skill import Asks, fixed_words
from moot.simulator.transport import Simulator
from moot.store.urls import store_for
from moot.transport import Chunk
from tests.simulator.asking import PANEL, QUESTION
from tests.simulator.test_mode_skills import CASES

ORDERED = [["match again", "match"]]
"""A second try that repeats its first prompt: both skills know it, and the first is meant."""


def recognised_by(prompt: Prompt) -> list[str]:
    return [skill.name for skill in SKILLS if skill.recognise(prompt)]


def templates(mode: str) -> Iterator[str]:
    """Every text in a mode's prompts, whole prompts and their parts."""
    constants = vars(import_module(f"moot.modes.{mode}.prompts")).items()
    return (value for name, value in constants if name.isupper() and isinstance(value, str))


def phrases() -> Iterator[tuple[str, str]]:
    for mode in MODES:
        for skill in import_module(f"moot.modes.{mode}.simulated").SKILLS:
            if isinstance(skill.recognise, Asks):
                yield from ((mode, phrase) for phrase in skill.recognise.phrases)


@pytest.mark.parametrize(("mode", "phrase"), list(phrases()))
def test_the_words_of_a_skill_stand_in_the_templates_of_its_mode_alone(mode: str, phrase: str) -> None:
    modes = {other for other in MODES for text in templates(other) if flat(phrase) in flat(text)}
    assert modes == {mode}


def test_the_words_a_template_is_known_by_stand_in_every_prompt_made_from_it() -> None:
    assert fixed_words("Rate {what} on this scale, from 1 to 5:\n{rows}") == "on this scale, from 1 to 5:"
    assert fixed_words("No placeholder.") == "No placeholder."


@pytest.mark.parametrize(("prompt", "skill"), [case[:2] for case in CASES], ids=[case[1] for case in CASES])
def test_a_prompt_is_known_to_one_skill_alone(prompt: str, skill: str) -> None:
    messages = (Message(role="user", content=prompt),)
    assert recognised_by(Prompt.read(messages)) == [skill]


class Recorder(Simulator):
    """The simulator, noting which skills recognise each prompt."""

    def __init__(self) -> None:
        super().__init__(speed=0)
        self.recognitions: list[tuple[Prompt, list[str]]] = []

    def stream(self, request: Request) -> AsyncIterator[Chunk]:
        prompt = Prompt.read(request.messages)
        self.recognitions.append((prompt, recognised_by(prompt)))
        return super().stream(request)


async def recognitions_of(mode: str, panel: tuple[str, ...]) -> list[tuple[Prompt, list[str]]]:
    recorder = Recorder()
    ask = AskRequest.of({"question": QUESTION, "mode": mode})
    async with Engine(
        store_for("sqlite://"), recorder, Panel(panel), Settings(), modes=MODES, strict=True
    ) as engine:
        record = await engine.start(ask)
        await engine.finished(record.id)
    return recorder.recognitions


@pytest.mark.parametrize("traits", ["", ":unreadable=0.5"])
@pytest.mark.parametrize("mode", MODES)
async def test_every_prompt_of_a_deliberation_is_known_to_one_skill(mode: str, traits: str) -> None:
    recognitions = await recognitions_of(mode, tuple(f"{model}{traits}" for model in PANEL))
    assert recognitions
    for prompt, names in recognitions:
        is_repair = any(prompt.says(fixed_words(one)) for one in (REPAIR_PROMPT, MEND_PROMPT))
        assert len(names) == 1 or names in ORDERED or (is_repair and not names), prompt.instruction
