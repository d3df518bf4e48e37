"""Response A, B, C: how anonymised answers are dealt and shown.

    --- Response B ---
    <<<7f3a90c1
    …
    7f3a90c1>>>

The letters come from the run's seed, so that neither position nor letter follows the config; a
resumed run deals the same. Every evaluator sees the same letters in an order of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Generic, Protocol, TypeVar

from moot.kernel.fences import Foreign, Part


class Seated(Protocol):
    """Whatever holds a seat: an answer, a revision."""

    @property
    def seat(self) -> int | None: ...
    @property
    def model(self) -> str: ...


S = TypeVar("S", bound=Seated)
T = TypeVar("T")


def shuffled(items: Sequence[T], seed: str) -> list[T]:
    """A permutation that depends on nothing but the seed and the number of items."""
    keys = [sha256(f"{seed}/{place}".encode()).digest() for place in range(len(items))]
    return [items[place] for place in sorted(range(len(items)), key=keys.__getitem__)]


class Deal(Generic[S]):
    """A deal of letters: label → what stands behind it, in order of letter."""

    def __init__(self, items: Sequence[S], seed: str, deal: str = "1") -> None:
        self._seed = f"{seed}/deal/{deal}"
        dealt = shuffled(items, self._seed)
        self.by_label = {f"Response {chr(65 + place)}": item for place, item in enumerate(dealt)}

    def __getitem__(self, label: str) -> S:
        return self.by_label[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_label)

    def __len__(self) -> int:
        return len(self.by_label)

    def __contains__(self, label: object) -> bool:
        return label in self.by_label

    @property
    def label_to_model(self) -> dict[str, str]:
        return {label: item.model for label, item in self.by_label.items()}

    @property
    def label_to_seat(self) -> dict[str, int | None]:
        return {label: item.seat for label, item in self.by_label.items()}

    def label_of(self, seat: int | None) -> str:
        return next(label for label, item in self.by_label.items() if item.seat == seat)

    def order_for(self, evaluator: int | str | None, labels: Sequence[str] = ()) -> list[str]:
        """The labels in the order this evaluator sees them."""
        return shuffled(list(labels or self.by_label), f"{self._seed}/order/{evaluator}")


def shown(entries: Sequence[tuple[str, str]]) -> list[Part]:
    """Headed, fenced texts for a prompt: `--- heading ---`, then the text."""
    parts: list[Part] = []
    for heading, text in entries:
        parts += [f"--- {heading} ---\n", Foreign(text), "\n\n"]
    return parts
