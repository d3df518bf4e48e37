"""All skills of the simulator, in the order in which they are tried; each mode brings its own."""

from __future__ import annotations

from importlib import import_module

from moot.modes import MODES
from moot.simulator import answers, schema_value, title
from moot.simulator.skill import Skill

SKILLS: tuple[Skill, ...] = (
    *schema_value.SKILLS,
    *answers.SKILLS,
    *title.SKILLS,
    *(skill for mode in MODES for skill in import_module(f"moot.modes.{mode}.simulated").SKILLS),
)
