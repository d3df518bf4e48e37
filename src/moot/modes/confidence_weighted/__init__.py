"""Confidence-weighted: every model answers and says how sure it is; the surer count more in one synthesis.

answers ─▶ weights (arithmetic, no model) ─▶ synthesis
"""

from __future__ import annotations

from moot.kernel.call_estimate import PlannedCalls, each
from moot.kernel.mode import About, Mode
from moot.modes.confidence_weighted.config import ConfidenceConfig, defaults
from moot.modes.confidence_weighted.events import (
    AllAnswersComplete,
    AnswerComplete,
    AnswersStart,
    ConfidenceWeightedStart,
    SynthesisComplete,
    SynthesisStart,
    WeightsCalculated,
    answer,
    opening_extras,
    result,
    rows,
)
from moot.modes.confidence_weighted.narration import NARRATION
from moot.modes.confidence_weighted.pipeline import confidence_weighted

MODE = Mode(
    id="confidence_weighted",
    about=About(
        name="Confidence-Weighted",
        family="algorithmic",
        description="Models answer with self-assessed confidence, weighted synthesis.",
        good_for="Factual questions, where surer models should count for more.",
        models=(2, 6),
        seconds=90,
        supports_multi_turn=True,
    ),
    config=ConfidenceConfig,
    defaults=defaults,
    pipeline=confidence_weighted,
    events=(
        ConfidenceWeightedStart,
        AnswersStart,
        AnswerComplete,
        AllAnswersComplete,
        WeightsCalculated,
        SynthesisStart,
        SynthesisComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=AnswerComplete,
    title_model=lambda config: config.synthesis_model,
    planned_calls=lambda config: (
        *each("answer", config.models, calls=2, reads=1),
        PlannedCalls(
            "synthesis", (config.synthesis_model, *config.models), calls=4, reads=len(config.models) + 1
        ),
    ),
    opening_extras=opening_extras,
    narration=NARRATION,
)
