"""What live panels show of a run, folded from its frames: who speaks, what it has cost so far.

call_start, token, token, call_complete      one Speaker, from waiting to done
model_failed                                  its failure
vote_round_complete                           told for good: the speakers of that stage leave
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from moot.kernel.narration import seat_name

HIDDEN_STEPS = frozenset({"title"})
"""Calls beside the deliberation: counted, not shown."""


@dataclass(slots=True)
class Speaker:
    """One call as it is seen: the text so far, then how it ended."""

    step: str
    seat: int | None
    model: str | None
    started_at: int
    attempt: int = 1
    text: str = ""
    ended_ms: int | None = None
    failure: str | None = None

    @property
    def name(self) -> str:
        return self.step if self.seat is None and self.model is None else seat_name(self.seat, self.model)


@dataclass(slots=True)
class Story:
    mode: str = ""
    simulated: bool = False
    title: str | None = None
    at: int = 0
    speakers: dict[tuple[str, int | None, str], Speaker] = field(default_factory=dict)
    calls: int = 0
    tokens: int = 0
    dollars: float = 0.0
    _counted_calls: set[tuple[str, int | None, str, int]] = field(default_factory=set)

    def apply(self, event: Mapping[str, Any]) -> None:
        type, data = str(event["type"]), event.get("data")
        self.at = max(self.at, int(event["at"]))
        if "runId" in event:
            self.mode, self.simulated = str(event["mode"]), bool(event.get("simulated"))
        match type, data:
            case "call_start" | "token" | "call_complete", Mapping():
                self._apply_call(type, data, int(event["at"]))
            case "model_failed", {"step": step, "seat": seat, "reason": reason}:
                self._fail(str(step), seat, str(reason))
            case "title_complete", {"title": title}:
                self.title = str(title)
            case "warning", _:
                pass
            case _ if not type.endswith("_start"):
                self.speakers = {key: one for key, one in self.speakers.items() if one.ended_ms is None}

    @property
    def visible(self) -> list[Speaker]:
        """By seat, the roles without one last."""
        speakers = [one for one in self.speakers.values() if one.step not in HIDDEN_STEPS]
        return sorted(speakers, key=lambda one: (one.seat is None, one.seat or 0, one.step))

    def _apply_call(self, type: str, data: Mapping[str, Any], at: int) -> None:
        step, seat = str(data["step"]), data.get("seat")
        key = (step, seat, str(data.get("call", "")))
        if type == "call_complete":
            self._count(data, (*key, at))
            if key in self.speakers:
                self.speakers[key].ended_ms = int(data.get("responseTimeMs") or 0)
        elif type == "call_start" or key not in self.speakers:
            self.speakers[key] = Speaker(step, seat, data.get("model"), at, int(data.get("attempt") or 1))
        if type == "token":
            self.speakers[key].text += str(data.get("text", ""))

    def _count(self, data: Mapping[str, Any], call: tuple[str, int | None, str, int]) -> None:
        if call in self._counted_calls:
            return
        self._counted_calls.add(call)
        usage = data.get("usage") or {}
        self.calls += 1
        self.tokens += int(usage.get("promptTokens") or 0) + int(usage.get("completionTokens") or 0)
        self.dollars += float(data.get("cost") or 0)

    def _fail(self, step: str, seat: int | None, reason: str) -> None:
        for speaker in self.speakers.values():
            # A second try, a repair and a second opinion are steps of their own, of the same seat.
            if speaker.seat == seat and speaker.step.partition("/")[0] == step:
                speaker.failure = reason
