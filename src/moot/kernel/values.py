"""Everything that crosses a boundary: snake_case in Python, camelCase outside.

>>> Answer(seat=2, model="openai/o3", response="Tabs.", response_time_ms=2340).model_dump_json()
'{"seat":2,"model":"openai/o3","response":"Tabs.","responseTimeMs":2340}'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

T = TypeVar("T")
Maybe = Annotated[T | None, Field(default=None, exclude_if=lambda value: value is None)]
"""A field that is absent on the wire rather than null."""

SEED_PANEL = (
    "anthropic/claude-opus-4-6",
    "openai/o3",
    "google/gemini-2.5-pro",
    "perplexity/sonar-pro",
    "anthropic/claude-sonnet-4",
)
"""The models a panel is drawn from where nobody has named any."""

SIMULATOR = "sim"
"""The provider of models that no network reaches."""
SIMULATED_PREFIX = f"{SIMULATOR}/"
"""How the id of a simulated model begins."""

FailureKind = Literal[
    "timeout",
    "budget",
    "empty",
    "auth",
    "credit",
    "not_found",
    "rate_limited",
    "refused",
    "network",
    "unreadable",
    "cancelled",
    "other",
]


class Wire(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        frozen=True,
        extra="forbid",
    )


def is_simulated(model: str) -> bool:
    return model.startswith(SIMULATED_PREFIX)


class Message(Wire):
    role: Literal["system", "user", "assistant"]
    content: str


class Request(Wire):
    """One call to one model. How long it may take is not part of it: see `Run.ask`."""

    model: str
    messages: tuple[Message, ...]
    temperature: Maybe[float]
    max_tokens: Maybe[int]

    def digest(self) -> str:
        return sha256(self.model_dump_json().encode()).hexdigest()[:32]


def short_name(digest: str) -> str:
    """What tells a call from others of its step and seat: two orders of a match, two parts of a list."""
    return digest[:8]


class Answer(Wire):
    """What a model replied. What stands below `response_time_ms` is for pipelines, not for the wire."""

    seat: Maybe[int]
    model: str
    response: str
    response_time_ms: int
    started_ms: int = Field(default=0, exclude=True)
    ended_ms: int = Field(default=0, exclude=True)
    attempts: int = Field(default=1, exclude=True)
    finish_reason: str | None = Field(default=None, exclude=True)
    tokens: int | None = Field(default=None, exclude=True)
    prompt_tokens: int | None = Field(default=None, exclude=True)
    cost: float | None = Field(default=None, exclude=True)


class Failure(Wire):
    """Why a seat contributed nothing. When and how long is for pipelines, not for the wire."""

    step: str
    seat: int | None
    model: str | None
    kind: FailureKind
    reason: str
    response_time_ms: int = Field(default=0, exclude=True)
    started_ms: int = Field(default=0, exclude=True)
    ended_ms: int = Field(default=0, exclude=True)


class FailedModel(Wire):
    """A failed entry of a list, by its place from 0 and its seat."""

    index: int
    seat: int
    model: str | None
    kind: FailureKind
    reason: str

    @classmethod
    def of(cls, failure: Failure) -> FailedModel:
        seat = failure.seat or 0
        return cls(index=seat - 1, seat=seat, model=failure.model, kind=failure.kind, reason=failure.reason)


class Degradable(Wire):
    """The last mode event of council, vote and debate says these only when they are true."""

    degraded: Maybe[bool]
    warnings: Maybe[tuple[str, ...]]


class Degraded(Wire):
    """The last mode event of every other mode always says whether something is missing, and what."""

    degraded: bool
    warnings: tuple[str, ...]


class Usage(Wire):
    """What a call consumed, as the provider counted it; null where it did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """The record of one finished call, answered or failed: what `calls` keeps of it.

    Times are run time: milliseconds since the run started.
    """

    step: str
    seat: int | None
    digest: str
    model: str
    started_ms: int
    ended_ms: int
    first_token_ms: int | None = None
    attempts: int = 1
    text: str | None = None
    reasoning: str | None = None
    kind: FailureKind | None = None
    reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    finish_reason: str | None = None

    @property
    def response_time_ms(self) -> int:
        return self.ended_ms - self.started_ms

    @property
    def short_name(self) -> str:
        return short_name(self.digest)

    @property
    def inherited(self) -> bool:
        """Found by a retry instead of paid for: it ended before the run began."""
        return self.ended_ms < 0

    def outcome(self) -> Answer | Failure:
        if self.text is None:
            return Failure(
                step=self.step,
                seat=self.seat,
                model=self.model,
                kind=self.kind or "other",
                reason=self.reason or "",
                response_time_ms=self.response_time_ms,
                started_ms=self.started_ms,
                ended_ms=self.ended_ms,
            )
        return Answer(
            seat=self.seat,
            model=self.model,
            response=self.text,
            response_time_ms=self.response_time_ms,
            started_ms=self.started_ms,
            ended_ms=self.ended_ms,
            attempts=self.attempts,
            finish_reason=self.finish_reason,
            tokens=self.usage.completion_tokens,
            prompt_tokens=self.usage.prompt_tokens,
            cost=self.cost,
        )


@dataclass(frozen=True, slots=True)
class Row:
    """A row of `deliberation_stages`."""

    stage_type: str
    stage_order: int
    content: str = ""
    seat: int | None = None
    model: str | None = None
    role: str | None = None
    parsed_data: Any = None
    response_time_ms: int | None = None

    @classmethod
    def of_answer(cls, stage_type: str, stage_order: int, role: str, answer: Answer) -> Row:
        return cls(
            stage_type,
            stage_order,
            answer.response,
            seat=answer.seat,
            model=answer.model,
            role=role,
            parsed_data={"responseTimeMs": answer.response_time_ms},
            response_time_ms=answer.response_time_ms,
        )


@dataclass(frozen=True, slots=True)
class CouncilRow:
    """A row of one of council's own four tables, which predate `deliberation_stages`."""

    table: Literal["stage1_responses", "stage2_rankings", "stage2_label_map", "stage3_synthesis"]
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table of a mode's own that belongs to the message, such as `reasoning_traces`."""

    table: str
    values: Mapping[str, Any]
