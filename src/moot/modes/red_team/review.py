"""A review between two of its stages: the work as it stands, and every finding with its answer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from moot.deliberation.second_opinions import SecondOpinion
from moot.modes.red_team.defense import Defence, Response, Verdict
from moot.modes.red_team.findings import AttackFinding


@dataclass(frozen=True, slots=True)
class Entry:
    """A finding, the round it was raised in, the author's answer, and whether that round's revision was
    adopted."""

    finding: AttackFinding
    round: int
    response: Response | None = None
    adopted: bool = False

    @property
    def verdict(self) -> Verdict | None:
        return self.response.verdict if self.response else None


@dataclass
class Review:
    """`original` is version 0 of the work, `content` its last. `unreadable`: an attack report was.
    `second_opinion`: what a second model said where the attacker found nothing at all."""

    original: str
    content: str
    entries: list[Entry] = field(default_factory=list)
    rounds: int = 0
    unreadable: bool = False
    second_opinion: SecondOpinion | None = None

    @property
    def findings(self) -> list[AttackFinding]:
        return [entry.finding for entry in self.entries]

    def answer(self, defence: Defence, *, adopted: bool) -> None:
        """Enter the author's answers to the findings they are about."""
        by_id = {response.finding_id: response for response in defence.responses}
        self.entries = [
            replace(entry, response=by_id[entry.finding.id], adopted=adopted)
            if entry.finding.id in by_id
            else entry
            for entry in self.entries
        ]
