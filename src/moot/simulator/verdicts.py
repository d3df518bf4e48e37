"""What judges say about the texts they compare: shared by rankings, votes and matches."""

from __future__ import annotations

from collections.abc import Sequence

from moot.simulator import prose
from moot.simulator.mind import Mind, Reading
from moot.simulator.prompt import Prompt
from moot.simulator.topic import Topic

_ARGUES = ("argues for", "comes down on the side of", "makes the case for", "settles on")
_WEIGHS = ("weighs", "is good on", "thinks through", "brings in")
_OMITS = ("says nothing about", "passes over", "is silent on", "never comes to")


def vote(prompt: Prompt, mind: Mind) -> str:
    """One vote for the best of the answers shown, with remarks on it and on some of the others."""
    best, *rest = mind.ranked(prompt.responses, Topic.of(prompt.question))
    discussed = [best, *rest[: round(2 * mind.traits.verbosity)]]
    remarks = "\n\n".join(remark(mind, reading) for reading in discussed)
    return f"*Simulated vote.*\n\n{remarks}\n\n{comparison(best, rest)}\n\nVOTE: {best.label}"


def remark(mind: Mind, reading: Reading) -> str:
    """`Response B argues for a monolith. It weighs cost and risk but says nothing about upkeep.`"""
    choose = mind.dice.choice
    if reading.stance:
        opening = f"{reading.label} {choose(_ARGUES)} {reading.stance.choice}."
    else:
        opening = f"{reading.label} takes no position I can name."
    lack = f"{choose(_OMITS)} {choose(reading.missing).word}" if reading.missing else "leaves little out"
    if not reading.aspects:
        return f"{opening} In {reading.words} words it gives few reasons and {lack}."
    weighed = prose.listed([aspect.word for aspect in reading.aspects[:3]])
    return f"{opening} It {choose(_WEIGHS)} {weighed} but {lack}."


def comparison(best: Reading, rest: Sequence[Reading]) -> str:
    """Why the first is preferred, in one sentence."""
    if not rest:
        return f"{best.label} is the only one left."
    second = rest[0]
    if best.stance and best.stance == second.stance:
        reason = f"takes the same side as {second.label} and supports it better"
    elif len(best.aspects) > len(second.aspects):
        reason = f"looks at the matter from more sides than {second.label}"
    elif best.stance:
        reason = f"is right to favour {best.stance.choice}"
    else:
        reason = f"is easier to act on than {second.label}"
    return f"{best.label} {reason}."
