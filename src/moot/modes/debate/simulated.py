"""Debate: having read the others, revise, stand by the answer, or merge. Then vote on what all ended with."""

from __future__ import annotations

from moot.modes.debate.prompts import REVISION_PARTS, REVISION_PROMPT, VOTE_PROMPT
from moot.simulator import prose
from moot.simulator.aspects import Aspect
from moot.simulator.mind import Mind, Reading
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, asks, comparing
from moot.simulator.topic import Position, Topic
from moot.simulator.verdicts import vote


def _revise(prompt: Prompt, mind: Mind) -> str:
    topic = Topic.of(prompt.question)
    original = prompt.under("your original response")
    own = mind.reading("my answer", original, topic)
    others = [mind.reading(label, text, topic) for label, text in prompt.responses.items()]
    lessons = _lessons(mind, own, others)
    new = mind.yields(own.stance, (other.stance for other in others))
    if new is not None:
        decision = "MERGE" if mind.chance(0.4) else "REVISE"
        reasoning = f"{_holders(others, new)} convinced me that {new.claim}."
    elif lessons and mind.chance(0.3 + mind.traits.conformity / 2):
        decision = "REVISE"
        reasoning = (
            f"I keep my position, but {_teacher(others, lessons)} is right to look at {lessons[0].word}."
        )
    else:
        return _reply("STAND", _refusal(own, others), original)
    position = new or own.stance or mind.position(topic)
    also = lessons if decision == "MERGE" else lessons[:1]
    return _reply(decision, reasoning, prose.answer(mind, topic, position, also))


def _reply(decision: str, reasoning: str, response: str) -> str:
    return f"DECISION: {decision}\nREASONING: Simulated: {reasoning}\n\nREVISED RESPONSE:\n{response}"


def _refusal(own: Reading, others: list[Reading]) -> str:
    rival = next((other for other in others if other.stance and other.stance != own.stance), None)
    if rival is None or rival.stance is None:
        return "The others say nothing I need to answer."
    return f"{rival.label} is wrong about {rival.stance.choice}, and nobody says how to fix that."


def _lessons(mind: Mind, own: Reading, others: list[Reading]) -> list[Aspect]:
    """What the others thought of and it did not."""
    new = [aspect for other in others for aspect in other.aspects if aspect not in own.aspects]
    return mind.some(list(dict.fromkeys(new)), 2)


def _holders(others: list[Reading], stance: Position) -> str:
    return _labels([other for other in others if other.stance == stance])


def _teacher(others: list[Reading], lessons: list[Aspect]) -> str:
    return next(other.label for other in others if lessons[0] in other.aspects)


def _labels(readings: list[Reading]) -> str:
    return prose.listed([reading.label for reading in readings]) or "the other responses"


SKILLS = (
    Skill("debate revision", asks(REVISION_PROMPT, REVISION_PARTS), _revise),
    Skill("vote on revised answers", comparing(VOTE_PROMPT), vote),
)
