"""Brainstorm: quantity first, judgement later. Ideas become themes, they are scored, the best is written up.

ideate (all at once) ─▶ merge (ours) ─▶ cluster ─▶ score (all at once) ─▶ rank (ours) ─▶ refine
"""

from __future__ import annotations

from moot.kernel.call_estimate import PlannedCalls, each
from moot.kernel.mode import About, Mode, Question
from moot.kernel.seat_results import SeatResults
from moot.modes.brainstorm.config import BrainstormConfig, defaults
from moot.modes.brainstorm.events import (
    AllIdeationComplete,
    AllScoringComplete,
    BrainstormStart,
    ClusteringComplete,
    ClusteringStart,
    IdeationComplete,
    IdeationStart,
    RefinementComplete,
    RefinementStart,
    ScorerComplete,
    ScoringStart,
    answer,
    opening_extras,
    result,
    rows,
    seat_results,
)
from moot.modes.brainstorm.judgement import judgement
from moot.modes.brainstorm.narration import NARRATION
from moot.modes.brainstorm.pipeline import brainstorm

MODE = Mode(
    id="brainstorm",
    about=About(
        name="Brainstorm",
        family="creative",
        description="Generate ideas freely, cluster, score, refine top cluster.",
        good_for="Many ideas, sorted, with the best one written up.",
        models=(3, 6),
        seconds=180,
    ),
    config=BrainstormConfig,
    defaults=defaults,
    pipeline=brainstorm,
    events=(
        BrainstormStart,
        IdeationStart,
        IdeationComplete,
        AllIdeationComplete,
        ClusteringStart,
        ClusteringComplete,
        ScoringStart,
        ScorerComplete,
        AllScoringComplete,
        RefinementStart,
        RefinementComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=AllIdeationComplete,
    title_model=lambda config: config.curator_model,
    writer_model=lambda config: config.refiner_model,
    planned_calls=lambda config: (
        *each("ideation", config.models, calls=2, reads=1),
        PlannedCalls("clustering", (config.curator_model, *config.models), 3, reads=len(config.models) + 1),
        *each("scoring", config.models, calls=2, reads=len(config.models) + 2),
        PlannedCalls("refinement", (config.refiner_model,), reads=len(config.models) + 1),
        PlannedCalls("refinement", (config.curator_model, *config.models), reads=len(config.models) + 1),
    ),
    question=Question(missing="Creative challenge is required"),
    opening_extras=opening_extras,
    seat_results=SeatResults(seat_results, agrees="It gave most points to the cluster that came first."),
    narration=NARRATION,
    judgement=judgement,
)
