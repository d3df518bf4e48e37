"""What a red team comes to: it passes if findings were made and no more than low risk remains."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event, last_data
from moot.kernel.judgement import Findings, Judgement
from moot.modes.red_team.events import SynthesizeComplete

BEARABLE = ("NONE", "LOW")


def judgement(events: Sequence[Event]) -> Judgement:
    synthesis = last_data(events, SynthesizeComplete)
    if synthesis is None:
        return Judgement()
    found = synthesis.total_findings > 0  # nothing found proves nothing
    return Judgement(
        outcome=f"residual risk {synthesis.residual_risk.lower()}" if found else "no findings",
        passed=synthesis.residual_risk in BEARABLE if found else None,
        findings=Findings(blind_spots=tuple(synthesis.remaining_risks)),
    )
