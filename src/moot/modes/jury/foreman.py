"""The foreman's report: read from the reply, checked against the jurors, put under the server's figures.

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
from moot.deliberation.sections import items, sections
from moot.deliberation.text import cited, without_citations
from moot.kernel.values import Answer, Degraded, Wire
from moot.modes.jury.scorecards import JurorAssessment, Verdict, known_verdict, stated_verdict
from moot.modes.jury.verdicts import (
    DimensionAnalysis,
    JurorSummary,
    Ruling,
    VerdictSource,
    VoteTally,
    analysed,
)

_PARTS = ("SUMMARY", "STRENGTHS", "WEAKNESSES", "RECOMMENDATIONS", "DISSENT", "VERDICT")
_DISSENT = re.compile(
    r"[*_\s]*juror\s*#?(\d{1,3})[*_\s]*(?:\([^()]*\)[*_\s]*)?(?:[:：–—-][*_\s]*)?", re.IGNORECASE
)
_DECIDED: dict[VerdictSource, str] = {
    "majority": "by majority",
    "tie_rule": "by the tie rule",
    "foreman": "by the foreman, for no vote could be counted",
    "default": "by default, for no vote could be counted",
}


class Point(Wire):
    """`jurors` are the seats that made it."""

    text: str
    jurors: list[int]


class MinorityPoint(Point):
    kind: Literal["strength", "weakness"]


class Dissent(Wire):
    """`seat` is null if the foreman named no juror of this jury; the verdict is the juror's own vote."""

    seat: int | None
    verdict: Verdict | None
    text: str


@dataclass(frozen=True, slots=True)
class ForemanReport:
    summary: str = ""
    strengths: tuple[Point, ...] = ()
    weaknesses: tuple[Point, ...] = ()
    minority: tuple[MinorityPoint, ...] = ()
    recommendations: tuple[str, ...] = ()
    dissent: tuple[Dissent, ...] = ()
    verdict: Verdict | None = None
    parsed_by: ParsedBy | None = None
    readable: bool = False


class JuryVerdict(Degraded):
    """The count's verdict under the server's figures, with the foreman's words or, without them, the
    jurors'. `model`, `response_time_ms` and `raw_text` are null if no foreman reported."""

    model: str | None
    report_text: str
    final_verdict: Verdict
    verdict_source: VerdictSource
    foreman_verdict: Verdict | None
    foreman_differs: bool
    dimension_analysis: list[DimensionAnalysis]
    summary: str | None
    key_strengths: list[Point]
    key_weaknesses: list[Point]
    minority_points: list[MinorityPoint]
    recommendations: list[str]
    dissenting_opinions: list[Dissent]
    response_time_ms: int | None
    parse_success: bool
    raw_text: str | None
    foreman_parsed_by: ParsedBy | None = None

    @classmethod
    def of(
        cls,
        report: ForemanReport,
        reply: Answer | None,
        jurors: Sequence[JurorAssessment],
        summary: JurorSummary,
        ruling: Ruling,
        notice: Degraded,
    ) -> JuryVerdict:
        differs = report.verdict is not None and report.verdict != ruling.verdict
        analysis = analysed(jurors, summary)
        head = report_head(ruling, summary, dimension_table(analysis, summary))
        return cls(
            model=reply.model if reply else None,
            report_text="\n\n".join([head, *report_body(report, reply, jurors, differs)]),
            final_verdict=ruling.verdict,
            verdict_source=ruling.source,
            foreman_verdict=report.verdict,
            foreman_differs=differs,
            dimension_analysis=analysis,
            summary=report.summary or None,
            key_strengths=list(report.strengths),
            key_weaknesses=list(report.weaknesses),
            minority_points=list(report.minority),
            recommendations=list(report.recommendations),
            dissenting_opinions=list(report.dissent),
            response_time_ms=reply.response_time_ms if reply else None,
            parse_success=report.readable,
            raw_text=reply.response if reply else None,
            foreman_parsed_by=report.parsed_by,
            degraded=notice.degraded,
            warnings=notice.warnings,
        )


def read_report(text: str, jurors: Sequence[JurorAssessment], shown: Shown = NOTHING_SHOWN) -> ForemanReport:
    """A point that fewer than two of the jurors made, by their numbers, is a minority point."""
    parts = sections(lines(text, shown.nonce), _PARTS)
    listed = {name: items(parts[name].lines) if name in parts else [] for name in _PARTS}
    seats = [juror.seat for juror in jurors]
    strengths = [_point(item, seats) for item in listed["STRENGTHS"]]
    weaknesses = [_point(item, seats) for item in listed["WEAKNESSES"]]
    stated = stated_verdict(text, shown)
    return ForemanReport(
        summary=parts["SUMMARY"].text if "SUMMARY" in parts else "",
        strengths=_shared(strengths),
        weaknesses=_shared(weaknesses),
        minority=(*_minority(strengths, "strength"), *_minority(weaknesses, "weakness")),
        recommendations=tuple(listed["RECOMMENDATIONS"]),
        dissent=tuple(_dissent(item, jurors) for item in listed["DISSENT"]),
        verdict=known_verdict(stated.meaning),
        parsed_by=stated.by if stated.meaning else None,
        readable=bool(parts.keys() - {"VERDICT"}),
    )


