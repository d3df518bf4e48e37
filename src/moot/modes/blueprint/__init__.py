"""Blueprint: an architect plans a long document, authors write its sections at once, an editor joins them.

outline ─▶ section_1 … section_n (all at once) ─▶ assembly (the editor's words, put together by code)
"""

from __future__ import annotations

from moot.kernel.call_estimate import PlannedCalls
from moot.kernel.mode import About, Mode, Question
from moot.modes.blueprint.config import BlueprintConfig, defaults
from moot.modes.blueprint.events import (
    AllSectionsComplete,
    AssemblyComplete,
    AssemblyStart,
    BlueprintStart,
    ExpansionStart,
    OutlineComplete,
    OutlineStart,
    SectionComplete,
    answer,
    result,
    rows,
)
from moot.modes.blueprint.judgement import judgement
from moot.modes.blueprint.narration import NARRATION
from moot.modes.blueprint.outline import MOST_SECTIONS
from moot.modes.blueprint.pipeline import blueprint

MODE = Mode(
    id="blueprint",
    about=About(
        name="Blueprint",
        family="role_based",
        description="Outline, parallel section expansion, and assembly into a unified document.",
        good_for="A long document, built from your notes.",
        models=(2, 8),
        seconds=300,
    ),
    config=BlueprintConfig,
    defaults=defaults,
    pipeline=blueprint,
    events=(
        BlueprintStart,
        OutlineStart,
        OutlineComplete,
        ExpansionStart,
        SectionComplete,
        AllSectionsComplete,
        AssemblyStart,
        AssemblyComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=OutlineComplete,
    title_model=lambda config: config.author_models[0],
    writer_model=lambda config: config.assembler_model,
    planned_calls=lambda config: (
        PlannedCalls("outline", (config.architect_model,), calls=2, reads=1),
        PlannedCalls("section", config.author_models, calls=2 * MOST_SECTIONS, reads=1),
        PlannedCalls("assembly", (config.assembler_model,), calls=2, reads=MOST_SECTIONS + 1),
    ),
    opening_extras=lambda config: {"document_type": config.document_type},
    question=Question(
        missing="Source material is required",
        longest=200_000,
        too_long="Source material must not exceed 200,000 characters",
    ),
    narration=NARRATION,
    judgement=judgement,
)
