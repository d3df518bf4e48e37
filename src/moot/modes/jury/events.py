"""What a jury tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from moot.kernel.events import Event, Opening, TitleComplete, every, last
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Maybe, Row, Wire
from moot.modes.jury.foreman import JuryVerdict
from moot.modes.jury.scorecards import Dimension, JurorAssessment, Verdict
from moot.modes.jury.verdicts import FailedJuror, JurorSummary, VerdictSource, VoteTally


class Presentation(Wire):
    content: str
    original_question: Maybe[str]
    review_brief: Maybe[str]
    word_count: int


class JuryCalled(Wire):
    total_jurors: int


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


class JuryStart(Opening):
    type = "jury_start"


class PresentStart(Event):
    type = "present_start"


class PresentComplete(Event):
    type = "present_complete"
    data: Presentation


class DeliberationStart(Event):
    type = "deliberation_start"
    data: JuryCalled


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


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case PresentComplete(data=work):
            kept = {"original_question", "review_brief", "word_count"}
            yield Row("present", 1, work.content, parsed_data=work.model_dump(include=kept))
        case JurorComplete(data=juror):
            apart = {"model", "assessment_text", "response_time_ms"}
            parsed = juror.model_dump(exclude=apart)
            yield _juror_row(juror, juror.assessment_text, parsed, juror.response_time_ms)
        case AllJurorsComplete(data=summary):
            for failed in summary.failed_jurors:
                yield _juror_row(failed, "", {"seat": failed.seat, "error": failed.reason})
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


def _juror_row(
    juror: JurorAssessment | FailedJuror, content: str, data: Any, response_time_ms: int | None = None
) -> Row:
    return Row(
        "deliberation",
        2,
        content,
        seat=juror.seat,
        model=juror.model,
        role="juror",
        parsed_data=data,
        response_time_ms=response_time_ms,
    )


def result(events: Sequence[Event]) -> JuryResult:
    presented, summary = last(events, PresentComplete), last(events, AllJurorsComplete)
    verdict, title = last(events, VerdictComplete), last(events, TitleComplete)
    jurors = sorted((event.data for event in every(events, JurorComplete)), key=lambda juror: juror.seat)
    return JuryResult(
        presentation=presented.data if presented else None,
        jurors=jurors,
        juror_summary=summary.data if summary else None,
        foreman=verdict.data if verdict else None,
        majority_verdict=summary.data.majority_verdict if summary else None,
        final_verdict=verdict.data.final_verdict if verdict else None,
        verdict_source=verdict.data.verdict_source if verdict else None,
        vote_tally=summary.data.vote_tally if summary else None,
        dimension_averages=summary.data.dimension_averages if summary else None,
        overall_average=summary.data.overall_average if summary else None,
        degraded=verdict.data.degraded if verdict else None,
        warnings=verdict.data.warnings if verdict else None,
        title=title.data.title if title else None,
    )


def answer(events: Sequence[Event]) -> str | None:
    verdict = last(events, VerdictComplete)
    return verdict.data.report_text if verdict else None


def seat_results(events: Sequence[Event]) -> Iterator[SeatResult]:
    verdict = last(events, VerdictComplete)
    if verdict is None:
        return
    for juror in (event.data for event in every(events, JurorComplete)):
        if juror.verdict is not None:
            agreed = int(juror.verdict == verdict.data.final_verdict)
            yield SeatResult(juror.seat, juror.model, agreed=agreed, cases=1)
