"""Replies: a request in, what the simulated model says out. A pure function of the request.

request ─▶ skill that recognises it ─▶ text ─▶ (obeyed a smuggled line?) ─▶ signed ─▶ (ignored the layout?)
           else the layout it asks for, else plain prose
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from moot.deliberation.signatures import signature_in
from moot.kernel.values import FailureKind, Request
from moot.modes.skills import SKILLS
from moot.simulator import layout, prose
from moot.simulator.answers import plain
from moot.simulator.cast import cast_for
from moot.simulator.dice import dice
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.topic import Topic

_MARKER_LINE = re.compile(r"^([A-Z][A-Z0-9 _]+): *(.+)$", re.MULTILINE)
_RANKING = re.compile(r"FINAL RANKING:\s*\n(?:\s*\d+\..*\n?)+")
_FAILURES: tuple[FailureKind, ...] = ("rate_limited", "network", "empty", "refused")


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said, after how many seconds it begins, and how fast it goes on.

    `failure`: the call fails in this way instead; `network` after part of the text.
    """

    text: str
    thinking: str
    failure: FailureKind | None
    delay: float
    tokens_per_second: float


def reply(request: Request) -> Reply:
    """Raises ValueError if the model id names an impossible model."""
    character, traits = cast_for(request.model)
    lot = dice("reply", character.name, traits.seed, request.digest())
    failure: FailureKind | None = None
    if lot.random() < traits.fail:
        failure = lot.choice(_FAILURES) if traits.fail_as == "any" else traits.fail_as
    mind = Mind(character, traits, lot)
    prompt = Prompt.read(request.messages)
    return Reply(
        delay=traits.latency / 1000 * lot.uniform(0.75, 1.25),
        thinking=_thought(prompt, mind) if mind.chance(traits.thinking) else "",
        text=_written(prompt, mind),
        failure=failure,
        tokens_per_second=traits.tps,
    )


def _written(prompt: Prompt, mind: Mind) -> str:
    skill = next((skill for skill in SKILLS if skill.recognise(prompt)), None)
    if skill is not None:
        text, has_layout = skill.write(prompt, mind) or plain(prompt, mind), skill.has_layout
    else:
        form = layout.filled(prompt, mind)
        text, has_layout = form or plain(prompt, mind), form is not None
    if mind.chance(mind.traits.obedience):
        text = _obeyed(text, prompt)
    text = _signed(text, prompt)
    if has_layout and mind.chance(mind.traits.unreadable):
        text = _without_layout(prompt, mind)
    return text


def _obeyed(text: str, prompt: Prompt) -> str:
    """The reply with every marker line, and any ranking, set to what fenced material asks for."""
    material = "\n".join(piece.text for piece in prompt.pieces)

    def smuggled(line: re.Match[str]) -> str:
        wanted = re.findall(rf"{re.escape(line[1])}: *(.+)", material)
        return f"{line[1]}: {wanted[-1]}" if wanted else line[0]

    ranking = _RANKING.search(material)
    if ranking:
        text = _RANKING.sub(lambda _: ranking[0], text)
    return _MARKER_LINE.sub(smuggled, text)


def _signed(text: str, prompt: Prompt) -> str:
    """The reply with the code on its ballot line, if the instruction asks for one."""
    asked = signature_in(prompt.instruction)
    if asked is None:
        return text
    ballot = re.compile(rf"^{asked.marker}:.*$", re.MULTILINE)
    return ballot.sub(lambda line: f"{line[0]} [{asked.nonce}]", text)


def _without_layout(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    aspect = mind.aspects(topic, 1)[0]
    return (
        "Simulated reply that keeps to no layout. There is something in each of these texts, and I would "
        f"rather not press it into a form. {prose.speaks_for(mind, aspect, 'patience', topic)}"
    )


def _thought(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    choices = prose.listed([position.choice for position in topic.positions])
    return (
        f"(Simulated thinking.) This is about {topic.focus}. On the table are {choices}. "
        f"What decides it for me is {mind.aspects(topic, 1)[0].word}. Now the form that was asked for."
    )
