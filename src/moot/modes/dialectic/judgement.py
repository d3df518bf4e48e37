"""What a dialectic leaves open: the caveats under its answer."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event, last_data
from moot.kernel.judgement import Findings, Judgement
from moot.modes.dialectic.events import SynthesisComplete


def judgement(events: Sequence[Event]) -> Judgement:
    synthesis = last_data(events, SynthesisComplete)
    if synthesis is None:
        return Judgement()
    return Judgement(findings=Findings(blind_spots=synthesis.caveats))
