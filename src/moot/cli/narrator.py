"""Narrator: a run's frames as passages for people, mode by mode; what all modes share is told here.

Failures and warnings are passages too, so that nothing has to be looked for elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from moot.kernel.narration import Passage, seat_name

if TYPE_CHECKING:
    from moot.kernel.events import Event
    from moot.kernel.followers import Frame
    from moot.kernel.mode import Mode

FAILURE, WARNING = "✗", "!"


@dataclass(slots=True)
class Narrator:
    """Reads one run. `stage` is what goes on at the moment."""

    modes: Mapping[str, Mode[Any]]
    mode: Mode[Any] | None = None
    stage: str = ""
    _story: list[Event] = field(default_factory=list)

    def passage(self, frame: Frame) -> Passage | None:
        """What a frame tells a person, if anything."""
        if frame.type == "warning":
            return Passage("", (f"{WARNING} {orjson.loads(frame.body)['data']['message']}",))
        if frame.number is None:
            return None
        if self.mode is None:
            self.mode = self.modes[orjson.loads(frame.body)["mode"]]
        if frame.type == "model_failed":
            return self._failure(orjson.loads(frame.body)["data"])
        self._story.append(self.mode.read_event(frame.number, frame.type, frame.body))
        narration = self.mode.narration
        if narration is None:
            return None
        passage = narration.tell(self._story[-1], self._story)
        stage = narration.stage(frame.type)
        if stage is not None:
            passage = passage or Passage(stage)
            self.stage = passage.heading
        return passage

    def _failure(self, failure: Mapping[str, Any]) -> Passage:
        seat, model, reason = failure["seat"], failure["model"], failure["reason"]
        if model and reason.startswith(model):
            return Passage("", (f"{FAILURE} {seat_name(seat, reason)}",))
        return Passage("", (f"{FAILURE} {seat_name(seat, model)} failed: {reason}",))
