"""MODES: the modes that are built, in the order people see them."""

from __future__ import annotations

from typing import Any

from moot.kernel.mode import Mode
from moot.modes import (
    blueprint,
    brainstorm,
    chain,
    confidence_weighted,
    council,
    debate,
    decompose,
    delphi,
    dialectic,
    fact_check,
    jury,
    peer_review,
    red_team,
    specialist_panel,
    tournament,
    vote,
)

MODES: dict[str, Mode[Any]] = {
    mode.id: mode
    for mode in (
        council.MODE,
        vote.MODE,
        jury.MODE,
        debate.MODE,
        delphi.MODE,
        red_team.MODE,
        chain.MODE,
        specialist_panel.MODE,
        blueprint.MODE,
        peer_review.MODE,
        tournament.MODE,
        confidence_weighted.MODE,
        decompose.MODE,
        brainstorm.MODE,
        fact_check.MODE,
        dialectic.MODE,
    )
}
