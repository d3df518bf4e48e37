"""Folds over a story: the last event of a class, what it carries, and the title."""

from __future__ import annotations

from moot.kernel.events import (
    Complete,
    Event,
    TitleComplete,
    TitleData,
    WarningData,
    WarningEvent,
    every,
    last,
    last_data,
    title_in,
)


def warning(message: str) -> WarningEvent:
    return WarningEvent(data=WarningData(message=message, code="x", step=None))


STORY: list[Event] = [
    warning("first"),
    TitleComplete(data=TitleData(title="A Short Title")),
    warning("second"),
    Complete(),
]


def test_the_last_event_of_a_class_counts() -> None:
    assert last(STORY, WarningEvent) == warning("second")
    assert last_data(STORY, WarningEvent) == warning("second").data
    assert every(STORY, WarningEvent) == [warning("first"), warning("second")]


def test_a_story_without_such_an_event_gives_nothing() -> None:
    assert last(STORY[:1], TitleComplete) is None
    assert last_data(STORY[:1], TitleComplete) is None
    assert title_in(STORY[:1]) is None


def test_the_title_is_read_from_its_event() -> None:
    assert title_in(STORY) == "A Short Title"
