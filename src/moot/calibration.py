"""Calibration: was each stated confidence deserved? Read from the notes of a weighted synthesis.

SYNTHESIS:
…
CONFIDENCE CALIBRATION NOTES:
Answer A: OVERCONFIDENT - it is sure of what it cannot know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from moot.choices import closed_word
from moot.parsing import lines
from moot.wire import Wire

Verdict = Literal["OVERCONFIDENT", "FAIR", "UNDERCONFIDENT"]
_VERDICTS: dict[str | None, Verdict] = {
    "OVERCONFIDENT": "OVERCONFIDENT",
    "FAIR": "FAIR",
    "UNDERCONFIDENT": "UNDERCONFIDENT",
}
_SYNTHESIS = re.compile(r"SYNTHESIS\s*(?::|=|$)\s*", re.IGNORECASE)
_NOTES = re.compile(r"CONFIDENCE\s+CALIBRATION\s+NOTES\s*(?::|=|$)\s*", re.IGNORECASE)
_LINE = re.compile(r"Answer\s+([A-Z])\s*(?::|=|\s[-–—])\s*(.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judged:
    """What the synthesizer thinks of one confidence; the verdict is None if its word is not known."""

    verdict: Verdict | None
    note: str


class Calibration(Wire):
    index: int
    seat: int
    model: str
    verdict: Verdict | None
    note: str


def read_synthesis(text: str) -> tuple[str, str]:
    """The synthesis, and the notes behind the last heading of that name."""
    prepared = lines(text)
    notes = [index for index, line in enumerate(prepared) if _NOTES.match(line.plain)]
    end = notes[-1] if notes else len(prepared)
    starts = [index for index, line in enumerate(prepared[:end]) if _SYNTHESIS.match(line.plain)]
    if not starts and not notes:
        return text.strip(), ""
    first = _SYNTHESIS.sub("", prepared[starts[0]].plain, count=1) if starts else ""
    body = "\n".join([first, *(line.raw for line in prepared[starts[0] + 1 if starts else 0 : end])]).strip()
    said = _NOTES.sub("", prepared[end].plain, count=1) if notes else ""
    return body, "\n".join([said, *(line.raw for line in prepared[end + 1 :])]).strip()


def read_verdicts(notes: str) -> dict[str, Judged]:
    """Letter → what was said of its confidence."""
    said = {}
    for line in lines(notes):
        found = _LINE.match(line.plain)
        if found:
            word = closed_word(found[2], ("OVERCONFIDENT", "UNDERCONFIDENT", "FAIR"))
            rest = re.sub(r"^\W*\w+\W*", "", found[2]) if word else found[2]
            said[found[1].upper()] = Judged(_VERDICTS.get(word), rest.strip())
    return said


def named(notes: str, models: Mapping[str, str]) -> str:
    """The notes with model names in place of the letters."""
    return re.sub(r"\bAnswer ([A-Z])\b", lambda found: models.get(found[1], found[0]), notes)
