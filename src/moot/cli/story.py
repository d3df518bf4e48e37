"""The story of a run as a viewer needs it, folded from its frames: who speaks, what failed, what it cost.

call_start, token, token, call_complete     one Speaker
model_failed                                 a Failing, told where it happened and again at the end
vote_round_start                             the stage
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from moot.cli.facts import heading, who

UNSEEN_STEPS = frozenset({"title"})
"""Calls beside the deliberation: counted, not shown."""
NO_STAGES = frozenset({"model_failed", "warning", "title_complete", "complete", "error"})


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
        return who({"seat": self.seat, "model": self.model}) or self.step


@dataclass(frozen=True, slots=True)
class Failing:
    step: str
    name: str
    kind: str
    reason: str


@dataclass(slots=True)
class Story:
    mode: str = ""
    run_id: str = ""
    conversation_id: str = ""
    simulated: bool = False
    title: str | None = None
    stage: str = ""
    at: int = 0
    speakers: dict[tuple[str, int | None], Speaker] = field(default_factory=dict)
    failings: list[Failing] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    calls: int = 0
    tokens: int = 0
    dollars: float = 0.0
    _counted: set[tuple[str, int | None, int]] = field(default_factory=set)

    def hear(self, event: Mapping[str, Any]) -> None:
        type, data = str(event["type"]), event.get("data")
        self.at = max(self.at, int(event["at"]))
        if "runId" in event:
            self._open(event)
        match type:
            case "call_start" | "token" | "call_complete" if isinstance(data, Mapping):
                self._hear_call(type, data, int(event["at"]))
            case "model_failed" if isinstance(data, Mapping):
                self._fail(data)
            case "warning" if isinstance(data, Mapping):
                self._warn(str(data.get("message", "")))
            case "title_complete" if isinstance(data, Mapping):
                self.title = str(data.get("title", ""))
            case _ if type.endswith("_start"):
                self.stage = heading(type)
            case _:
                self._settle(data)

    def _open(self, event: Mapping[str, Any]) -> None:
        self.mode = str(event.get("mode", ""))
        self.run_id = str(event["runId"])
        self.conversation_id = str(event.get("conversationId", ""))
        self.simulated = bool(event.get("simulated"))

    def _hear_call(self, type: str, data: Mapping[str, Any], at: int) -> None:
        step, seat = str(data["step"]), data.get("seat")
        key = (step, seat)
        if type == "call_complete":
            self._count(data, (step, seat, at))
            if key in self.speakers:
                self.speakers[key].ended_ms = int(data.get("responseTimeMs") or 0)
        elif type == "call_start" or key not in self.speakers:
            self.speakers[key] = Speaker(step, seat, data.get("model"), at, int(data.get("attempt") or 1))
        if type == "token":
            self.speakers[key].text += str(data.get("text", ""))

    def _count(self, data: Mapping[str, Any], call: tuple[str, int | None, int]) -> None:
        if call in self._counted:
            return
        self._counted.add(call)
        usage = data.get("usage") or {}
        self.calls += 1
        self.tokens += int(usage.get("promptTokens") or 0) + int(usage.get("completionTokens") or 0)
        self.dollars += float(data.get("cost") or 0)

    def _fail(self, data: Mapping[str, Any]) -> None:
        reason = str(data.get("reason", ""))
        step = str(data.get("step", ""))
        self.failings.append(Failing(step, who(data), str(data.get("kind", "other")), reason))
        for speaker in self.speakers.values():
            # A second try and a repair are steps of their own, of the same seat.
            if speaker.seat == data.get("seat") and speaker.step.partition("/")[0] == step:
                speaker.failure = reason

    def _warn(self, message: str) -> None:
        if message and message not in self.warnings:
            self.warnings.append(message)

    def _settle(self, data: Any) -> None:
        """A stage, or one participant of it, has been told: its speakers are no longer news."""
        self.speakers = {key: one for key, one in self.speakers.items() if one.ended_ms is None}
        if isinstance(data, Mapping):
            for message in data.get("warnings") or ():
                self._warn(str(message))

    @property
    def visible(self) -> list[Speaker]:
        seen = [one for one in self.speakers.values() if one.step not in UNSEEN_STEPS]
        return sorted(seen, key=lambda one: (one.seat is None, one.seat or 0, one.step))
