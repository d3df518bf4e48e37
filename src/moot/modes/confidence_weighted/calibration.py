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
from moot.deliberation.sections import with_values
from moot.modes.confidence_weighted.layouts import SYNTHESIS_SAMPLES

Verdict = Literal["OVERCONFIDENT", "FAIR", "UNDERCONFIDENT"]
_VERDICTS: dict[str | None, Verdict] = {
    "OVERCONFIDENT": "OVERCONFIDENT",
    "FAIR": "FAIR",
    "UNDERCONFIDENT": "UNDERCONFIDENT",
}
_SYNTHESIS = re.compile(r"SYNTHESIS\s*(?::|=|$)\s*", re.IGNORECASE)
_NOTES = re.compile(r"CONFIDENCE\s+CALIBRATION\s+NOTES\s*(?::|=|$)\s*", re.IGNORECASE)
_LINE = re.compile(r"Answer\s+([A-Z])\s*(?::|=|\s[-–—])\s*(.+)", re.IGNORECASE)


_ALONE = re.compile(r"Answer\s+[A-Z]\s*[:=–—-]?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CalibrationNote:
    """What the synthesizer thinks of one confidence; the verdict is None if its word is not known."""

    verdict: Verdict | None
    note: str


def read_synthesis(text: str, shown: Shown = NOTHING_SHOWN) -> tuple[str, str]:
    """The synthesis, and the notes behind the last heading of that name that is no quotation. What the
    layout printed in its place is no synthesis."""
    prepared = lines(text)
    headings = [index for index, line in enumerate(prepared) if _NOTES.match(line.plain)]
    notes = [index for index in headings if not _is_quoted(prepared, index, shown)] or headings
    end = notes[-1] if notes else len(prepared)
    starts = [index for index, line in enumerate(prepared[:end]) if _SYNTHESIS.match(line.plain)]
    if not starts and not notes:
        return SYNTHESIS_SAMPLES.filled(text.strip()) or "", ""
    first = _beside(prepared[starts[0]], _SYNTHESIS) if starts else ""
    body = "\n".join([first, *(line.raw for line in prepared[starts[0] + 1 if starts else 0 : end])]).strip()
    first_note = _beside(prepared[end], _NOTES) if notes else ""
    said = "\n".join([first_note, *(line.raw for line in prepared[end + 1 :])]).strip()
    return SYNTHESIS_SAMPLES.filled(body) or "", said


def _is_quoted(prepared: Sequence[Line], index: int, shown: Shown) -> bool:
    following = next((line.plain for line in prepared[index + 1 :] if line.plain), "")
    return shown.has_line(prepared[index].plain) and shown.has_line(following)


def _beside(line: Line, heading: re.Pattern[str]) -> str:
    """What stands on the heading's own line."""
    match = heading.match(line.plain)
    return as_written(line, match)[0] if match else ""


def read_verdicts(notes: str, shown: Shown = NOTHING_SHOWN) -> dict[str, CalibrationNote]:
    """Letter → what was said of its confidence; a line of a shown text counts only if there is no other."""
    quoted: dict[str, CalibrationNote] = {}
    own: dict[str, CalibrationNote] = {}
    for line in with_values(lines(notes), _ALONE):
        match = _LINE.match(line.plain)
        if match:
            word = closed_word(match[2], ("OVERCONFIDENT", "UNDERCONFIDENT", "FAIR"))
            note = as_written(line, match, 2)[0]
            rest = re.sub(r"^\W*\w+[*_`]*[^\w`*_\"'“(\[]*", "", note) if word else note
            verdicts = quoted if shown.has_line(line.plain) else own
            verdicts[match[1].upper()] = CalibrationNote(_VERDICTS.get(word), rest.strip())
    return {**quoted, **own}


def name_models(notes: str, models: Mapping[str, str]) -> str:
    """The notes with model names in place of the letters."""
    letter = f"[{''.join(models)}]"
    letters = rf"\b[Aa]nswers? ({letter}(?:(?:,\s*(?:and\s+|or\s+)?|\s+(?:and|or|&)\s+){letter}\b)*)\b"
    return re.sub(
        letters, lambda match: re.sub(rf"\b{letter}\b", lambda one: models[one[0]], match[1]), notes
    )
