"""The draw of a tournament: its contestants in seed order.

Draw.of(contestants, "shuffled", "demo").contestants        # C4, C1, C2, C5, C3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.modes.tournament.bracket import draw_order, rounds_needed
from moot.modes.tournament.events import Contestant, SeedData


@dataclass(frozen=True)
class Draw:
    """`seed` repeats it; `seeding` says whether it was shuffled or taken from the config's list."""

    contestants: Sequence[Contestant]
    seed: str
    seeding: str

    @classmethod
    def of(cls, contestants: Sequence[Contestant], seeding: str, seed: str) -> Draw:
        by_id = {contestant.contestant_id: contestant for contestant in contestants}
        order = draw_order(by_id, seed) if seeding == "shuffled" else list(by_id)
        return cls([by_id[id] for id in order], seed, seeding)

    @property
    def rounds(self) -> int:
        return rounds_needed(len(self.contestants))

    @property
    def by_id(self) -> dict[str, Contestant]:
        return {contestant.contestant_id: contestant for contestant in self.contestants}

    @property
    def seeds(self) -> list[SeedData]:
        return [
            SeedData(seed=seed, contestant_id=one.contestant_id, seat=one.seat, model=one.model)
            for seed, one in enumerate(self.contestants, 1)
        ]

    def place(self, contestant: Contestant) -> int:
        return self.contestants.index(contestant) + 1
