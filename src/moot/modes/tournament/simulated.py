"""Tournament: the judge of a match between two answers."""

from __future__ import annotations

from moot.modes.tournament.prompts import STRICT_PROMPT, VERDICT_LAYOUT
from moot.simulator.mind import Mind
from moot.simulator.prompt import Prompt
from moot.simulator.skill import Skill, comparing
from moot.simulator.topic import Topic
from moot.simulator.verdicts import comparison, remark


def _judge(prompt: Prompt, mind: Mind) -> str:
    best, *rest = mind.ranked(prompt.responses, Topic.of(prompt.question))
    high = mind.dice.randint(7, 9)
    scores = {best.label: high, **{loser.label: high - mind.dice.randint(1, 3) for loser in rest}}
    lines = [f"SCORE {label.removeprefix('Response ')}: {scores[label]}" for label in sorted(scores)]
    remarks = " ".join(remark(mind, reading) for reading in (best, *rest))
    return "\n".join(
        [
            f"REASONING: Simulated. {remarks} {comparison(best, rest)}",
            *lines,
            f"WINNER: {best.label}",
        ]
    )


def _judge_strictly(prompt: Prompt, mind: Mind) -> str:
    best = mind.ranked(prompt.responses, Topic.of(prompt.question))[0]
    return f"*Simulated verdict.*\nWINNER: {best.label}"


SKILLS = (
    Skill("match again", comparing(STRICT_PROMPT), _judge_strictly),
    Skill("match", comparing(VERDICT_LAYOUT), _judge),
)
