"""Tournament: answers meet in pairs, a judge sees each pair in both orders, one answer is left.

collect ─▶ draw ─▶ round 1 ─▶ … ─▶ final ─▶ winner   (the champion's answer, untouched)
"""

from __future__ import annotations

from moot.kernel.call_estimate import each
from moot.kernel.mode import About, Mode
from moot.kernel.seat_results import SeatResults
from moot.modes.tournament.config import TournamentConfig, defaults
from moot.modes.tournament.events import (
    BracketSeeded,
    CollectComplete,
    CollectStart,
    MatchupComplete,
    RoundComplete,
    RoundStart,
    TournamentStart,
    WinnerDeclared,
    answer,
    opening_extras,
    result,
    rows,
    seat_results,
)
from moot.modes.tournament.narration import NARRATION
from moot.modes.tournament.pipeline import tournament

MODE = Mode(
    id="tournament",
    about=About(
        name="Tournament",
        family="algorithmic",
        description="Bracket-style elimination: pairwise judging until a winner emerges.",
        good_for="The single best of many answers, found in head-to-head matches.",
        models=(5, 9),
        seconds=180,
        requires_special_role=True,
    ),
    config=TournamentConfig,
    defaults=defaults,
    pipeline=tournament,
    events=(
        TournamentStart,
        CollectStart,
        CollectComplete,
        BracketSeeded,
        RoundStart,
        MatchupComplete,
        RoundComplete,
        WinnerDeclared,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=CollectComplete,
    title_model=lambda config: config.judge_model,
    planned_calls=lambda config: (
        *each("collect", config.contestant_models),
        *each(
            "round",
            (config.judge_model for _ in config.contestant_models[1:]),
            calls=2 + 2 * config.swap_order,
            reads=3,
        ),
    ),
    opening_extras=opening_extras,
    seat_results=SeatResults(seat_results, wins="Its answer is the champion."),
    narration=NARRATION,
)
