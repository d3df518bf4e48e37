"""A judge's reply on a review: a ruling on every finding, the hardened work, the risks that remain.

R1-F2: OPEN | The rebuttal does not hold.
=== HARDENED OUTPUT ===
…
=== END HARDENED OUTPUT ===
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from moot.deliberation.choices import closed_word
from moot.deliberation.parsing import Line, Shown, as_written, lines
from moot.deliberation.sections import items, sections
from moot.kernel.values import Wire
from moot.modes.red_team.layouts import JUDGE_SAMPLES
from moot.modes.red_team.material import find_enclosure

Ruling = Literal["FIXED", "DISMISSED", "OPEN"]

SHORTEST = Fraction(40, 100)
"""Of the last version: a hardened work that is shorter is not taken for one."""

_RULING_LINE = re.compile(r"[\W_]*R(\d{1,2})-F(\d{1,3})(?!\w)", re.IGNORECASE)
_REASON = re.compile(r"\s*(?:\||[-–—:]\s)\s*")


class RulingLine(Wire):
    id: str
    ruling: Ruling
    reason: str | None
    source: Literal["judge", "default"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge's reply says. `hardened` null: there is no complete work in it."""

    rulings: Mapping[str, RulingLine]
    hardened: str | None
    remaining_risks: tuple[str, ...]

    @property
    def readable(self) -> bool:
        return bool(self.rulings) or self.hardened is not None


NO_JUDGEMENT = Judgement({}, None, ())


def read_judgement(reply: str, finding_ids: Sequence[str], last_version: str, shown: Shown) -> Judgement:
    prepared = lines(reply)
    last = _last_ruling(prepared, finding_ids, shown)
    block = find_enclosure(prepared, "HARDENED OUTPUT", after=last)
    text = block.text if block else ""
    outside = [*prepared[: block.start], *prepared[block.end + 1 :]] if block else prepared
    if block and not block.closed:
        text, outside = _cut_at_risks(prepared, block.start)
    risks = sections(outside, ("REMAINING RISKS",), shown=shown).get("REMAINING RISKS")
    whole = JUDGE_SAMPLES.filled(text) is not None and len(text) >= SHORTEST * len(last_version)
    return Judgement(
        read_rulings(outside, finding_ids, shown),
        text if whole else None,
        tuple(items(risks.lines)) if risks else (),
    )


def _last_ruling(prepared: Sequence[Line], finding_ids: Sequence[str], shown: Shown) -> int:
    """Where the rulings end; of an id that is ruled on again further down, the first line counts."""
    first: dict[str, int] = {}
    for index, line in enumerate(prepared):
        id = _ruled_id(line, finding_ids)
        if id is not None and not shown.has_line(line.plain):
            first.setdefault(id, index)
    return max(first.values(), default=-1)


def _cut_at_risks(prepared: Sequence[Line], start: int) -> tuple[str, list[Line]]:
    """Without its end line a hardened work goes on to the risks that follow it."""
    ends = [
        index
        for index in range(start + 1, len(prepared))
        if prepared[index].plain.casefold().rstrip(":= ").lstrip("= ") == "remaining risks"
    ]
    end = ends[-1] if ends else len(prepared)
    text = "\n".join(line.raw for line in prepared[start + 1 : end]).strip("\n").rstrip()
    return text, [*prepared[:start], *prepared[end:]]


def read_rulings(prepared: Sequence[Line], finding_ids: Sequence[str], shown: Shown) -> dict[str, RulingLine]:
    """The rulings by id, of several on one the last; a line of a shown text only if there is no other."""
    own: dict[str, RulingLine] = {}
    quoted: dict[str, RulingLine] = {}
    for line in prepared:
        id = _ruled_id(line, finding_ids)
        if id is not None:
            into = quoted if shown.has_line(line.plain) else own
            into[id] = _ruling(id, line)
    return {**quoted, **own}


def _ruled_id(line: Line, finding_ids: Sequence[str]) -> str | None:
    """The id that a line rules on."""
    match = None if line.fenced else _RULING_LINE.match(line.plain)
    if match is None or _word(line.plain[match.end() :]) is None:
        return None
    id = f"R{int(match[1])}-F{int(match[2])}"
    return id if id in finding_ids else None


def _word(value: str) -> Ruling | None:
    word = closed_word(value, ("FIXED", "DISMISSED", "OPEN"))
    return "FIXED" if word == "FIXED" else "DISMISSED" if word == "DISMISSED" else "OPEN" if word else None


def _ruling(id: str, line: Line) -> RulingLine:
    match = _RULING_LINE.match(line.plain)
    word = _word(line.plain[match.end() :] if match else line.plain) or "OPEN"
    ruled = re.compile(rf".*?{word}", re.IGNORECASE).match(line.plain, match.end() if match else 0)
    after = as_written(line, ruled)[0] if ruled and ruled.end() < len(line.plain) else ""
    reason = _REASON.sub("", after, count=1).strip(" |") if _REASON.match(after) else after.strip(" |.")
    return RulingLine(id=id, ruling=word, reason=reason or None, source="judge")
