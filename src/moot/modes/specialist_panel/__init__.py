"""Specialist panel: experts of different professions assess a submission and react to each other's findings.

specialist_<role> (all at once) ─▶ cross_review_<role> (all at once) ─▶ ledger (ours) ─▶ synthesis
"""

from __future__ import annotations

from moot.kernel.call_estimate import PlannedCalls, each
from moot.kernel.mode import About, Mode, Question
from moot.modes.specialist_panel.config import SpecialistPanelConfig, defaults
from moot.modes.specialist_panel.events import (
    AllCrossReviewsComplete,
    AllSpecialistsComplete,
    CrossReviewComplete,
    CrossReviewStart,
    SpecialistComplete,
    SpecialistPanelStart,
    SpecialistStart,
    SynthesisComplete,
    SynthesisStart,
    answer,
    opening_extras,
    result,
    rows,
)
from moot.modes.specialist_panel.judgement import judgement
from moot.modes.specialist_panel.narration import NARRATION
from moot.modes.specialist_panel.pipeline import specialist_panel

MODE = Mode(
    id="specialist_panel",
    about=About(
        name="Specialist Panel",
        family="role_based",
        description="Role-assigned expert analysis, cross-review, and synthesis.",
        good_for="A proposal that several kinds of experts should review.",
        models=(3, 7),
        seconds=150,
        requires_special_role=True,
    ),
    config=SpecialistPanelConfig,
    defaults=defaults,
    pipeline=specialist_panel,
    events=(
        SpecialistPanelStart,
        SpecialistStart,
        SpecialistComplete,
        AllSpecialistsComplete,
        CrossReviewStart,
        CrossReviewComplete,
        AllCrossReviewsComplete,
        SynthesisStart,
        SynthesisComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=SpecialistComplete,
    title_model=lambda config: config.synthesizer_model,
    planned_calls=lambda config: (
        *each("specialist", (one.model for one in config.specialists), calls=2, reads=1),
        *each("cross_review", (one.model for one in config.specialists * config.cross_review), 2, 7),
        PlannedCalls("synthesis", (config.synthesizer_model,), calls=3, reads=2 * len(config.specialists)),
    ),
    opening_extras=opening_extras,
    question=Question(
        missing="Content to analyze is required",
        longest=100_000,
        too_long="Content must not exceed 100,000 characters",
    ),
    narration=NARRATION,
    judgement=judgement,
)
