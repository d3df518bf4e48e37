"""One vote for the best answer, and the chairman's tiebreak: the modes vote and debate."""

from __future__ import annotations

from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, comparing
from moot.simulator.topic import Topic
from moot.simulator.verdicts import comparison, remark


def _vote(prompt: Prompt, mind: Mind) -> str:
    best, *rest = mind.ranked(prompt.responses, Topic.of(prompt.question))
    spoken_of = [best, *rest[: round(2 * mind.traits.verbosity)]]
    remarks = "\n\n".join(remark(mind, reading) for reading in spoken_of)
    return f"*Simulated vote.*\n\n{remarks}\n\n{comparison(best, rest)}\n\nVOTE: {best.label}"


def _break_tie(prompt: Prompt, mind: Mind) -> str:
    best = mind.ranked(prompt.responses, Topic.of(prompt.question))[0]
    return f"*Simulated vote.*\nVOTE: {best.label}"


SKILLS = (
    Skill("vote", comparing("Read all responses carefully, then cast exactly ONE vote"), _vote),
    Skill("vote on revised answers", comparing("all respondents have finalized their answers"), _vote),
    Skill("tiebreak", comparing("There is a tie in the voting"), _break_tie),
)
