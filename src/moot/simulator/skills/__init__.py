"""All skills of the simulator, in the order in which they are tried; see skill.py on how to add one."""

from __future__ import annotations

from moot.simulator.skills import (
    answers,
    blueprint,
    brainstorm,
    chain,
    confidence_weighted,
    council,
    debate,
    decompose,
    delphi,
    dialectic,
    fact_check,
    jury,
    peer_review,
    red_team,
    specialist_panel,
    title,
    tournament,
    vote,
)
from moot.simulator.skills.skill import Skill

SKILLS: tuple[Skill, ...] = (
    *answers.SKILLS,
    *title.SKILLS,
    *council.SKILLS,
    *vote.SKILLS,
    *debate.SKILLS,
    *jury.SKILLS,
    *delphi.SKILLS,
    *red_team.SKILLS,
    *chain.SKILLS,
    *specialist_panel.SKILLS,
    *blueprint.SKILLS,
    *peer_review.SKILLS,
    *tournament.SKILLS,
    *confidence_weighted.SKILLS,
    *decompose.SKILLS,
    *brainstorm.SKILLS,
    *fact_check.SKILLS,
    *dialectic.SKILLS,
)
