"""Vote: every model answers, every model votes, the winner's answer is returned untouched.

collect ─▶ vote ─▶ (tie? the chairman breaks it) ─▶ winner
"""

from __future__ import annotations

from moot.kernel.call_estimate import PlannedCalls, each
from moot.kernel.mode import About, Mode
from moot.kernel.seat_results import SeatResults
from moot.modes.vote.config import VoteConfig, defaults
from moot.modes.vote.events import (
    Stage1Complete,
    Stage1Start,
    TiebreakerComplete,
    TiebreakerStart,
    VoteRoundComplete,
    VoteRoundStart,
    VoteStart,
    WinnerDeclared,
    answer,
    result,
    rows,
    seat_results,
)
from moot.modes.vote.narration import NARRATION
from moot.modes.vote.pipeline import vote

MODE = Mode(
    id="vote",
    about=About(
        name="Vote",
        family="evaluation",
        description="Models answer, vote for the best, tiebreaker by chairman.",
        good_for="One strong answer, chosen by vote and left as written.",
        models=(3, 7),
        seconds=90,
        requires_special_role=True,
        supports_multi_turn=True,
    ),
    config=VoteConfig,
    defaults=defaults,
    pipeline=vote,
    events=(
        VoteStart,
        Stage1Start,
        Stage1Complete,
        VoteRoundStart,
        VoteRoundComplete,
        TiebreakerStart,
        TiebreakerComplete,
        WinnerDeclared,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=Stage1Complete,
    title_model=lambda config: config.chairman_model,
    planned_calls=lambda config: (
        *each("collect", config.council_models),
        *each("vote", config.council_models, reads=len(config.council_models)),
        PlannedCalls("tiebreaker", (config.chairman_model,), calls=2, reads=len(config.council_models)),
    ),
    seat_results=SeatResults(
        seat_results,
        wins="Its answer is declared the winner.",
        agrees="It voted for the winner.",
    ),
    narration=NARRATION,
)
