"""Jury: several jurors judge a finished work apart from each other, a foreman reports; the count binds.

present ─▶ deliberation (all jurors at once) ─▶ juror_summary (ours) ─▶ verdict (the foreman's words)
"""

from __future__ import annotations

from moot.kernel.call_estimate import PlannedCalls, each
from moot.kernel.mode import About, Mode
from moot.kernel.seat_results import SeatResults
from moot.modes.jury.config import JuryConfig, defaults
from moot.modes.jury.events import (
    AllJurorsComplete,
    DeliberationStart,
    JurorComplete,
    JuryStart,
    PresentComplete,
    PresentStart,
    VerdictComplete,
    VerdictStart,
    answer,
    result,
    rows,
    seat_results,
)
from moot.modes.jury.judgement import judgement
from moot.modes.jury.narration import NARRATION
from moot.modes.jury.pipeline import jury

MODE = Mode(
    id="jury",
    about=About(
        name="Jury",
        family="evaluation",
        description="Models evaluate an existing answer on 5 dimensions, foreman delivers verdict.",
        good_for="A verdict on a finished text: approve, revise or reject.",
        models=(4, 7),
        seconds=90,
        requires_special_role=True,
    ),
    config=JuryConfig,
    defaults=defaults,
    pipeline=jury,
    events=(
        JuryStart,
        PresentStart,
        PresentComplete,
        DeliberationStart,
        JurorComplete,
        AllJurorsComplete,
        VerdictStart,
        VerdictComplete,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=JurorComplete,
    title_model=lambda config: config.foreman_model,
    planned_calls=lambda config: (
        *each("deliberation", config.juror_models, calls=2, reads=1),
        PlannedCalls("verdict", (config.foreman_model,), calls=3, reads=len(config.juror_models)),
    ),
    title_text=lambda config, question: config.work(question)[:300],
    seat_results=SeatResults(seat_results, agrees="Its verdict is the jury's final one."),
    judges="content",
    narration=NARRATION,
    judgement=judgement,
)