def _point(item: str, seats: Sequence[int]) -> Point:
    named = [int(number) for number in cited(item, r"\d{1,3}")]
    return Point(text=without_citations(item, r"\d{1,3}"), jurors=[seat for seat in seats if seat in named])


def _shared(points: Iterable[Point]) -> tuple[Point, ...]:
    return tuple(point for point in points if len(point.jurors) > 1)


def _minority(points: Iterable[Point], kind: Literal["strength", "weakness"]) -> Iterable[MinorityPoint]:
    return (
        MinorityPoint(text=point.text, jurors=point.jurors, kind=kind)
        for point in points
        if len(point.jurors) < 2
    )


def _dissent(item: str, jurors: Sequence[JurorAssessment]) -> Dissent:
    named = _DISSENT.match(item[:200])
    juror = next((one for one in jurors if named and one.seat == int(named[1])), None)
    if named is None or juror is None:
        return Dissent(seat=None, verdict=None, text=item)
    return Dissent(seat=juror.seat, verdict=juror.verdict, text=item[named.end() :])


def tally_line(tally: VoteTally) -> str:
    return f"{tally.approve} APPROVE, {tally.revise} REVISE, {tally.reject} REJECT"


def dimension_table(analysis: Sequence[DimensionAnalysis], summary: JurorSummary) -> str:
    rows = [
        "| Dimension | Average | Lowest | Highest | Agreement |",
        "|---|---|---|---|---|",
        *(
            f"| {one.dimension.capitalize()} | {_figure(one.avg_score)} | {_figure(one.min_score)} | "
            f"{_figure(one.max_score)} | {one.consensus} |"
            for one in analysis
        ),
        f"| All scores | {_figure(summary.overall_average)} | – | – | – |",
    ]
    return "\n".join(rows)


def _figure(value: float | None) -> str:
    return "–" if value is None else str(value)


def report_head(ruling: Ruling, summary: JurorSummary, table: str) -> str:
    votes = tally_line(summary.vote_tally)
    return f"# Verdict: {ruling.verdict}\n\n{votes}; decided {_DECIDED[ruling.source]}.\n\n{table}"


def report_body(
    report: ForemanReport, reply: Answer | None, jurors: Sequence[JurorAssessment], differs: bool
) -> list[str]:
    if reply is None:
        return ["The foreman did not report; these are the jurors' own lists.", *juror_sections(jurors)]
    return foreman_sections(report, differs) if report.readable else [reply.response]


def foreman_sections(report: ForemanReport, differs: bool) -> list[str]:
    """The foreman's own words, part by part; a part without words is left out."""
    minority = [
        Point(text=f"{point.kind.capitalize()}: {point.text}", jurors=point.jurors)
        for point in report.minority
    ]
    dissent = [
        f"Juror {one.seat} ({one.verdict or 'no vote'}): {one.text}" if one.seat else one.text
        for one in report.dissent
    ]
    view = f"{report.verdict}. The jury's verdict stands." if differs else ""
    parts = {
        "Summary": report.summary,
        "Strengths": _bullets(map(_cited, report.strengths)),
        "Weaknesses": _bullets(map(_cited, report.weaknesses)),
        "Points of single jurors": _bullets(map(_cited, minority)),
        "Recommendations": _numbered(report.recommendations),
        "Dissent": _bullets(dissent),
        "The foreman's own view": view,
    }
    return [f"## {heading}\n\n{text}" for heading, text in parts.items() if text]


def juror_sections(jurors: Sequence[JurorAssessment]) -> list[str]:
    """What the jurors listed, juror by juror: the report when no foreman wrote one."""
    found = []
    for juror in jurors:
        lists = {
            "Strengths": juror.strengths,
            "Weaknesses": juror.weaknesses,
            "Recommendations": juror.recommendations,
        }
        parts = [f"{heading}:\n\n{_bullets(listed)}" for heading, listed in lists.items() if listed]
        heading = f"## Juror {juror.seat} ({juror.verdict or 'no vote'})"
        found.append("\n\n".join([heading, *(parts or ["Nothing listed."])]))
    return found


def _cited(point: Point) -> str:
    return f"{point.text} [{', '.join(map(str, point.jurors))}]" if point.jurors else point.text


def _bullets(entries: Iterable[str]) -> str:
    return "\n".join(f"- {entry}" for entry in entries)


def _numbered(entries: Iterable[str]) -> str:
    return "\n".join(f"{place}. {entry}" for place, entry in enumerate(entries, 1))
