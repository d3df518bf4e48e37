"""Vote: one vote for the best answer, and the chairman's vote on a tie."""

from __future__ import annotations

from moot.modes.vote.prompts import TIEBREAKER_PROMPT, VOTE_PROMPT
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, comparing
from moot.simulator.topic import Topic
from moot.simulator.verdicts import vote


def _break_tie(prompt: Prompt, mind: Mind) -> str:
    best = mind.ranked(prompt.responses, Topic.of(prompt.question))[0]
    return f"*Simulated vote.*\nVOTE: {best.label}"


SKILLS = (
    Skill("vote", comparing(VOTE_PROMPT), vote),
    Skill("tiebreak", comparing(TIEBREAKER_PROMPT), _break_tie),
)
