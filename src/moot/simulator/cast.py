"""The cast: six simulated models with a character each, and a character for any other name.

>>> character("bo").description
'Quick and brief; takes the first thing that fits.'
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from moot.kernel.values import SIMULATED_PREFIX
from moot.simulator.dice import dice
from moot.simulator.traits import Traits, split_id

Form = Literal["sections", "brief", "table", "objections", "steps", "essay"]


@dataclass(frozen=True, slots=True)
class Character:
    """Who a simulated model is. By its turn of phrase it knows its own texts again, unnamed as they are."""

    name: str
    description: str
    turn: str
    form: Form
    traits: Traits

    @property
    def id(self) -> str:
        return f"{SIMULATED_PREFIX}{self.name}"


CAST = (
    Character(
        "ada",
        "Careful and thorough; usually right, hard to sway.",
        "On balance,",
        "sections",
        Traits(accuracy=0.88, conformity=0.25, verbosity=1.2, latency=500, tps=70, error_correlation=0.4),
    ),
    Character(
        "bo",
        "Quick and brief; takes the first thing that fits.",
        "Put plainly,",
        "brief",
        Traits(accuracy=0.66, conformity=0.5, verbosity=0.6, latency=150, tps=140, position_bias=0.3),
    ),
    Character(
        "cleo",
        "Compares everything side by side and likes a table.",
        "Side by side,",
        "table",
        Traits(accuracy=0.8, conformity=0.4, verbosity=1.0, latency=400, tps=80, self_preference=0.05),
    ),
    Character(
        "dov",
        "Contrarian; argues well, yields to nobody, errs in ways of his own.",
        "Against the grain,",
        "objections",
        Traits(accuracy=0.68, conformity=0.08, error_correlation=0.1, self_preference=0.35, tps=90),
    ),
    Character(
        "eli",
        "Thinks aloud before he answers; slow, orderly, mostly right.",
        "Step by step,",
        "steps",
        Traits(accuracy=0.84, conformity=0.3, thinking=1.0, latency=900, tps=50, position_bias=0.0),
    ),
    Character(
        "fay",
        "Agreeable; writes warmly and goes where the room goes.",
        "As I read it,",
        "essay",
        Traits(accuracy=0.64, conformity=0.85, error_correlation=0.8, verbosity=1.1, latency=300, tps=75),
    ),
)

_BY_NAME = {member.name: member for member in CAST}
_TURNS = ("All in all,", "In the end,", "To my mind,", "At bottom,", "Taken together,", "When in doubt,")
_FORMS: tuple[Form, ...] = ("sections", "brief", "table", "objections", "steps", "essay")


@lru_cache(maxsize=1024)
def character(name: str) -> Character:
    """A member of the cast, or for any other name the character that its letters hold."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    lot = dice("character", name)
    traits = Traits(
        latency=lot.randrange(150, 900, 50),
        tps=lot.randrange(40, 140, 10),
        accuracy=round(lot.uniform(0.6, 0.88), 2),
        error_correlation=round(lot.uniform(0.2, 0.7), 2),
        position_bias=round(lot.uniform(0, 0.3), 2),
        self_preference=round(lot.uniform(0, 0.3), 2),
        conformity=round(lot.uniform(0.15, 0.7), 2),
        verbosity=round(lot.uniform(0.7, 1.3), 2),
    )
    return Character(name, "A character drawn from its name.", lot.choice(_TURNS), lot.choice(_FORMS), traits)


@lru_cache(maxsize=1024)
def cast_for(model: str) -> tuple[Character, Traits]:
    """Who answers under a model id, and with which traits; raises ValueError for an impossible id."""
    name, changes = split_id(model)
    if not name:
        raise ValueError(f"{model!r} names no simulated model; write sim/ada, for example.")
    member = character(name)
    return member, member.traits.but(changes)
