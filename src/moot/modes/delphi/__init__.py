"""Delphi: an anonymous panel answers in rounds and sees only statistics in between, until it agrees or stays.

classify ─▶ round 1 ─▶ statistics ─▶ round 2 ─▶ … ─▶ synthesis (the facilitator's report; figures are ours)
"""

from __future__ import annotations

from moot.kernel.call_estimate import PlannedCalls, each
from moot.kernel.mode import About, Mode
from moot.kernel.seat_results import SeatResults
from moot.modes.delphi.config import DelphiConfig, defaults
from moot.modes.delphi.events import (
    ClassifyComplete,
    ClassifyStart,
    ConvergenceReached,
    DelphiStart,
    MaxRoundsReached,
    RoundComplete,
    RoundStart,
    SynthesisComplete,
    SynthesisStart,
    answer,
    result,
    rows,
    seat_results,
)
from moot.modes.delphi.judgement import judgement
from moot.modes.delphi.narration import NARRATION
from moot.modes.delphi.pipeline import delphi

MODE = Mode(
    id="delphi",
    about=About(
        name="Delphi",
        family="evaluation",
        description="Iterative anonymous rounds with statistical feedback until convergence.",
        good_for="An estimate or a choice that an anonymous panel agrees on.",
        models=(4, 8),
        seconds=300,
        requires_special_role=True,
    ),
    config=DelphiConfig,
    defaults=defaults,
    pipeline=delphi,
    events=(
        DelphiStart,
        ClassifyStart,
        ClassifyComplete,
        RoundStart,
        RoundComplete,
        ConvergenceReached,
        MaxRoundsReached,
        SynthesisStart,
        SynthesisComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=RoundComplete,
    title_model=lambda config: config.facilitator_model,
    planned_calls=lambda config: (
        PlannedCalls("classify", (config.facilitator_model,), calls=3, reads=1),
        *each("round", config.max_rounds * config.panelist_models, 2, reads=len(config.panelist_models)),
        PlannedCalls("codebook", (config.facilitator_model,), reads=len(config.panelist_models)),
        PlannedCalls(
            "synthesis", (config.facilitator_model,), 2, config.max_rounds * len(config.panelist_models)
        ),
    ),
    opening_extras=lambda config: {"question_type": config.fixed_type},
    anonymous_until=SynthesisComplete,
    seat_results=SeatResults(
        seat_results,
        agrees="Its last answer is the panel's, or its last estimate lies within the middle half of all.",
    ),
    narration=NARRATION,
    judgement=judgement,
)
