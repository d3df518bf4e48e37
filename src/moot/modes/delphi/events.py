"""What a delphi tells: payloads, events, the rows kept of them, and the folds over its story."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pydantic import Field

from moot.kernel.events import Event, Opening, every, last_data, title_in
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Degraded, FailureKind, Maybe, Row, Wire
from moot.modes.delphi.answers import Confidence, answer_key
from moot.modes.delphi.classification import Classification, Codebook, QuestionType
from moot.modes.delphi.convergence import NumericStats, QualitativeStats
from moot.modes.delphi.report import StopReason, summary_line


class DelphiRoundStart(Wire):
    round: int


class Estimate(Wire):
    """A participant's answer after a round. Only the stored row says which model it is."""

    participant_index: int
    model: str | None = Field(default=None, exclude=True)
    estimate: Maybe[float] = None
    answer: Maybe[str] = None
    confidence: Confidence
    confidence_parsed: bool
    changed: bool
    carried_forward: bool
    previous_estimate: Maybe[float] = None
    previous_answer: Maybe[str] = None
    reasoning: str | None
    range_given: Maybe[bool] = None
    parse_failed: Maybe[bool] = None
    error: Maybe[str] = None
    raw_text: str
    response_time_ms: int | None


class Departure(Wire):
    """A participant without a readable answer in round 1: it leaves the exercise."""

    participant_index: int
    model: None = None
    kind: FailureKind
    reason: str
    parse_failed: Maybe[bool] = None
    raw_text: str
    stored_model: str | None = Field(default=None, exclude=True)


class DelphiRound(Wire):
    """`stats` null: too few answered for any."""

    round: int
    estimates: list[Estimate]
    failed: list[Departure]
    codebook: Maybe[Codebook] = None
    stats: NumericStats | QualitativeStats | None
    converged: bool


class ConvergenceData(DelphiRoundStart):
    stats: NumericStats | QualitativeStats | None


class LastRoundData(ConvergenceData):
    reason: StopReason


class Participant(Wire):
    participant_index: int
    model: str


class DelphiSynthesis(Degraded):
    """`facilitator_model` null: the report is the server's."""

    facilitator_model: str | None
    report: str
    result_line: str
    total_rounds: int
    converged: bool
    convergence_round: int | None
    stop_reason: StopReason
    final_value: float | str
    interval: Maybe[tuple[float, float]] = None
    ci95: Maybe[tuple[float, float]] = None
    participants: list[Participant]
    response_time_ms: int


class RoundResult(Wire):
    round_number: int
    estimates: list[Estimate]
    stats: NumericStats | QualitativeStats | None
    converged: bool


class DelphiResult(Wire):
    classification: Maybe[Classification]
    rounds: list[RoundResult]
    converged: Maybe[bool]
    convergence_round: int | None
    stop_reason: Maybe[StopReason]
    final_value: Maybe[float | str]
    interval: Maybe[tuple[float, float]]
    ci95: Maybe[tuple[float, float]]
    participants: Maybe[list[Participant]]
    report: Maybe[str]
    degraded: Maybe[bool]
    warnings: Maybe[tuple[str, ...]]
    title: Maybe[str]


class DelphiStart(Opening):
    type = "delphi_start"
    question_type: QuestionType | None


class ClassifyStart(Event):
    type = "classify_start"


class ClassifyComplete(Event):
    type = "classify_complete"
    data: Classification


class RoundStart(Event):
    type = "round_start"
    data: DelphiRoundStart


class RoundComplete(Event):
    type = "round_complete"
    data: DelphiRound


class ConvergenceReached(Event):
    type = "convergence_reached"
    data: ConvergenceData


class MaxRoundsReached(Event):
    type = "max_rounds_reached"
    data: LastRoundData


class SynthesisStart(Event):
    type = "synthesis_start"


class SynthesisComplete(Event):
    type = "synthesis_complete"
    data: DelphiSynthesis


