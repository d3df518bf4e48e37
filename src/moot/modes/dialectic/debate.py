"""Where a debate stands between two of its phases."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from moot.kernel.retriever import Retrieved
from moot.kernel.values import Answer
from moot.modes.dialectic.critiques import Critique
from moot.modes.dialectic.objections import Ledger
from moot.modes.dialectic.proposals import Proposal
from moot.modes.dialectic.trace import StopReason


class Exchange(NamedTuple):
    """One round as it is shown: both texts whole; None where the skeptic failed."""

    round: int
    proposal: str
    critique: str | None


@dataclass
class Debate:
    """`reason` is None while further rounds may follow."""

    retrieval: Retrieved
    proposals: list[tuple[Answer, Proposal]] = field(default_factory=list)
    critiques: list[tuple[Answer, Critique]] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)
    reason: StopReason | None = None

    @property
    def exchanges(self) -> list[Exchange]:
        critiques = [answer.response for answer, _ in self.critiques]
        return [
            Exchange(number, answer.response, critiques[number - 1] if number <= len(critiques) else None)
            for number, (answer, _) in enumerate(self.proposals, 1)
        ]
