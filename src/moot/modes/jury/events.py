"""What a jury tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args

from pydantic import Field

from moot.deliberation.choices import ParsedBy
from moot.deliberation.text import word_count
from moot.kernel.events import Event, Opening, every, last_data, title_in
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Degraded, Failure, FailureKind, Maybe, Row, Wire
from moot.modes.jury.config import JuryConfig

Verdict = Literal["APPROVE", "REVISE", "REJECT"]
Dimension = Literal["accuracy", "completeness", "clarity", "relevance", "actionability"]
VerdictSource = Literal["majority", "tie_rule", "foreman", "default"]
Scores = dict[Dimension, int | None]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)


class Presentation(Wire):
    """The work as the jurors see it; a brief says what they should watch for."""

    content: str
    original_question: Maybe[str]
    review_brief: Maybe[str]
    word_count: int

    @classmethod
    def of(cls, config: JuryConfig, question: str) -> Presentation:
        work = config.work(question)
        return cls(
            content=work,
            original_question=config.task,
            review_brief=None if config.content is None else question,
            word_count=word_count(work),
        )


class JurorCount(Wire):
    total_jurors: int


class JurorAssessment(Wire):
    """`parsed_by`: by which rule a stated verdict was read."""

    seat: int
    model: str
    assessment_text: str
    scores: Scores
    average: float | None
    verdict: Verdict | None
    verdict_source: Literal["stated", "derived"] | None
    verdict_mismatch: bool
    strengths: list[str]
    weaknesses: list[str]
    recommendations: list[str]
    response_time_ms: int
    parse_success: bool
    parsed_by: ParsedBy | None = None
    cut_before_verdict: bool = Field(default=False, exclude=True)

    @property
    def problem(self) -> str:
        """What is missing."""
        cut = self.parse_success and self.cut_before_verdict
        return "it was cut off before its verdict" if cut else "it holds no score and no verdict"

    @property
    def readable(self) -> bool:
        return self.parse_success and not self.cut_before_verdict


class VoteTally(Wire):
    approve: int
    revise: int
    reject: int


class FailedJuror(Wire):
    seat: int
    model: str | None
    kind: FailureKind
    reason: str

    @classmethod
    def of(cls, failure: Failure) -> FailedJuror:
        return cls(seat=failure.seat or 0, model=failure.model, kind=failure.kind, reason=failure.reason)


class Range(Wire):
    min: int
    max: int


class Leniency(Wire):
    """How far a juror's average lies above the panel's; null without a score."""

    seat: int
    value: float | None


class JurorSummary(Wire):
    juror_count: int
    successful_jurors: int
    failed_jurors: list[FailedJuror]
    majority_verdict: Verdict | None
    verdict_source: VerdictSource | None
    vote_tally: VoteTally
    dimension_averages: dict[Dimension, float | None]
    dimension_ranges: dict[Dimension, Range | None]
    dimension_std_devs: dict[Dimension, float | None]
    overall_average: float | None
    verdict_agreement: float | None
    leniency: list[Leniency]


class DimensionAnalysis(Wire):
    dimension: Dimension
    avg_score: float | None
    min_score: int | None
    max_score: int | None
    consensus: Literal["Strong agreement", "Mixed", "Disagreement", "Insufficient data"]


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


class JuryStart(Opening):
    type = "jury_start"


class PresentStart(Event):
    type = "present_start"


class PresentComplete(Event):
    type = "present_complete"
    data: Presentation


class DeliberationStart(Event):
    type = "deliberation_start"
    data: JurorCount


class JurorComplete(Event):
    type = "juror_complete"
    data: JurorAssessment


class AllJurorsComplete(Event):
    type = "all_jurors_complete"
    data: JurorSummary


class VerdictStart(Event):
    type = "verdict_start"


class VerdictComplete(Event):
    type = "verdict_complete"
    data: JuryVerdict


class JuryResult(Wire):
    presentation: Maybe[Presentation]
    jurors: list[JurorAssessment]
    juror_summary: Maybe[JurorSummary]
    foreman: Maybe[JuryVerdict]
    majority_verdict: Maybe[Verdict]
    final_verdict: Maybe[Verdict]
    verdict_source: Maybe[VerdictSource]
    vote_tally: Maybe[VoteTally]
    dimension_averages: Maybe[dict[Dimension, float | None]]
    overall_average: Maybe[float]
    degraded: Maybe[bool]
    warnings: Maybe[tuple[str, ...]]
    title: Maybe[str]


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case PresentComplete(data=work):
            yield Row("present", 1, work.content, parsed_data=work.model_dump(exclude={"content"}))
        case JurorComplete(data=assessment):
            apart = {"model", "assessment_text", "response_time_ms"}
            details = assessment.model_dump(exclude=apart)
            yield juror_row(assessment, assessment.assessment_text, details, assessment.response_time_ms)
        case AllJurorsComplete(data=summary):
            for juror in summary.failed_jurors:
                yield juror_row(juror, "", {"seat": juror.seat, "error": juror.reason})
            content = summary.model_dump(include={"majority_verdict", "vote_tally"})
            yield Row("juror_summary", 3, json.dumps(content), parsed_data=summary.model_dump())
        case VerdictComplete(data=verdict):
            yield Row(
                "verdict",
                4,
                verdict.report_text,
                model=verdict.model,
                role="foreman",
                parsed_data=verdict.model_dump(exclude={"report_text"}),
                response_time_ms=verdict.response_time_ms,
            )


def juror_row(
    juror: JurorAssessment | FailedJuror, content: str, details: Any, response_time_ms: int | None = None
) -> Row:
    return Row(
        "deliberation",
        2,
        content,
        seat=juror.seat,
        model=juror.model,
        role="juror",
        parsed_data=details,
        response_time_ms=response_time_ms,
    )


def result(events: Sequence[Event]) -> JuryResult:
    summary, verdict = last_data(events, AllJurorsComplete), last_data(events, VerdictComplete)
    return JuryResult(
        presentation=last_data(events, PresentComplete),
        jurors=sorted((event.data for event in every(events, JurorComplete)), key=lambda juror: juror.seat),
        juror_summary=summary,
        foreman=verdict,
        majority_verdict=summary.majority_verdict if summary else None,
        final_verdict=verdict.final_verdict if verdict else None,
        verdict_source=verdict.verdict_source if verdict else None,
        vote_tally=summary.vote_tally if summary else None,
        dimension_averages=summary.dimension_averages if summary else None,
        overall_average=summary.overall_average if summary else None,
        degraded=verdict.degraded if verdict else None,
        warnings=verdict.warnings if verdict else None,
        title=title_in(events),
    )


def answer(events: Sequence[Event]) -> str | None:
    verdict = last_data(events, VerdictComplete)
    return verdict.report_text if verdict else None


def seat_results(events: Sequence[Event]) -> Iterator[SeatResult]:
    verdict = last_data(events, VerdictComplete)
    if verdict is None:
        return
    for juror in (event.data for event in every(events, JurorComplete)):
        if juror.verdict is not None:
            agreed = int(juror.verdict == verdict.final_verdict)
            yield SeatResult(juror.seat, juror.model, agreed=agreed, cases=1)