def rows(event: Event) -> Iterator[Row]:
    """What is kept of each event in `deliberation_stages`."""
    match event:
        case ClassifyComplete(data=classification):
            yield Row(
                "classify",
                0,
                classification.raw_text,
                model=classification.model,
                role="facilitator",
                parsed_data=classification.model_dump(exclude={"model", "raw_text", "response_time_ms"}),
                response_time_ms=classification.response_time_ms,
            )
        case RoundComplete(data=round_):
            yield from round_rows(round_)
        case SynthesisComplete(data=synthesis):
            fields = {"total_rounds", "converged", "convergence_round", "stop_reason", "final_value"}
            yield Row(
                "synthesis",
                99,
                synthesis.report,
                model=synthesis.facilitator_model,
                role="facilitator",
                parsed_data=synthesis.model_dump(include={*fields, "interval", "ci95", "participants"}),
                response_time_ms=synthesis.response_time_ms,
            )


def round_rows(round_: DelphiRound) -> Iterator[Row]:
    """The stored rows of a round: who said what, the codebook, the statistics."""
    step, order = f"round_{round_.round}", 2 * round_.round - 1
    kind = "numeric" if any(one.estimate is not None for one in round_.estimates) else "qualitative"
    for estimate in round_.estimates:
        details = estimate.model_dump(exclude={"raw_text", "response_time_ms"})
        yield Row(
            step,
            order,
            estimate.raw_text,
            seat=estimate.participant_index,
            model=estimate.model,
            role="panelist",
            parsed_data={"round": round_.round, "type": kind, **details},
            response_time_ms=estimate.response_time_ms,
        )
    for departure in round_.failed:
        index = departure.participant_index
        details = {"round": round_.round, "type": kind, "participantIndex": index, "error": departure.reason}
        yield Row(
            step,
            order,
            departure.raw_text,
            seat=index,
            model=departure.stored_model,
            role="panelist",
            parsed_data={**details, "parseFailed": True} if departure.parse_failed else details,
        )
    if round_.codebook is not None:
        book = round_.codebook
        details = book.model_dump(include={"options", "assignment"})
        yield Row("codebook", 1, book.raw_text, model=book.model, role="facilitator", parsed_data=details)
    if round_.stats is not None:
        details = {
            "round": round_.round,
            "type": "stats",
            "statistics": round_.stats.model_dump(),
            "converged": round_.converged,
        }
        line = summary_line(round_.round, round_.stats)
        yield Row(f"{step}_stats", order + 1, line, role="stats", parsed_data=details)


def result(events: Sequence[Event]) -> DelphiResult:
    synthesis = last_data(events, SynthesisComplete)
    return DelphiResult(
        classification=last_data(events, ClassifyComplete),
        rounds=[
            RoundResult(
                round_number=event.data.round,
                estimates=event.data.estimates,
                stats=event.data.stats,
                converged=event.data.converged,
            )
            for event in every(events, RoundComplete)
        ],
        title=title_in(events),
        **{name: getattr(synthesis, name, None) for name in _SYNTHESIS_FIELDS},
    )


_SYNTHESIS_FIELDS = DelphiResult.model_fields.keys() - {"classification", "rounds", "title"}


def answer(events: Sequence[Event]) -> str | None:
    synthesis = last_data(events, SynthesisComplete)
    return f"**{synthesis.result_line}**\n\n{synthesis.report}" if synthesis else None


def seat_results(events: Sequence[Event]) -> Iterable[SeatResult]:
    synthesis = last_data(events, SynthesisComplete)
    rounds = [event.data for event in every(events, RoundComplete)]
    return panel_agreement(rounds, synthesis) if synthesis else ()


def panel_agreement(rounds: Sequence[DelphiRound], synthesis: DelphiSynthesis) -> Iterator[SeatResult]:
    """Who holds in the end what the panel holds; where as many hold something else, nobody does."""
    final = rounds[-2 if synthesis.stop_reason == "attrition" else -1]
    stats, models = final.stats, {one.participant_index: one.model for one in synthesis.participants}
    for estimate in final.estimates:
        if isinstance(stats, NumericStats) and estimate.estimate is not None:
            agrees = stats.q1 <= estimate.estimate <= stats.q3
        elif isinstance(stats, QualitativeStats) and estimate.answer is not None and not stats.mode_tied:
            agrees = answer_key(estimate.answer) == answer_key(stats.mode)
        else:
            continue
        seat = estimate.participant_index
        yield SeatResult(seat, models[seat], agreed=int(agrees), cases=1)
