"""What a red_team asks of its models."""

from __future__ import annotations

from moot.kernel.fences import Foreign, Part
from moot.kernel.run import Run
from moot.modes.red_team.audit import Review, ledger_text
from moot.modes.red_team.config import RedTeamConfig
from moot.modes.red_team.findings import ATTACK_LAYOUT, ATTACK_PROMPT, LATER_ROUNDS, LEDGER_HEADING


def attack_prompt(run: Run[RedTeamConfig], number: int, review: Review) -> str:
    ledger: list[Part] = []
    if number > 1:
        ledger = [LEDGER_HEADING, Foreign(ledger_text(review.entries)), LATER_ROUNDS]
    return run.fill(
        ATTACK_PROMPT,
        version=str(number - 1),
        content=Foreign(review.content),
        ledger=ledger,
        layout=ATTACK_LAYOUT,
    )
