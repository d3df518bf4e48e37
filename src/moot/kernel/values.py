"""Everything that crosses a boundary: snake_case in Python, camelCase outside.

>>> Answer(seat=2, model="openai/o3", response="Tabs.", response_time_ms=2340).model_dump_json()
'{"seat":2,"model":"openai/o3","response":"Tabs.","responseTimeMs":2340}'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Annotated, Any, Literal, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic_core import to_json

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
    "too_long",
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


_CUTS = {
    "at its token limit": ("length", "max_tokens", "max_output_tokens", "model_length", "max_length"),
    "by its provider's content filter": (
        *("content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii"),
        *("image_safety", "language", "sensitive", "guardrail_intervened", "content_filtered"),
    ),
    "by its provider": ("abort", "cancelled", "insufficient_system_resource", "network_error"),
    "when its time was up": ("timeout",),
}
_CUT_BY = {reason: how for how, reasons in _CUTS.items() for reason in reasons}


def cut_off(finish_reason: str | None) -> str | None:
    """How a text ended that did not end by itself; what providers call it differs, a new name is no cut."""
    return _CUT_BY.get((finish_reason or "").casefold())


def is_withheld(finish_reason: str | None) -> bool:
    return cut_off(finish_reason) == "by its provider's content filter"


class Wire(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        frozen=True,
        extra="forbid",
        defer_build=True,
    )


def is_simulated(model: str) -> bool:
    return model.startswith(SIMULATED_PREFIX)


LONGEST_MODEL_ID = 200


def is_model_id(text: str) -> bool:
    """Whether a text may name a model: no blanks, nothing that is not seen, not too long."""
    return 1 <= len(text) <= LONGEST_MODEL_ID and " " not in text and text.isprintable()


class Message(Wire):
    role: Literal["system", "user", "assistant"]
    content: str


PromptText = str | tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Rewording:
    """A prompt whose words have changed since they were first released.

    Its calls are stored under the digest of the original for ever, so that a run which began with other
    words, and is resumed or retried with these, finds what it has paid for. Only for a change after which
    the prompt shows the same texts under the same letters: a reply to the original must read the same.
    """

    current: PromptText
    original: PromptText


Prompt = PromptText | Rewording


def messages_of(prompt: Prompt) -> tuple[Message, ...]:
    """The messages to send."""
    text = prompt.current if isinstance(prompt, Rewording) else prompt
    return (Message(role="user", content=text),) if isinstance(text, str) else text


@dataclass(frozen=True, slots=True)
class Request:
    """One call to one model. How long it may take is not part of it: see `Run.ask`.

    While a model thinks, what it was asked is kept once, as the JSON that is sent: a text in Python takes two
    bytes a letter as soon as it has one dash, and as much again when it has been encoded.
    """

    model: str
    messages_json: bytes
    temperature: float | None = None
    max_tokens: int | None = None

    @classmethod
    def of(
        cls,
        model: str,
        messages: Iterable[Message],
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> Request:
        return cls(model, _as_json(messages), None if temperature is None else float(temperature), max_tokens)

    @property
    def messages(self) -> tuple[Message, ...]:
        """Made anew each time."""
        return tuple(Message(**one) for one in orjson.loads(self.messages_json))

    def with_messages(self, messages: Iterable[Message]) -> Request:
        return replace(self, messages_json=_as_json(messages))

    def digest(self) -> str:
        """Runs find their calls by it: what is digested must never change."""
        parts = [b'{"model":%b,"messages":%b' % (orjson.dumps(self.model), self.messages_json)]
        if self.temperature is not None:
            parts.append(b',"temperature":%b' % to_json(self.temperature))
        if self.max_tokens is not None:
            parts.append(b',"maxTokens":%d' % self.max_tokens)
        return sha256(b"".join([*parts, b"}"])).hexdigest()[:32]


def _as_json(messages: Iterable[Message]) -> bytes:
    return json_bytes([{"role": one.role, "content": one.content} for one in messages])


def json_bytes(value: Any) -> bytes:
    """JSON that is kept. What orjson returns holds on to the room it was written in: four kilobytes at least,
    and up to ten times what it says."""
    return bytes(memoryview(orjson.dumps(value)))


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
    read_to_its_end: bool = Field(default=False, exclude=True)
    """Of a run that began when a reply that was cut off was read to its last sign."""

    @property
    def is_cut_off(self) -> bool:
        return cut_off(self.finish_reason) is not None

    @property
    def breaks_off(self) -> bool:
        """Whether it was cut off, and is read only as far as it is certain."""
        return self.is_cut_off and not self.read_to_its_end


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
