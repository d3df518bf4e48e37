"""Red team: one model attacks a work, its author answers and repairs it, a judge rules on every finding.

generate ─▶ (attack ─▶ defend) × rounds ─▶ synthesis (rulings and the hardened work; the audit is ours)
"""

from __future__ import annotations

from moot.kernel.call_estimate import PlannedCalls
from moot.kernel.mode import About, Mode, Question
from moot.modes.red_team.config import RedTeamConfig, defaults
from moot.modes.red_team.events import (
    AttackComplete,
    AttackStart,
    DefendComplete,
    DefendStart,
    GenerateComplete,
    GenerateStart,
    RedTeamStart,
    SynthesizeComplete,
    SynthesizeStart,
    answer,
    has_material,
    result,
    rows,
)
from moot.modes.red_team.judgement import judgement
from moot.modes.red_team.narration import NARRATION
from moot.modes.red_team.pipeline import red_team

MODE = Mode(
    id="red_team",
    about=About(
        name="Red Team",
        family="adversarial",
        description="Adversarial loop: generate, attack, defend, judge.",
        good_for="A plan, a text or code that must withstand attack.",
        models=(2, 3),
        seconds=180,
    ),
    config=RedTeamConfig,
    defaults=defaults,
    pipeline=red_team,
    events=(
        RedTeamStart,
        GenerateStart,
        GenerateComplete,
        AttackStart,
        AttackComplete,
        DefendStart,
        DefendComplete,
        SynthesizeStart,
        SynthesizeComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=has_material,
    title_model=lambda config: config.generator_model,
    writer_model=lambda config: config.synthesizer_model,
    planned_calls=lambda config: (
        PlannedCalls("generate", (config.generator_model,), calls=2),
        PlannedCalls("attack_round", (config.attacker_model,), 3 * config.rounds, reads=2 * config.rounds),
        PlannedCalls("attack_round", (config.synthesizer_model,), reads=2),
        PlannedCalls("defend_round", (config.generator_model,), 3 * config.rounds, reads=2),
        PlannedCalls("synthesis", (config.synthesizer_model,), calls=3, reads=2 + 2 * config.rounds),
    ),
    title_text=lambda config, question: question[:300],
    opening_extras=lambda config: {"total_rounds": config.rounds},
    question=Question(missing="Content for review is required", longest=400_000),
    judges="question",
    narration=NARRATION,
    judgement=judgement,
)
