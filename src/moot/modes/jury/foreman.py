"""A foreman's reply: a summary, points with the jurors who made them, dissent, and the foreman's own view.

STRENGTHS:
- Clear [1, 3]             two jurors made the point: a key strength
- Short [2]                one did: a minority point
DISSENT:
- Juror 2 (REJECT): the figures are wrong
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from moot.deliberation.choices import ParsedBy
from moot.deliberation.parsing import NOTHING_SHOWN, Shown, lines
from moot.deliberation.sections import Section, items, sections
from moot.deliberation.text import cited, without_citations
from moot.modes.jury.events import DIMENSIONS, Dissent, JurorAssessment, MinorityPoint, Point, Verdict
from moot.modes.jury.scorecards import known_verdict, stated_verdict

_PARTS = ("SUMMARY", "STRENGTHS", "WEAKNESSES", "RECOMMENDATIONS", "DISSENT", "VERDICT")
_DISSENT = re.compile(
    r"[*_\s]*juror\s*#?(\d{1,3})[*_\s]*(?:\([^()]*\)[*_\s]*)?(?:[:：–—-][*_\s]*)?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ForemanReport:
    """What could be read of the reply. `readable`: at least one of the sections was there."""

    summary: str = ""
    strengths: tuple[Point, ...] = ()
    weaknesses: tuple[Point, ...] = ()
    minority: tuple[MinorityPoint, ...] = ()
    recommendations: tuple[str, ...] = ()
    dissent: tuple[Dissent, ...] = ()
    verdict: Verdict | None = None
    parsed_by: ParsedBy | None = None
    readable: bool = False


def read_report(text: str, jurors: Sequence[JurorAssessment], shown: Shown = NOTHING_SHOWN) -> ForemanReport:
    """A point that fewer than two of the jurors made, by their numbers, is a minority point. Where
    a reply copies the assessments, what stands in one of them is no part of the report."""
    prepared = lines(text, shown.nonce)
    parts = sections(prepared, _PARTS)
    if any(line.plain.casefold().startswith(DIMENSIONS) and shown.has_line(line.plain) for line in prepared):
        parts = {name: section for name, section in parts.items() if not _is_copied(section, shown)}
    lists = {name: items(parts[name].lines) if name in parts else [] for name in _PARTS}
    seats = [juror.seat for juror in jurors]
    strengths, weaknesses = (_points(lists[name], seats) for name in ("STRENGTHS", "WEAKNESSES"))
    verdict = stated_verdict(text, shown)
    return ForemanReport(
        summary=parts["SUMMARY"].text if "SUMMARY" in parts else "",
        strengths=_shared_points(strengths),
        weaknesses=_shared_points(weaknesses),
        minority=(*_minority_points(strengths, "strength"), *_minority_points(weaknesses, "weakness")),
        recommendations=tuple(lists["RECOMMENDATIONS"]),
        dissent=tuple(_dissent(item, jurors) for item in lists["DISSENT"]),
        verdict=known_verdict(verdict.meaning),
        parsed_by=verdict.by if verdict.meaning else None,
        readable=bool(parts.keys() - {"VERDICT"}),
    )


def _is_copied(section: Section, shown: Shown) -> bool:
    return all(shown.has_line(line.plain) for line in section.lines if line.plain)


def _points(items: Iterable[str], seats: Sequence[int]) -> list[Point]:
    """Numbers of jurors without a word of what they said are no point."""
    return [point for item in items if (point := _point(item, seats)).text]


def _point(item: str, seats: Sequence[int]) -> Point:
    numbers = [int(number) for number in cited(item, r"\d{1,3}")]
    return Point(text=without_citations(item, r"\d{1,3}"), jurors=[seat for seat in seats if seat in numbers])


def _shared_points(points: Iterable[Point]) -> tuple[Point, ...]:
    return tuple(point for point in points if len(point.jurors) > 1)


def _minority_points(
    points: Iterable[Point], kind: Literal["strength", "weakness"]
) -> Iterable[MinorityPoint]:
    return (
        MinorityPoint(text=point.text, jurors=point.jurors, kind=kind)
        for point in points
        if len(point.jurors) < 2
    )


def _dissent(item: str, jurors: Sequence[JurorAssessment]) -> Dissent:
    opening = _DISSENT.match(item[:200])
    juror = next((one for one in jurors if opening and one.seat == int(opening[1])), None)
    if opening is None or juror is None:
        return Dissent(seat=None, verdict=None, text=item)
    return Dissent(seat=juror.seat, verdict=juror.verdict, text=item[opening.end() :])
