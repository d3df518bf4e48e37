"""All skills of the simulator, in the order in which they are tried; see skill.py on how to add one."""

from __future__ import annotations

from moot.simulator.skills import answers, council, debate, title, vote
from moot.simulator.skills.skill import Skill

SKILLS: tuple[Skill, ...] = (
    *answers.SKILLS,
    *title.SKILLS,
    *council.SKILLS,
    *vote.SKILLS,
    *debate.SKILLS,
)
