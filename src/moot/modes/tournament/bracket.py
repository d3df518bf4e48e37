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

from moot.kernel.values import Answer, Failure, FailureKind, Row, Wire

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pairing(Generic[T]):
    """Two who meet; without a `lower` one the `upper` goes through."""

    upper: T
    lower: T | None


def drawn(ids: Iterable[str], seed: str) -> list[str]:
    """The ids in the order of a draw that can be repeated anywhere; losing one reorders no other."""
    return sorted(ids, key=lambda one: sha256(f"{seed}|{one}".encode()).hexdigest())


def rounds_needed(contestants: int) -> int:
    return (contestants - 1).bit_length()


def places(size: int) -> list[int]:
    """Seeds from top to bottom of a bracket of 2, 4, 8 … places: the best two can meet only in the end."""
    order = [1]
    while len(order) < size:
        best_and_worst = 2 * len(order) + 1
        order = [place for seed in order for place in (seed, best_and_worst - seed)]
    return order


def first_round(seeded: Sequence[T]) -> list[Pairing[T]]:
    """The pairings of contestants in seed order; a place nobody has gives its neighbour a bye."""
    order = places(2 ** rounds_needed(len(seeded)))
    taken = [seeded[place - 1] if place <= len(seeded) else None for place in order]
    return [
        Pairing(upper, lower)
        for upper, lower in zip(taken[::2], taken[1::2], strict=True)
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


def contestant_id(seat: int | None) -> str:
    return f"C{seat}"


class Contestant(Answer):
    contestant_id: str

    @classmethod
    def of(cls, answer: Answer) -> Contestant:
        return cls(contestant_id=contestant_id(answer.seat), **answer.model_dump(by_alias=False))

    def row(self) -> Row:
        return Row(
            "collect",
            0,
            self.response,
            seat=self.seat,
            model=self.model,
            role="contestant",
            parsed_data={"contestantId": self.contestant_id, "responseTimeMs": self.response_time_ms},
            response_time_ms=self.response_time_ms,
        )


class FailedContestant(Wire):
    contestant_id: str
    seat: int | None
    model: str | None
    kind: FailureKind
    reason: str

    @classmethod
    def of(cls, failure: Failure) -> FailedContestant:
        return cls(
            contestant_id=contestant_id(failure.seat),
            seat=failure.seat,
            model=failure.model,
            kind=failure.kind,
            reason=failure.reason,
        )


class SeedData(Wire):
    seed: int
    contestant_id: str
    seat: int | None
    model: str


@dataclass(frozen=True)
class Draw:
    """The contestants in seed order."""

    seeded: Sequence[Contestant]
    seed: str
    seeding: str

    @classmethod
    def of(cls, contestants: Sequence[Contestant], seeding: str, seed: str) -> Draw:
        by_id = {contestant.contestant_id: contestant for contestant in contestants}
        order = drawn(by_id, seed) if seeding == "shuffled" else list(by_id)
        return cls([by_id[one] for one in order], seed, seeding)

    @property
    def rounds(self) -> int:
        return rounds_needed(len(self.seeded))

    @property
    def by_id(self) -> dict[str, Contestant]:
        return {contestant.contestant_id: contestant for contestant in self.seeded}

    @property
    def seeds(self) -> list[SeedData]:
        return [
            SeedData(seed=seed, contestant_id=one.contestant_id, seat=one.seat, model=one.model)
            for seed, one in enumerate(self.seeded, 1)
        ]

    def place(self, contestant: Contestant) -> int:
        return self.seeded.index(contestant) + 1
