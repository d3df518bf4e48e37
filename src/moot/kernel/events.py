"""Event: one line of a run's story. Modes declare their own; these are the shared ones.

    {"type": "model_failed", "at": 4210, "data": {"step": "vote", "seat": 2, …}}

`type` and `at` are written by the engine when the line is told; an event class declares the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol, TypeVar

from moot.kernel.values import Failure, Maybe, Wire


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
    """A seat was given up: told once per seat and step, with the provider's own words."""

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


class Complete(Event):
    type = "complete"


class Error(Event):
    """The end of a run that has no honest result."""

    type = "error"
    message: str


SHARED: tuple[type[Event], ...] = (ModelFailed, WarningEvent, TitleComplete, Complete, Error)

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
