"""What a scripted model server says: replies, faults, and the script that picks them.

Script(
    models={"openai/o3": ["tabs", Reply(status=429, retry_after="1"), Reply(vote_for="spaces")]},
    rules=[Rule(contains="FINAL RANKING", reply=Reply(rank=("spaces", "tabs")))],
    default="I have no opinion.",
    hold_after=3,
)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from moot.testing.letters import letter_of

Outcome = Literal["waiting", "held", "answered", "broken", "gone"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply, good or bad. Times are seconds; a piece is a word of the text."""

    text: str = ""
    reasoning: str = ""
    vote_for: str | None = None
    """Vote for the letter which this answer was dealt."""
    rank: tuple[str, ...] = ()
    """Rank the letters which these answers were dealt."""

    latency: float = 0
    tokens_per_second: float = 0
    """0: all at once."""
    comments: int = 0
    """Comment lines before the first event."""
    whole: bool = False
    """One JSON document instead of a stream."""
    cut: int = 0
    """Send the bytes of the stream in pieces of this many, each on its own."""
    gzip: bool = False
    """Compress the stream."""
    finish_reason: str = "stop"
    usage: str = ""
    """The usage object, as JSON text; empty: the words are counted; "null": none."""
    cost: float | None = None

    status: int = 200
    message: str = ""
    """The words of an error."""
    retry_after: str | None = None
    location: str | None = None
    refuse: tuple[str, ...] = ()
    """Answer 400 if the request has one of these fields."""
    hang: bool = False
    """Take the call and say nothing."""
    hang_after_headers: bool = False
    drop_after: int | None = None
    """Close the connection after so many pieces."""
    stall_after: int | None = None
    """Fall silent after so many pieces."""
    error_in_200: bool = False
    """An error as the last event of the stream (or as the document)."""
    malformed: bool = False
    """A web page instead of a completion."""
    unfinished: bool = False
    """End the stream properly, but without a finish reason and [DONE]."""
    raw: str | None = None
    """Exactly this as the body of the stream."""

    def for_prompt(self, prompt: str) -> Reply:
        """The reply with its ballot written, if it is one."""
        if self.vote_for is not None:
            return replace(self, text=f"VOTE: {letter_of(self.vote_for, prompt)}")
        if self.rank:
            places = (f"{place}. {letter_of(text, prompt)}" for place, text in enumerate(self.rank, 1))
            return replace(self, text="\n".join(("FINAL RANKING:", *places)))
        return self


@dataclass(slots=True)
class Received:
    """A call as the server got it. `number` counts calls from 1, in the order they came."""

    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    digest: str
    outcome: Outcome = "waiting"

    @property
    def model(self) -> str:
        return str(self.body.get("model"))

    @property
    def prompt(self) -> str:
        """All that the model is told, in order."""
        messages = self.body.get("messages") or ()
        return "\n".join([str(self.body.get("system", "")), *(str(m["content"]) for m in messages)]).lstrip(
            "\n"
        )


Line = str | Reply | Callable[[Received], str | Reply]


@dataclass(frozen=True, slots=True)
class Rule:
    """Used when a prompt contains a text; `model` narrows it to one model."""

    contains: str
    reply: Line
    model: str | None = None


@dataclass(slots=True)
class Script:
    """Who says what. A model's own lines come first, then the first rule that fits, then the default."""

    models: Mapping[str, Line | list[Line]] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    default: Line | None = None
    hold_after: int | None = None
    """Answer so many calls and hold all others until they are released."""
    listed: list[dict[str, Any]] = field(default_factory=list)
    """What `GET /models` lists, beside the models of the script."""

    def __post_init__(self) -> None:
        self.models = {
            model: list(lines) if isinstance(lines, list) else lines for model, lines in self.models.items()
        }

    def reply_to(self, received: Received) -> Reply:
        line = self._line_for(received)
        if callable(line):
            line = line(received)
        reply = Reply(text=line) if isinstance(line, str) else line
        return reply.for_prompt(received.prompt)

    def _line_for(self, received: Received) -> Line:
        lines = self.models.get(received.model)
        if isinstance(lines, list):
            if lines:
                return lines.pop(0)
        elif lines is not None:
            return lines
        for rule in self.rules:
            if rule.contains in received.prompt and rule.model in (None, received.model):
                return rule.reply
        if self.default is not None:
            return self.default
        return Reply(status=400, message=f"The script has no line left for {received.model!r}.")

    @classmethod
    def parse(cls, document: Mapping[str, Any]) -> Script:
        """A script from JSON: a line is a text or an object with the fields of Reply."""
        known = {each.name for each in fields(cls)}
        if unknown := document.keys() - known:
            raise ValueError(
                f"A script has no {', '.join(sorted(unknown))}; it has {', '.join(sorted(known))}."
            )
        values = dict(document)
        values["models"] = {
            model: [_line(line) for line in lines] if isinstance(lines, list) else _line(lines)
            for model, lines in document.get("models", {}).items()
        }
        values["rules"] = [
            Rule(**{**rule, "reply": _line(rule["reply"])}) for rule in document.get("rules", ())
        ]
        if document.get("default") is not None:
            values["default"] = _line(document["default"])
        return cls(**values)


def _line(value: str | Mapping[str, Any]) -> Line:
    if isinstance(value, str):
        return value
    content: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in value.items()}
    return Reply(**content)
