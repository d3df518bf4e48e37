"""Dialectic: one model proposes, another attacks, round after round; a third writes what the reader gets.

retrieve ─▶ (propose ─▶ critique ─▶ go on?) × 1…7 ─▶ synthesise ─▶ trace ─▶ judge

Who sees what is in `prompts.py`, when a debate ends in `critiques.py`.
"""

from __future__ import annotations

from moot.kernel.call_estimate import PlannedCalls
from moot.kernel.mode import About, Mode, Question
from moot.modes.dialectic.config import DialecticConfig, defaults
from moot.modes.dialectic.events import (
    DialecticStart,
    EarlyStop,
    ProposerComplete,
    RagComplete,
    RagStart,
    RoundComplete,
    RoundStart,
    ScoreComplete,
    SkepticComplete,
    SynthesisComplete,
    SynthesisStart,
    TraceSaved,
    answer,
    result,
    rows,
)
from moot.modes.dialectic.judgement import judgement
from moot.modes.dialectic.narration import NARRATION
from moot.modes.dialectic.pipeline import dialectic
from moot.modes.dialectic.recording import closing_events

MODE = Mode(
    id="dialectic",
    about=About(
        name="Dialectic",
        family="adversarial",
        description="A proposer answers, a skeptic attacks, round after round, then a synthesizer settles "
        "it.",
        good_for="A hard problem, argued until every objection is answered.",
        models=(2, 4),
        seconds=300,
        requires_special_role=True,
    ),
    config=DialecticConfig,
    defaults=defaults,
    pipeline=dialectic,
    events=(
        DialecticStart,
        RagStart,
        RagComplete,
        RoundStart,
        ProposerComplete,
        SkepticComplete,
        RoundComplete,
        EarlyStop,
        SynthesisStart,
        SynthesisComplete,
        TraceSaved,
        ScoreComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=ProposerComplete,
    closing_events=closing_events,
    title_model=lambda config: config.synthesizer_model,
    planned_calls=lambda config: (
        PlannedCalls("proposal_round", (config.proposer_model,), 2 * config.max_rounds, reads=2),
        *(
            PlannedCalls(
                f"critique_round_{number}", (config.skeptic_model,), 3, reads=2 * number - 1, reply=2048
            )
            for number in range(1, config.max_rounds + 1)
        ),
        PlannedCalls("synthesis", (config.synthesizer_model,), calls=2, reads=2 * config.max_rounds),
        PlannedCalls("auto_score", (config.judge_model,), int(config.auto_score == "inline"), 1, reply=512),
    ),
    question=Question(longest=100_000),
    narration=NARRATION,
    judgement=judgement,
)
