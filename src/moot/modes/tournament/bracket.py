"""Single elimination: who meets whom, who goes through without a match, who ends where.

    seeds 1–5        round 1        round 2        final
    1 ───────────────(bye)──┐
    4 ──┐                   ├── 1 or …
    5 ──┴── winner ─────────┘        ├── champion
    2 ───────────────(bye)──┐        │
    3 ───────────────(bye)──┴────────┘

Byes occur only in the first round, go to the best seeds, and nobody gets two: n contestants always
need n − 1 decided matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pairing(Generic[T]):
    """Two who meet; without a `lower` one the `upper` goes through."""

    upper: T
    lower: T | None


def draw_order(ids: Iterable[str], seed: str) -> list[str]:
    """The ids in the order of a draw that can be repeated anywhere; losing one reorders no other."""
    return sorted(ids, key=lambda one: sha256(f"{seed}|{one}".encode()).hexdigest())


def rounds_needed(contestants: int) -> int:
    return (contestants - 1).bit_length()


def places(size: int) -> list[int]:
    """Seeds from top to bottom of a bracket of 2, 4, 8 … places: the best two can meet only in the final."""
    order = [1]
    while len(order) < size:
        best_and_worst = 2 * len(order) + 1
        order = [place for seed in order for place in (seed, best_and_worst - seed)]
    return order


def first_round(contestants: Sequence[T]) -> list[Pairing[T]]:
    """The pairings of contestants in seed order; a place nobody has gives its neighbour a bye."""
    order = places(2 ** rounds_needed(len(contestants)))
    slots = [contestants[place - 1] if place <= len(contestants) else None for place in order]
    return [
        Pairing(upper, lower)
        for upper, lower in zip(slots[::2], slots[1::2], strict=True)
        if upper is not None
    ]


def next_round(winners: Sequence[T]) -> list[Pairing[T]]:
    """The winners of neighbouring matches meet; after the final nobody does."""
    return [Pairing(upper, lower) for upper, lower in zip(winners[::2], winners[1::2], strict=False)]


def place_of_loser(round_number: int, rounds: int) -> int:
    """2 for the final's loser, 3 for both of the semi-finals, 5 for the quarter-finals."""
    return int(2 ** (rounds - round_number)) + 1


def upper_is_shown_first(seed: str, round_number: int, match_index: int) -> bool:
    """For a judge who sees each match in one order only."""
    digest = sha256(f"{seed}|r{round_number}m{match_index}".encode()).hexdigest()
    return int(digest[-1], 16) % 2 == 0
