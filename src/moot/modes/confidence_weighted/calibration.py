"""Calibration: was each stated confidence deserved? Read from the notes of a weighted synthesis.

SYNTHESIS:
…
CONFIDENCE CALIBRATION NOTES:
Answer A: OVERCONFIDENT - it is sure of what it cannot know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from moot.deliberation.choices import closed_word
from moot.deliberation.parsing import NOTHING_SHOWN, Line, Shown, as_written, lines
from moot.kernel.values import Wire

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


def read_synthesis(text: str, shown: Shown = NOTHING_SHOWN) -> tuple[str, str]:
    """The synthesis, and the notes behind the last heading of that name that is no quotation."""
    prepared = lines(text)
    found = [index for index, line in enumerate(prepared) if _NOTES.match(line.plain)]
    notes = [index for index in found if not _is_quoted(prepared, index, shown)] or found
    end = notes[-1] if notes else len(prepared)
    starts = [index for index, line in enumerate(prepared[:end]) if _SYNTHESIS.match(line.plain)]
    if not starts and not notes:
        return text.strip(), ""
    first = _beside(prepared[starts[0]], _SYNTHESIS) if starts else ""
    body = "\n".join([first, *(line.raw for line in prepared[starts[0] + 1 if starts else 0 : end])]).strip()
    said = _beside(prepared[end], _NOTES) if notes else ""
    return body, "\n".join([said, *(line.raw for line in prepared[end + 1 :])]).strip()


def _is_quoted(prepared: Sequence[Line], index: int, shown: Shown) -> bool:
    following = next((line.plain for line in prepared[index + 1 :] if line.plain), "")
    return shown.has_line(prepared[index].plain) and shown.has_line(following)


def _beside(line: Line, heading: re.Pattern[str]) -> str:
    """What stands on the heading's own line."""
    match = heading.match(line.plain)
    return as_written(line, match)[0] if match else ""


def read_verdicts(notes: str, shown: Shown = NOTHING_SHOWN) -> dict[str, Judged]:
    """Letter → what was said of its confidence; a line of a shown text counts only if there is no other."""
    quoted: dict[str, Judged] = {}
    own: dict[str, Judged] = {}
    for line in lines(notes):
        found = _LINE.match(line.plain)
        if found:
            word = closed_word(found[2], ("OVERCONFIDENT", "UNDERCONFIDENT", "FAIR"))
            note = as_written(line, found, 2)[0]
            rest = re.sub(r"^\W*\w+[*_`]*[^\w`*_\"'“(\[]*", "", note) if word else note
            said = quoted if shown.has_line(line.plain) else own
            said[found[1].upper()] = Judged(_VERDICTS.get(word), rest.strip())
    return {**quoted, **own}


def named(notes: str, models: Mapping[str, str]) -> str:
    """The notes with model names in place of the letters."""
    letter = f"[{''.join(models)}]"
    listed = rf"\b[Aa]nswers? ({letter}(?:(?:,\s*(?:and\s+|or\s+)?|\s+(?:and|or|&)\s+){letter}\b)*)\b"
    return re.sub(listed, lambda found: re.sub(rf"\b{letter}\b", lambda one: models[one[0]], found[1]), notes)
