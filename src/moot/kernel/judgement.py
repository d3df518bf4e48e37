"""Judgement: what a mode's outcome comes to, for programs: its name, whether it passes, who disagrees.

A mode that knows more than who won says so in its `judgement.py`; see `history/verdict.py` for what all
modes share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moot.kernel.events import Event
from moot.kernel.values import Wire


class Dissent(Wire):
    """A seat that holds otherwise: what it holds, and why, in its own words where there are any."""

    seat: int | None
    model: str | None
    position: str | None
    reason: str | None


class Findings(Wire):
    """What the panel found, sorted by how much of it stands behind each point."""

    consensus: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()
    partial_coverage: tuple[str, ...] = ()
    unique_insights: tuple[str, ...] = ()
    blind_spots: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """`passed` is None where the mode judges nothing, or could not tell."""

    outcome: str | None = None
    passed: bool | None = None
    dissent: tuple[Dissent, ...] = ()
    findings: Findings | None = None


Judge = Callable[[Sequence[Event]], Judgement]
