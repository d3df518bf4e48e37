"""A figure with its goal, and what is said of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

ROUNDS = 5
"""Every ratio is the median of at least so many, ours and the yardstick's measured in turn."""


@dataclass(frozen=True)
class Figure:
    """`goal`: what it should be at most, None where it is only shown; `beside`: more about it."""

    name: str
    value: float
    goal: float | None = None
    unit: str = ""
    beside: str = ""

    @property
    def met(self) -> bool:
        return self.goal is None or self.value <= self.goal

    @property
    def shown(self) -> str:
        digits = 0 if self.value >= 100 else 1 if self.value >= 10 else 2 if self.value >= 2 else 3
        return f"{self.value:.{digits}f}{f' {self.unit}' if self.unit else ''}"

    @property
    def line(self) -> str:
        goal = "" if self.goal is None else f"<= {self.goal:g}"
        verdict = "" if self.goal is None else "ok" if self.met else "MISSED"
        return f"{self.name:<62} {self.shown:>12}  {goal:<8} {verdict:<7} {self.beside}".rstrip()

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def ratio(ours: Callable[[], float], yardstick: Callable[[], float]) -> tuple[float, float, float]:
    """The median of both, and of their ratios, measured in turn: what else the machine does meets both."""
    pairs = [(ours(), yardstick()) for _ in range(ROUNDS)]
    return (
        median(mine / bare for mine, bare in pairs),
        median(mine for mine, _ in pairs),
        median(bare for _, bare in pairs),
    )


def printed(figures: Iterable[Figure]) -> Iterator[Figure]:
    for figure in figures:
        print(figure.line, flush=True)
        yield figure
