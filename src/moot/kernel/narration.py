"""Narration: what an event says to a person, in sentences and pictures made of text.

    Votes
      1. openai/o3 voted for google/gemini-2.5-pro.
      google/gemini-2.5-pro  ████████████  2 votes

A mode narrates its own events, in its `narration.py`; how a passage looks is the door's business. The
sentences quote models, so they are foreign text like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from moot.kernel.events import Event
from moot.kernel.values import Answer

LONGEST_QUOTE = 160


@dataclass(frozen=True, slots=True)
class Bar:
    """A line of a chart: `text` is the value as a person reads it."""

    name: str
    value: float
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """`highest`: the value of a whole bar, if not that of the longest. `drawing`: lines that must stay as
    they are, such as a bracket."""

    heading: str
    sentences: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    highest: float = 0
    drawing: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)  # a mode, which has one, is looked up by hash
class Narration:
    """`stages`: what each stage is called, by the name of the event that starts it, without `_start`.
    `tell`: the passage for an event, given the story up to it; None if it adds nothing for a person."""

    stages: Mapping[str, str]
    tell: Callable[[Event, Sequence[Event]], Passage | None]

    def stage(self, type: str) -> str | None:
        """The stage that an event of this type starts."""
        return self.stages.get(type.removesuffix("_start")) if type.endswith("_start") else None


def seat_name(seat: int | None, model: str | None) -> str:
    """`2. openai/o3`; the seat alone where models stay unknown."""
    if model is None:
        return f"Seat {seat}" if seat is not None else "A model"
    return model if seat is None else f"{seat}. {model}"


def names(models: Mapping[str, str], seats: Mapping[str, int | None]) -> dict[str, str]:
    """What each label's model is called within a sentence; the seat is named only if a model holds several.

    >>> names({"A": "o3", "B": "o3", "C": "gemini"}, {"A": 1, "B": 2, "C": 3})
    {'A': 'o3 (seat 1)', 'B': 'o3 (seat 2)', 'C': 'gemini'}
    """
    every = list(models.values())
    return {
        label: f"{model} (seat {seats.get(label)})" if every.count(model) > 1 else model
        for label, model in models.items()
    }


def seconds(ms: int) -> str:
    return f"{ms / 1000:.1f} s"


def count(number: int, thing: str, things: str = "") -> str:
    """
    >>> count(1, "vote"), count(2, "vote"), count(2, "reply", "replies")
    ('1 vote', '2 votes', '2 replies')
    """
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def listed(names: Iterable[str]) -> str:
    """
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    every = list(names)
    return every[-1] if len(every) < 2 else f"{', '.join(every[:-1])} and {every[-1]}"


def quote(text: str, longest: int = LONGEST_QUOTE) -> str:
    """The beginning of what somebody wrote, on one line, cut between words."""
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    return f"{line[:longest].rsplit(' ', 1)[0].rstrip(' ,;:.')}…"


def answers(heading: str, replies: Iterable[Answer]) -> Passage:
    """Who answered, at what length and how fast."""
    return Passage(
        heading,
        tuple(
            f"{seat_name(reply.seat, reply.model)}: {count(len(reply.response.split()), 'word')}, "
            f"{seconds(reply.response_time_ms)}"
            for reply in replies
        ),
    )
