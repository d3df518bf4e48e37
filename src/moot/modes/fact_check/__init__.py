"""Fact-Check: the checkable statements of a text, each judged alone by several models; the score is computed.

(generate ─▶) extract ─▶ verify (checkers × batches of 12) ─▶ consensus (ours) ─▶ report (prose by a model)
"""

from __future__ import annotations

from moot.kernel.call_estimate import PlannedCalls, each
from moot.kernel.mode import About, Mode, Question
from moot.kernel.seat_results import SeatResults
from moot.modes.fact_check.checker import BATCH
from moot.modes.fact_check.config import FactCheckConfig, defaults
from moot.modes.fact_check.events import (
    AllCheckersComplete,
    CheckerComplete,
    ExtractComplete,
    ExtractStart,
    FactCheckStart,
    GenerateComplete,
    GenerateStart,
    ReportComplete,
    ReportStart,
    VerifyStart,
    answer,
    opening_extras,
    result,
    rows,
    seat_results,
)
from moot.modes.fact_check.judgement import judgement
from moot.modes.fact_check.narration import NARRATION
from moot.modes.fact_check.pipeline import fact_check

MODE = Mode(
    id="fact_check",
    about=About(
        name="Fact-Check",
        family="verification",
        description="Generate content, extract claims, independently verify, produce evidence report.",
        good_for="A text or an answer, checked claim by claim.",
        models=(3, 6),
        seconds=180,
    ),
    config=FactCheckConfig,
    defaults=defaults,
    pipeline=fact_check,
    events=(
        FactCheckStart,
        GenerateStart,
        GenerateComplete,
        ExtractStart,
        ExtractComplete,
        VerifyStart,
        CheckerComplete,
        AllCheckersComplete,
        ReportStart,
        ReportComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=ExtractComplete,
    title_model=lambda config: config.extractor_model,
    writer_model=lambda config: config.reporter_model,
    planned_calls=lambda config: (
        *(each("generate", (config.generator, config.extractor_model)) if config.generator else ()),
        PlannedCalls("extract", (config.extractor_model,), calls=2, reads=2),
        *(each("extract", filter(None, [config.second_extractor]), reads=1)),
        *each("verify", config.checker_models, calls=2 * -(-config.max_claims // BATCH), reads=2),
        PlannedCalls("report", (config.reporter_model,), calls=2, reads=2 + len(config.checker_models)),
    ),
    question=Question(missing="Question or content description is required"),
    opening_extras=opening_extras,
    seat_results=SeatResults(
        seat_results, agrees="Its verdict on a claim is the checkers' common one; each claim is a case."
    ),
    judges="contentToCheck",
    narration=NARRATION,
    judgement=judgement,
)
