"""Seat results: who won a deliberation and who agreed with its outcome, as each mode declares it.

    seat_results=SeatResults(
        seat_results,
        wins="Its answer got the most votes.",
        agrees="It voted for the winner.",
    )

A mode that names no winner and hears no verdicts declares none. The two sentences are the definition:
the docs and the page show them as they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from moot.kernel.events import Event
    from moot.kernel.mode import Mode


class SeatResult(NamedTuple):
    """What became of a seat. `won` is None where it could not win; of its `cases` (votes, verdicts,
    rankings that could be read) so many `agreed` with the outcome."""

    seat: int
    model: str
    won: bool | None = None
    agreed: int = 0
    cases: int = 0


@dataclass(frozen=True)
class SeatResults:
    """`read` is pure and gives nothing for a story that came to no outcome."""

    read: Callable[[Sequence[Event]], Iterable[SeatResult]]
    wins: str | None = None
    agrees: str | None = None


class StageTime(NamedTuple):
    """`stage` is the name of the event that started it, without `_start`."""

    stage: str
    took_ms: int


def stage_times(mode: Mode[Any], events: Sequence[tuple[str, int]]) -> list[StageTime]:
    """How long each stage took: until the next one started, the last until the end. `events` are the types
    and moments of a whole story; a stage that recurs is there each time."""
    begun = [(type, at) for type, at in events if type in mode.stage_starts]
    ends = [at for _, at in begun[1:]] + [events[-1][1]]
    return [
        StageTime(type.removesuffix("_start"), end - at) for (type, at), end in zip(begun, ends, strict=False)
    ]
