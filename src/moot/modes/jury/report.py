"""The jury's report: the foreman's words, or without them the jurors', under figures that are ours.

# Verdict: REVISE

1 APPROVE, 2 REVISE, 0 REJECT; decided by majority.

| Dimension | Average | Lowest | Highest | Agreement |
…
## Summary
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from moot.kernel.values import Answer, Degraded
from moot.modes.jury.events import (
    DimensionAnalysis,
    JurorAssessment,
    JurorSummary,
    JuryVerdict,
    Point,
    VerdictSource,
    VoteTally,
)
from moot.modes.jury.foreman import ForemanReport
from moot.modes.jury.verdicts import Ruling, analyse_dimensions

_SOURCES: dict[VerdictSource, str] = {
    "majority": "by majority",
    "tie_rule": "by the tie rule",
    "foreman": "by the foreman, for no vote could be counted",
    "default": "by default, for no vote could be counted",
}


def jury_verdict(
    report: ForemanReport,
    reply: Answer | None,
    jurors: Sequence[JurorAssessment],
    summary: JurorSummary,
    ruling: Ruling,
    notice: Degraded,
) -> JuryVerdict:
    """`reply` is the foreman's, if one came."""
    differs = report.verdict is not None and report.verdict != ruling.verdict
    analysis = analyse_dimensions(jurors, summary)
    head = report_head(ruling, summary, dimension_table(analysis, summary))
    return JuryVerdict(
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
    return f"# Verdict: {ruling.verdict}\n\n{votes}; decided {_SOURCES[ruling.source]}.\n\n{table}"


def report_body(
    report: ForemanReport, reply: Answer | None, jurors: Sequence[JurorAssessment], differs: bool
) -> list[str]:
    """The foreman's sections, or its whole reply if none could be read, or the jurors' own lists."""
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
        "Strengths": _bullets(map(_with_jurors, report.strengths)),
        "Weaknesses": _bullets(map(_with_jurors, report.weaknesses)),
        "Points of single jurors": _bullets(map(_with_jurors, minority)),
        "Recommendations": _numbered(report.recommendations),
        "Dissent": _bullets(dissent),
        "The foreman's own view": view,
    }
    return [f"## {heading}\n\n{text}" for heading, text in parts.items() if text]


def juror_sections(jurors: Sequence[JurorAssessment]) -> list[str]:
    """What the jurors listed, juror by juror: the report when no foreman wrote one."""
    parts = []
    for juror in jurors:
        lists = {
            "Strengths": juror.strengths,
            "Weaknesses": juror.weaknesses,
            "Recommendations": juror.recommendations,
        }
        paragraphs = [f"{name}:\n\n{_bullets(entries)}" for name, entries in lists.items() if entries]
        heading = f"## Juror {juror.seat} ({juror.verdict or 'no vote'})"
        parts.append("\n\n".join([heading, *(paragraphs or ["Nothing listed."])]))
    return parts


def _with_jurors(point: Point) -> str:
    return f"{point.text} [{', '.join(map(str, point.jurors))}]" if point.jurors else point.text


def _bullets(entries: Iterable[str]) -> str:
    return "\n".join(f"- {entry}" for entry in entries)


def _numbered(entries: Iterable[str]) -> str:
    return "\n".join(f"{place}. {entry}" for place, entry in enumerate(entries, 1))
