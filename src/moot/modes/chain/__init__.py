"""Chain: a text passes through several hands, each with one mandate; the last accepted version is the answer.

draft ─▶ improve ─▶ improve ─▶ …      a step that fails is skipped, the text before it stays
"""

from __future__ import annotations

from moot.kernel.call_estimate import each
from moot.kernel.mode import About, Mode, Question
from moot.modes.chain.config import ChainConfig, defaults
from moot.modes.chain.events import (
    ChainStart,
    ChainStepComplete,
    ChainStepSkipped,
    ChainStepStart,
    answer,
    opening_extras,
    result,
    rows,
)
from moot.modes.chain.narration import NARRATION
from moot.modes.chain.pipeline import chain

MODE = Mode(
    id="chain",
    about=About(
        name="Chain",
        family="sequential",
        description="Sequential improvement: draft, improve, refine, polish.",
        good_for="A text that gets better step by step.",
        models=(2, 6),
        seconds=240,
    ),
    config=ChainConfig,
    defaults=defaults,
    pipeline=chain,
    events=(ChainStart, ChainStepStart, ChainStepComplete, ChainStepSkipped),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=ChainStepComplete,
    title_model=lambda config: config.steps[0].model,
    writer_model=lambda config: config.steps[-1].model,
    planned_calls=lambda config: (
        *each("chain_step_1", {step.model: None for step in config.steps[:3]}, calls=3, reads=1),
        *each("chain_step", (step.model for step in config.steps[1:]), calls=3, reads=2),
    ),
    opening_extras=opening_extras,
    question=Question(missing="Request content is required"),
    narration=NARRATION,
)
