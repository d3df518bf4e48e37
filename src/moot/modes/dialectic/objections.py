"""Objections: the ledger of a dialectic, which issue was raised when and what became of it.

C1 critical "The premise is false"   round 1 raised · round 2 partial · round 3 resolved

A status moves its entry; an objection that is not mentioned keeps what was last said of it; one that is
raised again is open again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from moot.kernel.values import Wire
from moot.modes.dialectic.critiques import Critique, Severity

Standing = Literal["raised", "partial", "unresolved", "resolved"]


class RoundStatus(Wire):
    round: int
    status: Standing


class Objection(Wire):
    """`history` has an entry for every round in which something was said of it."""

    id: str
    severity: Severity
    title: str
    first_round: int
    status: Standing
    history: tuple[RoundStatus, ...]

    @property
    def is_open(self) -> bool:
        return self.status != "resolved"


class OpenIssues(Wire):
    critical: int
    major: int
    minor: int


@dataclass
class Ledger:
    entries: dict[str, Objection] = field(default_factory=dict)

    @classmethod
    def of(cls, critiques: Iterable[Critique]) -> Ledger:
        """The ledger after these critiques, the first being that of round 1."""
        ledger = cls()
        for round, critique in enumerate(critiques, 1):
            ledger.record(round, critique)
        return ledger

    def record(self, round: int, critique: Critique) -> None:
        for status in critique.statuses:
            if status.id in self.entries:
                self._move(status.id, round, status.status)
        statuses = {status.id: status.status for status in critique.statuses}
        for issue in critique.issues:
            if issue.id not in self.entries:
                self.entries[issue.id] = Objection(
                    id=issue.id,
                    severity=issue.severity,
                    title=issue.title,
                    first_round=round,
                    status="raised",
                    history=(RoundStatus(round=round, status="raised"),),
                )
            elif statuses.get(issue.id) in (None, "resolved"):
                # Listed among the issues, it stands whatever its status line says.
                self._move(issue.id, round, "unresolved")

    @property
    def known_issues(self) -> list[tuple[str, Severity, str]]:
        return [(entry.id, entry.severity, entry.title) for entry in self.entries.values()]

    @property
    def open_ids(self) -> list[str]:
        return [entry.id for entry in self.entries.values() if entry.is_open]

    def open_issues(self) -> OpenIssues:
        def count(severity: Severity) -> int:
            return sum(entry.is_open and entry.severity == severity for entry in self.entries.values())

        return OpenIssues(critical=count("critical"), major=count("major"), minor=count("minor"))

    def blocks(self, critique: Critique) -> bool:
        """Whether this critique marks a critical objection as not, or only partly, resolved."""
        return any(
            status.status != "resolved" and self.entries[status.id].severity == "critical"
            for status in critique.statuses
            if status.id in self.entries
        )

    @property
    def objections(self) -> tuple[Objection, ...]:
        return tuple(self.entries.values())

    def _move(self, id: str, round: int, status: Standing) -> None:
        entry = self.entries[id]
        history = (
            *(earlier for earlier in entry.history if earlier.round != round),
            RoundStatus(round=round, status=status),
        )
        self.entries[id] = entry.model_copy(update={"status": status, "history": history})
