"""What a Delphi exercise comes to: the value the panel holds."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event, last_data
from moot.kernel.judgement import Judgement
from moot.modes.delphi.events import SynthesisComplete


def judgement(events: Sequence[Event]) -> Judgement:
    synthesis = last_data(events, SynthesisComplete)
    if synthesis is None:
        return Judgement()
    value = synthesis.final_value
    return Judgement(outcome=f"{value:g}" if isinstance(value, float) else value)
