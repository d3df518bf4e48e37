"""What came of a run, in the words of this API: content, usage, the `moot` object, or an error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from moot.history.notices import SIMULATED, notices
from moot.history.story_text import story_text
from moot.history.views import Deliberation, Totals
from moot.http.openai.messages import BEFORE, History
from moot.http.openai.parameters import cut_at
from moot.http.problems import openai_error
from moot.kernel.followers import Frame
from moot.kernel.schema_step import STEP as SCHEMA_STEP
from moot.kernel.status import WITH_ANSWER
from moot.kernel.values import Call, FailureKind

_STATUS: dict[FailureKind, tuple[int, str]] = {
    "auth": (401, "provider_authentication"),
    "credit": (402, "insufficient_quota"),
    "rate_limited": (429, "rate_limit_exceeded"),
    "timeout": (504, "timeout"),
    "too_long": (400, "context_length_exceeded"),
}
FAILED = (502, "run_failed")
CANCELLED = (409, "run_cancelled")
NO_SCHEMA = (502, "schema_not_met")
CONDENSED = "The earlier turns come after the question, as this mode takes no follow-ups.\n\n"


@dataclass(frozen=True, slots=True)
class Begun:
    """A run as it is known from its start. `at`: when, in milliseconds since 1970."""

    run_id: str
    conversation_id: str
    mode: str
    at: int
    history: History | None

    @classmethod
    def of(cls, record: Any) -> Begun:
        """A stored run tells how it was given what came before."""
        turns: History | None = None if record.history == b"[]" else "turns"
        history = "condensed" if BEFORE in record.question else turns
        return cls(record.id, record.conversation_id, record.mode, record.started_at, history)

    @property
    def moot(self) -> dict[str, Any]:
        return {
            "run_id": self.run_id,
            "conversation_id": self.conversation_id,
            "mode": self.mode,
            "history": self.history,
        }

    @property
    def preface(self) -> str:
        """What the reader should know before the first stage."""
        return CONDENSED if self.history == "condensed" else ""


class Outcome:
    """A run that has ended, with its answer cut at one of `stops`."""

    def __init__(self, deliberation: Deliberation, begun: Begun, stops: Sequence[str] = ()) -> None:
        self._deliberation = deliberation
        self._begun = begun
        self._stops = list(stops)
        self.record = deliberation.record
        self.totals = Totals.of([call for call in deliberation.calls if not call.inherited])

    @property
    def has_answer(self) -> bool:
        return self.record.status in WITH_ANSWER

    @property
    def answer(self) -> str | None:
        return self._deliberation.answer

    @property
    def content(self) -> str:
        """The answer under everything that qualifies it; JSON stands alone."""
        if self._deliberation.json_answer is not None:
            return self._deliberation.json_answer
        head = notices(self._deliberation) if self.record.status == "degraded" else []
        if self._deliberation.simulated:
            head = [SIMULATED, *head]
        quoted = "\n".join([f"> {head[0]}", *(f"> - {notice}" for notice in head[1:])]) if head else ""
        answer = cut_at(self.answer or "", self._stops)
        return f"{quoted}\n\n{answer}" if quoted else answer

    @property
    def reasoning(self) -> str:
        frames = [Frame.of(number, event) for number, event in self._deliberation.stored_events]
        return self._begun.preface + story_text(self._deliberation.mode, frames, self.answer)

    @property
    def usage(self) -> dict[str, Any] | None:
        """Of all calls together, as far as their providers counted; None where none did."""
        return _usage(self.totals)

    @property
    def moot(self) -> dict[str, Any]:
        """What this API has no place for."""
        return {
            **self._begun.moot,
            "status": self.record.status,
            "degraded": self.record.status == "degraded",
            "simulated": self._deliberation.simulated,
            "warnings": self._deliberation.notices,
            "seats": self._seats(),
            "calls": self.totals.calls,
            "failed_calls": self.totals.failed,
            "cost": self.totals.cost,
            "unpriced_calls": self.totals.unpriced,
        }

    def _seats(self) -> list[dict[str, Any]]:
        """Who sat where, roles without a seat too, and why one contributed less than it was asked for."""
        seats: dict[tuple[int | None, str], dict[str, Any]] = {}
        for call in self._deliberation.calls:
            if call.step == "title":
                continue
            hidden = self._deliberation.is_anonymous and call.seat is not None
            empty: dict[str, Any] = {
                "seat": call.seat,
                "model": None if hidden else call.model,
                "calls": 0,
                "failures": [],
            }
            seat = seats.setdefault((call.seat, call.model), empty)
            seat["calls"] += 1
            if call.text is None and not hidden:
                seat["failures"].append({"step": call.step, "kind": call.kind, "reason": call.reason})
        return sorted(seats.values(), key=lambda one: (one["seat"] is None, one["seat"] or 0))

    @property
    def failure(self) -> tuple[int, dict[str, Any]]:
        """The status and the error of a run without an answer."""
        status, code = self._kind()
        message = " ".join(notices(self._deliberation)[:1])
        return status, openai_error(status, message, code=code)

    @property
    def _breaks_schema(self) -> bool:
        """Whether there is an answer, and every try to put it into the schema came to nothing."""
        tries = [call for call in self._deliberation.calls if call.step.startswith(f"{SCHEMA_STEP}/")]
        return (
            self._deliberation.wants_schema and bool(tries) and all(call.text is not None for call in tries)
        )

    def _kind(self) -> tuple[int, str]:
        """By why its calls failed, if they all did for one reason."""
        if self.record.status == "cancelled":
            return CANCELLED
        if self._breaks_schema:
            return NO_SCHEMA
        kinds = {call.kind for call in self._deliberation.calls if call.text is None and call.step != "title"}
        only = kinds.pop() if len(kinds) == 1 else None
        return FAILED if only is None else _STATUS.get(only, FAILED)


def usage_of(call: Call) -> dict[str, Any] | None:
    """Of one call."""
    return _usage(Totals.of([call]))


def _usage(totals: Totals) -> dict[str, Any] | None:
    if totals.prompt_tokens is None and totals.completion_tokens is None:
        return None
    prompt, completion = totals.prompt_tokens or 0, totals.completion_tokens or 0
    usage: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    if totals.reasoning_tokens is not None:
        usage["completion_tokens_details"] = {"reasoning_tokens": totals.reasoning_tokens}
    return usage if totals.cost is None else {**usage, "cost": totals.cost}


def failure_of(call: Call) -> tuple[int, dict[str, Any]]:
    """The status and the error of a single call without a reply."""
    status, code = _STATUS.get(call.kind or "other", FAILED)
    return status, openai_error(status, call.reason or "The model did not answer.", code=code)
