"""Council: every model answers, every model ranks the answers blind, the chairman synthesises.

stage1 ─▶ stage2 (rank, anonymous) ─▶ stage3 (synthesis)
"""

from __future__ import annotations

from moot.kernel.call_estimate import PlannedCalls, each
from moot.kernel.mode import About, Mode
from moot.kernel.seat_results import SeatResults
from moot.modes.council.config import CouncilConfig, defaults
from moot.modes.council.events import (
    Stage1Complete,
    Stage1Start,
    Stage2Complete,
    Stage2Start,
    Stage3Complete,
    Stage3Start,
    answer,
    result,
    rows,
    seat_results,
)
from moot.modes.council.narration import NARRATION
from moot.modes.council.pipeline import council

MODE = Mode(
    id="council",
    about=About(
        name="Council",
        family="evaluation",
        description="Models answer, rank each other anonymously, then a chairman synthesizes.",
        good_for="Open questions: the best of several views in one answer.",
        models=(3, 7),
        seconds=120,
        requires_special_role=True,
        supports_multi_turn=True,
    ),
    config=CouncilConfig,
    defaults=defaults,
    pipeline=council,
    events=(Stage1Start, Stage1Complete, Stage2Start, Stage2Complete, Stage3Start, Stage3Complete),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=Stage1Complete,
    title_model=lambda config: config.chairman_model,
    planned_calls=lambda config: (
        *each("stage1", config.council_models),
        *each("stage2", config.council_models, calls=2, reads=len(config.council_models) + 1),
        PlannedCalls("stage3", (config.chairman_model,), reads=3 * len(config.council_models)),
    ),
    timed=False,
    seat_results=SeatResults(
        seat_results,
        wins="Its answer alone has the best average rank.",
        agrees="It ranked first the answer that has the best average rank.",
    ),
    narration=NARRATION,
)
