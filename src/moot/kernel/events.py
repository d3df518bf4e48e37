"""Event: one line of a run's story. Modes declare their own; these are the shared ones.

    {"type": "model_failed", "at": 4210, "data": {"step": "vote", "seat": 2, …}}

`type` and `at` are written by the engine when the line is told; an event class declares the rest. How an
event is kept is `StoredEvent.of`, how it is shown `Frame`; nobody else writes one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol, TypeVar

from moot.kernel.values import Failure, Maybe, Usage, Wire


class Event(Wire):
    """Subclasses set `type`, the name on the wire, and declare `data` if they carry any."""

    type: ClassVar[str]


class Opening(Event):
    """The first event of every run, flat; a mode's own opening adds its extras."""

    conversation_id: str
    message_id: str
    mode: str
    run_id: str
    retry_of: Maybe[str]
    simulated: Maybe[bool]


class ModelFailed(Event):
    """A seat failed: reported once per seat and step, in the provider's own words."""

    type = "model_failed"
    data: Failure


class WarningData(Wire):
    message: str
    code: str
    step: str | None


class WarningEvent(Event):
    type = "warning"
    data: WarningData


class TitleData(Wire):
    title: str


class TitleComplete(Event):
    type = "title_complete"
    data: TitleData


class SchemaData(Wire):
    """`answer`: JSON, as text. `model`: who put it into that form; null if the answer was in it already."""

    model: str | None
    answer: str


class SchemaComplete(Event):
    """The answer in the caller's schema."""

    type = "schema_complete"
    data: SchemaData


class Complete(Event):
    type = "complete"


class Error(Event):
    """The run ended without an answer."""

    type = "error"
    message: str


SHARED: tuple[type[Event], ...] = (ModelFailed, WarningEvent, SchemaComplete, TitleComplete, Complete, Error)


CallName = tuple[str, int | None, str]


class CallReference(Wire):
    """`call` is the same in all frames of one call, and another where a step asks a seat twice at once."""

    step: str
    seat: int | None
    model: str | None
    call: str

    @property
    def name(self) -> CallName:
        """What tells the call from every other of its run."""
        return self.step, self.seat, self.call


class CallStartData(CallReference):
    attempt: int


class TokenData(CallReference):
    text: str


class CallCompleteData(CallReference):
    response_time_ms: int
    usage: Usage
    cost: float | None


class CallStart(Event):
    """A call is sent, for the first time or again; any earlier text of it is void."""

    type = "call_start"
    data: CallStartData


class Token(Event):
    """A piece of a reply."""

    type = "token"
    data: TokenData


class CallComplete(Event):
    """A call has ended and is stored."""

    type = "call_complete"
    data: CallCompleteData


LIVE: tuple[type[Event], ...] = (CallStart, Token, CallComplete)
"""The events that are neither numbered nor stored, sent when tokens are asked for."""

E = TypeVar("E", bound=Event)
D = TypeVar("D", covariant=True)


class CarriesData(Protocol[D]):
    """An event that declares `data`."""

    @property
    def data(self) -> D: ...


def last(events: Sequence[Event], kind: type[E]) -> E | None:
    """The last event of this class; what a fold over a story mostly needs."""
    for event in reversed(events):
        if isinstance(event, kind):
            return event
    return None


def last_data(events: Sequence[Event], kind: type[CarriesData[D]]) -> D | None:
    """What the last event of this class carries."""
    for event in reversed(events):
        if isinstance(event, kind):
            return event.data
    return None


def title_in(events: Sequence[Event]) -> str | None:
    """The title that was given to the conversation."""
    title = last_data(events, TitleComplete)
    return title.title if title else None


def every(events: Sequence[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]
