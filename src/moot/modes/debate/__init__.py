"""Debate: everyone answers, reads the others, may revise; then all vote on what they ended with.

initial_answer ─▶ revision ─▶ debate_vote ─▶ winner   (a tie goes to the first letter: peers, no chairman)
"""

from __future__ import annotations

from moot.kernel.call_estimate import each
from moot.kernel.mode import About, Mode
from moot.kernel.seat_results import SeatResults
from moot.modes.debate.config import DebateConfig, defaults
from moot.modes.debate.events import (
    DebateStart,
    RevisionComplete,
    RevisionStart,
    Round1Complete,
    Round1Start,
    VoteComplete,
    VoteStart,
    WinnerDeclared,
    answer,
    result,
    rows,
    seat_results,
)
from moot.modes.debate.judgement import judgement
from moot.modes.debate.narration import NARRATION
from moot.modes.debate.pipeline import debate

MODE = Mode(
    id="debate",
    about=About(
        name="Debate",
        family="evaluation",
        description="Models answer, see others' responses, revise, then vote on revised answers.",
        good_for="Contested questions: models argue, change their minds and vote.",
        models=(3, 6),
        seconds=180,
    ),
    config=DebateConfig,
    defaults=defaults,
    pipeline=debate,
    events=(
        DebateStart,
        Round1Start,
        Round1Complete,
        RevisionStart,
        RevisionComplete,
        VoteStart,
        VoteComplete,
        WinnerDeclared,
    ),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=Round1Complete,
    title_model=lambda config: config.models[0],
    planned_calls=lambda config: (
        *each("initial_answer", config.models),
        *each("revision", config.models, calls=2, reads=len(config.models) + 1),
        *each("debate_vote", config.models, reads=len(config.models)),
    ),
    seat_results=SeatResults(
        seat_results,
        wins="Its final answer is declared the winner.",
        agrees="It voted for the winner.",
    ),
    narration=NARRATION,
    judgement=judgement,
)
