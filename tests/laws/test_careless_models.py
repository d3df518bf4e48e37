"""What becomes of a run in which one kind of call is answered badly, every time, in every way that real
models have: no loss is told as complete, nothing of our own comes back as an answer, no call too many."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest

from moot.kernel.fences import NOTICE, nonces_in, outside_fences
from moot.kernel.values import Request
from moot.modes import MODES
from moot.modes.skills import SKILLS
from moot.simulator.prompt import Prompt
from moot.simulator.transport import Simulator
from moot.transport import Chunk
from tests.harness.chamber import Chamber
from tests.kernel.test_call_estimate import PANEL, estimate_of
from tests.laws.test_databases import QUESTION

GERMAN = (
    "Das lässt sich so nicht sagen. Beide Texte haben ihre Stärken, und es kommt darauf an, was man sucht. "
    "Der eine ist ausführlicher, der andere kürzer, und am Ende ist es eine Frage des Geschmacks."
)
_LAYOUT_LINE = re.compile(r"^(?:#+ .+|[A-Z][A-Z0-9 _-]{2,}:.*|.*<[^<>\n]+>.*|\|.+\|)$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"<[a-z][^<>\n]{3,}>")
_FENCE_NOTICE = NOTICE.partition("{")[0]


def _layout(request: Request, _: str) -> str:
    """The lines of the instruction that look like a layout, as if they were a reply."""
    told = outside_fences(request.messages[-1].content)
    return "\n".join(line for line in _LAYOUT_LINE.findall(told) if not line.startswith(_FENCE_NOTICE))


BAD: dict[str, Callable[[Request, str], str]] = {
    "empty": lambda request, good: "",
    "loop": lambda request, good: "It is what it is, and so it goes on. " * 40,
    "echo": lambda request, good: request.messages[-1].content,
    "fences": lambda request, good: "```\n\n```",
    "layout": _layout,
    "cut": lambda request, good: good[: len(good) // 2],
    "refusal": lambda request, good: "I'm sorry, I can't help with that.",
    "german": lambda request, good: GERMAN,
}
PROSE = {"chain draft", "dialectic proposal", "dialectic revision", "dialectic synthesis"}
"""Without their headings these are the text itself, as the seeds and sheets have it."""
NO_PART = {"dialectic judge"}
"""Grades an answer that stands without it; that there is no grade is told by a warning."""
NO_LOSS_IN_PROSE = {"refusal", "german", "layout"}
"""Where any text is an answer, these are one; nobody can tell them from what was asked for."""


@dataclass
class Careless:
    """Simulated models, of which one kind of call is always answered badly. `others` are answered well: all
    kinds that a run has in which nothing goes wrong. What else is asked is to repair the bad ones."""

    kind: str = ""
    others: set[str] = field(default_factory=set)
    bad: str = ""
    kinds: set[str] = field(default_factory=set)
    asked: int = 0
    spoilt: int = 0
    nonces: set[str] = field(default_factory=set)
    placeholders: set[str] = field(default_factory=set)

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        self.asked += 1
        self.nonces.update(nonces_in(request.messages))
        self.placeholders.update(_PLACEHOLDER.findall(outside_fences(request.messages[-1].content)))
        kind = kind_of(request)
        self.kinds.add(kind)
        yield Chunk()
        text = "".join([chunk.text async for chunk in Simulator(speed=0).stream(request)])
        finish = "stop"
        if self.kind and kind not in self.others:
            spoilt = BAD[self.bad](request, text)
            self.spoilt += spoilt != text
            text, finish = spoilt, "length" if self.bad == "cut" else "stop"
        if text:
            yield Chunk(text=text)
        yield Chunk(finish_reason=finish)


def kind_of(request: Request) -> str:
    prompt = Prompt.read(request.messages)
    return next((skill.name for skill in SKILLS if skill.recognise(prompt)), "other")


def has_layout(kind: str) -> bool:
    return kind not in PROSE and next((skill.has_layout for skill in SKILLS if skill.name == kind), True)


@pytest.mark.parametrize("mode", MODES)
async def test_a_careless_model_is_never_taken_for_a_careful_one(mode: str) -> None:
    careless = Careless()
    most = estimate_of(mode).calls
    async with Chamber(transport=careless, panel=PANEL, title_model="sim/ada", embedder="off") as chamber:
        whole = await chamber.deliberate(mode, QUESTION)
        assert whole.record.status == "complete"
        faults = []
        usual = frozenset(careless.kinds)
        for kind in sorted(usual - {"title"}):
            careless.others = set(usual - {kind})
            for bad in BAD:
                careless.kind, careless.bad, careless.asked, careless.spoilt = kind, bad, 0, 0
                held = await chamber.deliberate(mode, QUESTION)
                where = f"{mode}, {kind}, {bad}: {held.record.status}"
                if careless.asked > most:
                    faults.append(f"{where}, {careless.asked} calls of {most}")
                may_be_whole = not careless.spoilt or (bad in NO_LOSS_IN_PROSE and not has_layout(kind))
                if held.record.status == "complete" and not may_be_whole:
                    is_told = kind in NO_PART and "warning" in held.types
                    faults += [] if is_told else [f"{where}, told as complete"]
                faults += [f"{where}, delivers {ours!r}" for ours in ours_in(held.answer or "", careless)]
    assert not faults, "\n".join(faults)


def ours_in(answer: str, careless: Careless) -> list[str]:
    """What of our own words for the models stands in an answer."""
    return [one for one in (*careless.nonces, *careless.placeholders, "<<<") if one in answer]
