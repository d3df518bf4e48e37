"""Decompose: a planner splits the request, workers solve the parts as soon as they can, one answer results.

plan ─▶ assign ─▶ tasks, each when all it needs is resolved ─▶ assembly
"""

from __future__ import annotations

from moot.kernel.call_estimate import PlannedCalls
from moot.kernel.mode import About, Mode
from moot.modes.decompose.config import DecomposeConfig, defaults
from moot.modes.decompose.events import (
    AssemblyComplete,
    AssemblyStart,
    AssignmentComplete,
    DecomposeStart,
    PlanComplete,
    PlanStart,
    TaskComplete,
    TaskStart,
    WaveComplete,
    WaveStart,
    answer,
    opening_extras,
    result,
    rows,
)
from moot.modes.decompose.judgement import judgement
from moot.modes.decompose.narration import NARRATION
from moot.modes.decompose.pipeline import decompose

MODE = Mode(
    id="decompose",
    about=About(
        name="Decompose",
        family="algorithmic",
        description="Planner breaks question into sub-tasks, models solve parts, assembler reunifies.",
        good_for="A large task that can be split into parts.",
        models=(2, 6),
        seconds=180,
    ),
    config=DecomposeConfig,
    defaults=defaults,
    pipeline=decompose,
    events=(
        DecomposeStart,
        PlanStart,
        PlanComplete,
        AssignmentComplete,
        WaveStart,
        TaskStart,
        TaskComplete,
        WaveComplete,
        AssemblyStart,
        AssemblyComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=PlanComplete,
    title_model=lambda config: config.planner_model,
    writer_model=lambda config: config.assembler_model,
    planned_calls=lambda config: (
        PlannedCalls("plan", (config.planner_model, *config.worker_models), calls=3, reads=1),
        PlannedCalls(
            "task", (config.planner_model, *config.worker_models), 2 * config.max_tasks, config.max_tasks
        ),
        PlannedCalls(
            "assembly",
            (config.assembler_model, config.planner_model, *config.worker_models),
            calls=2,
            reads=config.max_tasks,
        ),
    ),
    opening_extras=opening_extras,
    parts=(TaskStart,),
    narration=NARRATION,
    judgement=judgement,
)
