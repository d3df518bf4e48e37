"""The relay: what a step of a chain hands to the next."""

from __future__ import annotations

from dataclasses import dataclass, field

from moot.deliberation.text import word_count
from moot.modes.chain.config import ChainStep


@dataclass
class Relay:
    """The last accepted text and the step it comes from; the mandates that were applied to it, and those that
    were skipped since."""

    text: str = ""
    words: int = 0
    accepted_step: int = 0
    applied: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def accept(self, number: int, step: ChainStep, text: str) -> None:
        self.text, self.words, self.accepted_step = text, word_count(text), number
        self.applied.append(step.display)
        self.skipped.clear()

    def skip(self, step: ChainStep) -> None:
        self.skipped.append(step.display)
