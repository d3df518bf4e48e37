"""Work: a text that is judged, attacked or checked, and what a simulated model can point at in it.

>>> Work.of("# Plan\\n\\nWe move in **May**. The budget is 40,000 euros.").passages
('We move in **May**.', 'The budget is 40,000 euros.')
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256

from moot.simulator.dice import dice
from moot.simulator.mind import LONGEST_READ, Mind

_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?![\s*_\"”)]|$))+[.!?]*[*_\"”)]*")
_LEADING_SIGNS = re.compile(r"^(?:\s*(?:[-*•>]|\d+[.)])\s+)+")


@dataclass(frozen=True, slots=True)
class Work:
    """`passages` are its sentences as written; `merit` its hidden quality, 0 to 1, from its letters."""

    text: str
    passages: tuple[str, ...]
    merit: float

    @classmethod
    def of(cls, text: str) -> Work:
        merit = dice("merit", sha256(text.encode()).hexdigest()).triangular(0.25, 0.95, 0.65)
        return cls(text, tuple(_passages(text[:LONGEST_READ])) or (text.strip()[:200] or "the work",), merit)

    def judged_by(self, mind: Mind) -> float:
        """Its merit as this mind sees it: the less accurate, the further off."""
        seen = self.merit + mind.dice.gauss(0, 0.05 + 0.25 * (1 - mind.traits.accuracy))
        return min(max(seen, 0.0), 1.0)

    def excerpts(self, mind: Mind, count: int, words: int = 12) -> list[str]:
        """Exact words from so many places, in the order of the text."""
        return [excerpt(passage, words) for passage in mind.some(self.passages, count)]


def excerpt(passage: str, words: int = 12) -> str:
    """The first words of a passage, blanks as they are, so that they can be found again."""
    found = re.match(rf"(?:\S+\s*){{1,{words}}}", passage)
    return found[0].strip() if found else passage


def _passages(text: str) -> list[str]:
    in_code = False
    found: list[str] = []
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code and not line.lstrip().startswith(("#", "|")):
            prose = _LEADING_SIGNS.sub("", line)
            found += [sentence.strip() for sentence in _SENTENCE.findall(prose) if len(sentence.split()) > 2]
    return found


def score(share: float, low: int, high: int) -> int:
    """A share of 0 to 1 on a scale of whole numbers."""
    return min(max(low + int(share * (high - low + 1)), low), high)
